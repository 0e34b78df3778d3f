//! Which engines may plan whole runs of decode iterations at once.
//!
//! A run skips the settles at its inner iteration ends, and the engine's progress is not visible in
//! between. That is the same simulation, sample for sample, when nothing can tell: nobody reads the
//! work left on the engine, nobody but its own residents grows its memory, no wait elsewhere depends
//! on the clock. Whether a particular run may be planned (all decode, budget and memory suffice) the
//! engine decides as it starts.

use crate::ir::{
    Ctx, Expr, ExprKind, HoldId, PoolFn, PoolId, Program, Serve, StageFn, StageId, StageKind, Step,
    StmtKind, visit,
};

/// True when a wait depends on the clock, or one outside the engines on an engine's progress, so that
/// every iteration's end is an instant at which it may change.
pub fn restless(program: &Program) -> bool {
    let clock = |e: &Expr| matches!(e.kind, ExprKind::Ctx(Ctx::Now | Ctx::Waited));
    let mut found = false;
    let mut look = |e: &Expr| found |= clock(e);
    // An idle engine looks at its queues after every event, whoever's it is.
    program.holds.iter().for_each(|hold| visit::header(hold, &mut look));
    for pool in &program.pools {
        pool.queue_keys.iter().for_each(|k| visit::expr(k, &mut look));
    }
    for engine in program.stages.iter().filter_map(|s| step(&s.kind)) {
        plan_exprs(engine).for_each(|e| visit::expr(e, &mut look));
    }
    found || waits_on_engines(program)
}

/// A wait that no engine serves reads an engine's progress or the memory that it moves.
fn waits_on_engines(program: &Program) -> bool {
    let memory: Vec<PoolId> =
        program.stages.iter().filter_map(|s| step(&s.kind)).filter_map(|s| s.memory).collect();
    let mut found = false;
    let mut look = |e: &Expr| {
        found |= match &e.kind {
            ExprKind::Stage(f, _) => !matches!(f, StageFn::Queue),
            ExprKind::Price(..) => true,
            ExprKind::Pool(PoolFn::Used | PoolFn::Free, r) => memory.contains(&r.pool),
            _ => false,
        }
    };
    for hold in &program.holds {
        if program.pools[hold.claims[0].pool.pool.index()].admit_via.is_none() {
            visit::header(hold, &mut look);
        }
    }
    for pool in program.pools.iter().filter(|p| p.admit_via.is_none()) {
        pool.queue_keys.iter().for_each(|k| visit::expr(k, &mut look));
    }
    found
}

fn step(kind: &StageKind) -> Option<&Step> {
    match kind {
        StageKind::Step(s) => Some(s),
        StageKind::Fifo(_) | StageKind::Ps(_) | StageKind::Delay => None,
    }
}

/// True when runs of decode iterations of this engine cannot be told from single ones.
pub fn plannable(program: &Program, id: StageId) -> bool {
    let Some(engine) = step(&program.stages[id.index()].kind) else { return false };
    let order = match &engine.serve {
        Serve::ExclusivePrefill => false,
        Serve::By { only, keys, decode_first } => {
            only.is_none() && (keys.is_empty() || *decode_first)
        }
    };
    order
        && engine.budget.as_ref().is_none_or(constant)
        && engine.chunk.as_ref().is_none_or(constant)
        && totals_only(&engine.cost)
        && !progress_read(program, id, engine.memory)
        && engine.memory.is_none_or(|m| memory_private(program, id, m))
        && victims_are_memory(program)
}

fn all(e: &Expr, ok: impl Fn(&Expr) -> bool) -> bool {
    let mut good = true;
    visit::expr(e, &mut |e| good &= ok(e));
    good
}

/// Numbers and `let`s only.
fn constant(e: &Expr) -> bool {
    all(e, |e| {
        !matches!(
            e.kind,
            ExprKind::Ctx(_)
                | ExprKind::Pool(..)
                | ExprKind::Stage(..)
                | ExprKind::Price(..)
                | ExprKind::Draw(..)
        )
    })
}

