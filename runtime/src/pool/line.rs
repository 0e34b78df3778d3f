//! The requests that wait for a pool, in the order in which they stand.
//!
//! Nearly all of them come at the end and go from the front, and mostly nobody else waits then: a list of
//! which the first ones have gone takes fewer steps than a ring.

use super::queue::Waiter;

/// So many may have gone before the list is looked at.
const GONE: usize = 64;
/// Room that is made at the front, at least.
const ROOM: usize = 16;

/// A queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    list: Vec<Waiter>,
    /// Those before have gone.
    from: usize,
}

impl Line {
    /// How many wait.
    #[inline]
    pub fn len(&self) -> usize {
        self.list.len() - self.from
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.list.len() == self.from
    }

    /// Who stands first.
    #[inline]
    pub fn first(&self) -> Option<Waiter> {
        self.list.get(self.from).copied()
    }

    /// Who stands at place `at`, from 0 on.
    #[inline]
    pub fn at(&self, at: usize) -> Waiter {
        self.list[self.from + at]
    }

    /// All of them in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Waiter> {
        self.list[self.from..].iter()
    }

    /// Somebody comes.
    #[inline]
    pub fn push(&mut self, waiter: Waiter) {
        self.list.push(waiter);
    }

    /// Somebody comes before all others.
    pub fn push_first(&mut self, waiter: Waiter) {
        if self.from == 0 {
            let room = ROOM.max(self.list.len() / 4);
            self.list.splice(0..0, std::iter::repeat_n(waiter, room));
            self.from = room;
        }
        self.from -= 1;
        self.list[self.from] = waiter;
    }

    /// Who stands at place `at` goes.
    #[inline]
    pub fn remove(&mut self, at: usize) {
        if at > 0 {
            self.list.remove(self.from + at);
            return;
        }
        self.from += 1;
        if self.from == self.list.len() {
            self.list.clear();
            self.from = 0;
        } else if self.from.is_multiple_of(GONE) {
            self.close_up();
        }
    }

    /// Forgets those that have gone where they are the most of the list.
    #[cold]
    fn close_up(&mut self) {
        if self.from > self.list.len() / 2 {
            self.list.drain(..self.from);
            self.from = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Waiter};
    use std::collections::VecDeque;

    fn waiter(session: u32) -> Waiter {
        Waiter { session, stmt: 0, since: 0.0 }
    }

    #[test]
    fn all_stand_as_in_a_ring() {
        let (mut line, mut ring) = (Line::default(), VecDeque::new());
        let mut x = 1_u32;
        for i in 0..20_000_u32 {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Longer at first, shorter later.
            let grows = (x >> 16) % 100 < if i < 8_000 { 60 } else { 45 };
            match (grows, (x >> 8) % 8) {
                (true, 0) => {
                    line.push_first(waiter(i));
                    ring.push_front(i);
                }
                (true, _) => {
                    line.push(waiter(i));
                    ring.push_back(i);
                }
                (false, way) if !ring.is_empty() => {
                    let at = if way == 0 { x as usize % ring.len() } else { 0 };
                    assert_eq!(line.at(at).session, ring[at]);
                    line.remove(at);
                    ring.remove(at);
                }
                _ => {}
            }
            assert_eq!(line.len(), ring.len());
            assert_eq!(line.is_empty(), ring.is_empty());
            assert_eq!(line.first().map(|x| x.session), ring.front().copied());
            if i % 97 == 0 {
                assert!(line.iter().map(|x| x.session).eq(ring.iter().copied()));
            }
        }
    }

    #[test]
    fn those_who_have_gone_take_no_room() {
        let mut line = Line::default();
        line.push(waiter(0));
        for i in 1..100_000 {
            line.push(waiter(i));
            line.remove(0);
        }
        assert_eq!(line.len(), 1);
        assert!(line.list.len() < 1_000);
    }
}
