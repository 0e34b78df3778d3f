//! The flow network: which flow is on which links, and at what rates.
//!
//! Rates are those of progressive filling (max-min fairness; Bertsekas and Gallager, Data Networks, 6.5.2),
//! or of each flow the least of capacity / flows over its links. Links that share no flow, not by way of
//! others either, do not touch each other's rates: of more than a few flows only the part of the network
//! in which one came or went is divided anew, in the same steps as if all of it were.

use super::Share;
use crate::{
    settings::Settings,
    station::Measures,
    world::{Sid, StageKey, StageSpec},
};
pub(super) use state::{Flow, LinkState, Owner, Route};

/// The network.
#[derive(Clone, Debug)]
pub(crate) struct Flows {
    share: Share,
    /// In start order.
    pub(super) flows: Vec<Flow>,
    links: Vec<LinkState>,
    /// Time that `left` refers to.
    pub(super) since: f64,
    /// Flows came or went since rates were found.
    changed: bool,
    /// The next two lists are kept, as they are while flows are more than a few.
    listed: bool,
    /// Somebody reads how many flows some link has.
    read: bool,
    /// Links with flows, in no order that means anything.
    used: Vec<u32>,
    /// Links that a flow came to or left since rates were found.
    stirred: Vec<u32>,
    /// The flows reached, by place in the list, and of these those that have no rate yet.
    reached: Vec<u32>,
    open: Vec<u32>,
    /// Links of the flows reached, in the order met.
    met: Vec<u32>,
    /// The flow that ends first, by place in the list, as long as nothing has changed.
    next: usize,
}

impl Flows {
    pub fn new(share: Option<Share>) -> Self {
        Self {
            share: share.unwrap_or(Share::Maxmin),
            flows: Vec::new(),
            links: Vec::new(),
            since: 0.0,
            changed: false,
            listed: false,
            read: false,
            used: Vec::new(),
            stirred: Vec::new(),
            reached: Vec::new(),
            open: Vec::new(),
            met: Vec::new(),
            next: 0,
        }
    }

    /// Sessions with a flow, and its links by the stages' flat numbers.
    pub fn present(&self, flat: impl Fn(StageKey) -> u32) -> Vec<(Sid, Vec<u32>)> {
        let key = |link: u32| self.links[link as usize].key;
        let links = |f: &Flow| f.route.links().iter().map(|i| flat(key(*i))).collect();
        self.flows.iter().map(|f| (f.session, links(f))).collect()
    }

    /// One more link; returns its number.
    pub fn add_link(
        &mut self,
        key: StageKey,
        spec: &StageSpec,
        capacity: f64,
        settings: &Settings,
    ) -> u32 {
        let link = LinkState::new(key, spec, capacity, settings);
        self.read |= link.read;
        self.links.push(link);
        (self.links.len() - 1) as u32
    }

    /// The warm-up ends.
    pub fn begin_measuring(&mut self) {
        for link in &mut self.links {
            link.measures.present.begin_measuring();
            link.carried.begin_measuring();
        }
    }

    /// What every stage keeps, of a link.
    pub fn measures(&self, link: u32) -> &Measures {
        &self.links[link as usize].measures
    }

    /// Mean of the rate carried over the capacity, until `end`.
    pub fn mean_carried(&self, link: u32, end: f64) -> f64 {
        self.links[link as usize].carried.mean(end)
    }

    /// Flows came or went since rates were found.
    #[inline]
    pub(super) fn changed(&self) -> bool {
        self.changed
    }

    /// There is no flow, but room for one; of this one nobody is told.
    #[inline]
    pub(super) fn is_idle_for(&self, route: &Route) -> bool {
        let idle = self.flows.is_empty() && self.flows.capacity() > 0 && !self.listed;
        idle && !self.read && route.is_two()
    }

    /// There is one flow, whose rate is found; nobody is told of it.
    #[inline]
    pub(super) fn is_alone(&self) -> bool {
        let [flow] = &self.flows[..] else { return false };
        !self.changed && !self.listed && !self.read && flow.route.is_two()
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
    }

