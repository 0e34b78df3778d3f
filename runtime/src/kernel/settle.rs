//! One instant: what an event sets off until nothing more can happen at its time.
//!
//! Ready sessions run, pools retry, until nothing changes; then idle engines start, unless something
//! else is due at this very time; last, gauges are read.

use crate::{
    engine::{self, runs},
    flows,
    kernel::NONE,
    pool,
    rare::rarely,
    station::ps,
    uses::Uses,
    world::{Sid, World},
};

/// Runs ready sessions and retries pools until nothing changes.
pub(crate) fn settle<W: World>(w: &mut W) {
    settle_from(w, NONE);
}

/// As [`settle`]; session `first`, if any, goes on before those that are ready.
#[inline]
fn settle_from<W: World>(w: &mut W, first: Sid) {
    let mut s = first;
    loop {
        if s == NONE {
            s = w.kernel_mut().next_ready();
        }
        while s != NONE {
            if w.kernel().has_fault() {
                return;
            }
            w.kernel_mut().before_statements(s);
            w.resume(s);
            s = w.kernel_mut().next_ready();
        }
        if !Uses::<W>::POOLS {
            return;
        }
        let k = w.kernel_mut();
        k.unsettled = false;
        // Mostly nobody waits.
        if !rarely(!k.waited_for.is_empty()) || k.has_fault() {
            return;
        }
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
    while let Some(i) = w.kernel_mut().ps_changed.take_first() {
        let stage = w.kernel().stages[i];
        w.on_station(stage, ps::Reschedule);
    }
}

/// What follows an event. Session `s`, if any, is the one whose job it ended, or that arrived.
#[inline(always)]
pub(crate) fn instant<W: World>(w: &mut W, s: Sid) {
    let k = w.kernel_mut();
    // As if it came to the ready queue, where nobody is when an event begins.
    if k.more == 0 {
        k.wake_first(s);
    } else if s != NONE {
        k.count_wake(s);
    }
    settle_from(w, s);
    reschedule(w);
    if Uses::<W>::STEP && !w.kernel().startable.is_empty() {
        start_engines(w);
    }
    // Engines that started may have freed what others wait for. That is seen at the next event, which
    // must not be lost in a run of iterations.
    let k = w.kernel();
    if Uses::<W>::RUNS && k.unsettled && !k.waited_for.is_empty() {
        runs::interrupt_all(w);
    }
    if Uses::<W>::STEP {
        reschedule(w);
    }
    read_gauges(w);
    flows::solve(w);
}

/// Idle engines with work start, in declared order, again until none does. Some has work.
#[inline]
fn start_engines<W: World>(w: &mut W) {
    let mut from = 0;
    let mut again = false;
    loop {
        let Some(i) = w.kernel().startable.next(from) else {
            if !again {
                return;
            }
            (from, again) = (0, false);
            continue;
        };
        reschedule(w);
        flows::solve(w);
        let k = w.kernel_mut();
        if k.clock.of(Uses::<W>::SLOTS).next().0 == k.now || k.has_fault() {
            return;
        }
        let key = k.stages[i];
        let started = w.on_engine(key, engine::Start);
        let ready = w.kernel().any_ready();
        if ready {
            settle(w);
            reschedule(w);
        }
        // Mostly the one engine that was to start.
        if w.kernel().startable.is_empty() {
            return;
        }
        again |= started | ready;
        from = i + 1;
    }
}

/// Reads the gauges whose inputs changed, `changed` among them: mostly no others.
#[inline]
pub(crate) fn read_gauges_of<W: World>(w: &mut W, changed: u64) {
    if rarely(w.kernel().dirty != 0) {
        read_others(w, changed);
    } else if changed != 0 && !W::GAUGES.is_empty() {
        w.read_gauges(changed);
    }
}

#[cold]
#[inline(never)]
fn read_others<W: World>(w: &mut W, changed: u64) {
    w.kernel_mut().dirty |= changed;
    read_gauges(w);
}

/// Reads the gauges whose inputs changed.
#[inline]
pub(crate) fn read_gauges<W: World>(w: &mut W) {
    if W::GAUGES.is_empty() {
        return;
    }
    let dirty = std::mem::take(&mut w.kernel_mut().dirty);
    // A few are asked for one by one as fast.
    if W::GAUGES.len() <= 2 || dirty != 0 {
        w.read_gauges(dirty);
    }
}
