//! `max`, `min` and `sum` over a family, alone or several in one pass.

use super::{
    Emitter,
    scope::{Bound, Scope},
};
use crate::{
    ir::{AggregateOp, Expr, ExprKind, PoolFn, PoolRef, VarId, print::expression, visit},
    plan::{Index, same_constant},
};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// An aggregate that a pass before the expression has worked out.
#[derive(Clone)]
pub struct Known {
    op: AggregateOp,
    /// What it ranges over ([`Emitter::range_text`]).
    over: String,
    name: Ident,
}

/// A loop over a family for aggregates of its members.
struct Loop {
    index: Ident,
    /// Its end.
    n: TokenStream,
    /// What the aggregates start as.
    starts: TokenStream,
    /// Takes a member in.
    step: TokenStream,
    /// The aggregates, and what a kept table calls them.
    names: Vec<Ident>,
    asked_for: Vec<Ident>,
}

fn name_of(op: AggregateOp) -> &'static str {
    match op {
        AggregateOp::Sum => "total",
        AggregateOp::Max => "greatest",
        AggregateOp::Min => "least",
    }
}

/// What `into` starts as.
fn start(op: AggregateOp) -> TokenStream {
    match op {
        AggregateOp::Sum => quote!(0.0),
        AggregateOp::Max => quote!(f64::NEG_INFINITY),
        AggregateOp::Min => quote!(f64::INFINITY),
    }
}

