//! What the network knows of a flow and of a link.

use crate::{
    kernel::earlier,
    settings::Settings,
    station::Measures,
    stats::TimeAverage,
    world::{Sid, StageKey, StageSpec},
};

/// The links of a flow in their order: nearly always the two ends of a read.
#[derive(Clone, Debug, Default)]
pub(in crate::flows) struct Route {
    two: [u32; 2],
    len: u32,
    /// All of them, where they are more than two.
    more: Box<[u32]>,
}

impl<const N: usize> From<[u32; N]> for Route {
    #[inline]
    fn from(links: [u32; N]) -> Self {
        let link = |i: usize| links.get(i).copied().unwrap_or_default();
        let two = [link(0), link(1)];
        Self { two, len: N as u32, more: if N <= 2 { Box::default() } else { Box::new(links) } }
    }
}

impl Route {
    #[inline]
    pub fn links(&self) -> &[u32] {
        self.two.get(..self.len as usize).unwrap_or(&self.more)
    }

    /// Nearly always.
    #[inline]
    pub fn is_two(&self) -> bool {
        self.len == 2
    }

    /// Does something for each of its links.
    #[inline(always)]
    pub fn each(&self, mut on: impl FnMut(u32)) {
        // As a rule, without a loop.
        if self.len == 2 {
            on(self.two[0]);
            on(self.two[1]);
        } else {
            self.links().iter().for_each(|&i| on(i));
        }
    }

    /// The least of what its links have, none of which is NaN.
    #[inline]
    pub fn least(&self, of: impl Fn(u32) -> f64) -> f64 {
        let mut least = f64::INFINITY;
        self.each(|i| least = earlier(of(i), least));
        least
    }

    /// Whether some link of it is one of these.
    #[inline]
    pub fn some(&self, one: impl Fn(u32) -> bool) -> bool {
        match self.len {
            2 => one(self.two[0]) || one(self.two[1]),
            _ => self.links().iter().any(|&i| one(i)),
        }
    }
}

/// Work on its way over some links.
#[derive(Clone, Debug)]
pub(in crate::flows) struct Flow {
    pub session: Sid,
    /// Its place in start order; parts of one read share it.
    pub order: u64,
    /// It is a part of a read.
    pub part: bool,
    pub route: Route,
    pub work: f64,
    pub left: f64,
    pub rate: f64,
    pub started: f64,
    /// It is in the part of the network that is divided anew.
    pub reached: bool,
}

impl Flow {
    /// One that starts now; it has no rate yet.
    #[inline]
    pub fn new(now: f64, of: Owner, route: Route, work: f64) -> Self {
        let Owner { session, order, part } = of;
        let (left, rate, reached) = (work, 0.0, false);
        Self { session, order, part, route, work, left, rate, started: now, reached }
    }

    /// When it ends; one that is done up to rounding ends at once.
    #[inline]
    pub fn end(&self, now: f64) -> f64 {
        let left = self.left.max(0.0);
        let time = left / self.rate;
        if left <= 1e-12 * self.work || time < 1e-12 { now } else { now + time }
    }
}

/// Whose flow it is: its session, start order, and whether it is a part of a read.
#[derive(Clone, Copy, Debug)]
pub(in crate::flows) struct Owner {
    pub session: Sid,
    pub order: u64,
    pub part: bool,
}

/// A link as the network knows it.
#[derive(Clone, Debug)]
pub(in crate::flows) struct LinkState {
    pub key: StageKey,
    pub capacity: f64,
    pub measures: Measures,
    /// Rate carried over capacity.
    pub carried: TimeAverage,
    /// Who reads how many flows it has: [`StageSpec::dirty`] and [`StageSpec::kept`].
    pub dirty: u64,
    pub kept: u64,
    /// Somebody does.
    pub read: bool,
    pub flows: u32,
    /// While rates are found: capacity left, flows that have no rate yet, and the equal part of each.
    pub left: f64,
    pub open: u32,
    pub part: f64,
    /// What the flows take, and that over the capacity.
    pub rate: f64,
    pub load: f64,
    /// As [`Flow::reached`].
    pub reached: bool,
}

impl LinkState {
    /// One without flows; `capacity` in units of work per second.
    pub fn new(key: StageKey, spec: &StageSpec, capacity: f64, settings: &Settings) -> Self {
        Self {
            key,
            capacity,
            measures: Measures::new(settings),
            carried: TimeAverage::new(settings.warmup),
            dirty: spec.dirty,
            kept: spec.kept,
            read: spec.dirty | spec.kept != 0,
            flows: 0,
            left: 0.0,
            open: 0,
            part: 0.0,
            rate: 0.0,
            load: 0.0,
            reached: false,
        }
    }

    /// A flow comes.
    #[inline]
    pub fn one_more(&mut self, now: f64) {
        self.flows += 1;
        self.measures.one_more(now);
    }

    /// A flow has gone. The last one leaves nothing that the link carries.
    #[inline]
    pub fn one_less(&mut self, now: f64) {
        self.flows -= 1;
        self.measures.one_less(now);
        if self.flows == 0 {
            self.rate = 0.0;
            self.carried.set(now, 0.0);
        }
    }

    /// Marks the link as reached; how many flows are reached by it, none if it has been before.
    #[inline]
    pub fn reach(&mut self) -> u32 {
        if std::mem::replace(&mut self.reached, true) { 0 } else { self.flows }
    }

    /// A flow over it gets this part of what is left.
    #[inline]
    pub fn give(&mut self, part: f64) {
        self.left = (self.left - part).max(0.0);
        self.open -= 1;
        self.part = self.left / f64::from(self.open);
    }

    /// It carries a flow of this rate as well.
    #[inline]
    pub fn take(&mut self, rate: f64) {
        self.rate += rate;
        self.load = self.rate / self.capacity;
    }
}
