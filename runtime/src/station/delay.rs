//! `delay`: every job is served at once.

use super::Measures;
use crate::{
    kernel::{Heap, NONE},
    settings::Settings,
    uses::Uses,
    world::{AtStage, Sid, StageKey, World},
};

/// No waiting.
#[derive(Clone, Debug)]
pub struct Delay {
    /// By session.
    serving: Heap,
    pub(crate) slot: usize,
    pub(crate) measures: Measures,
}

impl Delay {
    /// Empty.
    pub fn new(settings: &Settings) -> Self {
        Self { serving: Heap::default(), slot: 0, measures: Measures::new(settings) }
    }

    /// Sessions there.
    pub(crate) fn present(&self) -> impl Iterator<Item = Sid> + '_ {
        self.serving.members()
    }

    pub(crate) fn work(&self, now: f64) -> f64 {
        self.serving.times().map(|end| end - now).sum()
    }
}

/// A job starts.
#[inline]
pub(crate) fn begin<W: World>(w: &mut W, s: Sid, stage: impl AtStage, work: f64) {
    let k = w.kernel_mut();
    let (now, order) = (k.now, k.clock.next_order());
    let d = w.delay_mut(stage);
    let end = now + work;
    let first = d.serving.schedule(end, order, s, now);
    d.measures.one_more(now);
    let slot = super::slot::<W>(stage, d.slot);
    let k = w.kernel_mut();
    super::changed::<W>(k, stage);
    if first {
        k.clock.of(Uses::<W>::SLOTS).set_in_order(slot, end, order);
    }
    super::note_job(w, s, stage.key(), s);
}

/// The earliest end; the session that goes on.
#[inline]
pub(crate) fn end<W: World>(w: &mut W, stage: impl AtStage) -> Sid {
    let (now, measured) = (w.kernel().now, w.kernel().measured());
    let d = w.delay_mut(stage);
    let Some((_, s, started)) = d.serving.pop() else { return NONE };
    super::complete::<W>(&mut d.measures, now, started, started, measured);
    d.measures.one_less(now);
    show(w, stage);
    super::done(w, s)
}

/// A job is gone: shows the clock the next end.
#[inline]
fn show<W: World>(w: &mut W, stage: impl AtStage) {
    let d = w.delay_mut(stage);
    let (slot, first) = (super::slot::<W>(stage, d.slot), d.serving.first());
    let k = w.kernel_mut();
    super::changed::<W>(k, stage);
    k.clock.of(Uses::<W>::SLOTS).show_next(slot, first);
}

/// A job is taken away.
pub(crate) fn leave<W: World>(w: &mut W, stage: StageKey, s: Sid) {
    let now = w.kernel().now;
    let d = w.delay_mut(stage);
    d.serving.search_out(s);
    d.measures.one_less(now);
    show(w, stage);
}
