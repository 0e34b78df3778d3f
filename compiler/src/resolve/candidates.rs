//! What may stand at one place of a program that is being written.
//!
//! In: a program in which a name that it does not know, the mark, stands at the place. Out: the
//! names that could stand there instead. A lookup that meets the mark tries every name in its stead
//! and keeps those that it accepts, so the rules are those of the lookups themselves.

use std::collections::BTreeSet;

use super::context::{At, Resolver};
use super::functions;
use super::names::DefBody;
use super::queues::Role;
use super::refs::{Part, Use, Want, Written};
use super::scope::ScopeId;
use crate::index::Kind;
use crate::ir::QueueId;
use crate::span::Span;
use crate::syntax::ast::Name;

/// A definition's text is read at each of its uses; past this many nothing new is expected.
const MOST_VISITS: u32 = 16;

/// The place.
pub(crate) struct Hole<'a> {
    /// The name that stands there.
    pub mark: &'a str,
    /// Names that may be values there.
    pub names: &'a [(String, Kind)],
    /// What could.
    pub found: BTreeSet<(Kind, String)>,
    /// How often a lookup met the mark.
    pub visits: u32,
}

impl<'a> Resolver<'a> {
    /// Whether a name is the mark, and what could stand there is still asked.
    pub fn is_hole(&mut self, name: &str) -> bool {
        let Some(hole) = self.hole.as_mut().filter(|hole| hole.mark == name) else { return false };
        hole.visits += 1;
        hole.visits <= MOST_VISITS
    }

    fn offer(&mut self, kind: Kind, name: impl Into<String>) {
        if let Some(hole) = &mut self.hole {
            hole.found.insert((kind, name.into()));
        }
    }

    /// Whether a lookup accepts what it is given; what it says is dropped.
    fn accepts<T>(&mut self, lookup: impl FnOnce(&mut Self) -> Option<T>) -> bool {
        let said = self.diagnostics.len();
        let found = lookup(self).is_some();
        self.diagnostics.truncate(said);
        found
    }

