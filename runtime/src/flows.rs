//! Flows: runs that hold one or several shared stages at once.
//!
//! Rates change whenever a flow starts or ends: progressive filling (max-min fairness; Bertsekas and
//! Gallager, Data Networks, 6.5.2), or each flow the least of capacity / flows over its stages. The
//! network is solved once per settle, and one end is scheduled at a time.

use crate::{
    kernel::{FLOW_SLOT, Job, NONE},
    settings::Settings,
    station::{self, Measures},
    stats::TimeAverage,
    uses::Uses,
    world::{Sid, StageKey, World},
};

/// How concurrent flows divide the stages that they share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// Max-min fairness.
    Maxmin,
    /// The least of capacity / flows over a flow's stages.
    Bottleneck,
}

/// A stage shared by flows.
#[derive(Clone, Debug)]
pub struct Link {
    pub(crate) capacity: f64,
    /// Rate carried over capacity.
    pub(crate) carried: TimeAverage,
    /// Its number among the links.
    pub(crate) number: u32,
    pub(crate) measures: Measures,
}

impl Link {
    /// Empty; `capacity` in units of work per second.
    pub fn new(capacity: f64, settings: &Settings) -> Self {
        Self {
            capacity,
            carried: TimeAverage::new(settings.warmup),
            number: 0,
            measures: Measures::new(settings),
        }
    }
}

#[derive(Clone, Debug)]
struct Flow {
    session: Sid,
    /// Its place in start order; parts of one read share it.
    order: u64,
    /// It is a part of a read.
    part: bool,
    links: Vec<u32>,
    work: f64,
    left: f64,
    rate: f64,
    started: f64,
}

/// What a solve needs of a link.
#[derive(Clone, Debug)]
struct LinkState {
    key: StageKey,
    capacity: f64,
    left: f64,
    open: u32,
    flows: u32,
    rate: f64,
    seen: bool,
}

/// The flow network.
#[derive(Clone, Debug)]
pub(crate) struct Flows {
    share: Share,
    /// In start order.
    flows: Vec<Flow>,
    links: Vec<LinkState>,
    /// Time that `left` refers to.
    since: f64,
    changed: bool,
    /// Scratch: links of the flows in the order met, and links whose flows went.
    met: Vec<u32>,
    left_links: Vec<u32>,
    /// Rooms of lists that ended flows leave behind.
    spare: Vec<Vec<u32>>,
}

