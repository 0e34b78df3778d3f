//! `fifo(c)`: c servers, jobs in the order of their arrival.

use super::Measures;
use crate::{
    kernel::{NONE, Timers, whole::float},
    settings::Settings,
    stats::TimeAverage,
    uses::Uses,
    world::{AtStage, Sid, StageKey, World},
};

#[derive(Clone, Copy, Debug)]
struct Task {
    session: Sid,
    /// The one behind it in its list.
    next: u32,
    work: f64,
    arrived: f64,
    started: f64,
}

/// Tasks by number, in lists: those that wait, and the room that is free.
#[derive(Clone, Debug)]
struct Tasks {
    all: Vec<Task>,
    free: u32,
    /// The first and the last that wait, and how many.
    head: u32,
    tail: u32,
    waiting: usize,
}

impl Tasks {
    fn new() -> Self {
        Self { all: Vec::new(), free: NONE, head: NONE, tail: NONE, waiting: 0 }
    }

    #[inline]
    fn add(&mut self, task: Task) -> u32 {
        let id = self.free;
        match self.all.get_mut(id as usize) {
            Some(room) => {
                self.free = room.next;
                *room = task;
                id
            }
            None => {
                self.all.push(task);
                (self.all.len() - 1) as u32
            }
        }
    }

    #[inline]
    fn take(&mut self, id: u32) -> Task {
        let room = &mut self.all[id as usize];
        let task = *room;
        room.next = self.free;
        self.free = id;
        task
    }

    /// A new task is the last that waits.
    #[inline]
    fn line_up(&mut self, id: u32) {
        match self.all.get_mut(self.tail as usize) {
            Some(last) => last.next = id,
            None => self.head = id,
        }
        self.tail = id;
        self.waiting += 1;
    }

    /// The first that waits, if any, waits no longer.
    #[inline]
    fn first(&mut self) -> Option<u32> {
        let id = self.head;
        self.head = self.all.get(id as usize)?.next;
        if self.head == NONE {
            self.tail = NONE;
        }
        self.waiting -= 1;
        Some(id)
    }

    /// In the order of their arrival.
    fn waiting(&self) -> impl Iterator<Item = (u32, &Task)> {
        let at = |id: u32| self.all.get(id as usize).map(|task| (id, task));
        std::iter::successors(at(self.head), move |(_, task)| at(task.next))
    }

    /// Takes one out of the line; false if it does not wait.
    fn drop_out(&mut self, id: u32) -> bool {
        let mut before = NONE;
        let Some(after) = self.waiting().find_map(|(at, task)| {
            let found = at == id;
            if !found {
                before = at;
            }
            found.then_some(task.next)
        }) else {
            return false;
        };
        match self.all.get_mut(before as usize) {
            Some(task) => task.next = after,
            None => self.head = after,
        }
        if self.tail == id {
            self.tail = before;
        }
        self.waiting -= 1;
        true
    }
}

/// Servers in arrival order.
#[derive(Clone, Debug)]
pub struct Fifo {
    servers: f64,
    tasks: Tasks,
    serving: Timers,
    pub(crate) busy: TimeAverage,
    pub(crate) slot: usize,
    pub(crate) measures: Measures,
}

impl Fifo {
    /// Idle; `servers` may be infinite.
    pub fn new(servers: f64, settings: &Settings) -> Self {
        Self {
            servers,
            tasks: Tasks::new(),
            serving: Timers::default(),
            busy: TimeAverage::new(settings.warmup),
            slot: 0,
            measures: Measures::new(settings),
        }
    }

    #[inline]
    pub(crate) fn busy(&self) -> usize {
        self.serving.len()
    }

    pub(crate) fn work(&self, now: f64) -> f64 {
        let left: f64 = self.serving.times().map(|end| end - now).sum();
        left + self.tasks.waiting().map(|(_, task)| task.work).sum::<f64>()
    }

    /// Sessions that wait, in order.
    pub(crate) fn in_line(&self) -> impl Iterator<Item = Sid> + '_ {
        self.tasks.waiting().map(|(_, task)| task.session)
    }

    /// Sessions that are served.
    pub(crate) fn in_service(&self) -> impl Iterator<Item = Sid> + '_ {
        self.serving.members().map(|id| self.tasks.all[id as usize].session)
    }

    /// Busy servers over servers, on average until `end`.
    pub(crate) fn utilization(&self, end: f64) -> f64 {
        self.busy.mean(end) / self.servers
    }

    /// How many there are, and how many are served, has changed.
    #[inline]
    fn note(&mut self, now: f64) {
        self.measures.set_jobs(now, self.serving.len() + self.tasks.waiting);
        self.busy.set(now, float(self.serving.len() as u64));
    }

    /// The next one in line, if any, takes the server that became free, with this place in the order of the clock.
    #[inline]
    fn serve_next(&mut self, now: f64, order: u64, find: bool) -> bool {
        let Some(id) = self.tasks.first() else { return false };
        let task = &mut self.tasks.all[id as usize];
        task.started = now;
        let work = task.work;
        self.serving.schedule(now + work, order, id, find);
        true
    }
}

