//! Settings in the order of a metric, and which of them cannot be told apart.
//!
//! Every pair of settings in every table is compared, so each interval is at the level 1 − α / (number of
//! pairs): with probability 1 − α none of the differences that are told is none.

use super::intervals::{self, Estimate, Pairing};
use super::samples::{Point, Samples};

/// What is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Less of the metric.
    Lower,
    /// More of it.
    Higher,
}

/// A setting with its place.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// Values of the settings that are compared.
    pub values: Vec<f64>,
    /// Runs with a value.
    pub runs: usize,
    /// The mean over them, with an interval of its own.
    pub mean: Estimate,
    /// How far it is from the first, with an interval that holds together with all others; none of the
    /// first itself.
    pub to_best: Option<(Estimate, Pairing)>,
    /// Places (from 0) of the settings that it cannot be told apart from.
    pub alike: Vec<usize>,
    /// What its runs say of the load.
    pub saturated: bool,
    /// Runs left out: stopped on an error, or without a value.
    pub left_out: usize,
}

/// Settings that differ in what is compared alone, best first.
#[derive(Clone, Debug)]
pub struct Table {
    /// The other settings' names and values.
    pub at: Vec<(String, f64)>,
    /// The settings, best first.
    pub rows: Vec<Ranked>,
}

/// A point without a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Unranked {
    /// The values of all swept settings.
    pub values: Vec<f64>,
    /// Its runs, and those of them that an error stopped.
    pub runs: usize,
    /// See there.
    pub errors: usize,
}

/// A comparison.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// The settings that are compared.
    pub by: Vec<String>,
    /// One per combination of the others.
    pub tables: Vec<Table>,
    /// Points of which no run has a value.
    pub unranked: Vec<Unranked>,
    /// Differences with an interval.
    pub pairs: usize,
}

/// Other settings' values, and the points that have them.
type Group<'a> = (Vec<(String, f64)>, Vec<&'a Point>);

/// Ranks the points by metric number `metric`; settings that `by` does not name make a table each.
pub fn rank(samples: &Samples, by: &[usize], metric: usize, better: Better, alpha: f64) -> Ranking {
    let mut groups: Vec<Group> = Vec::new();
    for point in samples.points.iter().filter(|p| !p.runs[metric].is_empty()) {
        let others = (0..samples.swept.len()).filter(|i| !by.contains(i));
        let at: Vec<(String, f64)> =
            others.map(|i| (samples.swept[i].clone(), point.values[i])).collect();
        match groups.iter_mut().find(|(there, _)| *there == at) {
            Some((_, points)) => points.push(point),
            None => groups.push((at, vec![point])),
        }
    }
    let pairs: usize = groups.iter().map(|(_, g)| g.len() * (g.len() - 1) / 2).sum();
    let level = alpha / pairs.max(1) as f64;
    let table =
        |(at, points): Group| Table { at, rows: rows(points, by, metric, better, alpha, level) };
    Ranking {
        by: by.iter().map(|i| samples.swept[*i].clone()).collect(),
        tables: groups.into_iter().map(table).collect(),
        unranked: samples.points.iter().filter_map(|p| unranked(p, metric)).collect(),
        pairs,
    }
}

/// A point whose runs have no value, as one.
fn unranked(point: &Point, metric: usize) -> Option<Unranked> {
    let Point { values, count: runs, errors, .. } = point.clone();
    point.runs[metric].is_empty().then_some(Unranked { values, runs, errors })
}

