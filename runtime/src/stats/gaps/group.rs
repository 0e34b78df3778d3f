//! Gaps that are alike, before they go into their cell.

use super::FRACTION;

/// Gaps on their way into one part of one cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// That part: gaps above `low`, up to `high`.
    pub low: f64,
    pub high: f64,
    pub least: f64,
    pub greatest: f64,
    pub count: u64,
    /// Sum of mantissas without their first bits; a cell has one exponent.
    fractions: u128,
}

impl Group {
    pub const NONE: Group = Group {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
        least: f64::INFINITY,
        greatest: f64::NEG_INFINITY,
        count: 0,
        fractions: 0,
    };

    #[inline]
    pub fn add(&mut self, x: f64, times: u64) {
        if x < self.least {
            self.least = x;
        }
        if x > self.greatest {
            self.greatest = x;
        }
        self.count += times;
        self.fractions += u128::from(x.to_bits() & FRACTION) * u128::from(times);
    }

    /// Sum of mantissas.
    pub fn mantissas(&self) -> u128 {
        self.fractions + u128::from(self.count) * u128::from(FRACTION + 1)
    }
}

impl Default for Group {
    fn default() -> Self {
        Self::NONE
    }
}
