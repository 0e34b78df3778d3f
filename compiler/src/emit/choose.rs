//! `choose`: the member with the least keys, from a loop over all or from what is kept of them.

use super::{Emitter, scope::Scope};
use crate::{
    ir::{AttrId, Expr, ExprKind, QueueId, Ty},
    plan::{Index, same_constant},
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

impl Emitter<'_> {
    /// `choose attr in count by (keys)`.
    pub fn choose(&self, attr: AttrId, count: &Expr, keys: &[Expr], scope: &Scope) -> TokenStream {
        let name = &self.names.attrs[attr.index()];
        let candidate = self.local(attr);
        let site = Literal::u32_unsuffixed(self.site_of(count.site));
        let inner = scope.choosing(attr, candidate.clone(), count.clone());
        let table = self.plan.kept.table(self.ir, Index::Candidate(attr), count, keys);
        let keys: Vec<_> = keys.iter().map(|k| self.num(k, &inner)).collect();
        let n = Literal::usize_unsuffixed(keys.len());
        let count = match self.plan.indices[attr.index()] {
            Some(_) => self.members_of(count).unwrap_or_else(|| self.count(count, scope)),
            None => {
                let count = self.num(count, scope);
                quote!({ let count = #count; self.k.count(count, Some(s), #site) })
            }
        };
        let chosen = match self.ir.attrs[attr.index()].ty {
            Ty::Num if self.plan.indices[attr.index()].is_some() => quote!(best),
            Ty::Num => quote!(best as f64),
            Ty::Bool => quote!(best != 0),
        };
        let set = quote!(self.attrs[s as usize].#name = #chosen;);
        let all = quote! {
            let count = #count;
            let (mut best, mut least) = (0, [0.0; #n]);
            for #candidate in 0..count {
                let keys = [#(#keys),*];
                if #candidate == 0 || less(&keys, &least) {
                    (best, least) = (#candidate, keys);
                }
            }
        };
        match table {
            None => quote!({ #all #set }),
            Some(table) => {
                let (i, [of_each, own]) = self.kept_name(table);
                let kept = match self.plan.kept.tables[table].own {
                    Some(_) => quote!(kept_choice_for(self, #i, s, Self::#of_each, Self::#own)),
                    None => quote!(kept_choice(self, #i, Self::#of_each)),
                };
                quote!({
                    let best = if let Some(best) = #kept {
                        best
                    } else {
                        #all
                        best
                    };
                    #set
                })
            }
        }
    }

    /// The members of a queue that is as wide as a `let` says: so many they are, at hand as a whole number.
    fn members_of(&self, count: &Expr) -> Option<TokenStream> {
        if !matches!(count.kind, ExprKind::Param(_)) {
            return None;
        }
        let wide = |q: &QueueId| {
            let size = self.ir.queues[q.index()].size.as_ref();
            size.is_some_and(|size| same_constant(size, count))
        };
        let queue = self.owning_queues().find(wide)?;
        let field = &self.names.queue_fields[queue.index()];
        Some(quote!(self.#field.len()))
    }
}
