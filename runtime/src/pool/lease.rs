//! A lease: an allocation that outlives its hold until its session releases it, its time passes, or
//! its session ends.

use crate::{
    hold,
    kernel::LEASE_SLOT,
    pool::{self, shared},
    uses::Uses,
    world::{Sid, World},
};

/// The allocation is leased for `time` seconds (negative: 0; infinite: without end).
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
        k.leases.show(&mut k.clock, LEASE_SLOT);
    }
}

/// The earliest lease's time has passed.
pub(crate) fn expire<W: World>(w: &mut W) {
    if let Some((_, _, id)) = w.kernel().leases.first() {
        let pool = w.kernel().allocs[id].pool;
        hold::end_lease(w, pool, id);
        pool::retry(w);
    }
}
