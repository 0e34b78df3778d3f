//! Mergeable histogram over the whole range of a float, answering quantiles within 0.8 %.
//!
//! A bin is what shares sign, exponent and the first seven bits of the mantissa, so it is at most
//! 1/128 = 0.8 % wide. It answers with the mean of its values, which a single value many times makes exact.

/// Bits of a float below its exponent and seven bits of mantissa.
const SHIFT: u32 = 45;

/// Values that share all but the rest of their mantissa.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bin {
    count: u64,
    sum: f64,
}

impl Bin {
    #[inline]
    pub(super) fn add(&mut self, magnitude: f64) {
        self.count += 1;
        self.sum += magnitude;
    }
}

/// The bins of one sign, from the least to the greatest magnitude seen.
#[derive(Clone, Debug, Default)]
struct Side {
    first: u64,
    bins: Vec<Bin>,
}

impl Side {
    #[inline]
    fn add(&mut self, magnitude: f64) {
        let number = magnitude.to_bits() >> SHIFT;
        match self.bins.get_mut(number.wrapping_sub(self.first) as usize) {
            Some(bin) => bin.add(magnitude),
            None => self.add_outside(number, magnitude),
        }
    }

    #[cold]
    fn add_outside(&mut self, number: u64, magnitude: f64) {
        self.reach(number);
        self.bins[(number - self.first) as usize].add(magnitude);
    }

    fn reach(&mut self, number: u64) {
        if self.bins.is_empty() {
            self.first = number;
        }
        if number < self.first {
            self.bins.splice(0..0, (number..self.first).map(|_| Bin::default()));
            self.first = number;
        }
        let len = (number - self.first + 1) as usize;
        self.bins.resize(len.max(self.bins.len()), Bin::default());
    }

    fn merge(&mut self, other: &Side) {
        if other.bins.is_empty() {
            return;
        }
        self.reach(other.first);
        self.reach(other.first + other.bins.len() as u64 - 1);
        for (bin, number) in other.bins.iter().zip(other.first..) {
            let mine = &mut self.bins[(number - self.first) as usize];
            mine.count += bin.count;
            mine.sum += bin.sum;
        }
    }

    fn count(&self) -> u64 {
        self.bins.iter().map(|bin| bin.count).sum()
    }

    /// The bins upwards, empty ones left out, and their numbers.
    fn filled(&self) -> impl DoubleEndedIterator<Item = (u64, Bin)> + '_ {
        let numbered = self.bins.iter().enumerate().filter(|(_, bin)| bin.count > 0);
        numbered.map(|(i, bin)| (self.first + i as u64, *bin))
    }
}

/// What the bin with this number answers.
fn answer((number, bin): (u64, Bin)) -> f64 {
    let low = |number: u64| f64::from_bits(number << SHIFT);
    // Rounding of the sum must not carry the mean out of its bin.
    (bin.sum / bin.count as f64).max(low(number)).min(low(number + 1))
}

/// Histogram of any values.
#[derive(Clone, Debug, Default)]
pub struct LogHistogram {
    zeros: Bin,
    /// NaN and -inf, which sort first; and inf, which sorts last.
    below: u64,
    above: u64,
    negative: Side,
    positive: Side,
}

impl LogHistogram {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// One more value.
    pub fn add(&mut self, x: f64) {
        if x == 0.0 {
            self.zeros.add(x);
        } else if x > 0.0 && x.is_finite() {
            self.positive.add(x);
        } else {
            self.add_other(x);
        }
    }

    /// The bin of a value, if it is finite, not negative, and has one already.
    #[inline]
    pub(super) fn bin(&mut self, x: f64) -> Option<&mut Bin> {
        let Side { first, bins } = &mut self.positive;
        if x > 0.0 {
            let number = x.to_bits() >> SHIFT;
            bins.get_mut(number.wrapping_sub(*first) as usize)
        } else {
            (x == 0.0).then_some(&mut self.zeros)
        }
    }

