//! Cells of a histogram of gaps: a range of mantissas of one exponent each.
//!
//! In: gaps, by the cell that they belong to. Out: what is known of them on either side of the one bucket boundary that
//! a cell may have. Sums are whole numbers, so that the order of additions makes no difference.

use super::{SHIFT, UNIT, bucket_of, upper};

/// Bits of a mantissa after its first, which is not stored.
const FRACTION: u64 = (1 << 52) - 1;
/// Bits of a cell's number below its exponent.
const MANTISSA_BITS: u32 = 52 - SHIFT;
/// Exponent of a number whose mantissa counts [`UNIT`]s.
const POINT: u64 = 1075 - 80;
/// The first cell whose gaps are whole numbers of [`UNIT`]s, from 2^-28 s on.
pub(super) const FIRST_WHOLE: u64 = POINT << MANTISSA_BITS;

/// The number of the cell of a positive gap.
#[inline]
pub(super) fn number_of(x: f64) -> u64 {
    x.to_bits() >> SHIFT
}

/// The values of one cell on one side of its boundary.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub least: f64,
    // Between the two: the compiler would write both at once otherwise, which some machines are slow at.
    pub count: u64,
    pub greatest: f64,
    /// Sum of mantissas without their first bits, as a cell has one exponent; before [`FIRST_WHOLE`], of [`UNIT`]s.
    fractions: u128,
}

impl Part {
    pub const NONE: Part =
        Part { count: 0, fractions: 0, least: f64::INFINITY, greatest: f64::NEG_INFINITY };

    /// `times` gaps of `x` seconds, which are whole numbers of [`UNIT`]s.
    #[inline]
    pub fn add(&mut self, x: f64, times: u64) {
        self.note(x, times);
        self.fractions += u128::from(x.to_bits() & FRACTION) * u128::from(times);
    }

    /// As [`add`](Self::add), of gaps that are no whole numbers: each is rounded down.
    fn add_rounded(&mut self, x: f64, times: u64) {
        self.note(x, times);
        self.fractions += ((x / UNIT) as u128) * u128::from(times);
    }

    #[inline]
    fn note(&mut self, x: f64, times: u64) {
        self.count += times;
        // Always written, as chance decides whether it is either.
        self.least = if x < self.least { x } else { self.least };
        self.greatest = if x > self.greatest { x } else { self.greatest };
    }

    #[inline]
    pub fn merge(&mut self, other: &Part) {
        self.count += other.count;
        self.fractions += other.fractions;
        self.least = if other.least < self.least { other.least } else { self.least };
        self.greatest = if other.greatest > self.greatest { other.greatest } else { self.greatest };
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// Greatest value of the lower part's bucket; infinite when the cell lies in one bucket.
    pub boundary: f64,
    /// Bucket of the lower part; the upper one's is the next.
    pub bucket: i32,
    pub parts: [Part; 2],
}

impl Cell {
    pub fn new(number: u64) -> Self {
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

    /// On which side of the boundary a value of the cell is: index into `parts`.
    #[inline]
    pub fn side(&self, x: f64) -> usize {
        usize::from(x > self.boundary)
    }

    /// The sum of its gaps in [`UNIT`]s, where it is the cell of this number; the greatest number there is when that
    /// is not enough.
    fn sum(&self, number: u64) -> u128 {
        let [lower, upper] = self.parts;
        let fractions = lower.fractions + upper.fractions;
        if number < FIRST_WHOLE {
            return fractions;
        }
        let first_bits = u128::from(lower.count + upper.count) << 52;
        let (mantissas, shift) = (fractions + first_bits, (number - FIRST_WHOLE) >> MANTISSA_BITS);
        let fits = u64::from(mantissas.leading_zeros()) >= shift;
        if fits && shift < 128 { mantissas << shift } else { u128::MAX * u128::from(mantissas > 0) }
    }
}

/// Cells from the least to the greatest value seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    /// Number of the first cell.
    first: u64,
    cells: Vec<Cell>,
}

impl Cells {
    /// The cell of this number, if there is one.
    #[inline]
    pub fn get_mut(&mut self, number: u64) -> Option<&mut Cell> {
        self.cells.get_mut(number.wrapping_sub(self.first) as usize)
    }

    /// Adds gaps before [`FIRST_WHOLE`].
    pub fn add_rounded(&mut self, x: f64, times: u64) {
        let cell = self.reach(number_of(x));
        cell.parts[cell.side(x)].add_rounded(x, times);
    }

    /// Adds all gaps of `other`.
    pub fn merge(&mut self, other: &Cells) {
        if let Some(last) = other.cells.len().checked_sub(1) {
            self.reach(other.first);
            self.reach(other.first + last as u64);
        }
        for (number, cell) in other.numbered() {
            let mine = self.reach(number);
            mine.parts.iter_mut().zip(&cell.parts).for_each(|(m, o)| m.merge(o));
        }
    }

    /// All cells, upwards, with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (u64, &Cell)> {
        (self.first..).zip(&self.cells)
    }

    /// Sum of all gaps in [`UNIT`]s.
    pub fn sum(&self) -> u128 {
        self.numbered().fold(0, |sum, (number, cell)| sum.saturating_add(cell.sum(number)))
    }

    /// How many gaps.
    pub fn count(&self) -> u64 {
        self.cells.iter().flat_map(|cell| &cell.parts).map(|part| part.count).sum()
    }

    /// Extends the cells to include `number`: its cell.
    pub fn reach(&mut self, number: u64) -> &mut Cell {
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
        &mut self.cells[(number - self.first) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_the_same_wherever_they_begin() {
        for start in [3e-9, 1e-4, 0.7, 40.0] {
            let number = number_of(start);
            let mut all = Cells::default();
            for number in [number + 100, number, number + 900] {
                all.reach(number);
            }
            assert_eq!((all.first, all.cells.len()), (number, 901));
            for (number, cell) in all.numbered() {
                let new = Cell::new(number);
                assert_eq!((cell.bucket, cell.boundary), (new.bucket, new.boundary));
            }
        }
    }
}
