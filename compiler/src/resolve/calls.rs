//! Calls of entries: the body in place, for one member, with the source that the call names.

use super::context::{At, Place, Resolver};
use super::errors;
use super::names::Symbol;
use super::notes::Meaning;
use super::queues::{QueueDecl, Role};
use super::scope::{Argument, EntryScope, Given, ScopeId, ScopeKind, Source};
use super::terms::draws;
use crate::ir::{self, PoolId, QueueId};
use crate::span::Span;
use crate::syntax::ast::{self, Block, Name};

/// Which pool a queue's entries lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Leased {
    /// None, on some path.
    Not,
    /// This one, on every path.
    Always(PoolId),
    /// One here and another there.
    Several,
}

impl<'a> Resolver<'a> {
    /// `QUEUE.VERB (args) from QUEUE to POOL (n);`
    pub fn call_entry(
        &mut self,
        (queue, verb, otherwise): (&'a ast::Ref, &'a Name, Option<&'a Block>),
        args: &'a [ast::Expr],
        (from, to): (Option<&'a ast::Ref>, Option<&'a (ast::Ref, ast::Expr)>),
        span: Span,
        scope: ScopeId,
        out: &mut ir::Block,
    ) {
        let Some(id) = self.called_queue(queue, scope) else { return };
        if let Some(entry) = self.entry_of(scope) {
            let is_link = self.queue(id).is_link();
            if !is_link {
                let ScopeKind::Entry(frame) = &self.frame(entry).kind else { return };
                let label = frame.label.clone();
                let found = errors::entries::calls_another(queue.span, &label, &queue.path[0].kind);
                return self.report(found, scope);
            }
        }
        let is_transfer = verb.kind == Role::Link.verb() && self.queue(id).is_link();
        let reads = from.is_some() && !is_transfer;
        let Some(index) = self.entry_index(id, queue, verb, reads, scope) else { return };
        let member = self.called_index(id, queue, scope);
        let source = match from {
            Some(from) if reads => self.source_of(id, index, from, scope).map(Some),
            _ => Some(None),
        };
        let moved = match (is_transfer, from, to) {
            (true, Some(from), Some((to, loaded))) => {
                self.moved((from, to, loaded), scope).map(Some)
            }
            (true, ..) => {
                let found = errors::entries::transfer_of_what(queue.span, &queue.path[0].kind);
                return self.report(found, scope);
            }
            (false, _, Some((to, _))) => {
                return self.report(errors::entries::to_of_no_transfer(to.span), scope);
            }
            (false, _, None) => Some(None),
        };
        let params = self.arguments(id, index, args, queue, scope);
        let (Some(member), Some(source), Some(params), Some(moved)) =
            (member, source, params, moved)
        else {
            return;
        };
        self.called.insert((id, index));
        let decl = &self.queues[id.index()];
        let (item, body) = (decl.item, decl.entries[index].body);
        let entry = EntryScope {
            queue: id,
            item,
            label: format!("{}.{}", decl.ast.name.kind, verb.kind),
            params,
            member,
            uncalled: false,
            source,
            used_at: Some(queue.span),
        };
        let inner = self.scope(Some(scope), ScopeKind::Entry(entry));
        let outer = std::mem::replace(&mut self.place, Place::Entry);
        let mut entered = Vec::new();
        self.block(body, inner, &mut entered);
        self.place = outer;
        match moved {
            Some(moved) => self.push_transfer((entered, otherwise), moved, span, scope, out),
            None => {
                self.push_call((id, member), (entered, otherwise), (queue, span), scope, out);
            }
        }
    }

    pub fn called_queue(&mut self, queue: &'a ast::Ref, scope: ScopeId) -> Option<QueueId> {
        let name = &queue.path[0];
        self.note_symbol(&name.kind, name.span);
        if self.is_hole(&name.kind) {
            self.offer_queues(false);
        }
        let found = match self.symbol(&name.kind) {
            Some(Symbol::Queue(id)) if queue.path.len() == 1 => return Some(id),
            Some(Symbol::Queue(_)) => errors::queues::no_queue(&queue.path[1], "a part of a queue"),
            Some(other) => errors::queues::no_queue(name, other.describe()),
            None => errors::queues::unknown_queue(name),
        };
        self.report(found, scope);
        None
    }

    /// The entry that a call means: the one of that verb, with or without `from` as the call has it.
    fn entry_index(
        &mut self,
        id: QueueId,
        queue: &'a ast::Ref,
        verb: &'a Name,
        reads: bool,
        scope: ScopeId,
    ) -> Option<usize> {
        if self.is_hole(&verb.kind) {
            self.offer_verbs(id);
        }
        let decl = self.queue(id);
        let name = &decl.ast.name.kind;
        let found = decl
            .entries
            .iter()
            .position(|entry| entry.verb.kind == verb.kind && entry.from.is_some() == reads);
        if let (Some(index), false) = (found, decl.is_gateway()) {
            let declared = decl.entries[index].verb.span;
            self.note(verb.span, || Meaning::Declared(declared));
            return found;
        }
        let others = decl.entries.iter().any(|entry| entry.verb.kind == verb.kind);
        let wrong = if decl.is_gateway() {
            errors::entries::gateway_called(queue.span, name)
        } else if others && reads {
            errors::entries::from_not_taken(queue.span, name, &verb.kind)
        } else if others {
            errors::entries::from_missing(queue.span, name, &verb.kind)
        } else if decl.is_link() {
            errors::entries::link_not_called(queue.span, name)
        } else {
            errors::entries::unknown_verb(verb, name, &verbs(decl))
        };
        self.report(wrong, scope);
        None
    }

    /// The member called: `Some(None)` for a single queue.
    fn called_index(
        &mut self,
        id: QueueId,
        queue: &'a ast::Ref,
        scope: ScopeId,
    ) -> Option<Option<Given<'a>>> {
        let size = self.program.queues[id.index()].size.clone();
        let name = queue.path[0].kind.clone();
        match (&queue.index, size) {
            (None, None) => Some(None),
            (None, Some(_)) => {
                self.report(errors::refs::family_without_index(queue.span, &name), scope);
                None
            }
            (Some((_, index)), None) => {
                self.report(errors::refs::single_queue_indexed(index.span, &name), scope);
                None
            }
            (Some((_, index)), Some(size)) => {
                let given = Given { expr: index, scope };
                let at = Self::session_at(scope, "an index");
                let resolved = self.indexing(given, at)?;
                if draws(&resolved) {
                    self.report(errors::entries::index_draws(index.span), scope);
                    return None;
                }
                self.check_index(&resolved, size, index.span, &name);
                Some(Some(given))
            }
        }
    }

