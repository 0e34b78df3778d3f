//! Histogram of token gaps: buckets (1.01^(b-1), 1.01^b], as the report's itl percentiles are defined.
//!
//! Adding must cost next to nothing (an engine adds once per iteration), so the bucket is not
//! computed by a logarithm: values are first split by exponent and seven bits of mantissa; such a
//! cell is at most 0.8 % wide, so at most one bucket boundary falls into it, and one compare with
//! that boundary decides.

mod group;

use super::ln::ln;
use group::Group;

/// Width of a bucket.
const BASE: f64 = 1.01;
/// Boundaries are moved up by this share of a bucket, so that an exact 1.01^b, which rounding may
/// put a hair above the boundary, stays in bucket b.
const SLACK: f64 = 1e-9;
/// What sums are counted in (s): 2^-80, less than the last bit of any gap of 10 ns or more.
const UNIT: f64 = 1.0 / (1u128 << 80) as f64;
/// Bits of a float below its exponent and seven bits of mantissa.
const SHIFT: u32 = 45;

/// The values of one cell on one side of its boundary.
#[derive(Clone, Copy, Debug)]
struct Part {
    count: u64,
    least: f64,
    greatest: f64,
}

impl Part {
    const NONE: Part = Part { count: 0, least: f64::INFINITY, greatest: f64::NEG_INFINITY };

    #[inline]
    fn add(&mut self, x: f64, times: u64) {
        self.count += times;
        self.least = if x < self.least { x } else { self.least };
        self.greatest = if x > self.greatest { x } else { self.greatest };
    }

    fn merge(&mut self, other: &Part) {
        self.count += other.count;
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
    }
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    /// Greatest value of the lower part's bucket; infinite when the cell lies in one bucket.
    boundary: f64,
    /// Bucket of the lower part; the upper one's is the next.
    bucket: i32,
    parts: [Part; 2],
}

impl Cell {
    fn new(number: u64) -> Self {
        let low = f64::from_bits(number << SHIFT);
        let bucket = bucket_of(low);
        Self { boundary: upper(bucket), bucket, parts: [Part::NONE; 2] }
    }

    /// The cell of the next greater values, as [`new`](Self::new) makes it: a cell is narrower than a bucket.
    fn next(&self, number: u64) -> Self {
        let mut next = Self { parts: [Part::NONE; 2], ..*self };
        if f64::from_bits(number << SHIFT) > self.boundary {
            next.bucket += 1;
            next.boundary = upper(next.bucket);
        }
        next
    }
}

/// Gaps from this (s) to below 1 s are whole numbers of 2^-80 s.
const ALIKE_FROM: f64 = 1.0 / (1u64 << 28) as f64;

/// Exponent of a number whose mantissa counts [`UNIT`]s.
const POINT: u64 = 1075 - 80;

/// Bits of a mantissa after its first, which is not stored.
const FRACTION: u64 = (1 << 52) - 1;

/// Mantissa, as a whole number, and exponent of a positive number.
#[inline]
fn parts(x: f64) -> (u64, u64) {
    let bits = x.to_bits();
    ((bits & FRACTION) | (FRACTION + 1), bits >> 52)
}

/// `times` gaps of `x` seconds in [`UNIT`]s, each rounded down.
#[inline]
fn units(x: f64, times: u64) -> u128 {
    if !(ALIKE_FROM..1.0).contains(&x) {
        return units_of_any(x, times);
    }
    let (mantissa, exponent) = parts(x);
    // By less than a word.
    (u128::from(mantissa) * u128::from(times)) << ((exponent - POINT) % 64)
}

#[cold]
fn units_of_any(x: f64, times: u64) -> u128 {
    ((x / UNIT) as u128).saturating_mul(u128::from(times))
}

/// Gaps between tokens (s).
#[derive(Clone, Debug, Default)]
pub struct GapHistogram {
    count: u64,
    /// In [`UNIT`]s: whole numbers, so that their order makes no difference.
    sum: u128,
    /// Gaps of 0.
    zeros: u64,
    /// Number of the first cell.
    first: u64,
    /// Cells from the least to the greatest value seen.
    cells: Vec<Cell>,
    /// Added, but not yet in their cell, count and sum.
    group: Group,
}

impl GapHistogram {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// `times` gaps of `x` seconds each.
    #[inline]
    pub fn add(&mut self, x: f64, times: u64) {
        self.count += times;
        self.sum = self.sum.saturating_add(units(x, times));
        self.place(x, times);
    }

    /// Counts gaps in their cell.
    #[inline]
    fn place(&mut self, x: f64, times: u64) {
        let at = (x.to_bits() >> SHIFT).wrapping_sub(self.first);
        match self.cells.get_mut(at as usize) {
            Some(cell) => cell.parts[usize::from(x > cell.boundary)].add(x, times),
            None => self.add_outside(x, times),
        }
    }

    /// As [`add`](Self::add), of gaps that are mostly like those before: at less cost if they are. What was added so is
    /// read from [`settled`](Self::settled) alone.
    #[inline]
    pub(crate) fn add_alike(&mut self, x: f64, times: u64) {
        if x > self.group.low && x <= self.group.high {
            self.group.add(x, times);
        } else {
            self.turn(x, times);
        }
    }

    /// Adds gaps that are not of the group, and turns to theirs if there is one.
    #[inline(never)]
    fn turn(&mut self, x: f64, times: u64) {
        self.put();
        self.group = Group::NONE;
        let number = x.to_bits() >> SHIFT;
        let cell = self.cells.get(number.wrapping_sub(self.first) as usize);
        let Some(cell) = cell.filter(|_| (ALIKE_FROM..1.0).contains(&x)) else {
            return self.add(x, times);
        };
        let below = |number: u64| f64::from_bits((number << SHIFT) - 1);
        (self.group.low, self.group.high) = match x > cell.boundary {
            true => (cell.boundary, below(number + 1)),
            false => (below(number), cell.boundary.min(below(number + 1))),
        };
        self.group.add(x, times);
    }

