//! Loops that cannot pass time: every path through a body takes time, waits for room, or ends.

use super::context::Resolver;
use super::errors;
use super::terms::is_constant;
use crate::ir::{Block, Stmt, StmtKind, eval};

impl<'a> Resolver<'a> {
    /// Reports every loop with a path on which no time passes.
    pub fn check_loops(&mut self) {
        let values = self.param_values();
        let mut wrong = Vec::new();
        super::types::each_stmt(&self.program.session, &mut |stmt| {
            if let StmtKind::Loop(body) = &stmt.kind
                && !passes(body, &values)
            {
                wrong.push(stmt.site);
            }
        });
        for site in wrong {
            let site = self.program.sites[site.index()].clone();
            let mut found = errors::loops::no_time(site.span);
            for used_at in site.used_at.into_iter().rev() {
                found = found.also(used_at, "used here");
            }
            self.diagnostics.push(found);
        }
    }
}

fn passes(block: &Block, values: &[f64]) -> bool {
    // A leg that passes time does so beside; who waits for it passes time as well.
    let mut awaited = false;
    block.iter().any(|stmt| {
        awaited |= matches!(&stmt.kind, StmtKind::Fork(leg) if passes(leg, values));
        awaited && matches!(stmt.kind, StmtKind::Join) || stmt_passes(stmt, values)
    })
}

fn stmt_passes(stmt: &Stmt, values: &[f64]) -> bool {
    match &stmt.kind {
        StmtKind::End | StmtKind::Hold { .. } | StmtKind::Open { .. } => true,
        StmtKind::Run { work, .. } | StmtKind::Fan { work, .. } => {
            !is_constant(work) || eval::eval(work, values).is_none_or(|work| work > 0.0)
        }
        StmtKind::Branch { then, otherwise, .. }
        | StmtKind::Guarded { body: then, otherwise, .. } => {
            passes(then, values) && passes(otherwise, values)
        }
        StmtKind::Loop(body) => passes(body, values),
        StmtKind::Fork(_)
        | StmtKind::Join
        | StmtKind::Book { .. }
        | StmtKind::Turn
        | StmtKind::Set { .. }
        | StmtKind::Choose { .. }
        | StmtKind::Observe { .. }
        | StmtKind::Grow { .. }
        | StmtKind::Drop { .. }
        | StmtKind::Prefix { .. }
        | StmtKind::Release { .. }
        | StmtKind::Load { .. } => false,
    }
}
