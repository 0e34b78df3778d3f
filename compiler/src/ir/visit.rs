//! Walking the IR: every expression of an expression, of statements, of a hold.

use super::{Block, Expr, ExprKind, Hold, PoolRef, Serve, StageRef, Step, Stmt, StmtKind};

/// Calls `f` on `e` and on every expression inside it, indices of references included.
pub fn expr<'a>(e: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
    f(e);
    operands(e, &mut |operand| expr(operand, f));
}

/// Calls `f` on the expressions that stand right inside `e`, indices of references included.
pub fn operands<'a>(e: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
    match &e.kind {
        ExprKind::Num(_)
        | ExprKind::Param(_)
        | ExprKind::Attr(_)
        | ExprKind::Builtin(_)
        | ExprKind::Ctx(_)
        | ExprKind::Var(_)
        | ExprKind::Member => {}
        ExprKind::Neg(a) | ExprKind::Not(a) => f(a),
        ExprKind::Chain(a, rest) => {
            f(a);
            for (_, b) in rest {
                f(b);
            }
        }
        ExprKind::Cond(a, b, c) => {
            f(a);
            f(b);
            f(c);
        }
        ExprKind::Math(_, args) | ExprKind::Draw(_, args) => {
            for a in args {
                f(a);
            }
        }
        ExprKind::Pool(_, r) => r.index.iter().for_each(|i| f(i)),
        ExprKind::Stage(_, r) => r.index.iter().for_each(|i| f(i)),
        ExprKind::Price(r, a, b) => {
            r.index.iter().for_each(|i| f(i));
            f(a);
            f(b);
        }
        ExprKind::Aggregate(_, _, count, body) => {
            f(count);
            f(body);
        }
        ExprKind::Nic(_, member, rank) => {
            if let Some(member) = member {
                f(member);
            }
            f(rank);
        }
    }
}

/// The index of a pool reference.
pub fn pool_ref<'a>(r: &'a PoolRef, f: &mut dyn FnMut(&'a Expr)) {
    if let Some(i) = &r.index {
        expr(i, f);
    }
}

/// The index of a stage reference.
pub fn stage_ref<'a>(r: &'a StageRef, f: &mut dyn FnMut(&'a Expr)) {
    if let Some(i) = &r.index {
        expr(i, f);
    }
}

/// Every statement of a block, nested ones too, in order.
pub fn stmts<'a>(block: &'a Block, f: &mut dyn FnMut(&'a Stmt)) {
    for s in block {
        f(s);
        match &s.kind {
            StmtKind::Hold { body, .. }
            | StmtKind::Open { body, .. }
            | StmtKind::Loop(body)
            | StmtKind::Fork(body) => stmts(body, f),
            StmtKind::Branch { then, otherwise, .. }
            | StmtKind::Guarded { body: then, otherwise, .. } => {
                stmts(then, f);
                stmts(otherwise, f);
            }
            StmtKind::Turn
            | StmtKind::End
            | StmtKind::Join
            | StmtKind::Book { .. }
            | StmtKind::Set { .. }
            | StmtKind::Choose { .. }
            | StmtKind::Observe { .. }
            | StmtKind::Grow { .. }
            | StmtKind::Drop { .. }
            | StmtKind::Prefix { .. }
            | StmtKind::Release { .. }
            | StmtKind::Load { .. }
            | StmtKind::Run { .. }
            | StmtKind::Fan { .. } => {}
        }
    }
}

/// Every expression that one statement evaluates itself (not its nested statements, not a hold's header).
pub fn stmt_exprs<'a>(s: &'a Stmt, f: &mut dyn FnMut(&'a Expr)) {
    match &s.kind {
        StmtKind::Turn
        | StmtKind::End
        | StmtKind::Hold { .. }
        | StmtKind::Book { .. }
        | StmtKind::Open { .. }
        | StmtKind::Loop(_)
        | StmtKind::Fork(_)
        | StmtKind::Join => {}
        StmtKind::Set { value, .. } | StmtKind::Observe { value, .. } => expr(value, f),
        StmtKind::Choose { count, keys, .. } => {
            expr(count, f);
            for k in keys {
                expr(k, f);
            }
        }
        StmtKind::Grow { pool, amount } | StmtKind::Load { pool, amount } => {
            pool_ref(pool, f);
            expr(amount, f);
        }
        StmtKind::Drop { pool } | StmtKind::Release { pool } => pool_ref(pool, f),
        StmtKind::Prefix { key, tokens } => {
            expr(key, f);
            expr(tokens, f);
        }
        StmtKind::Run { stages, work, growing, .. } => {
            for r in stages {
                stage_ref(r, f);
            }
            expr(work, f);
            if let Some(p) = growing {
                pool_ref(p, f);
            }
        }
        StmtKind::Fan { ends, work } => {
            for r in ends {
                stage_ref(r, f);
            }
            expr(work, f);
        }
        StmtKind::Branch { guard, .. } => expr(guard, f),
        StmtKind::Guarded { index, .. } => {
            if let Some(index) = index {
                expr(index, f);
            }
        }
    }
}

/// Every expression of a hold's header: read again at each attempt to admit.
pub fn header<'a>(h: &'a Hold, f: &mut dyn FnMut(&'a Expr)) {
    for c in &h.claims {
        pool_ref(&c.pool, f);
        expr(&c.units, f);
        if let Some(r) = &c.reserve {
            expr(r, f);
        }
    }
    if let Some(r) = &h.reuse {
        expr(r, f);
    }
}

/// The expressions of a hold that are read in the session: `cache` and the lease's time.
pub fn clauses<'a>(h: &'a Hold, f: &mut dyn FnMut(&'a Expr)) {
    if let Some(c) = &h.cache {
        expr(c, f);
    }
    if let Some((_, t)) = &h.lease {
        expr(t, f);
    }
    if let Some((period, extension)) = &h.renew {
        expr(period, f);
        expr(extension, f);
    }
}

/// The expressions that order an engine's residents, which read each resident's session.
pub fn serve<'a>(step: &'a Step, f: &mut dyn FnMut(&'a Expr)) {
    if let Serve::By { only, keys, .. } = &step.serve {
        for e in only.iter().chain(keys) {
            expr(e, f);
        }
    }
}
