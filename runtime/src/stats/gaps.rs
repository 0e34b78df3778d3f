//! Histogram of token gaps: buckets (1.01^(b-1), 1.01^b], as the report's itl percentiles are defined.
//!
//! Adding must cost next to nothing (an engine adds once per iteration), so the bucket is not
//! computed by a logarithm: values are first split by exponent and seven bits of mantissa; such a
//! cell is at most 0.8 % wide, so at most one bucket boundary falls into it, and one compare with
//! that boundary decides.

mod cells;

use super::ln::ln;
use cells::{Cells, FIRST_WHOLE, Part, number_of};

/// Width of a bucket.
const BASE: f64 = 1.01;
/// Boundaries are moved up by this share of a bucket, so that an exact 1.01^b, which rounding may
/// put a hair above the boundary, stays in bucket b.
const SLACK: f64 = 1e-9;
/// What sums are counted in (s): 2^-80, less than the last bit of any gap of 10 ns or more.
const UNIT: f64 = 1.0 / (1u128 << 80) as f64;
/// Bits of a float below its exponent and seven bits of mantissa.
const SHIFT: u32 = 45;

/// Gaps between tokens (s).
#[derive(Clone, Debug, Default)]
pub struct GapHistogram {
    /// Gaps of 0.
    zeros: u64,
    /// Gaps that are whole numbers of [`UNIT`]s.
    cells: Cells,
    /// Shorter ones.
    short: Cells,
}

impl GapHistogram {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// `times` gaps of `x` seconds each.
    #[inline]
    pub fn add(&mut self, x: f64, times: u64) {
        match self.cells.get_mut(number_of(x)) {
            Some(cell) => cell.parts[cell.side(x)].add(x, times),
            None => self.add_outside(x, times),
        }
    }

    /// How many gaps.
    pub fn count(&self) -> u64 {
        self.zeros + self.short.count() + self.cells.count()
    }

    /// Mean gap; `None` without any.
    pub fn mean(&self) -> Option<f64> {
        let (count, sum) = (self.count(), self.cells.sum().saturating_add(self.short.sum()));
        (count > 0).then(|| sum as f64 * UNIT / count as f64).filter(|m| m.is_finite())
    }

    /// Standard deviation over all gaps, each taken for the middle of its bucket; `None` without any.
    pub fn deviation(&self) -> Option<f64> {
        let mean = self.mean()?;
        let squares = self.buckets().into_iter().map(|(bucket, part)| {
            let gap = middle(bucket, &part);
            part.count as f64 * (gap - mean) * (gap - mean)
        });
        let zeros = self.zeros as f64 * mean * mean;
        Some(((squares.sum::<f64>() + zeros) / self.count() as f64).sqrt())
    }

    /// The gap of rank `ceil(q n)`: 1.01^(b-0.5) of its bucket, within the bucket's least and
    /// greatest gap; `None` without any.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        let rank = super::rank_of(q, count);
        let mut seen = self.zeros;
        if rank <= seen {
            return Some(0.0);
        }
        for (bucket, part) in self.buckets() {
            seen += part.count;
            if rank <= seen {
                return Some(middle(bucket, &part));
            }
        }
        None
    }

    /// Adds all of `other`'s gaps.
    pub fn merge(&mut self, other: &GapHistogram) {
        self.zeros += other.zeros;
        self.short.merge(&other.short);
        self.cells.merge(&other.cells);
    }

    /// Buckets that are not empty, upwards.
    fn buckets(&self) -> Vec<(i32, Part)> {
        let mut out: Vec<(i32, Part)> = Vec::new();
        for (_, cell) in self.short.numbered().chain(self.cells.numbered()) {
            for (part, bucket) in cell.parts.iter().zip(cell.bucket..).filter(|(p, _)| p.count > 0)
            {
                match out.last_mut() {
                    Some((b, sum)) if *b == bucket => sum.merge(part),
                    _ => out.push((bucket, *part)),
                }
            }
        }
        out
    }

    #[cold]
    fn add_outside(&mut self, x: f64, times: u64) {
        let number = number_of(x);
        if !(x > 0.0 && x < f64::INFINITY) {
            // A gap is a difference of clock times: 0 is the only other value it can have.
            self.zeros += times;
        } else if number < FIRST_WHOLE {
            self.short.add_rounded(x, times);
        } else {
            let cell = self.cells.reach(number);
            cell.parts[cell.side(x)].add(x, times);
        }
    }
}

/// The bucket of a positive number: the least b with x <= 1.01^(b + SLACK).
fn bucket_of(x: f64) -> i32 {
    let b = (ln(x) / ln(BASE) - SLACK).ceil() as i32;
    if x > upper(b) {
        b + 1
    } else if x <= upper(b - 1) {
        b - 1
    } else {
        b
    }
}

/// Greatest value of bucket b.
fn upper(b: i32) -> f64 {
    power(b) * (1.0 + SLACK * ln(BASE))
}

