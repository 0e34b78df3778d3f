//! The clock: one slot per thing that can happen next, and which of them is the earliest.
//!
//! In: `set`, `clear` of slots. Out: the earliest slot, by time and then by the order in which the
//! events were scheduled. Times are not negative. Where a program says that its slots are few, they are only written,
//! and compared when the next event is asked for. Otherwise the earliest is kept; when it is put off, the others are looked
//! through. Where there is more than one block of slots, their earliest are in a winner tree. An event
//! that was scheduled anew leaves nothing behind.

use super::block::{BLOCK, Block, Key, MOST_SLOTS, Marks, NEVER};
use crate::rare::rarely;

/// So few slots are looked at one after the other.
pub(crate) const FEW: usize = 4;

/// How many slots a clock has, as far as its program says it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slots {
    /// So many, at most [`FEW`].
    Few(usize),
    /// Known in a run.
    Any,
}

/// The next event of each slot. Public for the benchmarks alone.
#[derive(Clone, Debug)]
pub struct Clock {
    /// The first slots, unless there are more blocks.
    first: Block,
    /// The earliest of all.
    root: Key,
    /// All of them, where one is not enough.
    blocks: Vec<Block>,
    /// Winners of blocks: node `i` has the children `2i` and `2i + 1`, the leaves are the second half. Empty when one
    /// block is enough.
    nodes: Vec<Key>,
    /// How many slots.
    slots: usize,
    order: u64,
    marks: Marks,
    /// Takes in what follows in a slot whose event has come, by how many slots there are.
    follow: fn(&mut Clock, usize, Key),
}

impl Clock {
    /// A clock of so many slots.
    pub fn new(slots: usize) -> Self {
        debug_assert!(slots <= MOST_SLOTS);
        let blocks = if slots > BLOCK { slots.div_ceil(BLOCK) } else { 0 };
        let nodes = if blocks > 0 { 2 * blocks.next_power_of_two() } else { 0 };
        Self {
            first: Block::EMPTY,
            root: NEVER,
            blocks: vec![Block::EMPTY; blocks],
            nodes: vec![NEVER; nodes],
            slots,
            order: 0,
            marks: std::array::from_fn(|i| 1 << i),
            follow: match slots {
                n if n <= FEW => Self::follow_few,
                n if n <= 8 => Self::follow_within::<8>,
                n if n <= 12 => Self::follow_within::<12>,
                n if n <= 16 => Self::follow_within::<16>,
                n if n <= 24 => Self::follow_within::<24>,
                n if n <= BLOCK => Self::follow_within::<BLOCK>,
                _ => Self::compete,
            },
        }
    }

    /// The clock of a program that says so of its slots. What was set with [`Slots::Any`] is found either way; what was
    /// set with [`Slots::Few`] is found with `Few` alone.
    #[inline]
    pub(crate) fn of(&mut self, slots: Slots) -> ClockOf<'_> {
        ClockOf { clock: self, slots }
    }

    /// The next place in the order of scheduling.
    #[inline]
    pub fn next_order(&mut self) -> u64 {
        self.order += 1;
        self.order
    }

    /// What [`Clock::next_order`] will say.
    #[inline]
    pub(crate) fn coming_order(&self) -> u64 {
        self.order + 1
    }

    /// Schedules the event of `slot` anew.
    #[inline]
    pub fn set(&mut self, slot: usize, time: f64) {
        self.of(Slots::Any).set(slot, time);
    }

    /// As `set`, with a place in the order that was given out earlier.
    #[inline]
    pub fn set_in_order(&mut self, slot: usize, time: f64, order: u64) {
        self.of(Slots::Any).set_in_order(slot, time, order);
    }

    /// As [`ClockOf::show`].
    #[inline]
    pub(crate) fn show(&mut self, slot: usize, first: Option<(f64, u64, u32)>) {
        self.of(Slots::Any).show(slot, first);
    }

    /// Nothing is scheduled for `slot`.
    #[inline]
    pub fn clear(&mut self, slot: usize) {
        self.of(Slots::Any).clear(slot);
    }

    /// Time and slot of the earliest event; time infinite when there is none.
    // No iterator: the event stays until its slot is set again or cleared.
    #[inline]
    #[expect(clippy::should_implement_trait)]
    pub fn next(&mut self) -> (f64, usize) {
        self.of(Slots::Any).next()
    }

    /// Takes out the earliest event, of which there is one: its slot.
    #[inline]
    pub(crate) fn take_first(&mut self) -> usize {
        let slot = self.root.slot();
        if self.slots <= 2 {
            self.first.write(slot, NEVER);
            self.root = self.first.key(slot ^ 1);
        } else {
            (self.follow)(self, slot, NEVER);
        }
        slot
    }

    #[inline]
    fn write(&mut self, slot: usize, key: Key) {
        if rarely(!self.nodes.is_empty()) {
            return self.compete(slot, key);
        }
        self.first.write(slot, key);
        if key.before(self.root) {
            self.root = key;
        } else if self.root.slot() == slot {
            // At once: what else the event has to do is done meanwhile.
            (self.follow)(self, slot, key);
        }
    }

    /// As `write`, of the slot whose event has come, or was put off, among few slots: all are looked at.
    fn follow_few(&mut self, slot: usize, key: Key) {
        self.first.write(slot, key);
        self.root = self.first.least_of(self.slots);
    }

    /// As `follow_few`, of at most N slots.
    fn follow_within<const N: usize>(&mut self, slot: usize, key: Key) {
        self.first.write(slot, key);
        match self.first.least_within::<N>(&self.marks) {
            Ok(least) => self.root = least,
            Err(time) => self.choose(time),
        }
    }

    /// Several slots have the least time.
    #[cold]
    #[inline(never)]
    fn choose(&mut self, time: f64) {
        self.root = self.first.least_at(time);
    }

    /// The winners of a slot's block, and of what the block is part of, anew.
    fn compete(&mut self, slot: usize, key: Key) {
        self.blocks[slot / BLOCK].write(slot, key);
        let mut node = self.nodes.len() / 2 + slot / BLOCK;
        let was = self.nodes[node];
        let mut winner = key;
        if !key.before(was) {
            if was.slot() != slot {
                return;
            }
            let block = &self.blocks[slot / BLOCK];
            winner = block
                .least_within::<BLOCK>(&self.marks)
                .unwrap_or_else(|time| block.least_at(time));
        }
        while node > 1 {
            self.nodes[node] = winner;
            let other = self.nodes[node ^ 1];
            winner = if other.before(winner) { other } else { winner };
            node >>= 1;
        }
        self.root = winner;
    }
}

