//! Static types: which attributes are only ever given bools, and what follows for expressions.

use super::context::Resolver;
use super::terms::chain_type;
use crate::ir::{self, Arrival, Block, Expr, ExprKind, Serve, StageKind, StmtKind, Ty};

impl<'a> Resolver<'a> {
    /// Settles the type of every attribute and expression, and which guards need a check.
    ///
    /// Attributes start at 0, which is a bool; one is a bool until something that is none is
    /// given to it, so the types are the greatest fixed point.
    pub fn infer_types(&mut self) {
        let mut types = vec![Ty::Bool; self.program.attrs.len()];
        let mut given = vec![false; types.len()];
        let program = &self.program;
        let blocks = [&program.workload.init, &program.workload.turn, &program.session];
        loop {
            let mut changed = false;
            for block in blocks {
                each_stmt(block, &mut |stmt| match &stmt.kind {
                    StmtKind::Set { attr, value } => {
                        given[attr.index()] = true;
                        if types[attr.index()] == Ty::Bool && type_of(value, &types) == Ty::Num {
                            types[attr.index()] = Ty::Num;
                            changed = true;
                        }
                    }
                    StmtKind::Choose { attr, .. } if types[attr.index()] == Ty::Bool => {
                        types[attr.index()] = Ty::Num;
                        changed = true;
                    }
                    _ => {}
                });
            }
            if !changed {
                break;
            }
        }
        for (ty, given) in types.iter_mut().zip(given) {
            if !given {
                *ty = Ty::Num;
            }
        }
        self.settle(&types);
    }

    fn settle(&mut self, types: &[Ty]) {
        for (attr, ty) in self.program.attrs.iter_mut().zip(types) {
            attr.ty = *ty;
        }
        let program = &mut self.program;
        settle_block(&mut program.workload.init, types);
        settle_block(&mut program.workload.turn, types);
        settle_block(&mut program.session, types);
        for hold in &mut program.holds {
            for claim in &mut hold.claims {
                settle_expr(&mut claim.units, types);
                claim.reserve.iter_mut().for_each(|e| settle_expr(e, types));
                claim.pool.index.iter_mut().for_each(|e| settle_expr(e, types));
            }
            hold.reuse.iter_mut().for_each(|e| settle_expr(e, types));
            hold.cache.iter_mut().for_each(|e| settle_expr(e, types));
            hold.lease.iter_mut().for_each(|(_, e)| settle_expr(e, types));
            if let Some((period, extension)) = &mut hold.renew {
                settle_expr(period, types);
                settle_expr(extension, types);
            }
        }
        for pool in &mut program.pools {
            pool.queue_keys.iter_mut().for_each(|e| settle_expr(e, types));
            if let ir::Evict::By(keys) = &mut pool.evict {
                keys.iter_mut().for_each(|e| settle_expr(e, types));
            }
            if let Some(spill) = &mut pool.spill {
                settle_expr(&mut spill.work, types);
                settle_expr(&mut spill.when, types);
            }
        }
        for stage in &mut program.stages {
            settle_stage(&mut stage.kind, types);
        }
        program.gauges.iter_mut().for_each(|gauge| settle_expr(&mut gauge.value, types));
        if let Arrival::Renewal(gap) = &mut program.workload.arrival {
            settle_expr(gap, types);
        }
    }
}

fn settle_stage(kind: &mut StageKind, types: &[Ty]) {
    match kind {
        StageKind::Fifo(expr) | StageKind::Ps(expr) => settle_expr(expr, types),
        StageKind::Delay => {}
        StageKind::Step(step) => {
            settle_expr(&mut step.cost, types);
            step.budget.iter_mut().for_each(|e| settle_expr(e, types));
            step.chunk.iter_mut().for_each(|e| settle_expr(e, types));
            if let Serve::By { only, keys, .. } = &mut step.serve {
                only.iter_mut().for_each(|e| settle_expr(e, types));
                keys.iter_mut().for_each(|e| settle_expr(e, types));
            }
        }
    }
}

/// Every statement of a block, inner ones too.
pub(super) fn each_stmt(block: &Block, visit: &mut dyn FnMut(&ir::Stmt)) {
    for stmt in block {
        visit(stmt);
        match &stmt.kind {
            StmtKind::Hold { body, .. }
            | StmtKind::Open { body, .. }
            | StmtKind::Loop(body)
            | StmtKind::Fork(body) => each_stmt(body, visit),
            StmtKind::Branch { then, otherwise, .. }
            | StmtKind::Guarded { body: then, otherwise, .. } => {
                each_stmt(then, visit);
                each_stmt(otherwise, visit);
            }
            _ => {}
        }
    }
}

/// As [`each_stmt`], without those of legs: what one session, or one leg, does itself.
pub(super) fn each_own_stmt(block: &Block, visit: &mut dyn FnMut(&ir::Stmt)) {
    for stmt in block {
        visit(stmt);
        match &stmt.kind {
            StmtKind::Hold { body, .. } | StmtKind::Open { body, .. } | StmtKind::Loop(body) => {
                each_own_stmt(body, visit);
            }
            StmtKind::Branch { then, otherwise, .. } => {
                each_own_stmt(then, visit);
                each_own_stmt(otherwise, visit);
            }
            _ => {}
        }
    }
}

