//! The rows of a report as test code reads them: plain numbers, NaN for a mean or quantile of nothing.

use std::fmt;

use crate::report::{GaugeRow, ObserveRow, PoolCounts, PoolRow, Sample, SeedReport, StageRow};

fn number(value: Option<f64>) -> f64 {
    value.unwrap_or(f64::NAN)
}

/// What one `observe` gathered, over the measured time.
#[derive(Clone)]
pub struct Observation(ObserveRow);

impl fmt::Debug for Observation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut shown = f.debug_struct(&self.0.name);
        shown.field("count", &self.count()).field("mean", &self.mean());
        shown.field("min", &self.min()).field("max", &self.max()).finish_non_exhaustive()
    }
}

impl Observation {
    /// Number `i` of the program's observations.
    pub fn of(report: &SeedReport, i: usize) -> Self {
        Observation(report.observes[i].clone())
    }

    /// How many values.
    pub fn count(&self) -> u64 {
        self.0.count
    }

    /// Mean.
    pub fn mean(&self) -> f64 {
        number(self.0.mean)
    }

    /// Half width of the 95 % interval by 20 batch means; NaN below 40 values.
    pub fn ci(&self) -> f64 {
        number(self.0.ci)
    }

    /// Sample variance over squared mean.
    pub fn cv2(&self) -> f64 {
        number(self.0.cv2)
    }

    /// Least finite value.
    pub fn min(&self) -> f64 {
        number(self.0.min)
    }

    /// Greatest finite value.
    pub fn max(&self) -> f64 {
        number(self.0.max)
    }

    /// Median; exact with [`Settings::samples`](super::Settings::samples), as the next ones.
    pub fn p50(&self) -> f64 {
        number(self.0.p50)
    }

    /// 90 % quantile.
    pub fn p90(&self) -> f64 {
        number(self.0.p90)
    }

    /// 95 % quantile.
    pub fn p95(&self) -> f64 {
        number(self.0.p95)
    }

    /// 99 % quantile.
    pub fn p99(&self) -> f64 {
        number(self.0.p99)
    }

    /// Values that were infinite or NaN.
    pub fn nonfinite(&self) -> u64 {
        self.0.nonfinite
    }

    /// Every value: time, session, turn, value.
    ///
    /// # Panics
    /// Without [`Settings::samples`](super::Settings::samples) none are kept.
    pub fn samples(&self) -> &[Sample] {
        let samples = self.0.samples.as_deref();
        samples.unwrap_or_else(|| panic!("no samples of `{}`: set Settings::samples", self.0.name))
    }

    /// The values in the order of time.
    ///
    /// # Panics
    /// As [`samples`](Self::samples).
    pub fn values(&self) -> Vec<f64> {
        self.samples().iter().map(|sample| sample.3).collect()
    }

    /// When they were observed, seconds.
    ///
    /// # Panics
    /// As [`samples`](Self::samples).
    pub fn times(&self) -> Vec<f64> {
        self.samples().iter().map(|sample| sample.0).collect()
    }
}

/// One `gauge`, over the measured time.
#[derive(Clone)]
pub struct Gauge(GaugeRow);

impl fmt::Debug for Gauge {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut shown = f.debug_struct(&self.0.name);
        shown.field("mean", &self.mean());
        shown.field("min", &self.min()).field("max", &self.max()).finish_non_exhaustive()
    }
}

impl Gauge {
    /// Number `i` of the program's gauges.
    pub fn of(report: &SeedReport, i: usize) -> Self {
        Gauge(report.gauges[i].clone())
    }

    /// Time average.
    pub fn mean(&self) -> f64 {
        number(self.0.mean)
    }

    /// Half width of the 95 % interval over 20 windows.
    pub fn ci(&self) -> f64 {
        number(self.0.ci)
    }

    /// Least value held for a positive time.
    pub fn min(&self) -> f64 {
        number(self.0.min)
    }

    /// Greatest.
    pub fn max(&self) -> f64 {
        number(self.0.max)
    }

    /// Every change from time 0 on: time, value.
    ///
    /// # Panics
    /// Without [`Settings::samples`](super::Settings::samples) none are kept.
    pub fn points(&self) -> &[(f64, f64)] {
        let points = self.0.points.as_deref();
        points.unwrap_or_else(|| panic!("no points of `{}`: set Settings::samples", self.0.name))
    }

