//! Ratios of CPU time over pairs of runs, and how far they spread.

use crate::cases::{Case, Goal, Rival};
use serde::Serialize;

/// One case against one rival.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub case: &'static str,
    pub rival: &'static str,
    /// Pairs of runs.
    pub pairs: usize,
    /// Our CPU seconds, the median.
    pub ours: f64,
    /// The rival's.
    pub theirs: f64,
    /// Ours over the rival's, pair by pair.
    pub ratio: Quartiles,
    pub goal: Option<Goal>,
}

impl Row {
    /// Whether the median ratio is as it should be.
    pub fn holds(&self) -> Option<bool> {
        self.goal.map(|goal| match goal {
            Goal::AtMost(most) => self.ratio.median <= most,
            Goal::AtLeast(least) => 1.0 / self.ratio.median >= least,
        })
    }
}

/// The middle of some numbers and where their quarters end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Quartiles {
    pub lower: f64,
    pub median: f64,
    pub upper: f64,
}

impl Quartiles {
    /// By linear interpolation between the sorted numbers; NaN when there is none.
    pub fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |q: f64| {
            let place = q * sorted.len().saturating_sub(1) as f64;
            let (below, above) = (place.floor() as usize, place.ceil() as usize);
            match (sorted.get(below), sorted.get(above)) {
                (Some(a), Some(b)) => a + (b - a) * place.fract(),
                _ => f64::NAN,
            }
        };
        Self { lower: at(0.25), median: at(0.5), upper: at(0.75) }
    }
}

/// Runs ours and the rival alternately, a seed for each pair.
///
/// # Errors
/// A run failed.
pub(crate) fn measure(
    case: &Case,
    rival: &Rival,
    pairs: Option<usize>,
    quick: bool,
) -> Result<Row, String> {
    let pairs = pairs.unwrap_or(if quick { 3 } else { 9 }).max(1);
    let pairs = if rival.slow { pairs.min(3) } else { pairs };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for seed in 1..=pairs as u64 {
        ours.push(case.line.run(seed)?.cpu);
        theirs.push(rival.line.run(seed)?.cpu);
    }
    let ratios: Vec<f64> = ours.iter().zip(&theirs).map(|(a, b)| a / b).collect();
    Ok(Row {
        case: case.name,
        rival: rival.name,
        pairs,
        ours: Quartiles::of(&ours).median,
        theirs: Quartiles::of(&theirs).median,
        ratio: Quartiles::of(&ratios),
        goal: rival.goal,
    })
}

#[cfg(test)]
mod tests {
    use super::Quartiles;

    #[test]
    fn quartiles_lie_between_the_numbers() {
        let q = Quartiles::of(&[4.0, 1.0, 3.0, 2.0, 5.0]);
        assert_eq!(q, Quartiles { lower: 2.0, median: 3.0, upper: 4.0 });
        assert_eq!(Quartiles::of(&[1.0, 2.0]).median, 1.5);
        assert!(Quartiles::of(&[]).median.is_nan());
    }
}
