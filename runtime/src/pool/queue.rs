//! The queue in front of a pool: who joins, who is at its head, and the head's admission.

use super::{Pool, note_waiting, server, shared, spec};
use crate::{
    engine,
    hold::{self, each_claim},
    kernel::{Kernel, whole::float},
    pool,
    uses::Uses,
    world::{AtHold, AtPool, Header, Keys, OnHold, PoolKey, Sid, World},
};

/// A request that waits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Waiter {
    pub session: Sid,
    /// Its hold statement.
    pub stmt: u32,
    /// When it joined.
    pub since: f64,
}

/// A key tuple is smaller: the first pair that differs decides; NaN differs from nothing.
#[inline]
pub(crate) fn smaller(a: &Keys, b: &Keys, n: usize) -> bool {
    for i in 0..n {
        if a[i] < b[i] {
            return true;
        }
        if a[i] > b[i] {
            return false;
        }
    }
    false
}

/// Joins the queue of the hold's first pool, at its head after a preemption; rejects (ends) a session
/// whose request could never fit.
#[inline]
pub(crate) fn enqueue<W: World, H: AtHold>(w: &mut W, s: Sid, hold: H, first: bool) {
    let header = w.joining_header(s, hold);
    if w.kernel().has_fault() {
        return;
    }
    each_claim!(W, H, hold, i => {
        // What is checked is known to fit.
        if !hold::spec::<W>(hold).checked[i] {
            let c = &header.claims[i];
            let pool = hold::claimed::<W>(hold, i, c.pool.member);
            let p = w.pool(pool);
            if pool::too_much::<W>(p, pool, c.units) || pool::too_much::<W>(p, pool, c.reserve) {
                hold::reject(w, s, pool);
                return;
            }
        }
    });
    let key = hold::claimed::<W>(hold, 0, header.claims[0].pool.member);
    let (p, k) = w.pool_and_kernel(key);
    let waiter = Waiter { session: s, stmt: hold.stmt(), since: k.now };
    k.control_mut(s).queued = Some(key);
    p.preempted += usize::from(first);
    // Mostly nobody was there before.
    if p.queue.is_empty() {
        p.queue.push(waiter);
        p.averages.queued.set_first(k.now, 1.0);
    } else {
        match first {
            true => p.queue.push_first(waiter),
            false => p.queue.push(waiter),
        }
        p.averages.queued.set_finite(k.now, float(p.queue.len() as u64));
    }
    note_length::<W>(k, key);
    note_waiter(w, key, true);
}

/// Takes a session out of the queue it waits in, if it waits in one.
pub(crate) fn dequeue<W: World>(w: &mut W, s: Sid) {
    let Some(key) = w.kernel_mut().control_mut(s).queued.take() else { return };
    let at = w.pool(key).queue.iter().position(|x| x.session == s);
    if let Some(at) = at {
        remove(w, key, at);
    }
}

#[inline(always)]
fn remove<W: World>(w: &mut W, key: impl AtPool, at: usize) {
    let (p, k) = w.pool_and_kernel(key);
    let left = p.queue.remove(at);
    note_gone::<W>(p, k, key, at, left);
    note_waiter(w, key, false);
}

/// Who was at place `at` of the queue of `p`, which is `key`, waits there no more; so many still do.
#[inline(always)]
fn note_gone<W: World>(
    p: &mut Pool<W::Attrs>,
    k: &mut Kernel,
    key: impl AtPool,
    at: usize,
    left: usize,
) {
    p.averages.queued.set_finite(k.now, float(left as u64));
    if at < p.preempted {
        p.preempted -= 1;
    }
    note_length::<W>(k, key);
}

/// The pool's queue became longer or shorter by one.
#[inline(always)]
fn note_length<W: World>(k: &mut Kernel, key: impl AtPool) {
    pool::changed::<W>(k, key, pool::QUEUED);
    k.unsettled = true;
}

/// Somebody more waits in the queue, or somebody less.
#[inline(always)]
fn note_waiter<W: World>(w: &mut W, key: impl AtPool, longer: bool) {
    if let Some(engine) = server::<W>(key) {
        engine::note_waiting(w, engine, longer);
    } else {
        note_waiting(w, key);
    }
}

/// The place of the request that is tried: preempted ones first, then the smallest keys.
#[inline]
fn head<W: World>(w: &mut W, key: impl AtPool) -> usize {
    if !Uses::<W>::QUEUE_KEYS || spec::<W>(key).queue_keys == 0 {
        return 0;
    }
    head_by_keys(w, key.key())
}

