//! Draws.

use super::{Emitter, expr::reads_kernel, scope::Scope};
use crate::ir::{Dist, Expr};
use proc_macro2::TokenStream;
use quote::quote;

impl Emitter<'_> {
    /// A draw from the stream of this place.
    pub fn draw(&self, d: Dist, args: &[Expr], scope: &Scope) -> TokenStream {
        let stream = &scope.stream;
        let a = self.num(&args[0], scope);
        // Arguments that read the kernel themselves come first.
        let call = |method: TokenStream, args: &[(TokenStream, TokenStream)]| {
            let (names, values): (Vec<_>, Vec<_>) = args.iter().cloned().unzip();
            let apart = values.iter().all(|v| !reads_kernel(v));
            if apart {
                quote!(#stream.#method(#(#values),*))
            } else {
                quote!({ #(let #names = #values;)* #stream.#method(#(#names),*) })
            }
        };
        let two = |method: TokenStream, x: TokenStream, y: TokenStream| {
            let b = self.num(&args[1], scope);
            call(method, &[(x, a.clone()), (y, b)])
        };
        match d {
            Dist::Det => self.num_primary(&args[0], scope),
            Dist::Exp => call(quote!(exp), &[(quote!(mean), a)]),
            Dist::Bernoulli => call(quote!(bernoulli), &[(quote!(p), a)]),
            Dist::Uniform => two(quote!(uniform), quote!(lo), quote!(hi)),
            Dist::Erlang => two(quote!(erlang), quote!(stages), quote!(mean)),
            Dist::H2 => two(quote!(h2), quote!(mean), quote!(cv2)),
        }
    }
}
