//! The statements of a session that concern what it holds: `hold` and its end, `grow`, `release`,
//! `load`, `drop`.
//!
//! A hold is a place on the session's stack with one allocation per pool it takes. Allocations are
//! records of their own, since a leased one outlives its hold.

mod held;

use held::OnlyTaker;
pub(crate) use held::{Held, grow_along, innermost, innermost_last};
use std::marker::PhantomData;

use crate::{
    engine,
    fault::FaultKind,
    kernel::{Job, Kernel, LEASE_SLOT, Linked, NONE, session, whole::float},
    legs,
    pool::{
        self, Pool,
        allocs::{self, Reuse},
        cache, evict, grow, lease, preempt, queue, shared,
    },
    uses::Uses,
    world::{AtHold, AtPool, Header, HoldSpec, MAX_CLAIMS, PoolKey, Sid, World},
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
#[derive(Clone, Copy, Debug, Default)]
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
    pub leased: bool,
    /// As its hold's, when it was leased.
    pub positioned: bool,
    /// Neighbours in the pool's list, in the order of allocation.
    pub previous: u32,
    pub next: u32,
}

impl Linked for Alloc {
    #[inline]
    fn link(&mut self) -> &mut u32 {
        &mut self.next
    }
}

/// `hold`: the session joins the queue of the first pool; the emitted code returns after it.
pub fn join<W: World>(w: &mut W, s: Sid, hold: impl AtHold) {
    queue::enqueue(w, s, hold, false);
}

/// What is known of a hold statement when the program is compiled.
#[inline]
pub(crate) fn spec<W: World>(hold: impl AtHold) -> &'static HoldSpec {
    &W::HOLDS[hold.stmt() as usize]
}

/// The claims of a hold statement whose type says which it is.
pub(crate) struct Claims<W, H>(PhantomData<(W, H)>);

impl<W: World, H: AtHold> Claims<W, H> {
    /// The type says it.
    pub const KNOWN: bool = H::STMT.is_some();
    /// Their pools are known to be of families that differ: what is done in one leaves the others as they are.
    pub const APART: bool = match H::STMT {
        Some(stmt) => differ(W::HOLDS[stmt as usize].pools),
        None => false,
    };
    /// How many they are; 0 where that is only known in a run.
    pub const COUNT: usize = match H::STMT {
        Some(stmt) => W::HOLDS[stmt as usize].claims,
        None => 0,
    };
}

/// No number comes twice.
const fn differ(numbers: &[u16]) -> bool {
    let mut i = 0;
    while i < numbers.len() {
        let mut j = 0;
        while j < i {
            if numbers[i] == numbers[j] {
                return false;
            }
            j += 1;
        }
        i += 1;
    }
    true
}

/// Does something for each claim `$i` of a hold statement of type `$H`. Where the type says the statement
/// there is code for each claim, in which its pool's family is a constant; else there is a loop.
macro_rules! each_claim {
    ($W:ty, $H:ty, $hold:expr, $i:ident => $body:block) => {
        if const { $crate::hold::Claims::<$W, $H>::KNOWN } {
            $crate::hold::each_claim!(@ $W, $H, $i, $body, 0 1 2 3 4 5 6 7);
        } else {
            for $i in 0..$crate::hold::spec::<$W>($hold).claims {
                $body
            }
        }
    };
    (@ $W:ty, $H:ty, $i:ident, $body:block, $($n:literal)*) => {$(
        if const { $n < $crate::hold::Claims::<$W, $H>::COUNT } {
            let $i: usize = $n;
            $body
        }
    )*};
}
pub(crate) use each_claim;

const _: () = assert!(MAX_CLAIMS == 8, "as `each_claim` counts");

/// The pool of claim `i`, which is member `member` of its family.
#[inline]
pub(crate) fn claimed<W: World>(hold: impl AtHold, i: usize, member: u32) -> PoolKey {
    PoolKey { family: spec::<W>(hold).pools[i], member }
}

