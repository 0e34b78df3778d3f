//! Batch means: an interval for the mean of one run, and whether it can be believed.
//!
//! [`FineBatches`] keeps sums of equally many consecutive values in a fixed room: when the room is
//! full, neighbours are added up and batches have twice as many values from then on ("batches by
//! doubling"). The 20 batches of the report are made of these at the end. Short runs keep every value.

use std::borrow::Cow;

/// Batches of the interval.
pub const BATCHES: usize = 20;

/// 97.5 % point of Student's t with 19 degrees of freedom, to the digits that the report's definition has.
const T_19: f64 = 2.093;

/// What 20 batch means say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchMeans {
    /// Half width of the 95 % interval: 2.093 s / sqrt(20).
    pub half_width: f64,
    /// Lag-1 autocorrelation of the batch means; well above 0, the interval is too narrow. Where finer
    /// batches tell more of it than twenty means can, it is what they imply (`implied`).
    pub correlation: f64,
}

/// Finer batches in one of the twenty, most first.
const FINER: [usize; 4] = [16, 8, 4, 2];
/// What twenty independent means seldom correlate by (they do with a deviation of 0.22).
const BY_CHANCE: f64 = 0.4;
/// Finer batches in one of the twenty, at most.
pub(super) const FINEST: usize = FINER[0];

/// What 20 batches say, given equally many finer ones in each.
pub(super) fn with_finer(means: &[f64; BATCHES], finer: &[f64]) -> Option<BatchMeans> {
    let batches = batch_means(means)?;
    let per = finer.len() / BATCHES;
    let levels = FINER.into_iter().filter(|n| *n <= per && per.is_multiple_of(*n));
    let implied = levels.map(|n| implied(&joined(finer, per / n), n)).fold(f64::NAN, f64::max);
    let correlation = match implied.is_nan() {
        true => batches.correlation,
        false if batches.correlation > BY_CHANCE => batches.correlation.max(implied),
        false => implied,
    };
    Some(BatchMeans { correlation, ..batches })
}

/// Means of so many neighbours.
fn joined(values: &[f64], together: usize) -> Vec<f64> {
    values.chunks_exact(together).map(|c| c.iter().sum::<f64>() / together as f64).collect()
}

/// The lag-1 correlation that batches have whose parts, `parts` in each, correlate as these means do.
///
/// The correlation of a process that decays exponentially is known for batches of any length: (1 − e^-x)² /
/// 2 (x − 1 + e^-x), with x the batch in units of the decay. x is read off the finer means, which are many
/// and so tell it well, and multiplied. The estimate of the finer correlation is too low by (1 + 4 r) / n on
/// average (Marriott and Pope, Biometrika 41, 1954).
fn implied(means: &[f64], parts: usize) -> f64 {
    let n = means.len() as f64;
    let raw = lag_one(means);
    let corrected = raw + (1.0 + 4.0 * raw) / n;
    // So long a batch correlates by less than can be seen.
    let (mut low, mut high) = (1e-4, 1e4);
    if corrected <= decayed(high) {
        return 0.0;
    }
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if decayed(middle) > corrected { low = middle } else { high = middle }
    }
    decayed(low * parts as f64)
}

/// Lag-1 correlation of batches of an exponentially decaying process, `x` decay times long.
fn decayed(x: f64) -> f64 {
    let left = 1.0 - (-x).exp();
    // Below this the difference has lost its digits; the limit is 1 − 2 x / 3.
    if x < 1e-3 { 1.0 - 2.0 * x / 3.0 } else { left * left / (2.0 * (x - left)) }
}

fn lag_one(values: &[f64]) -> f64 {
    let centre = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|x| (x - centre) * (x - centre)).sum();
    let lagged: f64 = values.windows(2).map(|w| (w[0] - centre) * (w[1] - centre)).sum();
    if squares > 0.0 { lagged / squares } else { 0.0 }
}

/// The interval from the means of [`BATCHES`] batches; `None` when a mean is not finite.
pub fn batch_means(means: &[f64; BATCHES]) -> Option<BatchMeans> {
    let n = BATCHES as f64;
    let centre = means.iter().sum::<f64>() / n;
    let squares: f64 = means.iter().map(|x| (x - centre) * (x - centre)).sum();
    let half_width = T_19 * (squares / (n - 1.0) / n).sqrt();
    let correlation = lag_one(means);
    half_width.is_finite().then_some(BatchMeans { half_width, correlation })
}

