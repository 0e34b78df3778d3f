//! Many pending times behind one slot of the clock: a binary heap whose members can be taken out.
//!
//! Members are small numbers given by the owner (jobs of a station, leases), each in the heap at most
//! once. Ties go by the order given with the time.

const ABSENT: u32 = u32::MAX;

/// Time and order, and the member.
type Entry = (u128, u32);

/// A heap of (time, order) by member.
///
/// An owner that often takes members out before their time [adds](Timers::add) all of them: then it is kept where they
/// stand. One that seldom does [schedules](Timers::schedule) all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timers {
    heap: Vec<Entry>,
    /// Where each member stands in the heap that was added.
    place: Vec<u32>,
}

impl Timers {
    /// Members present.
    #[inline]
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Adds a member that is not in, and that [`Timers::remove`] finds; times are not negative.
    pub fn add(&mut self, time: f64, order: u64, member: u32) {
        let i = member as usize;
        if i >= self.place.len() {
            self.place.resize(i + 1, ABSENT);
        }
        debug_assert!(self.place[i] == ABSENT);
        self.insert(time, order, member, true);
    }

    /// As [`Timers::add`], of a member that only [`Timers::search_out`] takes out; whether it is now the earliest.
    #[inline]
    pub fn schedule(&mut self, time: f64, order: u64, member: u32) -> bool {
        self.insert(time, order, member, false)
    }

    #[inline]
    fn insert(&mut self, time: f64, order: u64, member: u32, find: bool) -> bool {
        let entry = (u128::from(time.to_bits()) << 64 | u128::from(order), member);
        self.heap.push(entry);
        self.up(self.heap.len() - 1, entry, find) == 0
    }

    /// Members present, in no order that means anything.
    pub fn members(&self) -> impl Iterator<Item = u32> + '_ {
        self.heap.iter().map(|(_, member)| *member)
    }

    /// The earliest: time, order, member.
    #[inline]
    pub fn first(&self) -> Option<(f64, u64, u32)> {
        self.heap
            .first()
            .map(|&(key, member)| (f64::from_bits((key >> 64) as u64), key as u64, member))
    }

    /// Takes the earliest out, one that was [scheduled](Timers::schedule): its time and itself.
    #[inline]
    pub fn pop(&mut self) -> Option<(f64, u32)> {
        let last = self.heap.pop()?;
        let first = match self.heap.first() {
            None => last,
            Some(&first) => {
                self.down(0, last, false);
                first
            }
        };
        Some((f64::from_bits((first.0 >> 64) as u64), first.1))
    }

    /// Whether a member is in.
    #[inline]
    pub fn has(&self, member: u32) -> bool {
        self.place.get(member as usize).is_some_and(|at| *at != ABSENT)
    }

    /// Takes a member out that was [scheduled](Timers::schedule), if it is in: who is taken away before its time is
    /// searched for, so that nothing has to be kept to find all the others.
    pub fn search_out(&mut self, member: u32) {
        let Some(at) = self.heap.iter().position(|entry| entry.1 == member) else { return };
        if let Some(last) = self.heap.pop()
            && at < self.heap.len()
        {
            self.down(at, last, false);
        }
    }

    /// Takes a member out; false if it is not in.
    pub fn remove(&mut self, member: u32) -> bool {
        let Some(&at) = self.place.get(member as usize) else { return false };
        if at == ABSENT {
            return false;
        }
        self.place[member as usize] = ABSENT;
        let Some(last) = self.heap.pop() else { return false };
        if (at as usize) < self.heap.len() {
            self.down(at as usize, last, true);
        }
        true
    }

    /// The times, in no order.
    pub fn times(&self) -> impl Iterator<Item = f64> + '_ {
        self.heap.iter().map(|&(key, _)| f64::from_bits((key >> 64) as u64))
    }

    #[inline]
    fn put(&mut self, at: usize, entry: Entry, find: bool) {
        self.heap[at] = entry;
        if find {
            self.place[entry.1 as usize] = at as u32;
        }
    }

    /// An entry takes the room at `hole`, or one above it, which is returned.
    #[inline]
    fn up(&mut self, mut hole: usize, entry: Entry, find: bool) -> usize {
        while hole > 0 {
            let above = self.heap[(hole - 1) / 2];
            if above.0 <= entry.0 {
                break;
            }
            self.put(hole, above, find);
            hole = (hole - 1) / 2;
        }
        self.put(hole, entry, find);
        hole
    }

    /// An entry takes the room at `hole`, or one below or above it. It was a leaf, so the hole goes
    /// down to a leaf at once, and the entry up from there.
    fn down(&mut self, mut hole: usize, entry: Entry, find: bool) {
        let n = self.heap.len();
        let mut child = 2 * hole + 1;
        while child < n {
            let right = (child + 1).min(n - 1);
            child += usize::from(self.heap[right].0 < self.heap[child].0);
            self.put(hole, self.heap[child], find);
            hole = child;
            child = 2 * hole + 1;
        }
        self.up(hole, entry, find);
    }
}

#[cfg(test)]
mod tests {
    use super::Timers;
    use crate::rng::{Stream, StreamKind};

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

    #[test]
    fn the_layout_is_the_same_whether_members_are_found_or_searched_for() {
        let (mut found, mut searched) = (Timers::default(), Timers::default());
        let mut draws = Stream::new(1, StreamKind::Machine, 0, 0);
        let mut free: Vec<u32> = (0..100).collect();
        for order in 0..10_000 {
            let more = draws.bernoulli(0.5) == 1.0 && !free.is_empty();
            let member = if more || found.len() == 0 {
                let (time, member) = (draws.exp(1.0), free.pop().unwrap_or_default());
                found.add(time, order, member);
                searched.schedule(time, order, member);
                continue;
            } else if draws.bernoulli(0.5) == 1.0 {
                let least = found.times().fold(f64::INFINITY, f64::min);
                let (time, member) = searched.pop().unwrap_or_default();
                assert_eq!(time, least);
                member
            } else {
                let member = found.members().nth(draws.below(found.len() as u64) as usize);
                searched.search_out(member.unwrap_or_default());
                member.unwrap_or_default()
            };
            assert!(found.remove(member) && !found.remove(member));
            searched.search_out(member);
            free.push(member);
            assert!(found.times().eq(searched.times()));
        }
    }
}