    /// A flow starts; it has no rate yet. Its links, which have one more, are told to `note`. `ALONE`: there is no other,
    /// and nothing to be told.
    #[inline(always)]
    pub(super) fn begin<const ALONE: bool>(
        &mut self,
        now: f64,
        of: Owner,
        route: Route,
        work: f64,
        mut note: impl FnMut(&LinkState),
    ) {
        if !ALONE {
            self.advance(now);
        }
        (self.since, self.changed) = (now, true);
        route.each(|i| {
            let link = &mut self.links[i as usize];
            link.one_more(now);
            if !ALONE {
                note(link);
            }
        });
        if !ALONE && self.listed {
            self.list(&route, true);
        }
        self.flows.push(Flow::new(now, of, route, work));
    }

    /// Takes the flow at this place of the list out. Its links, which have one less, are told to `note`, and when it
    /// started. `ALONE`: there is no other.
    #[inline(always)]
    pub(super) fn take<const ALONE: bool>(
        &mut self,
        now: f64,
        at: usize,
        mut note: impl FnMut(&mut LinkState, f64),
    ) -> Owner {
        if !ALONE {
            self.advance(now);
        }
        // Without flows nothing has to be found about rates.
        (self.since, self.changed) = (now, !ALONE);
        let flow = &self.flows[at];
        let owner = Owner { session: flow.session, order: flow.order, part: flow.part };
        flow.route.each(|i| {
            let link = &mut self.links[i as usize];
            link.one_less(now);
            note(link, flow.started);
        });
        if ALONE {
            self.flows.pop();
            return owner;
        }
        let route = self.flows.remove(at).route;
        if self.listed {
            self.list(&route, false);
        }
        owner
    }

    /// Lists the links of a flow that came or went.
    #[inline(never)]
    fn list(&mut self, route: &Route, came: bool) {
        let Self { links, used, stirred, .. } = self;
        for &i in route.links() {
            stirred.push(i);
            let flows = links[i as usize].flows;
            if came && flows == 1 {
                used.push(i);
            }
            if flows == 0
                && let Some(place) = used.iter().position(|&link| link == i)
            {
                used.swap_remove(place);
            }
        }
    }

    /// Lists all links with flows, as if all had changed; those without any carry nothing.
    fn list_all(&mut self) {
        let Self { links, used, stirred, listed, .. } = self;
        *listed = true;
        used.clear();
        used.extend((0..).zip(links.iter()).filter(|(_, link)| link.flows > 0).map(|(i, _)| i));
        stirred.clone_from(used);
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
        match self.changed {
            // It was the first one at the last solve, whatever rounding says now.
            false => (self.next < self.flows.len()).then_some(self.next),
            true => self.first(self.since).map(|(at, _)| at),
        }
    }

    /// Finds the rates after flows came and went at this time; when the first flow ends, if there are any.
    #[inline]
    pub(super) fn solve(&mut self, now: f64) -> Option<f64> {
        debug_assert!(self.since == now);
        self.changed = false;
        if self.flows.len() <= 1 { self.solve_one(now) } else { self.solve_several(now) }
    }

    /// As [`Flows::solve`], of one flow at most: its rate is the least capacity.
    #[inline]
    fn solve_one(&mut self, now: f64) -> Option<f64> {
        self.listed = false;
        let Self { flows, links, .. } = self;
        let f = flows.first_mut()?;
        let rate = f.route.least(|i| links[i as usize].capacity);
        f.rate = rate;
        f.route.each(|i| {
            let link = &mut links[i as usize];
            link.rate = rate;
            link.load = rate / link.capacity;
            link.carried.set(now, link.load);
        });
        self.next = 0;
        Some(f.end(now))
    }

    // Seldom: apart from the above.
    #[inline(never)]
    fn solve_several(&mut self, now: f64) -> Option<f64> {
        if self.flows.len() <= few::FEW {
            self.listed = false;
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

    /// Lists the flows whose rates may change, from what is stirred on; how many they are.
    #[inline]
    fn reach(&mut self) -> usize {
        if !self.listed {
            self.list_all();
        }
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
mod state;
#[cfg(test)]
mod tests;