/// A clock, and what its program says of its slots.
pub(crate) struct ClockOf<'a> {
    clock: &'a mut Clock,
    slots: Slots,
}

impl ClockOf<'_> {
    /// Schedules the event of `slot` anew.
    #[inline]
    pub fn set(self, slot: usize, time: f64) {
        let order = self.clock.next_order();
        self.set_in_order(slot, time, order);
    }

    /// As `set`, with a place in the order that was given out earlier.
    #[inline]
    pub fn set_in_order(self, slot: usize, time: f64, order: u64) {
        self.write(slot, Key::new(slot, time, order));
    }

    /// What is due in `slot` is the first of many, if any: time, place in the order, and which.
    #[inline]
    pub fn show(self, slot: usize, first: Option<(f64, u64, u32)>) {
        match first {
            Some((time, order, _)) => self.set_in_order(slot, time, order),
            None => self.clear(slot),
        }
    }

    /// As `show`, of the slot whose event has come.
    #[inline]
    pub fn show_next(self, slot: usize, first: Option<(f64, u64, u32)>) {
        let key = first.map_or(NEVER, |(time, order, _)| Key::new(slot, time, order));
        self.follow(slot, key);
    }

    /// The event of `slot` has come, and none follows yet.
    #[inline]
    pub fn take_out(self, slot: usize) {
        self.follow(slot, NEVER);
    }

    #[inline]
    fn follow(self, slot: usize, key: Key) {
        match self.slots {
            Slots::Few(_) => self.clock.first.write(slot, key),
            Slots::Any => (self.clock.follow)(self.clock, slot, key),
        }
    }

    /// Nothing is scheduled for `slot`.
    #[inline]
    pub fn clear(self, slot: usize) {
        self.write(slot, NEVER);
    }

    #[inline]
    fn write(self, slot: usize, key: Key) {
        match self.slots {
            Slots::Few(_) => self.clock.first.write(slot, key),
            Slots::Any => self.clock.write(slot, key),
        }
    }

    /// Time and slot of the earliest event; time infinite when there is none.
    #[inline]
    pub fn next(self) -> (f64, usize) {
        let key = match self.slots {
            Slots::Few(slots) => self.clock.first.least_of(slots),
            Slots::Any => self.clock.root,
        };
        (f64::from_bits(key.time), key.slot())
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, FEW, Slots};
    use crate::rng::{Stream, StreamKind};

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
        assert_eq!(c.next().0, f64::INFINITY);
    }

    /// The earliest by this clock is the earliest at any time.
    fn finds_the_earliest(slots: usize, said: Slots) {
        let mut draws = Stream::new(7, StreamKind::Machine, slots as u64, 0);
        let mut clock = Clock::new(slots);
        let mut times = vec![None; slots];
        for order in 1..=5000 {
            // Now and then what is due, as in a run; ties are common.
            let any = draws.below(slots as u64) as usize;
            let due = (draws.bernoulli(0.5) == 1.0).then(|| clock.of(said).next().1);
            let slot = due.filter(|due| *due < slots).unwrap_or(any);
            times[slot] = (draws.bernoulli(0.7) == 1.0)
                .then(|| (draws.below(20) + order as u64 / 100, clock.next_order()));
            match times[slot] {
                Some((time, order)) if order % 3 == 0 => {
                    clock.of(said).show_next(slot, Some((time as f64, order, 0)));
                }
                Some((time, order)) => clock.of(said).set_in_order(slot, time as f64, order),
                None if order % 3 == 0 => clock.of(said).take_out(slot),
                None => clock.of(said).clear(slot),
            }
            // Not after every change.
            if draws.bernoulli(0.3) == 1.0 {
                continue;
            }
            let set = times.iter().enumerate().filter_map(|(i, t)| t.map(|t| (t, i)));
            match set.min() {
                Some(((time, _), slot)) => assert_eq!(clock.of(said).next(), (time as f64, slot)),
                None => assert_eq!(clock.of(said).next().0, f64::INFINITY),
            }
        }
    }

    #[test]
    fn the_earliest_of_few_and_of_many() {
        for slots in [1, 2, 7, 8, 10, 16, 17, 25, 32, 33, 40, 100, 1000] {
            finds_the_earliest(slots, Slots::Any);
        }
        for slots in 1..=FEW {
            finds_the_earliest(slots, Slots::Few(slots));
        }
    }
}