/// Admits session `s`, whose header was just found to fit (its units are whole blocks), and puts it at
/// the start of its body. `let_in` takes it out of the queue that it waits in, that of the first pool. Whether it goes
/// on at this instant too often, if it is that it `wakes` there.
#[inline]
pub(crate) fn enter<W: World, H: AtHold>(
    w: &mut W,
    s: Sid,
    hold: H,
    header: &Header,
    wakes: bool,
    mut let_in: impl FnMut(&mut Pool<W::Attrs>, &mut Kernel),
) -> bool {
    let owner = legs::owner(w, s);
    let k = w.kernel_mut();
    let admission = k.next_admission;
    k.next_admission += 1;
    let c = if wakes { k.wake(s) } else { k.control_mut(s) };
    c.queued = None;
    c.admission = float(admission);
    let stmt = hold.stmt();
    let mut ids = [NONE; MAX_CLAIMS];
    let mut cached = 0.0;
    let mut roomy = true;
    let most = header.reuse.max(0.0);
    each_claim!(W, H, hold, i => {
        let claim = &header.claims[i];
        let pool = claimed::<W>(hold, i, claim.pool.member);
        let (shares, caches) = (shared::shares::<W>(pool), spec::<W>(hold).caches);
        let (p, k) = w.pool_and_kernel(pool);
        if i == 0 {
            // Here, where the pool is at hand.
            let_in(p, k);
        }
        p.counts.admissions += 1;
        let reuse = (caches && !shares).then_some(Reuse { owner, most });
        let (units, position) = (claim.units, 0.0);
        let (leased, positioned, previous, next) = (false, false, NONE, NONE);
        let (id, mut position) = allocs::allocate::<W>(p, k, pool, Alloc {
            pool, session: s, units, position, admission, stmt, leased, positioned, previous, next,
        }, reuse);
        if Claims::<W, H>::APART && (pool::spec::<W>(pool).blocks || p.entries.first != NONE) {
            roomy &= evict::evicted::<W>(p, pool, k.now, 0.0);
        }
        if caches && shares {
            position = shared::take_hits(w, pool, id, most);
        }
        ids[i] = id;
        cached = if position > cached { position } else { cached };
    });
    each_claim!(W, H, hold, i => {
        let pool = claimed::<W>(hold, i, header.claims[i].pool.member);
        if !(Claims::<W, H>::APART && roomy) {
            evict::evict(w, pool, 0.0);
        }
        engine::check_room(w, pool);
    });
    let c = w.kernel_mut().control_mut(s);
    c.b.cached = cached;
    // All of it is made where it stands.
    let mut allocs = [NONE; MAX_CLAIMS];
    each_claim!(W, H, hold, i => { allocs[i] = ids[i]; });
    c.holds.push(Hold { stmt, positioned: false, allocs });
    c.at = spec::<W>(hold).body;
    wakes && c.wakes_too_often()
}

/// The end of a hold's body: leases, releases, and admits whoever fits now.
#[inline]
pub fn leave<W: World, H: AtHold>(w: &mut W, s: Sid, hold: H) {
    let c = w.kernel_mut().control_mut(s);
    let Some(h) = c.holds.pop() else { return };
    debug_assert_eq!(h.stmt, hold.stmt());
    let early = forgets_early::<W>(hold);
    if early {
        c.forget_hold();
    }
    let (time, renew) = lease_of(w, s, hold);
    each_claim!(W, H, hold, i => {
        let id = h.allocs[i];
        if id == NONE {
            // It was released before.
        } else if spec::<W>(hold).leases == Some(i) {
            lease::begin(w, s, id, h.positioned, time);
            if Uses::<W>::RENEWS {
                lease::renew(w, s, id, time, renew);
            }
        } else {
            let pool = claimed::<W>(hold, i, w.kernel().allocs[id].pool.member);
            give_back_one(w, pool, hold, s, id, h.positioned, false);
        }
    });
    pool::retry(w);
    if !early {
        w.kernel_mut().control_mut(s).forget_hold();
    }
}

/// What becomes of a hold's units does not depend on what its session knows of it.
#[inline]
fn forgets_early<W: World>(hold: impl AtHold) -> bool {
    let HoldSpec { caches, plain_cache, leases, .. } = *spec::<W>(hold);
    !(W::LEGS || W::ENTRY_ATTRS) && (!caches || plain_cache) && leases.is_none()
}

