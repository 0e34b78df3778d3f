//! The queue in front of a pool: who joins, who is at its head, and the head's admission.

use super::{note_waiting, server, spec};
use crate::{
    engine, hold,
    uses::Uses,
    world::{Header, Keys, PoolKey, Sid, World},
};
use std::collections::VecDeque;

/// A request that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiter {
    pub session: Sid,
    /// Its hold statement.
    pub stmt: u32,
    /// When it joined.
    pub since: f64,
}

// Functions of the list alone, so that they are compiled once.

fn join(queue: &mut VecDeque<Waiter>, waiter: Waiter, head: bool) {
    if head {
        queue.push_front(waiter);
    } else {
        queue.push_back(waiter);
    }
}

fn drop_out(queue: &mut VecDeque<Waiter>, at: usize) {
    queue.remove(at);
}

fn place(queue: &VecDeque<Waiter>, s: Sid) -> Option<usize> {
    queue.iter().position(|x| x.session == s)
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
pub(crate) fn enqueue<W: World>(w: &mut W, s: Sid, stmt: u32, head: bool) {
    let header = w.header(s, stmt);
    if w.kernel().has_fault() {
        return;
    }
    let claims = &header.claims[..W::HOLDS[stmt as usize].claims];
    for c in claims {
        let p = w.pool(c.pool);
        if p.round_up(c.units).max(p.round_up(c.reserve)) > p.cap {
            hold::reject(w, s, c.pool);
            return;
        }
    }
    let key = claims[0].pool;
    let k = w.kernel_mut();
    let waiter = Waiter { session: s, stmt, since: k.now };
    k.control_mut(s).queued = Some(key);
    let p = w.pool_mut(key);
    p.preempted += usize::from(head);
    join(&mut p.queue, waiter, head);
    note_length(w, key, true);
}

/// Takes a session out of the queue it waits in, if it waits in one.
pub(crate) fn dequeue<W: World>(w: &mut W, s: Sid) {
    let Some(key) = w.kernel_mut().control_mut(s).queued.take() else { return };
    let p = w.pool_mut(key);
    if let Some(at) = place(&p.queue, s) {
        remove(w, key, at);
    }
}

fn remove<W: World>(w: &mut W, key: PoolKey, at: usize) {
    let p = w.pool_mut(key);
    drop_out(&mut p.queue, at);
    if at < p.preempted {
        p.preempted -= 1;
    }
    note_length(w, key, false);
}

/// The queue became longer or shorter by one.
fn note_length<W: World>(w: &mut W, key: PoolKey, longer: bool) {
    let now = w.kernel().now;
    let p = w.pool_mut(key);
    p.averages.queued.set(now, p.queue.len() as f64);
    let k = w.kernel_mut();
    k.dirty |= spec::<W>(key).dirty[2];
    k.unsettled = true;
    if let Some(engine) = server::<W>(key) {
        engine::note_waiting(w, engine, longer);
    } else {
        note_waiting(w, key);
    }
}

/// The place of the request that is tried: preempted ones first, then the smallest keys.
fn head<W: World>(w: &mut W, key: PoolKey) -> usize {
    let n = spec::<W>(key).queue_keys;
    let p = w.pool(key);
    if !Uses::<W>::QUEUE_KEYS || p.preempted > 0 || n == 0 || p.queue.len() == 1 {
        return 0;
    }
    let now = w.kernel().now;
    let mut best = 0;
    let mut least = [0.0; crate::world::MAX_KEYS];
    for i in 0..w.pool(key).queue.len() {
        let x = w.pool(key).queue[i];
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
    let x = w.pool(key).queue[at];
    (x.session, x.stmt)
}

/// Tries the head of the queue (which is not empty): admitted and at the start of its body, not yet
/// ready; or `None`.
pub(crate) fn admit<W: World>(w: &mut W, key: PoolKey) -> Option<Sid> {
    let at = head(w, key);
    let x = w.pool(key).queue[at];
    let header = w.header(x.session, x.stmt);
    if w.kernel().has_fault() || !fits(w, x.stmt, &header) {
        return None;
    }
    remove(w, key, at);
    let k = w.kernel_mut();
    k.control_mut(x.session).queued = None;
    if k.measured() {
        let wait = k.now - x.since;
        w.pool_mut(key).waits.add(wait);
    }
    hold::enter(w, x.session, x.stmt, &header);
    Some(x.session)
}

#[inline]
fn fits<W: World>(w: &W, stmt: u32, header: &Header) -> bool {
    header.claims[..W::HOLDS[stmt as usize].claims].iter().all(|c| {
        let p = w.pool(c.pool);
        p.used + p.round_up(c.units).max(p.round_up(c.reserve)) <= p.cap
    })
}
