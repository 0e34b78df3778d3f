//! Several runs as one: quantiles of all their values, and what their means say together.

use super::ObserveRow;
use crate::stats::{LogHistogram, exact_quantile, t_interval};

/// All values of one observation over all runs.
pub(super) enum Values {
    /// Every value, upwards.
    Known(Vec<f64>),
    /// Within 0.8 %.
    Histogram(LogHistogram),
}

impl Values {
    pub(super) fn of<'a>(rows: impl Iterator<Item = &'a ObserveRow> + Clone) -> Self {
        if let Some(known) = rows.clone().map(|r| r.sorted.as_deref()).collect::<Option<Vec<_>>>() {
            let mut all = known.concat();
            all.sort_by(f64::total_cmp);
            return Self::Known(all);
        }
        let mut all = LogHistogram::new();
        rows.for_each(|r| all.merge(&r.histogram));
        Self::Histogram(all)
    }

    /// The value of rank `ceil(q n)`.
    pub(super) fn quantile(&self, q: f64) -> Option<f64> {
        match self {
            Self::Known(sorted) => exact_quantile(sorted, q),
            Self::Histogram(h) => h.quantile(q),
        }
    }

    /// How the values spread from the 1 % to the 99 % quantile, as a line of blocks.
    pub(super) fn picture(&self) -> String {
        const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        const WIDTH: usize = 10;
        const POINTS: usize = 490;
        let ranks = (0..=POINTS).map(|i| 0.01 + 0.98 * i as f64 / POINTS as f64);
        let points = match self {
            Self::Known(sorted) => ranks.map(|q| exact_quantile(sorted, q)).collect(),
            Self::Histogram(h) => h.quantiles(ranks).collect(),
        };
        let Some(points): Option<Vec<f64>> = points else { return String::new() };
        let (low, high) = (points[0], points[POINTS]);
        if low >= high {
            return String::new();
        }
        let mut bars = [0usize; WIDTH];
        for x in points {
            bars[(((x - low) / (high - low) * WIDTH as f64) as usize).min(WIDTH - 1)] += 1;
        }
        let tallest = bars.into_iter().max().unwrap_or(1);
        bars.iter()
            .map(|&n| if n == 0 { ' ' } else { BLOCKS[(n * 8).div_ceil(tallest) - 1] })
            .collect()
    }
}

/// What independent runs say of one quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub mean: f64,
    /// Half width of the 95 % interval by Student's t; `None` of one run.
    pub half_width: Option<f64>,
    pub median: f64,
    pub least: f64,
    pub greatest: f64,
}

impl Spread {
    /// `None` when no run has a value.
    pub(super) fn of(values: impl Iterator<Item = Option<f64>>) -> Option<Self> {
        let given: Vec<f64> = values.flatten().collect();
        let mut sorted = given.clone();
        sorted.sort_by(f64::total_cmp);
        let (least, greatest) = (*sorted.first()?, *sorted.last()?);
        let n = sorted.len();
        Some(Self {
            mean: mean(&given)?,
            half_width: t_interval(&given),
            median: 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]),
            least,
            greatest,
        })
    }
}

/// Mean of what is there.
pub(super) fn mean_of(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    mean(&values.flatten().collect::<Vec<_>>())
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::{super::sample::report, *};

    #[test]
    fn mean_interval_median_and_range_over_runs() {
        let s = Spread::of([Some(3.0), Some(1.0), None, Some(2.0)].into_iter()).unwrap();
        assert_eq!((s.mean, s.median, s.least, s.greatest), (2.0, 2.0, 1.0, 3.0));
        assert!((s.half_width.unwrap() - 2.484_138).abs() < 1e-5);
        assert_eq!(Spread::of([Some(1.0), Some(2.0)].into_iter()).unwrap().median, 1.5);
        assert_eq!(Spread::of([Some(1.0)].into_iter()).unwrap().half_width, None);
        assert_eq!(Spread::of([None].into_iter()), None);
    }

    #[test]
    fn quantiles_over_runs_are_of_all_their_values() {
        let runs = [report(1, true), report(2, true)];
        let exact = Values::of(runs.iter().map(|r| &r.observes[0]));
        let flat = {
            let mut rows: Vec<_> = runs.iter().map(|r| r.observes[0].clone()).collect();
            rows[0].sorted = None;
            Values::of(rows.iter())
        };
        let mut all: Vec<f64> =
            runs.iter().flat_map(|r| r.observes[0].sorted.clone().unwrap()).collect();
        all.sort_by(f64::total_cmp);
        for q in [0.5, 0.9, 0.99] {
            let want = all[(q * all.len() as f64).ceil() as usize - 1];
            assert_eq!(exact.quantile(q), Some(want));
            assert!((flat.quantile(q).unwrap() / want - 1.0).abs() < 1.0 / 128.0);
        }
    }

    #[test]
    fn the_picture_has_ten_blocks_and_none_for_a_constant() {
        assert_eq!(Values::Known((0..1000).map(f64::from).collect()).picture().chars().count(), 10);
        assert_eq!(Values::Known(vec![2.0; 50]).picture(), "");
        assert_eq!(Values::Known(Vec::new()).picture(), "");
    }
}
