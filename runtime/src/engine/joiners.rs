//! Who joins an engine's cohort, before a step: residents that decode.
//!
//! In: residents that say themselves what they have. Out: members, with the step of each one's last token and the one
//! in which it first takes a block; no cohort where that cannot be said exactly.

use super::{Engine, cohort::OUTSIDE, leavers::dissolve, memory, tokens::DONE};
use crate::{
    hold::Alloc,
    kernel::{NONE, whole},
    pool::{self, Pool, shared},
    rare::rarely,
    station::spec,
    uses::Uses,
    world::{AtStage, PoolKey, World},
};

/// Steps of one resident at most, and units of a block.
const MOST: f64 = (1u32 << 30) as f64;
/// How far a fraction of a position must stay from a whole number for tolerances not to matter.
const CLEAR: f64 = 1e-6;

/// Makes the cohort ready for the next step: forms it, or takes in whoever decodes now; false when
/// residents have to be handled one by one.
#[inline]
pub(super) fn ready<W: World>(w: &mut W, stage: impl AtStage) -> bool {
    let e = w.engine(stage);
    if e.cohort.on && e.cohort.outside == 0 && e.cohort.step < e.cohort.until {
        return true;
    }
    spec::<W>(stage).plannable && !w.kernel().settings.plain_engine && gather(w, stage)
}

#[inline]
fn gather<W: World>(w: &mut W, stage: impl AtStage) -> bool {
    if w.engine(stage).cohort.step >= w.engine(stage).cohort.until {
        dissolve(w, stage);
    }
    let e = w.engine_mut(stage);
    if !e.cohort.on && !e.form_cohort() {
        return false;
    }
    let from = e.cohort.first_outside();
    let ready = match e.cohort.outside {
        1 => take_in(w, stage, from),
        _ => take_in_all(w, stage, from),
    };
    if rarely(!ready) {
        dissolve(w, stage);
        w.engine_mut(stage).cohort.refused = true;
    }
    ready
}

/// As [`take_in`], of all seats from `place` on.
#[inline(never)]
fn take_in_all<W: World>(w: &mut W, stage: impl AtStage, place: usize) -> bool {
    let seats = w.engine(stage).seats.len();
    (place..seats).all(|place| take_in(w, stage, place))
}

impl Engine {
    /// A cohort that nobody is in yet; false when nobody could be.
    fn form_cohort(&mut self) -> bool {
        let Engine { seats, cohort: c, .. } = self;
        if c.refused || !seats.iter().any(|x| x.decode) {
            return false;
        }
        c.on = true;
        c.whole = true;
        c.step = 0;
        c.last.clear();
        c.last.resize(seats.len(), OUTSIDE);
        c.outside = seats.len();
        (c.next, c.until) = (OUTSIDE, OUTSIDE);
        c.phases.clear();
        c.fresh.clear();
        c.committed = false;
        true
    }
}

/// Takes the seat at `place` in if it is outside and decodes; false when that cannot be.
#[inline]
fn take_in<W: World>(w: &mut W, stage: impl AtStage, place: usize) -> bool {
    let e = w.engine(stage);
    let seat = &e.seats[place];
    if e.cohort.last[place] != OUTSIDE || !seat.decode && !seat.stalled {
        return true;
    }
    !seat.stalled && join(w, stage, place)
}

/// The step, from the present one, in which a resident that grows first takes a block, and the block;
/// `None` when that cannot be said exactly.
#[inline]
fn first_block<W: World>(
    p: &Pool<W::Attrs>,
    key: Option<PoolKey>,
    crowded: bool,
    a: &Alloc,
) -> Option<(f64, f64)> {
    let key = key.filter(|key| *key == a.pool)?;
    let exact = p.whole && p.whole_block && p.block <= MOST;
    if crowded || !exact || pool::spec::<W>(key).spills {
        return None;
    }
    let slack = a.units - a.position;
    let full = whole::floor(slack);
    let part = slack - full;
    let exact = part == 0.0 && whole::is_whole(a.position);
    if !(0.0..=MOST).contains(&slack) || !exact && !(CLEAR..=1.0 - CLEAR).contains(&part) {
        return None;
    }
    Some((full, p.block))
}

