//! Expressions and references. In: a flat row of operands and operators; out: a tree by
//! precedence: `?:`, `||`, `&&`, one comparison, `+ -`, `* /`, prefix `- !`, `^` to the right.

use std::iter::Peekable;
use std::vec::IntoIter;

use pest::iterators::Pair;

use super::{Builder, Built, Parts, Unbuilt};
use crate::span::Span;
use crate::syntax::ast::{AggregateOp, BinaryOp, Expr, ExprKind, Node, Ref, UnaryOp};
use crate::syntax::errors;
use crate::syntax::grammar::Rule;

impl Builder<'_> {
    /// An `expr`.
    pub(in crate::syntax) fn expr(&mut self, pair: Pair<'_, Rule>) -> Built<Expr> {
        let span = self.span(&pair);
        let mut row = Vec::new();
        let mut arms = Vec::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::question | Rule::colon => {}
                Rule::expr => arms.push(self.expr(part)?),
                Rule::prefix | Rule::infix => row.extend(part.into_inner()),
                _ => row.push(part),
            }
        }
        let first = self.row(&mut row.into_iter().peekable(), 0)?;
        let mut arms = arms.into_iter();
        match (arms.next(), arms.next()) {
            (Some(yes), Some(no)) => {
                let (test, yes, no) = (Box::new(first), Box::new(yes), Box::new(no));
                Ok(Node { kind: ExprKind::Cond { test, yes, no }, span })
            }
            (None, None) => Ok(first),
            _ => Err(Unbuilt),
        }
    }

    /// Operands and operators, as far as they bind at least as tightly as `least`.
    fn row(&mut self, row: &mut Peekable<IntoIter<Pair<'_, Rule>>>, least: u8) -> Built<Expr> {
        let first = row.next().ok_or(Unbuilt)?;
        let mut left = match first.as_rule() {
            Rule::negate | Rule::bang => {
                let operand = self.row(row, UnaryOp::BINDING)?;
                self.unary(&first, operand)?
            }
            _ => self.primary(first)?,
        };
        while let Some(op) = row.peek().and_then(|pair| binary_op(pair.as_rule())) {
            if op.binding() < least {
                break;
            }
            let sign = row.next().ok_or(Unbuilt)?;
            let to_the_right = op == BinaryOp::Pow;
            let right = self.row(row, op.binding() + u8::from(!to_the_right))?;
            left = self.binary(left, op, &sign, right);
        }
        Ok(left)
    }

    fn unary(&self, sign: &Pair<'_, Rule>, expr: Expr) -> Built<Expr> {
        let op = match sign.as_rule() {
            Rule::negate => UnaryOp::Neg,
            Rule::bang => UnaryOp::Not,
            _ => return Err(Unbuilt),
        };
        let span = self.span(sign).to(expr.span);
        Ok(Node { kind: ExprKind::Unary { op, expr: Box::new(expr) }, span })
    }

    fn binary(&mut self, left: Expr, op: BinaryOp, sign: &Pair<'_, Rule>, right: Expr) -> Expr {
        let compares = |expr: &Expr| expr.kind.chain_binding() == Some(BinaryOp::Eq.binding());
        if op.compares() && compares(&left) {
            let error = errors::chained_comparison(self.span(sign), left.span, sign.as_str());
            self.errors.push(error);
        }
        let span = left.span.to(right.span);
        Node { kind: ExprKind::infix(left, op, right), span }
    }

    fn primary(&mut self, pair: Pair<'_, Rule>) -> Built<Expr> {
        let span = self.span(&pair);
        let kind = match pair.as_rule() {
            Rule::number => number(pair.as_str())?,
            Rule::infinity => ExprKind::Num { value: f64::INFINITY, text: "inf".to_string() },
            Rule::itself => ExprKind::SelfIndex,
            Rule::group => ExprKind::Paren(Box::new(self.inner_expr(pair)?)),
            Rule::draw => {
                let mut parts = Parts::of(pair);
                let dist = self.name(parts.need(Rule::dist)?);
                ExprKind::Draw { dist, args: self.exprs(parts.need(Rule::args)?)? }
            }
            Rule::aggregate => self.aggregate(pair)?,
            Rule::call_or_ref => self.call_or_ref(pair, span)?,
            _ => return Err(Unbuilt),
        };
        Ok(Node { kind, span })
    }

    fn aggregate(&mut self, pair: Pair<'_, Rule>) -> Built<ExprKind> {
        let mut parts = Parts::of(pair);
        let op = parts.need(Rule::aggregate_op)?;
        let kind = match op.as_str() {
            "max" => AggregateOp::Max,
            "min" => AggregateOp::Min,
            "sum" => AggregateOp::Sum,
            _ => return Err(Unbuilt),
        };
        let op = self.node(&op, kind);
        let var = self.name(parts.need(Rule::name)?);
        let count = Parts::of(parts.need(Rule::small)?).any().ok_or(Unbuilt)?;
        let count = match count.as_rule() {
            Rule::name => self.node(&count, ExprKind::Name(count.as_str().to_string())),
            _ => self.primary(count)?,
        };
        let body = self.expr(parts.need(Rule::expr)?)?;
        Ok(ExprKind::Aggregate { op, var, count: Box::new(count), body: Box::new(body) })
    }

    fn call_or_ref(&mut self, pair: Pair<'_, Rule>, span: Span) -> Built<ExprKind> {
        let mut path = Vec::new();
        let (mut index, mut rank) = (None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => path.push(self.name(part)),
                Rule::index if index.is_none() => {
                    index = Some((path.len(), Box::new(self.inner_expr(part)?)));
                }
                Rule::index => rank = Some(Box::new(self.inner_expr(part)?)),
                Rule::args => {
                    let name = path.pop().ok_or(Unbuilt)?;
                    return Ok(ExprKind::Call { name, args: self.exprs(part)? });
                }
                _ => {}
            }
        }
        if index.is_none() && path.len() <= 2 {
            let mut path = path.into_iter();
            return match (path.next(), path.next()) {
                (Some(name), None) => Ok(ExprKind::Name(name.kind)),
                (Some(queue), Some(name)) => Ok(ExprKind::Field { queue, name }),
                (None, _) => Err(Unbuilt),
            };
        }
        Ok(ExprKind::Ref(Ref { path, index, rank, span }))
    }

    /// A `reference`.
    pub(super) fn reference(&mut self, pair: Pair<'_, Rule>) -> Built<Ref> {
        let span = self.span(&pair);
        let mut path = Vec::new();
        let (mut index, mut rank) = (None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => path.push(self.name(part)),
                Rule::index if index.is_none() => {
                    index = Some((path.len(), Box::new(self.inner_expr(part)?)));
                }
                Rule::index => rank = Some(Box::new(self.inner_expr(part)?)),
                _ => {}
            }
        }
        Ok(Ref { path, index, rank, span })
    }

    /// The one expression inside `( )` or `[ ]`, or behind a word.
    pub(super) fn inner_expr(&mut self, pair: Pair<'_, Rule>) -> Built<Expr> {
        let inner = Parts::of(pair).need(Rule::expr)?;
        self.expr(inner)
    }

    /// The expressions of an argument or key list.
    pub(super) fn exprs(&mut self, pair: Pair<'_, Rule>) -> Built<Vec<Expr>> {
        pair.into_inner()
            .filter(|part| part.as_rule() == Rule::expr)
            .map(|part| self.expr(part))
            .collect()
    }
}

fn number(text: &str) -> Built<ExprKind> {
    let value = text.replace('_', "").parse().map_err(|_| Unbuilt)?;
    Ok(ExprKind::Num { value, text: text.to_string() })
}

fn binary_op(rule: Rule) -> Option<BinaryOp> {
    Some(match rule {
        Rule::or => BinaryOp::Or,
        Rule::and => BinaryOp::And,
        Rule::lt => BinaryOp::Lt,
        Rule::gt => BinaryOp::Gt,
        Rule::le => BinaryOp::Le,
        Rule::ge => BinaryOp::Ge,
        Rule::eq => BinaryOp::Eq,
        Rule::ne => BinaryOp::Ne,
        Rule::plus => BinaryOp::Add,
        Rule::minus => BinaryOp::Sub,
        Rule::times => BinaryOp::Mul,
        Rule::divide => BinaryOp::Div,
        Rule::power => BinaryOp::Pow,
        _ => return None,
    })
}
