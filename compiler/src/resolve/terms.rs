//! Expressions of the IR: how they are made of parts, and what can be said of them as they stand.

use crate::ir::{self, BinaryOp, Expr, ExprKind, PoolRef, SiteId, StageRef, Ty, VarId};

/// A number at a place.
pub(super) fn number(value: f64, site: SiteId) -> Expr {
    Expr { kind: ExprKind::Num(value), ty: Ty::Num, site }
}

/// `left op right`, placed where `left` is.
pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let site = left.site;
    let kind = ExprKind::Chain(Box::new(left), vec![(op, right)]);
    let ty = chain_type(&kind);
    Expr { kind, ty, site }
}

/// The type of a chain of operators; they are of one level, so the first of them tells.
pub(super) fn chain_type(kind: &ExprKind) -> Ty {
    let ExprKind::Chain(_, rest) = kind else { return Ty::Num };
    rest.first().map_or(Ty::Num, |(op, _)| operator_type(*op))
}

fn operator_type(op: BinaryOp) -> Ty {
    match op {
        BinaryOp::Or
        | BinaryOp::And
        | BinaryOp::Lt
        | BinaryOp::Gt
        | BinaryOp::Le
        | BinaryOp::Ge
        | BinaryOp::Eq
        | BinaryOp::Ne => Ty::Bool,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Pow => Ty::Num,
    }
}

/// `expr op value`
pub(super) fn compare(op: BinaryOp, expr: &Expr, value: f64) -> Expr {
    binary(op, expr.clone(), number(value, expr.site))
}

/// Whether an expression is a whole number.
pub(super) fn whole(expr: &Expr) -> Expr {
    let floor = Expr {
        kind: ExprKind::Math(ir::Math::Floor, vec![expr.clone()]),
        ty: Ty::Num,
        site: expr.site,
    };
    binary(BinaryOp::Eq, expr.clone(), floor)
}

/// Both.
pub(super) fn and(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::And, left, right)
}

/// Whether an expression is a constant: numbers, `let`s and aggregates over them.
pub(super) fn is_constant(expr: &Expr) -> bool {
    is_constant_given(expr, &mut Vec::new())
}

/// As [`is_constant`], with aggregate variables of enclosing aggregates counted as constants.
pub(super) fn is_fixed(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Var(_) => true,
        _ => every_part(expr, &mut is_fixed) && own_kind_is_constant(expr),
    }
}

fn is_constant_given(expr: &Expr, vars: &mut Vec<VarId>) -> bool {
    match &expr.kind {
        ExprKind::Var(var) => vars.contains(var),
        ExprKind::Aggregate(_, var, count, body) => {
            if !is_constant_given(count, vars) {
                return false;
            }
            vars.push(*var);
            let fixed = is_constant_given(body, vars);
            vars.pop();
            fixed
        }
        _ => {
            own_kind_is_constant(expr)
                && every_part(expr, &mut |part| is_constant_given(part, vars))
        }
    }
}

fn own_kind_is_constant(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Num(_)
        | ExprKind::Param(_)
        | ExprKind::Neg(_)
        | ExprKind::Not(_)
        | ExprKind::Chain(..)
        | ExprKind::Cond(..)
        | ExprKind::Math(..)
        | ExprKind::Aggregate(..) => true,
        ExprKind::Var(_)
        | ExprKind::Attr(_)
        | ExprKind::Builtin(_)
        | ExprKind::Ctx(_)
        | ExprKind::Member
        | ExprKind::Pool(..)
        | ExprKind::Stage(..)
        | ExprKind::Price(..)
        | ExprKind::Draw(..)
        | ExprKind::Nic(..) => false,
    }
}

