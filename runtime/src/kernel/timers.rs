//! Many pending times behind one slot of the clock: a binary heap whose members can be taken out.
//!
//! Members are small numbers given by the owner (jobs of a station, leases), each in the heap at most
//! once. Ties go by the order given with the time.

use super::clock::Clock;

const ABSENT: u32 = u32::MAX;

/// A heap of (time, order) by member.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timers {
    heap: Vec<(u128, u32)>,
    /// Where each member stands in the heap.
    place: Vec<u32>,
}

impl Timers {
    /// Members present.
    #[inline]
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Adds a member that is not in; times are not negative.
    pub fn add(&mut self, time: f64, order: u64, member: u32) {
        let i = member as usize;
        if i >= self.place.len() {
            self.place.resize(i + 1, ABSENT);
        }
        debug_assert!(self.place[i] == ABSENT);
        self.heap.push((u128::from(time.to_bits()) << 64 | u128::from(order), member));
        self.up(self.heap.len() - 1);
    }

    /// The earliest: time, order, member.
    #[inline]
    pub fn first(&self) -> Option<(f64, u64, u32)> {
        self.heap
            .first()
            .map(|&(key, member)| (f64::from_bits((key >> 64) as u64), key as u64, member))
    }

    /// Takes a member out, if it is in.
    pub fn remove(&mut self, member: u32) {
        let Some(&at) = self.place.get(member as usize) else { return };
        if at == ABSENT {
            return;
        }
        let at = at as usize;
        self.place[member as usize] = ABSENT;
        self.heap.swap_remove(at);
        if at < self.heap.len() {
            self.place[self.heap[at].1 as usize] = at as u32;
            self.down(at);
            self.up(at);
        }
    }

    /// The times, in no order.
    pub fn times(&self) -> impl Iterator<Item = f64> + '_ {
        self.heap.iter().map(|&(key, _)| f64::from_bits((key >> 64) as u64))
    }

    /// Shows the earliest in `slot` of the clock.
    #[inline]
    pub fn show(&self, clock: &mut Clock, slot: usize) {
        match self.first() {
            Some((time, order, _)) => clock.set_in_order(slot, time, order),
            None => clock.clear(slot),
        }
    }

    fn up(&mut self, mut i: usize) {
        while i > 0 {
            let parent = (i - 1) / 2;
            if self.heap[parent].0 <= self.heap[i].0 {
                break;
            }
            self.heap.swap(parent, i);
            self.place[self.heap[i].1 as usize] = i as u32;
            i = parent;
        }
        self.place[self.heap[i].1 as usize] = i as u32;
    }

    fn down(&mut self, mut i: usize) {
        loop {
            let left = 2 * i + 1;
            if left >= self.heap.len() {
                break;
            }
            let right = left + 1;
            let least = if right < self.heap.len() && self.heap[right].0 < self.heap[left].0 {
                right
            } else {
                left
            };
            if self.heap[i].0 <= self.heap[least].0 {
                break;
            }
            self.heap.swap(i, least);
            self.place[self.heap[i].1 as usize] = i as u32;
            i = least;
        }
        self.place[self.heap[i].1 as usize] = i as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::Timers;

    #[test]
    fn members_come_out_in_order_and_can_be_taken_out() {
        let mut t = Timers::default();
        for (i, time) in [5.0, 1.0, 3.0, 1.0, 4.0].into_iter().enumerate() {
            t.add(time, i as u64, i as u32);
        }
        t.remove(2);
        t.remove(2);
        let mut seen = Vec::new();
        while let Some((_, _, m)) = t.first() {
            seen.push(m);
            t.remove(m);
        }
        assert_eq!(seen, [1, 3, 4, 0]);
    }
}