/// A job arrives; it is served at once if a server is free.
#[inline]
pub(crate) fn begin<W: World>(w: &mut W, s: Sid, stage: impl AtStage, work: f64) {
    let k = w.kernel();
    let (now, order) = (k.now, k.clock.coming_order());
    let f = w.fifo_mut(stage);
    let task = Task { session: s, next: NONE, work, arrived: now, started: now };
    let id = f.tasks.add(task);
    let (slot, served) = (f.slot, float(f.serving.len() as u64) < f.servers);
    let mut first = false;
    if served {
        first = f.serving.schedule(now + work, order, id, Uses::<W>::LEAVES);
        f.note(now);
    } else {
        f.tasks.line_up(id);
        f.measures.set_jobs(now, f.serving.len() + f.tasks.waiting);
    }
    let k = w.kernel_mut();
    super::changed::<W>(k, stage);
    if served {
        k.clock.next_order();
    }
    if first {
        k.clock.of(Uses::<W>::SLOTS).set_in_order(slot, now + work, order);
    }
    super::note_job(w, s, stage.key(), id);
}

/// The earliest end of service; the session that goes on.
#[inline]
pub(crate) fn end<W: World>(w: &mut W, stage: impl AtStage) -> Sid {
    let k = w.kernel();
    let (now, measured, order) = (k.now, k.measured(), k.clock.coming_order());
    let f = w.fifo_mut(stage);
    let Some((_, id)) = f.serving.pop(Uses::<W>::LEAVES) else { return NONE };
    let task = f.tasks.take(id);
    super::complete::<W>(&mut f.measures, now, task.arrived, task.started, measured);
    let more = f.serve_next(now, order, Uses::<W>::LEAVES);
    changed(w, stage, more);
    super::done(w, task.session)
}

/// Shows the clock the next end; `more`: somebody's service has begun.
#[inline]
fn changed<W: World>(w: &mut W, stage: impl AtStage, more: bool) {
    let now = w.kernel().now;
    let f = w.fifo_mut(stage);
    f.note(now);
    let (slot, first) = (f.slot, f.serving.first());
    let k = w.kernel_mut();
    super::changed::<W>(k, stage);
    if more {
        k.clock.next_order();
    }
    k.clock.of(Uses::<W>::SLOTS).show(slot, first);
}

/// A job is taken away.
pub(crate) fn leave<W: World>(w: &mut W, stage: StageKey, id: u32) {
    let k = w.kernel();
    let (now, order) = (k.now, k.clock.coming_order());
    let f = w.fifo_mut(stage);
    let waited = f.tasks.drop_out(id);
    f.tasks.take(id);
    let mut more = false;
    if !waited {
        f.serving.remove(id);
        more = f.serve_next(now, order, Uses::<W>::LEAVES);
    }
    changed(w, stage, more);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(tasks: &Tasks) -> Vec<u32> {
        tasks.waiting().map(|(id, _)| id).collect()
    }

    #[test]
    fn who_waits_keeps_its_place_when_others_drop_out() {
        let mut tasks = Tasks::new();
        for session in 0..5 {
            let id = tasks.add(Task { session, next: NONE, work: 1.0, arrived: 0.0, started: 0.0 });
            tasks.line_up(id);
        }
        assert!(tasks.drop_out(2) && !tasks.drop_out(2));
        assert_eq!(line(&tasks), [0, 1, 3, 4]);
        assert!(tasks.drop_out(4) && tasks.drop_out(0));
        assert_eq!((line(&tasks), tasks.waiting), (vec![1, 3], 2));
        for gone in [4, 0] {
            tasks.take(gone);
        }
        let id = tasks.add(Task { session: 9, next: NONE, work: 1.0, arrived: 0.0, started: 0.0 });
        assert_eq!(id, 0, "the room that was given back last");
        tasks.line_up(id);
        assert_eq!(line(&tasks), [1, 3, 0]);
        assert_eq!(
            [tasks.first(), tasks.first(), tasks.first(), tasks.first()],
            [Some(1), Some(3), Some(0), None]
        );
        assert!(tasks.tail == NONE && tasks.waiting == 0);
    }
}
