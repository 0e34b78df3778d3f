//! The rows. Times are in seconds; a mean of nothing, or one that is not finite, is `None`.

use crate::{
    report::{series::Series, serving::Serving, verdicts::Verdict},
    stats::{GapHistogram, LogHistogram, Transient, exact_quantile},
    timeline::Timeline,
    world::StageType,
};

/// One value of an `observe`: time, session, turn, value.
pub type Sample = (f64, u64, u32, f64);

/// One run.
#[derive(Clone, Debug)]
pub struct SeedReport {
    /// The program's name.
    pub program: String,
    /// The run as a whole.
    pub run: RunRow,
    /// What makes its averages worth nothing, the gravest first.
    pub verdicts: Vec<Verdict>,
    /// In declaration order, as all that follow.
    pub observes: Vec<ObserveRow>,
    /// Gauges.
    pub gauges: Vec<GaugeRow>,
    /// Pools, members by index.
    pub pools: Vec<PoolRow>,
    /// Stages, members by index.
    pub stages: Vec<StageRow>,
    /// Its requests, where the program observes their times.
    pub serving: Option<Serving>,
    /// What it did over time, when asked for.
    pub series: Option<Series>,
    /// What happened in a window of it, when asked for.
    pub timeline: Option<Timeline>,
    /// What a reader should know before believing a number.
    pub notes: Vec<String>,
    /// The error that ended the run early; the rows then say what happened until then.
    pub fault: Option<FaultRow>,
}

/// The run as a whole.
#[derive(Clone, Debug, Default)]
pub struct RunRow {
    /// Seconds; may be infinite with a number of arrivals.
    pub horizon: f64,
    /// Seconds; the horizon, or earlier with a number of arrivals.
    pub end: f64,
    /// Seconds.
    pub warmup: f64,
    /// Seed.
    pub seed: u64,
    /// Sessions that arrived, from 0.
    pub arrivals: u64,
    /// Sessions that ended, measured.
    pub ended: u64,
    /// Turns begun, measured.
    pub turns: u64,
    /// Time average of live sessions.
    pub mean_live: f64,
    /// Events handled.
    pub events: u64,
    /// Sessions live at the end.
    pub live_at_end: u64,
    /// Wall-clock seconds that the run took; never part of a report that two runs must agree on.
    pub wall_seconds: f64,
}

/// One `observe`.
#[derive(Clone, Debug)]
pub struct ObserveRow {
    /// Its name.
    pub name: String,
    /// Values, measured.
    pub count: u64,
    /// Mean.
    pub mean: Option<f64>,
    /// Half width of the 95 % interval by 20 batch means; `None` below 40 values.
    pub ci: Option<f64>,
    /// Sample variance over squared mean.
    pub cv2: Option<f64>,
    /// Least finite value.
    pub min: Option<f64>,
    /// Greatest finite value.
    pub max: Option<f64>,
    /// Median: the value of rank `ceil(n / 2)`.
    pub p50: Option<f64>,
    /// 90 % quantile.
    pub p90: Option<f64>,
    /// 95 % quantile.
    pub p95: Option<f64>,
    /// 99 % quantile.
    pub p99: Option<f64>,
    /// Values that were infinite or NaN.
    pub nonfinite: u64,
    /// The program says that it may be one value throughout.
    pub steady: bool,
    /// All values, when asked for.
    pub samples: Option<Vec<Sample>>,
    /// Lag-1 correlation of the batch means behind `ci`.
    pub correlation: Option<f64>,
    /// What its values begin with before they settle.
    pub(crate) transient: Option<Transient>,
    /// All values, where requests are held against limits.
    pub(crate) kept: Option<Vec<Sample>>,
    /// For quantiles over several runs.
    pub histogram: LogHistogram,
    /// All values upwards, where they are known (few, or samples kept).
    pub sorted: Option<Vec<f64>>,
}

impl ObserveRow {
    /// Its quantiles at so many equal steps from 0 to 1; none without values.
    pub(crate) fn quantiles(&self, steps: usize) -> Vec<f64> {
        let ranks = (0..steps).map(|i| i as f64 / (steps - 1) as f64);
        let found: Option<Vec<f64>> = match &self.sorted {
            Some(sorted) => ranks.map(|q| exact_quantile(sorted, q)).collect(),
            None => self.histogram.quantiles(ranks).collect(),
        };
        found.filter(|_| self.count > 0).unwrap_or_default()
    }
}

/// One `gauge`.
#[derive(Clone, Debug)]
pub struct GaugeRow {
    /// Its name.
    pub name: String,
    /// Time average.
    pub mean: Option<f64>,
    /// Half width of the 95 % interval over 20 windows.
    pub ci: Option<f64>,
    /// Least value held for a positive time.
    pub min: Option<f64>,
    /// Greatest.
    pub max: Option<f64>,
    /// Every change (time, value) from 0 on, when samples are kept.
    pub points: Option<Vec<(f64, f64)>>,
    /// Lag-1 correlation of the windows behind `ci`.
    pub correlation: Option<f64>,
}

