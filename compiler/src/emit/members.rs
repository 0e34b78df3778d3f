//! One struct per queue member and one field per top-level family; how the runtime reaches them.

use super::{
    Emitter,
    scope::{Params, Scope},
    world::dispatch,
};
use crate::ir::{PoolId, QueueId, StageId, StageKind};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// A place by family: (family, place) each, the last family being whatever the others are not, which
/// saves a test wherever the runtime reaches for a member. Nothing without a family.
pub fn by_family(arms: Vec<(TokenStream, TokenStream)>) -> TokenStream {
    match &arms[..] {
        [] => TokenStream::new(),
        [(_, place)] => place.clone(),
        [others @ .., (_, place)] => {
            let others = others.iter().map(|(family, place)| quote!(#family => #place,));
            quote!(match key.family { #(#others)* _ => #place })
        }
    }
}

/// The runtime's type of a stage.
#[derive(Clone, Copy, PartialEq)]
pub enum StageType {
    Fifo,
    Ps,
    Delay,
    Step,
    Link,
}

impl Emitter<'_> {
    /// The runtime's type of a stage family.
    pub fn stage_type(&self, id: StageId) -> StageType {
        let stage = &self.ir.stages[id.index()];
        match stage.kind {
            StageKind::Fifo(_) => StageType::Fifo,
            StageKind::Ps(_) if stage.shared => StageType::Link,
            StageKind::Ps(_) => StageType::Ps,
            StageKind::Delay => StageType::Delay,
            StageKind::Step(_) => StageType::Step,
        }
    }

    fn stage_ty(&self, id: StageId) -> TokenStream {
        match self.stage_type(id) {
            StageType::Fifo => quote!(Fifo),
            StageType::Ps => quote!(Ps),
            StageType::Delay => quote!(Delay),
            StageType::Step => quote!(Engine),
            StageType::Link => quote!(Link),
        }
    }

    fn owned(&self, id: QueueId) -> bool {
        let q = &self.ir.queues[id.index()];
        !q.pools.is_empty() || !q.stages.is_empty()
    }

    pub(super) fn owning_queues(&self) -> impl Iterator<Item = QueueId> + '_ {
        (0..self.ir.queues.len()).map(|i| QueueId(i as u32)).filter(|q| self.owned(*q))
    }

    fn top_pools(&self) -> impl Iterator<Item = PoolId> + '_ {
        (0..self.ir.pools.len())
            .map(|i| PoolId(i as u32))
            .filter(|p| self.ir.pools[p.index()].queue.is_none())
    }

    fn top_stages(&self) -> impl Iterator<Item = StageId> + '_ {
        (0..self.ir.stages.len())
            .map(|i| StageId(i as u32))
            .filter(|s| self.ir.stages[s.index()].queue.is_none())
    }

    /// The structs.
    pub fn members(&self) -> TokenStream {
        let queues = self.owning_queues().map(|q| self.queue_struct(q));
        let many = |one: TokenStream, family: bool| if family { quote!(Vec<#one>) } else { one };
        let queue_fields = self.owning_queues().map(|q| {
            let queue = &self.ir.queues[q.index()];
            let (field, ty) =
                (&self.names.queue_fields[q.index()], &self.names.queue_types[q.index()]);
            let ty = many(quote!(#ty), queue.size.is_some());
            let doc = self.doc_line(queue.span);
            quote!(#[doc = #doc] pub #field: #ty,)
        });
        let pool_fields = self.top_pools().map(|p| {
            let pool = &self.ir.pools[p.index()];
            let field = &self.names.pool_fields[p.index()];
            let ty = many(quote!(Pool<Session>), pool.size.is_some());
            let doc = self.doc_line(pool.span);
            quote!(#[doc = #doc] pub #field: #ty,)
        });
        let stage_fields = self.top_stages().map(|s| {
            let stage = &self.ir.stages[s.index()];
            let field = &self.names.stage_fields[s.index()];
            let ty = many(self.stage_ty(s), stage.size.is_some());
            let doc = self.doc_line(stage.span);
            quote!(#[doc = #doc] pub #field: #ty,)
        });
        // Without a reader they are there to be looked at.
        let unread = match self.reads_params.get() {
            true => TokenStream::new(),
            false => quote!(#[allow(dead_code)]),
        };
        quote! {
            #(#queues)*

            /// The whole deployment and its sessions.
            pub struct Model {
                /// The clock, the sessions, what is pending.
                pub k: Kernel,
                /// The settings.
                #unread
                pub params: Params,
                /// Attributes, by session slot.
                pub attrs: Vec<Session>,
                #(#queue_fields)*
                #(#pool_fields)*
                #(#stage_fields)*
            }
        }
    }

    fn queue_struct(&self, id: QueueId) -> TokenStream {
        let queue = &self.ir.queues[id.index()];
        let ty = &self.names.queue_types[id.index()];
        let comment = self.source_line(queue.span);
        let doc = match queue.size {
            Some(_) => format!(" One member of `{}`.", queue.name),
            None => format!(" The queue `{}`.", queue.name),
        };
        let pools = queue.pools.iter().map(|p| {
            let field = &self.names.pool_fields[p.index()];
            let doc = self.doc_line(self.ir.pools[p.index()].span);
            quote!(#[doc = #doc] pub #field: Pool<Session>,)
        });
        let stages = queue.stages.iter().map(|s| {
            let field = &self.names.stage_fields[s.index()];
            let ty = self.stage_ty(*s);
            let doc = self.doc_line(self.ir.stages[s.index()].span);
            quote!(#[doc = #doc] pub #field: #ty,)
        });
        quote! {
            #comment
            #[doc = #doc]
            pub struct #ty { #(#pools)* #(#stages)* }
        }
    }

    /// A pool as a place, `member` being a `usize`.
    pub fn pool_at(&self, id: PoolId, member: &TokenStream) -> TokenStream {
        let pool = &self.ir.pools[id.index()];
        let field = &self.names.pool_fields[id.index()];
        self.place(pool.queue, field, pool.size.is_some(), member)
    }

    /// A stage as a place.
    pub fn stage_at(&self, id: StageId, member: &TokenStream) -> TokenStream {
        let stage = &self.ir.stages[id.index()];
        let field = &self.names.stage_fields[id.index()];
        self.place(stage.queue, field, stage.size.is_some(), member)
    }

    fn place(
        &self,
        queue: Option<QueueId>,
        field: &proc_macro2::Ident,
        family: bool,
        member: &TokenStream,
    ) -> TokenStream {
        match (queue, family) {
            (Some(q), true) => {
                let q = &self.names.queue_fields[q.index()];
                quote!(self.#q[#member].#field)
            }
            (Some(q), false) => {
                let q = &self.names.queue_fields[q.index()];
                quote!(self.#q.#field)
            }
            (None, true) => quote!(self.#field[#member]),
            (None, false) => quote!(self.#field),
        }
    }

    fn len(&self, queue: Option<QueueId>, field: &proc_macro2::Ident, family: bool) -> TokenStream {
        match (queue, family) {
            (_, false) => quote!(1),
            (Some(q), true) => {
                let q = &self.names.queue_fields[q.index()];
                quote!(self.#q.len())
            }
            (None, true) => quote!(self.#field.len()),
        }
    }

    /// Members of a pool family, as code.
    pub fn pool_len(&self, id: PoolId) -> TokenStream {
        let pool = &self.ir.pools[id.index()];
        self.len(pool.queue, &self.names.pool_fields[id.index()], pool.size.is_some())
    }

    /// Members of a stage family, as code.
    pub fn stage_len(&self, id: StageId) -> TokenStream {
        let stage = &self.ir.stages[id.index()];
        self.len(stage.queue, &self.names.stage_fields[id.index()], stage.size.is_some())
    }

    /// The accessors of `World`.
    pub fn accessors(&self) -> TokenStream {
        let pools: Vec<PoolId> = (0..self.ir.pools.len()).map(|i| PoolId(i as u32)).collect();
        let stages: Vec<StageId> = (0..self.ir.stages.len()).map(|i| StageId(i as u32)).collect();
        let member = quote!(key.member as usize);
        let pool_counts = pools.iter().map(|p| {
            let (name, len) = (&self.names.pools[p.index()], self.pool_len(*p));
            quote!(pools::#name => #len,)
        });
        let stage_counts = stages.iter().map(|s| {
            let (name, len) = (&self.names.stages[s.index()], self.stage_len(*s));
            quote!(stages::#name => #len,)
        });
        let pool_arms = |reach: &dyn Fn(TokenStream) -> TokenStream| -> TokenStream {
            let arms = pools.iter().map(|p| {
                let (name, at) = (&self.names.pools[p.index()], self.pool_at(*p, &member));
                (quote!(pools::#name), reach(at))
            });
            by_family(arms.collect())
        };
        // The trait answers for what the program has none of.
        let reaches = |signature: TokenStream, place: TokenStream| match place.is_empty() {
            true => TokenStream::new(),
            false if super::mentions(&place, "key") => {
                quote!(#[inline] #signature { let key = at.key(); #place })
            }
            false => quote!(#[inline] #signature { #place }),
        };
        let pool_fns = [
            dispatch(
                quote!(fn pool_count(&self, f: usize) -> usize),
                quote!(f as u16),
                quote!(#(#pool_counts)*),
                quote!(0),
            ),
            reaches(
                quote!(fn pool(&self, at: impl AtPool) -> &Pool<Session>),
                pool_arms(&|at| quote!(&#at)),
            ),
            reaches(
                quote!(fn pool_mut(&mut self, at: impl AtPool) -> &mut Pool<Session>),
                pool_arms(&|at| quote!(&mut #at)),
            ),
            reaches(
                quote!(fn pool_and_kernel(&mut self, at: impl AtPool) -> (&mut Pool<Session>, &mut Kernel)),
                pool_arms(&|at| quote!((&mut #at, &mut self.k))),
            ),
            dispatch(
                quote!(fn stage_count(&self, f: usize) -> usize),
                quote!(f as u16),
                quote!(#(#stage_counts)*),
                quote!(0),
            ),
        ];
        let kinds = [
            ("fifo", quote!(Fifo), StageType::Fifo),
            ("ps", quote!(Ps), StageType::Ps),
            ("delay", quote!(Delay), StageType::Delay),
            ("engine", quote!(Engine), StageType::Step),
            ("link", quote!(Link), StageType::Link),
        ];
        let stage_fns = kinds.iter().map(|(name, ty, kind)| {
            let arms = |by: TokenStream| -> TokenStream {
                let arms = stages.iter().filter(|s| self.stage_type(**s) == *kind).map(|s| {
                    let (name, at) = (&self.names.stages[s.index()], self.stage_at(*s, &member));
                    (quote!(stages::#name), quote!(#by #at))
                });
                by_family(arms.collect())
            };
            let (get, get_mut) = (format_ident!("{name}"), format_ident!("{name}_mut"));
            let read = reaches(quote!(fn #get(&self, at: impl AtStage) -> &#ty), arms(quote!(&)));
            let write = reaches(
                quote!(fn #get_mut(&mut self, at: impl AtStage) -> &mut #ty),
                arms(quote!(&mut)),
            );
            quote!(#read #write)
        });
        let engine_parts = reaches(
            quote!(
                fn engine_parts(
                    &mut self,
                    at: impl AtStage,
                ) -> (&mut Engine, Option<&mut Pool<Session>>, &mut Kernel)
            ),
            self.engine_parts(),
        );
        quote! {
            #[inline]
            fn kernel(&self) -> &Kernel { &self.k }
            #[inline]
            fn kernel_mut(&mut self) -> &mut Kernel { &mut self.k }
            #(#pool_fns)*
            #(#stage_fns)*
            #engine_parts
            #[inline]
            fn attrs(&self, s: Sid) -> &Session { &self.attrs[s as usize] }
            #[inline]
            fn attrs_mut(&mut self, s: Sid) -> &mut Session {
                let slot = s as usize;
                if slot >= self.attrs.len() { self.attrs.resize_with(slot + 1, Session::default); }
                &mut self.attrs[slot]
            }
        }
    }

    /// `World::new`.
    pub fn constructor(&self) -> TokenStream {
        let scope = Scope::constants(Params::Local);
        let checks = self.checks();
        let new_pool = |p: PoolId| {
            let pool = &self.ir.pools[p.index()];
            let cap = self.num(&pool.cap, &scope);
            let block = pool.block.as_ref().map_or(quote!(0.0), |b| self.num(b, &scope));
            quote!(Pool::new(#cap, #block, settings))
        };
        let new_stage = |s: StageId| {
            let ty = self.stage_ty(s);
            let first = match &self.ir.stages[s.index()].kind {
                StageKind::Fifo(c) => Some(self.num(c, &scope)),
                StageKind::Ps(c) if self.stage_type(s) == StageType::Link => {
                    let capacity = self.num(c, &scope);
                    return quote!(#ty::new(#capacity));
                }
                StageKind::Ps(_) | StageKind::Delay | StageKind::Step(_) => None,
            };
            match first {
                Some(x) => quote!(#ty::new(#x, settings)),
                None => quote!(#ty::new(settings)),
            }
        };
        let many = |one: TokenStream, size: Option<&crate::ir::Expr>| match size {
            Some(n) => {
                let n = self.count(n, &scope);
                quote!((0..#n).map(|_| #one).collect())
            }
            None => one,
        };
        let queues = self.owning_queues().map(|q| {
            let queue = &self.ir.queues[q.index()];
            let (field, ty) =
                (&self.names.queue_fields[q.index()], &self.names.queue_types[q.index()]);
            let pools = queue.pools.iter().map(|p| {
                let (field, new) = (&self.names.pool_fields[p.index()], new_pool(*p));
                quote!(#field: #new,)
            });
            let stages = queue.stages.iter().map(|s| {
                let (field, new) = (&self.names.stage_fields[s.index()], new_stage(*s));
                quote!(#field: #new,)
            });
            let made = many(quote!(#ty { #(#pools)* #(#stages)* }), queue.size.as_ref());
            quote!(#field: #made,)
        });
        let pools = self.top_pools().map(|p| {
            let field = &self.names.pool_fields[p.index()];
            let made = many(new_pool(p), self.ir.pools[p.index()].size.as_ref());
            quote!(#field: #made,)
        });
        let stages = self.top_stages().map(|s| {
            let field = &self.names.stage_fields[s.index()];
            let made = many(new_stage(s), self.ir.stages[s.index()].size.as_ref());
            quote!(#field: #made,)
        });
        let share = match self.ir.share {
            None => quote!(None),
            Some(crate::ir::Policy::Maxmin) => quote!(Some(Share::Maxmin)),
            Some(crate::ir::Policy::Bottleneck) => quote!(Some(Share::Bottleneck)),
        };
        let refused = if self.ir.checks.is_empty() {
            quote!()
        } else {
            quote! {
                let mut refused = Vec::new();
                #checks
                if !refused.is_empty() { return Err(refused); }
            }
        };
        quote! {
            fn new(values: &[f64], settings: &Settings) -> Result<Self, Vec<Refusal>> {
                let p = Params::from_values(values);
                #refused
                Ok(Model {
                    k: Kernel::new(settings, #share),
                    #(#queues)*
                    #(#pools)*
                    #(#stages)*
                    attrs: Vec::new(),
                    params: p,
                })
            }
        }
    }
}
