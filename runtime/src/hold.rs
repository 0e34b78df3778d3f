//! The statements of a session that concern what it holds: `hold` and its end, `grow`, `release`,
//! `load`, `drop`.
//!
//! A hold is a place on the session's stack with one allocation per pool it takes. Allocations are
//! records of their own, since a leased one outlives its hold.

use crate::{
    engine,
    fault::FaultKind,
    kernel::{NONE, session},
    pool::{self, cache, evict, grow, lease, preempt, queue},
    uses::Uses,
    world::{MAX_CLAIMS, PoolKey, Sid, World},
};

/// A hold that a session is in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hold {
    /// Its statement: index into [`World::HOLDS`].
    pub stmt: u32,
    /// Something in its body grew with a run or loaded: positions count, not allocations.
    pub positioned: bool,
    /// Allocations by claim; [`NONE`] where given back.
    pub allocs: [u32; MAX_CLAIMS],
}

/// Units of a pool that a session has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alloc {
    pub pool: PoolKey,
    pub session: Sid,
    /// Units, whole blocks.
    pub units: f64,
    /// Computed units of it.
    pub position: f64,
    /// Number of the admission that made it.
    pub admission: u64,
    /// The hold statement.
    pub stmt: u32,
    /// Its hold's place on the stack, and its claim there.
    pub depth: u16,
    pub claim: u8,
    pub leased: bool,
    /// As its hold's, when it was leased.
    pub positioned: bool,
    /// Neighbours in the pool's list, in the order of allocation.
    pub previous: u32,
    pub next: u32,
}

/// `hold`: the session joins the queue of the first pool; the emitted code returns after it.
pub fn join<W: World>(w: &mut W, s: Sid, hold: u32) {
    queue::enqueue(w, s, hold, false);
}

/// Admits session `s`, whose header was just found to fit, and puts it at the start of its body.
pub(crate) fn enter<W: World>(w: &mut W, s: Sid, stmt: u32, header: &crate::world::Header) {
    let spec = &W::HOLDS[stmt as usize];
    let reuse = header.reuse.max(0.0);
    let k = w.kernel_mut();
    let admission = k.next_admission;
    k.next_admission += 1;
    let depth = k.control(s).holds.len() as u16;
    k.control_mut(s).admission = admission as f64;
    let mut hold = Hold { stmt, positioned: false, allocs: [NONE; MAX_CLAIMS] };
    let mut cached = 0.0;
    for (i, claim) in header.claims[..spec.claims].iter().enumerate() {
        let p = w.pool_mut(claim.pool);
        p.counts.admissions += 1;
        let units = p.round_up(claim.units);
        let position = if spec.caches { cache::consume(w, claim.pool, s, reuse) } else { 0.0 };
        if position > cached {
            cached = position;
        }
        hold.allocs[i] = pool::allocate(
            w,
            Alloc {
                pool: claim.pool,
                session: s,
                units,
                position,
                admission,
                stmt,
                depth,
                claim: i as u8,
                leased: false,
                positioned: false,
                previous: NONE,
                next: NONE,
            },
        );
    }
    for claim in &header.claims[..spec.claims] {
        evict::evict(w, claim.pool, 0.0);
        engine::check_room(w, claim.pool);
    }
    let c = w.kernel_mut().control_mut(s);
    c.b.cached = cached;
    c.holds.push(hold);
    c.at = spec.body;
}

/// The end of a hold's body: leases, releases, and admits whoever fits now.
pub fn leave<W: World>(w: &mut W, s: Sid, hold: u32) {
    let Some(h) = w.kernel_mut().control_mut(s).holds.pop() else { return };
    debug_assert_eq!(h.stmt, hold);
    give_back(w, s, &h, true);
    pool::retry(w);
    let c = w.kernel_mut().control_mut(s);
    c.b.computed = 0.0;
    c.preempted_at = f64::NAN;
}

/// Releases a hold's allocations, or leases the one that is to outlive it. The hold is off the stack.
pub(crate) fn give_back<W: World>(w: &mut W, s: Sid, h: &Hold, may_lease: bool) {
    let spec = &W::HOLDS[h.stmt as usize];
    let leased = if may_lease && Uses::<W>::LEASES { spec.leases } else { None };
    let time = match leased {
        Some(_) => w.lease_clause(s, h.stmt),
        None => 0.0,
    };
    for (i, &alloc) in h.allocs[..spec.claims].iter().enumerate() {
        if alloc == NONE {
            continue;
        }
        if leased == Some(i) {
            lease::begin(w, s, alloc, h.positioned, time);
        } else {
            give_back_one(w, alloc, h.positioned, false);
        }
    }
}

