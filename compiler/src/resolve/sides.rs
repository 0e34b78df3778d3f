//! The two sides: who says the life of a session, and who serves its requests.
//!
//! A `session` at top level says everything. In the workload it says turns and requests, and a
//! `server` or gateways say what a request means; their bodies are put where they are requested.

use super::context::{At, Place, Resolver};
use super::errors;
use super::moments::Moment;
use super::queues::PullDecl;
use super::scope::{ScopeId, ScopeKind};
use crate::ir::{self, QueueId};
use crate::span::Span;
use crate::syntax::ast::{self, Block, ItemKind, Name, TraceOrder, WorkloadItem, WorkloadItemKind};

/// The parts of a program that are said once.
#[derive(Default)]
pub(super) struct Sides<'a> {
    pub pulls: Vec<PullDecl<'a>>,
    /// How flows share, and whether a relation says it.
    pub share: Option<(&'a ast::Node<ast::Policy>, bool)>,
    pub workload: Option<(&'a [WorkloadItem], Span, usize)>,
    pub session: Option<(&'a Block, Span, usize)>,
    pub client: Option<(&'a Block, Span, usize)>,
    pub server: Option<(&'a Block, Span, usize)>,
}

impl<'a> Resolver<'a> {
    /// Notes a workload, a session or a server.
    pub fn note_side(&mut self, item: &'a ast::Item, index: usize) {
        let (what, first) = match &item.kind {
            ItemKind::Workload { items } => {
                if self.sides.workload.is_none() {
                    self.sides.workload = Some((items, item.span, index));
                    self.note_client(items, index);
                    return;
                }
                ("workload", self.sides.workload.map(|w| w.1))
            }
            ItemKind::Session { body } => {
                if self.sides.session.is_none() {
                    self.sides.session = Some((body, item.span, index));
                    return;
                }
                ("session", self.sides.session.map(|s| s.1))
            }
            ItemKind::Server { body } => {
                if self.sides.server.is_none() {
                    self.sides.server = Some((body, item.span, index));
                    return;
                }
                ("server", self.sides.server.map(|s| s.1))
            }
            _ => return,
        };
        if let Some(first) = first {
            self.diagnostics.push(errors::names::said_twice(item.span, what, first));
        }
    }

    fn note_client(&mut self, items: &'a [WorkloadItem], index: usize) {
        self.has_trace = items.iter().any(|i| matches!(i.kind, WorkloadItemKind::Trace { .. }));
        self.recorded = items.iter().any(|i| {
            matches!(i.kind, WorkloadItemKind::Trace { order: TraceOrder::AtArrival, .. })
        });
        for item in items {
            if let WorkloadItemKind::Session(body) = &item.kind
                && self.sides.client.is_none()
            {
                self.sides.client = Some((body, item.span, index));
            }
        }
    }

    /// The whole life of a session.
    pub fn resolve_session(&mut self) {
        if let (Some((_, span, _)), Some((_, client, _))) = (self.sides.session, self.sides.client)
        {
            let (first, second) = if span < client { (span, client) } else { (client, span) };
            self.diagnostics.push(errors::sides::both_forms(second, first));
        }
        let mut session = Vec::new();
        for (said, place) in
            [(self.sides.session, Place::Session), (self.sides.client, Place::Client)]
        {
            let Some((body, _, item)) = said else { continue };
            self.place = place;
            let scope = self.scope(None, ScopeKind::Item { item });
            self.block(body, scope, &mut session);
        }
        self.program.session = session;
        self.check_requested();
    }

    /// `request;` or `request NAME;`: the deployment's statements, in place.
    pub fn request(
        &mut self,
        gateway: Option<&'a Name>,
        span: Span,
        scope: ScopeId,
        out: &mut ir::Block,
    ) {
        match self.place {
            Place::Client => {}
            Place::Session => {
                self.request_failed = true;
                return self.report(errors::sides::request_in_session(span), scope);
            }
            Place::Server(what) => {
                return self.report(errors::sides::not_in_server(span, "request", what), scope);
            }
            Place::Entry => {
                return self
                    .report(errors::sides::not_in_server(span, "request", "an entry"), scope);
            }
            Place::Init(what) => {
                return self.report(errors::sides::only_sets(span, what), scope);
            }
        }
        let route = match gateway {
            None => {
                self.server_body(span, scope).map(|(body, item, place)| (body, item, place, None))
            }
            Some(name) => self.route_body(name, scope),
        };
        let Some((body, item, place, gateway)) = route else { return };
        let frame = ScopeKind::Request { item, gateway, used_at: span };
        let scope = self.scope(Some(scope), frame);
        let outer = std::mem::replace(&mut self.place, place);
        self.block(body, scope, out);
        self.place = outer;
    }

    fn server_body(&mut self, span: Span, scope: ScopeId) -> Option<(&'a Block, usize, Place)> {
        self.server_requested = true;
        match self.sides.server {
            Some((body, _, item)) => Some((body, item, Place::Server("a server"))),
            None => {
                self.report(errors::sides::no_server(span), scope);
                None
            }
        }
    }

    fn route_body(
        &mut self,
        name: &'a Name,
        scope: ScopeId,
    ) -> Option<(&'a Block, usize, Place, Option<QueueId>)> {
        self.note_symbol(&name.kind, name.span);
        if self.is_hole(&name.kind) {
            self.offer_queues(true);
        }
        let id: QueueId = match self.names.get(name.kind.as_str()).map(|named| named.symbol) {
            Some(super::names::Symbol::Queue(id)) => id,
            Some(other) => {
                self.request_failed = true;
                self.report(errors::sides::no_gateway(name, other.describe()), scope);
                return None;
            }
            None => {
                self.request_failed = true;
                self.report(errors::sides::unknown_gateway(name), scope);
                return None;
            }
        };
        let decl = self.queue(id);
        if !decl.is_gateway() {
            self.report(
                errors::sides::no_gateway(name, "a queue without the role `gateway`"),
                scope,
            );
            return None;
        }
        let item = decl.item;
        let body = decl.entries.iter().find(|e| e.verb.kind == "route").map(|e| e.body);
        self.requested.insert(id);
        body.map(|body| (body, item, Place::Server("a gateway's route"), Some(id)))
    }

    fn check_requested(&mut self) {
        if self.request_failed {
            return;
        }
        if let Some((_, span, _)) = self.sides.client {
            let served = self.sides.server.is_some()
                || self.sides.session.is_some()
                || !self.requested.is_empty();
            if !served && !self.server_requested {
                self.diagnostics.push(errors::sides::client_alone(span));
            }
        }
        if let Some((_, span, _)) = self.sides.server
            && !self.server_requested
        {
            self.diagnostics.push(errors::sides::server_unrequested(span));
        }
        for index in 0..self.queues.len() {
            let id = QueueId(index as u32);
            if self.queue(id).is_gateway() && !self.requested.contains(&id) {
                let found = errors::sides::gateway_unrequested(&self.queue(id).ast.name);
                self.diagnostics.push(found);
            }
        }
    }

    /// The position of a session's own expressions.
    pub fn session_at(scope: ScopeId, what: &'static str) -> At {
        At { scope, moment: Moment::Session(what), in_index: false }
    }
}