impl Flows {
    pub fn new(share: Option<Share>) -> Self {
        Self {
            share: share.unwrap_or(Share::Maxmin),
            flows: Vec::new(),
            links: Vec::new(),
            since: 0.0,
            changed: false,
            met: Vec::new(),
            left_links: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Sessions with a flow, and its links by the stages' flat numbers.
    pub fn present(&self, flat: impl Fn(StageKey) -> u32) -> Vec<(Sid, Vec<u32>)> {
        let links = |f: &Flow| f.links.iter().map(|i| flat(self.links[*i as usize].key)).collect();
        self.flows.iter().map(|f| (f.session, links(f))).collect()
    }

    /// One more link; returns its number.
    pub fn add_link(&mut self, key: StageKey, capacity: f64) -> u32 {
        let rate = 0.0;
        self.links.push(LinkState {
            key,
            capacity,
            left: 0.0,
            open: 0,
            flows: 0,
            rate,
            seen: false,
        });
        (self.links.len() - 1) as u32
    }

    fn advance(&mut self, now: f64) {
        let dt = now - self.since;
        if dt > 0.0 {
            for f in &mut self.flows {
                f.left -= f.rate * dt;
            }
        }
        self.since = now;
    }

    /// When a flow ends; one that is done up to rounding ends at once.
    fn end_of(f: &Flow, now: f64) -> f64 {
        let left = f.left.max(0.0);
        if left <= 1e-12 * f.work || left / f.rate < 1e-12 { now } else { now + left / f.rate }
    }

    /// The flow that ends first (ties: that started first), by place in the list, and when.
    fn first(&self, now: f64) -> Option<(usize, f64)> {
        let mut first: Option<(usize, f64)> = None;
        for (i, f) in self.flows.iter().enumerate() {
            let end = Self::end_of(f, now);
            if first.is_none_or(|(_, least)| end < least) {
                first = Some((i, end));
            }
        }
        first
    }

    fn meet_links(&mut self) {
        for i in self.met.drain(..) {
            self.links[i as usize].seen = false;
        }
        for f in &self.flows {
            for &i in &f.links {
                let link = &mut self.links[i as usize];
                if !link.seen {
                    link.seen = true;
                    link.left = link.capacity;
                    link.open = 0;
                    self.met.push(i);
                }
                link.open += 1;
            }
        }
    }

    fn solve(&mut self) {
        self.meet_links();
        let Self { flows, links, met, .. } = self;
        match self.share {
            Share::Bottleneck => {
                for f in flows.iter_mut() {
                    let part =
                        |&i: &u32| links[i as usize].capacity / f64::from(links[i as usize].open);
                    f.rate = f.links.iter().map(part).fold(f64::INFINITY, f64::min);
                }
            }
            Share::Maxmin => {
                for f in flows.iter_mut() {
                    f.rate = f64::NAN;
                }
                let mut open = flows.len();
                while open > 0 {
                    // The first link, in the order met, whose equal part is least.
                    let mut least = (u32::MAX, f64::INFINITY);
                    for &i in met.iter() {
                        let link = &links[i as usize];
                        if link.open > 0 {
                            let part = link.left / f64::from(link.open);
                            if part < least.1 || least.0 == u32::MAX {
                                least = (i, part);
                            }
                        }
                    }
                    let (full, part) = least;
                    for f in flows.iter_mut().filter(|f| f.rate.is_nan() && f.links.contains(&full))
                    {
                        f.rate = part;
                        open -= 1;
                        for &i in &f.links {
                            let link = &mut links[i as usize];
                            link.left = (link.left - part).max(0.0);
                            link.open -= 1;
                        }
                    }
                }
            }
        }
        for &i in met.iter() {
            links[i as usize].rate = 0.0;
        }
        for f in flows.iter() {
            for &i in &f.links {
                links[i as usize].rate += f.rate;
            }
        }
    }
}

/// A flow over these stages starts.
pub(crate) fn begin<W: World>(w: &mut W, s: Sid, stages: &[StageKey], work: f64) {
    let order = w.kernel_mut().next_job();
    add(w, s, order, false, stages, work);
}

/// The parts of a read start: one for each NIC of the end that has more, over it and its NIC at the other end.
pub(crate) fn begin_fan<W: World>(w: &mut W, s: Sid, ends: [(StageKey, usize); 2], work: f64) {
    let parts = ends[0].1.max(ends[1].1);
    let order = w.kernel_mut().next_job();
    for part in 0..parts {
        let nics = ends.map(|(first, ranks)| {
            let rank = part * ranks / parts;
            StageKey::new(first.family, first.member as usize + rank)
        });
        add(w, s, order, parts > 1, &nics, work / parts as f64);
    }
}

fn add<W: World>(w: &mut W, s: Sid, order: u64, part: bool, stages: &[StageKey], work: f64) {
    let k = w.kernel_mut();
    let now = k.now;
    let mut links = k.flows.spare.pop().unwrap_or_default();
    links.clear();
    for &stage in stages {
        let number = w.link(stage).number;
        links.push(number);
        change(w, stage, number, true);
    }
    let k = w.kernel_mut();
    k.flows.advance(now);
    k.flows.flows.push(Flow {
        session: s,
        order,
        part,
        links,
        work,
        left: work,
        rate: 0.0,
        started: now,
    });
    k.flows.changed = true;
    if let Some(c) = k.sessions.get_mut(s as usize) {
        c.job = Job::Flow(order);
    }
}

/// A flow came to or went from a link.
fn change<W: World>(w: &mut W, stage: StageKey, number: u32, came: bool) {
    let k = w.kernel_mut();
    let now = k.now;
    k.dirty |= station::spec::<W>(stage).dirty;
    let link = &mut k.flows.links[number as usize];
    if came {
        link.flows += 1;
    } else {
        link.flows -= 1;
    }
    let n = link.flows as usize;
    w.link_mut(stage).measures.set_jobs(now, n);
}

/// Takes the flow at this place of the list away; its stages and its start.
fn take<W: World>(w: &mut W, at: usize) -> Flow {
    let k = w.kernel_mut();
    let now = k.now;
    k.flows.advance(now);
    k.flows.changed = true;
    let flow = k.flows.flows.remove(at);
    for i in 0..flow.links.len() {
        let number = flow.links[i];
        let k = w.kernel_mut();
        k.flows.left_links.push(number);
        let stage = k.flows.links[number as usize].key;
        change(w, stage, number, false);
    }
    flow
}

/// The earliest flow ends; the session that goes on.
pub(crate) fn end<W: World>(w: &mut W) -> Sid {
    let k = w.kernel_mut();
    let (now, measured) = (k.now, k.measured());
    // The end was scheduled for the flow that was first at the last solve, whatever rounding says now.
    let since = k.flows.since;
    let Some((at, _)) = k.flows.first(since) else { return NONE };
    let flow = take(w, at);
    for &number in &flow.links {
        let stage = w.kernel().flows.links[number as usize].key;
        w.link_mut(stage).measures.complete(now, flow.started, flow.started, measured);
    }
    let flows = &mut w.kernel_mut().flows;
    flows.spare.push(flow.links);
    if flow.part && flows.flows.iter().any(|other| other.order == flow.order) {
        return NONE;
    }
    station::done(w, flow.session)
}

/// A flow is taken away, by its start order.
pub(crate) fn leave<W: World>(w: &mut W, order: u64) {
    while let Some(at) = w.kernel().flows.flows.iter().position(|f| f.order == order) {
        let flow = take(w, at);
        w.kernel_mut().flows.spare.push(flow.links);
        if !flow.part {
            return;
        }
    }
}

/// Divides the stages anew if a flow started or ended, and schedules the next end.
#[inline]
pub(crate) fn solve<W: World>(w: &mut W) {
    if Uses::<W>::LINK && w.kernel().flows.changed {
        solve_now(w);
    }
}

fn solve_now<W: World>(w: &mut W) {
    let k = w.kernel_mut();
    let now = k.now;
    let mut flows = std::mem::replace(&mut k.flows, Flows::new(None));
    flows.changed = false;
    flows.advance(now);
    for i in flows.left_links.drain(..) {
        flows.links[i as usize].rate = 0.0;
        if flows.links[i as usize].flows == 0 {
            w.link_mut(flows.links[i as usize].key).carried.set(now, 0.0);
        }
    }
    flows.solve();
    for &i in &flows.met {
        let link = &flows.links[i as usize];
        w.link_mut(link.key).carried.set(now, link.rate / link.capacity);
    }
    let k = w.kernel_mut();
    match flows.first(now) {
        Some((_, end)) => k.clock.set(FLOW_SLOT, end),
        None => k.clock.clear(FLOW_SLOT),
    }
    k.flows = flows;
}

/// Work left of the flows over a link.
pub(crate) fn work<W: World>(w: &W, stage: StageKey) -> f64 {
    let (k, number) = (w.kernel(), w.link(stage).number);
    let dt = k.now - k.flows.since;
    let over = k.flows.flows.iter().filter(|f| f.links.contains(&number));
    over.map(|f| f.left - f.rate * dt).sum()
}
