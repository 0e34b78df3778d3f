//! Legs: where they begin and end, and the waits of those who forked them.

use super::Emitter;
use crate::machine::{Exit, OpKind, StateId};
use proc_macro2::TokenStream;
use quote::quote;

impl Emitter<'_> {
    /// A leg begins; the session goes on.
    pub(super) fn fork(&self, op: &OpKind, leg: StateId) -> TokenStream {
        let at = &self.names.at[leg.index()];
        match op {
            OpKind::Book(hold, _) => {
                let hold = &self.names.holds[hold.index()];
                quote!(book_leg(self, s, at::#at, holds::#hold);)
            }
            _ => quote!(fork_leg(self, s, at::#at);),
        }
    }

    /// How a state is left that ends a leg, or waits for some.
    pub(super) fn leg_exit(&self, exit: &Exit) -> TokenStream {
        match exit {
            Exit::Booked(hold) => {
                let hold = &self.names.holds[hold.index()];
                quote!(end_booking(self, s, HoldAt::<{ holds::#hold }>); Next::Wait)
            }
            Exit::Await { next, site } => {
                let comment = self.source_of(*site);
                let next = self.go(*next);
                quote!(#comment if legs_joined(self, s) { #next } else { Next::Wait })
            }
            Exit::Open { hold, booking, site } => {
                let comment = self.source_of(*site);
                let at = &self.names.at[self.machine.body_of[hold.index()].index()];
                let hold = &self.names.holds[hold.index()];
                let booking = &self.names.holds[booking.index()];
                quote! {
                    #comment
                    if open_booking(self, s, HoldAt::<{ holds::#hold }>, holds::#booking) { Next::Go(at::#at) } else { Next::Wait }
                }
            }
            _ => quote!(end_leg(self, s); Next::Wait),
        }
    }

    /// Whether sessions fork, for the runtime to know; nothing where they do not.
    pub(super) fn legs(&self) -> TokenStream {
        let forks = |op: &crate::machine::Op| matches!(op.kind, OpKind::Fork(_) | OpKind::Book(..));
        match self.machine.states.iter().any(|state| state.ops.iter().any(forks)) {
            true => quote!(
                const LEGS: bool = true;
            ),
            false => TokenStream::new(),
        }
    }
}
