//! Watches a run from outside: what queues, pools and stages did over the measured time, window by window.
//!
//! In: their time averages, read at [`WINDOWS`] times. Out: means over the windows, and the verdicts that
//! follow from them (see `report/verdicts.rs`). Reading changes nothing, so a run is the same with it.

use crate::{
    parts::{Parts, Whole},
    report::{
        SeedReport,
        series::{QUANTILES, Series, SeriesRow, gathered},
        text::label,
        verdicts::{PoolSigns, REJECTS, Signs, StageSigns, UNSTABLE, Verdict},
    },
    settings::Settings,
    timeline::Recorder,
    world::{Arrivals, StageType, World},
};

/// Windows of the measured time.
pub(crate) const WINDOWS: usize = 200;
/// Of programs with more pools and stages than this, a tenth of the windows.
const MANY: usize = 2000;

/// What is read of a pool at a window's end.
#[derive(Clone, Copy, Debug, Default)]
struct PoolNote {
    /// Integrals from the warm-up.
    queue: f64,
    used: f64,
    /// Counts from 0.
    admissions: u64,
    preemptions: u64,
    rejected: u64,
}

/// Everything that was read at one time.
#[derive(Debug)]
struct Look {
    time: f64,
    live: f64,
    pools: Vec<PoolNote>,
    stages: Vec<f64>,
}

/// The looks of one run.
#[derive(Debug)]
pub(crate) struct Watch {
    /// Only an open workload can outgrow a deployment.
    open: bool,
    windows: usize,
    /// Seconds of a window.
    window: f64,
    warmup: f64,
    looks: Vec<Look>,
}

impl Watch {
    /// Nothing watched yet. A run that stops after a number of arrivals has no steady state to miss and is
    /// not watched.
    pub fn new<W: World>(w: &W, settings: &Settings) -> Self {
        let measured = settings.horizon - settings.warmup;
        let open =
            matches!(w.arrivals(), Arrivals::Poisson(_) | Arrivals::Renewal | Arrivals::Recorded);
        let k = w.kernel();
        let watched = settings.arrivals.is_none() && measured > 0.0 && measured.is_finite();
        let windows = match (watched, k.pools.len() + k.stages.len() > MANY) {
            (false, _) => 0,
            (true, true) => WINDOWS / 10,
            (true, false) => WINDOWS,
        };
        let looks = Vec::with_capacity(windows + 1);
        let window = measured / windows.max(1) as f64;
        Self { open, windows, window, warmup: settings.warmup, looks }
    }

    /// When the next window ends; never, when nothing is watched or all but the last have ended.
    pub fn due(&self) -> f64 {
        let next = self.looks.len() + 1;
        if next < self.windows { self.warmup + next as f64 * self.window } else { f64::INFINITY }
    }

    /// Everything is accounted for until `now`, where a window ends.
    pub fn look<W: World>(&mut self, w: &mut W, now: f64) {
        if self.due() <= now {
            self.note(&mut Whole(w), now);
        }
    }

    /// Everything is accounted for until `time`: the windows that are over by then have ended, each at its own end, so
    /// that it is the same whichever event comes next.
    pub fn look_before<W: World>(&mut self, w: &mut W, time: f64) {
        while self.due() <= time {
            let end = self.due();
            self.look(w, end);
        }
    }

    fn note(&mut self, parts: &mut dyn Parts, now: f64) {
        let span = now - self.warmup;
        let live = parts.kernel().mean_live.mean(now) * span;
        let pools = (0..parts.kernel().pools.len()).map(|i| {
            let key = parts.kernel().pools[i];
            let p = parts.peek(key);
            PoolNote {
                queue: p.averages.queued.mean(now) * span,
                used: p.averages.used.mean(now) * span,
                admissions: p.counts.admissions,
                preemptions: p.counts.preemptions,
                rejected: p.counts.rejected,
            }
        });
        let pools = pools.collect();
        let stages = (0..parts.kernel().stages.len()).map(|i| {
            let key = parts.kernel().stages[i];
            parts.measures(key).present.mean(now) * span
        });
        let stages = stages.collect();
        self.looks.push(Look { time: now, live, pools, stages });
    }

    /// The last window ends with the run, which came to its horizon `end`; what all of them say.
    pub fn close<W: World>(&mut self, w: &mut W, end: f64) -> Vec<Verdict> {
        if self.windows == 0 || self.looks.len() + 1 != self.windows {
            return Vec::new();
        }
        let parts = &mut Whole(w);
        self.note(parts, end);
        self.signs(parts, end).verdicts()
    }