/// The iteration's totals, numbers and `let`s only.
fn totals_only(e: &Expr) -> bool {
    all(e, |e| {
        !matches!(
            e.kind,
            ExprKind::Ctx(Ctx::Now)
                | ExprKind::Pool(..)
                | ExprKind::Stage(..)
                | ExprKind::Price(..)
                | ExprKind::Draw(..)
        )
    })
}

/// Whether a reading of an engine changes while it runs iterations with the same residents.
fn moves(reading: StageFn) -> bool {
    match reading {
        StageFn::Work
        | StageFn::BudgetLeft
        | StageFn::Busy
        | StageFn::KvDecode
        | StageFn::KvPrefill => true,
        StageFn::Queue | StageFn::EstLambda | StageFn::EstRho | StageFn::EstWait | StageFn::Up => {
            false
        }
    }
}

/// Something reads how far the engine is between its iterations' visible ends.
fn progress_read(program: &Program, id: StageId, memory: Option<PoolId>) -> bool {
    let mut found = false;
    // The engine's own plan may read what is left of its budget.
    let mut outside = |e: &Expr| {
        found |= match &e.kind {
            ExprKind::Stage(f, r) => r.stage == id && moves(*f),
            _ => false,
        };
    };
    visit::stmts(&program.session, &mut |s| visit::stmt_exprs(s, &mut outside));
    for (i, hold) in program.holds.iter().enumerate() {
        visit::clauses(hold, &mut outside);
        if !served_by(program, HoldId(i as u32), id) {
            visit::header(hold, &mut outside);
        }
    }
    for g in &program.gauges {
        visit::expr(&g.value, &mut outside);
    }
    // Machine expressions see pools and stages at moments that a run moves.
    let mut machine = |e: &Expr| {
        found |= match &e.kind {
            ExprKind::Stage(_, r) => r.stage == id,
            ExprKind::Pool(PoolFn::Used | PoolFn::Free, r) => Some(r.pool) == memory,
            _ => false,
        };
    };
    for stage in &program.stages {
        match &stage.kind {
            StageKind::Step(s) => {
                plan_exprs(s).chain([&s.cost]).for_each(|e| visit::expr(e, &mut machine));
            }
            StageKind::Ps(e) => visit::expr(e, &mut machine),
            StageKind::Fifo(_) | StageKind::Delay => {}
        }
    }
    for pool in &program.pools {
        pool.queue_keys.iter().for_each(|e| visit::expr(e, &mut machine));
    }
    found
}

/// What an engine reads of the world before and while it plans; not its cost.
fn plan_exprs(s: &Step) -> impl Iterator<Item = &Expr> {
    let (only, keys) = match &s.serve {
        Serve::ExclusivePrefill => (None, &[][..]),
        Serve::By { only, keys, .. } => (only.as_ref(), &keys[..]),
    };
    [s.budget.as_ref(), s.chunk.as_ref(), only].into_iter().flatten().chain(keys)
}

fn served_by(program: &Program, hold: HoldId, engine: StageId) -> bool {
    let first = program.holds[hold.index()].claims[0].pool.pool;
    program.pools[first.index()].admit_via == Some(engine)
}

/// Only runs on this engine grow its memory, and it is no other engine's.
fn memory_private(program: &Program, id: StageId, memory: PoolId) -> bool {
    let engines = program
        .stages
        .iter()
        .filter(|s| step(&s.kind).is_some_and(|s| s.memory == Some(memory)))
        .count();
    let mut private = engines == 1;
    visit::stmts(&program.session, &mut |s| match &s.kind {
        StmtKind::Grow { pool, .. } => private &= pool.pool != memory,
        StmtKind::Run { stages, growing: Some(pool), .. } => {
            private &= pool.pool != memory || stages[0].stage == id;
        }
        _ => {}
    });
    private
}

/// Preemption takes residents of engines only through their own memory.
fn victims_are_memory(program: &Program) -> bool {
    program.pools.iter().enumerate().all(|(i, p)| {
        let pool = PoolId(i as u32);
        !p.lifo
            || program.stages.iter().any(|s| step(&s.kind).is_some_and(|s| s.memory == Some(pool)))
    })
}
