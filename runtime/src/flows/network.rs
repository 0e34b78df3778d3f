//! The flow network: which flow is on which links, and at what rates.
//!
//! Rates are those of progressive filling (max-min fairness; Bertsekas and Gallager, Data Networks, 6.5.2),
//! or of each flow the least of capacity / flows over its links. Links that share no flow, not by way of
//! others either, do not touch each other's rates: of more than a few flows only the part of the network
//! in which one came or went is divided anew, in the same steps as if all of it were.

use super::Share;
use crate::{
    stats::TimeAverage,
    world::{Sid, StageKey},
};

/// The links of a flow in their order: nearly always the two ends of a read.
#[derive(Clone, Debug, Default)]
pub(super) struct Route {
    two: [u32; 2],
    len: usize,
    /// All of them, where they are more than two.
    more: Vec<u32>,
}

impl<const N: usize> From<[u32; N]> for Route {
    #[inline]
    fn from(links: [u32; N]) -> Self {
        let mut two = [0; 2];
        if N <= 2 {
            two[..N].copy_from_slice(&links);
        }
        Self { two, len: N, more: if N <= 2 { Vec::new() } else { links.to_vec() } }
    }
}

impl Route {
    #[inline]
    pub fn links(&self) -> &[u32] {
        self.two.get(..self.len).unwrap_or(&self.more)
    }

    /// The least of what its links have.
    #[inline]
    fn least(&self, of: impl Fn(u32) -> f64) -> f64 {
        self.links().iter().fold(f64::INFINITY, |least, &i| least.min(of(i)))
    }

    /// Whether some link of it is one of these.
    #[inline]
    fn some(&self, one: impl Fn(u32) -> bool) -> bool {
        match self.len {
            2 => one(self.two[0]) || one(self.two[1]),
            _ => self.links().iter().any(|&i| one(i)),
        }
    }
}

/// Work on its way over some links.
#[derive(Clone, Debug)]
pub(super) struct Flow {
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
    pub fn new(now: f64, session: Sid, order: u64, part: bool, route: Route, work: f64) -> Self {
        let (left, rate, reached) = (work, 0.0, false);
        Self { session, order, part, route, work, left, rate, started: now, reached }
    }

    /// When it ends; one that is done up to rounding ends at once.
    #[inline]
    fn end(&self, now: f64) -> f64 {
        let left = self.left.max(0.0);
        let time = left / self.rate;
        if left <= 1e-12 * self.work || time < 1e-12 { now } else { now + time }
    }
}

/// A link as the network knows it.
#[derive(Clone, Debug)]
struct LinkState {
    key: StageKey,
    capacity: f64,
    /// Rate carried over capacity.
    carried: TimeAverage,
    flows: u32,
    /// While rates are found: capacity left, flows that have no rate yet, and the equal part of each.
    left: f64,
    open: u32,
    part: f64,
    /// What the flows take, and that over the capacity.
    rate: f64,
    load: f64,
    /// As [`Flow::reached`].
    reached: bool,
}

impl LinkState {
    /// Marks the link as reached; how many flows are reached by it, none if it has been before.
    #[inline]
    fn reach(&mut self) -> u32 {
        if std::mem::replace(&mut self.reached, true) { 0 } else { self.flows }
    }

    /// A flow over it gets this part of what is left.
    #[inline]
    fn give(&mut self, part: f64) {
        self.left = (self.left - part).max(0.0);
        self.open -= 1;
        self.part = self.left / f64::from(self.open);
    }

    /// It carries a flow of this rate as well.
    #[inline]
    fn take(&mut self, rate: f64) {
        self.rate += rate;
        self.load = self.rate / self.capacity;
    }
}

/// The network.
#[derive(Clone, Debug)]
pub(crate) struct Flows {
    share: Share,
    /// In start order.
    pub(super) flows: Vec<Flow>,
    links: Vec<LinkState>,
    /// Links with flows, in no order that means anything.
    used: Vec<u32>,
    /// Time that `left` refers to.
    pub(super) since: f64,
    /// Links that a flow came to or left since rates were found.
    stirred: Vec<u32>,
    /// The flows reached, by place in the list, and of these those that have no rate yet.
    reached: Vec<u32>,
    open: Vec<u32>,
    /// Links of the flows reached, in the order met.
    met: Vec<u32>,
    /// The flow that ends first, by place in the list, as long as nothing is stirred.
    next: usize,
}

impl Flows {
    pub fn new(share: Option<Share>) -> Self {
        Self {
            share: share.unwrap_or(Share::Maxmin),
            flows: Vec::new(),
            links: Vec::new(),
            used: Vec::new(),
            since: 0.0,
            stirred: Vec::new(),
            reached: Vec::new(),
            open: Vec::new(),
            met: Vec::new(),
            next: 0,
        }
    }

