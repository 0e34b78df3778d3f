//! Flows: runs that hold one or several shared stages at once.
//!
//! Rates change whenever a flow starts or ends. The network is divided anew once per settle, and one end
//! is scheduled at a time.

mod network;

pub(crate) use network::Flows;

use crate::{
    kernel::{FLOW_SLOT, Job, Kernel, NONE, Slots},
    uses::Uses,
    world::{Sid, StageKey, World},
};
use network::{LinkState, Owner, Route};

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
    /// Its number among the links.
    pub(crate) number: u32,
}

impl Link {
    /// Empty; `capacity` in units of work per second. What it carries is measured with the network.
    pub fn new(capacity: f64) -> Self {
        Self { capacity, number: 0 }
    }
}

/// A flow over these stages starts.
#[inline(always)]
pub(crate) fn begin<W: World, const N: usize>(w: &mut W, s: Sid, stages: [StageKey; N], work: f64) {
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
        add(w, s, order, parts > 1, nics, work / parts as f64);
    }
}

#[inline(always)]
fn add<W: World, const N: usize>(
    w: &mut W,
    s: Sid,
    order: u64,
    part: bool,
    stages: [StageKey; N],
    work: f64,
) {
    let mut links = [0; N];
    for (link, stage) in links.iter_mut().zip(stages) {
        *link = w.link(stage).number;
    }
    join(w.kernel_mut(), Owner { session: s, order, part }, links.into(), work);
}

/// A flow joins the network.
// Apart from who starts it, and the ordinary case apart from all others, which need more registers.
#[inline(never)]
fn join(k: &mut Kernel, of: Owner, route: Route, work: f64) {
    if k.flows.is_idle_for(&route) {
        join_as::<true>(k, of, route, work);
    } else {
        join_others(k, of, route, work);
    }
}

#[inline(never)]
fn join_others(k: &mut Kernel, of: Owner, route: Route, work: f64) {
    join_as::<false>(k, of, route, work);
}

#[inline(always)]
fn join_as<const ALONE: bool>(k: &mut Kernel, of: Owner, route: Route, work: f64) {
    let Kernel { now, flows, dirty, kept, sessions, .. } = k;
    flows.begin::<ALONE>(*now, of, route, work, |link| {
        if link.read {
            *dirty |= link.dirty;
            kept.note(link.kept, link.key.member);
        }
    });
    if let Some(c) = sessions.get_mut(of.session as usize) {
        c.job = Job::Flow(of.order);
    }
}

/// Takes the flow at this place of the list away; `done`: it has come to its end. `estimates`: somebody asks for them.
#[inline(always)]
fn take<const ALONE: bool>(k: &mut Kernel, at: usize, done: bool, estimates: bool) -> Owner {
    let measured = k.measured();
    let Kernel { now, flows, dirty, kept, .. } = k;
    flows.take::<ALONE>(*now, at, |link, started| {
        if !ALONE && link.read {
            *dirty |= link.dirty;
            kept.note(link.kept, link.key.member);
        }
        if done {
            link.measures.count(*now, started, started, measured);
        }
        if done && estimates {
            estimate(link, *now, started);
        }
    })
}

/// Few programs ask for estimates.
#[cold]
fn estimate(link: &mut LinkState, now: f64, started: f64) {
    link.measures.estimate(now, started, started);
}

/// The earliest flow ends; the session that goes on.
#[inline]
pub(crate) fn end<W: World>(w: &mut W) -> Sid {
    end_first(w.kernel_mut(), W::ESTIMATES)
}

// As with `join`.
#[inline(never)]
fn end_first(k: &mut Kernel, estimates: bool) -> Sid {
    if !k.flows.is_alone() || estimates {
        return end_one(k, estimates);
    }
    // Nothing has to be found about rates.
    let of = take::<true>(k, 0, true, false);
    k.clock.of(Slots::Any).take_out(FLOW_SLOT);
    over(k, of)
}

#[inline(never)]
fn end_one(k: &mut Kernel, estimates: bool) -> Sid {
    let Some(at) = k.flows.scheduled() else { return NONE };
    let of = take::<false>(k, at, true, estimates);
    over(k, of)
}

/// A flow is over; the session that goes on, unless another part of its read is on its way.
#[inline]
fn over(k: &mut Kernel, of: Owner) -> Sid {
    let Owner { session, order, part } = of;
    if part && k.flows.flows.iter().any(|other| other.order == order) {
        return NONE;
    }
    if let Some(c) = k.sessions.get_mut(session as usize) {
        c.job = Job::None;
    }
    session
}

/// A flow is taken away, by its start order.
pub(crate) fn leave(k: &mut Kernel, order: u64) {
    while let Some(at) = k.flows.flows.iter().position(|f| f.order == order) {
        if !take::<false>(k, at, false, false).part {
            return;
        }
    }
}

/// Divides the stages anew if a flow started or ended, and schedules the next end.
#[inline(always)]
pub(crate) fn solve<W: World>(w: &mut W) {
    if Uses::<W>::LINK && w.kernel().flows.changed() {
        solve_now(w.kernel_mut());
    }
}

// Most instants have nothing to do here: apart from them.
#[inline(never)]
fn solve_now(k: &mut Kernel) {
    match k.flows.solve(k.now) {
        Some(end) => k.clock.set(FLOW_SLOT, end),
        None => k.clock.clear(FLOW_SLOT),
    }
}

/// Work left of the flows over a link.
pub(crate) fn work<W: World>(w: &W, stage: StageKey) -> f64 {
    let k = w.kernel();
    k.flows.work(k.now, w.link(stage).number)
}
