//! Holds: claims, admission bindings, the scope, and what is cached and leased at its end.

use super::bindings::{Binding, Phase};
use super::context::{At, Resolver};
use super::errors;
use super::functions;
use super::moments::Moment;
use super::refs::{Use, Written};
use super::scope::{Given, ScopeId, ScopeKind};
use super::terms::{every_part, same_member};
use crate::ir::{self, Builtin, HoldId, PoolRef, StmtKind};
use crate::span::Span;
use crate::syntax::ast;

impl<'a> Resolver<'a> {
    /// `hold … { … } cache … lease …`
    pub fn hold(&mut self, hold: &'a ast::Hold, span: Span, scope: ScopeId, out: &mut ir::Block) {
        let id = self.new_hold(span, scope, self.holding.last().copied());
        let first = self.bindings.len();
        let inner = self.bind(hold, scope);
        let bound = first..self.bindings.len();

        self.header(&hold.claims, hold.reuse.as_ref(), id, inner);
        self.enter_phase(bound.clone(), Phase::Body);
        self.holding.push(id);
        let mut body = self.inner_block(&hold.body, inner);
        self.holding.pop();
        let named = hold.claims.first().map_or(hold.body.span, |claim| claim.pool.span);
        self.check_steady(named, id, &body, scope);
        self.keep_bindings(bound.clone(), &mut body);
        self.enter_phase(bound, Phase::Text);

        if let Some(cache) = &hold.cache {
            let cache = self.expr(cache, Self::session_at(inner, "a `cache` clause"));
            self.program.holds[id.index()].cache = cache;
        }
        if let Some(lease) = &hold.lease {
            self.lease(id, lease, inner);
        }
        self.push(StmtKind::Hold { hold: id, body }, span, scope, out);
    }

    /// A hold of which nothing is known yet.
    pub fn new_hold(&mut self, span: Span, scope: ScopeId, parent: Option<HoldId>) -> HoldId {
        let id = HoldId(self.program.holds.len() as u32);
        let site = self.site(span, scope);
        let (claims, reuse, cache, lease, renew) = (Vec::new(), None, None, None, None);
        self.program.holds.push(ir::Hold { claims, reuse, cache, lease, renew, parent, site });
        id
    }

    /// One frame per admission binding, each reading those before it.
    fn bind(&mut self, hold: &'a ast::Hold, scope: ScopeId) -> ScopeId {
        let queue = self.entry_of(scope).and_then(|id| match &self.frame(id).kind {
            ScopeKind::Entry(entry) => Some(entry.queue),
            _ => None,
        });
        let first = self.bindings.len();
        let mut inner = scope;
        for (name, expr) in &hold.bindings {
            if let Some(what) = self.binding_taken(name, scope, first) {
                self.report(errors::holds::binding_taken(name, what), scope);
            }
            let at = Self::at(inner, Moment::Header("an admission binding"));
            let value = self.expr(expr, at);
            self.note_binding(name, value.as_ref());
            let given = Given { expr, scope: inner };
            let binding = self.bindings.len();
            self.bindings.push(Binding {
                name,
                given,
                value,
                phase: Phase::Text,
                queue,
                kept: None,
            });
            inner = self.scope(Some(inner), ScopeKind::Binding { binding });
        }
        inner
    }

