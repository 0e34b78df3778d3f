//! Preemption: a holder gives everything up so that another may grow, and queues again at the head.

use super::{allocs::listed, grow, queue, spec};
use crate::{
    engine,
    hold::{self, Alloc},
    kernel::{Job, NONE},
    legs, station,
    uses::Uses,
    world::{AtPool, PoolKey, Sid, StageKey, World},
};

/// Admission numbers of a session and of its allocation: the greatest goes first.
type Rank = (f64, u64);

/// The allocation to take from when `pool` is short: of an engine's memory, the resident admitted
/// last; else the last one. Leases are never taken.
pub(crate) fn victim<W: World>(w: &W, pool: impl AtPool) -> Option<u32> {
    if !spec::<W>(pool).lifo {
        None
    } else if listed::<W>(pool) {
        last_listed(w, pool)
    } else {
        last_resident(w, pool.key())
    }
}

/// The victim by the list of the pool's allocations.
fn last_listed<W: World>(w: &W, pool: impl AtPool) -> Option<u32> {
    let spec = spec::<W>(pool);
    let k = w.kernel();
    let mut best: Option<(Rank, u32)> = None;
    let mut id = w.pool(pool).last_alloc();
    while id != NONE {
        let a = &k.allocs[id];
        if !a.leased {
            if spec.memory_of.is_empty() {
                return Some(id);
            }
            let c = k.control(a.session);
            let resident = match c.job {
                Job::Engine(stage, _) => {
                    spec.memory_of.contains(&stage.family)
                        && engine::memory::<W>(stage) == Some(pool.key())
                }
                Job::None | Job::Station(..) | Job::Flow(_) => false,
            };
            let rank = (c.admission, a.admission);
            if resident && best.is_none_or(|(r, _)| rank > r) {
                best = Some((rank, id));
            }
        }
        id = a.previous;
    }
    best.map(|(_, id)| id)
}

/// The victim by the engines' residents, of a pool that is memory and keeps no list.
fn last_resident<W: World>(w: &W, pool: PoolKey) -> Option<u32> {
    let mut best: Option<(Rank, u32)> = None;
    for &family in spec::<W>(pool).memory_of {
        let shared = W::STAGES[family as usize].memory.is_some_and(|(_, single)| single);
        let members = match shared {
            true => 0..w.stage_count(family as usize) as u32,
            false => pool.member..pool.member + 1,
        };
        for member in members {
            let stage = StageKey { family, member };
            // The last admitted are the last in their engine's order.
            let seats = w.engine(stage).seats.iter().rev();
            let found = seats.map(|seat| seat.session).find_map(|s| last_held(w, s, pool));
            if let Some(found) = found
                && best.is_none_or(|(rank, _)| found.0 > rank)
            {
                best = Some(found);
            }
        }
    }
    best.map(|(_, id)| id)
}

/// The last allocation of the pool that a session got by a hold that it is in.
fn last_held<W: World>(w: &W, s: Sid, pool: PoolKey) -> Option<(Rank, u32)> {
    let id = hold::innermost_last(w, s, pool)?;
    let k = w.kernel();
    Some(((k.control(s).admission, k.allocs[id].admission), id))
}

/// Preempts the session of allocation `id`: its job leaves, its hold (with those inside) is released
/// with the computed prefix cached, and it executes the hold statement again from the queue's head.
pub(crate) fn preempt<W: World>(w: &mut W, id: u32) {
    let (pool, s) = (w.kernel().allocs[id].pool, w.kernel().allocs[id].session);
    w.pool_mut(pool).counts.preemptions += 1;
    w.kernel_mut().preemptions += 1;
    engine::before_preemption(w, s);
    let k = w.kernel();
    let Alloc { position, stmt, .. } = k.allocs[id];
    let place = hold::place_of(k, s, id);
    station::leave(w, s);
    queue::dequeue(w, s);
    grow::give_up(w, s);
    legs::stop_waiting(w, s);
    w.kernel_mut().make_unready(s);
    while w.kernel().control(s).holds.len() > place {
        let Some(h) = w.kernel_mut().control_mut(s).holds.pop() else { break };
        for &alloc in &h.allocs[..W::HOLDS[h.stmt as usize].claims] {
            if alloc != NONE {
                // Its position counts: what was computed.
                hold::give_back_any(w, alloc, true);
            }
        }
    }
    if Uses::<W>::FAILS {
        w.kernel_mut().outages.leave(s, place);
    }
    let c = w.kernel_mut().control_mut(s);
    let stuck = position <= c.preempted_at && !c.stuck;
    c.stuck |= stuck;
    c.decoded |= !c.token.is_nan();
    c.preempted_at = position;
    c.b.computed = position;
    w.pool_mut(pool).counts.stuck += u64::from(stuck);
    // By the statement's number: few are preempted, and code for each statement takes long to compile.
    queue::enqueue(w, s, stmt, true);
}
