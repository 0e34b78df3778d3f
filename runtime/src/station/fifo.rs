//! `fifo(c)`: c servers, jobs in the order of their arrival.

use super::Measures;
use crate::{
    kernel::{NONE, Slab, Timers},
    settings::Settings,
    stats::TimeAverage,
    uses::Uses,
    world::{Sid, StageKey, World},
};
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug)]
struct Task {
    session: Sid,
    work: f64,
    arrived: f64,
    started: f64,
}

/// Servers in arrival order.
#[derive(Clone, Debug)]
pub struct Fifo {
    servers: f64,
    tasks: Slab<Task>,
    serving: Timers,
    waiting: VecDeque<u32>,
    pub(crate) busy: TimeAverage,
    pub(crate) slot: usize,
    pub(crate) measures: Measures,
}

impl Fifo {
    /// Idle; `servers` may be infinite.
    pub fn new(servers: f64, settings: &Settings) -> Self {
        Self {
            servers,
            tasks: Slab::default(),
            serving: Timers::default(),
            waiting: VecDeque::new(),
            busy: TimeAverage::new(settings.warmup),
            slot: 0,
            measures: Measures::new(settings),
        }
    }

    pub(crate) fn busy(&self) -> usize {
        self.serving.len()
    }

    pub(crate) fn work(&self, now: f64) -> f64 {
        let left: f64 = self.serving.times().map(|end| end - now).sum();
        left + self.waiting.iter().map(|&i| self.tasks[i].work).sum::<f64>()
    }

    /// Busy servers over servers, on average until `end`.
    pub(crate) fn utilization(&self, end: f64) -> f64 {
        self.busy.mean(end) / self.servers
    }

    #[inline]
    fn note(&mut self, now: f64) {
        self.measures.set_jobs(now, self.serving.len() + self.waiting.len());
        self.busy.set(now, self.serving.len() as f64);
    }
}

/// A job arrives; it is served at once if a server is free.
#[inline]
pub(crate) fn begin<W: World>(w: &mut W, s: Sid, stage: StageKey, work: f64) {
    let now = w.kernel().now;
    let f = w.fifo_mut(stage);
    let id = f.tasks.add(Task { session: s, work, arrived: now, started: now });
    if (f.serving.len() as f64) < f.servers {
        serve(w, stage, id);
        changed(w, stage);
    } else {
        f.waiting.push_back(id);
        f.measures.set_jobs(now, f.serving.len() + f.waiting.len());
        w.kernel_mut().dirty |= super::spec::<W>(stage).dirty;
    }
    super::note_job(w, s, stage, id);
}

#[inline]
fn serve<W: World>(w: &mut W, stage: StageKey, id: u32) {
    let k = w.kernel_mut();
    let now = k.now;
    let order = k.clock.next_order();
    let f = w.fifo_mut(stage);
    let task = &mut f.tasks[id];
    task.started = now;
    let end = now + task.work;
    f.serving.schedule(end, order, id, Uses::<W>::LEAVES);
}

/// The next one in line takes the server that became free.
#[inline]
fn next<W: World>(w: &mut W, stage: StageKey) {
    if let Some(id) = w.fifo_mut(stage).waiting.pop_front() {
        serve(w, stage, id);
    }
}

#[inline]
fn changed<W: World>(w: &mut W, stage: StageKey) {
    let now = w.kernel().now;
    let f = w.fifo_mut(stage);
    f.note(now);
    let (slot, first) = (f.slot, f.serving.first());
    let k = w.kernel_mut();
    k.dirty |= super::spec::<W>(stage).dirty;
    match first {
        Some((time, order, _)) => k.clock.set_in_order(slot, time, order),
        None => k.clock.clear(slot),
    }
}

/// The earliest end of service; the session that goes on.
#[inline]
pub(crate) fn end<W: World>(w: &mut W, stage: StageKey) -> Sid {
    let (now, measured) = (w.kernel().now, w.kernel().measured());
    let f = w.fifo_mut(stage);
    let Some((_, id)) = f.serving.pop(Uses::<W>::LEAVES) else { return NONE };
    let task = f.tasks[id];
    f.tasks.free(id);
    super::complete::<W>(&mut f.measures, now, task.arrived, task.started, measured);
    next(w, stage);
    changed(w, stage);
    super::done(w, task.session)
}

/// A job is taken away.
pub(crate) fn leave<W: World>(w: &mut W, stage: StageKey, id: u32) {
    let f = w.fifo_mut(stage);
    f.tasks.free(id);
    if let Some(at) = f.waiting.iter().position(|&x| x == id) {
        f.waiting.remove(at);
    } else {
        f.serving.remove(id);
        next(w, stage);
    }
    changed(w, stage);
}
