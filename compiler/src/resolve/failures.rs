//! Members of queues that fail and come back, and what a request does that loses one.

use super::context::Resolver;
use super::errors;
use super::moments::Moment;
use super::names::Symbol;
use super::scope::{Given, ScopeId, ScopeKind};
use super::terms::{and, binary, compare};
use crate::ir::{self, BinaryOp, Expr, ExprKind, PoolFn, PoolRef, QueueId, StmtKind, Ty};
use crate::span::Span;
use crate::syntax::ast::{self, Block, ItemKind};

impl<'a> Resolver<'a> {
    /// Every `fail QUEUE[i] at t for d;`.
    pub fn resolve_failures(&mut self) {
        for (item, found) in self.items.clone().into_iter().enumerate() {
            if let ItemKind::Fail { queue, at, lasts } = &found.kind {
                let scope = self.scope(None, ScopeKind::Item { item });
                self.failure(queue, (at, lasts), found.span, scope);
            }
        }
    }

    fn failure(
        &mut self,
        queue: &'a ast::Ref,
        (at, lasts): (&'a ast::Expr, &'a ast::Expr),
        span: Span,
        scope: ScopeId,
    ) {
        let Some(id) = self.called_queue(queue, scope) else { return };
        if self.queue(id).is_gateway() {
            let found = errors::queues::gateway_fails(queue.span, &queue.path[0].kind);
            return self.report(found, scope);
        }
        let constant = Self::at(scope, Moment::Constant("the time of a failure"));
        let size = self.program.queues[id.index()].size.clone();
        let name = &queue.path[0].kind;
        let member = match (&queue.index, size) {
            (None, None) => None,
            (None, Some(_)) => {
                let found = errors::refs::family_without_index(queue.span, name);
                return self.report(found, scope);
            }
            (Some((_, index)), None) => {
                let found = errors::refs::single_queue_indexed(index.span, name);
                return self.report(found, scope);
            }
            (Some((_, index)), Some(size)) => {
                let Some(member) = self.constant(index, constant) else { return };
                match member.kind {
                    // A number tells by itself that it can be a member's.
                    ExprKind::Num(x) if x >= 0.0 && x == x.floor() => {
                        let below = binary(BinaryOp::Lt, member.clone(), size);
                        self.require(below, errors::refs::index_out_of_family(index.span, name));
                    }
                    _ => self.check_index(&member, size, index.span, name),
                }
                Some(member)
            }
        };
        let (begins, lasting) = (self.constant(at, constant), self.constant(lasts, constant));
        let (Some(begins), Some(lasting)) = (begins, lasting) else { return };
        for (value, span) in [(&begins, at.span), (&lasting, lasts.span)] {
            let positive = compare(BinaryOp::Ge, value, 0.0);
            self.require(positive, errors::queues::failure_before(span));
        }
        let failure = ir::Failure { queue: id, member, at: begins, lasts: lasting, span };
        self.program.failures.push(failure);
    }

    /// What goes down with a member is used in calls of it only.
    pub fn check_failing(&mut self) {
        if self.failed() || self.program.failures.is_empty() {
            return;
        }
        let (calls, found, legs) = (Vec::new(), Vec::new(), Vec::new());
        let mut walk = Outside { program: &self.program, calls, found, legs };
        walk.block(&self.program.session);
        for (site, queue) in walk.found {
            let span = self.program.sites[site.index()].span;
            let queue = &self.program.queues[queue.index()].name;
            self.diagnostics.push(errors::queues::run_outside(span, queue));
        }
        for (site, queue) in walk.legs {
            let span = self.program.sites[site.index()].span;
            let queue = &self.program.queues[queue.index()].name;
            self.diagnostics.push(errors::queues::leg_in_failing_call(span, queue));
        }
    }

    /// Whether some member of the queue fails.
    pub fn fails(&self, queue: QueueId) -> bool {
        self.items.iter().any(|item| match &item.kind {
            ItemKind::Fail { queue: said, .. } => {
                matches!(self.symbol(&said.path[0].kind), Some(Symbol::Queue(id)) if id == queue)
            }
            _ => false,
        })
    }

