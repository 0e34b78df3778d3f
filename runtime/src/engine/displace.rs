//! Growth inside an iteration, and who is displaced for it.

use crate::{
    hold::Alloc,
    kernel::NONE,
    pool::{grow as growers, preempt},
    world::{AtStage, Sid, World},
};

/// What became of a growth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Growth {
    /// The position has moved; the tokens can be taken.
    Done,
    /// The job waits for room.
    Waits,
    /// The job itself was preempted.
    Displaced,
}

/// Moves the position of a session's growing hold by `tokens`, growing it first where they do not fit.
#[inline(always)]
pub(super) fn grow<W: World>(
    w: &mut W,
    stage: impl AtStage,
    s: Sid,
    alloc: u32,
    tokens: f64,
) -> Growth {
    let a = &mut w.kernel_mut().allocs[alloc];
    if advance(a, tokens) {
        return Growth::Done;
    }
    let short = a.position + tokens - a.units;
    enlarge(w, stage, s, alloc, tokens, short)
}

/// Moves an allocation's position by `tokens` if it has the units for them; else false.
#[inline]
pub(super) fn advance(a: &mut Alloc, tokens: f64) -> bool {
    let fits = a.position + tokens - a.units <= 1e-12;
    if fits {
        a.position += tokens;
    }
    fits
}

fn enlarge<W: World>(
    w: &mut W,
    stage: impl AtStage,
    s: Sid,
    alloc: u32,
    tokens: f64,
    short: f64,
) -> Growth {
    let (key, units) = (w.kernel().allocs[alloc].pool, w.kernel().allocs[alloc].units);
    let d = w.pool(key).round_up(units + short) - units;
    loop {
        let p = w.pool(key);
        if p.used + d <= p.cap {
            break;
        }
        let Some(victim) = preempt::victim(w, key) else {
            growers::wait(w, alloc, d, true);
            let e = w.engine_mut(stage);
            if let Some(place) = e.place(s) {
                e.seats[place].stalled = true;
            }
            return Growth::Waits;
        };
        let own = w.kernel().allocs[victim].session == s;
        preempt::preempt(w, victim);
        if own {
            return Growth::Displaced;
        }
    }
    growers::enlarge(w, alloc, d);
    w.kernel_mut().allocs[alloc].position += tokens;
    Growth::Done
}

/// Drops all that was planned; allocations stay as they grew.
pub(super) fn clear<W: World>(w: &mut W, stage: impl AtStage) {
    for i in 0..w.engine(stage).served.len() {
        let e = w.engine_mut(stage);
        let place = e.served[i] as usize;
        let seat = &mut e.seats[place];
        let tokens = std::mem::take(&mut seat.tokens);
        let growing = seat.growing;
        if growing != NONE {
            w.kernel_mut().allocs[growing].position -= tokens;
        }
    }
    w.engine_mut(stage).served.clear();
}
