//! Runs of decode iterations planned at once.
//!
//! When all residents decode, nobody waits and memory suffices, nothing can change until the first
//! of them completes: the iterations until then are laid out in stretches of equal ones, which end when,
//! bit for bit, the additions of one event per iteration would have them end (`steady`). Who takes a
//! block in which iteration is known from the positions. Growth is applied in time order before each later
//! event, and the stretch after it laid out (`growth`); whatever could disturb the run ([`interrupt`])
//! turns it back into the iteration that is under way. The iteration in which members take their last tokens is the
//! run's as well, if it is like the others, but begins in an event: what else happens as it ends has its order from then.

use super::{
    Engine, Iteration, admit, plan as iteration,
    run::Stretch,
    tokens::{GapRun, cohort_gaps},
};
use crate::{
    fault::Station,
    kernel::{
        Kernel,
        whole::{self, float},
    },
    pool::Pool,
    rare::rarely,
    station::{self, spec},
    uses::{Uses, UsesAt},
    world::{AtStage, PoolKey, World},
};

/// Iterations of one run at most.
const MOST: u32 = 1 << 14;
/// A run of fewer iterations is not worth its bookkeeping.
const LEAST: u32 = 2;

/// `x` plus one, `n` times, as rounded one by one: exact unless the sum changes its binade.
#[inline]
pub(super) fn add_ones(x: f64, n: usize) -> f64 {
    let sum = x + float(n as u64);
    if rarely(x.to_bits() >> 52 != sum.to_bits() >> 52) && !whole::is_whole(x) {
        return over_binades(x, n);
    }
    sum
}

/// As [`add_ones`]: within a binade the sum is exact, so that only the steps into the next are rounded.
#[cold]
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

/// Plans a run that begins with the iteration just planned, which ends at `end` and in which all members, and nobody
/// else, take a token; false when it is to be an iteration like any other.
#[inline]
pub(super) fn plan<W: World, S: AtStage>(w: &mut W, stage: S, end: f64) -> bool {
    if !UsesAt::<W, S>::RUNS {
        return false;
    }
    let (e, _, k) = w.engine_parts(stage);
    let most = e.cohort.quiet_steps().min(MOST);
    // An iteration that the clock does not see is an event like any other, so that they are counted.
    if most < LEAST || e.cohort.outside > 0 || e.seats.is_empty() || end <= k.now {
        return false;
    }
    (e.waiting == 0 || blocked(w, stage)) && begin(w, stage, end, most)
}

/// Begins a run of at most so many iterations; false when only the first can be one of it.
#[inline]
fn begin<W: World>(w: &mut W, stage: impl AtStage, end: f64, most: u32) -> bool {
    let (e, _, k) = w.engine_parts(stage);
    let Engine { run, cohort, lasts, .. } = e;
    // Iteration k is step `cohort.step + k - 1`.
    let takers = run.begin(most, end, *lasts, cohort.step + 1, &cohort.phases);
    run.unmeasured = u32::from(end < k.settings.warmup);
    let growth = foresee(w, stage, takers);
    let (e, _, k) = w.engine_parts(stage);
    if e.run.planned() == Some(1) {
        e.run.clear();
        rely(w, stage, None);
        return false;
    }
    e.run.order = k.clock.next_order();
    if growth < f64::INFINITY {
        k.growths.set(e.planner, growth);
    } else {
        schedule_end(w, stage);
    }
    true
}

/// After the stretch that was laid out so many residents take a block; when that is, infinite if the run ends before.
#[inline]
pub(super) fn foresee<W: World>(w: &mut W, stage: impl AtStage, takers: u32) -> f64 {
    let (e, memory, _) = w.engine_parts(stage);
    if Uses::<W>::GROWS
        && takers > 0
        && let Some(p) = memory
    {
        let units = f64::from(takers) * p.block();
        if p.used + units <= p.cap {
            let n = float(e.seats.len() as u64);
            let kv_decode = e.kv_decode + units;
            let it = Iteration {
                tokens: n,
                residents: n,
                decoders: n,
                kv_decode,
                ..Iteration::default()
            };
            let cost = w.cost(stage, &it);
            w.kernel_mut().blame(Station::Stage(stage.key()));
            let run = &mut w.engine_mut(stage).run;
            let time = run.stretch.end;
            // One that the clock does not see begins in an event.
            if time + cost > time {
                (run.units, run.cost) = (units, cost);
                return time;
            }
        }
    }
    w.engine_mut(stage).run.units = 0.0;
    f64::INFINITY
}

/// The run ends with its stretch.
#[inline]
pub(super) fn schedule_end<W: World>(w: &mut W, stage: impl AtStage) {
    let e = w.engine(stage);
    let slot = station::slot::<W>(stage, e.slot);
    let (end, order) = (e.run.stretch.end, e.run.order);
    w.kernel_mut().clock.of(Uses::<W>::SLOTS).set_in_order(slot, end, order);
}

