//! Where sessions come from: the arrival law.

use crate::{
    fault::FaultKind,
    kernel::{ARRIVAL_SLOT, Kernel, session},
    uses::Uses,
    world::{Arrivals, Sid, World},
};

/// What happens at time 0.
pub(crate) fn open<W: World>(w: &mut W) {
    match w.arrivals() {
        Arrivals::None => {}
        Arrivals::Batch(n) | Arrivals::Closed(n) => session::spawn(w, n as u64),
        Arrivals::Poisson(rate) => {
            let k = w.kernel_mut();
            k.mean_gap = 1.0 / rate;
            k.clock.of(Uses::<W>::SLOTS).set(ARRIVAL_SLOT, 0.0);
        }
        Arrivals::Renewal | Arrivals::Recorded => schedule(w),
    }
}

/// An arrival: the next one is scheduled before the new session runs, which is returned.
#[inline]
pub(crate) fn arrive<W: World>(w: &mut W) -> Sid {
    let k = w.kernel();
    let more = k.settings.arrivals.is_none_or(|n| k.arrived + 1 < n);
    if more || matches!(w.arrivals(), Arrivals::Recorded) {
        schedule(w);
    } else {
        w.kernel_mut().clock.of(Uses::<W>::SLOTS).clear(ARRIVAL_SLOT);
    }
    session::create(w)
}

#[inline]
fn schedule<W: World>(w: &mut W) {
    let gap = match w.arrivals() {
        Arrivals::Poisson(_) => {
            let k = w.kernel_mut();
            let mean = k.mean_gap;
            k.arrival_rng().exp(mean)
        }
        Arrivals::Renewal => w.renewal_gap(),
        Arrivals::Recorded => return recorded(w.kernel_mut()),
        Arrivals::Batch(_) | Arrivals::Closed(_) | Arrivals::None => {
            return w.kernel_mut().clock.of(Uses::<W>::SLOTS).clear(ARRIVAL_SLOT);
        }
    };
    let k = w.kernel_mut();
    let fine = gap >= 0.0;
    if !fine {
        return k.raise(FaultKind::Gap(gap), Some(W::ARRIVE_SITE), None);
    }
    let time = k.now + gap;
    k.clock.of(Uses::<W>::SLOTS).set(ARRIVAL_SLOT, time);
}

/// The next recorded session arrives when it says; a limit of arrivals leaves out the rest.
fn recorded(k: &mut Kernel) {
    match k.replay.next_arrival() {
        Ok(Some(time)) if k.settings.arrivals.is_none_or(|n| k.replay.seen() <= n) => {
            // If it says -0, it means 0.
            k.clock.set(ARRIVAL_SLOT, time + 0.0);
        }
        Ok(_) => k.clock.clear(ARRIVAL_SLOT),
        Err(why) => k.raise(FaultKind::Trace(why), None, None),
    }
}
