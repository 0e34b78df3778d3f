//! The end of an iteration: its tokens are applied, and jobs without any left are done, in the order
//! in which they were served.

use super::{memory, note_jobs, note_startable, order, runs, units};
use crate::{
    kernel::Job,
    station::spec,
    stats::GapHistogram,
    uses::Uses,
    world::{StageKey, World},
};

/// A job with no more tokens than this left is done.
const DONE: f64 = 1e-9;

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

/// The iteration (or the planned run of them) of this engine ends now.
pub(crate) fn end<W: World>(w: &mut W, stage: StageKey) {
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
    let super::Engine { seats, gaps, prefill_tokens, decode_tokens, served, .. } = e;
    served.clear();
    let mut gaps = GapRun::new(gaps);
    for (place, seat) in seats.iter_mut().enumerate() {
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
            served.push(place as u32);
        }
    }
    gaps.finish();
    if !w.engine(stage).served.is_empty() {
        complete(w, stage);
    }
    note_startable(w, stage);
}

/// The seats listed in `served` are done.
fn complete<W: World>(w: &mut W, stage: StageKey) {
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
    done.clear();
    let e = w.engine_mut(stage);
    e.served = done;
    e.seats.retain(|x| x.left != f64::NEG_INFINITY);
    note_jobs(w, stage);
}
