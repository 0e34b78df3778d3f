//! One `observe` of a program: values as they come, a report row at the end.
//!
//! Values before the warm-up are not counted. Memory is fixed (a histogram, batch sums) unless
//! samples are kept; runs of fewer values than the batches have room for are exact all the same.

use super::{
    batch::{self, FineBatches},
    histogram::LogHistogram,
    mser::transient,
};
use crate::{
    report::{ObserveRow, Sample},
    settings::Settings,
};

/// Values observed under one name.
#[derive(Clone, Debug)]
pub struct Observation {
    warmup: f64,
    /// From this time on values are only counted: the warm-up's end, or never where they are kept as well.
    only_counted: f64,
    /// How many were finite, a whole number.
    finite: f64,
    nonfinite: u64,
    sum: f64,
    /// Welford's running mean and sum of squared deviations (Technometrics 4(3), 1962).
    mean: f64,
    squares: f64,
    least: f64,
    greatest: f64,
    batches: FineBatches,
    histogram: LogHistogram,
    samples: Option<Vec<Sample>>,
    /// The same, for those who hold requests against limits.
    kept: Option<Vec<Sample>>,
}

impl Observation {
    /// Nothing observed yet.
    pub fn new(settings: &Settings) -> Self {
        Self {
            warmup: settings.warmup,
            only_counted: if settings.samples { f64::INFINITY } else { settings.warmup },
            finite: 0.0,
            nonfinite: 0,
            sum: 0.0,
            mean: 0.0,
            squares: 0.0,
            least: f64::INFINITY,
            greatest: f64::NEG_INFINITY,
            batches: FineBatches::new(),
            histogram: LogHistogram::new(),
            samples: settings.samples.then(Vec::new),
            kept: None,
        }
    }

    /// Also keeps every value for [`ObserveRow::kept`], which changes nothing else.
    pub(crate) fn keeping(self, keep: bool) -> Self {
        let only_counted = if keep { f64::INFINITY } else { self.only_counted };
        Self { only_counted, kept: keep.then(Vec::new), ..self }
    }

    /// Session `serial`, in its turn `turn`, observes `value` at time `now`.
    #[inline]
    pub fn add(&mut self, now: f64, serial: u64, turn: u32, value: f64) {
        self.add_by(now, value, || (serial, turn));
    }

    /// As [`Observation::add`]; `who` is asked for session and turn only where samples are kept.
    #[inline]
    pub(crate) fn add_by(&mut self, now: f64, value: f64, who: impl FnOnce() -> (u64, u32)) {
        // Nearly all values are like some before.
        if now >= self.only_counted
            && let Some(bin) = self.histogram.bin(value)
        {
            bin.add(value);
            self.sum += value;
            self.note_moments(value);
            self.batches.add(value);
        } else {
            self.add_in_full(now, value, who);
        }
    }

    /// Count, mean, squares and extremes of the finite values with this one.
    #[inline]
    fn note_moments(&mut self, value: f64) {
        self.finite += 1.0;
        let step = value - self.mean;
        self.mean += step / self.finite;
        self.squares += step * (value - self.mean);
        if value < self.least {
            self.least = value;
        }
        if value > self.greatest {
            self.greatest = value;
        }
    }

    /// Any value, at any time.
    #[cold]
    #[inline(never)]
    fn add_in_full(&mut self, now: f64, value: f64, who: impl FnOnce() -> (u64, u32)) {
        if now < self.warmup {
            return;
        }
        self.sum += value;
        if value.is_finite() {
            self.note_moments(value);
        } else {
            self.nonfinite += 1;
        }
        self.batches.add(value);
        self.histogram.add(value);
        let (serial, turn) = who();
        let lists = [&mut self.samples, &mut self.kept];
        lists.into_iter().flatten().for_each(|list| list.push((now, serial, turn, value)));
    }

    /// The row of the report.
    ///
    /// Mean, interval and squared coefficient of variation are `None` when a value was not finite;
    /// least and greatest are of the finite values.
    pub fn row(&self, name: &str, _end: f64) -> ObserveRow {
        let values = self.values();
        let count = self.finite as u64 + self.nonfinite;
        let n = count as f64;
        let mean = Some(self.sum / n).filter(|m| m.is_finite());
        let cv2 = mean.filter(|&m| count > 1 && m != 0.0).map(|m| self.squares / (n - 1.0) / m / m);
        let batches = match &self.samples {
            Some(_) => values.as_deref().and_then(batch::interval),
            None => self.batches.interval(),
        };
        let sorted = values.map(|mut v| {
            v.sort_by(|a, b| sort_key(*a).total_cmp(&sort_key(*b)));
            v
        });
        let ranks = [0.50, 0.90, 0.95, 0.99];
        let mut of_bins = sorted.is_none().then(|| self.histogram.quantiles(ranks));
        let [p50, p90, p95, p99] = ranks.map(|q| match (&sorted, &mut of_bins) {
            (Some(v), _) => exact_quantile(v, q),
            (None, quantiles) => quantiles.as_mut()?.next().flatten(),
        });
        ObserveRow {
            name: name.to_owned(),
            count,
            mean,
            ci: batches.map(|b| b.half_width),
            cv2: cv2.filter(|c| c.is_finite()),
            min: Some(self.least).filter(|x| x.is_finite()),
            max: Some(self.greatest).filter(|x| x.is_finite()),
            p50,
            p90,
            p95,
            p99,
            nonfinite: self.nonfinite,
            steady: false,
            samples: self.samples.clone(),
            kept: self.kept.clone(),
            correlation: batches.map(|b| b.correlation),
            transient: transient(&self.batches.means()),
            histogram: self.histogram.clone(),
            sorted,
        }
    }

