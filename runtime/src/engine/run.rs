//! A planned run of iterations: the stretch of equal ones that is under way, or comes next.
//!
//! Iteration 1 is the one that was planned in full. Those after it last equally long until one takes
//! blocks as it starts, which begins the next stretch; where each ends follows from where its stretch
//! starts. Stretches are laid out one at a time, as the clock reaches them.

use super::{
    phases::Phases,
    steady::{after, below},
};

/// Iterations that last equally long.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stretch {
    /// The first of them, and when it starts.
    pub from: u32,
    pub start: f64,
    /// The one after them, and when that starts.
    pub until: u32,
    pub end: f64,
    /// Seconds that each lasts.
    pub cost: f64,
}

impl Stretch {
    /// How many.
    #[inline]
    pub fn len(&self) -> u32 {
        self.until - self.from
    }

    /// How many of them end before `time`.
    #[inline]
    pub fn ended_before(&self, time: f64) -> u32 {
        below(self.start, self.cost, self.len() as usize, time).0 as u32
    }
}

/// A planned run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    /// Iterations at most; 0: no run.
    most: u32,
    /// When iteration 1 ends.
    pub(super) first: f64,
    /// Those after it, or after the last growth.
    pub(super) stretch: Stretch,
    /// What the iteration after the stretch takes as it starts; 0: the run ends with the stretch.
    pub(super) units: f64,
    /// Seconds that it lasts.
    pub(super) cost: f64,
    /// The step modulo the block of the first iteration that is not laid out, or the block for 0.
    at: usize,
    /// Of those before the stretch, and the first, how many ended before the warm-up.
    pub(super) unmeasured: u32,
    /// The place of the run's end in the order of scheduling.
    pub(super) order: u64,
    /// It was shortened: its last iteration is the one under way.
    short: bool,
    /// That is one in which members take their last tokens, and began in an event.
    finishes: bool,
}

impl Run {
    /// A run is under way.
    #[inline]
    pub fn active(&self) -> bool {
        self.most > 0
    }

    /// Iterations follow the one under way, as far as is known.
    #[inline]
    pub fn goes_on(&self) -> bool {
        self.most > 0 && !self.short
    }

    /// The iteration under way at `now` is the last; whether others were to follow.
    pub fn shorten(&mut self, now: f64) -> bool {
        let planned = self.planned();
        let x = &mut self.stretch;
        let (k, end) = match self.first < now {
            true => {
                let (ended, end) = below(x.start, x.cost, x.len() as usize, now);
                (x.from + ended as u32, end)
            }
            false => (1, self.first),
        };
        (x.until, x.end) = (k + 1, end);
        self.units = 0.0;
        self.short = true;
        planned != Some(k)
    }

    /// The iteration in which members take their last tokens begins at `now`, when those before it are over: when it
    /// ends. It lasts as long as those of the stretch.
    #[inline]
    pub fn finish(&mut self, now: f64) -> f64 {
        self.stretch.until += 1;
        self.stretch.end = now + self.stretch.cost;
        (self.short, self.finishes) = (true, true);
        self.stretch.end
    }

    /// Members take their last tokens in the iteration under way.
    #[inline]
    pub fn finishes(&self) -> bool {
        self.finishes
    }

    /// How many of the `ended` iterations ended in no event: the one before the last one of all did, if that began in
    /// it.
    #[inline]
    pub fn uncounted(&self, ended: u32) -> u32 {
        ended - u32::from(self.finishes)
    }

    /// Units that the next iteration that takes any will take.
    #[inline]
    pub fn growth(&self) -> f64 {
        self.units
    }

    /// A run of at most so many iterations begins: the first ends at `first`, those after it last `cost` seconds and
    /// are laid out from `step` on, the second one's, up to the first that takes blocks. How many residents do, 0 if
    /// the run ends before.
    #[inline]
    pub fn begin(&mut self, most: u32, first: f64, cost: f64, step: u32, phases: &Phases) -> u32 {
        self.most = most;
        self.first = first;
        let stretch = Stretch { from: 2, start: first, until: 2, end: first, cost };
        self.extend(stretch, phases.of(step), phases)
    }

    /// The stretch is over: the next one begins with the iteration that takes blocks, and goes on up to the next
    /// one that does. How many residents do, 0 if the run ends before.
    #[inline]
    pub fn turn(&mut self, phases: &Phases) -> u32 {
        let Stretch { until, end, .. } = self.stretch;
        let next = Stretch { from: until, start: end, until: until + 1, end, cost: self.cost };
        self.extend(next, self.at, phases)
    }

    #[inline]
    fn extend(&mut self, mut x: Stretch, at: usize, phases: &Phases) -> u32 {
        let ahead = phases.ahead(at);
        x.until += ahead as u32;
        let takers = if x.until > self.most {
            x.until = self.most + 1;
            0
        } else {
            // One block less where it is one more: else the difference is greater than any position.
            let at = at + ahead;
            let at = at.min(at.wrapping_sub(phases.block()));
            self.at = at + 1;
            phases.count(at)
        };
        x.end = after(x.start, x.cost, x.len() as usize);
        self.stretch = x;
        takers
    }

    /// Iterations that ended before `now`, when the stretch is under way.
    #[inline]
    pub fn ended_before(&self, now: f64) -> u32 {
        if self.most == 0 || self.first >= now {
            return 0;
        }
        if self.finishes {
            // Also at the very time at which the last one begins.
            return self.stretch.until - 2;
        }
        self.stretch.from - 1 + self.stretch.ended_before(now)
    }

    /// How many iterations there are, when the run ends with the stretch.
    #[inline]
    pub fn planned(&self) -> Option<u32> {
        (self.units == 0.0).then_some(self.stretch.until - 1)
    }

    /// When iteration `k` ends: one of the stretch, the last one before it, or the first of all.
    #[inline]
    pub fn end_of(&self, k: u32) -> f64 {
        let x = &self.stretch;
        debug_assert!(k == 1 || k + 1 >= x.from, "{k} of a stretch from {} on", x.from);
        if k == 1 {
            return self.first;
        }
        if k + 1 == x.until {
            return x.end;
        }
        after(x.start, x.cost, (k + 1 - x.from) as usize)
    }

    /// No run.
    #[inline]
    pub fn clear(&mut self) {
        self.most = 0;
        self.units = 0.0;
        (self.short, self.finishes) = (false, false);
    }
}
