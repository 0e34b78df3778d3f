//! Growth of an allocation: at once, or as a grower that waits for room.

use super::note_waiting;
use crate::{
    engine,
    kernel::{Job, whole},
    pool::{self, evict},
    world::{PoolKey, Sid, World},
};
use std::collections::VecDeque;

/// A session that waits to grow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grower {
    pub session: Sid,
    pub alloc: u32,
    /// Units, whole blocks.
    pub units: f64,
    /// It is a resident's run (which goes on by itself), not a `grow` statement.
    pub run: bool,
}

// Functions of the list alone, so that they are compiled once.

fn join(growers: &mut VecDeque<Grower>, grower: Grower) {
    growers.push_back(grower);
}

/// True when the session was in.
fn drop_out(growers: &mut VecDeque<Grower>, s: Sid) -> bool {
    let at = growers.iter().position(|g| g.session == s);
    at.and_then(|at| growers.remove(at)).is_some()
}

/// Adds `d` units to an allocation and evicts what they displace.
pub(crate) fn enlarge<W: World>(w: &mut W, id: u32, d: f64) {
    let k = w.kernel_mut();
    let now = k.now;
    let a = &mut k.allocs[id];
    a.units += d;
    let (key, s) = (a.pool, a.session);
    let job = k.control(s).job;
    pool::changed::<W>(k, key, pool::USED);
    let p = w.pool_mut(key);
    p.whole &= whole::is_whole(d);
    p.set_used(now, p.used + d);
    p.share_mut(s).units += d;
    if let Job::Engine(stage, decode) = job {
        engine::note_growth(w, stage, key, decode, d);
    }
    evict::evict(w, key, 0.0);
    engine::check_room(w, key);
}

/// The session waits until `d` units fit.
pub(crate) fn wait<W: World>(w: &mut W, id: u32, d: f64, run: bool) {
    let k = w.kernel_mut();
    let now = k.now;
    let (key, s) = (k.allocs[id].pool, k.allocs[id].session);
    k.control_mut(s).stalled = Some(key);
    let p = w.pool_mut(key);
    join(&mut p.growers, Grower { session: s, alloc: id, units: d, run });
    p.averages.stalled.set_finite(now, p.growers.len() as f64);
    note_waiting(w, key);
}

/// Takes a session off the growers it waits among, if it does.
pub(crate) fn give_up<W: World>(w: &mut W, s: Sid) {
    let k = w.kernel_mut();
    let now = k.now;
    let Some(key) = k.control_mut(s).stalled.take() else { return };
    let p = w.pool_mut(key);
    if drop_out(&mut p.growers, s) {
        p.averages.stalled.set_finite(now, p.growers.len() as f64);
        note_waiting(w, key);
    }
}

/// Grants growers in stall order while they fit; true when one was.
pub(crate) fn retry<W: World>(w: &mut W, key: PoolKey) -> bool {
    let mut changed = false;
    loop {
        let p = w.pool(key);
        let Some(&g) = p.growers.front() else { break };
        if p.used + g.units > p.cap {
            break;
        }
        let now = w.kernel().now;
        let p = w.pool_mut(key);
        drop_out(&mut p.growers, g.session);
        p.averages.stalled.set_finite(now, p.growers.len() as f64);
        note_waiting(w, key);
        w.kernel_mut().control_mut(g.session).stalled = None;
        if g.run {
            engine::note_grant(w, g.session);
        }
        enlarge(w, g.alloc, g.units);
        if !g.run {
            w.kernel_mut().make_ready(g.session);
        }
        changed = true;
    }
    changed
}
