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

    /// The states' methods, and `advance` that strings them together.
    pub fn states(&self) -> TokenStream {
        let ids = self.entered_states();
        let methods = ids.iter().map(|id| {
            let name = &self.names.states[id.index()];
            let body = self.state_body(*id);
            // A state that goes on in the next by itself is its own function, entered by a jump: put into those that
            // lead to it, it would be there as often as ways lead to it from anywhere.
            let (inline, next) = match self.straight {
                true if self.only_joins(*id) => (quote!(#[inline]), quote!()),
                true => (quote!(#[inline(never)]), quote!()),
                false => (quote!(#[inline]), quote!(-> Next)),
            };
            quote! {
                #inline
                fn #name(&mut self, s: Sid) #next { #body }
            }
        });
        let methods: TokenStream = methods.collect();
        let advance = self.advance(&ids, super::mentions(&methods, "Go"));
        quote! {
            #methods

            #advance
        }
    }

    /// A state that is nothing but a queue joined, where a way or two lead: less than what a function of its own costs.
    fn only_joins(&self, id: StateId) -> bool {
        let state = self.machine.state(id);
        let joins = state.ops.is_empty() && matches!(state.exit, Exit::Join(..));
        joins && !state.resumed && state.jumps <= 2
    }

    /// Runs a session on; `goes` says that some state returns which one comes next.
    fn advance(&self, ids: &[StateId], goes: bool) -> TokenStream {
        let arm = |id: &StateId| {
            let (at, name) = (&self.names.at[id.index()], &self.names.states[id.index()]);
            quote!(at::#at => self.#name(s),)
        };
        let arms = ids.iter().map(arm);
        if self.straight {
            let arms = ids.iter().filter(|id| self.machine.state(**id).resumed).map(arm);
            return quote! {
                /// Runs session `s` from where it waited until it waits again or ends.
                fn advance(&mut self, s: Sid) {
                    match self.k.control(s).at {
                        #(#arms)*
                        _ => {}
                    }
                }
            };
        }
        // Sessions with holds go on from two places, events and admissions: one copy of the code serves both.
        let inline = self.ir.holds.is_empty().then(|| quote!(#[inline]));
        if !goes {
            return quote! {
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
            /// Runs session `s` from where it is until it waits or ends.
            #inline
            fn advance(&mut self, s: Sid) {
                loop {
                    let next = match self.k.control(s).at {
                        #(#arms)*
                        _ => Next::Wait,
                    };
                    match next {
                        Next::Go(at) if self.k.go(s, at) => {}
                        _ => return,
                    }
                }
            }
        }
    }

    /// A state's code: statements and, last, how it is left.
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
        self.jump(to)
    }

    /// On at once in a state that has a method.
    pub(super) fn jump(&self, to: StateId) -> TokenStream {
        let at = &self.names.at[to.index()];
        match self.straight {
            true => {
                let name = &self.names.states[to.index()];
                quote!(go_on(self, s, at::#at, Self::#name);)
            }
            false => quote!(Next::Go(at::#at)),
        }
    }

    /// The session waits, or has ended.
    pub(super) fn wait(&self) -> TokenStream {
        if self.straight { quote!() } else { quote!(Next::Wait) }
    }

    /// On at once if the condition holds; else the session waits.
    pub(super) fn go_if(&self, condition: TokenStream, on: TokenStream) -> TokenStream {
        match self.straight {
            true => quote!(if #condition { #on }),
            false => quote!(if #condition { #on } else { Next::Wait }),
        }
    }

    fn exit(&self, exit: &Exit, scope: &Scope) -> TokenStream {
        let wait = self.wait();
        match exit {
            Exit::Go(to) => self.go(*to),
            Exit::End => quote!(end_session(self, s); #wait),
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
                quote!(#comment join(self, s, HoldAt::<{ holds::#hold }>); #wait)
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
                    match growing {
                        None => quote! {
                            let stage = #stage;
                            run_on(self, s, stage, #mode, work);
                        },
                        Some(pool) => {
                            let pool = self.pool_by_type(pool, scope);
                            quote! {
                                let stage = #stage;
                                let pool = #pool;
                                run_growing(self, s, stage, #mode, work, pool);
                            }
                        }
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
                    #wait
                }
            }
            Exit::Guard { queue, index, inside, failed, site } => {
                let comment = self.source_of(*site);
                let member = self.called(*queue, index.as_ref(), *site, scope);
                let number = Literal::u16_unsuffixed(self.failing(*queue));
                let at = &self.names.at[failed.index()];
                let (inside, failed) = (self.go(*inside), self.jump(*failed));
                quote! {
                    #comment
                    let member = #member;
                    if guard(self, s, #number, member, at::#at) { #inside } else { #failed }
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
                    #wait
                }
            }
            Exit::Grow { pool, amount, next, site } => {
                let comment = self.source_of(*site);
                let at = &self.names.at[next.index()];
                let amount = self.amount("units", amount, scope);
                let pool = self.pool_by_type(pool, scope);
                let grown = self.go_if(quote!(grow(self, s, pool, amount)), self.jump(*next));
                quote! {
                    #comment
                    let amount = #amount;
                    let pool = #pool;
                    self.k.control_mut(s).at = at::#at;
                    #grown
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
