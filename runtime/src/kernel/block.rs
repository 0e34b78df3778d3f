//! The slots of a block of the clock, and which is the earliest of them.
//!
//! Times and orders lie apart, so that several times are compared at once.

use std::hint::black_box;

/// Bits of a key below the order of scheduling.
const SLOT_BITS: u32 = 20;
/// Slots that a clock may have.
pub(crate) const MOST_SLOTS: usize = 1 << SLOT_BITS;
/// Slots in a block.
pub(super) const BLOCK: usize = 32;

/// The earlier of two times, neither of them NaN.
#[inline]
pub(crate) fn earlier(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// When an event is due: the bits of its time, and what tells events at one time apart, the order of scheduling and
/// the slot. Of times that are not negative the bits are in the same order; a time that is NaN comes never.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub time: u64,
    pub low: i64,
}

/// No event.
pub(super) const NEVER: Key = Key { time: f64::INFINITY.to_bits(), low: i64::MAX };

impl Key {
    #[inline]
    pub fn new(slot: usize, time: f64, order: u64) -> Key {
        Key { time: time.to_bits(), low: (order << SLOT_BITS) as i64 | slot as i64 }
    }

    #[inline]
    pub fn before(self, other: Key) -> bool {
        self.time < other.time || self.time == other.time && self.low < other.low
    }

    /// No slot's number when it is never.
    #[inline]
    pub fn slot(self) -> usize {
        self.low as usize & (MOST_SLOTS - 1)
    }
}

/// A bit for each slot of a block. Kept beside the slots: what is read at run time makes plain vector code, constants
/// do not.
pub(super) type Marks = [u64; BLOCK];

/// Times that are compared at once.
const LANES: usize = 4;

/// The keys of some slots.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub times: [f64; BLOCK],
    pub lows: [i64; BLOCK],
}

impl Block {
    pub const EMPTY: Block = Block { times: [f64::INFINITY; BLOCK], lows: [NEVER.low; BLOCK] };

    /// `slot` of the clock, not of the block.
    #[inline]
    pub fn write(&mut self, slot: usize, key: Key) {
        self.times[slot % BLOCK] = f64::from_bits(key.time);
        self.lows[slot % BLOCK] = key.low;
    }

    /// `slot` of the clock, not of the block.
    #[inline]
    pub fn key(&self, slot: usize) -> Key {
        Key { time: self.times[slot % BLOCK].to_bits(), low: self.lows[slot % BLOCK] }
    }

    /// The earliest of the first slots.
    #[inline]
    pub fn least_of(&self, slots: usize) -> Key {
        let mut least = self.key(0);
        for i in 1..slots {
            let key = self.key(i);
            if key.before(least) {
                least = key;
            }
        }
        least
    }

    /// The earliest of the first N slots, unless several have the least time, which is the error: the least time, then
    /// which slots have it, some slots at a time, as vector instructions do it.
    #[inline]
    pub fn least_within<const N: usize>(&self, marks: &Marks) -> Result<Key, f64> {
        const { assert!(N.is_multiple_of(LANES) && N <= BLOCK) };
        let times = &self.times;
        let mut least = [f64::INFINITY; LANES];
        for part in times[..N].as_chunks().0 {
            let part: &[f64; LANES] = part;
            for i in 0..LANES {
                least[i] = earlier(part[i], least[i]);
            }
        }
        // Of many slots the compiler would mix up the lanes of several steps, if it saw through this.
        let [a, b, c, d] = if N > 2 * LANES { black_box(least) } else { least };
        let time = earlier(earlier(a, c), earlier(b, d));
        let mut have = [0; LANES];
        for i in 0..N {
            have[i % LANES] |= if times[i] == time { marks[i] } else { 0 };
        }
        let [a, b, c, d] = have;
        let slots = (a | c) | (b | d);
        if slots & slots.wrapping_sub(1) != 0 {
            return Err(time);
        }
        Ok(Key { time: time.to_bits(), low: self.lows[slots.trailing_zeros() as usize % BLOCK] })
    }

    /// The earliest of those slots that have this time, some of them.
    #[cold]
    pub fn least_at(&self, time: f64) -> Key {
        let slots = self.times.iter().zip(&self.lows);
        let low = slots.filter(|(t, _)| **t == time).map(|(_, low)| *low).min();
        Key { time: time.to_bits(), low: low.unwrap_or(NEVER.low) }
    }
}