    /// What a binding's name already means, if anything: it needs a name of its own.
    fn binding_taken(
        &self,
        name: &ast::Name,
        scope: ScopeId,
        first: usize,
    ) -> Option<&'static str> {
        let said = name.kind.as_str();
        if self.bindings[first..].iter().any(|binding| binding.name.kind == said) {
            return Some("a binding of this hold");
        }
        if let Some(what) = self.taken_by_language(said) {
            return Some(what);
        }
        if let Some(symbol) = self.symbol(said) {
            return Some(symbol.describe());
        }
        if let Some(ScopeKind::Entry(entry)) = self.entry_of(scope).map(|id| &self.frame(id).kind) {
            if entry.params.iter().any(|param| param.name.kind == said) {
                return Some("a parameter of the entry");
            }
            return self.given_by_text(Some(entry.queue), said);
        }
        self.given_by_text(None, said)
    }

    /// Whether a statement gives an attribute of that name.
    fn given_by_text(&self, queue: Option<ir::QueueId>, name: &str) -> Option<&'static str> {
        self.known_attribute(queue, name).map(|_| "an attribute")
    }

    /// Whether a binding of that name is in scope.
    pub fn binding_in_scope(&self, name: &str, scope: ScopeId) -> bool {
        let mut next = Some(scope);
        while let Some(id) = next {
            match &self.frame(id).kind {
                ScopeKind::Binding { binding } if self.bindings[*binding].name.kind == name => {
                    return true;
                }
                ScopeKind::Item { .. }
                | ScopeKind::Request { .. }
                | ScopeKind::Entry(_)
                | ScopeKind::Queue { .. }
                | ScopeKind::Family { .. } => return false,
                ScopeKind::Binding { .. } | ScopeKind::Def { .. } | ScopeKind::Aggregate { .. } => {
                }
            }
            next = self.frame(id).parent;
        }
        false
    }

    fn enter_phase(&mut self, bindings: std::ops::Range<usize>, phase: Phase) {
        for binding in &mut self.bindings[bindings] {
            binding.phase = phase;
        }
    }

    /// Claims and `reuse`.
    pub fn header(
        &mut self,
        claims: &'a [ast::Claim],
        reuse: Option<&'a ast::Expr>,
        id: HoldId,
        scope: ScopeId,
    ) {
        for claim in claims {
            let at = Self::at(scope, Moment::Header("a hold's units"));
            let written = Written::of_ref(&claim.pool, scope);
            let pool = self.pool(written, Use::Act("hold"), at);
            let units = self.amount(&claim.units, at, "number of units");
            let reserve = claim.reserve.as_ref().map(|reserve| {
                let at = Self::at(scope, Moment::Header("a hold's `reserve`"));
                self.amount(reserve, at, "reserve")
            });
            let Some(pool) = pool else {
                self.unclear_holds.insert(id);
                continue;
            };
            // What is wrong is reported; the claim stays, so that nothing else looks wrong for it.
            let units = units.unwrap_or_else(|| super::terms::number(0.0, pool.site));
            let reserve = reserve.flatten();
            self.check_fits(pool.pool, &units, claim.units.span);
            if let (Some(reserve), Some(said)) = (&reserve, &claim.reserve) {
                self.check_fits(pool.pool, reserve, said.span);
            }
            let twice = self.program.holds[id.index()]
                .claims
                .iter()
                .any(|other| same_member(&other.pool, &pool));
            if twice {
                self.report(errors::holds::pool_twice(claim.pool.span), scope);
                continue;
            }
            let claim = ir::Claim { pool, units, reserve };
            self.program.holds[id.index()].claims.push(claim);
        }
        if let Some(reuse) = reuse {
            let at = Self::at(scope, Moment::Header("a hold's `reuse`"));
            let reuse = self.expr(reuse, at);
            self.program.holds[id.index()].reuse = reuse;
        }
    }

    /// The member that a hold takes is read again while it lasts, so its body leaves the index be: it sets nothing that
    /// the index reads, directly or by a turn, nor by a hold in it, which changes what is cached and computed.
    pub fn check_steady(&mut self, span: Span, id: HoldId, body: &ir::Block, scope: ScopeId) {
        let mut read = Vec::new();
        for claim in &self.program.holds[id.index()].claims {
            if let Some(index) = &claim.pool.index {
                own_values(index, &mut read);
            }
        }
        if read.is_empty() {
            return;
        }
        let mut changed = None;
        let mut changes = |what: Own| {
            if read.contains(&what) {
                changed = Some(what);
            }
        };
        super::types::each_own_stmt(body, &mut |stmt| match &stmt.kind {
            StmtKind::Set { attr, .. } | StmtKind::Choose { attr, .. } => changes(Own::Set(*attr)),
            StmtKind::Hold { .. } | StmtKind::Open { .. } => {
                changes(Own::Given(Builtin::Cached));
                changes(Own::Given(Builtin::Computed));
            }
            StmtKind::Turn => {
                of_turn().for_each(|one| changes(Own::Given(one)));
                super::types::each_stmt(&self.program.workload.turn, &mut |stmt| {
                    if let StmtKind::Set { attr, .. } = &stmt.kind {
                        changes(Own::Set(*attr));
                    }
                });
            }
            _ => {}
        });
        let Some(changed) = changed else { return };
        let name = self.own_name(changed);
        self.report(errors::holds::index_moves(span, &name), scope);
    }

    /// The name of a value of the session's own.
    pub fn own_name(&self, own: Own) -> String {
        match own {
            Own::Set(attr) => self.program.attrs[attr.index()].name.clone(),
            Own::Given(builtin) => functions::name_of(builtin).to_owned(),
        }
    }

    /// A pool that is given back: held around, or leased by some hold.
    pub fn released(&mut self, pool: &'a ast::Ref, at: At) -> Option<PoolRef> {
        let found = self.pool(Written::of_ref(pool, at.scope), Use::Act("release"), at)?;
        let holds = self.holding.iter().map(|id| &self.program.holds[id.index()]);
        let takes = |claim: &ir::Claim| claim.pool.pool == found.pool;
        if !holds.into_iter().any(|hold| hold.claims.iter().any(takes)) {
            self.loose_releases.push((found.pool, pool.span, at.scope));
        }
        Some(found)
    }

    /// A release outside any hold of its pool ends a lease, so something leases the pool.
    pub fn check_releases(&mut self) {
        // After other errors the leases may not be known.
        if self.failed() {
            return;
        }
        for (pool, span, scope) in std::mem::take(&mut self.loose_releases) {
            let leases = |hold: &ir::Hold| {
                let claim = hold.lease.as_ref().map(|(claim, _)| *claim);
                claim.is_some_and(|claim| hold.claims[claim].pool.pool == pool)
            };
            if !self.program.holds.iter().any(leases) {
                let name = self.program.pools[pool.index()].name.clone();
                self.report(errors::holds::nothing_to_release(span, &name), scope);
            }
        }
    }

    /// `lease POOL (t) renew (period, extension)`
    pub fn lease(&mut self, id: HoldId, lease: &'a ast::Lease, scope: ScopeId) {
        let at = Self::session_at(scope, "a `lease`");
        let (pool, time) = (&lease.pool, self.expr(&lease.time, at));
        self.program.holds[id.index()].renew = self.renewal(lease.renew.as_ref(), scope);
        let leased = self.pool(Written::of_ref(pool, scope), Use::Act("lease"), at);
        let (Some(time), Some(leased)) = (time, leased) else { return };
        let claims = &self.program.holds[id.index()].claims;
        match claims.iter().position(|claim| same_member(&claim.pool, &leased)) {
            Some(claim) => self.program.holds[id.index()].lease = Some((claim, time)),
            None if self.unclear_holds.contains(&id) => {}
            None => self.report(errors::holds::lease_not_held(pool.span), scope),
        }
    }

    /// A pool that an enclosing hold takes, written as that hold writes it.
    pub fn held(&mut self, pool: &'a ast::Ref, verb: &'static str, at: At) -> Option<PoolRef> {
        let found = self.pool(Written::of_ref(pool, at.scope), Use::Act(verb), at)?;
        let holds = self.holding.iter().map(|id| &self.program.holds[id.index()]);
        let claimed = |other: &ir::Claim| same_member(&other.pool, &found);
        if holds.into_iter().any(|hold| hold.claims.iter().any(claimed)) {
            return Some(found);
        }
        if !self.holding.iter().any(|id| self.unclear_holds.contains(id)) {
            let name = self.program.pools[found.pool.index()].name.clone();
            self.report(errors::holds::not_held(pool.span, verb, &name), at.scope);
        }
        None
    }
}

/// A value of the session's own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Own {
    /// That some statement sets.
    Set(ir::AttrId),
    /// That is built in.
    Given(Builtin),
}

/// What a turn changes of the built-in attributes.
pub(super) fn of_turn() -> impl Iterator<Item = Builtin> {
    [Builtin::TurnNo, Builtin::New, Builtin::Out, Builtin::Think, Builtin::More, Builtin::Forced]
        .into_iter()
}

/// The session's own values that an expression reads.
pub(super) fn own_values(expr: &ir::Expr, out: &mut Vec<Own>) {
    match expr.kind {
        ir::ExprKind::Attr(attr) => out.push(Own::Set(attr)),
        ir::ExprKind::Builtin(builtin) => out.push(Own::Given(builtin)),
        _ => {}
    }
    every_part(expr, &mut |part| {
        own_values(part, out);
        true
    });
}
