//! Runs: work on one stage, or a flow over several.

use super::context::{FlowUse, Resolver};
use super::errors;
use super::refs::{Use, Written};
use super::scope::{ScopeId, ScopeKind};
use super::terms::same_stage;
use crate::ir::{self, PoolRef, StageRef, StmtKind};
use crate::span::Span;
use crate::syntax::ast::{self, Mode, Node};

/// Work to be put on stages.
pub(super) struct Work {
    pub stages: Vec<StageRef>,
    pub mode: Option<Mode>,
    pub work: ir::Expr,
    pub growing: Option<PoolRef>,
}

impl<'a> Resolver<'a> {
    /// `run STAGE, … mode (w) growing POOL;`
    #[allow(clippy::too_many_arguments)]
    pub fn run(
        &mut self,
        stages: &'a [ast::Ref],
        mode: Option<&'a Node<Mode>>,
        work: &'a ast::Expr,
        growing: Option<&'a ast::Ref>,
        span: Span,
        scope: ScopeId,
        out: &mut ir::Block,
    ) {
        let at = Self::session_at(scope, "a run's work");
        let work = self.amount(work, at, "work");
        let growing = self.growing(growing, scope);
        let own = stages.is_empty();
        let named = match (stages, mode) {
            ([], Some(mode)) if !self.has_own_stage(scope) => {
                // Outside an entry the word is a stage's name.
                let name = match mode.kind {
                    Mode::Prefill => "prefill",
                    Mode::Decode => "decode",
                };
                let named = self.stage_called(name, mode.span, scope);
                let named = named.map(|stage| vec![(stage, mode.span)]);
                return self.plain_run((named, work, growing), None, span, scope, out);
            }
            ([], _) => self.own_stage(span, scope).map(|own| vec![(own, span)]),
            _ => self.named_stages(stages, scope),
        };
        // A queue's own stage plays the role whatever its kind.
        let own_plain = own
            && named
                .as_ref()
                .is_some_and(|named| named.iter().all(|(s, _)| !self.is_engine(s.stage)));
        let mode = if own_plain { None } else { mode };
        self.plain_run((named, work, growing), mode, span, scope, out);
    }

    /// A run whose parts are read.
    #[allow(clippy::type_complexity)]
    fn plain_run(
        &mut self,
        (named, work, growing): (
            Option<Vec<(StageRef, Span)>>,
            Option<ir::Expr>,
            Option<Option<PoolRef>>,
        ),
        mode: Option<&'a Node<Mode>>,
        span: Span,
        scope: ScopeId,
        out: &mut ir::Block,
    ) {
        let (Some(named), Some(work), Some(growing)) = (named, work, growing) else { return };
        if let [(stage, at)] = named.as_slice() {
            let (stage, at) = (stage.stage, *at);
            let name = self.program.stages[stage.index()].name.clone();
            match (self.is_engine(stage), mode) {
                (true, None) => {
                    return self.report(errors::runs::mode_missing(at, &name), scope);
                }
                (false, Some(mode)) => {
                    return self.report(errors::runs::mode_of_no_engine(mode.span, &name), scope);
                }
                (true, Some(_)) | (false, None) => {}
            }
        } else {
            self.note_flow(&named, scope);
        }
        if let (Some(growing), Some((stage, _))) = (&growing, named.first())
            && !self.grows(stage.stage, growing, scope)
        {
            return;
        }
        let stages = named.into_iter().map(|(stage, _)| stage).collect();
        let mode = mode.map(|mode| mode.kind);
        self.push_run(Work { stages, mode, work, growing }, span, scope, out);
    }

    /// Whether the text stands in a queue's entry, or in the route of a gateway with a stage.
    fn has_own_stage(&self, scope: ScopeId) -> bool {
        let gateway = self.route_of(scope);
        self.entry_of(scope).is_some()
            || gateway.is_some_and(|gateway| self.queue(gateway).stage("").is_some())
    }

