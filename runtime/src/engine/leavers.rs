//! Who leaves an engine's cohort: members that take their last tokens, and all of them when it dissolves.
//!
//! In: a cohort whose members are what they were when they joined. Out: residents that say themselves again what they
//! have, outside the cohort.

use super::{
    Engine,
    cohort::{OUTSIDE, growing},
};
use crate::{
    hold::Alloc,
    kernel::{Kernel, NONE},
    pool::Pool,
    station::spec,
    uses::UsesAt,
    world::{AtStage, World},
};

/// Brings the seat at `place`, a member, and its allocation up to the present step.
#[inline]
fn settle<A>(e: &mut Engine, memory: Option<&mut Pool<A>>, k: &mut Kernel, place: usize) {
    let seat = &mut e.seats[place];
    let n = e.cohort.step - seat.base;
    if n == 0 {
        return;
    }
    seat.base = e.cohort.step;
    seat.left -= f64::from(n);
    seat.token = e.cohort.ended;
    seat.decoded = true;
    if seat.growing != NONE
        && let Some(p) = memory
    {
        settle_growing(p, &mut k.allocs[seat.growing], n);
    }
}

/// Brings the allocation of a member up to date, after `n` steps that it does not know of.
#[inline]
fn settle_growing<A>(p: &mut Pool<A>, a: &mut Alloc, n: u32) {
    let g = growing(a, p.block(), n);
    let d = g.units - a.units;
    (a.position, a.units) = (g.position, g.units);
    if d > 0.0 {
        p.share_mut(a.session).units += d;
    }
}

/// The seat at `place`, a member, is brought up to date and is outside from now on.
#[inline]
pub(super) fn step_out<A>(
    e: &mut Engine,
    memory: Option<&mut Pool<A>>,
    k: &mut Kernel,
    place: usize,
) {
    settle(e, memory, k, place);
    let Engine { seats, cohort: c, .. } = e;
    c.last[place] = OUTSIDE;
    c.outside += 1;
    let phase = seats[place].phase;
    if phase != NONE {
        c.phases.leave(phase);
    }
}

/// Members that took their last tokens in the step that ended are outside, and added to those in `served`, who are
/// done.
#[inline]
pub(super) fn retire<A>(e: &mut Engine, memory: Option<&mut Pool<A>>, k: &mut Kernel) {
    let singles = e.served.len();
    debug_assert!(e.cohort.whole && e.cohort.next + 1 == e.cohort.step);
    e.cohort.list_due(&mut e.served);
    match e.served[..] {
        [place] => step_out(e, memory, k, place as usize),
        _ => retire_several(e, memory, k, singles),
    }
}

/// As [`retire`], of those listed in `served` after the first `singles`.
#[inline(never)]
fn retire_several<A>(
    e: &mut Engine,
    mut memory: Option<&mut Pool<A>>,
    k: &mut Kernel,
    singles: usize,
) {
    for i in singles..e.served.len() {
        let place = e.served[i] as usize;
        step_out(e, memory.as_deref_mut(), k, place);
    }
    if singles > 0 {
        e.served.sort_unstable();
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
        let (e, memory, k) = w.engine_parts(stage);
        settle(e, memory, k, place);
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