/// In how many steps a resident with so many tokens `left` takes its last one, and whether that is a whole one; `None`
/// when there are too many.
#[inline]
fn steps_of(left: f64) -> Option<(u32, bool)> {
    if left > MOST - 1.0 {
        return None;
    }
    let mut steps = whole::count(whole::ceil(left)) as u32;
    let mut rest = left - f64::from(steps.saturating_sub(1));
    // Whole subtractions, as the engine makes them.
    if steps > 1 && rest <= DONE {
        steps -= 1;
        rest = left - f64::from(steps - 1);
    }
    Some((steps, rest >= 1.0))
}

/// The seat at `place`, which decodes, joins; false when its steps cannot be said exactly.
#[inline]
fn join<W: World>(w: &mut W, stage: impl AtStage, place: usize) -> bool {
    let key = memory::<W>(stage);
    // Who shares a memory with other engines says nothing of it.
    let crowded = spec::<W>(stage).memory.is_some_and(|(_, single)| single)
        && w.stage_count(stage.key().family as usize) > 1;
    let (e, memory, k) = w.engine_parts(stage);
    let seat = &e.seats[place];
    let growing = seat.growing;
    let Some((steps, whole)) = steps_of(seat.left) else { return false };
    if steps <= 1 {
        // Its last step is this one.
        return true;
    }
    let growth = match (growing, memory) {
        (NONE, _) => None,
        (_, None) => return false,
        (alloc, Some(p)) => match first_block::<W>(p, key, crowded, &k.allocs[alloc]) {
            Some(growth) => Some(growth),
            None => return false,
        },
    };
    if Uses::<W>::SHARES && growing != NONE {
        let position = w.kernel().allocs[growing].position;
        if shared::fills(w, growing, position + 1.0, position + f64::from(steps)) {
            // It fills blocks that others may hit, one step after the other.
            return false;
        }
    }
    // Those who share prefixes, or are served by keys, are handled one by one in their last step.
    let whole = whole && !Uses::<W>::SHARES && spec::<W>(stage).serve_keys == 0;
    if !w.engine_mut(stage).let_in(place, steps, whole, growth) {
        return false;
    }
    if Uses::<W>::SHARES && growing != NONE {
        // A token in this step.
        shared::reach(w, growing, w.kernel().allocs[growing].position + 1.0);
    }
    true
}

impl Engine {
    /// The seat at `place` is a member for so many steps from the present one on, the last one with a `whole` token;
    /// `growth` is as [`first_block`] has it. False when steps have become too many.
    #[inline]
    fn let_in(
        &mut self,
        place: usize,
        steps: u32,
        whole: bool,
        growth: Option<(f64, f64)>,
    ) -> bool {
        let Engine { seats, cohort: c, .. } = self;
        let step = c.step;
        if rarely(step > OUTSIDE - MOST as u32) {
            return false;
        }
        let mut phase = NONE;
        if let Some((first, block)) = growth {
            match first < block {
                true => {
                    let (first, block) = (whole::count(first), whole::count(block));
                    phase = c.phases.join(step + first as u32, block as usize);
                }
                // It has blocks in hand: it is counted once less than one is left.
                false => c.until = c.until.min(step + whole::count(first - block) as u32 + 1),
            }
        }
        c.whole = whole && (c.whole || c.members() == 0);
        let last = step + steps - 1;
        c.last[place] = last;
        c.next = c.next.min(last);
        c.outside -= 1;
        let seat = &mut seats[place];
        // Of who had a token as the last step ended, the gap is the same as the others'.
        if seat.token != c.ended {
            c.fresh.push(seat.token);
        }
        (seat.base, seat.phase) = (step, phase);
        true
    }
}
