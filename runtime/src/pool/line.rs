//! The requests that wait for a pool, in the order in which they stand.
//!
//! Mostly nobody else waits: who stands first has a place of its own.

use super::queue::Waiter;
use crate::world::Sid;
use std::collections::VecDeque;

/// A queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    /// How many wait.
    count: usize,
    /// Who stands first, if anybody waits.
    first: Waiter,
    /// Those behind.
    others: VecDeque<Waiter>,
}

impl Line {
    /// How many wait.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Who stands first.
    #[inline]
    pub fn first(&self) -> Option<Waiter> {
        (self.count > 0).then_some(self.first)
    }

    /// Who stands at place `at`, from 0 on.
    #[inline]
    pub fn at(&self, at: usize) -> Waiter {
        if at == 0 { self.first } else { self.others[at - 1] }
    }

    /// All of them in order.
    pub fn iter(&self) -> impl Iterator<Item = &Waiter> {
        std::iter::once(&self.first).take(self.count).chain(&self.others)
    }

    /// Somebody comes.
    #[inline]
    pub fn push(&mut self, waiter: Waiter) {
        self.count += 1;
        if self.count > 1 {
            let Waiter { session, stmt, since } = waiter;
            return self.push_behind(session, stmt, since);
        }
        self.first = waiter;
    }

    // By parts, so that the first one is made where it stands.
    #[inline(never)]
    fn push_behind(&mut self, session: Sid, stmt: u32, since: f64) {
        self.others.push_back(Waiter { session, stmt, since });
    }

    /// Somebody comes before all others.
    pub fn push_first(&mut self, waiter: Waiter) {
        if self.count > 0 {
            self.others.push_front(self.first);
        }
        self.count += 1;
        self.first = waiter;
    }

    /// Who stands at place `at` goes; how many still wait.
    pub fn remove(&mut self, at: usize) -> usize {
        let left = self.step_out();
        if left > 0 {
            self.close_up(at);
        }
        left
    }

    /// Somebody goes, whose place the next one is still to [take](Self::close_up) if others wait; how many do.
    #[inline]
    pub fn step_out(&mut self) -> usize {
        self.count -= 1;
        self.count
    }

    /// The place `at`, of who has gone, is taken by who stands behind it.
    #[inline(never)]
    pub fn close_up(&mut self, at: usize) {
        if at > 0 {
            self.others.remove(at - 1);
        } else if let Some(next) = self.others.pop_front() {
            self.first = next;
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
        assert!(line.others.capacity() < 1_000);
    }
}
