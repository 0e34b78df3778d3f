//! Names of states, after what the session waited for.

use crate::ir::{HoldId, Mode, PoolRef, Program, QueueId, StageKind, StageRef};
use std::collections::HashMap;

/// Names given so far.
#[derive(Default)]
pub struct Taken(HashMap<String, u32>);

impl Taken {
    /// `name`, or `name_2`, `name_3` when it is taken.
    pub fn unique(&mut self, name: String) -> String {
        let n = self.0.entry(name.clone()).or_insert(0);
        *n += 1;
        let (n, mut unique) = (*n, name.clone());
        if n > 1 {
            unique = format!("{name}_{n}");
            return self.unique(unique);
        }
        unique.shrink_to_fit();
        unique
    }
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c == '.' {
            out.push('_');
        } else {
            out.extend(c.to_lowercase());
        }
    }
    out
}

/// A hold's body: `holding_d_kv`.
pub fn of_hold(program: &Program, hold: HoldId) -> String {
    format!("holding_{}", of_claims(program, hold))
}

fn of_claims(program: &Program, hold: HoldId) -> String {
    let claims = &program.holds[hold.index()].claims;
    let names: Vec<String> =
        claims.iter().map(|c| snake(&program.pools[c.pool.pool.index()].name)).collect();
    names.join("_")
}

/// A leg that books: `booking_d_kv`.
pub fn of_booking(program: &Program, hold: HoldId) -> String {
    format!("booking_{}", of_claims(program, hold))
}

/// Before what was booked is there: `opening_d_kv`.
pub fn of_opening(program: &Program, hold: HoldId) -> String {
    format!("opening_{}", of_claims(program, hold))
}

/// After a run: `after_d_prefill`, `after_tool`.
pub fn of_run(program: &Program, stages: &[StageRef], mode: Mode) -> String {
    let names: Vec<String> =
        stages.iter().map(|r| snake(&program.stages[r.stage.index()].name)).collect();
    let mode = match (&program.stages[stages[0].stage.index()].kind, mode) {
        (StageKind::Step(_), Mode::Prefill) => "_prefill",
        (StageKind::Step(_), Mode::Decode) => "_decode",
        (StageKind::Fifo(_) | StageKind::Ps(_) | StageKind::Delay, _) => "",
    };
    format!("after_{}{mode}", names.join("_"))
}

/// After a growth: `grown_kv`.
pub fn of_grow(program: &Program, pool: &PoolRef) -> String {
    format!("grown_{}", snake(&program.pools[pool.pool.index()].name))
}

/// After the member that was called failed: `lost_d`.
pub fn of_failed(program: &Program, queue: QueueId) -> String {
    format!("lost_{}", snake(&program.queues[queue.index()].name))
}
