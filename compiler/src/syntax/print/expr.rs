//! Expressions and references as text, with parentheses where precedence needs them.

use crate::syntax::ast::{AggregateOp, BinaryOp, Expr, ExprKind, Name, Ref, UnaryOp};

/// How tightly a primary binds, on the scale of [`BinaryOp::binding`].
const PRIMARY: u8 = 8;
/// A conditional.
const LOOSEST: u8 = 0;

/// An expression.
pub(super) fn expr(expr: &Expr) -> String {
    let mut out = String::new();
    write(&mut out, expr, LOOSEST);
    out
}

/// An expression behind `head`, broken before its loosest operators if one line is too long.
pub(super) fn behind(head: String, value: &Expr, tail: &str, indent: usize) -> Vec<String> {
    let one = format!("{head} {}{tail}", expr(value));
    let ExprKind::Chain { first, rest } = &value.kind else { return vec![one] };
    let fits = indent + one.chars().count() <= super::WIDTH;
    if fits || !rest.iter().all(|(op, _)| op.chains()) {
        return vec![one];
    }
    let mut line = head.clone();
    line.push(' ');
    write(&mut line, first, operands(rest).0);
    let mut lines = vec![line];
    for (op, term) in rest {
        // The operators stand under the last character of the head, which is `=`.
        let width = head.chars().count();
        let mut line = " ".repeat(width - op.text().len().min(width));
        line.push_str(op.text());
        line.push(' ');
        write(&mut line, term, operands(rest).1);
        lines.push(line);
    }
    if let Some(last) = lines.last_mut() {
        last.push_str(tail);
    }
    lines
}

/// Expressions with commas between.
pub(super) fn list(exprs: &[Expr]) -> String {
    let texts: Vec<String> = exprs.iter().map(expr).collect();
    texts.join(", ")
}

/// Names with commas between.
pub(super) fn names(names: &[Name]) -> String {
    let texts: Vec<&str> = names.iter().map(|name| name.kind.as_str()).collect();
    texts.join(", ")
}

/// A reference to a pool, stage or queue.
pub(super) fn reference(reference: &Ref) -> String {
    let mut out = String::new();
    for (i, name) in reference.path.iter().enumerate() {
        if i > 0 {
            out.push('.');
        }
        out.push_str(&name.kind);
        if let Some((after, index)) = &reference.index
            && *after == i + 1
        {
            out.push_str(&format!("[{}]", expr(index)));
        }
    }
    if let Some(rank) = &reference.rank {
        out.push_str(&format!("[{}]", expr(rank)));
    }
    out
}

fn write(out: &mut String, expr: &Expr, least: u8) {
    let binding = match &expr.kind {
        ExprKind::Cond { .. } => LOOSEST,
        ExprKind::Chain { .. } => expr.kind.chain_binding().unwrap_or(PRIMARY),
        ExprKind::Unary { .. } => UnaryOp::BINDING,
        ExprKind::Num { .. }
        | ExprKind::Name(_)
        | ExprKind::SelfIndex
        | ExprKind::Call { .. }
        | ExprKind::Draw { .. }
        | ExprKind::Aggregate { .. }
        | ExprKind::Field { .. }
        | ExprKind::Ref(_)
        | ExprKind::Paren(_) => PRIMARY,
    };
    if binding < least {
        out.push('(');
        write_bare(out, expr);
        out.push(')');
    } else {
        write_bare(out, expr);
    }
}

fn write_bare(out: &mut String, expr: &Expr) {
    match &expr.kind {
        ExprKind::Num { text, .. } => out.push_str(text),
        ExprKind::Name(name) => out.push_str(name),
        ExprKind::SelfIndex => out.push_str("self"),
        ExprKind::Call { name, args } => write_call(out, &name.kind, args),
        ExprKind::Draw { dist, args } => {
            out.push('~');
            write_call(out, &dist.kind, args);
        }
        ExprKind::Aggregate { op, var, count, body } => {
            out.push_str(match op.kind {
                AggregateOp::Max => "max ",
                AggregateOp::Min => "min ",
                AggregateOp::Sum => "sum ",
            });
            out.push_str(&var.kind);
            out.push_str(" in ");
            match &count.kind {
                ExprKind::Num { .. } | ExprKind::Name(_) | ExprKind::Paren(_) => {
                    write_bare(out, count);
                }
                _ => write_group(out, count),
            }
            out.push(' ');
            write_group(out, body);
        }
        ExprKind::Field { queue, name } => {
            out.push_str(&queue.kind);
            out.push('.');
            out.push_str(&name.kind);
        }
        ExprKind::Ref(place) => out.push_str(&reference(place)),
        ExprKind::Unary { op, expr } => {
            out.push_str(op.text());
            write(out, expr, UnaryOp::BINDING);
        }
        ExprKind::Chain { first, rest } => {
            let (before, behind) = operands(rest);
            write(out, first, before);
            for (op, term) in rest {
                if *op == BinaryOp::Pow {
                    out.push('^');
                } else {
                    out.push(' ');
                    out.push_str(op.text());
                    out.push(' ');
                }
                write(out, term, behind);
            }
        }
        ExprKind::Cond { test, yes, no } => {
            write(out, test, LOOSEST + 1);
            out.push_str(" ? ");
            write(out, yes, LOOSEST);
            out.push_str(" : ");
            write(out, no, LOOSEST);
        }
        ExprKind::Paren(expr) => write_group(out, expr),
    }
}

/// How tightly the first operand of a chain and the others must bind to need no parentheses.
fn operands(rest: &[(BinaryOp, Expr)]) -> (u8, u8) {
    match rest.first() {
        None | Some((BinaryOp::Pow, _)) => (PRIMARY, UnaryOp::BINDING),
        Some((op, _)) => (op.binding() + 1, op.binding() + 1),
    }
}

fn write_group(out: &mut String, expr: &Expr) {
    out.push('(');
    write(out, expr, LOOSEST);
    out.push(')');
}

fn write_call(out: &mut String, name: &str, args: &[Expr]) {
    out.push_str(name);
    out.push('(');
    out.push_str(&list(args));
    out.push(')');
}
