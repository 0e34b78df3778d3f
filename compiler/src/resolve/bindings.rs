//! Admission bindings: names local to one hold.
//!
//! In the header and the clauses a binding is its text. The body sees its value as the body
//! begins, which an attribute of the binding's own keeps, if the text reads only attributes and
//! constants: whatever else it reads has moved by then.

use super::context::{At, Resolver};
use super::errors;
use super::notes::Meaning;
use super::scope::{Given, ScopeKind};
use super::terms::every_part;
use crate::ir::{self, AttrId, Builtin, Expr, ExprKind, QueueId};
use crate::span::Span;
use crate::syntax::ast::Name;

/// Which part of its hold is being read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// The header and the clauses after the body.
    Text,
    /// The body.
    Body,
}

/// One binding.
pub(super) struct Binding<'a> {
    pub name: &'a Name,
    /// Its text.
    pub given: Given<'a>,
    /// Its value as read in the header; `None` when that failed.
    pub value: Option<Expr>,
    pub phase: Phase,
    /// The queue whose entry holds.
    pub queue: Option<QueueId>,
    /// The attribute that the body reads, once it does.
    pub kept: Option<AttrId>,
}

impl<'a> Resolver<'a> {
    /// What the name of a binding means here.
    pub fn binding(&mut self, index: usize, span: Span, at: At) -> Option<Expr> {
        let declared = self.bindings[index].name.span;
        self.note(span, || Meaning::Declared(declared));
        let binding = &self.bindings[index];
        if binding.phase == Phase::Text {
            let given = binding.given;
            return self.expr(given.expr, At { scope: given.scope, ..at });
        }
        let (name, kept) = (binding.name, binding.kept);
        let value = binding.value.clone()?;
        if let Some(what) = moves(&value) {
            self.report(errors::holds::binding_in_body(span, &name.kind, &what), at.scope);
            return None;
        }
        let attr = match kept {
            Some(attr) => attr,
            None => {
                let attr = self.binding_attribute(index);
                self.bindings[index].kept = Some(attr);
                attr
            }
        };
        let site = self.site(span, at.scope);
        Some(Expr { kind: ExprKind::Attr(attr), ty: value.ty, site })
    }

    /// The attribute that keeps a binding. Bindings of one name share it unless one hold's scope
    /// lies in the other's, however it came there: then each depth has its own.
    fn binding_attribute(&mut self, index: usize) -> AttrId {
        let (name, queue) = (self.bindings[index].name, self.bindings[index].queue);
        let mut told = match self.same_name_around(index) {
            0 => name.kind.clone(),
            depth => format!("{}_{}", name.kind, depth + 1),
        };
        while self.known_attribute(queue, &told).is_some() {
            told.push('_');
        }
        if let Some(id) = self.kept.get(&(queue, told.clone())) {
            return *id;
        }
        let shown = self.shown_attribute(queue, &told);
        let id = AttrId(self.program.attrs.len() as u32);
        self.program.attrs.push(ir::Attr { name: shown, ty: ir::Ty::Num, hidden: false });
        self.kept.insert((queue, told), id);
        id
    }

    /// How many bindings of its name and queue are around a binding, through every use.
    fn same_name_around(&self, index: usize) -> usize {
        let Binding { name, queue, given, .. } = &self.bindings[index];
        let mut count = 0;
        let mut next = Some(given.scope);
        while let Some(id) = next {
            if let ScopeKind::Binding { binding } = &self.frame(id).kind {
                let other = &self.bindings[*binding];
                count += usize::from(other.name.kind == name.kind && other.queue == *queue);
            }
            next = self.frame(id).parent;
        }
        count
    }

    /// The statements that keep what a body reads, to stand at its head.
    pub fn keep_bindings(&mut self, bindings: std::ops::Range<usize>, body: &mut ir::Block) {
        let mut kept = Vec::new();
        for index in bindings {
            let binding = &self.bindings[index];
            if let (Some(attr), Some(value)) = (binding.kept, binding.value.clone()) {
                let (span, scope) = (binding.name.span, binding.given.scope);
                let site = self.site(span, scope);
                kept.push(ir::Stmt { kind: ir::StmtKind::Set { attr, value }, site });
            }
        }
        body.splice(0..0, kept);
    }
}

/// What a binding reads that has moved when the body begins, if it does.
fn moves(expr: &Expr) -> Option<String> {
    let own = match &expr.kind {
        ExprKind::Builtin(Builtin::Cached) => Some("cached"),
        ExprKind::Ctx(_) => Some("now"),
        ExprKind::Pool(..) => Some("a pool"),
        ExprKind::Stage(..) | ExprKind::Price(..) => Some("a stage"),
        _ => None,
    };
    if let Some(what) = own {
        return Some(what.to_owned());
    }
    let mut found = None;
    every_part(expr, &mut |part| {
        found = moves(part);
        found.is_none()
    });
    found
}
