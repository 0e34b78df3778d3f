//! One run from time 0 to its end, and its report.

use crate::{
    collect::collect,
    engine::{self, growth, runs},
    fault::{FaultKind, Station},
    flows, kept,
    kernel::{ARRIVAL_SLOT, Bits, Clock, MOST_SLOTS, NONE, STANDSTILL, Slot, settle},
    legs::deadlock,
    outage,
    parts::{Parts, StagePart, Whole},
    pool::{lease, shared},
    report::{SeedReport, serving, verdicts},
    settings::Settings,
    station::{self, Link},
    stats::{GaugeSignal, Observation},
    trace::{Replay, Trace},
    uses::Uses,
    watch::Eyes,
    workload,
    world::{Arrivals, NO_SITE, PoolKey, Refusal, Sid, StageKey, World},
};
use std::time::Instant;

/// How often progress is told.
const PROGRESS_STEPS: f64 = 200.0;

/// Simulates one run of the program under these values of its `let`s.
///
/// # Errors
///
/// Constants that do not pass the program's checks. An error that the run itself finds is in the
/// report's `fault`.
pub fn simulate<W: World>(values: &[f64], settings: &Settings) -> Result<SeedReport, Vec<Refusal>> {
    simulate_with::<W>(values, settings, &mut |_| {})
}

/// As [`simulate`], telling now and then which fraction of the horizon is done.
///
/// # Errors
///
/// As [`simulate`].
pub fn simulate_with<W: World>(
    values: &[f64],
    settings: &Settings,
    progress: &mut dyn FnMut(f64),
) -> Result<SeedReport, Vec<Refusal>> {
    let begun = Instant::now();
    // A time line wants every iteration as an event of its own; the run is the same.
    let one_by_one = Settings {
        plain_engine: settings.plain_engine || settings.look.timeline.is_some(),
        ..settings.clone()
    };
    let settings = &one_by_one;
    let mut w = W::new(values, settings)?;
    set_up(&mut Whole(&mut w), settings, replay::<W>(settings)?, Uses::<W>::FIRST_SLOTS)?;
    if Uses::<W>::KEPT {
        kept::set_up(&mut w);
    }
    if Uses::<W>::FAILS {
        outage::set_up(&mut w);
    }
    if Uses::<W>::SHARES {
        shared::set_up(&mut w);
    }
    let mut eyes = Eyes::new(&mut w, settings);
    run(&mut w, settings, &mut eyes, progress);
    let Eyes { mut watch, recorder } = eyes;
    let end = finish(&mut w, settings);
    let wall_seconds = begun.elapsed().as_secs_f64();
    let mut report = collect(&mut Whole(&mut w), settings, end, wall_seconds);
    if report.fault.is_none() && !w.kernel().stop {
        report.verdicts = watch.close(&mut w, end);
        verdicts::add_warm_up(&mut report);
    }
    report.timeline = recorder.map(|recorder| recorder.finish(end));
    if settings.look.series {
        report.series = Some(watch.series(&mut w, &report));
    }
    Ok(report)
}

/// The recorded sessions of this run.
fn replay<W: World>(settings: &Settings) -> Result<Replay, Vec<Refusal>> {
    let trace = settings.trace.clone().map_or_else(|| Trace::of(W::TRACE), Ok);
    trace
        .and_then(|trace| Replay::new(&trace, settings.seed))
        .map_err(|why| vec![Refusal { code: "trace", message: why.to_string(), site: NO_SITE }])
}

/// Gives every stage its slot of the clock, after the `first`, and every pool its number.
fn set_up(
    parts: &mut dyn Parts,
    settings: &Settings,
    replay: Replay,
    first: &[Slot],
) -> Result<(), Vec<Refusal>> {
    let tables = parts.tables();
    let mut slots = first.to_vec();
    let mut stages = Vec::new();
    let mut planners = Vec::new();
    let mut pools = Vec::new();
    for family in 0..tables.stages.len() {
        for member in 0..parts.stages(family) {
            let key = StageKey::new(family as u16, member);
            let (slot, flat) = (slots.len(), stages.len());
            stages.push(key);
            match parts.stage(key) {
                StagePart::Fifo(fifo) => {
                    fifo.slot = slot;
                    slots.push(Slot::Station(key));
                }
                StagePart::Ps(ps) => {
                    (ps.slot, ps.flat) = (slot, flat);
                    slots.push(Slot::Station(key));
                }
                StagePart::Delay(delay) => {
                    delay.slot = slot;
                    slots.push(Slot::Station(key));
                }
                StagePart::Step(engine) => {
                    (engine.slot, engine.flat, engine.planner) = (slot, flat, planners.len());
                    planners.extend(tables.stages[family].plannable.then_some(key));
                    slots.push(Slot::Engine(key));
                }
                StagePart::Link(&mut Link { capacity, .. }) => {
                    let k = parts.kernel();
                    let spec = &tables.stages[family];
                    let number = k.flows.add_link(key, spec, capacity, settings);
                    if let StagePart::Link(link) = parts.stage(key) {
                        link.number = number;
                    }
                }
            }
        }
    }
    if slots.len() > MOST_SLOTS {
        let message = format!("{} stages are more than a run can have", stages.len());
        return Err(vec![Refusal { code: "S119", message, site: NO_SITE }]);
    }
    for family in 0..tables.pools.len() {
        for member in 0..parts.pools(family) {
            let key = PoolKey::new(family as u16, member);
            parts.number(key, pools.len());
            pools.push(key);
        }
    }
    let k = parts.kernel();
    k.clock = Clock::new(slots.len());
    k.slots = slots;
    k.startable = Bits::new(stages.len());
    k.ps_changed = Bits::new(stages.len());
    k.growths = Clock::new(planners.len());
    k.planners = planners;
    k.stages = stages;
    k.waited_for = Bits::new(pools.len());
    k.pools = pools;
    k.keep_slots = tables.pools.iter().any(|p| p.spills);
    k.replay = replay;
    k.observations = tables
        .observes
        .iter()
        .map(|name| Observation::new(settings).keeping(serving::keeps(&settings.look.slo, name)))
        .collect();
    k.gauges = tables.gauges.iter().map(|_| GaugeSignal::new(settings)).collect();
    k.negative = vec![0; tables.sites.len()];
    Ok(())
}