/// How long the hold's lease lasts, and how it is renewed, as its clauses have it before anything is
/// given back.
#[inline]
fn lease_of<W: World>(w: &mut W, s: Sid, hold: impl AtHold) -> (f64, Option<(f64, f64)>) {
    if spec::<W>(hold).leases.is_none() {
        return (0.0, None);
    }
    let time = w.lease_clause(s, hold.stmt());
    (time, if Uses::<W>::RENEWS { w.renew_clause(s, hold.stmt()) } else { None })
}

/// The place on a session's stack of the hold that an allocation of it is of; as many as there are if it is of none.
pub(crate) fn place_of(k: &Kernel, s: Sid, id: u32) -> usize {
    let holds = &k.control(s).holds;
    holds.iter().position(|hold| hold.allocs.contains(&id)).unwrap_or(holds.len())
}

/// Releases a hold's allocations; it is off the stack, and not by its body's end.
pub(crate) fn give_back<W: World>(w: &mut W, h: &Hold) {
    for &id in h.allocs[..W::HOLDS[h.stmt as usize].claims].iter().filter(|id| **id != NONE) {
        give_back_any(w, id, h.positioned);
    }
}

/// Releases one allocation of session `s` (or whose leg that is), caching by its hold's clause; `positioned` says that
/// the position counts, `busy` that its session may have a job at an engine, as that whose lease ends.
#[inline(always)]
fn give_back_one<W: World>(
    w: &mut W,
    pool: impl AtPool,
    hold: impl AtHold,
    s: Sid,
    id: u32,
    positioned: bool,
    busy: bool,
) {
    let HoldSpec { caches, plain_cache, .. } = *spec::<W>(hold);
    if shared::shares::<W>(pool) || W::ENTRY_ATTRS || caches && !plain_cache {
        return give_back_any(w, id, positioned);
    }
    let a = &w.kernel().allocs[id];
    let s = if W::LEGS { a.session } else { s };
    let have = if positioned { a.position } else { a.units };
    // It is all the same when the clause is read; of nothing nothing is kept.
    let wanted = if caches && have > 0.0 { w.cache_clause(s, hold.stmt()) } else { 0.0 };
    let owner = legs::owner(w, s);
    let (p, k) = w.pool_and_kernel(pool);
    if p.relied_on.is_some() || busy && matches!(k.control(s).job, Job::Engine(..)) {
        return give_back_any(w, id, positioned);
    }
    allocs::take_off_of::<W>(p, k, pool, id, s);
    if caches && have > 0.0 {
        let keep = pool::round_down::<W>(p, pool, kept(wanted, have));
        if keep > 0.0 {
            cache::store_own::<W>(p, k, pool, owner, keep);
        }
    }
}

/// As [`give_back_one`], of whatever hold and pool the allocation is; who counts on its units is told before.
#[inline(never)]
pub(crate) fn give_back_any<W: World>(w: &mut W, id: u32, positioned: bool) {
    let Alloc { session: s, pool, stmt, position, units, .. } = w.kernel().allocs[id];
    let have = if positioned { position } else { units };
    allocs::announce(w, pool, id);
    let (p, k) = w.pool_and_kernel(pool);
    allocs::take_off::<W>(p, k, pool, id);
    if !spec::<W>(stmt).caches {
        return;
    }
    let wanted = w.cache_clause(s, stmt);
    let keep = pool::round_down::<W>(w.pool(pool), pool, kept(wanted, have));
    if shared::shares::<W>(pool) {
        shared::store(w, pool, s, id, keep);
    } else if keep > 0.0 {
        cache::store(w, pool, legs::owner(w, s), keep, true);
    }
}

/// Units to be cached of those that a session has: as many as it wants, none if that is no number.
#[inline]
fn kept(wanted: f64, have: f64) -> f64 {
    let keep = if wanted < have { wanted } else { have };
    if wanted.is_nan() || keep < 0.0 { 0.0 } else { keep }
}

/// Takes an allocation off a pool that has failed: nothing of it stays.
pub(crate) fn abandon<W: World>(w: &mut W, id: u32) {
    let Alloc { pool, session, .. } = w.kernel().allocs[id];
    allocs::announce(w, pool, id);
    let (p, k) = w.pool_and_kernel(pool);
    allocs::take_off::<W>(p, k, pool, id);
    if shared::shares::<W>(pool) {
        shared::store(w, pool, session, id, 0.0);
    }
}

