//! Serving forms: runs on the stage that plays a role, and transfers.

use super::context::Resolver;
use super::errors;
use super::names::Symbol;
use super::refs::{Use, Written};
use super::runs::Work;
use super::scope::{Given, ScopeId, ScopeKind};
use crate::ir::{self, PoolRef, QueueId, StageId, StageRef};
use crate::span::Span;
use crate::syntax::ast::{self, Block, Form, ItemKind, Mode, Node, Place, TransferPlace};

impl<'a> Resolver<'a> {
    /// `prefill|decode|tool where amount growing POOL;`
    #[allow(clippy::too_many_arguments)]
    pub fn serving(
        &mut self,
        form: &'a Node<Form>,
        place: Option<&'a Place>,
        amount: &'a ast::Expr,
        growing: Option<&'a ast::Ref>,
        span: Span,
        scope: ScopeId,
        out: &mut ir::Block,
    ) {
        let (role, mode) = match form.kind {
            Form::Prefill => ("prefill", Some(Mode::Prefill)),
            Form::Decode => ("decode", Some(Mode::Decode)),
            Form::Tool => ("tool", None),
        };
        let amount = self.amount(amount, Self::session_at(scope, "a run's work"), "work");
        let growing = self.growing(growing, scope);
        let stage = match place {
            Some(Place::On(stage)) => self.named_above(stage, role, scope),
            Some(Place::Index(index)) => {
                let index = Some(Given { expr: index, scope });
                self.role_stage(role, index, form.span, scope)
            }
            None if mode.is_some() && self.entry_of(scope).is_some() => {
                self.own_stage(form.span, scope)
            }
            None => self.role_stage(role, None, form.span, scope),
        };
        let (Some(stage), Some(work), Some(growing)) = (stage, amount, growing) else { return };
        if mode.is_none() && self.is_engine(stage.stage) {
            let name = self.program.stages[stage.stage.index()].name.clone();
            return self.report(errors::forms::tool_on_engine(form.span, &name), scope);
        }
        if let Some(growing) = &growing
            && !self.grows(stage.stage, growing, scope)
        {
            return;
        }
        self.push_run(Work { stages: vec![stage], mode, work, growing }, span, scope, out);
    }

    /// `on STAGE`: a stage declared above.
    fn named_above(&mut self, stage: &'a ast::Ref, form: &str, scope: ScopeId) -> Option<StageRef> {
        let first = &stage.path[0];
        if let Some(named) = self.names.get(first.kind.as_str()).copied() {
            let is_own = self.entry_of(scope).is_some() && self.item_of(scope) == named.item;
            let below = matches!(named.symbol, Symbol::Stage(_) | Symbol::Queue(_))
                && named.item > self.item_of(scope);
            if below && !is_own {
                let found =
                    errors::forms::declared_below(stage.span, form, &first.kind, named.span);
                self.report(found, scope);
                return None;
            }
        }
        let at = Self::session_at(scope, "a run");
        self.stage(Written::of_ref(stage, scope), Use::Act("run"), at)
    }

