//! A lease: an allocation that outlives its hold until its session releases it, its time passes, or
//! its session ends.

use crate::{
    fault::FaultKind,
    hold,
    kernel::{Kernel, LEASE_SLOT},
    pool::{self, shared},
    uses::Uses,
    world::{Sid, World},
};

/// The allocation is leased for `time` seconds (negative: 0; infinite: without end).
#[inline]
pub(crate) fn begin<W: World>(w: &mut W, s: Sid, id: u32, positioned: bool, time: f64) {
    if Uses::<W>::SHARES {
        let a = &w.kernel().allocs[id];
        let computed = if positioned { a.position } else { a.units };
        shared::lease(w, id, computed);
    }
    let k = w.kernel_mut();
    let a = &mut k.allocs[id];
    a.leased = true;
    a.positioned = positioned;
    k.control_mut(s).leases.push(id);
    if time < f64::INFINITY {
        let order = k.clock.next_order();
        k.leases.add(k.now + time.max(0.0), order, id);
        k.clock.show(LEASE_SLOT, k.leases.first());
    }
}

/// What renews a lease.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Renewal {
    /// When the lease ends.
    end: f64,
    /// When the next heartbeat comes; infinite when none does any more.
    beat: f64,
    /// Seconds between heartbeats.
    period: f64,
    /// What each extends the lease to, seconds from then.
    extension: f64,
    /// Holds that its session was in when it began: the reader waits in a queue or is in one more.
    depth: usize,
}

/// How the lease that just began, for `time` seconds, is renewed: seconds between heartbeats and what each
/// extends it to.
pub(crate) fn renew<W: World>(w: &mut W, s: Sid, id: u32, time: f64, renew: Option<(f64, f64)>) {
    let k = w.kernel_mut();
    let i = id as usize;
    if i >= k.renewals.len() {
        k.renewals.resize(i + 1, None);
    }
    k.renewals[i] = None;
    let Some((period, extension)) = renew.filter(|_| time < f64::INFINITY) else { return };
    let paced = period > 0.0 && period < f64::INFINITY;
    if !paced {
        let site = W::HOLDS[k.allocs[id].stmt as usize].site;
        k.raise(FaultKind::Heartbeat(period), Some(site), Some(s));
        return;
    }
    let (end, depth) = (k.now + time.max(0.0), k.control(s).holds.len());
    let renewal = Renewal { end, beat: k.now + period, period, extension, depth };
    k.renewals[i] = Some(renewal);
    schedule(k, id, renewal);
}

/// The lease's next event: a heartbeat, or its end.
fn schedule(k: &mut Kernel, id: u32, renewal: Renewal) {
    let next = if renewal.beat <= renewal.end { renewal.beat } else { renewal.end };
    k.leases.remove(id);
    if next < f64::INFINITY {
        let order = k.clock.next_order();
        k.leases.add(next, order, id);
    }
    k.clock.show(LEASE_SLOT, k.leases.first());
}

/// The lease is that of another session now.
pub(crate) fn hand_over(k: &mut Kernel, id: u32, to: Sid) {
    let depth = k.control(to).holds.len();
    if let Some(Some(renewal)) = k.renewals.get_mut(id as usize) {
        renewal.depth = depth;
    }
}

/// Whoever reads what session `s` leases waits for it: the session, beyond `depth` holds, or a leg of it.
fn waits(k: &Kernel, s: Sid, depth: usize) -> bool {
    let c = k.control(s);
    c.queued.is_some()
        || c.holds.len() > depth
        || k.legs.get(s).is_some_and(|record| record.legs.iter().any(|&leg| waits(k, leg, 0)))
}

/// No heartbeat renews the session's leases any more.
pub(crate) fn stop_renewing<W: World>(w: &mut W, s: Sid) {
    if !Uses::<W>::RENEWS {
        return;
    }
    for i in 0..w.kernel().control(s).leases.len() {
        let k = w.kernel_mut();
        let id = k.control(s).leases[i];
        if let Some(mut renewal) = k.renewals[id as usize] {
            renewal.beat = f64::INFINITY;
            k.renewals[id as usize] = Some(renewal);
            schedule(k, id, renewal);
        }
    }
}

/// A heartbeat comes: it renews the lease if the reader waits. True when the lease goes on.
fn beats(k: &mut Kernel, id: u32) -> bool {
    let Some(mut renewal) = k.renewals.get(id as usize).copied().flatten() else { return false };
    if k.now < renewal.beat {
        return false;
    }
    if waits(k, k.allocs[id].session, renewal.depth) {
        renewal.end = renewal.end.max(k.now + renewal.extension);
    }
    renewal.beat += renewal.period;
    k.renewals[id as usize] = Some(renewal);
    let goes_on = k.now < renewal.end;
    if goes_on {
        schedule(k, id, renewal);
    }
    goes_on
}

/// The earliest lease's time has passed, or a heartbeat for it comes.
pub(crate) fn expire<W: World>(w: &mut W) {
    if let Some((_, _, id)) = w.kernel().leases.first() {
        if Uses::<W>::RENEWS && beats(w.kernel_mut(), id) {
            return;
        }
        hold::end_lease(w, id);
        pool::retry(w);
    }
}
