//! Several NICs of one member of a queue, one per rank: how many there are, which one is named, and reads that cross
//! them all.

use super::context::{At, FlowUse, Resolver};
use super::errors;
use super::families::LARGEST_FAMILY;
use super::moments::Moment;
use super::refs::{Family, Member, Want, Written};
use super::scope::{ScopeId, ScopeKind};
use super::terms::{and, binary, compare, number, whole};
use crate::ir::{
    BinaryOp, Expr, ExprKind, QueueId, Ranks, SiteId, StageId, StageRef, StmtKind, Ty,
};
use crate::span::Span;

/// What a queue's NICs are called behind its name.
pub(super) const NIC: &str = "nic";

impl<'a> Resolver<'a> {
    /// The size of the family of a queue's NICs, and that they are links that flows share.
    pub fn size_nics(&mut self, queue: QueueId, members: Option<Expr>) {
        let decl = self.queue(queue);
        let (item, ranks, nic) = (decl.item, decl.ranks, decl.nic);
        let (Some(ranks), Some((stage, kind))) = (ranks, nic) else { return };
        let scope = self.scope(None, ScopeKind::Queue { queue, item });
        let at = Self::at(scope, Moment::Constant("a number of NICs"));
        let Some(each) = self.constant(ranks, at) else { return };
        let counts = and(whole(&each), compare(BinaryOp::Ge, &each, 1.0));
        self.require(counts, errors::ranks::number(ranks.span));
        let size = match &members {
            Some(members) => binary(BinaryOp::Mul, members.clone(), each.clone()),
            None => each.clone(),
        };
        let bounded = compare(BinaryOp::Le, &size, LARGEST_FAMILY);
        self.require(bounded, errors::constants::family_too_large(ranks.span, LARGEST_FAMILY));
        let nic = &mut self.program.stages[stage.index()];
        nic.size = Some(size);
        nic.ranks = Some(Ranks { members, each });
        nic.shared = true;
        self.flow_uses.push(FlowUse { stage, span: kind.span, scope });
    }

    /// NICs of each member, if the family is of NICs of several ranks.
    pub fn ranked(&self, family: Family) -> Option<StageId> {
        match family {
            Family::Stage(stage) => self.has_ranks(stage).then_some(stage),
            Family::Pool(_) => None,
        }
    }

    /// Whether the stage is the NICs of several ranks.
    pub fn has_ranks(&self, stage: StageId) -> bool {
        self.program.stages[stage.index()].ranks.is_some()
    }

    /// The NICs of a queue that its own text names as `Q.nic` or `Q.nic[r]`, if they have ranks.
    pub fn own_nic(&self, written: &Written<'a>, queue: QueueId) -> Option<StageId> {
        let decl = self.queue(queue);
        let [first, last] = written.path.as_slice() else { return None };
        let named = first.name == decl.ast.name.kind && last.name == NIC;
        let own = written.rank.is_none() && (written.index.is_none() || written.after == 2);
        let (stage, _) = decl.nic.filter(|_| named && own)?;
        self.has_ranks(stage).then_some(stage)
    }

    /// A NIC of the member itself: of the one that an entry was called for, or of the one that a clause is of.
    pub fn own_nic_member(
        &mut self,
        written: &Written<'a>,
        nic: StageId,
        in_entry: Option<ScopeId>,
        want: Want,
        at: At,
    ) -> Option<Option<Member>> {
        let family = Family::Stage(nic);
        self.note_family(written, family);
        if want != Want::Stage {
            let found = errors::refs::wrong_kind(written.span, &written.said(), want);
            self.report(found, written.scope);
            return None;
        }
        let site = self.site(written.span, written.scope);
        let member = match in_entry {
            Some(entry) => self.called_member(entry, family, at)?,
            None => Some(Box::new(Expr { kind: ExprKind::Member, ty: Ty::Num, site })),
        };
        let several = self.ranks(nic).members.is_some();
        let rank = self.rank(written, nic, written.index, at)?;
        let kind = ExprKind::Nic(nic, member.filter(|_| several), Box::new(rank));
        let index = Some(Box::new(Expr { kind, ty: Ty::Num, site }));
        Some(Some(Member { family, index, site }))
    }

