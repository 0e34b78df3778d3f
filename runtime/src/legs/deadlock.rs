//! Deadlocks: legs and sessions that wait for each other, so that none of them ever goes on.
//!
//! Who waits is stuck if what it waits for can only come from others that are stuck: a join, if one of the legs is;
//! a request or a growth, if it would not fit even though all others had given everything back, or if it stands in a
//! fifo queue behind one that is. The largest such set is found by taking out, again and again, whoever may go on.
//! Where a header depends on more than its session's attributes, its request counts as one that may fit.

use super::Wait;
use crate::{
    fault::{Fault, FaultKind},
    kernel::NONE,
    pool::{grow::Grower, shared, spec},
    report::{exact, label},
    world::{PoolKey, Sid, World},
};

/// What somebody waits for.
#[derive(Clone, Debug)]
enum Waits {
    /// Legs, at a `join` or an opening, or only to end.
    Legs { legs: Vec<Sid>, asked: bool },
    /// Room in a pool: units that it needs of each of these pools at least, at a hold statement, and who is next before
    /// it; who is behind one that is stuck is stuck, and so who is behind that one.
    Room { needs: Vec<(PoolKey, f64)>, site: Option<u32>, behind: Option<Sid> },
}

/// One who waits.
#[derive(Clone, Debug)]
struct Waiter {
    who: Sid,
    since: f64,
    waits: Waits,
}

/// How often a run is looked at while it goes on: the work grows with how many wait.
const LOOKS: f64 = 20.0;

/// As [`look`], once in each twentieth of the horizon, before the event at `time`.
pub(crate) fn look_now_and_then<W: World>(w: &mut W, time: f64) {
    let k = w.kernel_mut();
    if time >= k.legs.next_look {
        k.legs.next_look = time + k.settings.horizon / LOOKS;
        look(w);
    }
}