    /// A stage of a name that the text says by the way.
    pub fn stage_called(&mut self, name: &'a str, span: Span, scope: ScopeId) -> Option<StageRef> {
        let part = super::refs::Part { name, span };
        let written = Written { path: vec![part], index: None, after: 0, rank: None, span, scope };
        self.stage(written, Use::Act("run"), Self::session_at(scope, "a run"))
    }

    /// Whether a run on a stage can grow a hold: on a step engine only; reports it if not.
    pub fn grows(&mut self, stage: ir::StageId, growing: &PoolRef, scope: ScopeId) -> bool {
        if self.is_engine(stage) {
            return true;
        }
        let span = self.program.sites[growing.site.index()].span;
        let name = self.program.stages[stage.index()].name.clone();
        self.report(errors::runs::growing_on_no_engine(span, &name), scope);
        false
    }

    /// Adds a run.
    pub fn push_run(&mut self, work: Work, span: Span, scope: ScopeId, out: &mut ir::Block) {
        let Work { stages, mode, work, growing } = work;
        let mode = mode.unwrap_or(Mode::Decode);
        self.push(StmtKind::Run { stages, mode, work, growing }, span, scope, out);
    }

    /// The stages of a run, each with its place.
    pub fn named_stages(
        &mut self,
        stages: &'a [ast::Ref],
        scope: ScopeId,
    ) -> Option<Vec<(StageRef, Span)>> {
        let at = Self::session_at(scope, "a run");
        let found: Vec<Option<(StageRef, Span)>> = stages
            .iter()
            .map(|stage| {
                let written = Written::of_ref(stage, scope);
                Some((self.stage(written, Use::Act("run"), at)?, stage.span))
            })
            .collect();
        found.into_iter().collect()
    }

    /// The stage of the queue whose entry this is.
    pub fn own_stage(&mut self, span: Span, scope: ScopeId) -> Option<StageRef> {
        let Some(entry) = self.entry_of(scope) else {
            let gateway = self.route_of(scope);
            let Some(stage) = gateway.and_then(|gateway| self.queue(gateway).stage("")) else {
                self.report(errors::runs::no_stage(span), scope);
                return None;
            };
            let site = self.site(span, scope);
            return Some(StageRef { stage, index: None, site });
        };
        let ScopeKind::Entry(frame) = &self.frame(entry).kind else { return None };
        let (queue, member, uncalled) = (frame.queue, frame.member, frame.uncalled);
        let Some(stage) = self.queue(queue).stage("") else {
            let name = self.program.queues[queue.index()].name.clone();
            self.report(errors::runs::queue_without_stage(span, &name), scope);
            return None;
        };
        let at = Self::session_at(scope, "an index");
        let index = match member {
            Some(given) => Some(Box::new(self.indexing(given, at)?)),
            None if uncalled => None,
            None => None,
        };
        let site = self.site(span, scope);
        Some(StageRef { stage, index, site })
    }

    /// `growing POOL`: `Some(None)` without the clause.
    pub fn growing(
        &mut self,
        growing: Option<&'a ast::Ref>,
        scope: ScopeId,
    ) -> Option<Option<PoolRef>> {
        match growing {
            None => Some(None),
            Some(pool) => {
                let at = Self::session_at(scope, "a `growing` clause");
                Some(Some(self.held(pool, "growing", at)?))
            }
        }
    }

    /// Notes the stages of a flow, to be checked when all kinds are known.
    pub fn note_flow(&mut self, stages: &[(StageRef, Span)], scope: ScopeId) {
        for (stage, span) in stages {
            self.program.stages[stage.stage.index()].shared = true;
            self.flow_uses.push(FlowUse { stage: stage.stage, span: *span, scope });
        }
        for (index, (stage, span)) in stages.iter().enumerate() {
            let again = stages[..index].iter().any(|(other, _)| same_stage(stage, other));
            if again {
                let name = self.program.stages[stage.stage.index()].name.clone();
                self.report(errors::flows::stage_twice(*span, &name), scope);
            }
        }
    }
}
