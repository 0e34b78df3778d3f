//! Runs of decode iterations planned at once.
//!
//! When all residents decode, nobody waits and memory suffices, nothing can change until the first
//! of them completes: the iterations until then are laid out in a tight loop, with the same additions
//! and so the same times, bit for bit, as one event per iteration would have. Who takes a block in
//! which iteration is known from the positions. Growth is applied in time order before each later
//! event (`growth`); whatever could disturb the run ([`interrupt`]) turns it back into the
//! iteration that is under way.

use super::{
    Engine, Iteration, admit, memory, note_startable, plan as iteration, tokens::cohort_gaps,
};
use crate::{
    fault::Station,
    kernel::whole,
    station::spec,
    uses::Uses,
    world::{AtStage, PoolKey, World},
};

/// Iterations of one run at most.
const MOST: usize = 1 << 14;
/// A run of fewer iterations is not worth its bookkeeping.
const LEAST: usize = 3;

/// An iteration of a run, not the first, that takes blocks as it starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth {
    /// Which one.
    pub iteration: u32,
    /// When it starts.
    pub time: f64,
    /// Units that it takes.
    pub units: f64,
    /// Seconds that it and those up to the next growth last.
    pub cost: f64,
}

/// A planned run; iteration 1 is the one that was planned in full.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    /// Iterations; 0: no run.
    len: usize,
    /// End of each iteration; what is beyond `len` is of no meaning.
    times: Vec<f64>,
    pub(super) growth: Vec<Growth>,
    /// How many growths were applied, and the units of the others.
    pub(super) grown: usize,
    pub(super) growth_left: f64,
    /// Seconds that iterations from the second on last before the first growth.
    cost: f64,
}

impl Run {
    /// A run is under way.
    #[inline]
    pub fn active(&self) -> bool {
        self.len > 0
    }

    /// End of each iteration.
    #[inline]
    fn times(&self) -> &[f64] {
        &self.times[..self.len]
    }

    /// Units that it will still take.
    #[inline]
    pub fn growth_left(&self) -> f64 {
        self.growth_left
    }

    /// Iterations that ended before `now`.
    #[inline]
    pub fn ended_before(&self, now: f64) -> usize {
        self.times().partition_point(|&t| t < now)
    }

    /// When it next grows.
    #[inline]
    pub fn next_growth(&self) -> Option<f64> {
        self.growth.get(self.grown).map(|g| g.time)
    }

    /// Seconds that iteration `k`, not the first, lasts.
    fn lasts(&self, k: usize) -> f64 {
        let before = self.growth.partition_point(|g| g.iteration as usize <= k);
        before.checked_sub(1).map_or(self.cost, |i| self.growth[i].cost)
    }

    /// Calls `f` with the number and the length (s) of iterations that last equally long, of those
    /// from `first` (2 at least) to `last`.
    #[inline]
    fn stretches(&self, first: usize, last: usize, mut f: impl FnMut(u64, f64)) {
        let (mut from, mut cost) = (first, self.cost);
        for g in &self.growth {
            let until = g.iteration as usize;
            if until > last {
                break;
            }
            if until > from {
                f((until - from) as u64, cost);
                from = until;
            }
            cost = g.cost;
        }
        if from <= last {
            f((last + 1 - from) as u64, cost);
        }
    }

    fn clear(&mut self) {
        self.len = 0;
        self.growth.clear();
        self.grown = 0;
        self.growth_left = 0.0;
    }
}

