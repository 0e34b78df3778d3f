//! Where a run's transient ends, and whether a measurement that did not wait for it is off.
//!
//! In: values in order (observed values, or means over equal windows). Out: how much of the beginning
//! does not belong to the rest. The place is MSER-5's (White, Cobb and Spratt, Winter Simulation
//! Conference 2000): means of five values, and the cut that makes the standard error of what is left
//! least. MSER alone cuts something off most stationary series as well; so what it cuts counts only if
//! it lies far outside what the rest does over stretches of the same length, and moves the mean.

/// Values of one mean.
const GROUP: usize = 5;
/// The least number of means.
const LEAST: usize = 20;
/// The least number of stretches of the rest that the beginning is held against.
const STRETCHES: usize = 3;
/// How far the beginning lies from the rest's mean, in standard deviations of the rest's stretches: so
/// many if there are many of them, and more if there are few, as they know their deviation less well.
const FAR: f64 = 5.0;
const FEWER: f64 = 4.0;
/// A beginning above the rest must lie farther from it by this factor, and beside so many stretches: bursts
/// are high too.
const BURST: (f64, usize) = (2.5, 8);
/// A rest this small, as a part of the greatest mean, is what rounding left of nothing: all had ended.
const NOTHING: f64 = 1e-9;
/// The part of the rest's mean by which the whole mean is off.
const OFF: f64 = 0.02;

/// A beginning that does not belong to the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Transient {
    /// The part of the values that it takes, above 0 and at most 1/4.
    pub part: f64,
    /// Mean of those values.
    pub before: f64,
    /// Mean of the rest.
    pub after: f64,
    /// By how much the mean of all is off, as a part of the rest's.
    pub off: f64,
}

/// The transient that `values` begin with, if they do.
pub(crate) fn transient(values: &[f64]) -> Option<Transient> {
    let means: Vec<f64> = values.chunks_exact(GROUP).map(mean).collect();
    if means.len() < LEAST || means.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let cut = cut(&means);
    let (begin, rest) = means.split_at(cut);
    if cut == 0 || rest.len() / cut < STRETCHES {
        return None;
    }
    let (before, after) = (mean(begin), mean(rest));
    let greatest = means.iter().fold(0.0, |greatest: f64, x| greatest.max(x.abs()));
    if after.abs() <= NOTHING * greatest {
        return None;
    }
    let others: Vec<f64> = rest.chunks_exact(cut).map(mean).collect();
    let free = (others.len() - 1) as f64;
    let squares: f64 = others.iter().map(|x| (x - after) * (x - after)).sum();
    let burst = if before > after { BURST } else { (1.0, 0) };
    let far = burst.0 * FAR * (1.0 + FEWER / free) * (squares / free).sqrt();
    let off = (mean(&means) - after).abs() / after.abs();
    ((before - after).abs() > far && off > OFF && others.len() >= burst.1).then_some(Transient {
        part: cut as f64 / means.len() as f64,
        before,
        after,
        off,
    })
}

/// How many of the means MSER leaves out: of the first half of all cuts, the one after which the sum of
/// squared deviations over the squared number of means is least.
fn cut(means: &[f64]) -> usize {
    let (mut sum, mut squares, mut n) = (0.0, 0.0, 0.0);
    let mut best = (f64::INFINITY, 0);
    // A shift keeps digits where values are large and vary little.
    let shift = mean(means);
    for (i, x) in means.iter().enumerate().rev() {
        let x = x - shift;
        n += 1.0;
        sum += x;
        squares += x * x;
        let error = (squares - sum * sum / n).max(0.0) / (n * n);
        if i <= means.len() / 2 && error <= best.0 {
            best = (error, i);
        }
    }
    best.1
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Stream, StreamKind};

    /// Times in an M/M/1 queue of service rate 1 that starts empty, of those who leave within `horizon`.
    fn mm1(load: f64, horizon: f64, seed: u64) -> Vec<f64> {
        let mut rng = Stream::new(seed, StreamKind::Machine, 0, 0);
        let (mut arrival, mut free, mut times) = (0.0f64, 0.0f64, Vec::new());
        loop {
            arrival += rng.exp(1.0 / load);
            free = free.max(arrival) + rng.exp(1.0);
            if free > horizon {
                return times;
            }
            times.push(free - arrival);
        }
    }

    #[test]
    fn stationary_queues_are_said_to_be_none_of_it() {
        for (load, horizon) in [(0.9, 3000.0), (0.9, 20_000.0), (0.5, 3000.0), (0.95, 5000.0)] {
            let said = (0..300).filter(|s| transient(&mm1(load, horizon, *s)).is_some()).count();
            assert_eq!(said, 0, "{load} {horizon}");
        }
    }

    /// A level with noise around it that remembers, after a ramp over a part of the values.
    fn ramp(part: f64, from: f64, seed: u64) -> Vec<f64> {
        let mut rng = Stream::new(seed, StreamKind::Machine, 1, 0);
        let (n, mut noise) = (2500.0, 0.0);
        let value = |i: u32| {
            noise = 0.9 * noise + 0.3 * (rng.exp(1.0) - 1.0);
            10.0 + (from - 10.0) * (1.0 - f64::from(i) / (part * n)).max(0.0) + noise
        };
        (0..n as u32).map(value).collect()
    }

    #[test]
    fn a_beginning_that_is_no_part_of_the_rest_is_found() {
        for part in [0.1, 0.15, 0.2] {
            let found: Vec<Transient> =
                (0..100).filter_map(|s| transient(&ramp(part, 2.0, s))).collect();
            assert!(found.len() >= 95, "{part}: {}", found.len());
            let near = found.iter().filter(|t| t.part > part / 3.0 && t.part < 1.3 * part);
            assert!(near.count() >= 90, "{part}");
            assert!(found.iter().all(|t| t.before < t.after && t.off > OFF), "{part}");
        }
    }

    #[test]
    fn the_cut_is_where_the_error_of_the_rest_is_least() {
        let mut means = [5.0; 40];
        means[..4].copy_from_slice(&[50.0, 40.0, 30.0, 20.0]);
        (4..40).for_each(|i| means[i] += (i % 2) as f64);
        assert_eq!(cut(&means), 4);
        assert_eq!(cut(&[1.0; 40]), 0, "nothing to cut");
    }

    #[test]
    fn few_values_and_values_that_are_not_finite_say_nothing() {
        assert_eq!(transient(&[0.0; 99]), None);
        let mut values = ramp(0.1, 2.0, 1);
        assert!(transient(&values).is_some());
        values[700] = f64::INFINITY;
        assert_eq!(transient(&values), None);
    }
}
