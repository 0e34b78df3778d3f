//! Runs of decode iterations planned at once.
//!
//! When all residents decode, nobody waits and memory suffices, nothing can change until the first
//! of them completes: the iterations until then are laid out in stretches of equal ones, which end when,
//! bit for bit, the additions of one event per iteration would have them end (`steady`). Who takes a
//! block in which iteration is known from the positions. Growth is applied in time order before each later
//! event (`growth`); whatever could disturb the run ([`interrupt`]) turns it back into the
//! iteration that is under way.

use super::{
    Engine, Iteration, admit, memory, note_startable, plan as iteration,
    run::{Growth, Run},
    steady::after,
    tokens::cohort_gaps,
};
use crate::{
    fault::Station,
    kernel::whole::{self, float},
    station::spec,
    uses::{Uses, UsesAt},
    world::{AtStage, PoolKey, World},
};

/// Iterations of one run at most.
const MOST: usize = 1 << 14;
/// A run of fewer iterations is not worth its bookkeeping.
const LEAST: usize = 3;

/// `x` plus one, `n` times, as rounded one by one: exact unless the sum changes its binade.
#[inline]
pub(super) fn add_ones(x: f64, n: usize) -> f64 {
    let sum = x + float(n as u64);
    if x.to_bits() >> 52 == sum.to_bits() >> 52 || whole::is_whole(x) {
        return sum;
    }
    over_binades(x, n)
}

/// As [`add_ones`]: within a binade the sum is exact, so that only the steps into the next are rounded.
fn over_binades(mut x: f64, mut n: usize) -> f64 {
    while n > 0 {
        if x < 1.0 {
            x += 1.0;
            n -= 1;
            continue;
        }
        let next_binade = f64::from_bits(((x.to_bits() >> 52) + 1) << 52);
        let steps = (next_binade - x).ceil();
        if steps > n as f64 {
            return x + n as f64;
        }
        x = (x + (steps - 1.0)) + 1.0;
        n -= steps as usize;
    }
    x
}

/// Plans a run that begins with the iteration `it` just planned, which ends at `end`; false when it is
/// to be an iteration like any other.
pub(super) fn plan<W: World, S: AtStage>(
    w: &mut W,
    stage: S,
    it: &Iteration,
    end: f64,
    preempted: bool,
) -> bool {
    if !UsesAt::<W, S>::RUNS {
        return false;
    }
    let k = w.kernel();
    let settings = &k.settings;
    // An iteration that the clock does not see is an event like any other, so that they are counted.
    if end <= k.now {
        return false;
    }
    if !spec::<W>(stage).plannable || settings.plain_engine || preempted {
        return false;
    }
    let horizon = settings.horizon;
    let e = w.engine(stage);
    if !e.cohort.on || e.cohort.outside > 0 || e.seats.is_empty() {
        return false;
    }
    let most = (e.cohort.quiet_steps() as usize).min(MOST);
    if most < LEAST || e.waiting > 0 && !blocked(w, stage, it.tokens) {
        return false;
    }
    let mut run = std::mem::take(&mut w.engine_mut(stage).run);
    run.clear();
    lay_out(w, stage, &mut run, *it, end, most, horizon);
    w.kernel_mut().blame(Station::Stage(stage.key()));
    if run.len < 2 {
        run.clear();
        rely(w, stage, None);
    }
    let (planned, last, growth) = (run.len > 0, run.last, run.next_growth());
    let e = w.engine_mut(stage);
    e.run = run;
    if !planned {
        return false;
    }
    let (slot, planner) = (e.slot, e.planner);
    let k = w.kernel_mut();
    k.clock.of(Uses::<W>::SLOTS).set(slot, last);
    if let Some(time) = growth {
        k.growths.set(planner, time);
    }
    true
}

/// Whether the head of the queue cannot be admitted before units are given back, in iterations of so
/// many tokens.
fn blocked<W: World>(w: &mut W, stage: impl AtStage, tokens: f64) -> bool {
    let left = iteration::limits(w, stage).0 - tokens;
    if left <= 0.0 {
        return true;
    }
    let lacking = admit::lacking(w, stage, left);
    lacking.is_some_and(|key| w.pool(key).relied_on.is_none() && rely(w, stage, Some(key)))
}