    /// `from P[i]`: the pool that P's entries lease.
    fn source_of(
        &mut self,
        reader: QueueId,
        entry: usize,
        from: &'a ast::Ref,
        scope: ScopeId,
    ) -> Option<Source<'a>> {
        let id = self.called_queue(from, scope)?;
        let name = self.queue(reader).entries[entry].from?;
        let related = self.queue(reader).source;
        if let Some(related) = related.filter(|related| *related != id) {
            let of = &self.program.queues[related.index()].name;
            let found = errors::entries::from_unrelated(from.span, &from.path[0].kind, of);
            self.report(found, scope);
            return None;
        }
        let pool = match self.leased_by(id) {
            Leased::Always(pool) => pool,
            Leased::Not => {
                let found = errors::entries::from_leases_nothing(from.span, &from.path[0].kind);
                self.report(found, scope);
                return None;
            }
            Leased::Several => {
                let found = errors::entries::from_leases_several(from.span, &from.path[0].kind);
                self.report(found, scope);
                return None;
            }
        };
        let member = self.called_index(id, from, scope)?;
        Some(Source { name, from: Some((id, pool)), member })
    }

    /// The pool that every entry of a queue leases on every path.
    fn leased_by(&self, id: QueueId) -> Leased {
        let decl = self.queue(id);
        let mut leased: Option<Leased> = None;
        for entry in &decl.entries {
            let this = self.leases(entry.body, id, usize::MAX);
            leased = Some(match leased {
                None => this,
                Some(before) if before == this => this,
                Some(Leased::Not) => Leased::Not,
                Some(_) if this == Leased::Not => Leased::Not,
                Some(_) => Leased::Several,
            });
        }
        leased.unwrap_or(Leased::Not)
    }

    /// What a block leases on every path through it.
    fn leases(&self, block: &'a Block, queue: QueueId, before: usize) -> Leased {
        let mut leased = Leased::Not;
        for stmt in &block.kind {
            let this = match &stmt.kind {
                ast::StmtKind::Hold(hold) => match &hold.lease {
                    Some(lease) => {
                        let name = lease.pool.path.last().map_or("", |part| part.kind.as_str());
                        match self.queue(queue).pool(name) {
                            Some(pool) => Leased::Always(pool),
                            None => Leased::Not,
                        }
                    }
                    None => self.leases(&hold.body, queue, before),
                },
                ast::StmtKind::Open(opening) => match &opening.lease {
                    Some(lease) => {
                        let name = lease.pool.path.last().map_or("", |part| part.kind.as_str());
                        self.queue(queue).pool(name).map_or(Leased::Not, Leased::Always)
                    }
                    None => self.leases(&opening.body, queue, before),
                },
                ast::StmtKind::Branch { then, otherwise, .. } => {
                    let then = self.leases(then, queue, before);
                    let other = match otherwise {
                        Some(block) => self.leases(block, queue, before),
                        None => Leased::Not,
                    };
                    match (then, other) {
                        (a, b) if a == b => a,
                        (Leased::Not, _) | (_, Leased::Not) => Leased::Not,
                        _ => Leased::Several,
                    }
                }
                ast::StmtKind::Loop(body) => self.leases(body, queue, before),
                ast::StmtKind::Call { otherwise: Some(block), .. }
                | ast::StmtKind::Transfer { otherwise: Some(block), .. } => {
                    match self.leases(block, queue, before) {
                        // It leases nothing where all goes well.
                        Leased::Always(_) => Leased::Not,
                        other => other,
                    }
                }
                ast::StmtKind::Use { name, .. } => match self.symbol(&name.kind) {
                    Some(Symbol::Def(def)) if def < before => match self.defs[def].body {
                        super::names::DefBody::Block(body) => self.leases(body, queue, def),
                        super::names::DefBody::Expr(_) => Leased::Not,
                    },
                    _ => Leased::Not,
                },
                _ => Leased::Not,
            };
            leased = match (leased, this) {
                (Leased::Not, this) => this,
                (before, Leased::Not) => before,
                (before, this) if before == this => this,
                _ => Leased::Several,
            };
        }
        leased
    }

    /// The parameters with their arguments, which may not draw.
    fn arguments(
        &mut self,
        id: QueueId,
        entry: usize,
        args: &'a [ast::Expr],
        queue: &'a ast::Ref,
        scope: ScopeId,
    ) -> Option<Vec<Argument<'a>>> {
        let decl = self.queue(id);
        let params = decl.entries[entry].params;
        if params.len() != args.len() {
            let label = format!("{}.{}", decl.ast.name.kind, decl.entries[entry].verb.kind);
            let found = errors::names::arity(queue.span, &label, params.len(), args.len());
            self.report(found, scope);
            return None;
        }
        let at: At = Self::session_at(scope, "an argument");
        let mut fine = true;
        for (param, arg) in params.iter().zip(args) {
            match self.expr(arg, at) {
                Some(value) if draws(&value) => {
                    self.report(errors::entries::argument_draws(arg.span, &param.kind), scope);
                    fine = false;
                }
                Some(_) => {}
                None => fine = false,
            }
        }
        fine.then(|| {
            params
                .iter()
                .zip(args)
                .map(|(name, expr)| Argument {
                    name,
                    value: Some(Given { expr, scope }),
                    reads: 0,
                    draws: false,
                })
                .collect()
        })
    }
}

fn verbs(decl: &QueueDecl<'_>) -> Vec<String> {
    let mut verbs: Vec<String> = Vec::new();
    for entry in &decl.entries {
        if !verbs.contains(&entry.verb.kind) {
            verbs.push(entry.verb.kind.clone());
        }
    }
    verbs
}