    /// Means over the windows of an integral.
    fn means(&self, area: impl Fn(&Look) -> f64) -> Vec<f64> {
        let (mut time, mut before) = (self.warmup, 0.0);
        let mean = |look: &Look| {
            let now = area(look);
            let mean = (now - before) / (look.time - time);
            (time, before) = (look.time, now);
            mean
        };
        self.looks.iter().map(mean).collect()
    }

    /// When a count that was `before` at the warm-up's end first rose: the end of that window.
    fn since(&self, before: u64, count: impl Fn(&Look) -> u64) -> Option<f64> {
        self.looks.iter().find(|look| count(look) > before).map(|look| look.time)
    }

    /// Admissions and preemptions of a pool in each window, after those at the warm-up's end.
    fn churn(&self, pool: usize, mut before: (u64, u64)) -> Vec<(u64, u64)> {
        let counts = self.looks.iter().map(|look| {
            let note = look.pools[pool];
            let now = (note.admissions, note.preemptions);
            let (a, p) = std::mem::replace(&mut before, now);
            (now.0 - a, now.1 - p)
        });
        counts.collect()
    }

    /// What there is to be seen of the run over time.
    pub fn series<W: World>(&self, w: &mut W, report: &SeedReport) -> Series {
        let (from, to) = (report.run.warmup, report.run.end);
        let gauges = report.gauges.iter().zip(&w.kernel().gauges);
        let gauges = gauges.map(|(row, g)| (row.name.clone(), g.over(WINDOWS, to))).collect();
        let row = |name: &str, index, waiting, used| SeriesRow {
            name: name.to_owned(),
            index,
            members: 1,
            waiting,
            used,
        };
        let pools = report.pools.iter().enumerate().map(|(i, p)| {
            let queue = self.means(|look| look.pools[i].queue);
            row(&p.name, p.index, queue, self.means(|look| look.pools[i].used))
        });
        let stages = report
            .stages
            .iter()
            .enumerate()
            .map(|(i, s)| row(&s.name, s.index, self.means(|look| look.stages[i]), Vec::new()));
        let quantiles = report.observes.iter().map(|o| (o.name.clone(), o.quantiles(QUANTILES)));
        Series {
            from,
            to,
            live: self.means(|look| look.live),
            gauges,
            pools: gathered(pools.collect()),
            stages: gathered(stages.collect()),
            quantiles: quantiles.collect(),
        }
    }

    fn signs(&self, parts: &mut dyn Parts, end: f64) -> Signs {
        let tables = parts.tables();
        let pools = (0..parts.kernel().pools.len()).map(|i| {
            let key = parts.kernel().pools[i];
            let spec = &tables.pools[key.family as usize];
            let p = parts.peek(key);
            let loud = |code| !tables.quiet(code, spec.name);
            PoolSigns {
                at: label(spec.name, (!spec.single).then_some(key.member as usize)),
                tells_growth: self.open && loud(UNSTABLE),
                tells_rejections: loud(REJECTS),
                queue: self.means(|look| look.pools[i].queue),
                waiting: p.queue.len() as u64,
                admissions: p.counts.admissions - p.before.admissions,
                stuck: p.counts.stuck,
                churn: self.churn(i, (p.before.admissions, p.before.preemptions)),
                rejected: p.counts.rejected - p.before.rejected,
                rejected_since: self.since(p.before.rejected, |look| look.pools[i].rejected),
            }
        });
        let pools = pools.collect();
        let stages = (0..parts.kernel().stages.len()).map(|i| {
            let key = parts.kernel().stages[i];
            let spec = &tables.stages[key.family as usize];
            // What is at a delay waits for nothing.
            let waits = spec.kind != StageType::Delay;
            let m = parts.measures(key).clone();
            StageSigns {
                at: tables.stage_name(key),
                tells_growth: self.open && waits && !tables.quiet(UNSTABLE, spec.name),
                jobs: self.means(|look| look.stages[i]),
                completed: m.completed,
                present: m.present.value(),
                changed: m.present.changed(),
            }
        });
        let stages = stages.collect();
        let live = self.means(|look| look.live);
        let leases = parts.kernel().leases.len() as u64;
        Signs { warmup: self.warmup, end, live, leases, pools, stages }
    }
}

/// Those who look at a run now and then, and change nothing in it.
pub(crate) struct Eyes {
    pub watch: Watch,
    pub recorder: Option<Recorder>,
}

impl Eyes {
    /// For a run whose pools and stages are numbered.
    pub fn new<W: World>(w: &mut W, settings: &Settings) -> Self {
        let recorder = settings.look.timeline;
        let recorder = recorder.map(|window| Recorder::new(&mut Whole(w), settings, window));
        Self { watch: Watch::new(w, settings), recorder }
    }
}
