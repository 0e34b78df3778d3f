//! Jobs of a station by the time of their end, or by the mark of the station's own clock: a binary heap.
//!
//! Ties go by the order given with the time. Nothing is kept to find a job by: who is taken away before its time,
//! which is seldom, is searched for. Pending times that often go are [`Timers`](super::Timers).

use super::sift::{self, Keyed, key, time_of};

/// A job: when it ends and the order, in one number; when it began (0 where nobody asks), and whose it is.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u128,
    since: f64,
    member: u32,
}

/// A heap of jobs, each of a member that is a small number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    entries: Vec<Entry>,
}

impl Keyed for Entry {
    #[inline]
    fn key(&self) -> u128 {
        self.key
    }
}

impl Heap {
    /// Jobs present.
    #[inline]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds a job that began at `since`; whether it is now the first to end. Times are not negative.
    #[inline]
    pub fn schedule(&mut self, time: f64, order: u64, member: u32, since: f64) -> bool {
        let key = key(time, order);
        let entry = Entry { key, since, member };
        let at = self.entries.len();
        self.entries.push(entry);
        if at == 0 {
            return true;
        }
        if self.entries[(at - 1) / 2].key <= key {
            return false;
        }
        sift::up(&mut self.entries, at, entry, |_, _| {}) == 0
    }

    /// The first to end: time, order, member.
    #[inline]
    pub fn first(&self) -> Option<(f64, u64, u32)> {
        self.entries.first().map(|e| (time_of(e.key), e.key as u64, e.member))
    }

    /// Takes the first to end out: its time, its member, and when it began.
    #[inline]
    pub fn pop(&mut self) -> Option<(f64, u32, f64)> {
        let &Entry { key, since, member } = self.entries.first()?;
        if self.entries.len() == 1 {
            self.entries.clear();
        } else {
            self.take_out(0);
        }
        Some((time_of(key), member, since))
    }

    /// Takes a member's job out, if there is one.
    pub fn search_out(&mut self, member: u32) {
        if let Some(at) = self.entries.iter().position(|e| e.member == member) {
            self.take_out(at);
        }
    }

    /// Members present, in no order that means anything.
    pub fn members(&self) -> impl Iterator<Item = u32> + '_ {
        self.entries.iter().map(|e| e.member)
    }

    /// When they end, in the same order.
    pub fn times(&self) -> impl Iterator<Item = f64> + '_ {
        self.entries.iter().map(|e| time_of(e.key))
    }

    /// Takes the job at this place out.
    #[inline(never)]
    fn take_out(&mut self, at: usize) {
        if let Some(last) = self.entries.pop()
            && at < self.entries.len()
        {
            sift::down(&mut self.entries, at, last, |_, _| {});
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Heap;
    use crate::{
        kernel::Timers,
        rng::{Stream, StreamKind},
    };

    #[test]
    fn the_layout_is_that_of_timers() {
        let (mut timers, mut heap) = (Timers::default(), Heap::default());
        let mut draws = Stream::new(1, StreamKind::Machine, 0, 0);
        let mut free: Vec<u32> = (0..100).collect();
        for order in 0..10_000 {
            if (draws.bernoulli(0.5) == 1.0 && !free.is_empty()) || heap.len() == 0 {
                let (time, member) = (draws.exp(1.0), free.pop().unwrap_or_default());
                timers.add(time, order, member);
                let first = heap.schedule(time, order, member, time - 1.0);
                assert_eq!(first, heap.first().is_some_and(|(.., first)| first == member));
                continue;
            }
            let member = if draws.bernoulli(0.5) == 1.0 {
                let least = heap.times().fold(f64::INFINITY, f64::min);
                let (time, member, since) = heap.pop().unwrap_or_default();
                assert_eq!((time, since), (least, least - 1.0));
                member
            } else {
                let any = draws.below(heap.len() as u64) as usize;
                let member = heap.members().nth(any).unwrap_or_default();
                heap.search_out(member);
                member
            };
            assert!(timers.remove(member) && !timers.remove(member));
            heap.search_out(member);
            free.push(member);
            assert!(heap.times().eq(timers.times()));
        }
    }
}