/// Sums of consecutive values, at most [`FineBatches::ROOM`] of them.
#[derive(Clone, Debug)]
pub(super) struct FineBatches {
    /// Room for all: sums of full batches, then of the one that is filling, then zeros.
    room: Vec<f64>,
    /// Values so far.
    count: u64,
    /// A full batch has two to this power of them.
    doublings: u32,
}

impl FineBatches {
    /// At least 64 and at most 128 fine batches make one of the 20.
    pub(super) const ROOM: usize = 128 * BATCHES;

    pub(super) fn new() -> Self {
        Self { room: vec![0.0; Self::ROOM], count: 0, doublings: 0 }
    }

    /// One more value. It is not asked whether a batch is full, which it is now and then.
    #[inline]
    pub(super) fn add(&mut self, x: f64) {
        match self.room.get_mut((self.count >> self.doublings) as usize) {
            Some(sum) => {
                *sum += x;
                self.count += 1;
            }
            None => self.double_and_add(x),
        }
    }

    #[cold]
    #[inline(never)]
    fn double_and_add(&mut self, x: f64) {
        self.double();
        self.add(x);
    }

    /// There is no room: two batches make one.
    fn double(&mut self) {
        for i in 0..Self::ROOM / 2 {
            self.room[i] = self.room[2 * i] + self.room[2 * i + 1];
        }
        self.room[Self::ROOM / 2..].fill(0.0);
        self.doublings += 1;
    }

    /// Sums of full batches, fewer than there is room for, and the values in each.
    fn sums(&self) -> (Cow<'_, [f64]>, u64) {
        let full = (self.count >> self.doublings) as usize;
        if full < Self::ROOM {
            return (Cow::Borrowed(&self.room[..full]), 1 << self.doublings);
        }
        let mut doubled = self.clone();
        doubled.double();
        doubled.room.truncate(Self::ROOM / 2);
        (Cow::Owned(doubled.room), 1 << doubled.doublings)
    }

    /// Every value so far in order, while there are fewer than [`FineBatches::ROOM`].
    pub(super) fn values(&self) -> Option<&[f64]> {
        self.room.get(..self.count as usize).filter(|values| values.len() < Self::ROOM)
    }

    /// Means of equally many consecutive values, in order; the batch that is filling left out.
    pub(super) fn means(&self) -> Vec<f64> {
        let (sums, size) = self.sums();
        sums.iter().map(|sum| sum / size as f64).collect()
    }

    /// The interval; `None` below 40 values.
    pub(super) fn interval(&self) -> Option<BatchMeans> {
        let (sums, size) = self.sums();
        let per = sums.len() / BATCHES;
        if (per as u64) * size < 2 {
            return None;
        }
        interval_of(&sums, per, per as f64 * size as f64)
    }
}

/// The interval of values in order, 20 batches of `floor(n / 20)`, the rest unused; `None` below 40.
pub(super) fn interval(values: &[f64]) -> Option<BatchMeans> {
    let per = values.len() / BATCHES;
    if per < 2 { None } else { interval_of(values, per, per as f64) }
}

