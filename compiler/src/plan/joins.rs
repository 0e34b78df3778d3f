//! What of a header need not be worked out when a session joins its queue.
//!
//! There a request is only held against what its pools ever have. Units that are the reserve or something less ask for
//! no more than the reserve does, so that it is enough to know that they would be no error: not NaN, not negative.

use super::computed_of;
use crate::ir::{
    BinaryOp, Claim, Expr, ExprKind, Math, PoolFn, PoolRef, Program, Serve, StageFn, StageKind,
    StageRef, Ty, print::expression,
};

/// Of a claim whose units are at most its reserve: what must be at least 0 for them to be so as well. All of it reads
/// constants and the session's own attributes alone. `None` if too little is known.
pub fn at_most_reserve<'a>(program: &Program, claim: &'a Claim) -> Option<Vec<&'a Expr>> {
    let (reserve, ExprKind::Math(Math::Min, args)) = (claim.reserve.as_ref()?, &claim.units.kind)
    else {
        return None;
    };
    let text = expression(program, reserve);
    let is_reserve = |e: &Expr| computed_of(e, true) && expression(program, e) == text;
    let at = args.iter().position(is_reserve)?;
    let mut asked = Bounds { program, of: &claim.pool, asked: Vec::new() };
    // What only computes is not worth it.
    let dear = args.iter().any(|arg| !computed_of(arg, true));
    let others = args.iter().enumerate().filter(|(i, _)| *i != at);
    let known = dear && others.map(|(_, arg)| arg).all(|arg| asked.at_least_0(arg));
    asked.asked.push(&args[at]);
    known.then_some(asked.asked)
}

struct Bounds<'p, 'a> {
    program: &'p Program,
    /// The pool that the units are of.
    of: &'a PoolRef,
    asked: Vec<&'a Expr>,
}

impl<'a> Bounds<'_, 'a> {
    /// The expression is a number of at least 0, is no error, and does nothing, if what is asked is at least 0.
    fn at_least_0(&mut self, e: &'a Expr) -> bool {
        match &e.kind {
            ExprKind::Num(x) => *x >= 0.0,
            ExprKind::Math(Math::Min, args) => args.iter().all(|arg| self.at_least_0(arg)),
            ExprKind::Chain(first, rest) if rest.iter().all(|(op, _)| *op == BinaryOp::Add) => {
                self.at_least_0(first) && rest.iter().all(|(_, term)| self.at_least_0(term))
            }
            ExprKind::Pool(PoolFn::CachedIn, pool) => self.is_member(pool.index.as_deref()),
            ExprKind::Stage(StageFn::BudgetLeft, stage) => {
                self.is_member(stage.index.as_deref()) && self.is_simple(stage)
            }
            _ if computed_of(e, true) => {
                if e.ty == Ty::Num {
                    self.asked.push(e);
                }
                true
            }
            _ => false,
        }
    }

    /// It is the member that the units are of, whose number is checked with them.
    fn is_member(&self, index: Option<&Expr>) -> bool {
        let text = |index: &Expr| expression(self.program, index);
        let of = self.of.index.as_deref();
        index.is_none_or(|i| computed_of(i, true) && of.is_some_and(|of| text(of) == text(i)))
    }

    /// What a plan of the engine would leave is found by constants.
    fn is_simple(&self, stage: &StageRef) -> bool {
        let StageKind::Step(step) = &self.program.stages[stage.stage.index()].kind else {
            return false;
        };
        let limits = [&step.budget, &step.chunk];
        let constant = limits.into_iter().flatten().all(|limit| computed_of(limit, false));
        let plain = match &step.serve {
            Serve::ExclusivePrefill => true,
            Serve::By { only, keys, decode_first } => {
                only.is_none() && (*decode_first || keys.is_empty())
            }
        };
        constant && plain
    }
}