/// Ends a lease: its session's, its time's, or its session's own end.
pub(crate) fn end_lease<W: World>(w: &mut W, id: u32) {
    let positioned = take_lease(w, id);
    give_back_any(w, id, positioned);
}

/// An allocation is leased no more; whether its position counts.
pub(crate) fn take_lease<W: World>(w: &mut W, id: u32) -> bool {
    let k = w.kernel_mut();
    let Alloc { session, positioned, .. } = k.allocs[id];
    let leases = &mut k.control_mut(session).leases;
    if let Some(at) = leases.iter().position(|&x| x == id) {
        leases.remove(at);
    }
    stop_timer(k, id);
    positioned
}

/// The lease's time does not matter any more, if it has one.
#[inline]
fn stop_timer(k: &mut Kernel, id: u32) {
    if k.leases.len() > 0 && k.leases.remove(id) {
        k.clock.show(LEASE_SLOT, k.leases.first());
    }
}

/// `release p`: the innermost hold's allocation, else the oldest lease; admits whoever fits now.
#[inline]
pub fn release<W: World, P: AtPool>(w: &mut W, s: Sid, pool: P) {
    let held = innermost::<W, _>(w.kernel_mut(), s, pool);
    let (id, positioned) = if let Some(Held { id, hold, claim, .. }) = held {
        hold.allocs[claim] = NONE;
        (id, hold.positioned)
    } else if let Some(lease) = take_oldest_lease(w, s, pool) {
        lease
    } else {
        return;
    };
    if OnlyTaker::<W, P>::KNOWN {
        give_back_one(w, pool, OnlyTaker::<W, P>::new(), s, id, positioned, true);
    } else {
        let stmt = w.kernel().allocs[id].stmt;
        give_back_one(w, pool, stmt, s, id, positioned, true);
    }
    pool::retry(w);
}

/// The oldest lease of `pool` that a session has, which it has no more, and whether its position counts; that a leg has,
/// or else whoever forked it.
#[inline]
fn take_oldest_lease<W: World>(w: &mut W, s: Sid, pool: impl AtPool) -> Option<(u32, bool)> {
    let mut of = Some(s);
    while let Some(s) = of {
        let k = w.kernel_mut();
        let Kernel { sessions, allocs, .. } = k;
        let leases = &mut sessions[s as usize].leases;
        if let Some(at) = leases.iter().position(|&id| allocs[id].pool == pool.key()) {
            let id = leases[at];
            // Mostly it is the only one.
            if at + 1 == leases.len() {
                leases.pop();
            } else {
                leases.remove(at);
            }
            let positioned = allocs[id].positioned;
            stop_timer(k, id);
            return Some((id, positioned));
        }
        of = legs::parent(w, s);
    }
    None
}

/// `grow p (amount)`: true when the session goes on now; false when it waits or was itself preempted.
pub fn grow<W: World>(w: &mut W, s: Sid, pool: impl AtPool, amount: f64) -> bool {
    let Some(Held { id, .. }) = innermost::<W, _>(w.kernel_mut(), s, pool) else { return true };
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
#[inline]
pub fn load<W: World>(w: &mut W, s: Sid, pool: impl AtPool, n: f64, site: u32) {
    let k = w.kernel_mut();
    let Some(Held { id, hold, allocs, .. }) = innermost::<W, _>(k, s, pool) else { return };
    let a = &mut allocs[id];
    let reached = a.position + n;
    if reached > a.units {
        let allocated = a.units;
        k.raise(FaultKind::Load { reached, allocated }, Some(site), Some(s));
        return;
    }
    a.position = reached;
    hold.positioned = true;
}

/// `drop p`: discards the session's own prefix.
pub fn drop_prefix<W: World>(w: &mut W, s: Sid, pool: impl AtPool) {
    if shared::shares::<W>(pool) {
        shared::forget_own(w, pool, s);
    } else {
        cache::forget_own(w, pool, legs::owner(w, s));
    }
}

/// Whether the session ended by a rejection (its emitted code has returned by then).
pub(crate) fn reject<W: World>(w: &mut W, s: Sid, pool: PoolKey) {
    w.pool_mut(pool).counts.rejected += 1;
    if W::LEGS {
        legs::reject(w, s);
    } else {
        session::end_session(w, s);
    }
}
