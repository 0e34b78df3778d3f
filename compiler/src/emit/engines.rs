//! Step engines' functions (budget, chunk, cost, serve order) and `ps` capacities.

use super::{
    Emitter,
    members::by_family,
    mentions,
    scope::{Moment, Scope},
    world::dispatch,
};
use crate::ir::{Expr, Serve, StageId, StageKind, Step};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

impl Emitter<'_> {
    fn steps(&self) -> impl Iterator<Item = (StageId, &Step)> {
        self.ir.stages.iter().enumerate().filter_map(|(i, s)| match &s.kind {
            StageKind::Step(step) => Some((StageId(i as u32), step)),
            StageKind::Fifo(_) | StageKind::Ps(_) | StageKind::Delay => None,
        })
    }

    fn stage_function(&self, what: &str, id: StageId) -> Ident {
        format_ident!("{what}_{}", self.names.stages[id.index()].to_string().to_lowercase())
    }

    /// One function per engine and expression.
    pub fn engine_functions(&self) -> TokenStream {
        let plan = Scope::machine(Moment::Plan);
        let serve = Scope::serve();
        let engines = self.steps().map(|(id, step)| {
            let mut out = TokenStream::new();
            let mut plan_fn = |what: &str, e: &Option<Expr>| {
                let Some(e) = e else { return };
                let (name, comment) = (self.stage_function(what, id), self.source_of(e.site));
                let e = self.num_tail(e, &plan);
                out.extend(quote! {
                    #comment
                    #[inline]
                    fn #name(&mut self, member: usize, totals: &Totals) -> f64 { #e }
                });
            };
            plan_fn("budget", &step.budget);
            plan_fn("chunk", &step.chunk);
            let (name, comment) = (self.stage_function("cost", id), self.source_of(step.cost.site));
            let cost = self.num_tail(&step.cost, &Scope::machine(Moment::Step));
            out.extend(quote! {
                #comment
                #[inline]
                fn #name(&mut self, member: usize, it: &Iteration) -> f64 { #cost }
            });
            if let Serve::By { only, keys, .. } = &step.serve {
                if let Some(only) = only {
                    let name = self.stage_function("only", id);
                    let comment = self.source_of(only.site);
                    let only = self.truth_tail(only, &serve);
                    let session = session_of(&only);
                    out.extend(quote! {
                        #comment
                        fn #name(&mut self, member: usize, totals: &Totals, resident: &Resident) -> bool {
                            #session
                            #only
                        }
                    });
                }
                if !keys.is_empty() {
                    let name = self.stage_function("serve_keys", id);
                    let comment = self.source_of(keys[0].site);
                    let keys = keys.iter().map(|k| self.num(k, &serve));
                    let keys = quote!(keys([#(#keys),*]));
                    let session = session_of(&keys);
                    out.extend(quote! {
                        #comment
                        fn #name(&mut self, member: usize, totals: &Totals, resident: &Resident) -> Keys {
                            #session
                            #keys
                        }
                    });
                }
            }
            out
        });
        let capacities = self.capacities().map(|(id, e)| {
            let (name, comment) = (self.stage_function("capacity", id), self.source_of(e.site));
            let e = self.num_tail(e, &Scope::machine(Moment::Rate));
            quote! {
                #comment
                #[inline]
                fn #name(&mut self, member: usize, present: f64) -> f64 { #e }
            }
        });
        quote!(#(#engines)* #(#capacities)*)
    }

    /// Ps stages that are not shared by flows.
    fn capacities(&self) -> impl Iterator<Item = (StageId, &Expr)> {
        self.ir.stages.iter().enumerate().filter_map(|(i, s)| match &s.kind {
            StageKind::Ps(e) if !s.shared => Some((StageId(i as u32), e)),
            StageKind::Ps(_) | StageKind::Fifo(_) | StageKind::Delay | StageKind::Step(_) => None,
        })
    }

    /// `World::on_engine` and `World::on_station`: an operation compiled for each family of engines, of other stages.
    fn by_family(&self) -> TokenStream {
        let engines = self.steps().map(|(id, _)| &self.names.stages[id.index()]);
        let stations = self.ir.stages.iter().zip(&self.names.stages).filter_map(|(s, name)| {
            let station = match &s.kind {
                StageKind::Fifo(_) | StageKind::Delay => true,
                StageKind::Ps(_) => !s.shared,
                StageKind::Step(_) => false,
            };
            station.then_some(name)
        });
        let engines = each_family(quote!(on_engine), &engines.collect::<Vec<_>>());
        let stations = each_family(quote!(on_station), &stations.collect::<Vec<_>>());
        quote!(#engines #stations)
    }

    /// `World::engine_parts`: an engine, its memory pool and the kernel, each on its own.
    pub fn engine_parts(&self) -> TokenStream {
        let member = quote!(key.member as usize);
        let arms = self.steps().map(|(id, step)| {
            let stage = &self.ir.stages[id.index()];
            let (name, engine) = (&self.names.stages[id.index()], self.stage_at(id, &member));
            let Some(p) = step.memory else {
                return (quote!(stages::#name), quote!((&mut #engine, None, &mut self.k)));
            };
            let pool = &self.ir.pools[p.index()];
            let parts = match (stage.queue, pool.queue) {
                (Some(q), Some(of)) if q == of && stage.size.is_some() && pool.size.is_some() => {
                    let queue = &self.names.queue_fields[q.index()];
                    let engine = &self.names.stage_fields[id.index()];
                    let pool = &self.names.pool_fields[p.index()];
                    quote!({
                        let one = &mut self.#queue[#member];
                        (&mut one.#engine, Some(&mut one.#pool), &mut self.k)
                    })
                }
                _ => {
                    let pool = self.pool_at(p, &member);
                    quote!((&mut #engine, Some(&mut #pool), &mut self.k))
                }
            };
            (quote!(stages::#name), parts)
        });
        by_family(arms.collect())
    }

    /// The dispatching functions of `World`.
    pub fn engine_dispatch(&self) -> TokenStream {
        let arms = |what: &str, args: TokenStream, has: &dyn Fn(&Step) -> bool| -> TokenStream {
            let arms = self.steps().filter(|(_, step)| has(step)).map(|(id, _)| {
                let (stage, name) = (&self.names.stages[id.index()], self.stage_function(what, id));
                quote!(stages::#stage => self.#name(#args),)
            });
            quote!(#(#arms)*)
        };
        let by = |s: &Step| match &s.serve {
            Serve::ExclusivePrefill => (false, false),
            Serve::By { only, keys, .. } => (only.is_some(), !keys.is_empty()),
        };
        let totals = quote!(at.key().member as usize, totals);
        let resident = quote!(at.key().member as usize, totals, resident);
        let capacity = self.capacities().map(|(id, _)| {
            let (stage, name) =
                (&self.names.stages[id.index()], self.stage_function("capacity", id));
            quote!(stages::#stage => self.#name(at.key().member as usize, present),)
        });
        let capacities = dispatch(
            quote!(fn ps_capacity(&mut self, at: impl AtStage, present: f64) -> f64),
            quote!(at.key().family),
            quote!(#(#capacity)*),
            quote!(0.0),
        );
        let families = [
            (
                quote!(fn budget(&mut self, at: impl AtStage, totals: &Totals) -> f64),
                arms("budget", totals.clone(), &|s| s.budget.is_some()),
                quote!(f64::INFINITY),
            ),
            (
                quote!(fn chunk(&mut self, at: impl AtStage, totals: &Totals) -> f64),
                arms("chunk", totals, &|s| s.chunk.is_some()),
                quote!(0.0),
            ),
            (
                quote!(fn cost(&mut self, at: impl AtStage, it: &Iteration) -> f64),
                arms("cost", quote!(at.key().member as usize, it), &|_| true),
                quote!(0.0),
            ),
            (
                quote!(fn serve_keys(&mut self, at: impl AtStage, totals: &Totals, resident: &Resident) -> Keys),
                arms("serve_keys", resident.clone(), &|s| by(s).1),
                quote!(keys([])),
            ),
            (
                quote!(fn only(&mut self, at: impl AtStage, totals: &Totals, resident: &Resident) -> bool),
                arms("only", resident, &|s| by(s).0),
                quote!(true),
            ),
        ];
        let functions = families.map(|(signature, arms, rest)| {
            dispatch(signature, quote!(at.key().family), arms, rest)
        });
        let by_family = self.by_family();
        quote!(#capacities #(#functions)* #by_family)
    }
}

/// A function of `World` that does an operation by code made for the family that a stage is of.
fn each_family(name: TokenStream, families: &[&Ident]) -> TokenStream {
    let Some((last, others)) = families.split_last() else { return TokenStream::new() };
    let at = |family: &Ident| quote!(op.run(self, StageAt::<{ stages::#family }>(stage.member)));
    let (arms, rest) = (others.iter().map(|f| at(f)), at(last));
    let body = match others.is_empty() {
        true => rest,
        false => quote! {
            match stage.family { #(stages::#others => #arms,)* _ => #rest }
        },
    };
    quote! {
        #[inline]
        fn #name<O: OnStage<Self>>(&mut self, stage: StageKey, op: O) -> O::Out { #body }
    }
}

/// The resident's session as `s`, if that is read.
fn session_of(tokens: &TokenStream) -> TokenStream {
    if mentions(tokens, "s") { quote!(let s = resident.session;) } else { quote!() }
}
