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
        let wait = self.wait();
        match exit {
            Exit::Booked(hold) => {
                let hold = &self.names.holds[hold.index()];
                quote!(end_booking(self, s, HoldAt::<{ holds::#hold }>); #wait)
            }
            Exit::Await { next, site } => {
                let comment = self.source_of(*site);
                let joined = self.go_if(quote!(legs_joined(self, s)), self.go(*next));
                quote!(#comment #joined)
            }
            Exit::Open { hold, booking, site } => {
                let comment = self.source_of(*site);
                let on = self.jump(self.machine.body_of[hold.index()]);
                let hold = &self.names.holds[hold.index()];
                let booking = &self.names.holds[booking.index()];
                let opens =
                    quote!(open_booking(self, s, HoldAt::<{ holds::#hold }>, holds::#booking));
                let opened = self.go_if(opens, on);
                quote!(#comment #opened)
            }
            _ => quote!(end_leg(self, s); #wait),
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