    fn ranks(&self, nic: StageId) -> Ranks {
        let ranks = self.program.stages[nic.index()].ranks.clone();
        ranks.expect("only asked of stages with ranks")
    }

    /// Which of a member's NICs; the only one if none is said.
    fn rank(
        &mut self,
        written: &Written<'a>,
        nic: StageId,
        given: Option<super::scope::Given<'a>>,
        at: At,
    ) -> Option<Expr> {
        let each = self.ranks(nic).each;
        let name = written.said();
        match given {
            Some(given) => self.index_below(given, each, &name, at),
            None => {
                let cond = compare(BinaryOp::Eq, &each, 1.0);
                self.require(cond, errors::ranks::which(written.span, &name));
                let site = self.site(written.span, written.scope);
                Some(number(0.0, site))
            }
        }
    }

    /// `P[i].nic[r]`; of a single queue `P.nic[r]`.
    pub fn nic_index(&mut self, written: &Written<'a>, nic: StageId, at: At) -> Option<Expr> {
        let members = self.ranks(nic).members;
        let name = self.family_name(Family::Stage(nic)).to_owned();
        let (member, rank) = match (written.index, written.rank) {
            (index, None) if written.after == 2 => (None, index),
            both => both,
        };
        let member = match (member, members) {
            (Some(given), Some(size)) => Some(Box::new(self.index_below(given, size, &name, at)?)),
            (Some(given), None) => {
                self.report(
                    errors::refs::single_queue_indexed(given.expr.span, &name),
                    written.scope,
                );
                return None;
            }
            (None, Some(size)) => {
                let cond = compare(BinaryOp::Eq, &size, 1.0);
                self.require(cond, errors::ranks::which_member(written.span, &written.said()));
                None
            }
            (None, None) => None,
        };
        let rank = self.rank(written, nic, rank, at)?;
        let site = self.site(written.span, written.scope);
        Some(Expr { kind: ExprKind::Nic(nic, member, Box::new(rank)), ty: Ty::Num, site })
    }

    /// The index of a member's first NIC, where it has several; else the member's own.
    pub fn first_nic(
        &self,
        nic: StageId,
        member: Option<Box<Expr>>,
        site: SiteId,
    ) -> Option<Box<Expr>> {
        if !self.has_ranks(nic) {
            return member;
        }
        let kind = ExprKind::Nic(nic, member, Box::new(number(0.0, site)));
        Some(Box::new(Expr { kind, ty: Ty::Num, site }))
    }

    /// A read whose work is divided among the NICs of both sides.
    pub fn fan(
        &mut self,
        ends: Vec<StageRef>,
        work: Expr,
        span: Span,
        scope: ScopeId,
        out: &mut crate::ir::Block,
    ) {
        if let Ok(ends) = <[StageRef; 2]>::try_from(ends) {
            self.push(StmtKind::Fan { ends, work }, span, scope, out);
        }
    }

    /// Of the NICs of a reader's member and of a source's, the one number divides by the other.
    pub fn check_ranks(&mut self, reader: QueueId, source: QueueId, span: Span) {
        let each = |queue: QueueId| {
            let (stage, _) = self.queue(queue).nic?;
            self.program.stages[stage.index()].ranks.as_ref().map(|ranks| ranks.each.clone())
        };
        // One NIC divides any number.
        let (Some(into), Some(from)) = (each(reader), each(source)) else { return };
        let larger = whole(&binary(BinaryOp::Div, into.clone(), from.clone()));
        let smaller = whole(&binary(BinaryOp::Div, from, into));
        let cond = binary(BinaryOp::Or, larger, smaller);
        self.require(cond, errors::ranks::no_multiple(span));
    }
}
