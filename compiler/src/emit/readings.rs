//! Readings of pools, stages and the moment, and the members that references name.

use super::{
    Emitter,
    scope::{Moment, Scope},
};
use crate::ir::{Builtin, Ctx, Expr, ExprKind, PoolFn, PoolRef, StageFn, StageId, StageRef};
use crate::plan::same_constant;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

impl Emitter<'_> {
    pub fn pool_reading(&self, f: PoolFn, r: &PoolRef, scope: &Scope) -> TokenStream {
        if let PoolFn::CachedIn | PoolFn::Leased = f {
            let function = match f {
                PoolFn::Leased => quote!(leased_in),
                _ => quote!(cached_in),
            };
            let (setup, key) = self.hoisted(self.pool_by_type(r, scope), quote!(pool));
            let read = quote!(#function(self, #key, s));
            return if setup.is_empty() { read } else { quote!({ #setup #read }) };
        }
        let (setup, place) = self.pool_place(r, scope);
        let read = match f {
            PoolFn::Used => quote!(#place.used),
            PoolFn::Free => quote!(#place.free()),
            PoolFn::Holders => quote!(#place.holders()),
            PoolFn::Queued => quote!(#place.queued()),
            PoolFn::BlockSize => quote!(#place.block()),
            PoolFn::CachedIn | PoolFn::Leased => unreachable!("read above"),
        };
        if setup.is_empty() { read } else { quote!({ #setup #read }) }
    }

    pub fn stage_reading(&self, f: StageFn, r: &StageRef, scope: &Scope) -> TokenStream {
        if matches!(f, StageFn::EstLambda | StageFn::EstRho | StageFn::EstWait) {
            self.reads_estimates.set(true);
        }
        let (setup, key) = self.hoisted(self.stage_by_type(r, scope), quote!(stage));
        let function = match f {
            StageFn::Queue => quote!(stage_queue),
            StageFn::Busy => quote!(stage_busy),
            StageFn::Work => quote!(stage_work),
            StageFn::BudgetLeft => quote!(budget_left),
            StageFn::KvDecode => quote!(kv_decode),
            StageFn::KvPrefill => quote!(kv_prefill),
            StageFn::EstLambda => quote!(est_lambda),
            StageFn::EstRho => quote!(est_rho),
            StageFn::EstWait => quote!(est_wait),
            StageFn::Up => {
                let (setup, key) = self.hoisted(self.stage_key(r, scope), quote!(stage));
                let read = quote!(stage_up(self, #key));
                return if setup.is_empty() { read } else { quote!({ #setup #read }) };
            }
        };
        let read = quote!(#function(self, #key));
        if setup.is_empty() { read } else { quote!({ #setup #read }) }
    }

    /// A key whose index must be checked comes first, in a `let` of its own.
    fn hoisted(&self, key: TokenStream, name: TokenStream) -> (TokenStream, TokenStream) {
        if checked(&key) { (quote!(let #name = #key;), name) } else { (quote!(), key) }
    }

    /// The member a reference names, as a `usize`; `size` is its family's size, `len` the same as code.
    pub fn member(
        &self,
        index: Option<&Expr>,
        size: Option<&Expr>,
        len: TokenStream,
        site: u32,
        scope: &Scope,
    ) -> TokenStream {
        let (Some(index), Some(size)) = (index, size) else { return quote!(0) };
        if let ExprKind::Nic(stage, member, rank) = &index.kind {
            return self.nic(*stage, member.as_deref(), rank, site, scope);
        }
        if matches!(index.kind, ExprKind::Member) {
            return quote!(member);
        }
        if let Some((_, name, below)) = scope.bound(index)
            && same_constant(below, size)
        {
            return quote!(#name);
        }
        if let ExprKind::Attr(a) = index.kind
            && self.plan.indices[a.index()].as_ref().is_some_and(|n| same_constant(n, size))
        {
            return self.attr(a, scope);
        }
        let x = self.num(index, scope);
        let who = scope.who();
        let site = Literal::u32_unsuffixed(site);
        quote!({ let index = #x; self.k.index(index, #len, #who, #site) })
    }

    /// A NIC's number among those of all members.
    fn nic(
        &self,
        stage: StageId,
        member: Option<&Expr>,
        rank: &Expr,
        site: u32,
        scope: &Scope,
    ) -> TokenStream {
        let Some(ranks) = &self.ir.stages[stage.index()].ranks else { return quote!(0) };
        let each = self.count(&ranks.each, scope);
        let rank = match rank.kind {
            ExprKind::Num(0.0) => None,
            _ => Some(self.member(Some(rank), Some(&ranks.each), each.clone(), site, scope)),
        };
        let first = member.zip(ranks.members.as_ref()).map(|(member, members)| {
            let count = self.count(members, scope);
            let member = self.member(Some(member), Some(members), count, site, scope);
            quote!(#member * (#each))
        });
        match (first, rank) {
            (Some(first), Some(rank)) => quote!(#first + #rank),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => quote!(0),
        }
    }

    /// One end of a read that crosses all NICs: its first one, and how many there are.
    pub fn fan_end(&self, end: &StageRef, scope: &Scope) -> TokenStream {
        let each = match &self.ir.stages[end.stage.index()].ranks {
            Some(ranks) => self.count(&ranks.each, scope),
            None => quote!(1),
        };
        let first = self.stage_key(end, scope);
        quote!((#first, #each))
    }

    /// `let`s that must come first, and the pool as a place.
    fn pool_place(&self, r: &PoolRef, scope: &Scope) -> (TokenStream, TokenStream) {
        let family = &self.ir.pools[r.pool.index()];
        let member = self.pool_member(r, scope);
        if family.size.is_none() || !checked(&member) {
            return (quote!(), self.pool_at(r.pool, &member));
        }
        (quote!(let at = #member;), self.pool_at(r.pool, &quote!(at)))
    }

    fn pool_member(&self, r: &PoolRef, scope: &Scope) -> TokenStream {
        let size = self.ir.pools[r.pool.index()].size.as_ref();
        let site = self.site_of(r.site);
        self.member(r.index.as_deref(), size, self.pool_len(r.pool), site, scope)
    }

    /// A reference as a `PoolKey`.
    pub fn pool_key(&self, r: &PoolRef, scope: &Scope) -> TokenStream {
        let family = &self.names.pools[r.pool.index()];
        let member = self.pool_member(r, scope);
        quote!(PoolKey::new(pools::#family, #member))
    }

    /// A reference as a `PoolAt`.
    pub fn pool_by_type(&self, r: &PoolRef, scope: &Scope) -> TokenStream {
        let family = &self.names.pools[r.pool.index()];
        let member = self.pool_member(r, scope);
        quote!(PoolAt::<{ pools::#family }>::new(#member))
    }

    /// A reference as a `StageAt`.
    pub fn stage_by_type(&self, r: &StageRef, scope: &Scope) -> TokenStream {
        let family = &self.names.stages[r.stage.index()];
        let member = self.stage_member(r, scope);
        quote!(StageAt::<{ stages::#family }>::new(#member))
    }

    fn stage_member(&self, r: &StageRef, scope: &Scope) -> TokenStream {
        let size = self.ir.stages[r.stage.index()].size.as_ref();
        let site = self.site_of(r.site);
        self.member(r.index.as_deref(), size, self.stage_len(r.stage), site, scope)
    }

    /// A reference as a `StageKey`.
    pub fn stage_key(&self, r: &StageRef, scope: &Scope) -> TokenStream {
        let family = &self.names.stages[r.stage.index()];
        let member = self.stage_member(r, scope);
        quote!(StageKey::new(stages::#family, #member))
    }
}

/// A member's number that is checked where it stands.
fn checked(member: &TokenStream) -> bool {
    member.to_string().contains("let index")
}

/// A built-in attribute.
pub fn builtin(b: Builtin, scope: &Scope) -> TokenStream {
    let field = match b {
        Builtin::Serial => quote!(serial),
        Builtin::TurnNo => quote!(turn_no),
        Builtin::Cached => quote!(cached),
        Builtin::Computed => quote!(computed),
        Builtin::New => quote!(new),
        Builtin::Out => quote!(out),
        Builtin::Think => quote!(think),
        Builtin::More => quote!(more),
        Builtin::Forced => quote!(forced),
    };
    if scope.entry { quote!(view.b.#field) } else { quote!(self.k.control(s).b.#field) }
}

/// A name that exists at this moment only.
pub fn ctx(c: Ctx, scope: &Scope) -> TokenStream {
    let totals = match scope.moment {
        Moment::Step => quote!(it),
        Moment::Session
        | Moment::Queue
        | Moment::Eviction
        | Moment::Rate
        | Moment::Plan
        | Moment::Serve => quote!(totals),
    };
    match c {
        Ctx::Now => quote!(self.k.now),
        Ctx::Waited => quote!(waited),
        Ctx::Size => quote!(view.size),
        Ctx::Age => quote!(view.age),
        Ctx::Last => quote!(view.last),
        Ctx::Waiting => quote!(view.waiting),
        Ctx::Present => quote!(present),
        Ctx::Residents => quote!(#totals.residents),
        Ctx::Decoders => quote!(#totals.decoders),
        Ctx::KvDecode => quote!(#totals.kv_decode),
        Ctx::KvPrefill => quote!(#totals.kv_prefill),
        Ctx::Decoding => quote!(resident.decoding),
        Ctx::Admission => quote!(resident.admission),
        Ctx::Remaining => quote!(resident.remaining),
        Ctx::Tokens => quote!(it.tokens),
        Ctx::Prefilled => quote!(it.prefilled),
        Ctx::Attention => quote!(it.attention),
    }
}