fn settle_block(block: &mut Block, types: &[Ty]) {
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::Turn | StmtKind::End | StmtKind::Join | StmtKind::Book { .. } => {}
            StmtKind::Set { value, .. } | StmtKind::Observe { value, .. } => {
                settle_expr(value, types);
            }
            StmtKind::Choose { count, keys, .. } => {
                settle_expr(count, types);
                keys.iter_mut().for_each(|e| settle_expr(e, types));
            }
            StmtKind::Hold { body, .. }
            | StmtKind::Open { body, .. }
            | StmtKind::Loop(body)
            | StmtKind::Fork(body) => settle_block(body, types),
            StmtKind::Grow { pool, amount } | StmtKind::Load { pool, amount } => {
                settle_expr(amount, types);
                pool.index.iter_mut().for_each(|e| settle_expr(e, types));
            }
            StmtKind::Drop { pool } | StmtKind::Release { pool } => {
                pool.index.iter_mut().for_each(|e| settle_expr(e, types));
            }
            StmtKind::Guarded { index, body, otherwise, .. } => {
                index.iter_mut().for_each(|e| settle_expr(e, types));
                settle_block(body, types);
                settle_block(otherwise, types);
            }
            StmtKind::Prefix { key, tokens } => {
                settle_expr(key, types);
                settle_expr(tokens, types);
            }
            StmtKind::Run { stages, work, growing, .. } => {
                settle_expr(work, types);
                for stage in stages {
                    stage.index.iter_mut().for_each(|e| settle_expr(e, types));
                }
                if let Some(pool) = growing {
                    pool.index.iter_mut().for_each(|e| settle_expr(e, types));
                }
            }
            StmtKind::Fan { ends, work } => {
                settle_expr(work, types);
                for end in ends {
                    end.index.iter_mut().for_each(|e| settle_expr(e, types));
                }
            }
            StmtKind::Branch { guard, check, then, otherwise } => {
                settle_expr(guard, types);
                *check = guard.ty != Ty::Bool;
                settle_block(then, types);
                settle_block(otherwise, types);
            }
        }
    }
}

/// The type of an expression under assumed types of attributes.
pub(super) fn type_of(expr: &Expr, types: &[Ty]) -> Ty {
    match &expr.kind {
        ExprKind::Attr(attr) => types.get(attr.index()).copied().unwrap_or(Ty::Num),
        ExprKind::Cond(_, yes, no) => match (type_of(yes, types), type_of(no, types)) {
            (Ty::Bool, Ty::Bool) => Ty::Bool,
            _ => Ty::Num,
        },
        ExprKind::Chain(..) => chain_type(&expr.kind),
        ExprKind::Num(_)
        | ExprKind::Param(_)
        | ExprKind::Builtin(_)
        | ExprKind::Ctx(_)
        | ExprKind::Var(_)
        | ExprKind::Member
        | ExprKind::Neg(_)
        | ExprKind::Not(_)
        | ExprKind::Math(..)
        | ExprKind::Pool(..)
        | ExprKind::Stage(..)
        | ExprKind::Price(..)
        | ExprKind::Draw(..)
        | ExprKind::Aggregate(..)
        | ExprKind::Nic(..) => expr.ty,
    }
}

fn settle_expr(expr: &mut Expr, types: &[Ty]) {
    match &mut expr.kind {
        ExprKind::Num(_)
        | ExprKind::Param(_)
        | ExprKind::Attr(_)
        | ExprKind::Builtin(_)
        | ExprKind::Ctx(_)
        | ExprKind::Var(_)
        | ExprKind::Member => {}
        ExprKind::Neg(inner) | ExprKind::Not(inner) => settle_expr(inner, types),
        ExprKind::Chain(first, rest) => {
            settle_expr(first, types);
            rest.iter_mut().for_each(|(_, term)| settle_expr(term, types));
        }
        ExprKind::Cond(test, yes, no) => {
            settle_expr(test, types);
            settle_expr(yes, types);
            settle_expr(no, types);
        }
        ExprKind::Math(_, args) | ExprKind::Draw(_, args) => {
            args.iter_mut().for_each(|e| settle_expr(e, types));
        }
        ExprKind::Pool(_, pool) => pool.index.iter_mut().for_each(|e| settle_expr(e, types)),
        ExprKind::Stage(_, stage) => stage.index.iter_mut().for_each(|e| settle_expr(e, types)),
        ExprKind::Price(stage, hit, ds) => {
            stage.index.iter_mut().for_each(|e| settle_expr(e, types));
            settle_expr(hit, types);
            settle_expr(ds, types);
        }
        ExprKind::Aggregate(_, _, count, body) => {
            settle_expr(count, types);
            settle_expr(body, types);
        }
        ExprKind::Nic(_, member, rank) => {
            member.iter_mut().for_each(|e| settle_expr(e, types));
            settle_expr(rank, types);
        }
    }
    expr.ty = type_of(expr, types);
}