/// The run under way relies on nothing being given back to this pool, or to none; true.
fn rely<W: World>(w: &mut W, stage: impl AtStage, on: Option<PoolKey>) -> bool {
    let before = std::mem::replace(&mut w.engine_mut(stage).blocked_by, on);
    if let Some(key) = before {
        w.pool_mut(key).relied_on = None;
    }
    if let Some(key) = on {
        w.pool_mut(key).relied_on = Some(stage.key());
    }
    true
}

/// Lays the iterations out in time.
fn lay_out<W: World>(
    w: &mut W,
    stage: impl AtStage,
    run: &mut Run,
    mut it: Iteration,
    end: f64,
    most: usize,
    horizon: f64,
) {
    let (mut room, mut unit) = (0.0, 0.0);
    if let Some(key) = memory::<W>(stage) {
        let p = w.pool(key);
        room = p.cap - p.used;
        unit = p.block;
    }
    // Iteration k is step `first + k - 1` of the cohort.
    let cohort = &mut w.engine_mut(stage).cohort;
    let (phases, first) = (std::mem::take(&mut cohort.phases), cohort.step);
    let block = phases.block();
    // Iteration k's step modulo the block.
    let mut at = phases.of(first + 1);
    let mut cost = w.cost(stage, &it);
    (run.cost, run.first) = (cost, end);
    let mut time = end;
    let mut k = 2;
    while k <= most && time <= horizon {
        // Iterations without growth last equally long.
        let ahead = phases.ahead(at);
        let quiet = ahead.min(most + 1 - k);
        time = after(time, cost, quiet);
        k += quiet;
        if k > most {
            break;
        }
        at += ahead;
        at -= if at >= block { block } else { 0 };
        let units = unit * f64::from(phases.count(at));
        at = if at + 1 == block { 0 } else { at + 1 };
        room -= units;
        it.kv_decode += units;
        cost = w.cost(stage, &it);
        let next = time + cost;
        let lasts = next > time;
        if room < 0.0 || !lasts {
            break;
        }
        run.growth.push(Growth { iteration: k as u32, time, units, cost });
        run.growth_left += units;
        time = next;
        k += 1;
    }
    (run.len, run.last) = (k - 1, time);
    w.engine_mut(stage).cohort.phases = phases;
}

/// Something may disturb the engine's run, if there is one: it ends with the iteration under way.
#[inline]
pub(crate) fn interrupt<W: World, S: AtStage>(w: &mut W, stage: S) {
    if UsesAt::<W, S>::RUNS && w.engine(stage).run.active() {
        cut(w, stage);
    }
}

/// Every run ends with the iteration under way.
#[cold]
pub(crate) fn interrupt_all<W: World>(w: &mut W) {
    for i in 0..w.kernel().stages.len() {
        let stage = w.kernel().stages[i];
        if spec::<W>(stage).plannable {
            interrupt(w, stage);
        }
    }
}

#[cold]
fn cut<W: World>(w: &mut W, stage: impl AtStage) {
    let now = w.kernel().now;
    let e = w.engine(stage);
    let (ended, planned, slot) = (e.run.ended_before(now), e.run.len, e.slot);
    let (end, lasts) = e.run.end_of(ended + 1);
    account(w, stage, ended, lasts);
    let k = w.kernel_mut();
    k.events += ended as u64;
    if ended + 1 < planned {
        k.clock.of(Uses::<W>::SLOTS).set(slot, end);
    }
}

/// The run ends as planned, at its last iteration's end.
pub(super) fn end<W: World>(w: &mut W, stage: impl AtStage) {
    let planned = w.engine(stage).run.len;
    account(w, stage, planned, None);
    let k = w.kernel_mut();
    let now = k.now;
    k.events += planned as u64 - 1;
    let e = w.engine_mut(stage);
    e.iterating = false;
    e.scheduled = 0;
    e.shares.end(now);
    note_startable(w, stage);
}

