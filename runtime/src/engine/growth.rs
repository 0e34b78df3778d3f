//! Growth of planned runs: what iterations take as they start, applied in time order before each event.
//! After each the iterations up to the next one are laid out.

use super::{memory, runs};
use crate::{
    kernel::{earlier, settle},
    pool::{self, evict},
    rare::rarely,
    uses::{Uses, UsesAt},
    world::{AtStage, OnStage, PoolKey, World},
};

/// When the next run grows; infinite when none does.
#[inline]
pub(crate) fn next<W: World>(w: &mut W) -> f64 {
    if Uses::<W>::GROWS { w.kernel_mut().growths.next().0 } else { f64::INFINITY }
}

/// Applies the growth of runs in time order: the next one, and what comes before the next event, as long as there is
/// nothing else to do. An event may have been scheduled then, the end of a run.
pub(crate) fn grow_all<W: World>(w: &mut W) {
    loop {
        let k = w.kernel_mut();
        let planner = k.growths.take_first();
        let stage = k.planners[planner];
        let until = earlier(free_until(w), next(w));
        if let Some(time) = w.on_engine(stage, Grow { until }) {
            w.kernel_mut().growths.set(planner, time);
        }
        if next(w) >= free_until(w) {
            return;
        }
    }
}

/// So long nothing but growth comes.
#[inline]
fn free_until<W: World>(w: &mut W) -> f64 {
    let k = w.kernel_mut();
    earlier(f64::from_bits(k.look_at), k.clock.of(Uses::<W>::SLOTS).next().0)
}

/// The run's next growth, and what it grows by after that before `until`; when it grows next.
struct Grow {
    until: f64,
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
        let key = memory::<W>(at)?;
        loop {
            let takers = grow(w, at, key);
            let next = runs::foresee(w, at, takers);
            if next >= self.until {
                if next < f64::INFINITY {
                    return Some(next);
                }
                runs::schedule_end(w, at);
                return None;
            }
        }
    }
}

/// The run's growth after its stretch: the next one begins. How many residents take a block after that, 0 if the run
/// ends before.
#[inline]
fn grow<W: World>(w: &mut W, stage: impl AtStage, key: PoolKey) -> u32 {
    let (e, Some(p), k) = w.engine_parts(stage) else { return 0 };
    e.count_stretch(e.run.stretch.len(), k.settings.warmup);
    let (time, units) = (e.run.stretch.end, e.run.units);
    let takers = e.run.turn(&e.cohort.phases);
    e.kv_decode += units;
    let spec = pool::spec::<W>(key);
    k.now = time;
    k.kept.note(spec.kept[pool::USED], key.member);
    if rarely(!evict::displace::<W>(p, key, time, p.used + units)) {
        evict::evict(w, key, 0.0);
    }
    settle::read_gauges_of(w, spec.dirty[pool::USED]);
    takers
}
