//! Many pending times behind one slot of the clock: a binary heap whose members can be taken out.
//!
//! Members are small numbers given by the owner (leases), each in the heap at most once. Ties go by the order given
//! with the time. What seldom goes before its time is in a [`Heap`](super::Heap).

use super::sift::{self, Keyed, key, time_of};

const ABSENT: u32 = u32::MAX;

/// Time and order, and the member.
type Entry = (u128, u32);

impl Keyed for Entry {
    #[inline]
    fn key(&self) -> u128 {
        self.0
    }
}

/// A heap of (time, order) by member.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timers {
    heap: Vec<Entry>,
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
        let entry = (key(time, order), member);
        let at = self.heap.len();
        self.heap.push(entry);
        let Self { heap, place } = self;
        sift::up(heap, at, entry, |entry, at| place[entry.1 as usize] = at as u32);
    }

    /// The earliest: time, order, member.
    #[inline]
    pub fn first(&self) -> Option<(f64, u64, u32)> {
        self.heap.first().map(|&(key, member)| (time_of(key), key as u64, member))
    }

    /// Whether a member is in.
    #[inline]
    pub fn has(&self, member: u32) -> bool {
        self.place.get(member as usize).is_some_and(|at| *at != ABSENT)
    }

    /// Takes a member out; false if it is not in.
    pub fn remove(&mut self, member: u32) -> bool {
        let Some(&at) = self.place.get(member as usize) else { return false };
        if at == ABSENT {
            return false;
        }
        self.place[member as usize] = ABSENT;
        let Some(last) = self.heap.pop() else { return false };
        let Self { heap, place } = self;
        if (at as usize) < heap.len() {
            sift::down(heap, at as usize, last, |entry, at| place[entry.1 as usize] = at as u32);
        }
        true
    }

    /// The times, in no order.
    #[cfg(test)]
    pub fn times(&self) -> impl Iterator<Item = f64> + '_ {
        self.heap.iter().map(|&(key, _)| time_of(key))
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
