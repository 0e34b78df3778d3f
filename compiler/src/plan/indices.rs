//! Which attributes are members' numbers for certain.
//!
//! An attribute that only `choose` sets, always over the same constant count, is whole and below that
//! count at any time (0 before the first choice): it is kept as a `usize` and needs no check where it
//! indexes a family of that size.

use crate::ir::{Expr, ExprKind, Program, StmtKind, Ty, visit};

/// Both say the same constant: a `let` or a number.
pub fn same_constant(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Param(x), ExprKind::Param(y)) => x == y,
        (ExprKind::Num(x), ExprKind::Num(y)) => x == y,
        _ => false,
    }
}

/// Per attribute, the count that it stays below.
pub fn indices(program: &Program) -> Vec<Option<Expr>> {
    let mut counts: Vec<Option<Expr>> = vec![None; program.attrs.len()];
    let mut other: Vec<bool> = program.attrs.iter().map(|a| a.ty == Ty::Bool).collect();
    for block in [&program.workload.init, &program.workload.turn, &program.session] {
        visit::stmts(block, &mut |s| match &s.kind {
            StmtKind::Set { attr, .. } => other[attr.index()] = true,
            StmtKind::Choose { attr, count, .. } => {
                let constant = match count.kind {
                    ExprKind::Param(_) => true,
                    ExprKind::Num(x) => x >= 1.0,
                    _ => false,
                };
                let known = &mut counts[attr.index()];
                let same = known.as_ref().is_none_or(|k| same_constant(k, count));
                if constant && same {
                    *known = Some(count.clone());
                } else {
                    other[attr.index()] = true;
                }
            }
            _ => {}
        });
    }
    counts.into_iter().zip(other).map(|(count, other)| count.filter(|_| !other)).collect()
}
