//! What is kept of the members of wide families: its description, and what is read of a member.

use super::{
    Emitter,
    scope::{Moment, Scope},
};
use crate::plan::{Family, Kept};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// The method that reads a member for a table.
pub fn method(table: usize) -> String {
    format!("kept_{table}")
}

impl Emitter<'_> {
    /// A table's number, and the method that reads a member for it.
    pub fn kept_name(&self, table: usize) -> (Literal, Ident) {
        (Literal::usize_unsuffixed(table), format_ident!("{}", method(table)))
    }

    /// `World::KEPT`.
    pub fn kept_specs(&self) -> TokenStream {
        if self.plan.kept.tables.is_empty() {
            return TokenStream::new();
        }
        let specs = self.plan.kept.tables.iter().map(|table| {
            let Kept { keys, of, least, greatest, total, site: _ } = table;
            let of = match of {
                Family::Pool(id) => {
                    let pool = &self.names.pools[id.index()];
                    quote!(KeptOf::Pool(pools::#pool))
                }
                Family::Stage(id) => {
                    let stage = &self.names.stages[id.index()];
                    quote!(KeptOf::Stage(stages::#stage))
                }
            };
            let keys = Literal::usize_unsuffixed(keys.len());
            quote! {
                KeptSpec {
                    of: #of, keys: #keys, least: #least, greatest: #greatest, total: #total,
                },
            }
        });
        quote!(const KEPT: &'static [KeptSpec] = &[#(#specs)*];)
    }

    /// What is read of a member, a method for each table.
    pub fn kept_functions(&self) -> TokenStream {
        let scope = Scope::machine(Moment::Session);
        let functions = self.plan.kept.tables.iter().enumerate().map(|(i, table)| {
            let (_, name) = self.kept_name(i);
            let comment = self.source_of(table.site);
            let keys: Vec<_> = table.keys.iter().map(|key| self.num(key, &scope)).collect();
            let n = Literal::usize_unsuffixed(keys.len());
            quote! {
                #[inline]
                fn #name(&self, member: usize) -> [f64; #n] {
                    #comment
                    [#(#keys),*]
                }
            }
        });
        quote!(#(#functions)*)
    }
}