/// How far a run has come, and who is told.
struct Course<'a> {
    settings: &'a Settings,
    eyes: &'a mut Eyes,
    progress: &'a mut dyn FnMut(f64),
    /// No event after this time.
    last: f64,
    warm: bool,
}

// Apart from what sets it up, which is no code for every event's registers.
#[inline(never)]
fn run<W: World>(w: &mut W, settings: &Settings, eyes: &mut Eyes, progress: &mut dyn FnMut(f64)) {
    // What the very first instant counts is measured if there is no warm-up.
    let warm = settings.warmup <= 0.0;
    if warm {
        note_warm(w);
    }
    workload::open(w);
    let last = settings.horizon.min(f64::MAX);
    let begin = eyes.recorder.as_ref().map_or(f64::INFINITY, |recorder| recorder.due());
    let mark = settings.warmup.min(last).min(begin);
    w.kernel_mut().look_from(mark);
    let mut course = Course { settings, eyes, progress, last, warm };
    // The session that goes on after the event.
    let mut goes_on = NONE;
    loop {
        settle::instant(w, goes_on);
        let Some((time, slot)) = next_event(w, &mut course) else { break };
        let k = w.kernel_mut();
        if time.to_bits() != k.now.to_bits() {
            k.more = 0;
        } else {
            k.more += 1;
            if k.more > STANDSTILL {
                let slot = k.slots[slot];
                stands_still(w, slot);
                break;
            }
        }
        k.now = time;
        k.events += 1;
        goes_on = event(w, slot);
    }
    if !w.kernel().over {
        course.look_around(w, last);
    }
    if !course.warm {
        note_warm(w);
    }
    if W::LEGS && !w.kernel().stop {
        deadlock::look(w);
    }
}

/// The next event, after what runs of iterations take before it; none when the run is over.
#[inline(always)]
fn next_event<W: World>(w: &mut W, course: &mut Course) -> Option<(f64, usize)> {
    loop {
        // Its time is infinite when nothing is scheduled.
        let next = w.kernel_mut().clock.of(Uses::<W>::SLOTS).next();
        // What a run takes comes after the events of its time.
        let growth = growth::next(w);
        if !Uses::<W>::GROWS || growth >= next.0 {
            let quiet = w.kernel().is_quiet(next.0);
            return (quiet || course.look(w, next.0, false)).then_some(next);
        }
        if !w.kernel().is_quiet(growth) && !course.look(w, growth, true) {
            return None;
        }
        growth::grow_all(w);
    }
}

impl Course<'_> {
    /// There is more to do at `time` than what comes next; whether it comes. It `grows` a run, or is an event.
    #[cold]
    #[inline(never)]
    fn look<W: World>(&mut self, w: &mut W, time: f64, grows: bool) -> bool {
        let due = time <= self.last;
        if w.kernel().over || !due {
            return false;
        }
        if !self.warm && time >= self.settings.warmup {
            self.warm = true;
            note_warm(w);
        }
        if grows {
            // All else waits for an event, as it does where every iteration is one.
            self.eyes.watch.look_before(w, time);
            return true;
        }
        let mark = self.look_around(w, time).min(self.last);
        let k = w.kernel_mut();
        if W::LEGS && k.over {
            return false;
        }
        k.look_from(if self.warm { mark } else { mark.min(self.settings.warmup) });
        true
    }

    /// Tells the progress at `time`, and watches the queues; returns when to do so again.
    fn look_around<W: World>(&mut self, w: &mut W, time: f64) -> f64 {
        let horizon = self.settings.horizon;
        (self.progress)(time / horizon);
        if W::LEGS {
            deadlock::look_now_and_then(w, time);
        }
        let Eyes { watch, recorder } = &mut *self.eyes;
        watch.look_before(w, time);
        let next = (time + horizon / PROGRESS_STEPS).min(watch.due());
        let Some(recorder) = recorder else { return next };
        recorder.look(&mut Whole(w), time);
        next.min(recorder.due())
    }
}

