//! Which requests, once they do not fit, go on not fitting until somebody gives units back.
//!
//! An engine tries the head of its queue at every iteration. While nothing is released, what is used
//! only grows; a request whose least need reads nothing but its own session's attributes then stays
//! where it is, and a run of iterations may be planned as if nobody waited.

use crate::ir::{Builtin, Expr, ExprKind, Hold, Pool, PoolFn, Program, StageFn, visit};

/// Per claim: units, and reserve, read nothing that changes while the session waits. Empty when the
/// header reads something of which too little is known.
pub fn steady_claims(hold: &Hold) -> Vec<(bool, bool)> {
    let mut known = true;
    visit::header(hold, &mut |e| {
        known &= match &e.kind {
            ExprKind::Ctx(_) | ExprKind::Price(..) | ExprKind::Draw(..) => false,
            // What is cached of the session, and the budget that an iteration leaves, change what it
            // asks for but not whether it may ask.
            ExprKind::Pool(f, _) => matches!(f, PoolFn::CachedIn | PoolFn::BlockSize),
            ExprKind::Stage(f, _) => matches!(f, StageFn::BudgetLeft),
            _ => true,
        }
    });
    if !known {
        return Vec::new();
    }
    let member = |c: &crate::ir::Claim| c.pool.index.as_deref().is_none_or(steady);
    let claims = hold.claims.iter();
    claims
        .map(|c| {
            let reserve = c.reserve.as_ref().is_some_and(steady);
            (member(c) && steady(&c.units), member(c) && reserve)
        })
        .collect()
}

/// Per claim: it asks for a constant number of units of a pool without blocks, of which it is checked when a run
/// starts that the pool ever has as many.
pub fn checked_claims(program: &Program, hold: &Hold) -> Vec<bool> {
    let checked = |c: &crate::ir::Claim| {
        let blocks = program.pools[c.pool.pool.index()].block.is_some();
        !blocks && constant(&c.units) && c.reserve.as_ref().is_none_or(constant)
    };
    hold.claims.iter().map(checked).collect()
}

/// What a hold caches is worked out of constants and its session's attributes, save `computed`, which a hold's end sets:
/// working it out does nothing, before that or after.
pub fn plain_cache(hold: &Hold) -> bool {
    hold.cache.as_ref().is_some_and(|e| {
        let mut position = false;
        visit::expr(e, &mut |e| position |= matches!(e.kind, ExprKind::Builtin(Builtin::Computed)));
        !position && computed_of(e, true)
    })
}

fn constant(e: &Expr) -> bool {
    computed_of(e, false)
}

/// The expression computes with constants alone, and its session's `attributes` where these are allowed.
pub fn computed_of(e: &Expr, attributes: bool) -> bool {
    let mut good = true;
    visit::expr(e, &mut |e| {
        good &= match e.kind {
            ExprKind::Attr(_) | ExprKind::Builtin(_) => attributes,
            ExprKind::Num(_)
            | ExprKind::Param(_)
            | ExprKind::Neg(_)
            | ExprKind::Not(_)
            | ExprKind::Chain(..)
            | ExprKind::Cond(..)
            | ExprKind::Math(..) => true,
            ExprKind::Ctx(_)
            | ExprKind::Var(_)
            | ExprKind::Member
            | ExprKind::Pool(..)
            | ExprKind::Stage(..)
            | ExprKind::Price(..)
            | ExprKind::Draw(..)
            | ExprKind::Aggregate(..)
            | ExprKind::Nic(..) => false,
        };
    });
    good
}

/// The queue's keys read nothing that changes while sessions wait.
pub fn steady_keys(pool: &Pool) -> bool {
    pool.queue_keys.iter().all(steady)
}

/// Attributes, numbers and `let`s only.
fn steady(e: &Expr) -> bool {
    let mut good = true;
    visit::expr(e, &mut |e| {
        good &= !matches!(
            e.kind,
            ExprKind::Ctx(_)
                | ExprKind::Pool(..)
                | ExprKind::Stage(..)
                | ExprKind::Price(..)
                | ExprKind::Draw(..)
        );
    });
    good
}
