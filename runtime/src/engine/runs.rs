//! Runs of decode iterations planned at once.
//!
//! When all residents decode, nobody waits and memory suffices, nothing can change until the first
//! of them completes: the iterations until then are laid out in a tight loop, with the same additions
//! and so the same times, bit for bit, as one event per iteration would have. Who takes a block in
//! which iteration is known from the positions. Growth is applied in time order before each later
//! event ([`catch_up`]); whatever could disturb the run ([`interrupt`]) turns it back into the
//! iteration that is under way.

use super::{
    Engine, Iteration, admit, memory, note_startable, plan as iteration, tokens::cohort_gaps,
};
use crate::{
    fault::Station,
    kernel::{settle, whole},
    pool::{self, evict},
    station::spec,
    uses::Uses,
    world::{PoolKey, StageKey, World},
};

/// Iterations of one run at most.
const MOST: usize = 1 << 14;
/// A run of fewer iterations is not worth its bookkeeping.
const LEAST: usize = 3;

/// A planned run; iteration 1 is the one that was planned in full.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    /// End of each iteration; empty: no run.
    times: Vec<f64>,
    /// (iteration, units) of what iterations from the second on take as they start.
    growth: Vec<(u32, f64)>,
    /// How many of those were applied, and the units of the others.
    grown: usize,
    growth_left: f64,
    /// (number, seconds) of consecutive iterations from the second on that last equally long.
    costs: Vec<(u32, f64)>,
}

impl Run {
    /// A run is under way.
    #[inline]
    pub fn active(&self) -> bool {
        !self.times.is_empty()
    }

    /// Units that it will still take.
    #[inline]
    pub fn growth_left(&self) -> f64 {
        self.growth_left
    }

    /// Iterations that ended before `now`.
    #[inline]
    pub fn ended_before(&self, now: f64) -> usize {
        self.times.partition_point(|&t| t < now)
    }

    /// When it next grows.
    fn next_growth(&self) -> Option<f64> {
        self.growth.get(self.grown).map(|&(k, _)| self.times[k as usize - 2])
    }

    /// Seconds that iteration `k`, not the first, lasts.
    fn lasts(&self, k: usize) -> f64 {
        let mut before = k - 2;
        for &(n, cost) in &self.costs {
            if before < n as usize {
                return cost;
            }
            before -= n as usize;
        }
        0.0
    }

    fn clear(&mut self) {
        self.times.clear();
        self.growth.clear();
        self.grown = 0;
        self.growth_left = 0.0;
        self.costs.clear();
    }
}

/// `x` plus one, `n` times, as rounded one by one: exact unless the sum changes its binade.
#[inline]
pub(super) fn add_ones(x: f64, n: usize) -> f64 {
    let sum = x + n as f64;
    if x.to_bits() >> 52 == sum.to_bits() >> 52 || whole::is_whole(x) {
        return sum;
    }
    (0..n).fold(x, |x, _| x + 1.0)
}

