//! A planned run of iterations, in stretches of equal ones.
//!
//! Iteration 1 is the one that was planned in full. Those after it last equally long until one takes
//! blocks as it starts; where each ends follows from where its stretch starts.

use super::steady::{after, below};

/// An iteration of a run, not the first, that takes blocks as it starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth {
    /// Which one.
    pub iteration: u32,
    /// When it starts.
    pub time: f64,
    /// Units that it takes.
    pub units: f64,
    /// Seconds that it and those up to the next growth last.
    pub cost: f64,
}

/// A planned run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    /// Iterations; 0: no run.
    pub(super) len: usize,
    /// When iteration 1 ends, and the last.
    pub(super) first: f64,
    pub(super) last: f64,
    /// Seconds that iterations from the second on last before the first growth.
    pub(super) cost: f64,
    pub(super) growth: Vec<Growth>,
    /// How many growths were applied, and the units of the others.
    pub(super) grown: usize,
    pub(super) growth_left: f64,
}

/// Iterations that last equally long.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// The first of them, and when it starts.
    from: usize,
    start: f64,
    /// The one after them.
    until: usize,
    /// Seconds that each lasts.
    cost: f64,
}

impl Run {
    /// A run is under way.
    #[inline]
    pub fn active(&self) -> bool {
        self.len > 0
    }

    /// Units that it will still take.
    #[inline]
    pub fn growth_left(&self) -> f64 {
        self.growth_left
    }

    /// When it next grows.
    #[inline]
    pub fn next_growth(&self) -> Option<f64> {
        self.growth.get(self.grown).map(|g| g.time)
    }

    /// The stretch that begins with growth `i - 1`, or the one before all growths.
    #[inline]
    fn stretch(&self, i: usize) -> Stretch {
        let until = self.growth.get(i).map_or(self.len + 1, |g| g.iteration as usize);
        match i.checked_sub(1).map(|before| &self.growth[before]) {
            None => Stretch { from: 2, start: self.first, until, cost: self.cost },
            Some(g) => Stretch { from: g.iteration as usize, start: g.time, until, cost: g.cost },
        }
    }

    /// Iterations that ended before `now`.
    #[inline]
    pub fn ended_before(&self, now: f64) -> usize {
        if self.len == 0 || self.first >= now {
            return 0;
        }
        let x = self.stretch(self.growth.partition_point(|g| g.time < now));
        x.from - 1 + below(x.start, x.cost, x.until - x.from, now)
    }

    /// When iteration `k` ends, and how long it lasts; `None` for how long the first does.
    pub fn end_of(&self, k: usize) -> (f64, Option<f64>) {
        if k == 1 {
            return (self.first, None);
        }
        let x = self.stretch(self.growth.partition_point(|g| g.iteration as usize <= k));
        (after(x.start, x.cost, k + 1 - x.from), Some(x.cost))
    }

    /// Calls `f` with the number and the length (s) of iterations that last equally long, of those
    /// from `first` (2 at least) to `last`.
    #[inline]
    pub fn stretches(&self, first: usize, last: usize, mut f: impl FnMut(u64, f64)) {
        let (mut from, mut cost, mut i) = (first, self.cost, 0);
        while from <= last {
            let (until, next) = match self.growth.get(i) {
                Some(g) => ((g.iteration as usize).min(last + 1), g.cost),
                None => (last + 1, cost),
            };
            if until > from {
                f((until - from) as u64, cost);
                from = until;
            }
            (cost, i) = (next, i + 1);
        }
    }

    /// No run.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
        self.growth.clear();
        self.grown = 0;
        self.growth_left = 0.0;
    }
}
