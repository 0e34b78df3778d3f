//! What is kept of the members of wide families: its description, and what is read of a member.

use super::{
    Emitter,
    scope::{Moment, Scope},
};
use crate::plan::{Family, Kept};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// The methods that read a member for a table: whoever asks, and for a session that may have something
/// cached there.
pub fn methods(table: usize) -> [String; 2] {
    [format!("kept_{table}"), format!("keys_{table}")]
}

impl Emitter<'_> {
    /// A table's number, and the methods that read a member for it.
    pub fn kept_name(&self, table: usize) -> (Literal, [Ident; 2]) {
        let names = methods(table).map(|name| format_ident!("{name}"));
        (Literal::usize_unsuffixed(table), names)
    }

    /// `World::KEPT`.
    pub fn kept_specs(&self) -> TokenStream {
        if self.plan.kept.tables.is_empty() {
            return TokenStream::new();
        }
        let specs = self.plan.kept.tables.iter().map(|table| {
            let Kept { keys, own: _, of, least, greatest, total, site: _ } = table;
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
            let (_, [name, own_name]) = self.kept_name(i);
            let comment = self.source_of(table.site);
            let keys: Vec<_> = table.keys.iter().map(|key| self.num(key, &scope)).collect();
            let n = Literal::usize_unsuffixed(keys.len());
            let own = table.own.iter().map(|own| {
                let keys = own.iter().map(|key| self.num(key, &Scope::session()));
                quote! {
                    #[inline]
                    fn #own_name(&mut self, member: usize, s: Sid) -> [f64; #n] {
                        #comment
                        [#(#keys),*]
                    }
                }
            });
            let own: TokenStream = own.collect();
            quote! {
                #[inline]
                fn #name(&self, member: usize) -> [f64; #n] {
                    #comment
                    [#(#keys),*]
                }
                #own
            }
        });
        quote!(#(#functions)*)
    }
}