    fn hole_names(&self) -> &'a [(String, Kind)] {
        self.hole.as_ref().map_or(&[], |hole| hole.names)
    }

    /// The names of values at a place of an expression.
    pub fn offer_values(&mut self, span: Span, at: At) {
        for (name, kind) in self.hole_names() {
            if self.accepts(|own| own.read_name(name, span, at)) {
                self.offer(*kind, name);
            }
        }
    }

    /// The functions and definitions that an expression may use.
    pub fn offer_functions(&mut self, name: &'a Name, at: At) {
        for known in functions::function_names() {
            let Some(function) = functions::function(known) else { continue };
            if self.misplaced(function, name, at).is_none() {
                self.offer(Kind::Function, known);
            }
        }
        self.offer_definitions(name, at.scope, |body| matches!(body, DefBody::Expr(_)));
    }

    /// The definitions that may be used as statements.
    pub fn offer_statements(&mut self, name: &'a Name, scope: ScopeId) {
        self.offer_definitions(name, scope, |body| matches!(body, DefBody::Block(_)));
    }

    fn offer_definitions(
        &mut self,
        name: &'a Name,
        scope: ScopeId,
        fits: impl Fn(DefBody<'a>) -> bool,
    ) {
        for def in 0..self.defs.len() {
            if fits(self.defs[def].body) && self.is_above(def, name.span, scope) {
                self.offer(Kind::Definition, self.defs[def].name.kind.clone());
            }
        }
    }

    /// The distributions, where draws may stand.
    pub fn offer_distributions(&mut self, at: At) {
        if at.moment.draws() {
            for name in functions::distribution_names() {
                self.offer(Kind::Distribution, name);
            }
        }
    }

    /// The pools or stages that a reference with the mark in it could mean.
    pub fn offer_families(&mut self, written: &Written<'a>, want: Want, usage: Use, at: At) {
        let Some(hole) = written.path.iter().position(|part| self.marks(part)) else { return };
        let span = written.path[hole].span;
        let named = |name: &'a str| {
            let mut path = written.path.clone();
            path[hole] = Part { name, span };
            Written { path, ..written.clone() }
        };
        let mut names: Vec<(&'a str, Kind)> = Vec::new();
        if hole == 0 {
            names.extend(self.names.iter().map(|(name, named)| (*name, named.symbol.kind())));
            names.extend(self.hole_names().iter().map(|(name, kind)| (name.as_str(), *kind)));
        }
        let parts = self.queues.iter().flat_map(|queue| queue.pools.iter().map(|(name, ..)| *name));
        names.extend(parts.map(|name| (name.kind.as_str(), Kind::Pool)));
        names.push(("nic", Kind::Stage));
        for (name, kind) in names {
            let one = named(name);
            let fits = match want {
                Want::Pool => self.accepts(|own| own.pool(one, usage, at)),
                Want::Stage => self.accepts(|own| own.stage(one, usage, at)),
            };
            if fits {
                self.offer(kind, name);
            }
        }
        if hole == 0 && written.path.len() == 1 {
            self.offer_owners(written, want, usage, at);
        }
    }

    fn marks(&self, part: &Part<'a>) -> bool {
        self.hole.as_ref().is_some_and(|hole| hole.mark == part.name)
    }

    /// The queues that own something of the kind.
    fn offer_owners(&mut self, written: &Written<'a>, want: Want, usage: Use, at: At) {
        let span = written.path[0].span;
        for index in 0..self.queues.len() {
            let queue = self.queues[index].ast;
            let pools: Vec<&'a str> =
                self.queues[index].pools.iter().map(|(name, ..)| name.kind.as_str()).collect();
            let parts = if want == Want::Pool { pools } else { vec!["nic"] };
            let fits = parts.into_iter().any(|part| {
                let path = vec![Part { name: &queue.name.kind, span }, Part { name: part, span }];
                let one = Written { path, index: None, after: 0, ..written.clone() };
                match want {
                    Want::Pool => self.accepts(|own| own.pool(one, usage, at)),
                    Want::Stage => self.accepts(|own| own.stage(one, usage, at)),
                }
            });
            if fits {
                self.offer(Kind::Queue, &queue.name.kind);
            }
        }
    }

    /// The families that a declaration may join.
    pub fn offer_joined(&mut self, written: &Written<'a>, want: Want) {
        let span = written.span;
        let mut names: Vec<(&'a str, Kind)> =
            self.names.iter().map(|(name, named)| (*name, named.symbol.kind())).collect();
        let parts = self.queues.iter().flat_map(|queue| queue.pools.iter().map(|(name, ..)| *name));
        names.extend(parts.map(|name| (name.kind.as_str(), Kind::Pool)));
        for (name, kind) in names {
            let path = vec![Part { name, span }];
            let one = Written { path, index: None, after: 0, ..written.clone() };
            if self.accepts(|own| own.joined(&one, want)) {
                self.offer(kind, name);
            }
        }
    }

    /// The queues that may be called, related or requested.
    pub fn offer_queues(&mut self, gateways: bool) {
        for index in 0..self.queues.len() {
            if self.queues[index].is_gateway() == gateways {
                self.offer(Kind::Queue, self.queues[index].ast.name.kind.clone());
            }
        }
    }

    /// The entries of a queue.
    pub fn offer_verbs(&mut self, id: QueueId) {
        let verbs: Vec<&'a str> =
            self.queue(id).entries.iter().map(|entry| entry.verb.kind.as_str()).collect();
        for verb in verbs {
            self.offer(Kind::Entry, verb);
        }
    }

    /// What `Q.name` may read.
    pub fn offer_fields(&mut self, id: QueueId) {
        let own: Vec<String> = self
            .attrs
            .keys()
            .filter(|(queue, name)| *queue == Some(id) && !self.is_mark(name))
            .map(|(_, name)| name.clone())
            .collect();
        for name in own {
            self.offer(Kind::Attribute, name);
        }
    }

    fn is_mark(&self, name: &str) -> bool {
        self.hole.as_ref().is_some_and(|hole| hole.mark == name)
    }

    /// The attributes of the session, or those of an entry's queue.
    pub fn offer_attributes(&mut self, queue: Option<QueueId>) {
        let known: Vec<String> = self
            .attrs
            .keys()
            .filter(|(of, name)| *of == queue && !self.is_mark(name))
            .map(|(_, name)| name.clone())
            .collect();
        for name in known {
            self.offer(Kind::Attribute, name);
        }
    }

    /// The observations so far.
    pub fn offer_observations(&mut self) {
        for (name, kind) in self.hole_names() {
            if *kind == Kind::Observation {
                self.offer(*kind, name);
            }
        }
    }

    /// The roles of queues.
    pub fn offer_roles(&mut self) {
        for role in Role::ALL {
            self.offer(Kind::Role, role.name());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::words::{WORDS, word_of};
    use crate::resolve::moments;

    #[test]
    fn every_name_of_the_language_has_its_words() {
        for name in functions::function_names() {
            assert!(word_of(Kind::Function, name).is_some(), "{name}");
        }
        for name in functions::distribution_names() {
            assert!(word_of(Kind::Distribution, name).is_some(), "{name}");
        }
        for name in moments::context_names() {
            assert!(word_of(Kind::OfMoment, name).is_some(), "{name}");
        }
        for name in functions::builtin_names() {
            assert!(word_of(Kind::BuiltIn, name).is_some(), "{name}");
        }
        for role in Role::ALL {
            assert!(word_of(Kind::Role, role.name()).is_some(), "{}", role.name());
        }
        for word in WORDS {
            let known = match word.kind {
                Kind::Function => functions::function(word.name).is_some(),
                Kind::Distribution => functions::distribution(word.name).is_some(),
                Kind::OfMoment => moments::context(word.name).is_some(),
                Kind::BuiltIn => functions::builtin(word.name, true).is_some(),
                Kind::Role => Role::ALL.iter().any(|role| role.name() == word.name),
                _ => false,
            };
            assert!(known, "{}", word.name);
        }
    }
}