/// `x` plus one, `n` times, as rounded one by one: exact unless the sum changes its binade.
#[inline]
pub(super) fn add_ones(x: f64, n: usize) -> f64 {
    let sum = x + n as f64;
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
pub(super) fn plan<W: World>(
    w: &mut W,
    stage: impl AtStage,
    it: &Iteration,
    end: f64,
    preempted: bool,
) -> bool {
    let k = w.kernel();
    let settings = &k.settings;
    // An iteration that the clock does not see is an event like any other, so that they are counted.
    if end <= k.now {
        return false;
    }
    if !Uses::<W>::RUNS || !spec::<W>(stage).plannable || settings.plain_engine || preempted {
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
    let last = run.times().last().copied();
    let growth = run.next_growth();
    let e = w.engine_mut(stage);
    e.run = run;
    let (slot, flat) = (e.slot, e.flat);
    let Some(last) = last else { return false };
    let k = w.kernel_mut();
    k.clock.set(slot, last);
    if let Some(time) = growth {
        k.growths.set(flat, time);
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
    it: Iteration,
    end: f64,
    most: usize,
    horizon: f64,
) {
    let mut it = it;
    let (mut room, mut unit) = (0.0, 0.0);
    if let Some(key) = memory::<W>(stage) {
        let p = w.pool(key);
        room = p.cap - p.used;
        unit = p.block;
    }
    // Iteration k is step `first + k - 1` of the cohort.
    let cohort = &mut w.engine_mut(stage).cohort;
    let (phases, first) = (std::mem::take(&mut cohort.phases), cohort.step);
    let (block, mask) = (phases.len(), mask(&phases));
    // Iteration k's step modulo the block.
    let mut at = if block > 0 { ((first + 1) % block as u32) as usize } else { 0 };
    let mut time = end;
    let mut cost = w.cost(stage, &it);
    run.cost = cost;
    if run.times.len() < most {
        run.times.resize(most, 0.0);
    }
    run.times[0] = time;
    let mut k = 2;
    while k <= most && time <= horizon {
        // Iterations without growth last equally long.
        let ahead = next_taker(&phases, mask, at);
        let until = (most + 1).min(k + ahead);
        for x in &mut run.times[k - 1..until - 1] {
            time += cost;
            *x = time;
        }
        k = until;
        if k > most {
            break;
        }
        at += ahead;
        at -= if at >= block { block } else { 0 };
        let units = unit * f64::from(phases[at]);
        at = if at + 1 == block { 0 } else { at + 1 };
        room -= units;
        it.kv_decode += units;
        cost = w.cost(stage, &it);
        let lasts = time + cost > time;
        if room < 0.0 || !lasts {
            break;
        }
        run.growth.push(Growth { iteration: k as u32, time, units, cost });
        run.growth_left += units;
        time += cost;
        run.times[k - 1] = time;
        k += 1;
    }
    run.len = k - 1;
    w.engine_mut(stage).cohort.phases = phases;
}

/// Where somebody takes a block, a bit per iteration modulo the block; 0 when the block is longer.
fn mask(phases: &[u32]) -> u64 {
    if phases.len() > 64 {
        return 0;
    }
    phases.iter().enumerate().fold(0, |mask, (i, &n)| mask | u64::from(n > 0) << i)
}

/// Steps from one that is `at` modulo the block to the first, it included, in which somebody takes a
/// block; more than any run has when none does.
#[inline]
fn next_taker(phases: &[u32], mask: u64, at: usize) -> usize {
    if mask != 0 {
        let later = mask >> at;
        return match later {
            0 => phases.len() - at + mask.trailing_zeros() as usize,
            _ => later.trailing_zeros() as usize,
        };
    }
    if phases.len() <= 64 {
        return MOST;
    }
    phases[at..].iter().chain(&phases[..at]).position(|&n| n > 0).unwrap_or(MOST)
}

/// Something may disturb the engine's run, if there is one: it ends with the iteration under way.
#[inline]
pub(crate) fn interrupt<W: World>(w: &mut W, stage: impl AtStage) {
    if Uses::<W>::RUNS && w.engine(stage).run.active() {
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
    let run = &w.engine(stage).run;
    let ended = run.ended_before(now);
    let (end, planned) = (run.times()[ended], run.len);
    account(w, stage, ended, true);
    w.kernel_mut().events += ended as u64;
    if ended + 1 < planned {
        let slot = w.engine(stage).slot;
        w.kernel_mut().clock.set(slot, end);
    }
}

/// The run ends as planned, at its last iteration's end.
pub(super) fn end<W: World>(w: &mut W, stage: impl AtStage) {
    let planned = w.engine(stage).run.len;
    account(w, stage, planned, false);
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
    let ended = run.times().partition_point(|&t| t <= horizon);
    if run.active() && ended < run.len {
        account(w, stage, ended, true);
        w.kernel_mut().events += ended as u64;
    }
}

/// Brings residents and counts to where `ended` iterations of the run are over and, if `running`, the
/// next one is under way; the run is no more.
fn account<W: World>(w: &mut W, stage: impl AtStage, ended: usize, running: bool) {
    let warmup = w.kernel().settings.warmup;
    let mut run = std::mem::take(&mut w.engine_mut(stage).run);
    let started = ended + usize::from(running);
    let e = w.engine_mut(stage);
    count_iterations(e, &run, started, warmup);
    count_gaps(e, &run, ended, warmup);
    if let Some(i) = ended.checked_sub(1) {
        e.cohort.advance(ended as u32, run.times[i]);
        if running {
            (e.began, e.lasts) = (run.times[i], run.lasts(ended + 1));
        }
    }
    run.clear();
    let e = w.engine_mut(stage);
    e.run = run;
    let flat = e.flat;
    w.kernel_mut().growths.clear(flat);
    if w.engine(stage).blocked_by.is_some() {
        rely(w, stage, None);
    }
}

/// Iterations from the second on that have started (the first was counted when it was planned); the
/// one under way is the last of them.
fn count_iterations(e: &mut Engine, run: &Run, started: usize, warmup: f64) {
    e.iterations += started as u64 - 1;
    // Iteration k starts at times[k - 2].
    let before = before(&run.times[..started - 1], warmup);
    run.stretches(2 + before, started, |n, cost| e.step.add(cost, n));
    e.batch.add(e.seats.len() as f64, (started - 1 - before) as u64);
}

/// Token gaps of the first `ended` iterations.
fn count_gaps(e: &mut Engine, run: &Run, ended: usize, warmup: f64) {
    let times = &run.times[..ended];
    let Some(&first) = times.first() else { return };
    let n = e.seats.len() as u64;
    cohort_gaps(&e.cohort, &mut e.gaps, first >= warmup, first, e.began, e.lasts);
    let before = before(times, warmup);
    e.decode_tokens = add_ones(e.decode_tokens, n as usize * (times.len() - before));
    run.stretches(2.max(before + 1), ended, |iterations, cost| e.gaps.add(cost, n * iterations));
}

/// How many of the times come before the end of the warm-up.
#[inline]
fn before(times: &[f64], warmup: f64) -> usize {
    if times.first().is_none_or(|&first| first >= warmup) {
        return 0;
    }
    times.partition_point(|&t| t < warmup)
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
