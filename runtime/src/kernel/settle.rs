//! One instant: what an event sets off until nothing more can happen at its time.
//!
//! Ready sessions run, pools retry, until nothing changes; then idle engines start, unless something
//! else is due at this very time; last, gauges are read.

use crate::{
    engine::{self, runs},
    flows, pool,
    station::ps,
    uses::Uses,
    world::World,
};

/// Runs ready sessions and retries pools until nothing changes.
pub(crate) fn settle<W: World>(w: &mut W) {
    loop {
        while let Some(s) = w.kernel_mut().next_ready() {
            w.kernel_mut().before_statements(s);
            w.resume(s);
            if w.kernel().has_fault() {
                return;
            }
        }
        w.kernel_mut().unsettled = false;
        if !pool::retry(w) && !w.kernel().any_ready() || w.kernel().has_fault() {
            return;
        }
    }
}

/// Ps stages whose jobs changed schedule their next end anew.
#[inline]
fn reschedule<W: World>(w: &mut W) {
    if !Uses::<W>::PS {
        return;
    }
    let mut from = 0;
    while let Some(i) = w.kernel().ps_changed.next(from) {
        w.kernel_mut().ps_changed.put(i, false);
        ps::reschedule(w, i);
        from = i + 1;
    }
}

/// What follows an event.
pub(crate) fn instant<W: World>(w: &mut W) {
    settle(w);
    reschedule(w);
    if Uses::<W>::STEP {
        start_engines(w);
    }
    // Engines that started may have freed what others wait for. That is seen at the next event, which
    // must not be lost in a run of iterations.
    let k = w.kernel();
    if Uses::<W>::RUNS && k.unsettled && !k.waited_for.is_empty() {
        runs::interrupt_all(w);
    }
    reschedule(w);
    read_gauges(w);
    flows::solve(w);
}

/// Idle engines with work start, in declared order, again until none does.
fn start_engines<W: World>(w: &mut W) {
    let mut again = true;
    while again {
        again = false;
        let mut from = 0;
        while let Some(i) = w.kernel().startable.next(from) {
            from = i + 1;
            reschedule(w);
            flows::solve(w);
            let k = w.kernel_mut();
            if k.clock.next().0 == k.now || k.has_fault() {
                return;
            }
            let key = k.stages[i];
            again |= engine::start(w, key);
            if w.kernel().any_ready() {
                settle(w);
                reschedule(w);
                again = true;
            }
        }
    }
}

/// Reads the gauges whose inputs changed.
#[inline]
pub(crate) fn read_gauges<W: World>(w: &mut W) {
    let k = w.kernel_mut();
    let dirty = std::mem::take(&mut k.dirty);
    if dirty != 0 && !W::GAUGES.is_empty() {
        w.read_gauges(dirty);
    }
}
