//! Attributes that nothing reads, but to work out their own next value.

use crate::ir::{AttrId, Evict, Expr, ExprKind, Program, StageKind, StmtKind, visit};
use crate::resolve::context::Resolver;
use crate::resolve::errors;
use crate::span::FileId;

impl Resolver<'_> {
    pub(super) fn warn_of_unread(&mut self) {
        let read = read(&self.program);
        // What a library sets is an offer to those who use it.
        let own = self.given_at.iter().filter(|(_, span)| span.file == FileId::default());
        let unread = own.filter(|(attr, _)| !read[attr.index()]);
        let found: Vec<_> = unread
            .map(|(attr, span)| {
                errors::warnings::never_read(*span, &self.program.attrs[attr.index()].name)
            })
            .collect();
        self.diagnostics.extend(found);
    }
}

/// Per attribute whether something reads it.
fn read(program: &Program) -> Vec<bool> {
    let mut read = vec![false; program.attrs.len()];
    statements(program, &mut read);
    let mut note = |expr: &Expr| note(expr, None, &mut read);
    for hold in &program.holds {
        visit::header(hold, &mut note);
        visit::clauses(hold, &mut note);
    }
    // Of what machines read, only these belong to a session.
    for pool in &program.pools {
        pool.queue_keys.iter().for_each(|key| visit::expr(key, &mut note));
        if let Evict::By(keys) = &pool.evict {
            keys.iter().for_each(|key| visit::expr(key, &mut note));
        }
        if let Some(spill) = &pool.spill {
            visit::expr(&spill.work, &mut note);
            visit::expr(&spill.when, &mut note);
        }
    }
    for stage in &program.stages {
        if let StageKind::Step(step) = &stage.kind {
            visit::serve(step, &mut note);
        }
    }
    read
}

fn statements(program: &Program, read: &mut [bool]) {
    for block in [&program.workload.init, &program.workload.turn, &program.session] {
        visit::stmts(block, &mut |stmt| {
            let own = match &stmt.kind {
                StmtKind::Set { attr, .. } | StmtKind::Choose { attr, .. } => Some(*attr),
                _ => None,
            };
            visit::stmt_exprs(stmt, &mut |expr| note(expr, own, read));
        });
    }
}

/// Notes what one node reads; a statement that gives `own` does not count as its reader.
fn note(expr: &Expr, own: Option<AttrId>, read: &mut [bool]) {
    if let ExprKind::Attr(attr) = expr.kind {
        read[attr.index()] |= own != Some(attr);
    }
}