/// Plans a run that begins with the iteration `it` just planned, which ends at `end`; false when it is
/// to be an iteration like any other.
pub(super) fn plan<W: World>(
    w: &mut W,
    stage: StageKey,
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
    w.kernel_mut().blame(Station::Stage(stage));
    if run.times.len() < 2 {
        run.clear();
        rely(w, stage, None);
    }
    let last = run.times.last().copied();
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
fn blocked<W: World>(w: &mut W, stage: StageKey, tokens: f64) -> bool {
    let left = iteration::limits(w, stage).0 - tokens;
    if left <= 0.0 {
        return true;
    }
    let lacking = admit::lacking(w, stage, left);
    lacking.is_some_and(|key| w.pool(key).relied_on.is_none() && rely(w, stage, Some(key)))
}

/// The run under way relies on nothing being given back to this pool, or to none; true.
fn rely<W: World>(w: &mut W, stage: StageKey, on: Option<PoolKey>) -> bool {
    let before = std::mem::replace(&mut w.engine_mut(stage).blocked_by, on);
    if let Some(key) = before {
        w.pool_mut(key).relied_on = None;
    }
    if let Some(key) = on {
        w.pool_mut(key).relied_on = Some(stage);
    }
    true
}

/// Lays the iterations out in time.
fn lay_out<W: World>(
    w: &mut W,
    stage: StageKey,
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
    let (phases, first) = (std::mem::take(&mut cohort.phases), cohort.step as usize);
    let (block, mask) = (phases.len(), mask(&phases));
    let mut time = end;
    let mut cost = w.cost(stage, &it);
    let mut same = 0;
    run.times.push(time);
    let mut k = 2;
    while k <= most && time <= horizon {
        // Iterations without growth last equally long.
        let step = first + k - 1;
        let until = k + next_taker(&phases, mask, step, step + most + 1 - k) - step;
        let plain = until - k;
        run.times.extend((0..plain).map(|_| {
            time += cost;
            time
        }));
        same += plain as u32;
        k = until;
        if k > most {
            break;
        }
        let units = unit * f64::from(phases[(first + k - 1) % block]);
        room -= units;
        it.kv_decode += units;
        let dearer = w.cost(stage, &it);
        let lasts = time + dearer > time;
        if room < 0.0 || !lasts {
            break;
        }
        if dearer != cost && same > 0 {
            run.costs.push((same, cost));
            same = 0;
        }
        cost = dearer;
        run.growth.push((k as u32, units));
        run.growth_left += units;
        time += cost;
        run.times.push(time);
        same += 1;
        k += 1;
    }
    if same > 0 {
        run.costs.push((same, cost));
    }
    w.engine_mut(stage).cohort.phases = phases;
}

/// Where somebody takes a block, a bit per iteration modulo the block; 0 when the block is longer.
fn mask(phases: &[u32]) -> u64 {
    if phases.len() > 64 {
        return 0;
    }
    phases.iter().enumerate().fold(0, |mask, (i, &n)| mask | u64::from(n > 0) << i)
}

/// The first iteration from `k` on, before `end`, in which somebody takes a block; `end` when none does.
#[inline]
fn next_taker(phases: &[u32], mask: u64, k: usize, end: usize) -> usize {
    let block = phases.len();
    if block == 0 {
        return end;
    }
    let at = (k as u32 % block as u32) as usize;
    if mask != 0 {
        let later = mask >> at;
        let ahead = if later != 0 {
            later.trailing_zeros() as usize
        } else {
            block - at + mask.trailing_zeros() as usize
        };
        return end.min(k + ahead);
    }
    let ahead = phases[at..].iter().chain(&phases[..at]).position(|&n| n > 0);
    ahead.map_or(end, |n| end.min(k + n))
}

/// Applies the growth of all runs before time `until` (or at it), in time order.
#[inline]
pub(crate) fn catch_up<W: World>(w: &mut W, until: f64, inclusive: bool) {
    if !Uses::<W>::RUNS {
        return;
    }
    loop {
        let (time, flat) = w.kernel_mut().growths.next();
        if !due(time, until, inclusive) {
            return;
        }
        grow_on(w, flat, time, until, inclusive);
    }
}

#[inline]
fn due(time: f64, until: f64, inclusive: bool) -> bool {
    time < until || inclusive && time == until
}

/// Applies the growth at `time` of the engine with that number, and what follows of it before another
/// engine grows.
fn grow_on<W: World>(w: &mut W, flat: usize, time: f64, until: f64, inclusive: bool) {
    let k = w.kernel_mut();
    let stage = k.stages[flat];
    k.growths.clear(flat);
    // NaN when no other engine grows.
    let (others, _) = k.growths.next();
    let memory = memory::<W>(stage);
    let mut time = time;
    loop {
        grow(w, stage, memory, time);
        let Some(next) = w.engine(stage).run.next_growth() else { return };
        if next >= others || !due(next, until, inclusive) {
            w.kernel_mut().growths.set(flat, next);
            return;
        }
        time = next;
    }
}

#[inline]
fn grow<W: World>(w: &mut W, stage: StageKey, memory: Option<PoolKey>, time: f64) {
    w.kernel_mut().now = time;
    let e = w.engine_mut(stage);
    let (_, units) = e.run.growth[e.run.grown];
    e.run.grown += 1;
    e.run.growth_left -= units;
    e.kv_decode += units;
    if let Some(key) = memory {
        let spec = pool::spec::<W>(key);
        w.kernel_mut().dirty |= spec.dirty[0];
        let p = w.pool_mut(key);
        let used = p.used + units;
        p.set_used(time, used);
        if spec.cached && p.short(0.0) {
            evict::make_room(w, key, 0.0);
        }
    }
    settle::read_gauges(w);
}

/// Something may disturb the engine's run, if there is one: it ends with the iteration under way.
#[inline]
pub(crate) fn interrupt<W: World>(w: &mut W, stage: StageKey) {
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
fn cut<W: World>(w: &mut W, stage: StageKey) {
    let now = w.kernel().now;
    let run = &w.engine(stage).run;
    let ended = run.ended_before(now);
    let (end, planned) = (run.times[ended], run.times.len());
    account(w, stage, ended, true);
    w.kernel_mut().events += ended as u64;
    if ended + 1 < planned {
        let slot = w.engine(stage).slot;
        w.kernel_mut().clock.set(slot, end);
    }
}

/// The run ends as planned, at its last iteration's end.
pub(super) fn end<W: World>(w: &mut W, stage: StageKey) {
    let planned = w.engine(stage).run.times.len();
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
pub(crate) fn close<W: World>(w: &mut W, stage: StageKey, horizon: f64) {
    let run = &w.engine(stage).run;
    let ended = run.times.partition_point(|&t| t <= horizon);
    if run.active() && ended < run.times.len() {
        account(w, stage, ended, true);
        w.kernel_mut().events += ended as u64;
    }
}

/// Brings residents and counts to where `ended` iterations of the run are over and, if `running`, the
/// next one is under way; the run is no more.
fn account<W: World>(w: &mut W, stage: StageKey, ended: usize, running: bool) {
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
    let decoders = e.seats.len() as f64;
    // Iteration k starts at times[k - 2].
    let before = run.times[..started - 1].partition_point(|&t| t < warmup);
    for (n, cost) in stretches(&run.costs, before, started - 1) {
        e.step.add(cost, n);
    }
    e.batch.add(decoders, (started - 1 - before) as u64);
}

/// Token gaps of the first `ended` iterations.
fn count_gaps(e: &mut Engine, run: &Run, ended: usize, warmup: f64) {
    let times = &run.times[..ended];
    let Some(&first) = times.first() else { return };
    let n = e.seats.len() as u64;
    cohort_gaps(&e.cohort, &mut e.gaps, first >= warmup, first, e.began, e.lasts);
    let before = times.partition_point(|&t| t < warmup);
    e.decode_tokens = add_ones(e.decode_tokens, n as usize * (times.len() - before));
    for (iterations, cost) in stretches(&run.costs, before.saturating_sub(1), ended - 1) {
        e.gaps.add(cost, n * iterations);
    }
}

/// (number, seconds) of stretches of equal iterations, of the first `most` without the first `skip`.
fn stretches(
    costs: &[(u32, f64)],
    skip: usize,
    most: usize,
) -> impl Iterator<Item = (u64, f64)> + '_ {
    let (mut skip, mut left) = (skip as u32, most as u32);
    costs.iter().filter_map(move |&(n, cost)| {
        let n = n.min(left);
        left -= n;
        let skipped = skip.min(n);
        skip -= skipped;
        (n > skipped).then_some((u64::from(n - skipped), cost))
    })
}
