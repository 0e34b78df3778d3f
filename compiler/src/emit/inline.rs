//! The program as a module that Rust code calls: what `serq!` becomes.
//!
//! In: the IR and the module's name. Out: tokens, which nobody reads but rustc: inside, the items that a crate would
//! have; around them `Params`, `run` and the report's parts with the program's names as fields. Whatever the calling
//! crate has in scope or warns about is no matter here.

use super::{
    Remarks, comments, items,
    names::{Namespace, snake},
    params::fields,
};
use crate::ir::{Param, Program};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// The module `name`, with `tracked` files as ones that it has to be made anew after.
pub fn emit_inline(program: &Program, name: &Ident, tracked: &[String]) -> TokenStream {
    let about = format!(" The serQ program `{}`.", comments::visible(&program.name));
    let items = items(program, Remarks::Left);
    let (params, run, parts) = (params(program), run(program), parts(program));
    quote! {
        #[doc = #about]
        #[allow(dead_code, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        pub mod #name {
            #[allow(warnings, unused, nonstandard_style, missing_docs, unreachable_pub)]
            #[allow(missing_debug_implementations, missing_copy_implementations)]
            mod program {
                use ::serq_runtime::prelude::*;

                #items
                #(const _: &[u8] = ::core::include_bytes!(#tracked);)*
            }

            pub use self::program::Params;

            #params
            #run
            #parts
        }
    }
}

/// How `Params` come about.
fn params(program: &Program) -> TokenStream {
    let names = fields(program);
    let index = (0..names.len()).map(Literal::usize_unsuffixed);
    let docs = program
        .params
        .iter()
        .map(|param: &Param| format!(" In place of `let {}`.", comments::visible(&param.name)));
    let values = if names.is_empty() { quote!(_values) } else { quote!(values) };
    quote! {
        /// Some of the program's `let`s: `Params::from` takes the others as the program says, so that a `let` that
        /// reads another follows it.
        #[derive(Clone, Debug, Default)]
        pub struct Set {
            #(#[doc = #docs] pub #names: ::core::option::Option<f64>,)*
        }

        impl ::core::convert::From<Set> for Params {
            fn from(set: Set) -> Self {
                let #values = ::serq_runtime::inline::lets::<program::Model>(&[#(set.#names),*]);
                Params { #(#names: values[#index],)* }
            }
        }

        impl ::core::default::Default for Params {
            fn default() -> Self {
                Params::from(Set::default())
            }
        }
    }
}

/// The function that runs it.
fn run(program: &Program) -> TokenStream {
    let names = fields(program);
    let params = if names.is_empty() { quote!(_params) } else { quote!(params) };
    quote! {
        /// Runs the program once.
        ///
        /// # Errors
        /// Settings that no run can have, constants that the program refuses, or an error that the run met.
        pub fn run(
            #params: &Params,
            settings: ::serq_runtime::Settings,
        ) -> ::core::result::Result<Report, ::serq_runtime::RunError> {
            ::serq_runtime::inline::run::<program::Model, Observe, Gauge, Pool, Stage>(
                &[#(#params.#names),*],
                &settings,
            )
        }
    }
}

/// One part of a report: its struct and how it is read from the rows.
struct Part {
    name: &'static str,
    about: &'static str,
    /// Of each field: the program's name, its type and its value.
    fields: Vec<(String, TokenStream, TokenStream)>,
}

impl Part {
    fn emit(self) -> TokenStream {
        let mut space = Namespace::with(&[]);
        let (name, about) = (format_ident!("{}", self.name), self.about);
        let report = if self.fields.is_empty() { quote!(_report) } else { quote!(report) };
        let mut declared = TokenStream::new();
        let mut taken = TokenStream::new();
        for (own, ty, value) in self.fields {
            let field = space.ident(snake(&own));
            let doc = format!(" `{}`", comments::visible(&own));
            declared.extend(quote!(#[doc = #doc] pub #field: #ty,));
            taken.extend(quote!(#field: #value,));
        }
        quote! {
            #[doc = #about]
            #[derive(Clone, Debug)]
            pub struct #name { #declared }

            impl ::serq_runtime::inline::Named for #name {
                fn of(#report: &::serq_runtime::report::SeedReport) -> Self {
                    #name { #taken }
                }
            }
        }
    }
}

/// The report and its parts.
fn parts(program: &Program) -> TokenStream {
    let numbered = |kind: &str, names: Vec<&String>| {
        let kind = format_ident!("{kind}");
        let field = |(i, name): (usize, &String)| {
            let i = Literal::usize_unsuffixed(i);
            let ty = quote!(::serq_runtime::inline::#kind);
            (name.clone(), ty.clone(), quote!(#ty::of(report, #i)))
        };
        names.into_iter().enumerate().map(field).collect()
    };
    let family = |kind: &str, name: &String, single: bool| {
        let kind = format_ident!("{kind}");
        let ty = quote!(::serq_runtime::inline::#kind);
        match single {
            true => (name.clone(), ty.clone(), quote!(#ty::single(report, #name))),
            false => {
                (name.clone(), quote!(::std::vec::Vec<#ty>), quote!(#ty::family(report, #name)))
            }
        }
    };
    let parts = [
        Part {
            name: "Observe",
            about: " What sessions observed.",
            fields: numbered("Observation", program.observes.iter().map(|o| &o.name).collect()),
        },
        Part {
            name: "Gauge",
            about: " The program's gauges.",
            fields: numbered("Gauge", program.gauges.iter().map(|g| &g.name).collect()),
        },
        Part {
            name: "Pool",
            about: " The program's pools.",
            fields: (program.pools.iter())
                .map(|pool| family("Pool", &pool.name, pool.size.is_none()))
                .collect(),
        },
        Part {
            name: "Stage",
            about: " The program's stages.",
            fields: (program.stages.iter())
                .map(|stage| family("Stage", &stage.name, stage.size.is_none()))
                .collect(),
        },
    ];
    let parts = parts.map(Part::emit);
    quote! {
        /// What a run reports.
        pub type Report = ::serq_runtime::inline::Report<Observe, Gauge, Pool, Stage>;

        #(#parts)*
    }
}
