//! Holds: the header that is read at each attempt to admit, and the `cache` and `lease` clauses.

use super::{Emitter, expr::inside, scope::Scope, world::dispatch};
use crate::{ir::Claim, machine::StateId, plan::at_most_reserve};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

impl Emitter<'_> {
    /// One header function per hold statement, and one for each clause.
    pub fn hold_functions(&self) -> TokenStream {
        let functions = (0..self.ir.holds.len()).map(|i| {
            let hold = &self.ir.holds[i];
            let comment = self.source_of(hold.site);
            let header = self.header(i);
            let clause = |name: &str, e: Option<&crate::ir::Expr>| match e {
                None => quote!(),
                Some(e) => {
                    let name = self.hold_function(name, i);
                    let comment = self.source_of(e.site);
                    let e = self.num_tail(e, &Scope::session());
                    quote!(#comment #[inline] fn #name(&mut self, s: Sid) -> f64 { #e })
                }
            };
            let cache = clause("cache", hold.cache.as_ref());
            let lease = clause("lease", hold.lease.as_ref().map(|(_, t)| t));
            let renew = match &hold.renew {
                None => quote!(),
                Some((period, extension)) => {
                    let name = self.hold_function("renew", i);
                    let comment = self.source_of(period.site);
                    let scope = Scope::session();
                    let period = self.amount("units", period, &scope);
                    let extension = self.amount("units", extension, &scope);
                    quote!(#comment fn #name(&mut self, s: Sid) -> Option<(f64, f64)> {
                        let period = #period;
                        Some((period, #extension))
                    })
                }
            };
            quote!(#comment #header #cache #lease #renew)
        });
        quote!(#(#functions)*)
    }

    /// The name of a hold's function: `header_d_kv`.
    pub fn hold_function(&self, what: &str, i: usize) -> proc_macro2::Ident {
        format_ident!("{what}_{}", self.names.holds[i].to_string().to_lowercase())
    }

    fn header(&self, i: usize) -> TokenStream {
        let hold = &self.ir.holds[i];
        let name = self.hold_function("header", i);
        let (repeated, scope) = self.repeated(i, &Scope::session());
        let claims = hold.claims.iter().enumerate().map(|(n, claim)| {
            let n = Literal::usize_unsuffixed(n);
            let key = self.pool_key(&claim.pool, &scope);
            let units = self.units(claim, &scope);
            let reserve = match &claim.reserve {
                None => quote!(units),
                Some(r) if self.repeats(r, &claim.units) => quote!(units),
                Some(r) => self.amount("units", r, &scope),
            };
            quote! {
                let pool = #key;
                let units = #units;
                let reserve = #reserve;
                header.claims[#n] = ClaimNow { pool, units, reserve };
            }
        });
        let reuse = match &hold.reuse {
            None => quote!(f64::INFINITY),
            Some(r) => self.num(r, &scope),
        };
        let joins = self.is_shorter(i).then(|| quote!(<const JOINS: bool>));
        quote! {
            #[inline(always)]
            fn #name #joins(&mut self, s: Sid) -> Header {
                #repeated
                let mut header = Header { reuse: #reuse, ..Header::default() };
                #(#claims)*
                header
            }
        }
    }

    /// Less of a hold's header is worked out where a session joins its queue.
    fn is_shorter(&self, i: usize) -> bool {
        let mut claims = self.ir.holds[i].claims.iter();
        claims.any(|claim| at_most_reserve(self.ir, claim).is_some())
    }

    /// What a claim asks for. Where a session joins its queue, units that are at most the reserve, and no error, are said
    /// to be 0.
    fn units(&self, claim: &Claim, scope: &Scope) -> TokenStream {
        let units = self.amount("units", &claim.units, scope);
        match at_most_reserve(self.ir, claim) {
            None => units,
            Some(asked) => {
                let asked = asked.into_iter().map(|e| self.num_compared(e, scope));
                let units = inside(units);
                quote!(if JOINS #(&& #asked >= 0.0)* { 0.0 } else { #units })
            }
        }
    }

    /// `World::on_hold`: an operation compiled for each hold statement.
    fn on_hold(&self) -> TokenStream {
        let Some((last, others)) = self.names.holds.split_last() else {
            return TokenStream::new();
        };
        let at = |hold: &proc_macro2::Ident| quote!(op.run(self, HoldAt::<{ holds::#hold }>));
        let (arms, rest) = (others.iter().map(at), at(last));
        let body = match others.is_empty() {
            true => rest,
            false => quote!(match hold { #(holds::#others => #arms,)* _ => #rest }),
        };
        quote! {
            #[inline]
            fn on_hold<O: OnHold<Self>>(&mut self, hold: u32, op: O) -> O::Out { #body }
        }
    }

    /// `World::run_body`: the state that each body begins with, where states go straight on.
    fn run_body(&self) -> TokenStream {
        let bodies: Vec<_> = self.names.holds.iter().zip(&self.machine.body_of).collect();
        let Some(((_, last), others)) = bodies.split_last().filter(|_| self.straight) else {
            return TokenStream::new();
        };
        let run = |body: &StateId| {
            let state = &self.names.states[body.index()];
            quote!(self.#state(s))
        };
        let (arms, rest) = (others.iter().map(|(_, body)| run(body)), run(last));
        let holds = others.iter().map(|(hold, _)| hold);
        let body = match others.is_empty() {
            true => rest,
            false => quote!(match hold.stmt() { #(holds::#holds => #arms,)* _ => #rest }),
        };
        quote! {
            #[inline(always)]
            fn run_body(&mut self, s: Sid, hold: impl AtHold) { #body }
        }
    }

    /// `World::header` and, if some hold's is shorter there, `World::joining_header`: where the hold is known, that
    /// one's alone.
    fn header_dispatch(&self) -> TokenStream {
        let holds = 0..self.ir.holds.len();
        let of = |name: &str, joins: bool| {
            let name = format_ident!("{name}");
            let arms = holds.clone().map(|i| {
                let hold = &self.names.holds[i];
                let function = self.hold_function("header", i);
                let joins = self.is_shorter(i).then(|| quote!(::<#joins>));
                quote!(holds::#hold => self.#function #joins(s),)
            });
            quote! {
                #[inline(always)]
                fn #name(&mut self, s: Sid, hold: impl AtHold) -> Header {
                    match hold.stmt() { #(#arms)* _ => Header::default() }
                }
            }
        };
        let header = (!holds.is_empty()).then(|| of("header", false));
        let joining = holds.clone().any(|i| self.is_shorter(i)).then(|| of("joining_header", true));
        quote!(#header #joining)
    }

    /// `World::header`, `cache_clause`, `lease_clause`.
    pub fn hold_dispatch(&self) -> TokenStream {
        let arms = |what: &str, has: &dyn Fn(&crate::ir::Hold) -> bool| -> TokenStream {
            let arms = (0..self.ir.holds.len()).filter(|i| has(&self.ir.holds[*i])).map(|i| {
                let hold = &self.names.holds[i];
                let function = self.hold_function(what, i);
                quote!(holds::#hold => self.#function(s),)
            });
            quote!(#(#arms)*)
        };
        let clauses = [
            (
                quote!(fn cache_clause(&mut self, s: Sid, hold: u32) -> f64),
                arms("cache", &|h| h.cache.is_some()),
                quote!(0.0),
            ),
            (
                quote!(fn lease_clause(&mut self, s: Sid, hold: u32) -> f64),
                arms("lease", &|h| h.lease.is_some()),
                quote!(0.0),
            ),
            (
                quote!(fn renew_clause(&mut self, s: Sid, hold: u32) -> Option<(f64, f64)>),
                arms("renew", &|h| h.renew.is_some()),
                quote!(None),
            ),
        ];
        let functions =
            clauses.map(|(signature, arms, rest)| dispatch(signature, quote!(hold), arms, rest));
        let header = self.header_dispatch();
        let (on_hold, run_body) = (self.on_hold(), self.run_body());
        quote!(#header #(#functions)* #on_hold #run_body)
    }
}
