//! Who leaves an engine's cohort: members that take their last tokens, and all of them when it dissolves.
//!
//! In: a cohort whose members are what they were when they joined. Out: residents that say themselves again what they
//! have, outside the cohort.

use super::{
    Engine,
    cohort::{OUTSIDE, growing},
};
use crate::{
    kernel::{NONE, whole},
    station::spec,
    uses::UsesAt,
    world::{AtStage, World},
};

/// Brings the seat at `place`, a member, and its allocation up to the present step.
#[inline]
fn settle<W: World>(w: &mut W, stage: impl AtStage, place: usize) {
    let e = w.engine_mut(stage);
    let seat = &mut e.seats[place];
    let n = e.cohort.step - seat.base;
    if n == 0 {
        return;
    }
    seat.base = e.cohort.step;
    seat.left -= f64::from(n);
    seat.token = e.cohort.ended;
    seat.decoded = true;
    let alloc = seat.growing;
    if alloc != NONE {
        settle_growing(w, alloc, n);
    }
}

/// Brings the allocation of a member up to date, after `n` steps that it does not know of.
#[inline(never)]
fn settle_growing<W: World>(w: &mut W, alloc: u32, n: u32) {
    let g = growing(w, alloc, n);
    let a = &mut w.kernel_mut().allocs[alloc];
    let d = g.units - a.units;
    (a.position, a.units) = (g.position, g.units);
    let (key, s) = (a.pool, a.session);
    if d > 0.0 {
        w.pool_mut(key).share_mut(s).units += d;
    }
}

/// The seat at `place`, a member, is brought up to date and is outside from now on.
#[inline]
pub(super) fn step_out<W: World>(w: &mut W, stage: impl AtStage, place: usize) {
    settle(w, stage, place);
    let alloc = w.engine(stage).seats[place].growing;
    let slack = match alloc {
        NONE => usize::MAX,
        alloc => {
            let a = &w.kernel().allocs[alloc];
            whole::floor(a.units - a.position) as usize
        }
    };
    let c = &mut w.engine_mut(stage).cohort;
    c.last[place] = OUTSIDE;
    c.outside += 1;
    // From `until` on, when the cohort is about to dissolve, not all who take blocks are in `phases`.
    if slack < c.phases.block() && c.step < c.until {
        c.phases.leave(c.step + slack as u32);
    }
}

/// Members that took their last tokens in the step that ended are outside, and added to those in `served`, who are
/// done.
pub(super) fn retire<W: World>(w: &mut W, stage: impl AtStage) {
    let Engine { cohort, served, .. } = w.engine_mut(stage);
    let singles = served.len();
    debug_assert!(cohort.whole && cohort.next + 1 == cohort.step);
    cohort.list_next(served);
    for i in singles..w.engine(stage).served.len() {
        let place = w.engine(stage).served[i] as usize;
        step_out(w, stage, place);
    }
    let Engine { cohort, served, .. } = w.engine_mut(stage);
    cohort.find_next();
    if singles > 0 {
        served.sort_unstable();
    }
}

/// Every resident says itself again what it has; a step that is under way stays so.
#[inline]
pub(super) fn dissolve<W: World, S: AtStage>(w: &mut W, stage: S) {
    if UsesAt::<W, S>::RUNS && w.engine(stage).cohort.on {
        scatter(w, stage);
    }
}

#[cold]
fn scatter<W: World>(w: &mut W, stage: impl AtStage) {
    let e = w.engine(stage);
    let begun = e.iterating || e.cohort.committed;
    for place in 0..e.seats.len() {
        if !w.engine(stage).cohort.has(place) {
            continue;
        }
        settle(w, stage, place);
        if !begun {
            continue;
        }
        let seat = &mut w.engine_mut(stage).seats[place];
        seat.tokens = 1.0;
        let alloc = seat.growing;
        if alloc != NONE {
            let a = &mut w.kernel_mut().allocs[alloc];
            a.position += 1.0;
            let (key, s) = (a.pool, a.session);
            if a.position - a.units > 1e-12 {
                let block = w.pool(key).block;
                w.kernel_mut().allocs[alloc].units += block;
                w.pool_mut(key).share_mut(s).units += block;
            }
        }
    }
    let e = w.engine_mut(stage);
    if e.planning && e.cohort.committed {
        serve_members(e, spec::<W>(stage).serve_keys > 0);
    }
    e.cohort.on = false;
    e.cohort.committed = false;
    e.cohort.last.clear();
    e.cohort.outside = 0;
}

/// Puts members among those served, in the order of service.
fn serve_members(e: &mut Engine, decodes_first: bool) {
    let admitted = e.served.split_off(e.cohort.residents);
    let alone = std::mem::take(&mut e.served);
    let cohort = &e.cohort;
    let member = |place: &u32| cohort.has(*place as usize);
    let mut all: Vec<u32> = (0..e.seats.len() as u32).filter(member).collect();
    all.extend(alone);
    all.sort_by_key(|&place| (decodes_first && !e.seats[place as usize].decode, place));
    all.extend(admitted);
    e.served = all;
}
