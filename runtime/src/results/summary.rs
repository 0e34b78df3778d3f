//! What the runs of each point say together: counts, means and intervals.

use std::collections::BTreeMap;

use super::{
    grid::Key,
    points::{Above, PointState},
    record::Record,
};
use crate::stats::student_t_975;

/// The names of metrics, in the order in which they were first met.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The names.
    pub names: Vec<String>,
}

impl Columns {
    /// Whether all metrics of a run have columns; those that had none have one now.
    pub(super) fn take(&mut self, record: &Record) -> bool {
        let same = record.metrics.len() == self.names.len()
            && record.metrics.iter().zip(&self.names).all(|(m, n)| m.name == *n);
        if same {
            return true;
        }
        let before = self.names.len();
        for metric in &record.metrics {
            if !self.names.contains(&metric.name) {
                self.names.push(metric.name.clone());
            }
        }
        self.names.len() == before
    }

    /// A run's numbers in the columns' order.
    pub(super) fn values(&self, record: &Record) -> Vec<Option<f64>> {
        let at = |(i, name): (usize, &String)| {
            let here = record.metrics.get(i).filter(|m| m.name == *name);
            here.or_else(|| record.metrics.iter().find(|m| m.name == *name))?.value
        };
        self.names.iter().enumerate().map(at).collect()
    }
}

/// The mean over runs, and half of its 95 % interval by Student's t, of two runs or more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half of the interval.
    pub half_width: Option<f64>,
}

/// The runs of one point together.
#[derive(Clone, Debug, PartialEq)]
pub struct PointRow {
    /// The swept settings' values.
    pub values: Vec<f64>,
    /// Whether all runs are there.
    pub state: PointState,
    /// Runs that are there.
    pub runs: usize,
    /// Runs that should be.
    pub wanted: usize,
    /// Runs that an error stopped; they are in no mean.
    pub errors: usize,
    /// Runs with a queue that only grew.
    pub not_stationary: usize,
    /// By column.
    pub estimates: Vec<Option<Estimate>>,
}

#[derive(Debug, Default)]
struct Counts {
    wanted: usize,
    runs: usize,
    errors: usize,
    not_stationary: usize,
    sums: Vec<Moments>,
}

/// Mean and squares about it, value by value (Welford, Technometrics 4, 1962).
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    n: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, x: f64) {
        self.n += 1;
        let off = x - self.mean;
        self.mean += off / self.n as f64;
        self.squares += off * (x - self.mean);
    }
}

/// All points, while runs are added in order.
#[derive(Debug, Default)]
pub struct Summary {
    /// The metrics.
    pub columns: Columns,
    points: BTreeMap<Key, Counts>,
}

impl Summary {
    /// No run yet of those that are wanted.
    pub fn new(wanted: &[Key]) -> Self {
        let mut summary = Summary::default();
        for key in wanted {
            summary.points.entry(key.point()).or_default().wanted += 1;
        }
        summary
    }

    /// One more run.
    pub fn take(&mut self, record: &Record) {
        self.columns.take(record);
        let row = self.points.entry(record.key.point()).or_default();
        row.runs += 1;
        row.errors += usize::from(record.error.is_some());
        row.not_stationary += usize::from(!record.stationary);
        row.sums.resize(self.columns.names.len(), Moments::default());
        // What an error cut short is no sample of the others' kind.
        if record.error.is_none() {
            for (sum, x) in row.sums.iter_mut().zip(self.columns.values(record)) {
                x.into_iter().for_each(|x| sum.add(x));
            }
        }
    }

    /// The points in order, given what is above saturation.
    pub fn rows(&self, above: &Above) -> Vec<PointRow> {
        // Student's t by number of values.
        let mut t: BTreeMap<u64, f64> = BTreeMap::new();
        let above: std::collections::BTreeSet<Key> = above.iter().map(Key::point).collect();
        let row = |(key, c): (&Key, &Counts)| PointRow {
            values: key.values(),
            state: match (above.contains(key), c.runs < c.wanted) {
                (true, _) => PointState::Above,
                (false, true) => PointState::Missing,
                (false, false) => PointState::Complete,
            },
            runs: c.runs,
            wanted: c.wanted,
            errors: c.errors,
            not_stationary: c.not_stationary,
            estimates: (0..self.columns.names.len())
                .map(|i| estimate(c.sums.get(i).copied()?, &mut t))
                .collect(),
        };
        self.points.iter().map(row).collect()
    }
}

fn estimate(m: Moments, t: &mut BTreeMap<u64, f64>) -> Option<Estimate> {
    let half_width = (m.n > 1).then(|| {
        let t = *t.entry(m.n).or_insert_with(|| student_t_975(m.n - 1));
        let n = m.n as f64;
        t * (m.squares / (n - 1.0) / n).sqrt()
    });
    (m.n > 0).then_some(Estimate { mean: m.mean, half_width })
}

#[cfg(test)]
mod tests {
    use super::{super::metrics::Metric, *};

    #[test]
    fn means_and_intervals_over_the_runs_of_a_point() {
        let keys: Vec<Key> = (1..=5).map(|seed| Key::new(&[2.0], seed)).collect();
        let mut summary = Summary::new(&keys);
        for (key, x) in keys.iter().zip([1.0, 2.0, 3.0, f64::NAN]) {
            let value = Some(x).filter(|x| !x.is_nan());
            summary.take(&Record {
                key: key.clone(),
                stationary: key.seed != 2,
                error: value.is_none().then(|| "S302".to_owned()),
                metrics: vec![Metric { name: "x".into(), value }],
            });
        }
        let rows = summary.rows(&Above::new());
        let row = &rows[0];
        assert_eq!((row.state, row.runs, row.wanted), (PointState::Missing, 4, 5));
        assert_eq!((row.errors, row.not_stationary), (1, 1));
        let estimate = row.estimates[0].unwrap();
        assert_eq!(estimate.mean, 2.0);
        // 1, 2, 3: s = 1, t(2) = 4.3027, half width 4.3027 / sqrt(3).
        assert!((estimate.half_width.unwrap() - 2.484_138).abs() < 1e-5);
    }
}