fn rows(
    mut points: Vec<&Point>,
    by: &[usize],
    metric: usize,
    better: Better,
    alpha: f64,
    level: f64,
) -> Vec<Ranked> {
    let values = |p: &Point| p.runs[metric].values().copied().collect::<Vec<_>>();
    let mean = |p: &Point| intervals::mean(&values(p), alpha);
    let sort = |p: &&Point| {
        let mean = mean(p).map_or(f64::INFINITY, |e| e.mean);
        // What has no steady state comes behind what has one.
        (p.saturated(), if better == Better::Lower { mean } else { -mean })
    };
    points.sort_by(|a, b| {
        let ((sat_a, a), (sat_b, b)) = (sort(a), sort(b));
        sat_a.cmp(&sat_b).then(a.total_cmp(&b))
    });
    let compare = |i: usize, j: usize| {
        intervals::difference(&points[i].runs[metric], &points[j].runs[metric], level)
    };
    let alike = |i: usize| {
        let others = (0..points.len()).filter(|j| *j != i);
        others.filter(|j| !compare(i, *j).is_some_and(|(d, _)| d.is_apart())).collect()
    };
    let row = |(i, p): (usize, &&Point)| {
        Some(Ranked {
            values: by.iter().map(|b| p.values[*b]).collect(),
            runs: p.runs[metric].len(),
            mean: mean(p)?,
            to_best: if i == 0 { None } else { compare(i, 0) },
            alike: alike(i),
            saturated: p.saturated(),
            left_out: p.count - p.runs[metric].len(),
        })
    };
    points.iter().enumerate().filter_map(row).collect()
}

impl Ranking {
    /// The widest interval of a difference to the first, and the first's mean there.
    pub fn widest(&self) -> Option<(f64, f64)> {
        let of = |table: &Table| {
            let best = table.rows.first()?.mean.mean;
            let widths = table.rows.iter().filter_map(|r| Some(r.to_best.as_ref()?.0.half_width));
            Some((widths.fold(0.0, f64::max), best))
        };
        let ratio = |(width, best): &(f64, f64)| width / best.abs();
        self.tables.iter().filter_map(of).max_by(|a, b| ratio(a).total_cmp(&ratio(b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::intervals::Runs;

    fn samples(points: &[(f64, f64, &[f64])]) -> Samples {
        let point = |(thr, load, values): &(f64, f64, &[f64])| Point {
            values: vec![*thr, *load],
            runs: vec![(1..).zip(values.iter().copied()).collect::<Runs>()],
            count: values.len(),
            ..Point::default()
        };
        Samples {
            swept: vec!["thr".into(), "load".into()],
            metrics: vec!["mean:x".into()],
            points: points.iter().map(point).collect(),
        }
    }

    #[test]
    fn each_combination_of_the_others_is_a_table() {
        let s = samples(&[
            (1.0, 0.5, &[5.0, 6.0, 5.5]),
            (2.0, 0.5, &[1.0, 2.1, 1.6]),
            (3.0, 0.5, &[1.1, 1.9, 1.6]),
            (1.0, 0.9, &[9.0, 9.5, 9.2]),
        ]);
        let r = rank(&s, &[0], 0, Better::Lower, 0.05);
        assert_eq!((r.tables.len(), r.pairs), (2, 3));
        let order: Vec<f64> = r.tables[0].rows.iter().map(|row| row.values[0]).collect();
        assert_eq!(order, [3.0, 2.0, 1.0]);
        assert_eq!(r.tables[0].rows[0].alike, [1]);
        assert_eq!(r.tables[0].rows[2].alike, [0; 0]);
        let r = rank(&s, &[0], 0, Better::Higher, 0.05);
        assert_eq!(r.tables[0].rows[0].values, [1.0]);
    }

    #[test]
    fn what_has_no_value_is_told_apart() {
        let mut s = samples(&[(1.0, 0.5, &[1.0, 1.1]), (2.0, 0.5, &[2.0, 2.2]), (3.0, 0.5, &[])]);
        (s.points[2].count, s.points[2].errors) = (4, 4);
        let r = rank(&s, &[0], 0, Better::Lower, 0.05);
        assert_eq!(r.tables[0].rows.len(), 2);
        assert_eq!(r.unranked, [Unranked { values: vec![3.0, 0.5], runs: 4, errors: 4 }]);
    }

    #[test]
    fn what_has_no_steady_state_comes_last() {
        let mut s = samples(&[(1.0, 0.5, &[1.0, 1.1]), (2.0, 0.5, &[2.0, 2.2])]);
        s.points[0].not_stationary = 2;
        let r = rank(&s, &[0], 0, Better::Lower, 0.05);
        assert_eq!(r.tables[0].rows[0].values, [2.0]);
        assert!(r.tables[0].rows[1].saturated);
    }
}
