//! Indices: which member of a family is meant, and whether there is one.

use super::context::{At, Resolver};
use super::errors;
use super::moments::Moment;
use super::refs::{Family, Written};
use super::scope::Given;
use super::terms::{compare, is_constant, is_fixed};
use crate::ir::{BinaryOp, Expr, QueueId};

impl<'a> Resolver<'a> {
    /// The index of a member: `Some(None)` for the only one.
    pub(super) fn index(
        &mut self,
        written: &Written<'a>,
        family: Family,
        queue: Option<QueueId>,
        at: At,
    ) -> Option<Option<Box<Expr>>> {
        if let Some(nic) = self.ranked(family) {
            return self.nic_index(written, nic, at).map(|index| Some(Box::new(index)));
        }
        let size = self.size(family).cloned();
        let name = self.family_name(family).to_owned();
        if let Some(rank) = written.rank {
            self.report(errors::ranks::one_nic(rank.expr.span, &written.said()), written.scope);
            return None;
        }
        let Some(given) = written.index else {
            if let Some(size) = size {
                let cond = compare(BinaryOp::Eq, &size, 1.0);
                let found = errors::refs::family_without_index(written.span, &name);
                self.require(cond, found);
            }
            return Some(None);
        };
        if let (Some(_), None) = (queue, &size) {
            self.report(errors::refs::single_queue_indexed(given.expr.span, &name), written.scope);
            return None;
        }
        let Some(size) = size else {
            let index = self.indexing(given, at)?;
            if !is_constant(&index) {
                self.report(errors::refs::single_indexed(given.expr.span, &name), given.scope);
                return None;
            }
            let cond = compare(BinaryOp::Eq, &index, 0.0);
            self.require(cond, errors::refs::single_indexed(given.expr.span, &name));
            return Some(None);
        };
        Some(Some(Box::new(self.index_below(given, size, &name, at)?)))
    }

    /// An index that is checked against the size where that can be: a constant or what an aggregate counts.
    pub fn index_below(
        &mut self,
        given: Given<'a>,
        size: Expr,
        name: &str,
        at: At,
    ) -> Option<Expr> {
        let index = self.indexing(given, at)?;
        if is_constant(&index) || is_fixed(&index) {
            self.check_index(&index, size, given.expr.span, name);
        } else if at.moment == Moment::Gauge {
            self.report(errors::refs::gauge_index(given.expr.span), given.scope);
            return None;
        }
        Some(index)
    }
}