    /// Sessions with a flow, and its links by the stages' flat numbers.
    pub fn present(&self, flat: impl Fn(StageKey) -> u32) -> Vec<(Sid, Vec<u32>)> {
        let links = |f: &Flow| f.route.links().iter().map(|i| flat(self.key(*i))).collect();
        self.flows.iter().map(|f| (f.session, links(f))).collect()
    }

    /// One more link, measured from `warmup` on; returns its number.
    pub fn add_link(&mut self, key: StageKey, capacity: f64, warmup: f64) -> u32 {
        self.links.push(LinkState {
            key,
            capacity,
            carried: TimeAverage::new(warmup),
            flows: 0,
            left: 0.0,
            open: 0,
            part: 0.0,
            rate: 0.0,
            load: 0.0,
            reached: false,
        });
        (self.links.len() - 1) as u32
    }

    /// Mean of the rate carried over the capacity, until `end`.
    pub fn mean_carried(&self, link: u32, end: f64) -> f64 {
        self.links[link as usize].carried.mean(end)
    }

    #[inline]
    pub(super) fn key(&self, link: u32) -> StageKey {
        self.links[link as usize].key
    }

    /// Flows came or went since rates were found.
    #[inline]
    pub(super) fn changed(&self) -> bool {
        !self.stirred.is_empty()
    }

    /// What is left of every flow refers to `now`.
    #[inline]
    fn advance(&mut self, now: f64) {
        let dt = now - self.since;
        if dt > 0.0 {
            for f in &mut self.flows {
                f.left -= f.rate * dt;
            }
        }
        self.since = now;
    }

    /// A flow starts; it has no rate yet.
    #[inline]
    pub(super) fn begin(&mut self, now: f64, flow: Flow) {
        self.advance(now);
        for &i in flow.route.links() {
            let link = &mut self.links[i as usize];
            if link.flows == 0 {
                self.used.push(i);
            }
            link.flows += 1;
            self.stirred.push(i);
        }
        self.flows.push(flow);
    }

    /// Takes the flow at this place of the list out.
    #[inline]
    pub(super) fn take(&mut self, now: f64, at: usize) -> Flow {
        self.advance(now);
        let flow = self.flows.remove(at);
        for &i in flow.route.links() {
            let link = &mut self.links[i as usize];
            link.flows -= 1;
            if link.flows == 0
                && let Some(at) = self.used.iter().position(|&x| x == i)
            {
                self.used.swap_remove(at);
            }
            self.stirred.push(i);
        }
        flow
    }

    /// The flow that ends first (ties: that started first), by place in the list, and when.
    #[inline]
    fn first(&self, now: f64) -> Option<(usize, f64)> {
        let mut flows = self.flows.iter().enumerate();
        let mut first = flows.next().map(|(i, f)| (i, f.end(now)))?;
        for (i, f) in flows {
            let end = f.end(now);
            if end < first.1 {
                first = (i, end);
            }
        }
        Some(first)
    }

    /// The flow whose end was scheduled.
    #[inline]
    pub(super) fn scheduled(&self) -> Option<usize> {
        match self.changed() {
            // It was the first one at the last solve, whatever rounding says now.
            false => (self.next < self.flows.len()).then_some(self.next),
            true => self.first(self.since).map(|(at, _)| at),
        }
    }

    /// Finds the rates after flows came and went; when the first flow ends, if there are any.
    #[inline]
    pub(super) fn solve(&mut self, now: f64) -> Option<f64> {
        self.advance(now);
        if self.flows.len() <= 1 {
            return self.solve_one(now);
        }
        if self.flows.len() <= few::FEW {
            self.solve_few(now);
        } else {
            match self.reach() {
                0 => {}
                1 => self.rate_one(),
                _ => self.rate_reached(),
            }
            self.settle(now);
        }
        let (next, end) = self.first(now)?;
        self.next = next;
        Some(end)
    }

    /// As [`Flows::solve`], of one flow at most: its rate is the least capacity.
    #[inline]
    fn solve_one(&mut self, now: f64) -> Option<f64> {
        let Self { flows, links, stirred, .. } = self;
        for &i in stirred.iter() {
            let link = &mut links[i as usize];
            link.rate = 0.0;
            if link.flows == 0 {
                link.carried.set(now, 0.0);
            }
        }
        stirred.clear();
        let f = flows.first_mut()?;
        f.rate = f.route.least(|i| links[i as usize].capacity);
        for &i in f.route.links() {
            let link = &mut links[i as usize];
            link.rate = 0.0;
            link.take(f.rate);
            link.carried.set(now, link.load);
        }
        self.next = 0;
        Some(f.end(now))
    }

