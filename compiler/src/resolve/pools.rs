//! Pools: capacity, blocks, the orders of eviction and of the queue, engines and tiers.

use std::collections::HashMap;

use super::context::Resolver;
use super::errors;
use super::moments::Moment;
use super::refs::{Family, Want, Written};
use super::scope::{ScopeId, ScopeKind};
use super::terms::compare;
use crate::ir::{self, BinaryOp, PoolId, PoolRef, StageRef};
use crate::syntax::ast::{self, PoolOptionKind};

impl<'a> Resolver<'a> {
    /// The options of a pool.
    pub fn resolve_pool(&mut self, id: PoolId, pool: &'a ast::Pool, scope: ScopeId) {
        let mut said = HashMap::new();
        for option in &pool.options {
            let clause = match &option.kind {
                PoolOptionKind::Cap(_) => "cap",
                PoolOptionKind::Block(_) => "block",
                PoolOptionKind::EvictLru | PoolOptionKind::EvictBy(_) => "evict",
                PoolOptionKind::PreemptNone | PoolOptionKind::PreemptLifo => "preempt",
                PoolOptionKind::PrefixOwn | PoolOptionKind::PrefixShared => "prefix",
                PoolOptionKind::QueueFifo | PoolOptionKind::QueueBy(_) => "queue",
                PoolOptionKind::AdmitVia(_) => "admit via",
                PoolOptionKind::Spill { .. } => "spill",
            };
            if self.once(&mut said, clause, option.span) {
                self.pool_option(id, option, scope);
            }
        }
    }

    /// A block size that is read is one that is said: a pool without `block` counts exactly, not in blocks of some size.
    pub fn check_block_reads(&mut self) {
        // After other errors a pool's block may not be known.
        if self.failed() {
            return;
        }
        for (pool, span, scope) in std::mem::take(&mut self.block_reads) {
            let pool = &self.program.pools[pool.index()];
            if pool.block.is_none() {
                let found = errors::pools::no_block(span, &pool.name);
                self.report(found, scope);
            }
        }
    }

    fn pool_option(&mut self, id: PoolId, option: &'a ast::PoolOption, scope: ScopeId) {
        match &option.kind {
            PoolOptionKind::Cap(expr) => {
                let at = Self::at(scope, Moment::Constant("a pool's `cap`"));
                let Some(cap) = self.constant(expr, at) else { return };
                let positive = compare(BinaryOp::Ge, &cap, 0.0);
                self.require(positive, errors::constants::negative_cap(expr.span));
                self.program.pools[id.index()].cap = cap;
            }
            PoolOptionKind::Block(expr) => {
                let at = Self::at(scope, Moment::Constant("a pool's `block`"));
                let Some(block) = self.constant(expr, at) else { return };
                let positive = compare(BinaryOp::Gt, &block, 0.0);
                let finite = compare(BinaryOp::Lt, &block, f64::INFINITY);
                let cond = super::terms::and(positive, finite);
                self.require(cond, errors::constants::block(expr.span));
                self.program.pools[id.index()].block = Some(block);
            }
            PoolOptionKind::EvictLru => self.program.pools[id.index()].evict = ir::Evict::Lru,
            PoolOptionKind::EvictBy(keys) => {
                let at = Self::at(scope, Moment::Eviction("an `evict by` key"));
                if let Some(keys) = self.exprs(keys, at) {
                    self.program.pools[id.index()].evict = ir::Evict::By(keys);
                }
            }
            PoolOptionKind::PreemptNone => self.program.pools[id.index()].lifo = false,
            PoolOptionKind::PreemptLifo => self.program.pools[id.index()].lifo = true,
            PoolOptionKind::PrefixOwn => {}
            PoolOptionKind::PrefixShared => {
                self.program.pools[id.index()].prefix_shared = true;
                self.sharers.push((id, option.span, scope));
            }
            PoolOptionKind::QueueFifo => {}
            PoolOptionKind::QueueBy(keys) => {
                let at = Self::at(scope, Moment::QueueKey);
                if let Some(keys) = self.exprs(keys, at) {
                    self.program.pools[id.index()].queue_keys = keys;
                }
            }
            PoolOptionKind::AdmitVia(engine) => self.admit_via(id, engine, scope),
            PoolOptionKind::Spill { to, via, work, when } => {
                self.spill(id, (to, via), (work, when), scope);
            }
        }
    }