    /// The stage that plays a role: the one of that name declared above, else, to prefill and
    /// decode, the only step engine.
    fn role_stage(
        &mut self,
        role: &str,
        index: Option<Given<'a>>,
        span: Span,
        scope: ScopeId,
    ) -> Option<StageRef> {
        self.note_implied(span);
        let above = self.item_of(scope);
        let named: &[&str] = if role == "transfer" { &["link", "transfer"] } else { &[role] };
        let mut playing: Vec<(&'a str, StageId)> = Vec::new();
        for (index, item) in self.items.iter().copied().enumerate() {
            let ItemKind::Stage { name, .. } = &item.kind else { continue };
            let Some(Symbol::Stage(id)) = self.symbol(&name.kind) else { continue };
            if index < above && named.contains(&name.kind.as_str()) {
                playing.push((&name.kind, id));
            }
        }
        if playing.is_empty() && matches!(role, "prefill" | "decode") {
            for (index, item) in self.items.iter().copied().enumerate() {
                let ItemKind::Stage { name, .. } = &item.kind else { continue };
                let Some(Symbol::Stage(id)) = self.symbol(&name.kind) else { continue };
                if index < above && self.is_engine(id) {
                    playing.push((&name.kind, id));
                }
            }
        }
        match playing.as_slice() {
            [(name, _)] => {
                let part = super::refs::Part { name, span };
                let after = usize::from(index.is_some());
                let written = Written { path: vec![part], index, after, rank: None, span, scope };
                let at = Self::session_at(scope, "a run");
                self.stage(written, Use::Act("run"), at)
            }
            [] => {
                self.report(errors::forms::nobody_plays(span, role), scope);
                None
            }
            several => {
                let names: Vec<&str> = several.iter().map(|(name, _)| *name).collect();
                self.report(errors::forms::several_play(span, role, &names), scope);
                None
            }
        }
    }

    /// `transfer where amount from POOL to POOL (n);`
    pub fn transfer(
        &mut self,
        (place, amount, otherwise): (Option<&'a TransferPlace>, &'a ast::Expr, Option<&'a Block>),
        pools: (&'a ast::Ref, &'a ast::Ref, &'a ast::Expr),
        span: Span,
        scope: ScopeId,
        out: &mut ir::Block,
    ) {
        let work = self.amount(amount, Self::session_at(scope, "a transfer's work"), "work");
        let moved = self.moved(pools, scope);
        let mut body = Vec::new();
        let stages = match place {
            Some(TransferPlace::On(stages)) => {
                let found: Vec<Option<(StageRef, Span)>> = stages
                    .iter()
                    .map(|stage| Some((self.named_above(stage, "transfer", scope)?, stage.span)))
                    .collect();
                found.into_iter().collect()
            }
            Some(TransferPlace::Index(index)) => {
                let index = Some(Given { expr: index, scope });
                self.role_stage("transfer", index, span, scope).map(|stage| vec![(stage, span)])
            }
            None if self.entry_of(scope).is_some() => self.read_stages(span, scope, &mut body),
            None => self.role_stage("transfer", None, span, scope).map(|stage| vec![(stage, span)]),
        };
        let (Some(stages), Some(work), Some(moved)) = (stages, work, moved) else { return };
        if place.is_none() && self.entry_of(scope).is_some() && !self.is_source(pools.0, scope) {
            return self.report(errors::forms::not_from_source(pools.0.span), scope);
        }
        if place.is_some() {
            self.link_waits(&stages, span, scope, &mut body);
        }
        if stages.len() > 1 {
            self.note_flow(&stages, scope);
        } else if let Some((stage, at)) = stages.first()
            && self.is_engine(stage.stage)
        {
            let name = self.program.stages[stage.stage.index()].name.clone();
            return self.report(errors::forms::transfer_on_engine(*at, &name), scope);
        }
        let stages: Vec<StageRef> = stages.into_iter().map(|(stage, _)| stage).collect();
        if place.is_none() && stages.iter().any(|end| self.has_ranks(end.stage)) {
            self.fan(stages, work, span, scope, &mut body);
        } else {
            self.push_run(Work { stages, mode: None, work, growing: None }, span, scope, &mut body);
        }
        self.push_transfer((body, otherwise), moved, span, scope, out);
    }

    /// Whether a reference is the source of the entry that it stands in.
    fn is_source(&self, from: &ast::Ref, scope: ScopeId) -> bool {
        let Some(entry) = self.entry_of(scope) else { return false };
        let ScopeKind::Entry(frame) = &self.frame(entry).kind else { return false };
        frame.source.is_some_and(|source| source.name.kind == from.path[0].kind)
    }

    /// `from POOL to POOL (n)`
    pub fn moved(
        &mut self,
        (from, to, loaded): (&'a ast::Ref, &'a ast::Ref, &'a ast::Expr),
        scope: ScopeId,
    ) -> Option<(PoolRef, PoolRef, ir::Expr)> {
        let at = Self::session_at(scope, "a load");
        let loaded = self.amount(loaded, at, "load");
        let from = self.released(from, at);
        let to = self.held(to, "load", at);
        Some((from?, to?, loaded?))
    }

    /// Each link's wait, which a transfer over it takes first.
    fn link_waits(
        &mut self,
        stages: &[(StageRef, Span)],
        span: Span,
        scope: ScopeId,
        out: &mut ir::Block,
    ) {
        for (stage, _) in stages {
            let decl = self.queues.iter().find(|queue| queue.stage("") == Some(stage.stage));
            let Some((wait, latency)) = decl.and_then(|decl| decl.latency) else { continue };
            let Some(queue) = self.program.stages[wait.index()].queue else { continue };
            let wait = StageRef { stage: wait, index: stage.index.clone(), site: stage.site };
            self.push_wait(wait, latency, queue, span, scope, out);
        }
    }

    /// The copy to a queue that pulls or is pushed to: the wait of whoever posts it, and the two NICs.
    fn read_stages(
        &mut self,
        span: Span,
        scope: ScopeId,
        out: &mut ir::Block,
    ) -> Option<Vec<(StageRef, Span)>> {
        let entry = self.entry_of(scope)?;
        let ScopeKind::Entry(frame) = &self.frame(entry).kind else { return None };
        let (reader, member, source) = (frame.queue, frame.member, frame.source);
        let Some((from, source)) = self.queue(reader).source.zip(source) else {
            if self.sides.pulls.iter().any(|pull| {
                pull.reader.kind == self.queue(reader).ast.name.kind
                    && self.queue(reader).source.is_none()
            }) {
                // The relation itself is wrong, which is reported there.
                return None;
            }
            let name = self.program.queues[reader.index()].name.clone();
            self.report(errors::forms::no_relation(span, &name), scope);
            return None;
        };
        let at = Self::session_at(scope, "an index");
        let site = self.site(span, scope);
        let source_index = match source.member {
            Some(given) => Some(Box::new(self.indexing(given, at)?)),
            None => None,
        };
        let reader_index = match member {
            Some(given) => Some(Box::new(self.indexing(given, at)?)),
            None => None,
        };
        if let Some((poster, wait, latency)) = self.queue(reader).read_latency {
            let index = if poster == reader { &reader_index } else { &source_index };
            let wait = StageRef { stage: wait, index: index.clone(), site };
            self.push_wait(wait, latency, poster, span, scope, out);
        }
        // Without a NIC the relation itself is reported.
        let out_of = self.queue(from).stage("nic")?;
        let into = self.queue(reader).stage("nic")?;
        let source_index = self.first_nic(out_of, source_index, site);
        let reader_index = self.first_nic(into, reader_index, site);
        Some(vec![
            (StageRef { stage: out_of, index: source_index, site }, span),
            (StageRef { stage: into, index: reader_index, site }, span),
        ])
    }

    /// A run of a latency stage.
    fn push_wait(
        &mut self,
        wait: StageRef,
        latency: &'a ast::Expr,
        queue: QueueId,
        span: Span,
        scope: ScopeId,
        out: &mut ir::Block,
    ) {
        let item = self.queue(queue).item;
        let declared = self.scope(None, ScopeKind::Queue { queue, item });
        let Some(work) = self.latency(latency, declared) else { return };
        self.push_run(
            Work { stages: vec![wait], mode: None, work, growing: None },
            span,
            scope,
            out,
        );
    }
}
