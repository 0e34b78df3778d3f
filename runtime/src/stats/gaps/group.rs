//! Gaps that are alike, before they go into their cell.

use super::{
    SHIFT,
    cells::{Cell, FIRST_WHOLE, Part, number_of},
};

/// Gaps on their way into one part of one cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// That part: gaps above `low`, up to `high`.
    pub low: f64,
    pub high: f64,
    /// The number of its cell, and on which side of the cell's boundary it is.
    pub number: u64,
    pub side: usize,
    pub part: Part,
}

impl Group {
    pub const NONE: Group = Group {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
        number: FIRST_WHOLE,
        side: 0,
        part: Part::NONE,
    };

    /// Those that are alike to `x`, which belongs into this cell.
    #[inline]
    pub fn around(x: f64, cell: &Cell) -> Self {
        let number = number_of(x);
        let below = |number: u64| f64::from_bits((number << SHIFT) - 1);
        let (side, first, last) = (cell.side(x), below(number), below(number + 1));
        let (low, high) = match side {
            0 => (first, if cell.boundary < last { cell.boundary } else { last }),
            _ => (cell.boundary, last),
        };
        Group { low, high, number, side, part: Part::NONE }
    }
}

impl Default for Group {
    fn default() -> Self {
        Self::NONE
    }
}
