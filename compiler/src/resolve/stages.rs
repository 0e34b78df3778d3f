//! Stages: fifo, ps, delay and step engines.

use std::collections::HashMap;

use super::context::Resolver;
use super::errors;
use super::moments::Moment;
use super::names::Symbol;
use super::refs::{Family, Want, Written};
use super::scope::{ScopeId, ScopeKind};
use super::terms::{compare, is_constant, whole};
use crate::index::Kind;
use crate::ir::{self, BinaryOp, QueueId, StageId, StageKind};
use crate::span::Span;
use crate::syntax::ast::{self, BaseOrder, ItemKind, ServeOrder, StageKindKind, StepOptionKind};

impl<'a> Resolver<'a> {
    /// Every pool, stage, queue, relation, gauge and run option.
    pub fn resolve_declarations(&mut self) {
        self.sketch_kinds();
        self.mark_hidden();
        for (index, item) in self.items.clone().into_iter().enumerate() {
            match &item.kind {
                ItemKind::Pool(pool) => {
                    if let Some(Symbol::Pool(id)) = self.declared(&pool.name) {
                        let name = pool.name.kind.as_str();
                        let scope = self.scope(None, ScopeKind::Family { name, item: index });
                        self.resolve_pool(id, pool, scope);
                    }
                }
                ItemKind::Stage { name, kind, .. } => {
                    if let Some(Symbol::Stage(id)) = self.declared(name) {
                        let said = name.kind.as_str();
                        let scope = self.scope(None, ScopeKind::Family { name: said, item: index });
                        self.resolve_stage(id, kind, scope);
                    }
                }
                ItemKind::Share { policy } => self.note_share(policy, false),
                ItemKind::Pull { share, .. } => self.note_share(share, true),
                _ => {}
            }
        }
        for index in 0..self.queues.len() {
            self.resolve_queue(QueueId(index as u32));
        }
        self.resolve_relations();
        self.check_spill_cycles();
        self.resolve_gauges();
        self.resolve_run();
    }

    fn resolve_queue(&mut self, queue: QueueId) {
        let decl = self.queue(queue);
        let item = decl.item;
        let pools: Vec<_> = decl.pools.iter().map(|(_, id, pool)| (*id, *pool)).collect();
        let stages: Vec<_> = [decl.stage, decl.nic].into_iter().flatten().collect();
        let read = decl.read_latency.map(|(_, stage, latency)| (stage, latency));
        let latency = [decl.latency, read];
        let scope = self.scope(None, ScopeKind::Queue { queue, item });
        for (id, pool) in pools {
            self.resolve_pool(id, pool, scope);
        }
        for (id, kind) in stages {
            self.resolve_stage(id, kind, scope);
        }
        for (_, latency) in latency.into_iter().flatten() {
            self.latency(latency, scope);
        }
    }

