//! A clock of a few slots, each the time of what happens there next.
//!
//! A winner tree: an update walks from the leaf to the root. Of equal times the lower slot comes first.

/// No event.
const NEVER: u128 = u128::MAX;

/// The next event of each slot.
pub(crate) struct Slots {
    /// The root is 1, node `i` has the children `2i` and `2i + 1`.
    nodes: Vec<u128>,
}

impl Slots {
    pub fn new(slots: usize) -> Self {
        Self { nodes: vec![NEVER; 2 * slots.next_power_of_two().max(2)] }
    }

    /// Schedules the event of a slot at `time`; infinity takes it away.
    #[inline]
    pub fn set(&mut self, slot: usize, time: f64) {
        let mut i = self.nodes.len() / 2 + slot;
        // Times are not negative, so their bits are ordered as they are.
        self.nodes[i] = u128::from(time.to_bits()) << 64 | slot as u128;
        while i > 1 {
            let winner = self.nodes[i].min(self.nodes[i ^ 1]);
            i /= 2;
            self.nodes[i] = winner;
        }
    }

    /// Time and slot of the earliest event.
    #[inline]
    pub fn next(&self) -> (f64, usize) {
        let key = self.nodes[1];
        (f64::from_bits((key >> 64) as u64), key as u32 as usize)
    }
}
