//! Members of queues that fail and come back.
//!
//! A call of a queue that may fail is guarded: while it lasts the session is noted with the member that it
//! is at. When the member fails, all that it has is gone: the iteration under way, its residents, its
//! queues, what is allocated, leased and cached there. Sessions that were at it go on behind the call, in
//! its `else`, in the order of their serial numbers; so does at once who calls it before it is back.

use crate::{
    engine, hold,
    kernel::{Control, Job, NONE},
    legs,
    pool::{self, cache, grow, lease, queue, shared},
    station,
    uses::Uses,
    world::{FailingQueue, Failure, PoolKey, Sid, StageKey, StageType, World},
};

/// Slot of the clock of what fails and comes back.
pub(crate) const OUTAGE_SLOT: usize = 3;

/// A call under way.
#[derive(Clone, Copy, Debug)]
struct Guard {
    queue: u16,
    member: u32,
    /// Where the session goes on if the member fails.
    otherwise: u32,
    /// Holds that it was in before the call.
    depth: usize,
}

/// What is down, what will be, and who is where.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outages {
    /// As often as it has failed and not come back.
    down: Vec<(u16, u32)>,
    /// Time, whether it fails or comes back, queue and member; those before `next` are past.
    events: Vec<(f64, bool, u16, u32)>,
    next: usize,
    /// Calls under way, the innermost last, by session slot.
    guards: Vec<Vec<Guard>>,
}

impl Outages {
    /// A session begins in slot `s`.
    pub fn open(&mut self, s: Sid) {
        let i = s as usize;
        if i >= self.guards.len() {
            self.guards.resize_with(i + 1, Vec::new);
        }
        self.guards[i].clear();
    }

    /// The session is no more in holds from number `depth` on, nor in the calls that it made there.
    pub fn leave(&mut self, s: Sid, depth: usize) {
        self.guards[s as usize].retain(|guard| guard.depth <= depth);
    }

    fn is_down(&self, queue: u16, member: u32) -> bool {
        self.down.contains(&(queue, member))
    }
}

/// Notes the program's failures, before anything happens.
pub(crate) fn set_up<W: World>(w: &mut W) {
    let mut events = Vec::new();
    for Failure { queue, member, at, lasts } in w.failures() {
        events.push((at, true, queue, member));
        events.push((at + lasts, false, queue, member));
    }
    // Stable: what fails for no time fails before it comes back.
    events.sort_by(|a, b| a.0.total_cmp(&b.0));
    w.kernel_mut().outages.events = events;
    show(w);
}

fn show<W: World>(w: &mut W) {
    let k = w.kernel_mut();
    match k.outages.events.get(k.outages.next) {
        Some(&(time, ..)) if time < f64::INFINITY => k.clock.set(OUTAGE_SLOT, time + 0.0),
        _ => k.clock.clear(OUTAGE_SLOT),
    }
}

/// A call of member `member` of failing queue number `queue` begins, which goes on in `otherwise` if the
/// member fails; false when it is down.
pub fn guard<W: World>(w: &mut W, s: Sid, queue: u16, member: usize, otherwise: u32) -> bool {
    let k = w.kernel_mut();
    let member = member as u32;
    if k.outages.is_down(queue, member) {
        return false;
    }
    let depth = k.control(s).holds.len();
    k.outages.guards[s as usize].push(Guard { queue, member, otherwise, depth });
    true
}

/// The innermost guarded call of the session is over.
pub fn unguard<W: World>(w: &mut W, s: Sid) {
    w.kernel_mut().outages.guards[s as usize].pop();
}

/// `up(stage)`: 0 while the member of a queue that it belongs to is down.
pub fn stage_up<W: World>(w: &W, stage: StageKey) -> f64 {
    let down = W::FAILING.iter().enumerate().any(|(i, queue)| {
        let member = if queue.single { 0 } else { stage.member };
        queue.stages.contains(&stage.family) && w.kernel().outages.is_down(i as u16, member)
    });
    f64::from(!down)
}