/// Whether the head of the queue cannot be admitted before units are given back, in iterations of a token for each
/// resident.
fn blocked<W: World>(w: &mut W, stage: impl AtStage) -> bool {
    let tokens = float(w.engine(stage).seats.len() as u64);
    let left = iteration::limits(w, stage).0 - tokens;
    if left <= 0.0 {
        return true;
    }
    let Some((s, key)) = admit::lacking(w, stage, left) else { return false };
    if w.pool(key).relied_on.is_some() {
        return false;
    }
    rely(w, stage, Some(key));
    w.engine_mut(stage).blocked = s;
    true
}

/// The run under way relies on nothing being given back to this pool, or to none.
fn rely<W: World>(w: &mut W, stage: impl AtStage, on: Option<PoolKey>) {
    let before = std::mem::replace(&mut w.engine_mut(stage).blocked_by, on);
    if let Some(key) = before {
        w.pool_mut(key).relied_on = None;
    }
    if let Some(key) = on {
        w.pool_mut(key).relied_on = Some(stage.key());
    }
}

/// Something may disturb the engine's run, if there is one: it ends with the iteration under way.
#[inline]
pub(crate) fn interrupt<W: World, S: AtStage>(w: &mut W, stage: S) {
    if UsesAt::<W, S>::RUNS && w.engine(stage).run.active() {
        cut(w, stage);
    }
}

/// A queue that the engine serves became longer or shorter: its run goes on only if the request to be tried next is
/// the one that lacks units as before. Else it ends with the iteration under way, and is accounted for then.
#[inline]
pub(super) fn note_waiting<W: World, S: AtStage>(w: &mut W, stage: S, longer: bool) {
    if !UsesAt::<W, S>::RUNS || !w.engine(stage).run.goes_on() {
        return;
    }
    let e = w.engine(stage);
    if !longer || e.blocked_by.is_none() || !still_blocked(w, stage) {
        end_early(w, stage);
    }
}

fn still_blocked<W: World>(w: &mut W, stage: impl AtStage) -> bool {
    let next = admit::next(w, stage);
    next.is_some_and(|(s, _)| s == w.engine(stage).blocked)
}

