//! Pools' keys (`queue by`, `evict by`), spills, and the gauges.

use super::{
    Emitter,
    scope::{Moment, Scope},
    world::dispatch,
};
use crate::ir::{Evict, Gauge, PoolId};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

impl Emitter<'_> {
    fn pool_ids(&self) -> impl Iterator<Item = PoolId> + use<> {
        (0..self.ir.pools.len() as u32).map(PoolId)
    }

    fn pool_function(&self, what: &str, id: PoolId) -> Ident {
        format_ident!("{what}_{}", self.names.pools[id.index()].to_string().to_lowercase())
    }

    /// One function per pool family and clause.
    pub fn key_functions(&self) -> TokenStream {
        let functions = self.pool_ids().map(|id| {
            let pool = &self.ir.pools[id.index()];
            let mut out = TokenStream::new();
            if let Some(first) = pool.queue_keys.first() {
                let (name, comment) =
                    (self.pool_function("queue_keys", id), self.source_of(first.site));
                let scope = Scope::queue();
                let keys = pool.queue_keys.iter().map(|k| self.num(k, &scope));
                out.extend(quote! {
                    #comment
                    fn #name(&mut self, member: usize, s: Sid, waited: f64) -> Keys {
                        keys([#(#keys),*])
                    }
                });
            }
            if let Evict::By(keys) = &pool.evict {
                let (name, comment) =
                    (self.pool_function("evict_keys", id), self.source_of(keys[0].site));
                let scope = Scope::eviction();
                let keys = keys.iter().map(|k| self.num(k, &scope));
                out.extend(quote! {
                    #comment
                    fn #name(&mut self, member: usize, attrs: &Session, view: &EvictView) -> Keys {
                        keys([#(#keys),*])
                    }
                });
            }
            if let Some(spill) = &pool.spill {
                let (name, comment) =
                    (self.pool_function("spill", id), self.source_of(spill.work.site));
                let scope = Scope::eviction();
                let (when, work) = (self.truth(&spill.when, &scope), self.num(&spill.work, &scope));
                let to = self.pool_key(&spill.to, &scope);
                let via = self.stage_key(&spill.via, &scope);
                out.extend(quote! {
                    #comment
                    fn #name(
                        &mut self, member: usize, attrs: &Session, view: &EvictView,
                    ) -> Option<(PoolKey, StageKey, f64)> {
                        if #when { Some((#to, #via, #work)) } else { None }
                    }
                });
            }
            out
        });
        quote!(#(#functions)*)
    }

    /// The dispatching functions of `World`.
    pub fn key_dispatch(&self) -> TokenStream {
        let arms = |what: &str, args: TokenStream, has: &dyn Fn(PoolId) -> bool| -> TokenStream {
            let arms = self.pool_ids().filter(|id| has(*id)).map(|id| {
                let (pool, name) = (&self.names.pools[id.index()], self.pool_function(what, id));
                quote!(pools::#pool => self.#name(#args),)
            });
            quote!(#(#arms)*)
        };
        let pool = |id: PoolId| &self.ir.pools[id.index()];
        let entry = quote!(pool.member as usize, attrs, view);
        let clauses = [
            (
                quote!(fn queue_keys(&mut self, pool: PoolKey, s: Sid, waited: f64) -> Keys),
                arms("queue_keys", quote!(pool.member as usize, s, waited), &|id| {
                    !pool(id).queue_keys.is_empty()
                }),
                quote!(keys([])),
            ),
            (
                quote!(fn evict_keys(&mut self, pool: PoolKey, attrs: &Session, view: &EvictView) -> Keys),
                arms("evict_keys", entry.clone(), &|id| matches!(pool(id).evict, Evict::By(_))),
                quote!(keys([])),
            ),
            (
                quote! {
                    fn spill(
                        &mut self, pool: PoolKey, attrs: &Session, view: &EvictView,
                    ) -> Option<(PoolKey, StageKey, f64)>
                },
                arms("spill", entry, &|id| pool(id).spill.is_some()),
                quote!(None),
            ),
        ];
        let functions = clauses
            .map(|(signature, arms, rest)| dispatch(signature, quote!(pool.family), arms, rest));
        quote!(#(#functions)*)
    }

    /// `World::read_gauges`, and a method for each group of gauges that are read together if there are several: what
    /// changes one thing calls the one that it is read by.
    pub fn gauges(&self) -> (TokenStream, TokenStream) {
        if self.ir.gauges.is_empty() {
            return (TokenStream::new(), TokenStream::new());
        }
        let all: Vec<(usize, &Gauge, u64)> = self
            .ir
            .gauges
            .iter()
            .zip(&self.plan.gauges)
            .enumerate()
            .map(|(i, (g, b))| (i, g, *b))
            .collect();
        // Neighbours that read the same are read together.
        let groups: Vec<_> = all.chunk_by(|a, b| a.2 == b.2).collect();
        let (mut reads, mut methods) = (Vec::new(), Vec::new());
        for (i, group) in groups.iter().enumerate() {
            let mut read = self.read_together(group);
            if groups.len() > 1 {
                let name = format_ident!("read_gauges_{i}");
                let method = std::mem::replace(&mut read, quote!(self.#name();));
                methods.push(quote! {
                    #[inline]
                    fn #name(&mut self) { #method }
                });
            }
            // A gauge over constants alone is read once, with everything dirty.
            let bits = group[0].2;
            let bits = Literal::u64_unsuffixed(if bits == 0 { u64::MAX } else { bits });
            reads.push(quote!(if dirty & #bits != 0 { #read }));
        }
        if let Some((when, method)) = self.read_all_at_once(&groups) {
            reads.insert(0, quote!(if #when { return self.read_all_gauges(); }));
            methods.push(method);
        }
        let methods = match methods.is_empty() {
            true => TokenStream::new(),
            false => quote!(impl Model { #(#methods)* }),
        };
        let dispatch = quote! {
            #[inline]
            fn read_gauges(&mut self, dirty: u64) { #(#reads)* }
        };
        (dispatch, methods)
    }

    /// A method that reads all gauges in a single pass over a narrow family, where they differ in what they read of it,
    /// and when it is the one to call.
    fn read_all_at_once(
        &self,
        groups: &[&[(usize, &Gauge, u64)]],
    ) -> Option<(TokenStream, TokenStream)> {
        let all = groups.concat();
        if groups.len() < 2 || groups.iter().any(|group| group[0].2 == 0) {
            return None;
        }
        let scope = Scope::machine(Moment::Session);
        let (pass, scope, tables) = self.one_pass(all.iter().map(|(_, g, _)| &g.value), &scope)?;
        let set = self.set_gauges(&all, &scope);
        let method = quote! {
            #[inline]
            fn read_all_gauges(&mut self) { #pass #set }
        };
        let tables = Literal::u64_unsuffixed(tables);
        let bits = groups.iter().map(|group| Literal::u64_unsuffixed(group[0].2));
        let when = quote!(#(dirty & #bits != 0 &&)* narrow(self, #tables));
        Some((when, method))
    }

    /// Reads these gauges, in as few passes over members as there can be.
    fn read_together(&self, group: &[(usize, &Gauge, u64)]) -> TokenStream {
        let scope = Scope::machine(Moment::Session);
        let (passes, scope) = self.passes(group.iter().map(|(_, g, _)| &g.value), &scope);
        let set = self.set_gauges(group, &scope);
        quote!(#passes #set)
    }

    /// Works these gauges out, neighbours, and notes their values.
    fn set_gauges(&self, group: &[(usize, &Gauge, u64)], scope: &Scope) -> TokenStream {
        let names: Vec<_> = match group.len() {
            1 => vec![format_ident!("value")],
            n => (1..=n).map(|i| format_ident!("value_{i}")).collect(),
        };
        let values = group.iter().zip(&names).map(|((_, g, _), name)| {
            let comment = self.source_line(g.span);
            let value = self.num(&g.value, scope);
            quote! {
                #comment
                let #name = #value;
            }
        });
        let first = Literal::usize_unsuffixed(group[0].0);
        let set = match &names[..] {
            [value] => quote!(self.k.set_gauge(#first, #value);),
            _ => quote!(self.k.set_gauges(#first, [#(#names),*]);),
        };
        quote!(#(#values)* #set)
    }
}
