//! The workload: how sessions arrive, what a trace brings, what is hidden, `init` and `turn`.

use std::collections::HashMap;

use super::context::{Place, Resolver, TURN_BLOCK};
use super::errors;
use super::functions;
use super::moments::Moment;
use super::notes::Meaning;
use super::scope::{ScopeId, ScopeKind};
use super::terms::{and, compare, is_constant, whole};
use super::trace;
use crate::ir::{self, BinaryOp};
use crate::span::Span;
use crate::syntax::ast::{self, Arrival, TraceOrder, WorkloadItemKind};

/// More sessions at once than a machine holds.
const LARGEST_POPULATION: f64 = 1e7;

impl<'a> Resolver<'a> {
    /// Marks what is hidden, before anything reads an attribute.
    pub fn mark_hidden(&mut self) {
        let Some((items, ..)) = self.sides.workload else { return };
        let mut hidden: HashMap<&'a str, Span> = HashMap::new();
        for item in items {
            let WorkloadItemKind::Hidden(names) = &item.kind else { continue };
            for name in names {
                if let Some(first) = hidden.insert(name.kind.as_str(), name.span) {
                    self.diagnostics.push(errors::names::said_twice(name.span, "hidden", first));
                    continue;
                }
                match self.known_attribute(None, &name.kind) {
                    Some(attr) => {
                        self.program.attrs[attr.index()].hidden = true;
                        self.note(name.span, || Meaning::Attribute(None, name.kind.clone()));
                    }
                    None if functions::builtin(&name.kind, true).is_some()
                        && functions::builtin(&name.kind, self.has_trace).is_some() =>
                    {
                        self.diagnostics.push(errors::workload::hidden_builtin(name));
                    }
                    None => self.diagnostics.push(errors::workload::hidden_unset(name)),
                }
            }
        }
    }

    /// Arrivals, trace, `init`, `turn`, and the session.
    pub fn resolve_workload(&mut self) {
        if let Some((items, _, index)) = self.sides.workload {
            let scope = self.scope(None, ScopeKind::Item { item: index });
            let mut said: HashMap<&'static str, Span> = HashMap::new();
            for item in items {
                self.workload_item(item, scope, &mut said);
            }
        }
        self.check_arrivals();
        self.resolve_session();
    }

    fn workload_item(
        &mut self,
        item: &'a ast::WorkloadItem,
        scope: ScopeId,
        said: &mut HashMap<&'static str, Span>,
    ) {
        let clause = match &item.kind {
            WorkloadItemKind::Arrive(_) => "arrive",
            WorkloadItemKind::Trace { .. } => "trace",
            WorkloadItemKind::Hidden(_) => return,
            WorkloadItemKind::Init(_) => "init",
            WorkloadItemKind::Turn(_) => "turn",
            WorkloadItemKind::Session(_) => "session",
        };
        if !self.once(said, clause, item.span) {
            return;
        }
        match &item.kind {
            WorkloadItemKind::Arrive(law) => self.arrive(law, scope),
            WorkloadItemKind::Trace { file, order } => {
                if *order == TraceOrder::AtArrival {
                    if let Some(law) = said.get("arrive") {
                        self.diagnostics.push(errors::workload::two_laws(item.span, *law));
                    }
                    said.insert("arrive", item.span);
                    self.program.workload.arrival = ir::Arrival::Recorded;
                }
                self.trace(file, *order, item.span);
            }
            WorkloadItemKind::Init(body) => {
                self.place = Place::Init("an `init` block");
                self.program.workload.init = self.inner_block(body, scope);
            }
            WorkloadItemKind::Turn(body) => {
                self.place = Place::Init(TURN_BLOCK);
                self.program.workload.turn = self.inner_block(body, scope);
            }
            WorkloadItemKind::Hidden(_) | WorkloadItemKind::Session(_) => {}
        }
    }

    fn arrive(&mut self, law: &'a ast::Node<Arrival>, scope: ScopeId) {
        let constant = |what| Self::at(scope, Moment::Constant(what));
        let arrival = match &law.kind {
            Arrival::Poisson(rate) => {
                self.constant(rate, constant("an arrival rate")).map(|value| {
                    let positive = compare(BinaryOp::Gt, &value, 0.0);
                    let finite = compare(BinaryOp::Lt, &value, f64::INFINITY);
                    self.require(and(positive, finite), errors::workload::rate(rate.span));
                    ir::Arrival::Poisson(value)
                })
            }
            Arrival::Renewal(gap) => {
                self.expr(gap, Self::at(scope, Moment::Arrival)).map(|value| {
                    if is_constant(&value) {
                        let positive = compare(BinaryOp::Gt, &value, 0.0);
                        let finite = compare(BinaryOp::Lt, &value, f64::INFINITY);
                        self.require(and(positive, finite), errors::workload::gap(gap.span));
                    }
                    ir::Arrival::Renewal(value)
                })
            }
            Arrival::Closed(count) => self.population(count, scope).map(ir::Arrival::Closed),
            Arrival::Batch(count) => self.population(count, scope).map(ir::Arrival::Batch),
            Arrival::None => Some(ir::Arrival::None),
        };
        if let Some(arrival) = arrival {
            self.program.workload.arrival = arrival;
        }
    }

    fn population(&mut self, count: &'a ast::Expr, scope: ScopeId) -> Option<ir::Expr> {
        let at = Self::at(scope, Moment::Constant("a number of sessions"));
        let value = self.constant(count, at)?;
        let finite = compare(BinaryOp::Lt, &value, f64::INFINITY);
        let counts = and(compare(BinaryOp::Ge, &value, 0.0), finite);
        let cond = and(whole(&value), counts);
        self.require(cond, errors::workload::population(count.span));
        let bounded = compare(BinaryOp::Le, &value, LARGEST_POPULATION);
        self.require(bounded, errors::workload::too_many(count.span, LARGEST_POPULATION));
        Some(value)
    }

    /// A limit of arrivals means something to an open workload only.
    fn check_arrivals(&mut self) {
        let Some(limit) = &self.program.run.arrivals else { return };
        match self.program.workload.arrival {
            ir::Arrival::Poisson(_) | ir::Arrival::Renewal(_) | ir::Arrival::Recorded => {}
            ir::Arrival::Closed(_) | ir::Arrival::Batch(_) | ir::Arrival::None => {
                let found = errors::run::arrivals_of_no_open(self.span_of(limit));
                self.diagnostics.push(found);
            }
        }
    }

    /// Reads a trace's text and checks its shape.
    fn trace(&mut self, file: &'a ast::Str, order: TraceOrder, span: Span) {
        let path = self.loader.join(self.path, &file.kind);
        let read = self.loader.open(&path).map_err(trace::Wrong::Unread);
        let lasting = self.loader.lasting(&path);
        let text = match read.and_then(|input| trace::read(input, order, lasting)) {
            Ok(text) => text,
            Err(wrong) => {
                self.diagnostics.push(errors::trace::wrong(file.span, &file.kind, &wrong));
                return;
            }
        };
        self.program.workload.trace =
            Some(ir::Trace { path: file.kind.clone(), text, order, span });
    }
}