/// Takes the local `value` in.
fn take(op: AggregateOp, into: &Ident) -> TokenStream {
    match op {
        AggregateOp::Sum => quote!(#into += value;),
        AggregateOp::Max => quote!(if value > #into { #into = value; }),
        AggregateOp::Min => quote!(if value < #into { #into = value; }),
    }
}

impl Emitter<'_> {
    /// `op var in count (body)`.
    pub fn aggregate(
        &self,
        op: AggregateOp,
        var: VarId,
        count: &Expr,
        body: &Expr,
        scope: &Scope,
    ) -> TokenStream {
        if !scope.known.is_empty() {
            let over = self.range_text(var, count, body);
            if let Some(known) = scope.known.iter().find(|k| k.op == op && k.over == over) {
                let name = &known.name;
                return quote!(#name);
            }
        }
        let (name, n, body) = self.range(var, count, body, scope);
        let (into, start) = (format_ident!("{}", name_of(op)), start(op));
        let step = match op {
            AggregateOp::Sum => quote!(#into += #body;),
            AggregateOp::Max | AggregateOp::Min => {
                let take = take(op, &into);
                quote!(let value = #body; #take)
            }
        };
        quote!({
            let mut #into = #start;
            for #name in 0..#n { #step }
            #into
        })
    }

    /// The index's name, its end, and the body.
    fn range(
        &self,
        var: VarId,
        count: &Expr,
        body: &Expr,
        scope: &Scope,
    ) -> (Ident, TokenStream, TokenStream) {
        let name = self.index_name(&self.ir.vars[var.index()].name, scope);
        let inner = scope.with(Bound::Var(var), name.clone(), count.clone());
        // The length of a family that the index ranges over needs no check inside.
        let n = self.length_over(var, count, body).unwrap_or_else(|| self.count(count, scope));
        (name, n, self.num(body, &inner))
    }

    /// The length of a pool family of that size, of which `body` reads the member.
    fn length_over(&self, var: VarId, count: &Expr, body: &Expr) -> Option<TokenStream> {
        let mut found = None;
        visit::expr(body, &mut |e| {
            if let ExprKind::Pool(_, r) = &e.kind
                && self.is_member(r, var, count)
            {
                found.get_or_insert(r.pool);
            }
        });
        found.map(|pool| self.pool_len(pool))
    }

    /// A reference to member `var` of a family of size `count`.
    fn is_member(&self, r: &PoolRef, var: VarId, count: &Expr) -> bool {
        let size = self.ir.pools[r.pool.index()].size.as_ref();
        size.is_some_and(|n| same_constant(n, count))
            && r.index.as_ref().is_some_and(|i| matches!(i.kind, ExprKind::Var(v) if v == var))
    }

    /// What an aggregate ranges over, the same for two that may share a pass.
    fn range_text(&self, var: VarId, count: &Expr, body: &Expr) -> String {
        let name = &self.ir.vars[var.index()].name;
        let (count, body) = (expression(self.ir, count), expression(self.ir, body));
        format!("{name} in {count} ({body})")
    }

    /// One pass each for aggregates of `exprs` that range over the same, and a scope in which they are
    /// known.
    ///
    /// Only bodies that read counters of members are taken: they cannot fail, and it does not matter
    /// when they are read.
    pub fn passes<'a>(
        &self,
        exprs: impl Iterator<Item = &'a Expr>,
        scope: &Scope,
    ) -> (TokenStream, Scope) {
        let mut groups = self.groups_of(exprs);
        groups.retain(|(_, group)| group.len() > 1 || self.kept_table(group[0]).is_some());
        let mut scope = scope.clone();
        let passes =
            groups.iter().map(|(over, group)| self.pass(over, group, &mut scope)).collect();
        (passes, scope)
    }

    /// A single pass for all aggregates of `exprs`, where it is several that range over one family by its counters; a
    /// scope in which they are known; and the tables that may be kept of them, whose values it does not use, a bit each.
    pub fn one_pass<'a>(
        &self,
        exprs: impl Iterator<Item = &'a Expr>,
        scope: &Scope,
    ) -> Option<(TokenStream, Scope, u64)> {
        let mut scope = scope.clone();
        let mut tables = 0;
        let mut loops = Vec::new();
        for (over, group) in &self.groups_of(exprs) {
            let ExprKind::Aggregate(_, var, count, body) = &group[0].kind else { return None };
            self.length_over(*var, count, body)?;
            tables |= self.kept_table(group[0]).map_or(0, |table| 1 << table);
            loops.push(self.looped(over, group, &mut scope));
        }
        let [first, _, ..] = &loops[..] else { return None };
        let (index, n) = (&first.index, &first.n);
        let same = |l: &Loop| l.index == *index && l.n.to_string() == n.to_string();
        if !loops.iter().all(same) {
            return None;
        }
        let starts = loops.iter().map(|l| &l.starts);
        let steps = loops.iter().map(|l| &l.step);
        let pass = quote! {
            #(#starts)*
            for #index in 0..#n { #(#steps)* }
        };
        Some((pass, scope, tables))
    }

    /// The aggregates of `exprs` that may share a pass, by what they range over.
    fn groups_of<'a>(&self, exprs: impl Iterator<Item = &'a Expr>) -> Vec<(String, Vec<&'a Expr>)> {
        let mut groups: Vec<(String, Vec<&Expr>)> = Vec::new();
        for e in exprs {
            visit::expr(e, &mut |e| {
                let ExprKind::Aggregate(_, var, count, body) = &e.kind else { return };
                if !self.counters_only(*var, count, body) && self.kept_table(e).is_none() {
                    return;
                }
                let over = self.range_text(*var, count, body);
                match groups.iter_mut().find(|(o, _)| *o == over) {
                    Some((_, group)) => group.push(e),
                    None => groups.push((over, vec![e])),
                }
            });
        }
        groups
    }

    /// One pass for aggregates over the same.
    fn pass(&self, over: &str, group: &[&Expr], scope: &mut Scope) -> TokenStream {
        let Loop { index, n, starts, step, names, asked_for } = self.looped(over, group, scope);
        let all = quote!(for #index in 0..#n { #step });
        let Some(table) = self.kept_table(group[0]) else { return quote!(#starts #all) };
        let (i, [of_each, _]) = self.kept_name(table);
        quote! {
            #starts
            if let Some(kept) = kept(self, #i, Self::#of_each) {
                #(#names = kept.#asked_for();)*
            } else {
                #all
            }
        }
    }

    /// The loop for aggregates over the same, which are known in the scope from here on.
    fn looped(&self, over: &str, group: &[&Expr], scope: &mut Scope) -> Loop {
        let ExprKind::Aggregate(_, var, count, body) = &group[0].kind else {
            unreachable!("a group of aggregates")
        };
        let (index, n, body) = self.range(*var, count, body, scope);
        let number = scope.known.len();
        let (mut starts, mut takes) = (TokenStream::new(), TokenStream::new());
        let (mut names, mut asked_for) = (Vec::new(), Vec::new());
        for op in [AggregateOp::Max, AggregateOp::Min, AggregateOp::Sum] {
            let asked = |e: &&Expr| matches!(e.kind, ExprKind::Aggregate(o, ..) if o == op);
            if !group.iter().any(asked) {
                continue;
            }
            // Not as an aggregate around it calls its own.
            let name = match number {
                0 => format_ident!("all_{}", name_of(op)),
                _ => format_ident!("all_{}_{}", name_of(op), number),
            };
            let start = start(op);
            starts.extend(quote!(let mut #name = #start;));
            takes.extend(take(op, &name));
            asked_for.push(format_ident!("{}", name_of(op)));
            names.push(name.clone());
            scope.known.push(Known { op, over: over.to_owned(), name });
        }
        let step = quote! {
            let value = #body;
            #takes
        };
        Loop { index, n, starts, step, names, asked_for }
    }

    /// The table that is kept of what an aggregate ranges over.
    fn kept_table(&self, e: &Expr) -> Option<usize> {
        let ExprKind::Aggregate(_, var, count, body) = &e.kind else { return None };
        let body = std::slice::from_ref(&**body);
        self.plan.kept.table(self.ir, Index::Var(*var), count, body)
    }

    /// The body reads counters of members and constants, and cannot fail.
    fn counters_only(&self, var: VarId, count: &Expr, body: &Expr) -> bool {
        let mut only = true;
        visit::expr(body, &mut |e| {
            only &= match &e.kind {
                ExprKind::Num(_)
                | ExprKind::Param(_)
                | ExprKind::Neg(_)
                | ExprKind::Not(_)
                | ExprKind::Chain(..)
                | ExprKind::Cond(..)
                | ExprKind::Math(..) => true,
                ExprKind::Var(v) => *v == var,
                ExprKind::Pool(f, r) => {
                    !matches!(f, PoolFn::CachedIn | PoolFn::Leased)
                        && (r.index.is_none() || self.is_member(r, var, count))
                }
                ExprKind::Attr(_)
                | ExprKind::Builtin(_)
                | ExprKind::Ctx(_)
                | ExprKind::Member
                | ExprKind::Stage(..)
                | ExprKind::Price(..)
                | ExprKind::Draw(..)
                | ExprKind::Aggregate(..)
                | ExprKind::Nic(..) => false,
            };
        });
        only
    }

    /// The variable of an aggregate's index: no other index around it, and no attribute that is a
    /// local, has that name.
    fn index_name(&self, name: &str, scope: &Scope) -> Ident {
        let locals = self.names.locals.iter().zip(&self.plan.locals);
        let locals = locals.filter(|(_, local)| **local).map(|(name, _)| name);
        let taken: Vec<&Ident> =
            locals.chain(scope.names()).chain(scope.known.iter().map(|k| &k.name)).collect();
        let name = super::names::local(name);
        let mut unique = format_ident!("{name}");
        let mut n = 2;
        while taken.contains(&&unique) {
            unique = format_ident!("{name}_{n}");
            n += 1;
        }
        unique
    }
}