    /// Puts the group into its cell.
    fn put(&mut self) {
        let Group { least, greatest, count, .. } = self.group;
        if count == 0 {
            return;
        }
        let cell = &mut self.cells[((least.to_bits() >> SHIFT) - self.first) as usize];
        let part = &mut cell.parts[usize::from(least > cell.boundary)];
        part.count += count;
        part.least = if least < part.least { least } else { part.least };
        part.greatest = if greatest > part.greatest { greatest } else { part.greatest };
        self.count += count;
        self.sum = self.sum.saturating_add(self.group.mantissas() << (parts(least).1 - POINT));
    }

    /// All gaps, none of them in a group.
    pub(crate) fn settled(&self) -> Self {
        let mut all = self.clone();
        all.put();
        all.group = Group::NONE;
        all
    }

    /// How many gaps.
    pub fn count(&self) -> u64 {
        debug_assert!(self.group.count == 0, "read before it is settled");
        self.count
    }

    /// Mean gap; `None` without any.
    pub fn mean(&self) -> Option<f64> {
        if self.count == 0 {
            return None;
        }
        Some(self.sum as f64 * UNIT / self.count as f64).filter(|m| m.is_finite())
    }

    /// Standard deviation over all gaps, each taken for the middle of its bucket; `None` without any.
    pub fn deviation(&self) -> Option<f64> {
        let mean = self.mean()?;
        let squares = self.buckets().into_iter().map(|(bucket, part)| {
            let gap = middle(bucket, &part);
            part.count as f64 * (gap - mean) * (gap - mean)
        });
        let zeros = self.zeros as f64 * mean * mean;
        Some(((squares.sum::<f64>() + zeros) / self.count as f64).sqrt())
    }

    /// The gap of rank `ceil(q n)`: 1.01^(b-0.5) of its bucket, within the bucket's least and
    /// greatest gap; `None` without any.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        if self.count == 0 {
            return None;
        }
        let rank = super::rank_of(q, self.count);
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
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        self.zeros += other.zeros;
        if let Some(last) = other.cells.len().checked_sub(1) {
            self.reach(other.first);
            self.reach(other.first + last as u64);
        }
        for (cell, number) in other.cells.iter().zip(other.first..) {
            let mine = &mut self.cells[(number - self.first) as usize];
            mine.parts.iter_mut().zip(&cell.parts).for_each(|(m, o)| m.merge(o));
        }
    }

    /// Buckets that are not empty, upwards.
    fn buckets(&self) -> Vec<(i32, Part)> {
        let mut out: Vec<(i32, Part)> = Vec::new();
        for cell in &self.cells {
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
        if !(x > 0.0 && x < f64::INFINITY) {
            // A gap is a difference of clock times: 0 is the only other value it can have.
            self.zeros += times;
            return;
        }
        let number = x.to_bits() >> SHIFT;
        self.reach(number);
        let cell = &mut self.cells[(number - self.first) as usize];
        cell.parts[usize::from(x > cell.boundary)].add(x, times);
    }

    /// Extends the cells to include `number`.
    fn reach(&mut self, number: u64) {
        if self.cells.is_empty() {
            self.first = number;
            self.cells.push(Cell::new(number));
        }
        if number < self.first {
            let first = Cell::new(number);
            let new = (number + 1..=self.first).scan(first, |cell, next| {
                let below = *cell;
                *cell = cell.next(next);
                Some(below)
            });
            let new: Vec<Cell> = new.collect();
            self.cells.splice(0..0, new);
            self.first = number;
        }
        let mut end = self.first + self.cells.len() as u64;
        while let Some(last) = self.cells.last().filter(|_| end <= number) {
            self.cells.push(last.next(end));
            end += 1;
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
    fn cells_are_the_same_wherever_they_begin() {
        for start in [3e-9, 1e-4, 0.7, 40.0] {
            let number = f64::to_bits(start) >> SHIFT;
            let mut all = GapHistogram::new();
            [number + 100, number, number + 900].into_iter().for_each(|x| all.reach(x));
            assert_eq!((all.first, all.cells.len()), (number, 901));
            for (cell, number) in all.cells.iter().zip(number..) {
                let new = Cell::new(number);
                assert_eq!((cell.bucket, cell.boundary), (new.bucket, new.boundary));
            }
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
    fn gaps_that_are_alike_are_added_as_one_by_one() {
        let (mut one_by_one, mut in_groups) = (GapHistogram::new(), GapHistogram::new());
        for round in 0..4000u64 {
            let start = [1e-9, 2e-4, 0.0123, 0.7, 3.0][(round / 3 % 5) as usize];
            let start = start * (1.0 + round as f64 / 5e3);
            for i in 0..round % 9 {
                let (x, times) = (start * (1.0 + i as f64 * 7e-4), 1 + i * round % 17);
                one_by_one.add(x, times);
                // Others come in between.
                match (i + round) % 7 {
                    0 => in_groups.add(x, times),
                    _ => in_groups.add_alike(x, times),
                }
            }
        }
        let in_groups = in_groups.settled();
        assert_eq!((in_groups.count(), in_groups.mean()), (one_by_one.count(), one_by_one.mean()));
        for i in 0..=1000 {
            let q = f64::from(i) / 1000.0;
            assert_eq!(in_groups.quantile(q), one_by_one.quantile(q), "{q}");
        }
        assert_eq!(in_groups.deviation(), one_by_one.deviation());
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
