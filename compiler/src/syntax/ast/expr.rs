//! Expressions of the tree, references and operators.

use super::{Name, Node};
use crate::span::Span;

/// A reference to a pool, a stage or a queue: `kv`, `kv[j]`, `P.kv`, `P[i].kv`, `D.nic[j]`,
/// `D[j].nic[r]`.
#[derive(Clone, Debug)]
pub struct Ref {
    /// The dotted names, at least one.
    pub path: Vec<Name>,
    /// The index and the number of names it stands after (1: after the family's name).
    pub index: Option<(usize, Box<Expr>)>,
    /// A second index, behind the whole path: which of a member's NICs.
    pub rank: Option<Box<Expr>>,
    /// The whole reference.
    pub span: Span,
}

impl PartialEq for Ref {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && self.index == other.index && self.rank == other.rank
    }
}

/// An argument: an expression. A bare or indexed reference (`kv[j]`, `P[i].kv`) is
/// [`ExprKind::Ref`] when it cannot be read as another expression; a bare name or `Q.name` is
/// [`ExprKind::Name`] or [`ExprKind::Field`] and means a pool or stage where one is expected.
pub type Arg = Expr;

/// An expression.
pub type Expr = Node<ExprKind>;

/// Kinds of expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A number, with the text it was written as (printed back as written).
    Num {
        /// Its value; `inf` is `f64::INFINITY`.
        value: f64,
        /// As written.
        text: String,
    },
    /// A bare name.
    Name(String),
    /// `self`
    SelfIndex,
    /// `f(args)`
    Call { name: Name, args: Vec<Arg> },
    /// `~dist(args)`
    Draw { dist: Name, args: Vec<Expr> },
    /// `max k in n (e)`
    Aggregate { op: Node<AggregateOp>, var: Name, count: Box<Expr>, body: Box<Expr> },
    /// `Q.name` where no index stands
    Field { queue: Name, name: Name },
    /// A reference with an index or more than two names.
    Ref(Ref),
    /// `-e`, `!e`
    Unary { op: UnaryOp, expr: Box<Expr> },
    /// `a + b - c`: operators of one level, applied from the left. [`ExprKind::infix`] makes them.
    Chain { first: Box<Expr>, rest: Vec<(BinaryOp, Expr)> },
    /// `c ? a : b`
    Cond { test: Box<Expr>, yes: Box<Expr>, no: Box<Expr> },
    /// `(e)`; kept so that a place inside parentheses prints back as written
    Paren(Box<Expr>),
}

/// `max`, `min`, `sum` over a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateOp {
    /// Greatest.
    Max,
    /// Least.
    Min,
    /// Total.
    Sum,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`
    Not,
}

/// Infix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `<`
    Lt,
    /// `>`
    Gt,
    /// `<=`
    Le,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `^`
    Pow,
}

impl ExprKind {
    /// `left op right`. A `left` of the same level is made longer, so that a chain of thousands is
    /// no deeper than one of two; a comparison and a `^` have one operator only.
    pub fn infix(left: Expr, op: BinaryOp, right: Expr) -> ExprKind {
        match left {
            Node { kind: ExprKind::Chain { first, mut rest }, .. }
                if op.chains()
                    && rest.iter().take(1).all(|(one, _)| one.binding() == op.binding()) =>
            {
                rest.push((op, right));
                ExprKind::Chain { first, rest }
            }
            left => ExprKind::Chain { first: Box::new(left), rest: vec![(op, right)] },
        }
    }

    /// How tightly the operators of a chain bind; `None` of everything else.
    pub fn chain_binding(&self) -> Option<u8> {
        match self {
            ExprKind::Chain { rest, .. } => rest.first().map(|(op, _)| op.binding()),
            _ => None,
        }
    }
}

impl UnaryOp {
    /// How tightly it binds its operand, on the scale of [`BinaryOp::binding`].
    pub const BINDING: u8 = 6;

    /// As written.
    pub fn text(self) -> &'static str {
        match self {
            UnaryOp::Neg => "-",
            UnaryOp::Not => "!",
        }
    }
}

impl BinaryOp {
    /// How tightly it binds: greater is tighter.
    pub fn binding(self) -> u8 {
        match self {
            BinaryOp::Or => 1,
            BinaryOp::And => 2,
            BinaryOp::Lt
            | BinaryOp::Gt
            | BinaryOp::Le
            | BinaryOp::Ge
            | BinaryOp::Eq
            | BinaryOp::Ne => 3,
            BinaryOp::Add | BinaryOp::Sub => 4,
            BinaryOp::Mul | BinaryOp::Div => 5,
            BinaryOp::Pow => 7,
        }
    }

    /// Is it a comparison?
    pub fn compares(self) -> bool {
        self.binding() == BinaryOp::Eq.binding()
    }

    /// Do several stand in a row, applied from the left?
    pub fn chains(self) -> bool {
        !self.compares() && self != BinaryOp::Pow
    }

    /// As written.
    pub fn text(self) -> &'static str {
        match self {
            BinaryOp::Or => "||",
            BinaryOp::And => "&&",
            BinaryOp::Lt => "<",
            BinaryOp::Gt => ">",
            BinaryOp::Le => "<=",
            BinaryOp::Ge => ">=",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Pow => "^",
        }
    }
}