    fn admit_via(&mut self, id: PoolId, engine: &'a ast::Ref, scope: ScopeId) {
        let written = Written::of_ref(engine, scope);
        let Some(Family::Stage(stage)) = self.joined(&written, Want::Stage) else { return };
        if !self.is_engine(stage) {
            let name = self.program.stages[stage.index()].name.clone();
            self.report(errors::pools::admit_via_no_engine(engine.span, &name), scope);
        }
        self.joins(Family::Pool(id), Family::Stage(stage), engine.span, "admit via");
        self.program.pools[id.index()].admit_via = Some(stage);
    }

    fn spill(
        &mut self,
        id: PoolId,
        (to, via): (&'a ast::Ref, &'a ast::Ref),
        (work, when): (&'a ast::Expr, &'a ast::Expr),
        scope: ScopeId,
    ) {
        let at = Self::at(scope, Moment::Eviction("a spill's work"));
        let tier = self.joined(&Written::of_ref(to, scope), Want::Pool);
        let stage = self.joined(&Written::of_ref(via, scope), Want::Stage);
        let work = self.amount(work, at, "work");
        let when = self.expr(when, Self::at(scope, Moment::Eviction("a spill's `when`")));
        let (Some(Family::Pool(tier)), Some(Family::Stage(stage)), Some(work), Some(when)) =
            (tier, stage, work, when)
        else {
            return;
        };
        if self.is_engine(stage) {
            let name = self.program.stages[stage.index()].name.clone();
            return self.report(errors::pools::spill_on_engine(via.span, &name), scope);
        }
        let family = Family::Pool(id);
        self.joins(family, Family::Pool(tier), to.span, "spill");
        self.joins(family, Family::Stage(stage), via.span, "spill … via");
        let (to_site, via_site) = (self.site(to.span, scope), self.site(via.span, scope));
        let to = PoolRef {
            pool: tier,
            index: self.fellow(family, Family::Pool(tier), to_site),
            site: to_site,
        };
        let via = StageRef {
            stage,
            index: self.fellow(family, Family::Stage(stage), via_site),
            site: via_site,
        };
        self.program.pools[id.index()].spill = Some(ir::Spill { to, via, work, when });
    }

    /// The member of `outer` that a member of `inner` joins: its own, or the only one.
    fn fellow(&self, inner: Family, outer: Family, site: ir::SiteId) -> Option<Box<ir::Expr>> {
        let both = self.size(inner).is_some() && self.size(outer).is_some();
        both.then(|| Box::new(ir::Expr { kind: ir::ExprKind::Member, ty: ir::Ty::Num, site }))
    }

    /// A family that a declaration joins: named without an index.
    pub fn joined(&mut self, written: &Written<'a>, want: Want) -> Option<Family> {
        if self.is_hole(written.path[0].name) {
            self.offer_joined(written, want);
        }
        if let Some(index) = written.index {
            self.report(errors::families::joined_by_index(index.expr.span), written.scope);
            return None;
        }
        if let ScopeKind::Queue { queue, .. } = &self.frame(written.scope).kind {
            let decl = self.queue(*queue);
            let path: Vec<&str> = written.path.iter().map(|part| part.name).collect();
            let own = match (path.as_slice(), want) {
                ([name], Want::Pool) => decl.pool(name).map(Family::Pool),
                ([name], Want::Stage) if *name == decl.ast.name.kind => {
                    decl.stage("").map(Family::Stage)
                }
                _ => None,
            };
            if let Some(own) = own {
                self.note_family(written, own);
                return Some(own);
            }
        }
        self.family_named(written, want)
    }

    /// Tiers that lead back to the same pool have no meaning.
    pub fn check_spill_cycles(&mut self) {
        for index in 0..self.program.pools.len() {
            let start = PoolId(index as u32);
            let mut at = start;
            for _ in 0..self.program.pools.len() {
                let Some(spill) = &self.program.pools[at.index()].spill else { break };
                at = spill.to.pool;
                if at == start {
                    let pool = &self.program.pools[index];
                    let found = errors::pools::spill_cycle(
                        self.program.sites[pool.spill.as_ref().map_or(0, |s| s.to.site.index())]
                            .span,
                        &pool.name,
                    );
                    self.diagnostics.push(found);
                    break;
                }
            }
        }
    }
}
