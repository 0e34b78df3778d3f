//! Growth of planned runs: what iterations take as they start, applied in time order before each event.

use super::memory;
use crate::{
    kernel::settle,
    pool::{self, evict},
    uses::{Uses, UsesAt},
    world::{AtStage, OnStage, PoolKey, World},
};

/// Applies the growth of all runs before time `until` (or at it), in time order.
#[inline]
pub(crate) fn catch_up<W: World>(w: &mut W, until: f64, inclusive: bool) {
    if Uses::<W>::GROWS && due(w.kernel_mut().growths.next().0, until, inclusive) {
        grow_until(w, until, inclusive);
    }
}

fn grow_until<W: World>(w: &mut W, until: f64, inclusive: bool) {
    loop {
        let k = w.kernel_mut();
        let (time, slot) = k.growths.next();
        if !due(time, until, inclusive) {
            return;
        }
        k.growths.clear(slot);
        let (others, _) = k.growths.next();
        let stage = k.planners[slot];
        if let Some(time) = w.on_engine(stage, Grow { time, others, until, inclusive }) {
            w.kernel_mut().growths.set(slot, time);
        }
    }
}

/// The run's growth at `time`, and what follows of it before another engine grows; when it grows next.
struct Grow {
    time: f64,
    /// When the next other engine grows.
    others: f64,
    until: f64,
    inclusive: bool,
}

impl<W: World> OnStage<W> for Grow {
    type Out = Option<f64>;
    #[inline]
    fn run(self, w: &mut W, at: impl AtStage) -> Option<f64> {
        self.on(w, at)
    }
}

impl Grow {
    #[inline]
    fn on<W: World, S: AtStage>(self, w: &mut W, at: S) -> Option<f64> {
        if !UsesAt::<W, S>::RUNS {
            return None;
        }
        let Grow { mut time, others, until, inclusive } = self;
        let memory = memory::<W>(at);
        loop {
            let next = grow(w, at, memory, time)?;
            if next >= others || !due(next, until, inclusive) {
                return Some(next);
            }
            time = next;
        }
    }
}

#[inline]
fn due(time: f64, until: f64, inclusive: bool) -> bool {
    time < until || inclusive && time == until
}

/// The run's next growth, at `time`; when the one after it is.
#[inline]
fn grow<W: World>(
    w: &mut W,
    stage: impl AtStage,
    memory: Option<PoolKey>,
    time: f64,
) -> Option<f64> {
    let e = w.engine_mut(stage);
    let run = &mut e.run;
    let units = run.growth[run.grown].units;
    run.grown += 1;
    run.growth_left -= units;
    let next = run.next_growth();
    e.kv_decode += units;
    if let Some(key) = memory {
        let p = w.pool_mut(key);
        let used = p.used + units;
        p.set_used(time, used);
        let spec = pool::spec::<W>(key);
        let k = w.kernel_mut();
        k.now = time;
        k.kept.note(spec.kept[pool::USED], key.member);
        evict::evict(w, key, 0.0);
        settle::read_gauges_of(w, spec.dirty[pool::USED]);
    }
    next
}
