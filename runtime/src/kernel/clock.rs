//! The clock: one slot per thing that can happen next, kept in a winner tree.
//!
//! In: `set`, `clear` of slots. Out: the earliest slot, by time and then by the order in which the
//! events were scheduled. A node is one number (time, order, slot), so that an update is a walk to the
//! root of plain minimum operations. An event that was scheduled anew leaves nothing behind.

/// Bits of a key below the order of scheduling.
const SLOT_BITS: u32 = 20;
/// Slots that a clock may have.
pub(crate) const MOST_SLOTS: usize = 1 << SLOT_BITS;
/// No event.
const NEVER: u128 = u128::MAX;

/// The next event of each slot. Public for the benchmarks alone.
#[derive(Clone, Debug)]
pub struct Clock {
    /// The winner of all.
    root: u128,
    /// The others: node `i` has the children `2i` and `2i + 1`, the leaves are the second half.
    nodes: Vec<u128>,
    order: u64,
}

impl Clock {
    /// A clock of so many slots.
    pub fn new(slots: usize) -> Self {
        let leaves = slots.next_power_of_two().max(2);
        debug_assert!(leaves <= MOST_SLOTS);
        Self { root: NEVER, nodes: vec![NEVER; 2 * leaves], order: 0 }
    }

    /// The next place in the order of scheduling.
    #[inline]
    pub fn next_order(&mut self) -> u64 {
        self.order += 1;
        self.order
    }

    /// Schedules the event of `slot` anew.
    #[inline]
    pub fn set(&mut self, slot: usize, time: f64) {
        let order = self.next_order();
        self.set_in_order(slot, time, order);
    }

    /// As `set`, with a place in the order that was given out earlier.
    #[inline]
    pub fn set_in_order(&mut self, slot: usize, time: f64, order: u64) {
        // Times are not negative, so their bits are ordered as they are; NaN comes after infinity.
        let low = order << SLOT_BITS | slot as u64;
        self.write(slot, u128::from(time.to_bits()) << 64 | u128::from(low));
    }

    /// Nothing is scheduled for `slot`.
    #[inline]
    pub fn clear(&mut self, slot: usize) {
        self.write(slot, NEVER);
    }

    #[inline]
    fn write(&mut self, slot: usize, key: u128) {
        let nodes = &mut self.nodes[..];
        let (mut i, mut winner) = (nodes.len() / 2 + slot, key);
        while i > 1 {
            nodes[i] = winner;
            winner = winner.min(nodes[i ^ 1]);
            i >>= 1;
        }
        self.root = winner;
    }

    /// Time and slot of the earliest event; time infinite (or NaN) when there is none.
    // No iterator: the event stays until its slot is set again or cleared.
    #[inline]
    pub fn next(&self) -> (f64, usize) {
        let key = self.root;
        (f64::from_bits((key >> 64) as u64), key as usize & ((1 << SLOT_BITS) - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn ties_go_by_the_order_of_scheduling() {
        let mut c = Clock::new(5);
        c.set(4, 1.0);
        c.set(0, 1.0);
        c.set(2, 0.5);
        assert_eq!(c.next(), (0.5, 2));
        c.clear(2);
        assert_eq!(c.next(), (1.0, 4));
        c.set(4, 1.0);
        assert_eq!(c.next(), (1.0, 0));
    }

    #[test]
    fn a_slot_is_set_again_in_place() {
        let mut c = Clock::new(2);
        c.set(0, 1.0);
        c.set(0, 2.0);
        assert_eq!(c.next(), (2.0, 0));
        c.clear(0);
        assert!(c.next().0.is_nan());
    }
}