/// Releases one allocation, caching by its hold's clause; `positioned` says that the position counts.
pub(crate) fn give_back_one<W: World>(w: &mut W, id: u32, positioned: bool, preempted: bool) {
    let a = w.kernel().allocs[id];
    pool::deallocate(w, id);
    if W::HOLDS[a.stmt as usize].caches {
        let wanted = w.cache_clause(a.session, a.stmt);
        let have = if positioned || preempted { a.position } else { a.units };
        let keep = if wanted < have { wanted } else { have };
        let keep = if wanted.is_nan() || keep < 0.0 { 0.0 } else { keep };
        let keep = w.pool(a.pool).round_down(keep);
        if keep > 0.0 {
            cache::store(w, a.pool, a.session, keep, true);
        }
    }
}

/// Ends a lease: its session's, its time's, or its session's own end.
pub(crate) fn end_lease<W: World>(w: &mut W, id: u32) {
    let k = w.kernel_mut();
    let a = k.allocs[id];
    k.leases.remove(id);
    k.leases.show(&mut k.clock, crate::kernel::LEASE_SLOT);
    let leases = &mut k.control_mut(a.session).leases;
    if let Some(at) = leases.iter().position(|&x| x == id) {
        leases.remove(at);
    }
    give_back_one(w, id, a.positioned, false);
}

/// The innermost enclosing hold's allocation of `pool`.
pub(crate) fn innermost<W: World>(w: &W, s: Sid, pool: PoolKey) -> Option<u32> {
    let k = w.kernel();
    k.control(s).holds.iter().rev().find_map(|h| {
        let claims = W::HOLDS[h.stmt as usize].claims;
        h.allocs[..claims].iter().copied().find(|&a| a != NONE && k.allocs[a].pool == pool)
    })
}

/// `release p`: the innermost hold's allocation, else the oldest lease; admits whoever fits now.
pub fn release<W: World>(w: &mut W, s: Sid, pool: PoolKey) {
    if let Some(id) = innermost(w, s, pool) {
        let k = w.kernel_mut();
        let (depth, claim) = (k.allocs[id].depth as usize, k.allocs[id].claim as usize);
        let h = &mut k.control_mut(s).holds[depth];
        h.allocs[claim] = NONE;
        let positioned = h.positioned;
        give_back_one(w, id, positioned, false);
    } else {
        let k = w.kernel();
        let lease = k.control(s).leases.iter().copied().find(|&a| k.allocs[a].pool == pool);
        let Some(id) = lease else { return };
        end_lease(w, id);
    }
    crate::pool::retry(w);
}

/// `grow p (amount)`: true when the session goes on now; false when it waits or was itself preempted.
pub fn grow<W: World>(w: &mut W, s: Sid, pool: PoolKey, amount: f64) -> bool {
    let Some(id) = innermost(w, s, pool) else { return true };
    let d = w.pool(pool).round_up(amount);
    loop {
        let p = w.pool(pool);
        if p.used + d <= p.cap {
            grow::enlarge(w, id, d);
            return true;
        }
        match preempt::victim(w, pool) {
            None => {
                grow::wait(w, id, d, false);
                return false;
            }
            Some(v) => {
                let own = w.kernel().allocs[v].session == s;
                preempt::preempt(w, v);
                if own {
                    return false;
                }
            }
        }
    }
}

/// `load p (n)`: advances the innermost hold's position by `n`, within its allocation.
pub fn load<W: World>(w: &mut W, s: Sid, pool: PoolKey, n: f64, site: u32) {
    let Some(id) = innermost(w, s, pool) else { return };
    let k = w.kernel_mut();
    let a = &mut k.allocs[id];
    let reached = a.position + n;
    if reached > a.units {
        let allocated = a.units;
        k.raise(FaultKind::Load { reached, allocated }, Some(site), Some(s));
        return;
    }
    a.position = reached;
    let depth = a.depth as usize;
    k.control_mut(s).holds[depth].positioned = true;
}

/// `drop p`: discards the session's own prefix.
pub fn drop_prefix<W: World>(w: &mut W, s: Sid, pool: PoolKey) {
    cache::forget_own(w, pool, s);
}

/// Whether the session ended by a rejection (its emitted code has returned by then).
pub(crate) fn reject<W: World>(w: &mut W, s: Sid, pool: PoolKey) {
    w.pool_mut(pool).counts.rejected += 1;
    session::end_session(w, s);
}
