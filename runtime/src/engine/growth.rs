//! Growth of planned runs: what iterations take as they start, applied in time order before each event.

use super::{memory, runs::Growth};
use crate::{
    kernel::settle,
    pool::{self, evict},
    uses::Uses,
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
        let (time, flat) = k.growths.next();
        if !due(time, until, inclusive) {
            return;
        }
        k.growths.clear(flat);
        // NaN when no other engine grows.
        let (others, _) = k.growths.next();
        let stage = k.stages[flat];
        w.on_engine(stage, Grow { time, others, until, inclusive });
    }
}

/// The run's growth at `time`, and what follows of it before another engine grows.
struct Grow {
    time: f64,
    /// When the next other engine grows.
    others: f64,
    until: f64,
    inclusive: bool,
}

impl<W: World> OnStage<W> for Grow {
    type Out = ();
    fn run(self, w: &mut W, at: impl AtStage) {
        let Grow { mut time, others, until, inclusive } = self;
        let memory = memory::<W>(at);
        loop {
            grow(w, at, memory, time);
            let e = w.engine(at);
            let Some(next) = e.run.next_growth() else { return };
            if next >= others || !due(next, until, inclusive) {
                let flat = e.flat;
                w.kernel_mut().growths.set(flat, next);
                return;
            }
            time = next;
        }
    }
}

#[inline]
fn due(time: f64, until: f64, inclusive: bool) -> bool {
    time < until || inclusive && time == until
}

#[inline]
fn grow<W: World>(w: &mut W, stage: impl AtStage, memory: Option<PoolKey>, time: f64) {
    w.kernel_mut().now = time;
    let e = w.engine_mut(stage);
    let Growth { units, .. } = e.run.growth[e.run.grown];
    e.run.grown += 1;
    e.run.growth_left -= units;
    e.kv_decode += units;
    if let Some(key) = memory {
        let spec = pool::spec::<W>(key);
        w.kernel_mut().dirty |= spec.dirty[0];
        let p = w.pool_mut(key);
        let used = p.used + units;
        p.set_used(time, used);
        evict::evict(w, key, 0.0);
    }
    settle::read_gauges(w);
}