    /// Lists the flows whose rates may change, from what is stirred on; how many they are.
    #[inline]
    fn reach(&mut self) -> usize {
        let Self { flows, links, stirred, reached, .. } = self;
        reached.clear();
        // Of all links reached, the places of flows on them that are not.
        let mut pending = 0;
        for &i in stirred.iter() {
            pending += links[i as usize].reach();
        }
        while pending > 0 {
            for (at, f) in flows.iter_mut().enumerate() {
                if f.reached || !f.route.some(|i| links[i as usize].reached) {
                    continue;
                }
                for &i in f.route.links() {
                    pending += links[i as usize].reach();
                    pending -= 1;
                }
                f.reached = true;
                reached.push(at as u32);
                if pending == 0 {
                    break;
                }
            }
        }
        reached.sort_unstable();
        reached.len()
    }

    /// One flow shares its links with nobody: its rate is the least capacity.
    #[inline]
    fn rate_one(&mut self) {
        let Self { flows, links, reached, .. } = self;
        for &at in reached.iter() {
            let f = &mut flows[at as usize];
            f.rate = f.route.least(|i| links[i as usize].capacity);
        }
    }

    fn rate_reached(&mut self) {
        self.meet_links();
        match self.share {
            Share::Bottleneck => self.rate_by_bottleneck(),
            Share::Maxmin => self.fill(),
        }
    }

    /// Lists the links of the flows reached, with all of their capacity left.
    fn meet_links(&mut self) {
        let Self { flows, links, reached, met, .. } = self;
        met.clear();
        for &at in reached.iter() {
            for &i in flows[at as usize].route.links() {
                let link = &mut links[i as usize];
                // Who is met has been counted before.
                if link.open == 0 {
                    link.left = link.capacity;
                    met.push(i);
                }
                link.open += 1;
            }
        }
        for &i in met.iter() {
            let link = &mut links[i as usize];
            link.part = link.left / f64::from(link.open);
        }
    }

    fn rate_by_bottleneck(&mut self) {
        let Self { flows, links, reached, met, .. } = self;
        for &at in reached.iter() {
            let f = &mut flows[at as usize];
            f.rate = f.route.least(|i| links[i as usize].part);
        }
        for &i in met.iter() {
            links[i as usize].open = 0;
        }
    }

    /// Progressive filling: the link whose equal part is least is full, and so on with what is left.
    fn fill(&mut self) {
        let Self { flows, links, reached, open, met, .. } = self;
        open.clear();
        open.extend_from_slice(reached);
        while !open.is_empty() {
            // The first link, in the order met, whose equal part is least; those of rated flows alone go.
            let mut least = (u32::MAX, f64::INFINITY);
            met.retain(|&i| {
                let link = &links[i as usize];
                if link.open > 0 && (link.part < least.1 || least.0 == u32::MAX) {
                    least = (i, link.part);
                }
                link.open > 0
            });
            let (full, part) = least;
            open.retain(|&at| {
                let f = &mut flows[at as usize];
                let ends = f.route.some(|i| i == full);
                if ends {
                    f.rate = part;
                    f.route.links().iter().for_each(|&i| links[i as usize].give(part));
                }
                !ends
            });
        }
    }

    /// The rates hold from now on: what the links carry, and nothing is stirred any more.
    #[inline]
    fn settle(&mut self, now: f64) {
        let Self { flows, links, used, stirred, reached, .. } = self;
        for i in stirred.drain(..) {
            let link = &mut links[i as usize];
            (link.reached, link.rate) = (false, 0.0);
            if link.flows == 0 {
                link.carried.set(now, 0.0);
            }
        }
        for &at in reached.iter() {
            for &i in flows[at as usize].route.links() {
                let link = &mut links[i as usize];
                (link.reached, link.rate) = (false, 0.0);
            }
        }
        for &at in reached.iter() {
            let f = &mut flows[at as usize];
            f.reached = false;
            for &i in f.route.links() {
                links[i as usize].take(f.rate);
            }
        }
        for &i in used.iter() {
            let link = &mut links[i as usize];
            link.carried.set(now, link.load);
        }
    }

    /// Work left at time `now` of the flows over a link.
    pub(super) fn work(&self, now: f64, link: u32) -> f64 {
        let dt = now - self.since;
        let over = self.flows.iter().filter(|f| f.route.links().contains(&link));
        over.map(|f| f.left - f.rate * dt).sum()
    }
}

mod few;
#[cfg(test)]
mod tests;
