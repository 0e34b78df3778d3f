//! What an expression may read where it stands, and how: the moments of the language as Rust names.

use super::{aggregates::Known, repeats::Named};
use crate::ir::{AttrId, Expr, ExprKind, VarId};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// How `let`s are read here.
#[derive(Clone, Copy, PartialEq)]
pub enum Params {
    /// `self.params.name`
    OfModel,
    /// `p.name`
    Local,
    /// `value(i)`
    Function,
}

/// Where the moment's extra names come from.
#[derive(Clone, Copy, PartialEq)]
pub enum Moment {
    /// None but `now`.
    Session,
    /// `waited`
    Queue,
    /// `view`
    Eviction,
    /// `present`
    Rate,
    /// `totals`
    Plan,
    /// `totals` and `resident`
    Serve,
    /// `it`
    Step,
}

/// What an expression may read, and how.
#[derive(Clone)]
pub struct Scope {
    /// How `let`s are read.
    pub params: Params,
    /// The moment.
    pub moment: Moment,
    /// There is a session `s`.
    pub session: bool,
    /// Attributes are read from `attrs` and `view.b` instead of the session's own.
    pub entry: bool,
    /// The stream that draws come from.
    pub stream: TokenStream,
    /// Bound indices: an aggregate's variable or a choice's candidate, as a `usize`, and the
    /// expression it stays below.
    vars: Vec<(Bound, Ident, Expr)>,
    /// Aggregates that were worked out before the expression.
    pub known: Vec<Known>,
    /// Numbers that were.
    pub named: Vec<Named>,
}

/// What a bound index stands for.
#[derive(Clone, Copy, PartialEq)]
pub enum Bound {
    /// An aggregate's variable.
    Var(VarId),
    /// A choice's candidate.
    Candidate(AttrId),
}

impl Scope {
    /// Over constants only.
    pub fn constants(params: Params) -> Self {
        Scope {
            params,
            moment: Moment::Session,
            session: false,
            entry: false,
            stream: quote!(),
            vars: Vec::new(),
            known: Vec::new(),
            named: Vec::new(),
        }
    }
    /// A session's own statements.
    pub fn session() -> Self {
        Scope {
            session: true,
            stream: quote!(self.k.session_rng(s)),
            ..Scope::constants(Params::OfModel)
        }
    }
    /// The workload's `init` and `turn` blocks.
    pub fn turn() -> Self {
        Scope { stream: quote!(self.k.turn_rng()), ..Scope::session() }
    }
    /// A renewal gap.
    pub fn arrival() -> Self {
        Scope { stream: quote!(self.k.arrival_rng()), ..Scope::machine(Moment::Session) }
    }
    /// Machine expressions without a session.
    pub fn machine(moment: Moment) -> Self {
        Scope { moment, stream: quote!(self.k.machine_rng()), ..Scope::constants(Params::OfModel) }
    }
    /// Keys of a serve order, each read for a resident's session `s`.
    pub fn serve() -> Self {
        Scope { moment: Moment::Serve, ..Scope::session() }
    }
    /// Keys of an eviction order and a spill's clauses.
    pub fn eviction() -> Self {
        Scope { entry: true, ..Scope::machine(Moment::Eviction) }
    }
    /// `queue by` keys.
    pub fn queue() -> Self {
        Scope { moment: Moment::Queue, ..Scope::session() }
    }
    /// With one more bound index.
    pub fn with(&self, bound: Bound, name: Ident, below: Expr) -> Self {
        let mut scope = self.clone();
        scope.vars.push((bound, name, below));
        scope
    }
    /// With a choice's candidate as the `usize` local `name`.
    pub fn choosing(&self, attr: AttrId, name: Ident, below: Expr) -> Self {
        self.with(Bound::Candidate(attr), name, below)
    }
    /// Names that indices bound here have.
    pub fn names(&self) -> impl Iterator<Item = &Ident> {
        self.vars.iter().map(|(_, name, _)| name)
    }
    /// The index that an expression is, if it is bound.
    pub fn bound(&self, e: &Expr) -> Option<&(Bound, Ident, Expr)> {
        let key = match e.kind {
            ExprKind::Var(v) => Bound::Var(v),
            ExprKind::Attr(a) => Bound::Candidate(a),
            _ => return None,
        };
        self.vars.iter().rev().find(|(b, _, _)| *b == key)
    }
    /// The session that an error is about.
    pub fn who(&self) -> TokenStream {
        if self.session { quote!(Some(s)) } else { quote!(None) }
    }
}
