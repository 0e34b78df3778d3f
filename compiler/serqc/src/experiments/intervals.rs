//! Means and differences of means, with intervals.
//!
//! Runs are independent, so the mean over n of them has the interval m ± t s / √n with Student's t at
//! n − 1 degrees of freedom (Law and Kelton, Simulation Modeling and Analysis, section 4.5). Two settings
//! that ran with the same seeds are compared by the differences of their runs (common random numbers,
//! section 11.2); with other seeds by Welch's interval (Biometrika 34, 1947). Several intervals hold at
//! once when each is at the level 1 − α / k (Bonferroni).

use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Values of a metric by seed.
pub type Runs = BTreeMap<u64, f64>;

/// An estimated mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean over runs, or the difference of two.
    pub mean: f64,
    /// Half of its interval; infinite when there are too few runs for one.
    pub half_width: f64,
    /// The runs that it is made of (the fewer of two settings').
    pub runs: usize,
}

impl Estimate {
    /// Whether the interval leaves out 0.
    pub fn is_apart(&self) -> bool {
        self.mean.abs() > self.half_width
    }
    /// The interval's lower end.
    pub fn low(&self) -> f64 {
        self.mean - self.half_width
    }
    /// The interval's upper end.
    pub fn high(&self) -> f64 {
        self.mean + self.half_width
    }
}

/// The value that Student's t with so many degrees of freedom exceeds in absolute value with
/// probability `alpha`.
pub fn student(alpha: f64, degrees: f64) -> f64 {
    if degrees < 1.0 {
        return f64::INFINITY;
    }
    // The distribution is made with valid parameters.
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::INFINITY, |t| -t.inverse_cdf(alpha / 2.0))
}

/// Mean and sample variance.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    (mean, squares / (n - 1.0))
}

/// The mean of independent values; the interval holds with probability 1 − `alpha`.
pub fn mean(values: &[f64], alpha: f64) -> Option<Estimate> {
    let n = values.len();
    if n < 2 {
        let mean = *values.first()?;
        return Some(Estimate { mean, half_width: f64::INFINITY, runs: n });
    }
    let (mean, variance) = moments(values);
    let half_width = half(alpha, (n - 1) as f64, variance / n as f64);
    Some(Estimate { mean, half_width, runs: n })
}

/// A quantile times the root of a variance, where runs that never vary need no quantile.
fn half(alpha: f64, degrees: f64, variance: f64) -> f64 {
    if variance > 0.0 { student(alpha, degrees) * variance.sqrt() } else { 0.0 }
}

/// How two settings were compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Run by run over their common seeds.
    Common,
    /// As independent samples: they have few seeds in common.
    Apart,
}

/// The difference `a` − `b` of two settings' means; `None` when one has no run.
///
/// Which of the two ways is taken depends on the seeds alone: with at least two in common, and at least
/// half of those of the setting that has fewer, the runs are paired.
pub fn difference(a: &Runs, b: &Runs, alpha: f64) -> Option<(Estimate, Pairing)> {
    let common: Vec<f64> = a.iter().filter_map(|(seed, x)| Some(x - b.get(seed)?)).collect();
    if common.len() >= 2 && 2 * common.len() >= a.len().min(b.len()) {
        return Some((mean(&common, alpha)?, Pairing::Common));
    }
    let values = |runs: &Runs| runs.values().copied().collect::<Vec<_>>();
    Some((welch(&values(a), &values(b), alpha)?, Pairing::Apart))
}

/// Welch's interval for a difference of means of independent samples.
fn welch(a: &[f64], b: &[f64], alpha: f64) -> Option<Estimate> {
    let runs = a.len().min(b.len());
    let mean_of = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    if runs < 2 {
        let apart = Estimate { mean: mean_of(a) - mean_of(b), half_width: f64::INFINITY, runs };
        return (runs > 0).then_some(apart);
    }
    let ((mean_a, var_a), (mean_b, var_b)) = (moments(a), moments(b));
    let (n, m) = (a.len() as f64, b.len() as f64);
    let (u, v) = (var_a / n, var_b / m);
    // Welch and Satterthwaite's degrees of freedom.
    let degrees = (u + v) * (u + v) / (u * u / (n - 1.0) + v * v / (m - 1.0));
    Some(Estimate { mean: mean_a - mean_b, half_width: half(alpha, degrees, u + v), runs })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_t_at_several_levels() {
        for (alpha, degrees, t) in
            [(0.05, 9.0, 2.262), (0.05, 1.0, 12.706), (0.01, 20.0, 2.845), (0.001, 4.0, 8.610)]
        {
            assert!((student(alpha, degrees) - t).abs() < 1e-3, "{alpha} {degrees}");
        }
        assert_eq!(student(0.05, 0.0), f64::INFINITY);
    }

    #[test]
    fn pairs_take_out_what_seeds_share() {
        let noise = [3.0, -7.0, 11.0, 0.5, -2.0];
        let a: Runs = (1..).zip(noise).collect();
        let b: Runs = (1..).zip(noise.map(|x| x + 1.0)).collect();
        let (paired, how) = difference(&b, &a, 0.05).unwrap();
        assert_eq!(how, Pairing::Common);
        assert!((paired.mean - 1.0).abs() < 1e-12 && paired.half_width < 1e-9);
        let elsewhere: Runs = (101..).zip(noise.map(|x| x + 1.0)).collect();
        let (apart, how) = difference(&elsewhere, &a, 0.05).unwrap();
        assert_eq!(how, Pairing::Apart);
        assert!(!apart.is_apart() && (apart.mean - 1.0).abs() < 1e-12);
    }

    #[test]
    fn welch_by_hand() {
        // Variances 1 and 4 over 3 and 3: degrees (5/3)^2 / ((1/3)^2/2 + (4/3)^2/2) = 2.941.
        let e = welch(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0], 0.05).unwrap();
        assert_eq!(e.mean, -2.0);
        let want = student(0.05, 50.0 / 17.0) * (5.0f64 / 3.0).sqrt();
        assert!((e.half_width - want).abs() < 1e-12);
    }

    #[test]
    fn one_run_says_nothing_of_its_spread() {
        assert_eq!(mean(&[4.0], 0.05).unwrap().half_width, f64::INFINITY);
        assert_eq!(mean(&[], 0.05), None);
        let one: Runs = [(1, 2.0)].into();
        assert!(!difference(&one, &one, 0.05).unwrap().0.is_apart());
    }

    #[test]
    fn runs_that_never_vary_differ_as_they_are() {
        let a: Runs = (1..=3).map(|s| (s, 1.0)).collect();
        let b: Runs = (1..=3).map(|s| (s, 2.0)).collect();
        assert!(difference(&a, &b, 0.05).unwrap().0.is_apart());
        assert!(!difference(&a, &a, 0.05).unwrap().0.is_apart());
    }
}
