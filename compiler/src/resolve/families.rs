//! Families: how many members each has, and how two families join.

use super::context::Resolver;
use super::errors;
use super::moments::Moment;
use super::names::Symbol;
use super::refs::Family;
use super::scope::ScopeKind;
use super::terms::{and, binary, compare, same, whole};
use crate::ir::{BinaryOp, Expr, QueueId};
use crate::span::Span;
use crate::syntax::ast::{self, ItemKind};

/// A family larger than this is a mistake, and more than a machine holds.
pub(super) const LARGEST_FAMILY: f64 = 1e6;

impl<'a> Resolver<'a> {
    /// The sizes of all families, so that members can be named anywhere.
    pub fn resolve_sizes(&mut self) {
        for (index, item) in self.items.clone().into_iter().enumerate() {
            match &item.kind {
                ItemKind::Pool(pool) => {
                    let size = self.family_size(pool.size.as_ref(), index);
                    if let Some(Symbol::Pool(id)) = self.declared(&pool.name) {
                        self.program.pools[id.index()].size = size;
                    }
                }
                ItemKind::Stage { name, size, .. } => {
                    let size = self.family_size(size.as_ref(), index);
                    if let Some(Symbol::Stage(id)) = self.declared(name) {
                        self.program.stages[id.index()].size = size;
                    }
                }
                _ => {}
            }
        }
        for index in 0..self.queues.len() {
            let (queue, item) = (self.queues[index].ast, self.queues[index].item);
            let size = self.family_size(queue.size.as_ref(), item);
            let id = QueueId(index as u32);
            self.program.queues[index].size = size.clone();
            for pool in self.program.pools.iter_mut().filter(|pool| pool.queue == Some(id)) {
                pool.size = size.clone();
            }
            for stage in self.program.stages.iter_mut().filter(|stage| stage.queue == Some(id)) {
                stage.size = size.clone();
            }
            self.size_nics(id, size);
        }
    }

    /// What an item's own name means, unless the name was taken before it.
    pub fn declared(&self, name: &ast::Name) -> Option<Symbol> {
        let named = self.names.get(name.kind.as_str())?;
        (named.span == name.span).then_some(named.symbol)
    }

    fn family_size(&mut self, size: Option<&'a ast::Expr>, item: usize) -> Option<Expr> {
        let size = size?;
        let scope = self.scope(None, ScopeKind::Item { item });
        let value = self.constant(size, Self::at(scope, Moment::Constant("a family's size")))?;
        let counts = and(whole(&value), compare(BinaryOp::Ge, &value, 1.0));
        self.require(counts, errors::constants::family_size(size.span));
        let bounded = compare(BinaryOp::Le, &value, LARGEST_FAMILY);
        self.require(bounded, errors::constants::family_too_large(size.span, LARGEST_FAMILY));
        Some(value)
    }

    /// Whether `inner` joins `outer` member to member, or all to a single one.
    pub fn joins(
        &mut self,
        inner: Family,
        outer: Family,
        span: Span,
        clause: &'static str,
    ) -> Option<()> {
        let (left, right) = (self.size(inner).cloned(), self.size(outer).cloned());
        let (a, b) = (self.family_name(inner).to_owned(), self.family_name(outer).to_owned());
        match (left, right) {
            (_, None) => Some(()),
            (Some(left), Some(right)) if same(&left, &right) => Some(()),
            (Some(left), Some(right)) => {
                let cond = binary(BinaryOp::Eq, left, right);
                self.require(cond, errors::families::sizes_differ(span, clause, &a, &b));
                Some(())
            }
            (None, Some(right)) => {
                let cond = compare(BinaryOp::Eq, &right, 1.0);
                self.require(cond, errors::families::sizes_differ(span, clause, &a, &b));
                Some(())
            }
        }
    }
}
