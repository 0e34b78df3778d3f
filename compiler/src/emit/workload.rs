//! The workload: arrivals, and the `init` and `turn` blocks.

use super::{
    Emitter,
    scope::{Params, Scope},
};
use crate::{ir::Arrival, machine::straight_block};
use proc_macro2::TokenStream;
use quote::quote;

impl Emitter<'_> {
    /// `init` and `turn` as methods of `Model`.
    pub fn workload_functions(&self) -> TokenStream {
        let block = |name: TokenStream, doc: &str, block: &crate::ir::Block| {
            let scope = Scope::turn();
            // init and turn blocks only set, observe and branch
            let ops = straight_block(block).unwrap_or_default();
            let ops = ops.iter().map(|op| self.op(op, &scope));
            quote! {
                #[doc = #doc]
                fn #name(&mut self, s: Sid) { #(#ops)* }
            }
        };
        let init = block(
            quote!(start_session),
            " What a session brings when it is created.",
            &self.ir.workload.init,
        );
        let turn = block(quote!(draw_turn), " What a turn asks for.", &self.ir.workload.turn);
        quote!(#init #turn)
    }

    /// `World::arrivals`, `renewal_gap`, `init_block`, `turn_block`.
    pub fn workload_dispatch(&self) -> TokenStream {
        let constants = Scope::constants(Params::OfModel);
        let mut gap = quote!();
        let law = match &self.ir.workload.arrival {
            Arrival::Poisson(e) => {
                let e = self.num(e, &constants);
                quote!(Arrivals::Poisson(#e))
            }
            Arrival::Renewal(e) => {
                let seconds = self.num_tail(e, &Scope::arrival());
                gap = quote!(fn renewal_gap(&mut self) -> f64 { #seconds });
                quote!(Arrivals::Renewal)
            }
            Arrival::Closed(e) => {
                let e = self.num(e, &constants);
                quote!(Arrivals::Closed(#e))
            }
            Arrival::Batch(e) => {
                let e = self.num(e, &constants);
                quote!(Arrivals::Batch(#e))
            }
            Arrival::Recorded => quote!(Arrivals::Recorded),
            Arrival::None => quote!(Arrivals::None),
        };
        quote! {
            #[inline]
            fn arrivals(&self) -> Arrivals { #law }
            #gap
            #[inline]
            fn init_block(&mut self, s: Sid) { self.start_session(s) }
            #[inline]
            fn turn_block(&mut self, s: Sid) { self.draw_turn(s) }
        }
    }
}
