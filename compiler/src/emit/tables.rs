//! Constant tables: numbers of families, holds and states, and the source places of run-time errors.

use super::{Emitter, comments};
use crate::{
    ir::{Evict, Serve, StageId, StageKind},
    plan::{checked_claims, plain_cache, steady_claims, steady_keys},
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

impl Emitter<'_> {
    /// `mod pools`, `mod stages`, `mod holds`, `mod at`, and the table of sites.
    pub fn tables(&self) -> TokenStream {
        let module = |name: TokenStream,
                      doc: &str,
                      ty: TokenStream,
                      names: &[proc_macro2::Ident],
                      docs: Vec<String>| {
            let number = (0..names.len()).map(Literal::usize_unsuffixed);
            quote! {
                #[doc = #doc]
                #[allow(dead_code)]
                mod #name {
                    #(#[doc = #docs] pub const #names: #ty = #number;)*
                }
            }
        };
        let n = &self.names;
        let pools = module(
            quote!(pools),
            " Pool families, in declaration order.",
            quote!(u16),
            &n.pools,
            self.ir.pools.iter().map(|p| format!(" `{}`", p.name)).collect(),
        );
        let stages = module(
            quote!(stages),
            " Stage families, in declaration order.",
            quote!(u16),
            &n.stages,
            self.ir.stages.iter().map(|s| format!(" `{}`", s.name)).collect(),
        );
        let holds = module(
            quote!(holds),
            " Hold statements.",
            quote!(u32),
            &n.holds,
            self.ir
                .holds
                .iter()
                .map(|h| self.doc_line(self.ir.sites[h.site.index()].span))
                .collect(),
        );
        let at = module(
            quote!(at),
            " Where a session goes on.",
            quote!(u32),
            &n.at,
            self.machine.states.iter().map(|s| format!(" {}", s.name.replace('_', " "))).collect(),
        );
        let sites = self.sites.borrow();
        let sites = sites.list.iter().map(|span| {
            let (line, col) = self.ir.sources.line_col(*span);
            let file = self.shown_file(span.file);
            let text = comments::line_of(self.ir.sources.line_text(*span));
            let (line, col) = (Literal::u32_unsuffixed(line), Literal::u32_unsuffixed(col));
            quote!(SourceSite { file: #file, line: #line, col: #col, text: #text },)
        });
        quote! {
            #pools
            #stages
            #holds
            #at

            /// Places in the source that errors of a run point at.
            const SITES: &[SourceSite] = &[#(#sites)*];
        }
    }

    /// `World::POOLS`.
    pub fn pool_specs(&self) -> TokenStream {
        let specs = self.ir.pools.iter().zip(&self.plan.pools).zip(&self.plan.kept.pools).map(|((pool, plan), kept)| {
            let name = &pool.name;
            let single = pool.size.is_none();
            let (cached, grows, lifo) = (plan.cached, plan.grows, pool.lifo);
            let queue_keys = Literal::usize_unsuffixed(pool.queue_keys.len());
            let steady_keys = steady_keys(pool);
            let evict_keys = Literal::usize_unsuffixed(match &pool.evict {
                Evict::Lru => 0,
                Evict::By(keys) => keys.len(),
            });
            let spills = pool.spill.is_some();
            let via = match pool.admit_via {
                None => quote!(None),
                Some(e) => {
                    let stage = &self.names.stages[e.index()];
                    let one = self.ir.stages[e.index()].size.is_none();
                    quote!(Some((stages::#stage, #one)))
                }
            };
            let memory_of = plan.memory_of.iter().map(|s| {
                let s = &self.names.stages[s.index()];
                quote!(stages::#s)
            });
            let blocks = pool.block.is_some();
            let dirty = plan.dirty.map(Literal::u64_unsuffixed);
            let kept = kept.map(Literal::u64_unsuffixed);
            quote! {
                PoolSpec {
                    name: #name, single: #single, cached: #cached, blocks: #blocks, grows: #grows, lifo: #lifo,
                    queue_keys: #queue_keys, steady_keys: #steady_keys, evict_keys: #evict_keys, spills: #spills, via: #via,
                    memory_of: &[#(#memory_of),*], dirty: [#(#dirty),*],
                    kept: [#(#kept),*],
                },
            }
        });
        quote!(const POOLS: &'static [PoolSpec] = &[#(#specs)*];)
    }

    /// `World::STAGES`.
    pub fn stage_specs(&self) -> TokenStream {
        let specs =
            self.ir.stages.iter().zip(&self.plan.stages).enumerate().map(|(i, (stage, plan))| {
                let name = &stage.name;
                let single = stage.size.is_none();
                let kind = match self.stage_type(StageId(i as u32)) {
                    super::members::StageType::Fifo => quote!(Fifo),
                    super::members::StageType::Ps => quote!(Ps),
                    super::members::StageType::Delay => quote!(Delay),
                    super::members::StageType::Step => quote!(Step),
                    super::members::StageType::Link => quote!(Link),
                };
                let (exclusive, only, keys, memory) = match &stage.kind {
                    StageKind::Step(e) => {
                        let memory = match e.memory {
                            None => quote!(None),
                            Some(p) => {
                                let pool = &self.names.pools[p.index()];
                                let one = self.ir.pools[p.index()].size.is_none();
                                quote!(Some((pools::#pool, #one)))
                            }
                        };
                        match &e.serve {
                            Serve::ExclusivePrefill => (true, false, 0, memory),
                            Serve::By { only, keys, .. } => {
                                (false, only.is_some(), keys.len(), memory)
                            }
                        }
                    }
                    StageKind::Fifo(_) | StageKind::Ps(_) | StageKind::Delay => {
                        (false, false, 0, quote!(None))
                    }
                };
                let keys = Literal::usize_unsuffixed(keys);
                let serves = plan.serves.iter().map(|p| {
                    let p = &self.names.pools[p.index()];
                    quote!(pools::#p)
                });
                let cost_site = Literal::u32_unsuffixed(match &stage.kind {
                    StageKind::Step(e) => self.site_of(e.cost.site),
                    StageKind::Fifo(_) | StageKind::Ps(_) | StageKind::Delay => 0,
                });
                let plannable = plan.plannable;
                let dirty = Literal::u64_unsuffixed(plan.dirty);
                let kept = Literal::u64_unsuffixed(self.plan.kept.stages[i]);
                quote! {
                    StageSpec {
                        name: #name, single: #single, kind: StageType::#kind, exclusive: #exclusive,
                        only: #only, serve_keys: #keys, memory: #memory, serves: &[#(#serves),*],
                        plannable: #plannable, cost_site: #cost_site, dirty: #dirty, kept: #kept,
                    },
                }
            });
        quote!(const STAGES: &'static [StageSpec] = &[#(#specs)*];)
    }

    /// `World::HOLDS`.
    pub fn hold_specs(&self) -> TokenStream {
        let specs = self.ir.holds.iter().zip(&self.machine.body_of).map(|(hold, body)| {
            let claims = Literal::usize_unsuffixed(hold.claims.len());
            let caches = hold.cache.is_some();
            let leases = match &hold.lease {
                None => quote!(None),
                Some((i, _)) => {
                    let i = Literal::usize_unsuffixed(*i);
                    quote!(Some(#i))
                }
            };
            let reuses = hold.reuse.is_some();
            let pools = hold.claims.iter().map(|c| {
                let p = &self.names.pools[c.pool.pool.index()];
                quote!(pools::#p)
            });
            let body = &self.names.at[body.index()];
            let site = Literal::u32_unsuffixed(self.site_of(hold.site));
            let steady = steady_claims(hold).into_iter().map(|(u, r)| quote!((#u, #r)));
            let checked = checked_claims(self.ir, hold);
            let plain_cache = plain_cache(hold);
            quote! {
                HoldSpec {
                    claims: #claims, pools: &[#(#pools),*], caches: #caches, plain_cache: #plain_cache,
                    leases: #leases, reuses: #reuses, steady: &[#(#steady),*], checked: &[#(#checked),*],
                    body: at::#body, site: #site,
                },
            }
        });
        quote!(const HOLDS: &'static [HoldSpec] = &[#(#specs)*];)
    }

    /// `World::PARAMS`.
    pub fn param_specs(&self) -> TokenStream {
        let specs = self.ir.params.iter().map(|p| {
            let name = &p.name;
            // The value's own place: another file's when the `let` was overridden.
            let value = self.ir.sites[p.value.site.index()].span;
            let text = &self.ir.sources.file(value.file).text;
            let default = text.get(value.start as usize..value.end as usize).unwrap_or_default();
            let (default, comment) =
                (comments::visible(default.trim()), comments::visible(&p.comment));
            quote!(ParamSpec { name: #name, default: #default, comment: #comment },)
        });
        quote!(const PARAMS: &'static [ParamSpec] = &[#(#specs)*];)
    }
}