    /// The value at a time, after what happened then; NaN before the first.
    ///
    /// # Panics
    /// As [`points`](Self::points).
    pub fn at(&self, time: f64) -> f64 {
        let points = self.points();
        match points.partition_point(|point| point.0 <= time) {
            0 => f64::NAN,
            n => points[n - 1].1,
        }
    }
}

/// One pool. Averages and waits are over the measured time, counts from time 0.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Pool {
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
    /// Mean wait of those admitted from its queue, seconds.
    pub mean_wait: f64,
    /// Sessions in its queue at the end.
    pub waiting: u64,
    /// Their mean wait so far, seconds.
    pub waiting_mean_so_far: f64,
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
    /// The counts over the measured time alone.
    pub measured: PoolCounts,
}

impl Pool {
    /// The single pool of that name.
    pub fn single(report: &SeedReport, name: &str) -> Self {
        Self::family(report, name).swap_remove(0)
    }

    /// The members of that family.
    pub fn family(report: &SeedReport, name: &str) -> Vec<Self> {
        report.pools.iter().filter(|row| row.name == name).map(Self::of).collect()
    }

    fn of(row: &PoolRow) -> Self {
        let counts = row.counts;
        Pool {
            mean_used: row.mean_used,
            mean_cached: row.mean_cached,
            mean_queue: row.mean_queue,
            mean_holders: row.mean_holders,
            mean_stalled: row.mean_stalled,
            mean_wait: number(row.mean_wait),
            waiting: row.waiting,
            waiting_mean_so_far: number(row.waiting_mean_so_far),
            admissions: counts.admissions,
            evicted_entries: counts.evicted_entries,
            evicted_units: counts.evicted_units,
            preemptions: counts.preemptions,
            spills: counts.spills,
            rejected: counts.rejected,
            stuck: counts.stuck,
            measured: row.measured,
        }
    }
}

/// One stage, over the measured time; an engine's iterations from time 0.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Stage {
    /// Time average of jobs present.
    pub mean_number: f64,
    /// Busy servers over servers; carried rate over capacity; time spent iterating; NaN for a delay.
    pub utilization: f64,
    /// Runs completed.
    pub completed: u64,
    /// Runs completed per second.
    pub throughput: f64,
    /// Mean seconds from arrival to the start of service (fifo).
    pub mean_wait: f64,
    /// Mean seconds from start to end.
    pub mean_service: f64,
    /// Engines: iterations.
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
    pub mean_decode_batch: f64,
    /// Mean seconds of iterations with a decode.
    pub mean_decode_step: f64,
    /// Mean seconds between two tokens of a request.
    pub mean_itl: f64,
    /// Their median.
    pub itl_p50: f64,
    /// Their 99 % quantile.
    pub itl_p99: f64,
    /// Engines: prompt tokens processed.
    pub prefill_tokens: f64,
    /// Engines: tokens decoded.
    pub decode_tokens: f64,
}

impl Stage {
    /// The single stage of that name.
    pub fn single(report: &SeedReport, name: &str) -> Self {
        Self::family(report, name).swap_remove(0)
    }

    /// The members of that family.
    pub fn family(report: &SeedReport, name: &str) -> Vec<Self> {
        report.stages.iter().filter(|row| row.name == name).map(Self::of).collect()
    }

    fn of(row: &StageRow) -> Self {
        Stage {
            mean_number: row.mean_number,
            utilization: number(row.utilization),
            completed: row.completed,
            throughput: row.throughput,
            mean_wait: number(row.mean_wait),
            mean_service: number(row.mean_service),
            iterations: row.iterations,
            prefill_only: row.prefill_only,
            decode_only: row.decode_only,
            mixed: row.mixed,
            mean_decodes: row.mean_decodes,
            mean_decode_batch: number(row.mean_decode_batch),
            mean_decode_step: number(row.mean_decode_step),
            mean_itl: number(row.gaps.mean()),
            itl_p50: number(row.gaps.quantile(0.50)),
            itl_p99: number(row.gaps.quantile(0.99)),
            prefill_tokens: row.prefill_tokens,
            decode_tokens: row.decode_tokens,
        }
    }
}