fn interval_of(sums: &[f64], per: usize, values_per_batch: f64) -> Option<BatchMeans> {
    let means = std::array::from_fn(|i| {
        sums[i * per..(i + 1) * per].iter().sum::<f64>() / values_per_batch
    });
    // As many finer batches in each as there can be; the rest of a batch is left out of them.
    let Some(finer) = FINER.into_iter().find(|n| *n <= per) else { return batch_means(&means) };
    let together = per / finer;
    let parts: Vec<f64> = (0..BATCHES)
        .flat_map(|i| joined(&sums[i * per..i * per + finer * together], together))
        .collect();
    with_finer(&means, &parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_batches_and_the_rest_unused() {
        // 43 values: batches of 2, the last three unused.
        let values: Vec<f64> = (0..43).map(|i| if i < 40 { i as f64 } else { 1e9 }).collect();
        let got = interval(&values).unwrap();
        let means: Vec<f64> = (0..20).map(|i| 2.0 * i as f64 + 0.5).collect();
        let s2 = means.iter().map(|m| (m - 19.5) * (m - 19.5)).sum::<f64>() / 19.0;
        assert!((got.half_width - 2.093 * (s2 / 20.0).sqrt()).abs() < 1e-12);
        assert!(got.correlation > 0.8, "a ramp is correlated");
    }

    #[test]
    fn below_forty_values_there_is_no_interval() {
        assert_eq!(interval(&[1.0; 39]), None);
        assert_eq!(interval(&[1.0; 40]).unwrap().half_width, 0.0);
        let mut b = FineBatches::new();
        (0..39).for_each(|_| b.add(1.0));
        assert_eq!(b.interval(), None);
        b.add(1.0);
        assert!(b.interval().is_some());
    }

    #[test]
    fn doubling_equals_the_definition_on_short_runs_and_nearly_on_long_ones() {
        let value = |i: u64| ((i * 7919) % 1009) as f64;
        for n in [40u64, 777, 2559, 2560, 100_000] {
            let values: Vec<f64> = (0..n).map(value).collect();
            let mut b = FineBatches::new();
            values.iter().for_each(|&x| b.add(x));
            let (got, want) =
                (b.interval().unwrap().half_width, interval(&values).unwrap().half_width);
            let tolerance = if n < 2560 { 0.0 } else { 0.4 };
            assert!((got / want - 1.0).abs() <= tolerance, "{n}: {got} {want}");
            assert_eq!(b.values().is_some(), n < 2560);
        }
    }

    #[test]
    fn sums_are_those_of_batches_that_double_as_soon_as_there_is_no_room() {
        let value = |i: u64| 1.0 / (1 + i * 7919 % 1009) as f64;
        let mut b = FineBatches::new();
        let (mut sums, mut size, mut sum) = (Vec::new(), 1, 0.0);
        for i in 1..=6 * FineBatches::ROOM as u64 {
            b.add(value(i));
            sum += value(i);
            if i % size == 0 {
                sums.push(std::mem::take(&mut sum));
            }
            if sums.len() == FineBatches::ROOM {
                sums = sums.chunks_exact(2).map(|two| two[0] + two[1]).collect();
                size *= 2;
            }
            if i % 640 < 3 {
                assert_eq!(b.sums(), (Cow::from(&sums), size), "{i}");
                assert_eq!(b.values(), (size == 1).then_some(&sums[..]), "{i}");
            }
        }
    }

    #[test]
    fn independent_batches_do_not_look_correlated() {
        let means: [f64; BATCHES] = std::array::from_fn(|i| (i * 13 % 20) as f64);
        assert!(batch_means(&means).unwrap().correlation.abs() < 0.45);
        let alternating: [f64; BATCHES] = std::array::from_fn(|i| (i % 2) as f64);
        assert!(batch_means(&alternating).unwrap().correlation < -0.9);
    }

    #[test]
    fn finer_batches_tell_what_twenty_cannot() {
        // A process that forgets by a factor each step, driven by a small generator.
        let series = |n: usize, keeps: f64| -> Vec<f64> {
            let (mut state, mut x) = (88_172_645_463_325_252u64, 0.0);
            (0..n)
                .map(|_| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    x = keeps * x + (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
                    x
                })
                .collect()
        };
        let correlation = |n: usize, keeps: f64| interval(&series(n, keeps)).unwrap().correlation;
        // Batches of 50 of a process that remembers 50 steps, and of 2000.
        assert!(correlation(1000, 0.98) > 0.2, "{}", correlation(1000, 0.98));
        assert!(correlation(40_000, 0.98) < 0.1, "{}", correlation(40_000, 0.98));
        assert!(correlation(40_000, 0.0) < 0.02);
        assert!(correlation(40, 0.9) > 0.2);
    }

    #[test]
    fn batches_of_a_decaying_process_correlate_as_the_formula_says() {
        // e^-1 a step: batches of one decay time, from the sum over pairs of instants.
        let n: i32 = 2000;
        let decay = |d: f64| (-d / f64::from(n)).exp();
        let own: f64 = (1 - n..n).map(|d| f64::from(n - d.abs()) * decay(f64::from(d.abs()))).sum();
        let next: f64 =
            (1..2 * n).map(|d| f64::from(n - (d - n).abs()) * decay(f64::from(d))).sum();
        assert!((next / own - decayed(1.0)).abs() < 1e-3, "{} {}", next / own, decayed(1.0));
        assert!((decayed(1e-3 + 1e-9) - decayed(1e-3 - 1e-9)).abs() < 1e-6);
    }

    #[test]
    fn a_batch_that_is_not_finite_gives_no_interval() {
        let mut values = vec![1.0; 60];
        values[30] = f64::INFINITY;
        assert_eq!(interval(&values), None);
    }
}