    /// A call's body, which ends early in `otherwise` when the member fails.
    pub fn push_call(
        &mut self,
        (queue, member): (QueueId, Option<Given<'a>>),
        (body, otherwise): (ir::Block, Option<&'a Block>),
        (name, span): (&'a ast::Ref, Span),
        scope: ScopeId,
        out: &mut ir::Block,
    ) {
        let said = &name.path[0].kind;
        let Some(block) = otherwise else {
            if self.fails(queue) {
                self.report(errors::queues::failing_call(name.span, said), scope);
            }
            return out.extend(body);
        };
        if !self.fails(queue) {
            return self.report(errors::queues::never_fails(name.span, said), scope);
        }
        let at = Self::session_at(scope, "an index");
        let index = match member.map(|given| self.indexing(given, at)) {
            Some(None) => return,
            found => found.flatten().map(Box::new),
        };
        let otherwise = self.other_way(block, scope);
        self.push(StmtKind::Guarded { queue, index, body, otherwise }, span, scope, out);
    }

    /// A transfer that fails when the lease of what it reads ends before it.
    pub fn push_transfer(
        &mut self,
        (body, otherwise): (ir::Block, Option<&'a Block>),
        (from, to, loaded): (PoolRef, PoolRef, Expr),
        span: Span,
        scope: ScopeId,
        out: &mut ir::Block,
    ) {
        let leased = self.is_leased(&from);
        let mut moved = Vec::new();
        self.push(StmtKind::Load { pool: to, amount: loaded }, span, scope, &mut moved);
        self.push(StmtKind::Release { pool: from }, span, scope, &mut moved);
        let Some(otherwise) = otherwise else {
            out.extend(body);
            return out.extend(moved);
        };
        let otherwise = self.other_way(otherwise, scope);
        let branch = |guard: &Expr, then, otherwise| StmtKind::Branch {
            guard: guard.clone(),
            check: false,
            then,
            otherwise,
        };
        self.push(branch(&leased, body, Vec::new()), span, scope, out);
        self.push(branch(&leased, moved, otherwise), span, scope, out);
    }

    /// `leased(pool) > 0`
    fn is_leased(&self, pool: &PoolRef) -> Expr {
        let kind = ExprKind::Pool(PoolFn::Leased, pool.clone());
        let leased = Expr { kind, ty: Ty::Num, site: pool.site };
        Expr { ty: Ty::Bool, ..compare(BinaryOp::Gt, &leased, 0.0) }
    }

    /// `renew (period, extension)`: heartbeats come at positive intervals.
    pub fn renewal(
        &mut self,
        renew: Option<&'a (ast::Expr, ast::Expr)>,
        scope: ScopeId,
    ) -> Option<(Expr, Expr)> {
        let (period, extension) = renew?;
        let at = Self::session_at(scope, "a `renew`");
        let every = self.amount(period, at, "seconds")?;
        if super::terms::is_constant(&every) {
            let positive = and(
                compare(BinaryOp::Gt, &every, 0.0),
                compare(BinaryOp::Lt, &every, f64::INFINITY),
            );
            self.require(positive, errors::holds::heartbeats_at_once(period.span));
        }
        Some((every, self.amount(extension, at, "seconds")?))
    }
}

/// Looks for runs on the engines of queues that fail, where no call of them is under way, and for legs that begin
/// in such calls.
struct Outside<'p> {
    program: &'p ir::Program,
    /// Queues whose calls enclose the statement.
    calls: Vec<QueueId>,
    found: Vec<(ir::SiteId, QueueId)>,
    /// Legs that begin in calls.
    legs: Vec<(ir::SiteId, QueueId)>,
}

impl Outside<'_> {
    fn block(&mut self, block: &ir::Block) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Hold { body, .. } | StmtKind::Open { body, .. } => self.block(body),
                StmtKind::Run { stages, .. } => {
                    if let [only] = &stages[..] {
                        let stage = &self.program.stages[only.stage.index()];
                        if matches!(stage.kind, ir::StageKind::Step(_)) {
                            self.used(stage.queue, stmt.site);
                        }
                    }
                }
                StmtKind::Guarded { queue, body, otherwise, .. } => {
                    self.calls.push(*queue);
                    self.block(body);
                    self.calls.pop();
                    self.block(otherwise);
                }
                StmtKind::Branch { then, otherwise, .. } => {
                    self.block(then);
                    self.block(otherwise);
                }
                StmtKind::Book { .. } => self.leg(stmt.site),
                StmtKind::Fork(body) => {
                    self.leg(stmt.site);
                    self.block(body);
                }
                StmtKind::Loop(body) => self.block(body),
                _ => {}
            }
        }
    }

    /// A leg begins.
    fn leg(&mut self, site: ir::SiteId) {
        if let Some(queue) = self.calls.last() {
            self.legs.push((site, *queue));
        }
    }

    fn used(&mut self, queue: Option<QueueId>, site: ir::SiteId) {
        let Some(queue) = queue.filter(|queue| !self.calls.contains(queue)) else { return };
        if self.program.failures.iter().any(|failure| failure.queue == queue) {
            self.found.push((site, queue));
        }
    }
}