/// The simulation ends at `horizon` (which comes before the run's end).
pub(crate) fn close<W: World>(w: &mut W, stage: impl AtStage, horizon: f64) {
    let run = &w.engine(stage).run;
    // Those that end at the horizon itself are over.
    let ended = run.ended_before(horizon.next_up());
    if run.active() && ended < run.len {
        let (_, lasts) = run.end_of(ended + 1);
        account(w, stage, ended, lasts);
        w.kernel_mut().events += ended as u64;
    }
}

/// Brings residents and counts to where `ended` iterations of the run are over; the next one is under
/// way if there is one (or it is the first), and lasts so long (s). The run is no more.
fn account<W: World>(w: &mut W, stage: impl AtStage, ended: usize, lasts: Option<f64>) {
    let warmup = w.kernel().settings.warmup;
    let e = w.engine_mut(stage);
    if ended > 0 {
        count(e, ended, lasts, warmup);
        let now = if ended == e.run.len { e.run.last } else { e.run.end_of(ended).0 };
        e.cohort.advance(ended as u32, now);
        if let Some(lasts) = lasts {
            (e.began, e.lasts) = (now, lasts);
        }
    }
    let (planner, blocked) = (e.planner, e.blocked_by.is_some());
    let grows = e.run.next_growth().is_some();
    e.run.clear();
    if grows {
        w.kernel_mut().growths.clear(planner);
    }
    if blocked {
        rely(w, stage, None);
    }
}

/// Counts the `ended` iterations, and as begun also the next one if it is `running`; of the first only
/// its gaps, it was counted when it was planned.
fn count(e: &mut Engine, ended: usize, running: Option<f64>, warmup: f64) {
    let n = e.seats.len() as u64;
    cohort_gaps(&e.cohort, &mut e.gaps, e.run.first >= warmup, e.run.first, e.began, e.lasts);
    let Engine { run, step, batch, gaps, decode_tokens, iterations, .. } = e;
    let began = ended as u64 - 1 + u64::from(running.is_some());
    *iterations += began;
    if run.first < warmup {
        return count_from(e, ended, running.is_some(), warmup);
    }
    batch.add(n as f64, began);
    *decode_tokens = add_ones(*decode_tokens, n as usize * ended);
    let (mut lasting, mut gaps) = (*step, gaps.iterations(n));
    run.stretches(2, ended, |times, cost| {
        lasting.add(cost, times);
        gaps.add(cost, times);
    });
    gaps.finish();
    if let Some(cost) = running {
        lasting.add(cost, 1);
    }
    *step = lasting;
}

/// As [`count`], of a run in which the warm-up ends.
#[cold]
fn count_from(e: &mut Engine, ended: usize, running: bool, warmup: f64) {
    let n = e.seats.len() as u64;
    let Engine { run, step, batch, gaps, decode_tokens, .. } = e;
    let started = ended + usize::from(running);
    let unmeasured = run.ended_before(warmup);
    // An iteration is measured from the start, its tokens and gaps at the end.
    let before = unmeasured.min(started - 1);
    run.stretches(2 + before, started, |times, cost| step.add(cost, times));
    batch.add(n as f64, (started - 1 - before) as u64);
    let before = unmeasured.min(ended);
    *decode_tokens = add_ones(*decode_tokens, n as usize * (ended - before));
    run.stretches(2.max(before + 1), ended, |times, cost| gaps.add(cost, n * times));
}

#[cfg(test)]
mod tests {
    use super::add_ones;

    #[test]
    fn many_ones_are_added_as_one_by_one() {
        let mut state = 7u64;
        for round in 0..20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let fraction = (state >> 11) as f64 / (1u64 << 53) as f64;
            let x = fraction * [0.5, 3.0, 100.0, 5000.0, 1e6][round % 5];
            let n = (state % 700) as usize;
            let one_by_one = (0..n).fold(x, |x, _| x + 1.0);
            assert_eq!(add_ones(x, n).to_bits(), one_by_one.to_bits(), "{x} {n}");
        }
    }
}
