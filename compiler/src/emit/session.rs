//! The session: its attributes, and one method per state of its machine.

use super::{Emitter, scope::Scope};
use crate::{
    ir::{AttrId, BinaryOp, Expr, ExprKind, StageKind, Ty},
    machine::{Exit, Op, OpKind, StateId},
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use std::borrow::Cow;

impl Emitter<'_> {
    /// `struct Session`: the program's attributes.
    pub fn session_struct(&self) -> TokenStream {
        let attrs = self.ir.attrs.iter().zip(&self.names.attrs).zip(&self.plan.indices);
        let fields = attrs.zip(&self.plan.locals).filter(|(_, local)| !**local);
        let fields = fields.map(|(((attr, name), index), _)| {
            let hidden = if attr.hidden { ", hidden from the schedulers" } else { "" };
            let doc = format!(" `{}`{hidden}", attr.name);
            let ty = match attr.ty {
                crate::ir::Ty::Num if index.is_some() => quote!(usize),
                crate::ir::Ty::Num => quote!(f64),
                crate::ir::Ty::Bool => quote!(bool),
            };
            quote!(#[doc = #doc] pub #name: #ty,)
        });
        quote! {
            /// A session's attributes.
            #[derive(Clone, Debug, Default)]
            pub struct Session { #(#fields)* }
        }
    }

    /// The states that are methods of their own: not those that stand inside another, or nowhere.
    pub fn entered_states(&self) -> Vec<StateId> {
        (0..self.machine.states.len())
            .map(|i| StateId(i as u32))
            .filter(|id| !self.machine.inlined(*id))
            .filter(|id| self.machine.state(*id).resumed || self.machine.state(*id).jumps > 0)
            .collect()
    }

    /// The states' methods, and `resume` that strings them together.
    pub fn states(&self) -> TokenStream {
        let ids = self.entered_states();
        let methods = ids.iter().map(|id| {
            let name = &self.names.states[id.index()];
            let body = self.state_body(*id);
            quote! {
                #[inline]
                fn #name(&mut self, s: Sid) -> Next { #body }
            }
        });
        let methods: TokenStream = methods.collect();
        let arms = ids.iter().map(|id| {
            let (at, name) = (&self.names.at[id.index()], &self.names.states[id.index()]);
            quote!(at::#at => self.#name(s),)
        });
        // Sessions with holds go on from two places, events and admissions: one copy of the code serves both.
        let inline = self.ir.holds.is_empty().then(|| quote!(#[inline]));
        if !super::mentions(&methods, "Go") {
            return quote! {
                #methods

                /// Runs session `s` from where it is until it waits or ends: no state goes on in another at once.
                #inline
                fn advance(&mut self, s: Sid) {
                    match self.k.control(s).at {
                        #(#arms)*
                        _ => Next::Wait,
                    };
                }
            };
        }
        quote! {
            #methods

            /// Runs session `s` from where it is until it waits or ends.
            #inline
            fn advance(&mut self, s: Sid) {
                while self.k.step(s) {
                    let next = match self.k.control(s).at {
                        #(#arms)*
                        _ => Next::Wait,
                    };
                    match next {
                        Next::Go(at) => self.k.control_mut(s).at = at,
                        Next::Wait => return,
                    }
                }
            }
        }
    }

    /// A state's code: statements and, last, the `Next`.
    fn state_body(&self, id: StateId) -> TokenStream {
        let state = self.machine.state(id);
        let scope = Scope::session();
        let ops = state.ops.iter().map(|op| self.op(op, &scope));
        let exit = self.exit(&state.exit, &scope);
        quote!(#(#ops)* #exit)
    }

    pub(super) fn go(&self, to: StateId) -> TokenStream {
        if self.machine.inlined(to) {
            return self.state_body(to);
        }
        let at = &self.names.at[to.index()];
        quote!(Next::Go(at::#at))
    }

    fn exit(&self, exit: &Exit, scope: &Scope) -> TokenStream {
        match exit {
            Exit::Go(to) => self.go(*to),
            Exit::End => quote!(end_session(self, s); Next::Wait),
            Exit::EndLeg | Exit::Booked(_) | Exit::Await { .. } | Exit::Open { .. } => {
                self.leg_exit(exit)
            }
            Exit::Branch { guard, check, yes, no, site } => {
                let comment = self.source_of(*site);
                let (first, guard) = self.guard(guard, *check, scope);
                let (yes, no) = (self.go(*yes), self.go(*no));
                self.note_same(&yes, &no);
                quote!(#comment #first if #guard { #yes } else { #no })
            }
            Exit::Join(hold, site) => {
                let comment = self.source_of(*site);
                let hold = &self.names.holds[hold.index()];
                quote!(#comment join(self, s, HoldAt::<{ holds::#hold }>); Next::Wait)
            }
            Exit::Run { stages, mode, work, growing, next, site } => {
                let comment = self.source_of(*site);
                let at = &self.names.at[next.index()];
                let work = self.amount("work", work, scope);
                let run = if let [stage] = &stages[..] {
                    let stage = self.stage_by_type(stage, scope);
                    let mode = match (&self.ir.stages[stages[0].stage.index()].kind, mode) {
                        (StageKind::Step(_), crate::ir::Mode::Prefill) => quote!(Mode::Prefill),
                        _ => quote!(Mode::Decode),
                    };
                    let (pool, growing) = match growing {
                        None => (quote!(), quote!(None)),
                        Some(p) => {
                            let key = self.pool_key(p, scope);
                            (quote!(let pool = #key;), quote!(Some(pool)))
                        }
                    };
                    quote! {
                        let stage = #stage;
                        #pool
                        run_on(self, s, stage, #mode, work, #growing);
                    }
                } else {
                    let site = Literal::u32_unsuffixed(self.site_of(*site));
                    let keys = stages.iter().map(|r| self.stage_key(r, scope));
                    quote! {
                        let stages = [#(#keys),*];
                        run_flow(self, s, &stages, work, #site);
                    }
                };
                quote! {
                    #comment
                    let work = #work;
                    self.k.control_mut(s).at = at::#at;
                    #run
                    Next::Wait
                }
            }
            Exit::Guard { queue, index, inside, failed, site } => {
                let comment = self.source_of(*site);
                let member = self.called(*queue, index.as_ref(), *site, scope);
                let number = Literal::u16_unsuffixed(self.failing(*queue));
                let at = &self.names.at[failed.index()];
                let inside = self.go(*inside);
                quote! {
                    #comment
                    let member = #member;
                    if guard(self, s, #number, member, at::#at) { #inside } else { Next::Go(at::#at) }
                }
            }
            Exit::Fan { ends, work, next, site } => {
                let comment = self.source_of(*site);
                let at = &self.names.at[next.index()];
                let work = self.amount("work", work, scope);
                let ends = ends.each_ref().map(|end| self.fan_end(end, scope));
                quote! {
                    #comment
                    let work = #work;
                    self.k.control_mut(s).at = at::#at;
                    let ends = [#(#ends),*];
                    run_fan(self, s, ends, work);
                    Next::Wait
                }
            }
            Exit::Grow { pool, amount, next, site } => {
                let comment = self.source_of(*site);
                let at = &self.names.at[next.index()];
                let amount = self.amount("units", amount, scope);
                let pool = self.pool_by_type(pool, scope);
                quote! {
                    #comment
                    let amount = #amount;
                    let pool = #pool;
                    self.k.control_mut(s).at = at::#at;
                    if grow(self, s, pool, amount) { Next::Go(at::#at) } else { Next::Wait }
                }
            }
        }
    }

    /// What comes before a branch, and its condition.
    fn guard(&self, guard: &Expr, check: bool, scope: &Scope) -> (TokenStream, TokenStream) {
        if !check {
            return (quote!(), self.truth(guard, scope));
        }
        let site = Literal::u32_unsuffixed(self.site_of(guard.site));
        let value = self.num(guard, scope);
        (quote!(let guard = #value;), quote!(self.k.guard(guard, Some(s), #site)))
    }

    /// Both ways of a branch may do the same.
    fn note_same(&self, yes: &TokenStream, no: &TokenStream) {
        if yes.to_string() == no.to_string() {
            self.is_odd("if_same_then_else");
        }
    }

    /// One step of straight-line code.
    pub fn op(&self, op: &Op, scope: &Scope) -> TokenStream {
        let comment = self.source_of(op.site);
        let code = match &op.kind {
            OpKind::Turn => quote!(next_turn(self, s);),
            OpKind::Set(attr, value) => {
                let name = &self.names.attrs[attr.index()];
                let ty = self.ir.attrs[attr.index()].ty;
                let same = matches!(value.kind, ExprKind::Attr(same) if same == *attr);
                if same && !self.plan.locals[attr.index()] {
                    // It has that value.
                    return comment;
                }
                if self.plan.locals[attr.index()] {
                    let (local, value) = (self.local(*attr), self.typed(value, ty, scope));
                    return quote!(#comment let #local = #value;);
                }
                match step_of(*attr, value) {
                    Some((operator, by)) if ty == Ty::Num => {
                        let by = self.num(&by, scope);
                        if super::expr::needs_let(&by) {
                            quote!({ let by = #by; self.attrs[s as usize].#name #operator by; })
                        } else {
                            quote!(self.attrs[s as usize].#name #operator #by;)
                        }
                    }
                    _ => {
                        let value = self.typed(value, ty, scope);
                        quote!(self.attrs[s as usize].#name = #value;)
                    }
                }
            }
            OpKind::Choose(attr, count, keys) => self.choose(*attr, count, keys, scope),
            OpKind::Observe(observe, value) => {
                let i = Literal::usize_unsuffixed(observe.index());
                let value = self.num(value, scope);
                if super::expr::needs_let(&value) {
                    quote!({ let value = #value; self.k.observe(#i, s, value); })
                } else {
                    quote!(self.k.observe(#i, s, #value);)
                }
            }
            OpKind::Drop(pool) => {
                let pool = self.pool_by_type(pool, scope);
                quote!({ let pool = #pool; drop_prefix(self, s, pool); })
            }
            OpKind::Prefix(key, tokens) => {
                let site = Literal::u32_unsuffixed(self.site_of(tokens.site));
                let (key, tokens) = (self.num(key, scope), self.num(tokens, scope));
                quote!({
                    let (key, tokens) = (#key, #tokens);
                    add_segment(self, s, key, tokens, #site);
                })
            }
            OpKind::Release(pool) => {
                let pool = self.pool_by_type(pool, scope);
                quote!({ let pool = #pool; release(self, s, pool); })
            }
            OpKind::Load(pool, amount) => {
                let site = Literal::u32_unsuffixed(self.site_of(amount.site));
                let amount = self.amount("units", amount, scope);
                let pool = self.pool_by_type(pool, scope);
                quote!({
                    let amount = #amount;
                    let pool = #pool;
                    load(self, s, pool, amount, #site);
                })
            }
            OpKind::Leave(hold) => {
                let hold = &self.names.holds[hold.index()];
                return quote!(leave(self, s, HoldAt::<{ holds::#hold }>););
            }
            OpKind::Fork(leg) | OpKind::Book(_, leg) => self.fork(&op.kind, *leg),
            OpKind::Unguard => return quote!(unguard(self, s);),
            OpKind::If(guard, check, yes, no) => {
                let (first, guard) = self.guard(guard, *check, scope);
                let yes: TokenStream = yes.iter().map(|op| self.op(op, scope)).collect();
                if no.is_empty() {
                    quote!(#first if #guard { #yes })
                } else {
                    let no: TokenStream = no.iter().map(|op| self.op(op, scope)).collect();
                    self.note_same(&yes, &no);
                    quote!(#first if #guard { #yes } else { #no })
                }
            }
        };
        quote!(#comment #code)
    }
}

/// `x = x + e` as the operator and `e`: Rust has `x += e` for it.
fn step_of(attr: AttrId, value: &Expr) -> Option<(TokenStream, Cow<'_, Expr>)> {
    let ExprKind::Chain(first, rest) = &value.kind else { return None };
    let (op, last) = rest.last()?;
    let own = |e: &Expr| matches!(e.kind, ExprKind::Attr(other) if other == attr);
    let operator = match op {
        BinaryOp::Add => quote!(+=),
        BinaryOp::Sub => quote!(-=),
        BinaryOp::Mul => quote!(*=),
        BinaryOp::Div => quote!(/=),
        BinaryOp::Pow
        | BinaryOp::Or
        | BinaryOp::And
        | BinaryOp::Lt
        | BinaryOp::Gt
        | BinaryOp::Le
        | BinaryOp::Ge
        | BinaryOp::Eq
        | BinaryOp::Ne => return None,
    };
    if rest.len() == 1 && own(first) {
        return Some((operator, Cow::Borrowed(last)));
    }
    if !own(last) || !matches!(op, BinaryOp::Add | BinaryOp::Mul) {
        return None;
    }
    // All before the last operator is its left side.
    let before = match &rest[..rest.len() - 1] {
        [] => Cow::Borrowed(&**first),
        terms => {
            let kind = ExprKind::Chain(first.clone(), terms.to_vec());
            Cow::Owned(Expr { kind, ty: value.ty, site: value.site })
        }
    };
    Some((operator, before))
}
