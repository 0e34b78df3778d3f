//! `Params`: the program's `let`s, settable from outside, and the checks of constants.

use super::{
    Emitter, comments, mentions,
    names::{Namespace, snake},
    scope::{Params, Scope},
};
use crate::ir::{Expr, ParamId, Program};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Names of the fields of `Params`.
pub fn fields(program: &Program) -> Vec<Ident> {
    let mut space = Namespace::with(&[]);
    program.params.iter().map(|param| space.ident(snake(&param.name))).collect()
}

impl Emitter<'_> {
    /// The struct and how it is made from values.
    pub fn params(&self) -> TokenStream {
        let names = &self.names.params;
        let docs = self.ir.params.iter().map(|p| {
            let line = self.doc_line(p.span);
            if p.comment.is_empty() {
                line
            } else {
                format!("{line}: {}", comments::visible(&p.comment))
            }
        });
        let index = (0..names.len()).map(proc_macro2::Literal::usize_unsuffixed);
        let values = if names.is_empty() { quote!(_values) } else { quote!(values) };
        quote! {
            /// The program's `let`s. Each can be set from outside: `--set NAME=EXPR`.
            #[derive(Clone, Debug)]
            pub struct Params {
                #(#[doc = #docs] pub #names: f64,)*
            }

            impl Params {
                fn from_values(#values: &[f64]) -> Self {
                    Params { #(#names: values[#index],)* }
                }
            }
        }
    }

    /// `World::param`, `World::run_defaults`.
    pub fn param_functions(&self) -> TokenStream {
        let scope = Scope::constants(Params::Function);
        let arms = self.ir.params.iter().enumerate().map(|(i, p)| {
            let i = proc_macro2::Literal::usize_unsuffixed(i);
            let value = self.num_tail(&p.value, &scope);
            quote!(#i => #value,)
        });
        let local = Scope::constants(Params::Local);
        let field = |e: &Option<Expr>| match e {
            Some(e) => {
                let e = self.num(e, &local);
                quote!(Some(#e))
            }
            None => quote!(None),
        };
        let run = &self.ir.run;
        let (horizon, warmup) = (field(&run.horizon), field(&run.warmup));
        let (seed, arrivals) = (field(&run.seed), field(&run.arrivals));
        let defaults = quote! {
            RunDefaults { horizon: #horizon, warmup: #warmup, seed: #seed, arrivals: #arrivals }
        };
        let (values, params) = match mentions(&defaults, "p") {
            true => (quote!(values), quote!(let p = Params::from_values(values);)),
            false => (quote!(_values), quote!()),
        };
        let run_defaults = quote! {
            fn run_defaults(#values: &[f64]) -> RunDefaults { #params #defaults }
        };
        if self.ir.params.is_empty() {
            return run_defaults;
        }
        let arms = quote!(#(#arms)*);
        let value = if mentions(&arms, "value") { quote!(value) } else { quote!(_value) };
        quote! {
            fn param(i: usize, #value: &mut dyn FnMut(usize) -> f64) -> f64 {
                match i { #arms _ => f64::NAN }
            }
            #run_defaults
        }
    }

    /// Statements that push a refusal for every check that fails.
    pub fn checks(&self) -> TokenStream {
        let scope = Scope::constants(Params::Local);
        let checks = self.ir.checks.iter().map(|c| {
            let cond = self.truth(&c.cond, &scope);
            let (code, message) = (c.code, &c.message);
            let site = self.site(c.span);
            quote!(check(#cond, #code, #message, #site, &mut refused);)
        });
        quote!(#(#checks)*)
    }

    /// A `let` read where `how` says.
    pub fn param(&self, p: ParamId, how: Params) -> TokenStream {
        let name = &self.names.params[p.index()];
        let i = proc_macro2::Literal::usize_unsuffixed(p.index());
        self.reads_params.set(self.reads_params.get() || how == Params::OfModel);
        match how {
            Params::OfModel => quote!(self.params.#name),
            Params::Local => quote!(p.#name),
            Params::Function => quote!(value(#i)),
        }
    }
}