/// Looks for sessions and legs that wait for each other; an error if a wait for legs is among theirs.
#[cold]
pub(crate) fn look<W: World>(w: &mut W) {
    if w.kernel().has_fault() {
        return;
    }
    if !w.kernel().legs.iter().any(|(_, record)| record.waits != Wait::Nothing) {
        return;
    }
    let all = waiting(w);
    let mut stuck = Stuck(vec![false; w.kernel().sessions.len()]);
    all.iter().for_each(|one| stuck.0[one.who as usize] = true);
    loop {
        let held = held(w, &stuck);
        let mut changed = false;
        for one in &all {
            if stuck.has(one.who) && !stays(w, one, &stuck, &held) {
                stuck.0[one.who as usize] = false;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let joins = |one: &&Waiter| matches!(one.waits, Waits::Legs { asked: true, .. });
    let found: Vec<Waiter> = all.into_iter().filter(|one| stuck.has(one.who)).collect();
    if let Some(first) = found.iter().filter(joins).min_by_key(|one| one.who) {
        raise(w, first, &found, &stuck);
    }
}

/// By slot: it is stuck, as far as is known.
struct Stuck(Vec<bool>);

impl Stuck {
    fn has(&self, s: Sid) -> bool {
        self.0[s as usize]
    }
}

/// Everybody who waits for legs or for room; those in a queue in its order.
fn waiting<W: World>(w: &mut W) -> Vec<Waiter> {
    let mut found = Vec::new();
    for flat in 0..w.kernel().pools.len() {
        let key = w.kernel().pools[flat];
        let queue: Vec<_> = w.pool(key).queue.iter().copied().collect();
        let fifo = spec::<W>(key).queue_keys == 0;
        for (i, x) in queue.iter().enumerate() {
            let needs = needs(w, x.session, x.stmt);
            let behind = if fifo && i > 0 { Some(queue[i - 1].session) } else { None };
            let site = Some(W::HOLDS[x.stmt as usize].site);
            let waits = Waits::Room { needs, site, behind };
            found.push(Waiter { who: x.session, since: x.since, waits });
        }
        let growers: Vec<Grower> = w.pool(key).growers.iter().copied().collect();
        for (i, g) in growers.iter().enumerate() {
            let behind = if i > 0 { Some(growers[i - 1].session) } else { None };
            let waits = Waits::Room { needs: vec![(key, g.units)], site: None, behind };
            found.push(Waiter { who: g.session, since: 0.0, waits });
        }
    }
    let k = w.kernel();
    for (who, record) in k.legs.iter() {
        let legs = match record.waits {
            Wait::Nothing if record.ending() => record.legs.clone(),
            Wait::Nothing => continue,
            Wait::Legs => record.legs.clone(),
            Wait::Booking(stmt) => {
                let books = |leg: &&Sid| k.legs.get(**leg).is_some_and(|leg| leg.books == stmt);
                record.legs.iter().filter(books).copied().collect()
            }
        };
        let asked = record.waits != Wait::Nothing;
        found.push(Waiter { who, since: record.since, waits: Waits::Legs { legs, asked } });
    }
    found
}

/// The units that a request needs at least of each of its pools, whole blocks, as far as its session alone decides it.
fn needs<W: World>(w: &mut W, s: Sid, stmt: u32) -> Vec<(PoolKey, f64)> {
    let steady = W::HOLDS[stmt as usize].steady;
    if steady.is_empty() {
        return Vec::new();
    }
    let header = w.header(s, stmt);
    let need = |(claim, &(units, reserve)): (&crate::world::ClaimNow, &(bool, bool))| {
        // What others hold of a shared prefix need not fit, and nobody knows who will.
        let known = !shared::shares::<W>(claim.pool);
        let p = w.pool(claim.pool);
        let least = |steady: bool, x: f64| if steady && known { p.round_up(x) } else { 0.0 };
        (claim.pool, least(units, claim.units).max(least(reserve, claim.reserve)))
    };
    header.claims.iter().zip(steady).map(need).collect()
}

/// Units of each pool, by its number, that only those who are stuck can give back.
fn held<W: World>(w: &W, stuck: &Stuck) -> Vec<f64> {
    let k = w.kernel();
    let of = |key: &PoolKey| {
        let mut units = 0.0;
        let mut id = w.pool(*key).last_alloc();
        while id != NONE {
            if keeps(w, id, stuck) {
                units += k.allocs[id].units;
            }
            id = k.allocs[id].previous;
        }
        units
    };
    k.pools.iter().map(of).collect()
}

/// Whether an allocation stays as long as those who are stuck do: nobody takes it by a preemption, no time ends it, and
/// no leg that goes on may release it.
fn keeps<W: World>(w: &W, id: u32, stuck: &Stuck) -> bool {
    let k = w.kernel();
    let a = &k.allocs[id];
    let spec = spec::<W>(a.pool);
    let taken = spec.lifo && spec.memory_of.is_empty() && !a.leased;
    let released = a.leased && (k.leases.has(id) || !all_stuck(w, a.session, stuck));
    stuck.has(a.session) && !taken && !released
}

/// Whether all legs of one who is stuck, and their legs, are as well.
fn all_stuck<W: World>(w: &W, s: Sid, stuck: &Stuck) -> bool {
    let Some(record) = w.kernel().legs.get(s) else { return true };
    record.legs.iter().all(|leg| stuck.has(*leg) && all_stuck(w, *leg, stuck))
}

/// Whether one who waits cannot go on while the others wait who `held` so much.
fn stays<W: World>(w: &W, one: &Waiter, stuck: &Stuck, held: &[f64]) -> bool {
    match &one.waits {
        Waits::Legs { legs, .. } => legs.iter().any(|leg| stuck.has(*leg)),
        Waits::Room { needs, behind, .. } => {
            behind.is_some_and(|other| stuck.has(other)) || lacking(w, needs, held).is_some()
        }
    }
}

/// The pool of which there is never enough.
fn lacking<W: World>(w: &W, needs: &[(PoolKey, f64)], held: &[f64]) -> Option<(PoolKey, f64)> {
    needs.iter().copied().find(|(key, need)| {
        let p = w.pool(*key);
        held[p.flat] + need > p.cap
    })
}

/// Says who waits where, along a way that comes back to where it has been.
fn raise<W: World>(w: &mut W, first: &Waiter, found: &[Waiter], stuck: &Stuck) {
    let held = held(w, stuck);
    let mut said = String::new();
    let mut been = Vec::new();
    let mut at = first;
    loop {
        been.push(at.who);
        let (text, next) = step(w, at, found, stuck, &held);
        said.push_str(&format!("{} waits{} for {text}", name(w, at.who), place::<W>(w, at)));
        let Some(next) = found.iter().find(|one| Some(one.who) == next) else { break };
        said.push_str("; ");
        if been.contains(&next.who) {
            said.push_str(&format!("and so on, round by {}", name(w, next.who)));
            break;
        }
        at = next;
    }
    let since = found.iter().map(|one| one.since).fold(0.0, f64::max);
    let kind = FaultKind::Deadlock(said);
    let k = w.kernel_mut();
    k.fault(Fault { kind, site: None, session: Some(first.who) });
    k.date_fault(since);
}

/// What one who is stuck waits for, and who is to give it.
fn step<W: World>(
    w: &W,
    one: &Waiter,
    found: &[Waiter],
    stuck: &Stuck,
    held: &[f64],
) -> (String, Option<Sid>) {
    match &one.waits {
        Waits::Legs { legs, .. } => {
            let leg = legs.iter().copied().find(|leg| stuck.has(*leg));
            ("a leg that it has forked".to_owned(), leg)
        }
        Waits::Room { needs, behind, .. } => match lacking(w, needs, held) {
            Some((key, need)) => {
                let (holder, units) = holder(w, key, found);
                let pool = pool_name::<W>(key);
                let has = holder.map_or(String::new(), |s| {
                    format!(", of which {} has {}", name(w, s), exact(units))
                });
                (format!("{} of `{pool}`{has}", exact(need)), holder)
            }
            None => {
                let who = behind.map_or(String::new(), |s| name(w, s));
                (format!("its turn behind {who}"), *behind)
            }
        },
    }
}

/// The stuck holder of the most units of a pool, and these.
fn holder<W: World>(w: &W, key: PoolKey, found: &[Waiter]) -> (Option<Sid>, f64) {
    let mut most = (None, 0.0);
    for one in found {
        let units = w.pool(key).share(one.who).units;
        if units > most.1 {
            most = (Some(one.who), units);
        }
    }
    most
}

fn pool_name<W: World>(key: PoolKey) -> String {
    let spec = &W::POOLS[key.family as usize];
    label(spec.name, (!spec.single).then_some(key.member as usize))
}

fn name<W: World>(w: &W, s: Sid) -> String {
    let serial = w.kernel().control(s).serial;
    match super::parent(w, s) {
        Some(_) => format!("a leg of session {serial}"),
        None => format!("session {serial}"),
    }
}

/// Where it waits: the statement.
fn place<W: World>(w: &W, one: &Waiter) -> String {
    let hold = match &one.waits {
        Waits::Room { site, .. } => *site,
        Waits::Legs { .. } => None,
    };
    let at = w.kernel().control(one.who).at;
    let state = W::WAITS.iter().find(|(state, _)| *state == at).map(|(_, site)| *site);
    let site = hold.or(state).and_then(|site| W::SITES.get(site as usize));
    site.map_or(String::new(), |site| format!(" at {}:{}:{}", site.file, site.line, site.col))
}