/// Counts of a pool.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PoolCounts {
    /// Holds admitted.
    pub admissions: u64,
    /// Prefix entries emptied by eviction.
    pub evicted_entries: u64,
    /// Units evicted.
    pub evicted_units: f64,
    /// Sessions preempted.
    pub preemptions: u64,
    /// Evicted prefixes written to a tier.
    pub spills: u64,
    /// Requests that could never fit.
    pub rejected: u64,
    /// Preemptions without progress since the last.
    pub stuck: u64,
}

/// One pool.
#[derive(Clone, Debug, Default)]
pub struct PoolRow {
    /// Name of the family.
    pub name: String,
    /// Member; `None` for a single pool.
    pub index: Option<usize>,
    /// Time average of units allocated.
    pub mean_used: f64,
    /// Time average of units cached.
    pub mean_cached: f64,
    /// Time average of the queue's length.
    pub mean_queue: f64,
    /// Time average of sessions that hold some of it.
    pub mean_holders: f64,
    /// Time average of sessions that wait to grow.
    pub mean_stalled: f64,
    /// Mean wait of those admitted from its queue.
    pub mean_wait: Option<f64>,
    /// Sessions in its queue at the end.
    pub waiting: u64,
    /// Their mean wait so far.
    pub waiting_mean_so_far: Option<f64>,
    /// Counts from 0.
    pub counts: PoolCounts,
    /// Counts over the measured time.
    pub measured: PoolCounts,
}

/// One stage.
#[derive(Clone, Debug)]
pub struct StageRow {
    /// Name of the family.
    pub name: String,
    /// Member; `None` for a single stage.
    pub index: Option<usize>,
    /// One of the NICs of a member that has several, counted over all members.
    pub of_several: bool,
    /// Its kind.
    pub kind: StageType,
    /// Time average of jobs present.
    pub mean_number: f64,
    /// Busy servers over servers; carried rate over capacity; time spent iterating; `None` for a delay.
    pub utilization: Option<f64>,
    /// Runs completed, measured.
    pub completed: u64,
    /// `completed` per second.
    pub throughput: f64,
    /// Mean time from arrival to start of service (fifo).
    pub mean_wait: Option<f64>,
    /// Mean time from start to end.
    pub mean_service: Option<f64>,
    /// Engines: iterations from 0.
    pub iterations: u64,
    /// Engines: fraction of time in iterations with prefills only.
    pub prefill_only: f64,
    /// With decodes only.
    pub decode_only: f64,
    /// With both.
    pub mixed: f64,
    /// Engines: time average of decodes in the iteration.
    pub mean_decodes: f64,
    /// Mean decodes over iterations with a decode.
    pub mean_decode_batch: Option<f64>,
    /// Mean seconds of iterations with a decode.
    pub mean_decode_step: Option<f64>,
    /// Engines: gaps between tokens.
    pub gaps: GapHistogram,
    /// Engines: prompt tokens processed, measured.
    pub prefill_tokens: f64,
    /// Engines: tokens decoded, measured.
    pub decode_tokens: f64,
}

/// An error that stopped a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaultRow {
    /// Its code, which `serqc explain` has a page for.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
    /// The program's file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub col: u32,
    /// The source line, without white space at its end.
    pub source: String,
    /// The pool or stage that it happened at, where no session ran.
    pub station: Option<String>,
    /// The session that ran, by its serial number.
    pub session: Option<u64>,
    /// Its turn; 0 without a session.
    pub turn: u32,
    /// Simulated time.
    pub time: f64,
    /// The run's seed; `None` where nothing ran.
    pub seed: Option<u64>,
}

impl FaultRow {
    /// Who met the error, when, and in which run, in words.
    pub fn context(&self) -> String {
        let who = match (self.session, &self.station) {
            (Some(session), _) => format!("session {session}, turn {}, ", self.turn),
            (None, Some(station)) => format!("`{station}` "),
            (None, None) => String::new(),
        };
        let run = self.seed.map_or_else(String::new, |seed| format!(", seed {seed}"));
        format!("{who}at t = {} s{run}", self.time)
    }
}

impl StageRow {
    /// The kind as the language writes it; a link is a `ps` that flows share.
    pub fn kind_name(&self) -> &'static str {
        match self.kind {
            StageType::Fifo => "fifo",
            StageType::Ps => "ps",
            StageType::Delay => "delay",
            StageType::Step => "step",
            StageType::Link => "link",
        }
    }
}