/// The next member fails or comes back.
pub(crate) fn event<W: World>(w: &mut W) {
    let k = w.kernel_mut();
    let (_, fails, queue, member) = k.outages.events[k.outages.next];
    k.outages.next += 1;
    k.dirty = u64::MAX;
    k.kept.note_all();
    k.unsettled = true;
    show(w);
    let down = &mut w.kernel_mut().outages.down;
    if !fails {
        if let Some(at) = down.iter().position(|&x| x == (queue, member)) {
            down.remove(at);
        }
        return;
    }
    down.push((queue, member));
    let spec = &W::FAILING[queue as usize];
    for s in at_member(w, queue, member) {
        abort(w, s, queue, member);
    }
    for &family in spec.pools {
        wipe(w, PoolKey { family, member });
    }
    for &family in spec.stages {
        let stage = StageKey { family, member };
        if Uses::<W>::STEP && W::STAGES[family as usize].kind == StageType::Step {
            engine::stop(w, stage);
        }
    }
    pool::retry(w);
}

/// Sessions with a call of the member under way, by serial number.
fn at_member<W: World>(w: &W, queue: u16, member: u32) -> Vec<Sid> {
    let k = w.kernel();
    let there = |s: &Sid| {
        let guards = &k.outages.guards[*s as usize];
        let ending = k.legs.get(*s).is_some_and(|record| record.ending());
        k.control(*s).live
            && !ending
            && guards.iter().any(|g| (g.queue, g.member) == (queue, member))
    };
    let mut all: Vec<Sid> = (0..k.outages.guards.len() as Sid).filter(there).collect();
    all.sort_by_key(|&s| (k.control(s).serial, s));
    all
}

/// The session loses its call, and goes on behind it.
fn abort<W: World>(w: &mut W, s: Sid, queue: u16, member: u32) {
    let guards = &mut w.kernel_mut().outages.guards[s as usize];
    let Some(at) = guards.iter().position(|g| (g.queue, g.member) == (queue, member)) else {
        return;
    };
    let guard = guards[at];
    guards.truncate(at);
    if let Job::Engine(stage, _) = w.kernel().control(s).job {
        engine::runs::interrupt(w, stage);
    }
    legs::stop_waiting(w, s);
    station::leave(w, s);
    queue::dequeue(w, s);
    grow::give_up(w, s);
    w.kernel_mut().make_unready(s);
    let spec = &W::FAILING[queue as usize];
    while w.kernel().control(s).holds.len() > guard.depth {
        let Some(h) = w.kernel_mut().control_mut(s).holds.pop() else { break };
        for &alloc in h.allocs[..W::HOLDS[h.stmt as usize].claims].iter().filter(|&&a| a != NONE) {
            if is_part(spec, member, w.kernel().allocs[alloc].pool) {
                hold::abandon(w, alloc);
            } else {
                hold::give_back_any(w, alloc, true);
            }
        }
    }
    lease::stop_renewing(w, s);
    let k = w.kernel_mut();
    let c: &mut Control = k.control_mut(s);
    c.b.computed = 0.0;
    c.preempted_at = f64::NAN;
    c.decoded |= !c.token.is_nan();
    c.at = guard.otherwise;
    k.make_ready(s);
}

fn is_part(queue: &FailingQueue, member: u32, pool: PoolKey) -> bool {
    queue.pools.contains(&pool.family) && pool.member == member
}

/// What is leased and cached in a pool is gone.
fn wipe<W: World>(w: &mut W, key: PoolKey) {
    let mut id = w.pool(key).last_alloc();
    while id != NONE {
        let a = w.kernel().allocs[id];
        if a.leased {
            hold::take_lease(w, id);
            hold::abandon(w, id);
        }
        id = a.previous;
    }
    if shared::shares::<W>(key) {
        return shared::clear(w, key);
    }
    cache::settle(w, key);
    while w.pool(key).entries.first != NONE {
        let first = w.pool(key).entries.first;
        let units = w.pool(key).entries[first].units;
        cache::remove(w, key, first, units);
    }
}