fn end_early<W: World>(w: &mut W, stage: impl AtStage) {
    let (e, _, k) = w.engine_parts(stage);
    if e.run.planned().is_none() {
        k.growths.clear(e.planner);
    }
    if e.run.shorten(k.now) {
        let slot = station::slot::<W>(stage, e.slot);
        k.clock.of(Uses::<W>::SLOTS).set(slot, e.run.stretch.end);
    }
    if e.blocked_by.is_some() {
        rely(w, stage, None);
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
    let Engine { run, slot, .. } = w.engine(stage);
    let (slot, ended) = (*slot, run.ended_before(now));
    let (end, planned) = (run.end_of(ended + 1), run.planned());
    let uncounted = run.uncounted(ended);
    account(w, stage, ended, true);
    let k = w.kernel_mut();
    k.events += u64::from(uncounted);
    if planned != Some(ended + 1) {
        k.clock.of(Uses::<W>::SLOTS).set(slot, end);
    }
}

/// The run ends, at its last iteration's end; true when its members took their last tokens in that.
#[inline]
pub(super) fn end<W: World>(w: &mut W, stage: impl AtStage) -> bool {
    let (mut e, memory, mut k) = w.engine_parts(stage);
    if e.run.goes_on() && one_more::<W, _>(stage, e, memory.as_deref(), k) {
        return false;
    }
    let (ended, uncounted) = (e.run.stretch.until - 1, e.run.uncounted(e.run.stretch.until - 1));
    let finished = e.run.finishes();
    e.close_run(ended, false, k.settings.warmup);
    k.events += u64::from(uncounted - 1);
    if finished {
        return true;
    }
    if e.blocked_by.is_some() {
        rely(w, stage, None);
        (e, _, k) = w.engine_parts(stage);
    }
    e.note_over(k.now);
    k.startable.put(station::flat::<W>(stage, e.flat), e.has_work());
    false
}

/// After a run as it was planned, the iteration in which members take their last tokens, as it would start now: at once,
/// as the run's last one, if it is like the others and nothing else is due or waits to start. False when it is to be
/// planned like any other.
#[inline]
fn one_more<W: World, A>(
    stage: impl AtStage,
    e: &mut Engine,
    memory: Option<&Pool<A>>,
    k: &mut Kernel,
) -> bool {
    let planned = e.run.stretch.until - 1;
    let alike = e.cohort.last_alike(planned) && memory.is_none_or(|p| p.whole);
    if !alike || e.waiting > 0 || k.unsettled || !k.startable.is_empty() {
        return false;
    }
    let (next, _) = k.clock.of(Uses::<W>::SLOTS).next();
    if next <= k.now {
        return false;
    }
    station::changed::<W>(k, stage);
    let slot = station::slot::<W>(stage, e.slot);
    k.clock.of(Uses::<W>::SLOTS).set(slot, e.run.finish(k.now));
    true
}

/// The simulation ends at `horizon` (which comes before the run's end).
pub(crate) fn close<W: World>(w: &mut W, stage: impl AtStage, horizon: f64) {
    let run = &w.engine(stage).run;
    // Those that end at the horizon itself are over.
    let ended = run.ended_before(horizon.next_up());
    if run.active() && run.planned() != Some(ended) {
        let uncounted = run.uncounted(ended);
        account(w, stage, ended, true);
        w.kernel_mut().events += u64::from(uncounted);
    }
}

/// Brings residents and counts to where `ended` iterations of the run are over, the next one under way if
/// it is `running` (or the first). The run is no more.
#[inline(never)]
fn account<W: World>(w: &mut W, stage: impl AtStage, ended: u32, running: bool) {
    let (e, _, k) = w.engine_parts(stage);
    if e.run.planned().is_none() {
        k.growths.clear(e.planner);
    }
    let blocked = e.blocked_by.is_some();
    e.close_run(ended, running, k.settings.warmup);
    if blocked {
        rely(w, stage, None);
    }
}

impl Engine {
    /// As [`account`], for the engine itself.
    #[inline]
    fn close_run(&mut self, ended: u32, running: bool, warmup: f64) {
        if ended > 0 {
            self.count_run(ended, running, warmup);
            let now = self.run.end_of(ended);
            self.cohort.advance(ended, now);
            if running {
                (self.began, self.lasts) = (now, self.run.stretch.cost);
            }
        }
        self.run.clear();
    }

    /// Counts what was not counted yet of the `ended` iterations of the run, and as begun also the next one
    /// if it is `running`; of the first only what it gave, it was counted when it was planned.
    #[inline]
    fn count_run(&mut self, ended: u32, running: bool, warmup: f64) {
        let Engine { run, cohort, gaps, began, lasts, .. } = &mut *self;
        let n = ended + 1 - run.stretch.from;
        if run.first >= warmup && cohort.phases.block() == 0 {
            self.count_alike(n);
        } else {
            if run.first >= warmup {
                let add = |gap, times| gaps.add(gap, times);
                cohort_gaps(cohort, run.first, *began, *lasts, add);
            }
            self.count_stretch(n, warmup);
        }
        let Engine { run, step, batch, decode_tokens, iterations, seats, .. } = self;
        let begun = ended - 1 + u32::from(running);
        *iterations += u64::from(begun);
        // An iteration is measured from its start, its tokens at the end.
        let unmeasured = run.unmeasured;
        batch.add(seats.len(), u64::from(begun - unmeasured.min(begun)));
        let tokens = seats.len() * (ended - unmeasured) as usize;
        *decode_tokens = add_ones(*decode_tokens, tokens);
        if running && ended > unmeasured {
            step.add(run.stretch.cost, 1);
        }
    }

    /// Counts the first iteration's gaps, and the `n` after it, where all last equally long.
    #[inline]
    fn count_alike(&mut self, n: u32) {
        let Engine { run, cohort, step, gaps, seats, began, lasts, .. } = self;
        let mut gaps = GapRun::new(gaps);
        cohort_gaps(cohort, run.first, *began, *lasts, |gap, times| gaps.add(gap, times));
        if n > 0 {
            step.add(run.stretch.cost, u64::from(n));
            gaps.add(run.stretch.cost, u64::from(n) * seats.len() as u64);
        }
        gaps.finish();
    }

    /// Counts the first `n` iterations of the run's stretch, which ended.
    #[inline]
    pub(super) fn count_stretch(&mut self, n: u32, warmup: f64) {
        let Engine { run, step, gaps, seats, .. } = self;
        let Stretch { start, cost, .. } = run.stretch;
        if n == 0 {
            return;
        }
        if start < warmup {
            return self.count_from(n, warmup);
        }
        step.add(cost, u64::from(n));
        gaps.add(cost, u64::from(n) * seats.len() as u64);
    }

    /// As [`Engine::count_stretch`], of one that starts before the warm-up's end.
    #[cold]
    fn count_from(&mut self, n: u32, warmup: f64) {
        let Engine { run, step, gaps, seats, .. } = self;
        let cost = run.stretch.cost;
        let unmeasured = run.stretch.ended_before(warmup).min(n);
        run.unmeasured += unmeasured;
        // The first of those that end after it started before.
        if n > unmeasured + 1 {
            step.add(cost, u64::from(n - unmeasured - 1));
        }
        if n > unmeasured {
            gaps.add(cost, u64::from(n - unmeasured) * seats.len() as u64);
        }
    }
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
