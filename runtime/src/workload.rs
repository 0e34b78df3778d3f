//! Where sessions come from: the arrival law.

use crate::{
    fault::FaultKind,
    kernel::{ARRIVAL_SLOT, session},
    world::{Arrivals, World},
};

/// What happens at time 0.
pub(crate) fn open<W: World>(w: &mut W) {
    match w.arrivals() {
        Arrivals::None => {}
        Arrivals::Batch(n) | Arrivals::Closed(n) => session::spawn(w, n as u64),
        Arrivals::Poisson(_) => w.kernel_mut().clock.set(ARRIVAL_SLOT, 0.0),
        Arrivals::Renewal => schedule(w),
    }
}

/// An arrival: the next one is scheduled before the new session runs.
pub(crate) fn arrive<W: World>(w: &mut W) {
    let k = w.kernel();
    if k.settings.arrivals.is_none_or(|n| k.arrived + 1 < n) {
        schedule(w);
    }
    session::spawn(w, 1);
}

fn schedule<W: World>(w: &mut W) {
    let gap = match w.arrivals() {
        Arrivals::Poisson(rate) if rate > 0.0 => w.kernel_mut().arrival_rng().exp(1.0 / rate),
        Arrivals::Renewal => w.renewal_gap(),
        Arrivals::Poisson(_) | Arrivals::Batch(_) | Arrivals::Closed(_) | Arrivals::None => return,
    };
    let k = w.kernel_mut();
    let fine = gap >= 0.0;
    if !fine {
        k.raise(FaultKind::Gap(gap), Some(W::ARRIVE_SITE), None);
        return;
    }
    let time = k.now + gap;
    k.clock.set(ARRIVAL_SLOT, time);
}
