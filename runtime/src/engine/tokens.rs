//! The end of an iteration: its tokens are applied, and jobs without any left are done, in the order
//! in which they were served.

use super::{
    cohort::Cohort,
    memory, note_jobs, note_startable, order,
    runs::{self, add_ones},
    units,
};
use crate::{
    kernel::Job,
    station::spec,
    stats::GapHistogram,
    uses::Uses,
    world::{AtStage, OnStage, World},
};

/// A job with no more tokens than this left is done.
pub(super) const DONE: f64 = 1e-9;

/// Equal gaps that follow one another, added at once.
pub(super) struct GapRun<'a> {
    gaps: &'a mut GapHistogram,
    gap: f64,
    times: u64,
}

impl<'a> GapRun<'a> {
    pub fn new(gaps: &'a mut GapHistogram) -> Self {
        Self { gaps, gap: 0.0, times: 0 }
    }

    #[inline]
    pub fn add(&mut self, gap: f64) {
        if gap != self.gap && self.times > 0 {
            self.gaps.add(self.gap, self.times);
            self.times = 0;
        }
        self.gap = gap;
        self.times += 1;
    }

    #[inline]
    pub fn finish(self) {
        if self.times > 0 {
            self.gaps.add(self.gap, self.times);
        }
    }
}

/// [`end`], as an operation.
pub(crate) struct End;

impl<W: World> OnStage<W> for End {
    type Out = ();
    fn run(self, w: &mut W, at: impl AtStage) {
        end(w, at);
    }
}

/// The iteration (or the planned run of them) of this engine ends now.
fn end<W: World>(w: &mut W, stage: impl AtStage) {
    if Uses::<W>::RUNS && w.engine(stage).run.active() {
        runs::end(w, stage);
        return;
    }
    let k = w.kernel_mut();
    let (now, measured) = (k.now, k.measured());
    k.dirty |= spec::<W>(stage).dirty;
    let e = w.engine_mut(stage);
    e.iterating = false;
    e.scheduled = 0;
    e.shares.end(now);
    let (began, lasts) = (e.began, e.lasts);
    let super::Engine { seats, gaps, prefill_tokens, decode_tokens, served, todo, cohort, .. } = e;
    if cohort.on && cohort.outside == 0 {
        cohort_gaps(cohort, gaps, measured, now, began, lasts);
        if measured {
            *decode_tokens = add_ones(*decode_tokens, seats.len());
        }
        cohort.advance(1, now);
        note_startable(w, stage);
        return;
    }
    if cohort.on {
        cohort_gaps(cohort, gaps, measured, now, began, lasts);
    }
    // Those that were served one by one, upwards; all others are members, with a token each.
    std::mem::swap(served, todo);
    served.clear();
    if todo.len() + cohort.members() == seats.len() {
        todo.sort_unstable();
    } else {
        todo.clear();
        todo.extend(0..seats.len() as u32);
    }
    let mut gaps = GapRun::new(gaps);
    let mut passed = 0;
    for &place in &*todo {
        let members = place as usize - passed;
        passed = place as usize + 1;
        if cohort.has(place as usize) {
            *decode_tokens += f64::from(measured);
            continue;
        }
        if measured && members > 0 {
            *decode_tokens = add_ones(*decode_tokens, members);
        }
        let seat = &mut seats[place as usize];
        let tokens = std::mem::take(&mut seat.tokens);
        if tokens == 0.0 {
            continue;
        }
        seat.left -= tokens;
        let done = seat.left <= DONE;
        if measured {
            *(if seat.decode { &mut *decode_tokens } else { &mut *prefill_tokens }) += tokens;
        }
        if seat.decode || done {
            if measured && !seat.token.is_nan() && (seat.decode || seat.decoded) {
                gaps.add(super::gap(seat.token, now, began, lasts));
            }
            seat.token = now;
            seat.decoded |= seat.decode;
        }
        if done {
            served.push(place);
        }
    }
    gaps.finish();
    if measured && passed < seats.len() {
        *decode_tokens = add_ones(*decode_tokens, seats.len() - passed);
    }
    if cohort.on {
        cohort.advance(1, now);
    }
    if !w.engine(stage).served.is_empty() {
        complete(w, stage);
    }
    note_startable(w, stage);
}

/// Token gaps of a cohort's members at the end of a step.
#[inline]
pub(super) fn cohort_gaps(
    cohort: &Cohort,
    gaps: &mut GapHistogram,
    measured: bool,
    now: f64,
    began: f64,
    lasts: f64,
) {
    if !measured {
        return;
    }
    let old = cohort.members() - cohort.fresh.len();
    if old > 0 {
        gaps.add(super::gap(cohort.ended, now, began, lasts), old as u64);
    }
    for &token in cohort.fresh.iter().filter(|token| !token.is_nan()) {
        gaps.add(super::gap(token, now, began, lasts), 1);
    }
}

/// The seats listed in `served` are done.
fn complete<W: World>(w: &mut W, stage: impl AtStage) {
    let memory = memory::<W>(stage);
    let k = w.kernel();
    let (now, measured) = (k.now, k.measured());
    let mut done = std::mem::take(&mut w.engine_mut(stage).served);
    if Uses::<W>::SERVE_KEYS && spec::<W>(stage).serve_keys > 0 {
        order::sort_by_rank(&mut done, &w.engine(stage).seats);
    }
    for &place in &done {
        let seat = w.engine(stage).seats[place as usize];
        let kv = units(w, memory, seat.session);
        let e = w.engine_mut(stage);
        e.measures.complete(now, seat.started, seat.started, measured);
        *e.kv(seat.decode) -= kv;
        e.decoders -= usize::from(seat.decode);
        // Marks the seat for the sweep below.
        e.seats[place as usize].left = f64::NEG_INFINITY;
        let k = w.kernel_mut();
        let c = k.control_mut(seat.session);
        c.token = seat.token;
        c.decoded = seat.decoded;
        c.job = Job::None;
        k.make_ready(seat.session);
    }
    let e = w.engine_mut(stage);
    if let [place] = done[..] {
        e.seats.remove(place as usize);
        e.cohort.unseated(place as usize);
    } else {
        for place in (0..e.seats.len()).rev() {
            if e.seats[place].left == f64::NEG_INFINITY {
                e.seats.remove(place);
                e.cohort.unseated(place);
            }
        }
    }
    done.clear();
    e.served = done;
    note_jobs(w, stage);
}
