//! One run from time 0 to its end, and its report.

use crate::{
    engine::{self, growth, runs},
    fault::{self, FaultKind, Station},
    flows, kept,
    kernel::{Bits, Clock, MOST_SLOTS, NONE, STANDSTILL, Slot, settle},
    legs::deadlock,
    outage,
    parts::{Parts, PoolPart, StagePart, Tables, Whole},
    pool::{lease, shared},
    report::{CONSTANT, PoolCounts, PoolRow, RunRow, SeedReport, StageRow, serving, verdicts},
    settings::Settings,
    station::{self, Link},
    stats::{GapHistogram, GaugeSignal, Observation},
    trace::{Replay, Trace},
    uses::Uses,
    watch::Eyes,
    workload,
    world::{Arrivals, NO_SITE, PoolKey, PoolSpec, Refusal, Sid, StageKey, StageSpec, World},
};
use std::time::Instant;

/// The code of the note about negative work.
const NEGATIVE: &str = "S211";
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
    let others: &[Slot] = match Uses::<W>::LEASES || Uses::<W>::LINK {
        _ if Uses::<W>::FAILS => &[Slot::Lease, Slot::Flow, Slot::Outage],
        true => &[Slot::Lease, Slot::Flow],
        false => &[],
    };
    set_up(&mut Whole(&mut w), settings, replay::<W>(settings)?, others)?;
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
    let mut report = collect(&mut Whole(&mut w), settings, end, begun.elapsed().as_secs_f64());
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