    fn add_other(&mut self, x: f64) {
        if x == f64::INFINITY {
            self.above += 1;
        } else if x < 0.0 && x.is_finite() {
            self.negative.add(-x);
        } else {
            self.below += 1;
        }
    }

    /// How many values.
    pub fn count(&self) -> u64 {
        self.zeros.count + self.below + self.above + self.negative.count() + self.positive.count()
    }

    /// The value of rank `ceil(q n)`, within 0.8 %; `None` of nothing, or when it is not finite.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        self.quantiles([q]).next().flatten()
    }

    /// As [`quantile`](Self::quantile), of many `q` that do not decrease, in one pass over the bins.
    pub fn quantiles(
        &self,
        qs: impl IntoIterator<Item = f64>,
    ) -> impl Iterator<Item = Option<f64>> {
        let negative = self.negative.filled().rev().map(|bin| (-1.0, bin));
        let zero = std::iter::once((0.0, (0, self.zeros)));
        let mut bins = negative.chain(zero).chain(self.positive.filled().map(|bin| (1.0, bin)));
        let (count, mut seen, mut at) = (self.count(), self.below, None);
        qs.into_iter().map(move |q| {
            let rank = super::rank_of(q, count);
            while rank > seen {
                at = bins.next();
                seen += at.map_or(u64::MAX - seen, |(_, (_, bin))| bin.count);
            }
            at.map(|(sign, bin)| if sign == 0.0 { 0.0 } else { sign * answer(bin) })
        })
    }

    /// Adds all of `other`'s values.
    pub fn merge(&mut self, other: &LogHistogram) {
        self.zeros.count += other.zeros.count;
        self.below += other.below;
        self.above += other.above;
        self.negative.merge(&other.negative);
        self.positive.merge(&other.positive);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Vec<f64> {
        (1..3000)
            .map(|i| ((i * 7919 % 3001) as f64 - 900.0) * 1.7e-3 * (1.0 + (i % 5) as f64))
            .collect()
    }

    #[test]
    fn quantiles_lie_within_eight_tenths_of_a_percent() {
        let mut sorted = values();
        let mut h = LogHistogram::new();
        sorted.iter().for_each(|&x| h.add(x));
        sorted.sort_by(f64::total_cmp);
        for i in 0..=1000 {
            let q = i as f64 / 1000.0;
            let exact = sorted[super::super::rank_of(q, sorted.len() as u64) as usize - 1];
            let got = h.quantile(q).unwrap();
            assert!((got - exact).abs() <= exact.abs() / 128.0, "q {q}: {got} {exact}");
        }
    }

    #[test]
    fn values_that_repeat_are_answered_exactly() {
        let mut h = LogHistogram::new();
        for i in 0..300 {
            h.add([0.0, 5.0, -1.0][i % 3]);
        }
        assert_eq!(
            (h.quantile(0.3), h.quantile(0.5), h.quantile(0.9)),
            (Some(-1.0), Some(0.0), Some(5.0))
        );
    }

    #[test]
    fn merging_is_adding() {
        let (mut a, mut b, mut all) =
            (LogHistogram::new(), LogHistogram::new(), LogHistogram::new());
        for (i, x) in values().into_iter().enumerate() {
            if i % 2 == 0 {
                a.add(x)
            } else {
                b.add(x)
            }
            all.add(x);
        }
        a.merge(&b);
        assert_eq!(a.count(), all.count());
        for q in [0.0, 0.1, 0.5, 0.9, 1.0] {
            let (got, want) = (a.quantile(q).unwrap(), all.quantile(q).unwrap());
            assert!((got - want).abs() <= 1e-12 * want.abs());
        }
    }

    #[test]
    fn what_is_not_finite_sorts_at_the_ends() {
        let mut h = LogHistogram::new();
        [f64::NAN, f64::NEG_INFINITY, 1.0, f64::INFINITY].into_iter().for_each(|x| h.add(x));
        assert_eq!((h.quantile(0.5), h.quantile(0.75), h.quantile(1.0)), (None, Some(1.0), None));
        assert_eq!(LogHistogram::new().quantile(0.5), None);
    }
}