/// 1.01^(b-0.5), within the least and the greatest gap of the bucket.
fn middle(bucket: i32, part: &Part) -> f64 {
    (power(bucket) / BASE.sqrt()).max(part.least).min(part.greatest)
}

/// 1.01^b by repeated squaring: `powi` and `powf` differ between platforms.
fn power(b: i32) -> f64 {
    let (mut square, mut rest, mut product) = (BASE, b.unsigned_abs(), 1.0);
    while rest > 0 {
        if rest & 1 == 1 {
            product *= square;
        }
        square *= square;
        rest >>= 1;
    }
    if b < 0 { 1.0 / product } else { product }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule as it is stated, over all values.
    fn directly(values: &[f64], q: f64) -> f64 {
        let bucket = |v: f64| (v.ln() / 1.01f64.ln() - 1e-9).ceil();
        let mut v = values.to_vec();
        v.sort_by(f64::total_cmp);
        let b = bucket(v[(q * v.len() as f64).ceil() as usize - 1]);
        let same: Vec<f64> = v.into_iter().filter(|&x| bucket(x) == b).collect();
        1.01f64.powf(b - 0.5).max(same[0]).min(same[same.len() - 1])
    }

    #[test]
    fn percentiles_as_computed_directly() {
        let values: Vec<f64> = (1..4000)
            .map(|i| 1e-3 * (1.0 + (i * i % 977) as f64 / 300.0) + 1e-6 * (i % 7) as f64)
            .collect();
        let mut h = GapHistogram::new();
        values.iter().for_each(|&v| h.add(v, 1));
        for q in [0.01, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999] {
            let (got, want) = (h.quantile(q).unwrap(), directly(&values, q));
            assert!((got / want - 1.0).abs() < 1e-12, "q {q}: {got} {want}");
        }
    }

    #[test]
    fn a_power_of_the_base_stays_in_its_own_bucket() {
        for b in -3000..3000 {
            assert_eq!(bucket_of(power(b)), b);
            assert_eq!(bucket_of(1.01f64.powi(b)), b);
        }
    }

    #[test]
    fn one_value_many_times_is_answered_exactly() {
        let mut h = GapHistogram::new();
        h.add(0.0123, 1000);
        assert_eq!(h.quantile(0.5), Some(0.0123));
        assert_eq!(h.quantile(0.99), Some(0.0123));
        assert_eq!(h.count(), 1000);
        assert!((h.mean().unwrap() - 0.0123).abs() < 1e-15);
    }

    #[test]
    fn the_order_of_gaps_makes_no_difference() {
        let gaps = [(0.1, 3), (0.3, 1), (0.004_1, 7), (1e-7, 2), (0.1, 1), (12.5, 1)];
        let of = |gaps: &mut dyn Iterator<Item = &(f64, u64)>| {
            let mut h = GapHistogram::new();
            gaps.for_each(|&(x, times)| h.add(x, times));
            h.mean()
        };
        let mean = of(&mut gaps.iter()).unwrap();
        assert_eq!(of(&mut gaps.iter().rev()), Some(mean));
        let sum: f64 = gaps.iter().map(|&(x, times)| x * times as f64).sum();
        assert!((mean - sum / 15.0).abs() < 1e-15);
    }

    #[test]
    fn each_gap_counts_as_the_whole_units_in_it() {
        for greatest in [0.9, 3.0, 1e13, 1e15, 1e300] {
            let gaps =
                [(1e-9, 5), (7.7e-20, 3), (3.7e-9, 2), (3.8e-9, 4), (0.0123, 9), (greatest, 7)];
            let units = |x: f64, times: u64| ((x / UNIT) as u128).saturating_mul(times.into());
            let sum = gaps.iter().fold(0u128, |sum, &(x, n)| sum.saturating_add(units(x, n)));
            let mut h = GapHistogram::new();
            gaps.iter().for_each(|&(x, times)| h.add(x, times));
            assert_eq!((h.count(), h.mean()), (30, Some(sum as f64 * UNIT / 30.0)));
        }
    }

    #[test]
    fn merging_is_adding() {
        let (mut a, mut b, mut all) =
            (GapHistogram::new(), GapHistogram::new(), GapHistogram::new());
        for i in 1..500u64 {
            let x = i as f64 * 0.25;
            if i % 3 == 0 {
                a.add(x, i)
            } else {
                b.add(x, i)
            }
            all.add(x, i);
        }
        a.merge(&b);
        for q in [0.0, 0.2, 0.5, 0.99, 1.0] {
            assert_eq!(a.quantile(q), all.quantile(q));
        }
        assert_eq!(a.count(), all.count());
    }

    #[test]
    fn zero_gaps_count_and_nothing_else_breaks() {
        let mut h = GapHistogram::new();
        h.add(0.0, 2);
        assert_eq!((h.quantile(0.5), h.mean(), h.count()), (Some(0.0), Some(0.0), 2));
        assert_eq!(GapHistogram::new().quantile(0.5), None);
    }
}
