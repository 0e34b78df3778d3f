//! The value of a constant expression, by the rules every emitted program follows.
//!
//! Division by zero is infinite, `min` and `max` ignore a NaN, NaN is true, comparisons with NaN
//! are false. Expressions that read anything but numbers and `let`s have no value here.

use super::{AggregateOp, BinaryOp, Expr, ExprKind, Math, VarId};

/// Evaluates `expr` over the values of the `let`s; `None` when it is no constant.
pub fn eval(expr: &Expr, params: &[f64]) -> Option<f64> {
    eval_with(expr, params, &mut Vec::new())
}

/// Aggregates longer than this are not unrolled here; what needs them is judged when it runs.
const LONGEST_AGGREGATE: f64 = 1e6;

fn eval_with(expr: &Expr, params: &[f64], vars: &mut Vec<(VarId, f64)>) -> Option<f64> {
    Some(match &expr.kind {
        ExprKind::Num(value) => *value,
        ExprKind::Param(id) => *params.get(id.index())?,
        ExprKind::Var(id) => vars.iter().rev().find(|(var, _)| var == id)?.1,
        ExprKind::Neg(inner) => -eval_with(inner, params, vars)?,
        ExprKind::Not(inner) => number(!truth(eval_with(inner, params, vars)?)),
        ExprKind::Chain(first, rest) => {
            let mut left = eval_with(first, params, vars)?;
            for (op, right) in rest {
                left = match op {
                    BinaryOp::And if !truth(left) => return Some(0.0),
                    BinaryOp::Or if truth(left) => return Some(1.0),
                    _ => binary(*op, left, eval_with(right, params, vars)?),
                };
            }
            left
        }
        ExprKind::Cond(test, yes, no) => {
            let arm = if truth(eval_with(test, params, vars)?) { yes } else { no };
            eval_with(arm, params, vars)?
        }
        ExprKind::Math(function, args) => {
            let first = eval_with(args.first()?, params, vars)?;
            let second = match args.get(1) {
                Some(arg) => eval_with(arg, params, vars)?,
                None => 0.0,
            };
            math(*function, first, second)
        }
        ExprKind::Aggregate(op, var, count, body) => {
            let count = eval_with(count, params, vars)?;
            if !(0.0..=LONGEST_AGGREGATE).contains(&count) {
                return None;
            }
            let mut total: Option<f64> = None;
            for k in 0..count as u64 {
                vars.push((*var, k as f64));
                let value = eval_with(body, params, vars);
                vars.pop();
                let value = value?;
                total = Some(match (total, op) {
                    (None, _) => value,
                    (Some(so_far), AggregateOp::Sum) => so_far + value,
                    (Some(so_far), AggregateOp::Max) => math(Math::Max, so_far, value),
                    (Some(so_far), AggregateOp::Min) => math(Math::Min, so_far, value),
                });
            }
            total.unwrap_or(0.0)
        }
        ExprKind::Attr(_)
        | ExprKind::Builtin(_)
        | ExprKind::Ctx(_)
        | ExprKind::Member
        | ExprKind::Pool(..)
        | ExprKind::Stage(..)
        | ExprKind::Price(..)
        | ExprKind::Draw(..)
        | ExprKind::Nic(..) => return None,
    })
}

/// Any non-zero is true, NaN too.
pub fn truth(value: f64) -> bool {
    value != 0.0
}

fn number(value: bool) -> f64 {
    if value { 1.0 } else { 0.0 }
}

fn binary(op: BinaryOp, left: f64, right: f64) -> f64 {
    match op {
        BinaryOp::Or => number(truth(left) || truth(right)),
        BinaryOp::And => number(truth(left) && truth(right)),
        BinaryOp::Lt => number(left < right),
        BinaryOp::Gt => number(left > right),
        BinaryOp::Le => number(left <= right),
        BinaryOp::Ge => number(left >= right),
        BinaryOp::Eq => number(left == right),
        BinaryOp::Ne => number(left != right),
        BinaryOp::Add => left + right,
        BinaryOp::Sub => left - right,
        BinaryOp::Mul => left * right,
        BinaryOp::Div => left / right,
        BinaryOp::Pow => left.powf(right),
    }
}

fn math(function: Math, first: f64, second: f64) -> f64 {
    match function {
        // f64::min and f64::max return the other operand when one is NaN.
        Math::Min => first.min(second),
        Math::Max => first.max(second),
        Math::Abs => first.abs(),
        Math::Floor => first.floor(),
        Math::Ceil => first.ceil(),
        Math::Sqrt => first.sqrt(),
        Math::Exp => first.exp(),
        Math::Ln => first.ln(),
        Math::Pow => first.powf(second),
    }
}
