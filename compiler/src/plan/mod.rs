//! What this program uses: the choice of runtime parts.
//!
//! In: the IR. Out: [`Plan`], facts per family that the emitter writes into constants, so that what
//! a program does not use compiles to nothing. Cannot fail; where it cannot show that a short cut is
//! safe it says no.

mod engines;
mod indices;
mod joins;
mod kept;
mod locals;
mod signals;
mod waits;

pub use indices::same_constant;
pub use joins::at_most_reserve;
pub use kept::{Family, Index, Kept, KeptPlan};
pub use waits::{checked_claims, computed_of, plain_cache, steady_claims, steady_keys};

use crate::{
    ir::{Evict, Expr, Hold, PoolId, Program, Stage, StageId, StageKind, StmtKind, visit},
    machine::Machine,
};

/// The facts.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Per pool family.
    pub pools: Vec<PoolPlan>,
    /// Per stage family.
    pub stages: Vec<StagePlan>,
    /// Per gauge: the bits of what it reads.
    pub gauges: Vec<u64>,
    /// What may be kept of the members of families.
    pub kept: KeptPlan,
    /// Keys or headers outside the engines depend on the clock or on an engine's progress.
    pub restless: bool,
    /// Eviction keys or spill clauses read session attributes.
    pub entry_attrs: bool,
    /// Per attribute: it is a local of one emitted function, not a field of the session.
    pub locals: Vec<bool>,
    /// Per attribute: only choices over this constant count set it, so that it is always a member's number.
    pub indices: Vec<Option<Expr>>,
}

/// Facts of a pool family.
#[derive(Clone, Debug)]
pub struct PoolPlan {
    /// It may have cached prefixes.
    pub cached: bool,
    /// Something grows it.
    pub grows: bool,
    /// Engine families whose memory it is.
    pub memory_of: Vec<StageId>,
    /// Gauge bits of `used`, `holders`, `queued`.
    pub dirty: [u64; 3],
}

/// Facts of a stage family.
#[derive(Clone, Debug)]
pub struct StagePlan {
    /// Pool families whose queues it serves.
    pub serves: Vec<PoolId>,
    /// Runs of decode iterations may be planned at once.
    pub plannable: bool,
    /// Gauge bits of the number of jobs.
    pub dirty: u64,
}

/// Finds the facts.
pub fn plan(program: &Program, machine: &Machine) -> Plan {
    let signals = signals::assign(program);
    let restless = engines::restless(program);
    let pools = (0..program.pools.len())
        .map(|i| {
            let id = PoolId(i as u32);
            PoolPlan {
                cached: cached(program, id),
                grows: grows(program, id),
                memory_of: memory_of(program, id),
                dirty: signals.pools[i],
            }
        })
        .collect();
    let stages = (0..program.stages.len())
        .map(|i| {
            let id = StageId(i as u32);
            StagePlan {
                serves: serves(program, id),
                plannable: !restless && engines::plannable(program, id),
                dirty: signals.stages[i],
            }
        })
        .collect();
    Plan {
        pools,
        stages,
        gauges: signals.gauges,
        kept: kept::kept(program),
        restless,
        entry_attrs: entry_attrs(program),
        locals: locals::locals(program, machine),
        indices: indices::indices(program),
    }
}

fn takes(hold: &Hold, pool: PoolId) -> bool {
    hold.claims.iter().any(|c| c.pool.pool == pool)
}

fn cached(program: &Program, pool: PoolId) -> bool {
    program.holds.iter().any(|h| h.cache.is_some() && takes(h, pool))
        || program.pools.iter().any(|p| p.spill.as_ref().is_some_and(|s| s.to.pool == pool))
}

fn grows(program: &Program, pool: PoolId) -> bool {
    let mut found = false;
    visit::stmts(&program.session, &mut |s| match &s.kind {
        StmtKind::Grow { pool: p, .. } | StmtKind::Run { growing: Some(p), .. } => {
            found |= p.pool == pool;
        }
        _ => {}
    });
    found
}

fn memory_of(program: &Program, pool: PoolId) -> Vec<StageId> {
    let is = |s: &Stage| matches!(&s.kind, StageKind::Step(e) if e.memory == Some(pool));
    (0..program.stages.len())
        .filter(|i| is(&program.stages[*i]))
        .map(|i| StageId(i as u32))
        .collect()
}

fn serves(program: &Program, stage: StageId) -> Vec<PoolId> {
    (0..program.pools.len())
        .filter(|i| program.pools[*i].admit_via == Some(stage))
        .map(|i| PoolId(i as u32))
        .collect()
}

fn entry_attrs(program: &Program) -> bool {
    use crate::ir::ExprKind;
    let mut found = false;
    let mut look = |e: &crate::ir::Expr| {
        found |= matches!(e.kind, ExprKind::Attr(_) | ExprKind::Builtin(_));
    };
    for p in &program.pools {
        if let Evict::By(keys) = &p.evict {
            keys.iter().for_each(|k| visit::expr(k, &mut look));
        }
        if let Some(s) = &p.spill {
            visit::expr(&s.work, &mut look);
            visit::expr(&s.when, &mut look);
            visit::pool_ref(&s.to, &mut look);
            visit::stage_ref(&s.via, &mut look);
        }
    }
    found
}