/// Whether `holds` of each direct part of an expression, indices included.
pub(super) fn every_part(expr: &Expr, holds: &mut dyn FnMut(&Expr) -> bool) -> bool {
    match &expr.kind {
        ExprKind::Num(_)
        | ExprKind::Param(_)
        | ExprKind::Attr(_)
        | ExprKind::Builtin(_)
        | ExprKind::Ctx(_)
        | ExprKind::Var(_)
        | ExprKind::Member => true,
        ExprKind::Neg(inner) | ExprKind::Not(inner) => holds(inner),
        ExprKind::Chain(first, rest) => holds(first) && rest.iter().all(|(_, term)| holds(term)),
        ExprKind::Cond(test, yes, no) => holds(test) && holds(yes) && holds(no),
        ExprKind::Math(_, args) | ExprKind::Draw(_, args) => args.iter().all(holds),
        ExprKind::Pool(_, pool) => pool.index.as_deref().is_none_or(holds),
        ExprKind::Stage(_, stage) => stage.index.as_deref().is_none_or(holds),
        ExprKind::Price(stage, hit, ds) => {
            stage.index.as_deref().is_none_or(&mut *holds) && holds(hit) && holds(ds)
        }
        ExprKind::Aggregate(_, _, count, body) => holds(count) && holds(body),
        ExprKind::Nic(_, member, rank) => member.as_deref().is_none_or(&mut *holds) && holds(rank),
    }
}

/// Whether an expression draws.
pub(super) fn draws(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Draw(..)) || !every_part(expr, &mut |part| !draws(part))
}

/// Whether two expressions say the same, wherever they stand.
pub(super) fn same(left: &Expr, right: &Expr) -> bool {
    match (&left.kind, &right.kind) {
        (ExprKind::Num(a), ExprKind::Num(b)) => a == b,
        (ExprKind::Param(a), ExprKind::Param(b)) => a == b,
        (ExprKind::Attr(a), ExprKind::Attr(b)) => a == b,
        (ExprKind::Builtin(a), ExprKind::Builtin(b)) => a == b,
        (ExprKind::Ctx(a), ExprKind::Ctx(b)) => a == b,
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
        (ExprKind::Member, ExprKind::Member) => true,
        (ExprKind::Neg(a), ExprKind::Neg(b)) | (ExprKind::Not(a), ExprKind::Not(b)) => same(a, b),
        (ExprKind::Chain(a, p), ExprKind::Chain(b, q)) => {
            let terms = || p.iter().zip(q).all(|((o, x), (r, y))| o == r && same(x, y));
            p.len() == q.len() && same(a, b) && terms()
        }
        (ExprKind::Cond(a, b, c), ExprKind::Cond(x, y, z)) => {
            same(a, x) && same(b, y) && same(c, z)
        }
        (ExprKind::Math(f, a), ExprKind::Math(g, b)) => {
            f == g && a.len() == b.len() && a.iter().zip(b).all(|(x, y)| same(x, y))
        }
        (ExprKind::Pool(f, a), ExprKind::Pool(g, b)) => f == g && same_member(a, b),
        (ExprKind::Stage(f, a), ExprKind::Stage(g, b)) => f == g && same_stage(a, b),
        (ExprKind::Nic(f, a, r), ExprKind::Nic(g, b, q)) => {
            f == g && same_index(a.as_deref(), b.as_deref()) && same(r, q)
        }
        _ => false,
    }
}

/// Whether two references name one member of a pool family, as far as the text tells.
pub(super) fn same_member(left: &PoolRef, right: &PoolRef) -> bool {
    left.pool == right.pool && same_index(left.index.as_deref(), right.index.as_deref())
}

/// Whether two references name one member of a stage family, as far as the text tells.
pub(super) fn same_stage(left: &StageRef, right: &StageRef) -> bool {
    left.stage == right.stage && same_index(left.index.as_deref(), right.index.as_deref())
}

fn same_index(left: Option<&Expr>, right: Option<&Expr>) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => same(left, right),
        // No index is member 0 of a family of one.
        (Some(index), None) | (None, Some(index)) => {
            matches!(index.kind, ExprKind::Num(value) if value == 0.0)
        }
    }
}