/// What is due in this slot of the clock. It schedules what comes next there, or nothing. Returns the
/// session that goes on.
#[inline]
fn event<W: World>(w: &mut W, slot: usize) -> Sid {
    let owner = match Uses::<W>::SINGLE && !Uses::<W>::STEP && Uses::<W>::FIRST_SLOTS.len() == 1 {
        true if slot == ARRIVAL_SLOT => Slot::Arrival,
        true => Slot::Station(StageKey::new((slot - Uses::<W>::FIRST_SLOTS.len()) as u16, 0)),
        false => w.kernel().slots[slot],
    };
    match owner {
        Slot::Arrival => workload::arrive(w),
        Slot::Station(key) if Uses::<W>::FIFO || Uses::<W>::PS || Uses::<W>::DELAY => {
            w.on_station(key, station::End)
        }
        Slot::Flow if Uses::<W>::LINK => flows::end(w),
        Slot::Lease if Uses::<W>::LEASES => {
            lease::expire(w);
            NONE
        }
        Slot::Outage if Uses::<W>::FAILS => {
            outage::event(w);
            NONE
        }
        Slot::Engine(key) if Uses::<W>::STEP => {
            w.kernel_mut().clock.of(Uses::<W>::SLOTS).take_out(slot);
            w.on_engine(key, engine::End)
        }
        _ => NONE,
    }
}

/// Time stands still: who is to blame is what the next event belongs to.
#[cold]
fn stands_still<W: World>(w: &mut W, next: Slot) {
    let k = w.kernel_mut();
    match next {
        Slot::Arrival => k.raise(FaultKind::Standstill, Some(W::ARRIVE_SITE), None),
        Slot::Engine(key) => {
            k.raise(FaultKind::Standstill, Some(station::spec::<W>(key).cost_site), None);
            k.blame(Station::Stage(key));
        }
        Slot::Lease | Slot::Flow | Slot::Outage | Slot::Station(_) => {
            let ran = Some(k.ran).filter(|s| *s != NONE && k.control(*s).live);
            k.raise(FaultKind::Standstill, None, ran);
        }
    }
}

/// The warm-up is over: counts from here on are measured.
fn note_warm<W: World>(w: &mut W) {
    begin_measuring(&mut Whole(w));
}

fn begin_measuring(parts: &mut dyn Parts) {
    let k = parts.kernel();
    k.arrived_before = k.arrived;
    k.mean_live.begin_measuring();
    k.flows.begin_measuring();
    for i in 0..parts.kernel().pools.len() {
        let key = parts.kernel().pools[i];
        parts.begin_measuring(key);
    }
    for i in 0..parts.kernel().stages.len() {
        let key = parts.kernel().stages[i];
        parts.stage(key).begin_measuring();
    }
}

/// Brings everything to the run's end; returns that time.
fn finish<W: World>(w: &mut W, settings: &Settings) -> f64 {
    let k = w.kernel();
    if k.stop || k.has_fault() || !settings.horizon.is_finite() {
        let end = k.now;
        close_runs(w, end);
        undrained(w, settings);
        return end;
    }
    let end = settings.horizon;
    w.kernel_mut().now = end;
    close_runs(w, end);
    settle::read_gauges(w);
    undrained(w, settings);
    end
}

/// Counts what is over of the runs of iterations that are under way.
fn close_runs<W: World>(w: &mut W, end: f64) {
    if !Uses::<W>::RUNS {
        return;
    }
    for i in 0..w.kernel().stages.len() {
        let key = w.kernel().stages[i];
        if station::spec::<W>(key).plannable {
            runs::close(w, key, end);
        }
    }
}

/// A limited run must see its sessions end.
fn undrained<W: World>(w: &mut W, settings: &Settings) {
    // Recorded sessions that have all arrived are to end as well when nothing cuts them off.
    let all = matches!(w.arrivals(), Arrivals::Recorded) && settings.horizon == f64::INFINITY;
    let k = w.kernel_mut();
    let limit = settings.arrivals.filter(|_| !all).or(all.then_some(k.arrived));
    let Some(n) = limit else { return };
    let missing = n.saturating_sub(k.arrived);
    if !k.stop && (k.live > 0 || missing > 0) {
        let live = k.live;
        let said = if W::ARRIVALS_SITE == NO_SITE { W::ARRIVE_SITE } else { W::ARRIVALS_SITE };
        k.raise(FaultKind::Drain { live, missing }, Some(said), None);
    }
}