    /// The kinds of all stages in outline: what is an engine is asked before the engines are read.
    fn sketch_kinds(&mut self) {
        let mut kinds: Vec<(StageId, &'a ast::StageKind)> = Vec::new();
        for item in self.items.iter().copied() {
            if let ItemKind::Stage { name, kind, .. } = &item.kind
                && let Some(Symbol::Stage(id)) = self.declared(name)
            {
                kinds.push((id, kind));
            }
        }
        for queue in &self.queues {
            kinds.extend(queue.stage);
            kinds.extend(queue.nic);
        }
        for (id, kind) in kinds {
            if let StageKindKind::Step(_) = &kind.kind {
                let scope = self.scope(None, ScopeKind::Item { item: 0 });
                let site = self.site(kind.span, scope);
                self.program.stages[id.index()].kind = StageKind::Step(ir::Step {
                    budget: None,
                    chunk: None,
                    cost: super::terms::number(0.0, site),
                    serve: ir::Serve::By { only: None, keys: Vec::new(), decode_first: false },
                    memory: None,
                });
            }
        }
    }

    fn resolve_stage(&mut self, id: StageId, kind: &'a ast::StageKind, scope: ScopeId) {
        let resolved = match &kind.kind {
            StageKindKind::Delay => Some(StageKind::Delay),
            StageKindKind::Fifo(None) => {
                let site = self.site(kind.span, scope);
                Some(StageKind::Fifo(super::terms::number(1.0, site)))
            }
            StageKindKind::Fifo(Some(servers)) => {
                let at = Self::at(scope, Moment::Constant("a number of servers"));
                self.constant(servers, at).map(|value| {
                    let finite = compare(BinaryOp::Lt, &value, f64::INFINITY);
                    let counts = super::terms::and(compare(BinaryOp::Ge, &value, 1.0), finite);
                    let cond = super::terms::and(whole(&value), counts);
                    self.require(cond, errors::constants::servers(servers.span));
                    StageKind::Fifo(value)
                })
            }
            StageKindKind::Ps(capacity) => {
                let value = self.expr(capacity, Self::at(scope, Moment::Rate));
                value.map(|value| {
                    self.check_rate(&value, capacity.span);
                    StageKind::Ps(value)
                })
            }
            StageKindKind::Step(options) => self.step(id, options, kind.span, scope),
        };
        if let Some(resolved) = resolved {
            self.program.stages[id.index()].kind = resolved;
        }
    }

    fn check_rate(&mut self, rate: &ir::Expr, span: Span) {
        if is_constant(rate) {
            let cond = super::terms::binary(BinaryOp::Eq, rate.clone(), rate.clone());
            self.require(cond, errors::constants::rate(span));
        }
    }

    fn step(
        &mut self,
        id: StageId,
        options: &'a [ast::StepOption],
        span: Span,
        scope: ScopeId,
    ) -> Option<StageKind> {
        let mut said = HashMap::new();
        let (mut budget, mut chunk, mut cost, mut memory) = (None, None, None, None);
        let mut serve = ir::Serve::By { only: None, keys: Vec::new(), decode_first: false };
        let mut has_cost = false;
        for option in options {
            let clause = match &option.kind {
                StepOptionKind::Budget(_) => "budget",
                StepOptionKind::Cost(_) => "cost",
                StepOptionKind::Chunk(_) => "chunk",
                StepOptionKind::Serve(_) => "serve",
                StepOptionKind::Memory(_) => "memory",
            };
            if !self.once(&mut said, clause, option.span) {
                continue;
            }
            match &option.kind {
                StepOptionKind::Budget(expr) => {
                    budget = self.expr(expr, Self::at(scope, Moment::Plan("a step's `budget`")));
                }
                StepOptionKind::Chunk(expr) => {
                    chunk = self.expr(expr, Self::at(scope, Moment::Plan("a step's `chunk`")));
                }
                StepOptionKind::Cost(expr) => {
                    has_cost = true;
                    cost = self.expr(expr, Self::at(scope, Moment::Step));
                }
                StepOptionKind::Serve(order) => {
                    if let Some(order) = self.serve_order(order, scope) {
                        serve = order;
                    }
                }
                StepOptionKind::Memory(pool) => memory = self.memory(id, pool, scope),
            }
        }
        if !has_cost {
            self.report(errors::stages::no_cost(span), scope);
        }
        Some(StageKind::Step(ir::Step { budget, chunk, cost: cost?, serve, memory }))
    }

    fn serve_order(&mut self, order: &'a ServeOrder, scope: ScopeId) -> Option<ir::Serve> {
        match order {
            ServeOrder::ExclusivePrefill => Some(ir::Serve::ExclusivePrefill),
            ServeOrder::Order { only, order } => {
                let only = match only {
                    Some(only) => Some(self.expr(only, Self::at(scope, Moment::Only))?),
                    None => None,
                };
                let (keys, decode_first) = match order {
                    None | Some(BaseOrder::Admission) => (Vec::new(), false),
                    Some(BaseOrder::By(keys)) => {
                        (self.exprs(keys, Self::at(scope, Moment::Serve))?, false)
                    }
                    Some(BaseOrder::DecodeFirst) => (vec![self.decodes_first(scope)], true),
                };
                Some(ir::Serve::By { only, keys, decode_first })
            }
        }
    }

    /// The key of `decode first`: `decoding ? 0 : 1`.
    fn decodes_first(&mut self, scope: ScopeId) -> ir::Expr {
        let item = self.items[self.item_of(scope)].span;
        let site = self.site(item, scope);
        let number = |value| Box::new(super::terms::number(value, site));
        let kind = ir::ExprKind::Ctx(ir::Ctx::Decoding);
        let decoding = ir::Expr { kind, ty: ir::Ty::Bool, site };
        let kind = ir::ExprKind::Cond(Box::new(decoding), number(0.0), number(1.0));
        ir::Expr { kind, ty: ir::Ty::Num, site }
    }

    fn memory(&mut self, id: StageId, pool: &'a ast::Ref, scope: ScopeId) -> Option<ir::PoolId> {
        let Family::Pool(memory) = self.joined(&Written::of_ref(pool, scope), Want::Pool)? else {
            return None;
        };
        self.joins(Family::Stage(id), Family::Pool(memory), pool.span, "memory");
        Some(memory)
    }

    /// Gauges, whose names are shared with no observation.
    pub fn resolve_gauges(&mut self) {
        let mut seen: HashMap<&'a str, Span> = HashMap::new();
        for (index, item) in self.items.clone().into_iter().enumerate() {
            let ItemKind::Gauge { name, value } = &item.kind else { continue };
            self.note_declared(Kind::Gauge, || name.kind.clone(), name.span);
            if let Some(first) = seen.insert(&name.kind, name.span) {
                let found = errors::names::declared_twice(name, "a gauge", first);
                self.diagnostics.push(found);
                continue;
            }
            let scope = self.scope(None, ScopeKind::Item { item: index });
            if let Some(value) = self.expr(value, Self::at(scope, Moment::Gauge)) {
                self.program.gauges.push(ir::Gauge {
                    name: name.kind.clone(),
                    value,
                    span: item.span,
                });
            }
        }
    }

    /// No observation has a gauge's name.
    pub fn check_gauge_names(&mut self) {
        for item in self.items.clone() {
            let ItemKind::Gauge { name, .. } = &item.kind else { continue };
            if self.observes.contains_key(&name.kind) {
                self.diagnostics.push(errors::names::gauge_and_observation(name));
            }
        }
    }
}