/// Gives every stage its slot of the clock, and every pool its number; `others`: what else has
/// one.
fn set_up(
    parts: &mut dyn Parts,
    settings: &Settings,
    replay: Replay,
    others: &[Slot],
) -> Result<(), Vec<Refusal>> {
    let tables = parts.tables();
    let mut slots = vec![Slot::Arrival];
    slots.extend(others);
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
                    let number = k.flows.add_link(key, capacity, k.settings.warmup);
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

fn run<W: World>(w: &mut W, settings: &Settings, eyes: &mut Eyes, progress: &mut dyn FnMut(f64)) {
    // What the very first instant counts is measured if there is no warm-up.
    let mut warm = settings.warmup <= 0.0;
    if warm {
        note_warm(w);
    }
    workload::open(w);
    // The next time to look at the warm-up or at the progress.
    let last = settings.horizon.min(f64::MAX);
    let begin = eyes.recorder.as_ref().map_or(f64::INFINITY, |recorder| recorder.due());
    let mut mark = settings.warmup.min(last).min(begin);
    // Events at this time after the first, and the session that goes on after the event.
    let (mut more, mut goes_on) = (0, NONE);
    loop {
        settle::instant(w, more == 0, goes_on);
        let k = w.kernel_mut();
        let (time, slot) = k.clock.next();
        if k.over {
            break;
        }
        // It is infinite when nothing is scheduled.
        let soon = time < mark;
        if !soon {
            let due = time <= last;
            if !due {
                break;
            }
            if !warm && time >= settings.warmup {
                warm = true;
                note_warm(w);
            }
            mark = look_around(w, settings, eyes, progress, time).min(last);
            mark = if warm { mark } else { mark.min(settings.warmup) };
            if W::LEGS && w.kernel().over {
                break;
            }
        }
        growth::catch_up(w, time, false);
        let k = w.kernel_mut();
        // No time is below 0, so equal times are equal bits.
        more = if time.to_bits() == k.now.to_bits() { more + 1 } else { 0 };
        if more > STANDSTILL {
            let slot = k.slots[slot];
            stands_still(w, slot);
            break;
        }
        k.now = time;
        k.events += 1;
        goes_on = event(w, slot);
    }
    if !w.kernel().over {
        look_around(w, settings, eyes, progress, last);
    }
    if !warm {
        note_warm(w);
    }
    if W::LEGS && !w.kernel().stop {
        deadlock::look(w);
    }
}

/// Tells the progress at `time`, and watches the queues; returns when to do so again.
#[cold]
fn look_around<W: World>(
    w: &mut W,
    settings: &Settings,
    eyes: &mut Eyes,
    progress: &mut dyn FnMut(f64),
    time: f64,
) -> f64 {
    progress(time / settings.horizon);
    if W::LEGS {
        deadlock::look_now_and_then(w, time);
    }
    // At the windows' own ends, so that it is the same whichever event comes next.
    let Eyes { watch, recorder } = eyes;
    while watch.due() <= time {
        let end = watch.due();
        growth::catch_up(w, end, false);
        watch.look(w, end);
    }
    let next = (time + settings.horizon / PROGRESS_STEPS).min(watch.due());
    let Some(recorder) = recorder else { return next };
    recorder.look(&mut Whole(w), time);
    next.min(recorder.due())
}

/// What is due in this slot of the clock. It schedules what comes next there, or nothing. Returns the
/// session that goes on.
#[inline]
fn event<W: World>(w: &mut W, slot: usize) -> Sid {
    match w.kernel().slots[slot] {
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
            w.kernel_mut().clock.clear(slot);
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
    let warmup = w.kernel().settings.warmup;
    growth::catch_up(w, warmup, false);
    begin_measuring(&mut Whole(w));
}

fn begin_measuring(parts: &mut dyn Parts) {
    let k = parts.kernel();
    k.arrived_before = k.arrived;
    for i in 0..parts.kernel().pools.len() {
        let key = parts.kernel().pools[i];
        parts.begin_measuring(key);
    }
}

/// Brings everything to the run's end; returns that time.
fn finish<W: World>(w: &mut W, settings: &Settings) -> f64 {
    let k = w.kernel();
    if k.stop || k.has_fault() || !settings.horizon.is_finite() {
        let end = k.now;
        undrained(w, settings);
        return end;
    }
    let end = settings.horizon;
    growth::catch_up(w, end, true);
    w.kernel_mut().now = end;
    for i in 0..w.kernel().stages.len() {
        let key = w.kernel().stages[i];
        if Uses::<W>::RUNS && station::spec::<W>(key).plannable {
            runs::close(w, key, end);
        }
    }
    settle::read_gauges(w);
    undrained(w, settings);
    end
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

fn collect(parts: &mut dyn Parts, settings: &Settings, end: f64, wall_seconds: f64) -> SeedReport {
    let tables = parts.tables();
    let pools = (0..parts.kernel().pools.len()).map(|i| {
        let key = parts.kernel().pools[i];
        pool_row(&tables.pools[key.family as usize], key, &parts.pool(key), end)
    });
    let pools = pools.collect();
    let stages = (0..parts.kernel().stages.len()).map(|i| {
        let key = parts.kernel().stages[i];
        let spec = &tables.stages[key.family as usize];
        let mut row = stage_row(spec, key, &parts.stage(key), settings, end);
        if let StagePart::Link(&mut Link { number, .. }) = parts.stage(key) {
            row.utilization = Some(parts.kernel().flows.mean_carried(number, end));
        }
        StageRow { of_several: tables.nics.contains(&key.family), ..row }
    });
    let stages = stages.collect();
    let k = parts.kernel();
    let observes = tables.observes.iter().zip(&k.observations).map(|(name, o)| {
        let mut row = o.row(name, end);
        row.steady = tables.quiet(CONSTANT, name);
        row
    });
    let arrived = k.arrived - k.arrived_before;
    let mut report = SeedReport {
        program: tables.name.into(),
        run: RunRow {
            horizon: settings.horizon,
            end,
            warmup: settings.warmup,
            seed: settings.seed,
            arrivals: k.arrived,
            ended: k.ended,
            turns: k.turns,
            mean_live: k.mean_live.mean(end),
            events: k.events,
            live_at_end: k.live,
            wall_seconds,
        },
        verdicts: Vec::new(),
        observes: observes.collect(),
        gauges: tables.gauges.iter().zip(&k.gauges).map(|(name, g)| g.row(name, end)).collect(),
        pools,
        stages,
        serving: None,
        series: None,
        timeline: None,
        notes: notes(&tables, &k.negative),
        fault: fault::row(k, &tables),
    };
    report.serving = serving::of_run(&report, arrived, &settings.look.slo);
    report
}

fn pool_row(spec: &PoolSpec, key: PoolKey, p: &PoolPart, end: f64) -> PoolRow {
    let waiting = p.queue.len() as u64;
    let so_far: f64 = p.queue.iter().map(|x| end - x.since).sum();
    let (c, b) = (p.counts, p.before);
    PoolRow {
        name: spec.name.into(),
        index: (!spec.single).then_some(key.member as usize),
        mean_used: p.averages.used.mean(end),
        mean_cached: p.averages.cached.mean(end),
        mean_queue: p.averages.queued.mean(end),
        mean_holders: p.averages.holders.mean(end),
        mean_stalled: p.averages.stalled.mean(end),
        mean_wait: p.waits.mean(),
        waiting,
        waiting_mean_so_far: (waiting > 0).then(|| so_far / waiting as f64),
        counts: c,
        measured: PoolCounts {
            admissions: c.admissions - b.admissions,
            evicted_entries: c.evicted_entries - b.evicted_entries,
            evicted_units: c.evicted_units - b.evicted_units,
            preemptions: c.preemptions - b.preemptions,
            spills: c.spills - b.spills,
            rejected: c.rejected - b.rejected,
            stuck: c.stuck - b.stuck,
        },
    }
}

fn stage_row(
    spec: &StageSpec,
    key: StageKey,
    stage: &StagePart,
    settings: &Settings,
    end: f64,
) -> StageRow {
    let m = stage.measures();
    let measured = end - settings.warmup;
    let each = |sum: f64| (m.completed > 0).then(|| sum / m.completed as f64);
    let mut row = StageRow {
        name: spec.name.into(),
        index: (!spec.single).then_some(key.member as usize),
        of_several: false,
        kind: spec.kind,
        mean_number: m.present.mean(end),
        utilization: None,
        completed: m.completed,
        throughput: if measured > 0.0 { m.completed as f64 / measured } else { 0.0 },
        mean_wait: each(m.waits),
        mean_service: each(m.services),
        iterations: 0,
        prefill_only: 0.0,
        decode_only: 0.0,
        mixed: 0.0,
        mean_decodes: 0.0,
        mean_decode_batch: None,
        mean_decode_step: None,
        gaps: GapHistogram::new(),
        prefill_tokens: 0.0,
        decode_tokens: 0.0,
    };
    match stage {
        StagePart::Fifo(fifo) => row.utilization = Some(fifo.utilization(end)),
        StagePart::Ps(ps) => row.utilization = Some(ps.serving.mean(end)),
        StagePart::Delay(_) | StagePart::Link(_) => {}
        StagePart::Step(e) => {
            let [iterating, prefill, decode, mixed, decodes] = e.shares.means(end);
            row.utilization = Some(iterating);
            (row.prefill_only, row.decode_only, row.mixed) = (prefill, decode, mixed);
            row.mean_decodes = decodes;
            row.iterations = e.iterations;
            row.mean_decode_batch = e.batch.mean();
            row.mean_decode_step = e.step.mean();
            row.gaps = e.gaps.clone();
            (row.prefill_tokens, row.decode_tokens) = (e.prefill_tokens, e.decode_tokens);
        }
    }
    row
}

fn notes(tables: &Tables, negative: &[u64]) -> Vec<String> {
    let seen = tables.sites.iter().zip(negative).filter(|(_, n)| **n > 0);
    let loud =
        seen.filter(|(site, _)| !tables.quiet(NEGATIVE, &format!("{}:{}", site.file, site.line)));
    loud.map(|(site, n)| {
        format!(
            "{}:{}:{}: work below 0 counted as 0, {n} times: `{}` [{NEGATIVE}]",
            site.file, site.line, site.col, site.text
        )
    })
    .collect()
}
