//! Prefixes that sessions share: what a prompt begins with, and the pools that know blocks by content.

use super::context::{Place, Resolver, TURN_BLOCK};
use super::errors;
use super::scope::ScopeId;
use crate::ir::{self, Evict, StmtKind};
use crate::span::Span;
use crate::syntax::ast::{self, Name};

/// The word of the statement, unless the program defines it.
pub(super) const PREFIX: &str = "prefix";

impl<'a> Resolver<'a> {
    /// `prefix (key, tokens);`
    pub fn prefix(
        &mut self,
        name: &'a Name,
        args: &'a [ast::Expr],
        span: Span,
        scope: ScopeId,
        out: &mut ir::Block,
    ) {
        let place = match self.place {
            Place::Init(what @ TURN_BLOCK) => Some(what),
            Place::Server(what) => Some(what),
            _ if self.entry_of(scope).is_some() => Some("an entry"),
            Place::Entry => Some("an entry"),
            Place::Init(_) | Place::Session | Place::Client => None,
        };
        if let Some(place) = place {
            return self.report(errors::pools::prefix_place(span, place), scope);
        }
        let [key, tokens] = args else {
            let found = errors::names::arity(name.span, PREFIX, 2, args.len());
            return self.report(found, scope);
        };
        let at = Self::session_at(scope, "a shared prefix");
        let (key, tokens) = (self.expr(key, at), self.amount(tokens, at, "tokens"));
        if let (Some(key), Some(tokens)) = (key, tokens) {
            self.prefixes.get_or_insert(span);
            self.push(StmtKind::Prefix { key, tokens }, span, scope, out);
        }
    }

    /// Pools whose prefixes are shared have blocks, and evict those in the order of their release.
    pub fn check_shared_prefixes(&mut self) {
        if self.failed() {
            return;
        }
        for (id, span, scope) in std::mem::take(&mut self.sharers) {
            let pool = &self.program.pools[id.index()];
            let name = pool.name.clone();
            let tier = |other: &ir::Pool| other.spill.as_ref().is_some_and(|s| s.to.pool == id);
            let instead = match &pool.evict {
                Evict::By(_) => Some("`evict by`"),
                _ if pool.spill.is_some() => Some("`spill`"),
                _ if self.program.pools.iter().any(tier) => Some("a `spill` into it"),
                Evict::Lru => None,
            };
            if pool.block.is_none() {
                self.report(errors::pools::shared_without_block(span, &name), scope);
            } else if let Some(instead) = instead {
                self.report(errors::pools::shared_with(span, &name, instead), scope);
            }
        }
    }

    /// A prefix that no pool shares changes nothing.
    pub fn warn_of_unshared(&mut self) {
        let shares = self.program.pools.iter().any(|pool| pool.prefix_shared);
        if let Some(span) = self.prefixes.filter(|_| !shares) {
            self.diagnostics.push(errors::warnings::unshared_prefix(span));
        }
    }
}