    /// All values in order, where they are known.
    fn values(&self) -> Option<Vec<f64>> {
        match &self.samples {
            Some(samples) => Some(samples.iter().map(|s| s.3).collect()),
            None => self.batches.values().map(<[f64]>::to_vec),
        }
    }
}

/// NaN sorts first.
fn sort_key(x: f64) -> f64 {
    if x.is_nan() { f64::NEG_INFINITY } else { x }
}

/// Rank `ceil(q n)` of `n` values, 1 the first.
pub fn rank_of(q: f64, n: u64) -> u64 {
    ((q * n as f64).ceil() as u64).clamp(1, n.max(1))
}

/// The value of rank `ceil(q n)` of sorted values; `None` of nothing, or when it is not finite.
pub(crate) fn exact_quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let at = rank_of(q, sorted.len() as u64) as usize - 1;
    sorted.get(at).copied().filter(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(samples: bool) -> Settings {
        Settings {
            seed: 1,
            horizon: 100.0,
            warmup: 10.0,
            arrivals: None,
            samples,
            strict: false,
            trace: None,
            plain_engine: false,
            look: Default::default(),
        }
    }

    fn observe(values: impl IntoIterator<Item = f64>, samples: bool) -> ObserveRow {
        let mut o = Observation::new(&settings(samples));
        values.into_iter().for_each(|x| o.add(20.0, 0, 1, x));
        o.row("x", 100.0)
    }

    #[test]
    fn the_quantile_is_the_value_of_rank_ceil_q_n() {
        for samples in [false, true] {
            let r = observe((1..=100).rev().map(f64::from), samples);
            assert_eq!(
                (r.p50, r.p90, r.p95, r.p99),
                (Some(50.0), Some(90.0), Some(95.0), Some(99.0))
            );
            let r = observe((1..=7).map(f64::from), samples);
            assert_eq!((r.p50, r.p90, r.p99), (Some(4.0), Some(7.0), Some(7.0)));
        }
        assert_eq!(
            (rank_of(0.99, 101), rank_of(0.0, 5), rank_of(1.0, 5), rank_of(0.5, 0)),
            (100, 1, 5, 1)
        );
    }

    #[test]
    fn cv2_is_the_sample_variance_over_the_squared_mean() {
        // 1, 4: mean 2.5, sample variance 4.5.
        assert_eq!(observe([1.0, 4.0], false).cv2, Some(4.5 / 2.5 / 2.5));
        assert_eq!(observe([1.0], false).cv2, None, "of one value");
        assert_eq!(observe([-1.0, 1.0], false).cv2, None, "of mean 0");
        assert_eq!(observe([5.0; 12], false).cv2, Some(0.0));
    }

    #[test]
    fn cv2_keeps_its_digits_far_from_zero() {
        let cv2 = observe((0..1000).map(|i| 1e9 + f64::from(i % 2)), false).cv2.unwrap();
        assert!((cv2 / (0.25 * 1000.0 / 999.0 / 1e18) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn nothing_before_the_warmup_counts() {
        let mut o = Observation::new(&settings(true));
        o.add(9.99, 0, 1, 5.0);
        o.add(10.0, 3, 2, 7.0);
        let r = o.row("x", 100.0);
        assert_eq!((r.count, r.mean, r.samples), (1, Some(7.0), Some(vec![(10.0, 3, 2, 7.0)])));
    }

    #[test]
    fn values_that_are_not_finite_are_counted_and_leave_no_mean() {
        let r = observe([1.0, f64::INFINITY, f64::NAN, 3.0], false);
        assert_eq!((r.count, r.nonfinite, r.mean, r.ci, r.cv2), (4, 2, None, None, None));
        assert_eq!((r.min, r.max, r.p50, r.p99), (Some(1.0), Some(3.0), Some(1.0), None));
    }

    #[test]
    fn of_nothing_everything_is_none() {
        let r = observe([], false);
        assert_eq!(
            (r.count, r.mean, r.ci, r.cv2, r.min, r.p50, r.p99),
            (0, None, None, None, None, None, None)
        );
    }

    #[test]
    fn long_runs_without_samples_stay_within_the_histograms_bound() {
        let value = |i: u64| 0.01 + (i * 7919 % 10_007) as f64 * 1e-4;
        let (exact, flat) =
            (observe((0..50_000).map(value), true), observe((0..50_000).map(value), false));
        assert_eq!((exact.mean, exact.min, exact.max), (flat.mean, flat.min, flat.max));
        for (e, f) in [(exact.p50, flat.p50), (exact.p90, flat.p90), (exact.p99, flat.p99)] {
            assert!((f.unwrap() / e.unwrap() - 1.0).abs() <= 1.0 / 128.0);
        }
        assert!(flat.sorted.is_none() && exact.sorted.is_some());
    }
}
