//! What programs read of an engine.

use super::{Engine, cohort, memory, order, plan, units};
use crate::{
    fault::Station,
    kernel::whole,
    station::spec,
    uses::Uses,
    world::{AtStage, Sid, World},
};

/// Totals over all residents.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Jobs on the engine.
    pub residents: f64,
    /// Those decoding.
    pub decoders: f64,
    /// Units in the engine's memory that the decoding ones have.
    pub kv_decode: f64,
    /// Units that the prefilling ones have.
    pub kv_prefill: f64,
}

/// What `cost` reads: totals over the jobs scheduled in the iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Iteration {
    /// Tokens scheduled.
    pub tokens: f64,
    /// Those of prefills.
    pub prefilled: f64,
    /// Sum over prefill chunks of n (K + n/2), K the position before.
    pub attention: f64,
    /// All jobs on the engine.
    pub residents: f64,
    /// Decoding jobs scheduled.
    pub decoders: f64,
    /// Units in the engine's memory of the decoding jobs scheduled.
    pub kv_decode: f64,
    /// Of the prefilling jobs scheduled.
    pub kv_prefill: f64,
}

/// What serve keys read of a resident.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Resident {
    /// Its session.
    pub session: Sid,
    /// 1 when it decodes.
    pub decoding: f64,
    /// Its session's admission number.
    pub admission: f64,
    /// Tokens left of its run.
    pub remaining: f64,
}

/// Totals over all residents.
#[inline]
pub(crate) fn totals<W: World>(w: &W, stage: impl AtStage) -> Totals {
    let e = w.engine(stage);
    let mut t = Totals {
        residents: whole::float(e.seats.len() as u64),
        decoders: whole::float(e.decoders as u64),
        kv_decode: e.kv_decode,
        kv_prefill: e.kv_prefill,
    };
    if memory::<W>(stage).is_some_and(|key| !w.pool(key).whole) {
        (t.kv_decode, t.kv_prefill) = add_units(w, stage);
    }
    t
}

/// Units in the memory of those that decode, and of the others, where sums are not exact.
#[cold]
fn add_units<W: World>(w: &W, stage: impl AtStage) -> (f64, f64) {
    let memory = memory::<W>(stage).map(|key| w.pool(key));
    let (mut decode, mut prefill) = (0.0, 0.0);
    for (place, seat) in w.engine(stage).seats.iter().enumerate() {
        let units = units(memory, seat.session) + cohort::taken(w, stage, place);
        *(if seat.decode { &mut decode } else { &mut prefill }) += units;
    }
    (decode, prefill)
}

/// `busy(E)`: jobs in the iteration.
pub(crate) fn busy<W: World>(w: &W, stage: impl AtStage) -> f64 {
    let e = w.engine(stage);
    if e.iterating { e.scheduled as f64 } else { 0.0 }
}

/// `work(E)`: tokens left of all residents, as of the last iteration that ended.
#[inline]
pub(crate) fn work<W: World>(w: &W, stage: impl AtStage) -> f64 {
    let e = w.engine(stage);
    match e.seats.is_empty() {
        true => std::iter::empty::<f64>().sum(),
        false => work_of(e, w.kernel().now),
    }
}

fn work_of(e: &Engine, now: f64) -> f64 {
    let ended = f64::from(e.run.ended_before(now));
    let behind = |place, seat| f64::from(e.cohort.behind(place, seat));
    e.seats.iter().enumerate().map(|(i, x)| x.left - behind(i, x) - ended).sum()
}

/// `kv_decode(E)`: units in its memory that the decoding residents have now.
pub fn kv_decode<W: World>(w: &W, stage: impl AtStage) -> f64 {
    totals(w, stage).kv_decode
}

/// `kv_prefill(E)`: units in its memory that the prefilling residents have now.
pub fn kv_prefill<W: World>(w: &W, stage: impl AtStage) -> f64 {
    totals(w, stage).kv_prefill
}

/// `budget_left(E)`: at an admission attempt what is left then, else what a plan made now would leave.
#[inline]
pub fn budget_left<W: World>(w: &mut W, stage: impl AtStage) -> f64 {
    let left = w.engine(stage).left;
    if left.is_nan() { would_leave(w, stage) } else { left }
}

/// What a plan made now would leave of the budget.
fn would_leave<W: World>(w: &mut W, stage: impl AtStage) -> f64 {
    let (mut left, chunk) = plan::limits(w, stage);
    let e = w.engine(stage);
    if e.seats.is_empty() {
        w.kernel_mut().blame(Station::Stage(stage.key()));
        return left.max(0.0);
    }
    let ended = e.run.ended_before(w.kernel().now);
    if spec::<W>(stage).serve_keys == 0 && !spec::<W>(stage).only {
        let left = unserved(e, left, chunk, ended).max(0.0);
        w.kernel_mut().blame(Station::Stage(stage.key()));
        return left;
    }
    let ended = f64::from(ended);
    let mut keys = std::mem::take(&mut w.engine_mut(stage).keys);
    order::by_keys(w, stage, &mut keys);
    for &(_, place) in &keys {
        let e = w.engine(stage);
        let mut seat = e.seats[place as usize];
        seat.left -= f64::from(e.cohort.behind(place as usize, &seat)) + ended;
        if Uses::<W>::ONLY && spec::<W>(stage).only {
            let totals = totals(w, stage);
            if !w.only(stage, &totals, &order::view(&seat)) {
                continue;
            }
        }
        left -= plan::wanted(&seat, left, chunk).max(0.0);
        if left <= 0.0 {
            break;
        }
    }
    w.engine_mut(stage).keys = keys;
    w.kernel_mut().blame(Station::Stage(stage.key()));
    left.max(0.0)
}

/// What all residents, in the order of admission, would leave of the budget `left` in the iteration
/// after the `ended` ones of a run.
fn unserved(e: &Engine, left: f64, chunk: f64, ended: u32) -> f64 {
    let mut left = left;
    // Members before the first of those outside, with a token each.
    let mut alike = 0;
    if e.cohort.all_go_on(ended) && whole::is_whole(left) {
        alike = e.cohort.first_outside();
        let n = whole::float(alike as u64);
        if left >= n {
            left -= n;
        } else {
            alike = 0;
        }
    }
    for (place, seat) in e.seats.iter().enumerate().skip(alike) {
        if left <= 0.0 {
            break;
        }
        let mut seat = *seat;
        seat.left -= f64::from(e.cohort.behind(place, &seat) + ended);
        left -= plan::wanted(&seat, left, chunk).max(0.0);
    }
    left
}
