//! What the expressions of a header repeat is worked out once, in a `let` before them.
//!
//! Bindings of an admission are substituted where they are read, so a header says the same arithmetic over
//! and over. Only what reads nothing but constants and the session's own attributes is taken out: it has
//! the same value wherever in the header it is read, and reading it does nothing.

use super::{Emitter, scope::Scope};
use crate::ir::{Expr, ExprKind, HoldId, StmtKind, Ty, print::expression, visit};
use crate::plan::computed_of;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// An expression that has a name, by its text.
pub type Named = (String, Ident);

/// Names that a header's function has for itself.
const TAKEN: [&str; 9] =
    ["header", "pool", "units", "reserve", "amount", "hit", "ds", "stage", "part"];

/// Operators in an expression.
fn operators(e: &Expr) -> usize {
    let mut count = 0;
    visit::expr(e, &mut |e| {
        count += match &e.kind {
            ExprKind::Chain(_, rest) => rest.len(),
            ExprKind::Cond(..) | ExprKind::Math(..) => 1,
            _ => 0,
        };
    });
    count
}

/// Worth a name if it comes twice.
fn is_worth_it(e: &Expr) -> bool {
    e.ty == Ty::Num && operators(e) > 1 && computed_of(e, true)
}

/// Expressions found, each with its text and how often it comes.
type Found<'a> = Vec<(String, &'a Expr, usize)>;

impl Emitter<'_> {
    /// A `let` for each expression that a hold's header repeats, and a scope in which they are named.
    pub fn repeated(&self, hold: usize, scope: &Scope) -> (TokenStream, Scope) {
        let mut roots: Vec<&Expr> = Vec::new();
        let h = &self.ir.holds[hold];
        roots.extend(&h.reuse);
        for claim in &h.claims {
            roots.push(&claim.units);
            roots.extend(&claim.reserve);
        }
        // The longest first, so that what it repeats itself comes later.
        let mut chosen: Vec<(String, &Expr)> = Vec::new();
        while let Some(next) = self.longest_repeated(&roots, &chosen) {
            chosen.push(next);
        }
        let bindings = self.bindings(hold);
        let mut scope = scope.clone();
        let mut parts = 0;
        let mut lets = Vec::new();
        for (text, e) in chosen.iter().rev() {
            let name = match bindings.iter().find(|(value, _)| value == text) {
                Some((_, name)) => name.clone(),
                None => {
                    parts += 1;
                    if parts == 1 { format_ident!("part") } else { format_ident!("part_{parts}") }
                }
            };
            let value = self.num(e, &scope);
            scope.named.push((text.clone(), name.clone()));
            lets.push(quote!(let #name = #value;));
        }
        (quote!(#(#lets)*), scope)
    }

    /// The longest expression that comes more than once and has no name yet.
    fn longest_repeated<'a>(
        &self,
        roots: &[&'a Expr],
        chosen: &[(String, &'a Expr)],
    ) -> Option<(String, &'a Expr)> {
        let mut found = Vec::new();
        for root in roots {
            self.find(root, chosen, &mut found);
        }
        for (_, e) in chosen {
            self.find_inside(e, chosen, &mut found);
        }
        let repeated = found.into_iter().filter(|(_, _, times)| *times > 1);
        let longest = repeated.reduce(|a, b| if b.0.len() > a.0.len() { b } else { a });
        longest.map(|(text, e, _)| (text, e))
    }

    fn find<'a>(&self, e: &'a Expr, chosen: &[(String, &'a Expr)], found: &mut Found<'a>) {
        if is_worth_it(e) {
            let text = expression(self.ir, e);
            if chosen.iter().any(|(named, _)| *named == text) {
                return;
            }
            match found.iter_mut().find(|(other, ..)| *other == text) {
                Some((_, _, times)) => *times += 1,
                None => found.push((text, e, 1)),
            }
        }
        self.find_inside(e, chosen, found);
    }

    fn find_inside<'a>(&self, e: &'a Expr, chosen: &[(String, &'a Expr)], found: &mut Found<'a>) {
        visit::operands(e, &mut |operand| self.find(operand, chosen, found));
    }

    /// What the hold's body begins with setting: the admission's bindings, under their names.
    fn bindings(&self, hold: usize) -> Vec<Named> {
        let mut named = Vec::new();
        visit::stmts(&self.ir.session, &mut |stmt| {
            let StmtKind::Hold { hold: this, body } = &stmt.kind else { return };
            if *this != HoldId(hold as u32) {
                return;
            }
            for stmt in body {
                let StmtKind::Set { attr, value } = &stmt.kind else { break };
                let name = &self.names.attrs[attr.index()];
                if TAKEN.iter().all(|taken| name != taken) {
                    named.push((expression(self.ir, value), name.clone()));
                }
            }
        });
        named
    }
}
