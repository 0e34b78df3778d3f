//! `ps(f)`: n jobs share the capacity f(n) equally.
//!
//! One clock per stage runs at f(n) / n; a job ends when it reaches the job's mark, the clock at its
//! start plus its work.

use super::{Measures, spec};
use crate::{
    fault::Station,
    kernel::{Heap, Kernel, NONE},
    settings::Settings,
    stats::TimeAverage,
    uses::Uses,
    world::{AtStage, OnStage, Sid, StageKey, StageType, World},
};

/// Processor sharing.
#[derive(Clone, Debug)]
pub struct Ps {
    /// Jobs by mark, of each its session.
    marks: Heap,
    clock: f64,
    /// When the clock was last brought up to date, and its rate since.
    since: f64,
    rate: f64,
    /// 1 while it serves.
    pub(crate) serving: TimeAverage,
    pub(crate) slot: usize,
    pub(crate) flat: usize,
    pub(crate) measures: Measures,
}

impl Ps {
    /// Empty.
    pub fn new(settings: &Settings) -> Self {
        Self {
            marks: Heap::default(),
            clock: 0.0,
            since: 0.0,
            rate: 0.0,
            serving: TimeAverage::new(settings.warmup),
            slot: 0,
            flat: 0,
            measures: Measures::new(settings),
        }
    }

    /// Sessions there.
    pub(crate) fn present(&self) -> impl Iterator<Item = Sid> + '_ {
        self.marks.members()
    }

    #[inline]
    fn clock_at(&self, now: f64) -> f64 {
        if now > self.since { self.clock + (now - self.since) * self.rate } else { self.clock }
    }

    #[inline]
    fn advance(&mut self, now: f64) {
        self.clock = self.clock_at(now);
        self.since = now;
    }

    pub(crate) fn work(&self, now: f64) -> f64 {
        let clock = self.clock_at(now);
        self.marks.times().map(|mark| (mark - clock).max(0.0)).sum()
    }
}

/// A job starts.
#[inline]
pub(crate) fn begin<W: World>(w: &mut W, s: Sid, stage: impl AtStage, work: f64) {
    let k = w.kernel_mut();
    let (now, order) = (k.now, k.next_job());
    let p = w.ps_mut(stage);
    p.advance(now);
    p.marks.schedule(p.clock + work, order, s, now);
    p.measures.one_more(now);
    let flat = p.flat;
    changed::<W>(w.kernel_mut(), stage, flat);
    super::note_job(w, s, stage.key(), s);
}

/// Its jobs changed: its next end is scheduled anew at the end of the settle.
#[inline]
fn changed<W: World>(k: &mut Kernel, stage: impl AtStage, flat: usize) {
    super::changed::<W>(k, stage);
    k.ps_changed.put(flat, true);
}

/// The next end is scheduled anew, at the capacity for the jobs that are there.
pub(crate) struct Reschedule;

impl<W: World> OnStage<W> for Reschedule {
    type Out = ();
    #[inline]
    fn run(self, w: &mut W, at: impl AtStage) {
        if spec::<W>(at).kind == StageType::Ps {
            reschedule(w, at);
        }
    }
}

fn reschedule<W: World>(w: &mut W, stage: impl AtStage) {
    let now = w.kernel().now;
    let jobs = w.ps(stage).measures.present.value();
    let capacity = if jobs > 0.0 { w.ps_capacity(stage, jobs) } else { 0.0 };
    w.kernel_mut().blame(Station::Stage(stage.key()));
    let rate = if capacity > 0.0 { capacity / jobs } else { 0.0 };
    let p = w.ps_mut(stage);
    p.advance(now);
    p.rate = rate;
    p.serving.set_finite(now, f64::from(rate > 0.0));
    let slot = super::slot::<W>(stage, p.slot);
    let end = match p.marks.first() {
        Some((mark, _, _)) if rate > 0.0 => Some(now + (mark - p.clock).max(0.0) / rate),
        _ => None,
    };
    let clock = w.kernel_mut().clock.of(Uses::<W>::SLOTS);
    match end {
        Some(time) => clock.set(slot, time),
        None => clock.clear(slot),
    }
}

/// The job with the least mark ends; the session that goes on.
#[inline]
pub(crate) fn end<W: World>(w: &mut W, stage: impl AtStage) -> Sid {
    let (now, measured) = (w.kernel().now, w.kernel().measured());
    let p = w.ps_mut(stage);
    let Some((mark, s, started)) = p.marks.pop() else { return NONE };
    p.advance(now);
    p.clock = p.clock.max(mark);
    super::complete::<W>(&mut p.measures, now, started, started, measured);
    p.measures.one_less(now);
    let flat = p.flat;
    changed::<W>(w.kernel_mut(), stage, flat);
    super::done(w, s)
}

/// A job is taken away.
pub(crate) fn leave<W: World>(w: &mut W, stage: StageKey, s: Sid) {
    let now = w.kernel().now;
    let p = w.ps_mut(stage);
    p.advance(now);
    p.marks.search_out(s);
    p.measures.one_less(now);
    let flat = p.flat;
    changed::<W>(w.kernel_mut(), stage, flat);
}