fn head_by_keys<W: World>(w: &mut W, key: PoolKey) -> usize {
    let n = spec::<W>(key).queue_keys;
    let p = w.pool(key);
    if p.preempted > 0 || p.queue.len() == 1 {
        return 0;
    }
    let now = w.kernel().now;
    let mut best = 0;
    let mut least = [0.0; crate::world::MAX_KEYS];
    for i in 0..w.pool(key).queue.len() {
        let x = w.pool(key).queue.at(i);
        let keys = w.queue_keys(key, x.session, now - x.since);
        if i == 0 || smaller(&keys, &least, n) {
            (best, least) = (i, keys);
        }
    }
    best
}

/// The request that is tried next, and its hold statement; the queue is not empty.
pub(crate) fn next<W: World>(w: &mut W, key: PoolKey) -> (Sid, u32) {
    let at = head(w, key);
    let x = w.pool(key).queue.at(at);
    (x.session, x.stmt)
}

/// Tries the head of the queue, where `first` stands first: admitted and at the start of its body; or `None`. Where an
/// engine serves the queue, it has run from there until it waits; else it is not ready yet.
#[inline]
pub(crate) fn admit<W: World>(w: &mut W, key: impl AtPool, first: Waiter) -> Option<Sid> {
    let at = head(w, key);
    let Waiter { session, stmt, .. } = if at == 0 { first } else { w.pool(key).queue.at(at) };
    w.on_hold(stmt, Admit { session, at: at as u32 }).then_some(session)
}

/// An attempt to admit the request at place `at` of a queue; true when it was.
struct Admit {
    session: Sid,
    at: u32,
}

impl<W: World> OnHold<W> for Admit {
    type Out = bool;
    fn run(self, w: &mut W, hold: impl AtHold) -> bool {
        let session = self.session;
        debug_assert!(Uses::<W>::QUEUE_KEYS || self.at == 0, "without keys the first is the next");
        let at = if Uses::<W>::QUEUE_KEYS { self.at as usize } else { 0 };
        let mut header = w.header(session, hold);
        if w.kernel().has_fault() || !fits(w, session, hold, &mut header) {
            return false;
        }
        let key = hold::claimed::<W>(hold, 0, header.claims[0].pool.member);
        if let Some(engine) = server::<W>(key) {
            engine::note_admission(w, engine);
        }
        let served = server::<W>(key).is_some();
        let mut left = 0;
        let let_in = |p: &mut _, k: &mut _| left = let_in::<W>(p, k, key, at);
        let too_often = hold::enter(w, session, hold, &header, served, let_in);
        if left > 0 {
            w.pool_mut(key).queue.close_up(at);
        }
        match served {
            true => run_body(w, session, hold, too_often),
            false => note_waiting(w, key),
        }
        true
    }
}

/// A session that was admitted runs on until it waits, unless that is `too_often` at one instant.
#[inline(always)]
fn run_body<W: World>(w: &mut W, s: Sid, hold: impl AtHold, too_often: bool) {
    let k = w.kernel_mut();
    if too_often {
        k.stay_awake(s);
    }
    k.before_statements(s);
    if !k.has_fault() {
        w.run_body(s, hold);
    }
}

/// Who is at place `at` of the queue of `p`, which is `key`, waits there no more, having been admitted; how many still
/// do. Who stands behind is still to close up.
#[inline(always)]
fn let_in<W: World>(p: &mut Pool<W::Attrs>, k: &mut Kernel, key: impl AtPool, at: usize) -> usize {
    let since = p.queue.at(at).since;
    let left = p.queue.step_out();
    note_gone::<W>(p, k, key, at, left);
    if k.measured() {
        p.waits.add(k.now - since);
    }
    left
}

/// Whether all that a header claims fits now; its units are whole blocks afterwards.
#[inline]
fn fits<W: World, H: AtHold>(w: &W, s: Sid, hold: H, header: &mut Header) -> bool {
    each_claim!(W, H, hold, i => {
        let reuse = header.reuse;
        let c = &mut header.claims[i];
        let pool = hold::claimed::<W>(hold, i, c.pool.member);
        let p = w.pool(pool);
        let units = c.units;
        c.units = pool::round_up::<W>(p, pool, units);
        let mut used = p.used;
        if shared::shares::<W>(pool) {
            used -= shared::held_by_others(w, pool, s, hold, c.units, reuse);
        }
        let need = match c.reserve <= units {
            true => c.units,
            false => pool::round_up::<W>(p, pool, c.reserve),
        };
        let fits = used + need <= p.cap;
        if !fits {
            return false;
        }
    });
    true
}
