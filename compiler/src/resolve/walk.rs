//! Which attributes there are: every name that a statement of the session, or of an entry, gives.
//!
//! Expressions may read an attribute before the text sets it, so the names are collected first.

use super::context::Resolver;
use super::errors;
use super::functions;
use super::names::{DefBody, Symbol};
use crate::ir::{self, AttrId, QueueId, Ty};
use crate::syntax::ast::{Block, Name, StmtKind, WorkloadItemKind};

impl<'a> Resolver<'a> {
    /// Gives every attribute its id: the session's, then each queue's.
    pub fn collect_attributes(&mut self) {
        let mut given: Vec<&'a Name> = Vec::new();
        if let Some((items, ..)) = self.sides.workload {
            for item in items {
                match &item.kind {
                    WorkloadItemKind::Init(body)
                    | WorkloadItemKind::Turn(body)
                    | WorkloadItemKind::Session(body) => self.given(body, usize::MAX, &mut given),
                    WorkloadItemKind::Arrive(_)
                    | WorkloadItemKind::Trace { .. }
                    | WorkloadItemKind::Hidden(_) => {}
                }
            }
        }
        for (body, ..) in [self.sides.session, self.sides.server].into_iter().flatten() {
            self.given(body, usize::MAX, &mut given);
        }
        let mut own: Vec<(QueueId, Vec<&'a Name>)> = Vec::new();
        for (index, queue) in self.queues.iter().enumerate() {
            let mut names = Vec::new();
            for entry in &queue.entries {
                if queue.is_gateway() && entry.verb.kind == "route" {
                    self.given(entry.body, usize::MAX, &mut given);
                } else {
                    self.given(entry.body, usize::MAX, &mut names);
                }
            }
            own.push((QueueId(index as u32), names));
        }
        for name in given {
            self.attribute(None, name);
        }
        for (queue, names) in own {
            for name in names {
                self.attribute(Some(queue), name);
            }
        }
    }

    /// The names that statements give, uses of definitions followed.
    pub fn given(&self, block: &'a Block, before: usize, out: &mut Vec<&'a Name>) {
        for stmt in &block.kind {
            match &stmt.kind {
                StmtKind::Set { name, .. }
                | StmtKind::Mark { name }
                | StmtKind::Choose { name, .. } => {
                    out.push(name);
                }
                StmtKind::Hold(hold) => self.given(&hold.body, before, out),
                StmtKind::Branch { then, otherwise, .. } => {
                    self.given(then, before, out);
                    if let Some(otherwise) = otherwise {
                        self.given(otherwise, before, out);
                    }
                }
                StmtKind::Open(opening) => self.given(&opening.body, before, out),
                StmtKind::Loop(body)
                | StmtKind::Fork(body)
                | StmtKind::Call { otherwise: Some(body), .. }
                | StmtKind::Transfer { otherwise: Some(body), .. } => {
                    self.given(body, before, out);
                }
                StmtKind::Use { name, .. } => {
                    // Only earlier definitions may be used, so this ends.
                    if let Some(Symbol::Def(def)) = self.symbol(&name.kind)
                        && let (true, DefBody::Block(body)) = (def < before, self.defs[def].body)
                        && !out.iter().any(|n| std::ptr::eq(*n, name))
                    {
                        self.given(body, def, out);
                    }
                }
                StmtKind::Turn
                | StmtKind::End
                | StmtKind::Join
                | StmtKind::Book(_)
                | StmtKind::Request(_)
                | StmtKind::Observe { .. }
                | StmtKind::Grow { .. }
                | StmtKind::Drop { .. }
                | StmtKind::Release { .. }
                | StmtKind::Load { .. }
                | StmtKind::Run { .. }
                | StmtKind::Call { otherwise: None, .. }
                | StmtKind::Serving { .. }
                | StmtKind::Transfer { otherwise: None, .. } => {}
            }
        }
    }

    fn attribute(&mut self, queue: Option<QueueId>, name: &'a Name) {
        if functions::builtin(&name.kind, self.has_trace).is_some() {
            self.diagnostics.push(errors::names::builtin_given(name));
            return;
        }
        if let Some(what) = super::names::reserved(&name.kind) {
            self.diagnostics.push(errors::names::given_taken(name, what, None));
            return;
        }
        if let Some(named) = self.names.get(name.kind.as_str()) {
            let what = named.symbol.describe();
            let found = errors::names::given_taken(name, what, Some(named.span));
            self.diagnostics.push(found);
            return;
        }
        self.attribute_named(queue, &name.kind);
    }

    /// The attribute of that name, made if need be.
    pub fn attribute_named(&mut self, queue: Option<QueueId>, name: &str) -> AttrId {
        let next = AttrId(self.program.attrs.len() as u32);
        let id = *self.attrs.entry((queue, name.to_owned())).or_insert(next);
        if id == next {
            let shown = self.shown_attribute(queue, name);
            self.program.attrs.push(ir::Attr { name: shown, ty: Ty::Num, hidden: false });
        }
        id
    }

    /// The name of an attribute in reports: an entry's own as `D.c`.
    pub fn shown_attribute(&self, queue: Option<QueueId>, name: &str) -> String {
        match queue {
            Some(queue) => format!("{}.{name}", self.program.queues[queue.index()].name),
            None => name.to_owned(),
        }
    }

    /// The attribute of that name, if something gives it.
    pub fn known_attribute(&self, queue: Option<QueueId>, name: &str) -> Option<AttrId> {
        self.attrs.get(&(queue, name.to_owned())).copied()
    }
}
