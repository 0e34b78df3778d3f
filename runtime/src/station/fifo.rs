//! `fifo(c)`: c servers, jobs in the order of their arrival.

use super::Measures;
use crate::{
    kernel::{Heap, NONE},
    settings::Settings,
    stats::TimeAverage,
    uses::{Uses, UsesAt},
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
    /// The first and the last that wait.
    head: u32,
    tail: u32,
}

impl Tasks {
    fn new() -> Self {
        Self { all: Vec::new(), free: NONE, head: NONE, tail: NONE }
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

    /// Nothing if there is none.
    #[inline]
    fn take(&mut self, id: u32) -> Option<Task> {
        let room = self.all.get_mut(id as usize)?;
        let task = *room;
        room.next = self.free;
        self.free = id;
        Some(task)
    }

    /// A new task is the last that waits.
    #[inline]
    fn line_up(&mut self, id: u32) {
        match self.all.get_mut(self.tail as usize) {
            Some(last) => last.next = id,
            None => self.head = id,
        }
        self.tail = id;
    }

    /// The first that waits, if any, waits no longer.
    #[inline]
    fn first(&mut self) -> Option<u32> {
        let id = self.head;
        self.head = self.all.get(id as usize)?.next;
        if self.head == NONE {
            self.tail = NONE;
        }
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
        true
    }
}

/// One server: when the job that it serves ends, with its place in the order of the clock, and which it is, if any.
#[derive(Clone, Copy, Debug)]
struct Server {
    end: f64,
    order: u64,
    id: u32,
}

const IDLE: Server = Server { end: f64::INFINITY, order: 0, id: NONE };

/// Who is served. Whether it is by `one` server or by any number of them is known when the program is compiled, so the
/// same is said at every call.
#[derive(Clone, Debug)]
struct Serving {
    server: Server,
    servers: Heap,
}

impl Serving {
    /// How many are served.
    #[inline]
    fn len(&self, one: bool) -> usize {
        if one { usize::from(self.server.id != NONE) } else { self.servers.len() }
    }

    /// A service begins; whether it is the first to end.
    #[inline]
    fn begin(&mut self, one: bool, server: Server) -> bool {
        if one {
            self.server = server;
            return true;
        }
        self.servers.schedule(server.end, server.order, server.id, 0.0)
    }

    /// The first service, if any, has ended: whose. One server is to begin another, or to rest.
    #[inline]
    fn end(&mut self, one: bool) -> u32 {
        if one {
            return self.server.id;
        }
        self.servers.pop().map_or(NONE, |(_, id, _)| id)
    }

    /// There is nobody to serve for the server that became free.
    #[inline]
    fn rest(&mut self) {
        self.server.id = NONE;
    }

    /// The first to end.
    #[inline]
    fn first(&self, one: bool) -> Option<Server> {
        if one {
            return Some(self.server).filter(|server| server.id != NONE);
        }
        self.servers.first().map(|(end, order, id)| Server { end, order, id })
    }

    /// One that is served leaves: the server is to begin another, or to rest.
    fn leave(&mut self, one: bool, id: u32) {
        if !one {
            self.servers.search_out(id);
        }
    }

    /// When all of them end, in no order.
    fn ends(&self) -> impl Iterator<Item = f64> + '_ {
        let one = (self.server.id != NONE).then_some(self.server.end);
        self.servers.times().chain(one)
    }

    /// All of them, in no order.
    fn all(&self) -> impl Iterator<Item = u32> + '_ {
        let one = Some(self.server.id).filter(|id| *id != NONE);
        self.servers.members().chain(one)
    }
}

/// Servers in arrival order.
#[derive(Clone, Debug)]
pub struct Fifo {
    servers: f64,
    tasks: Tasks,
    serving: Serving,
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
            serving: Serving { server: IDLE, servers: Heap::default() },
            busy: TimeAverage::new(settings.warmup),
            slot: 0,
            measures: Measures::new(settings),
        }
    }

    #[inline]
    pub(crate) fn busy(&self) -> usize {
        self.serving.len(true) + self.serving.len(false)
    }

    pub(crate) fn work(&self, now: f64) -> f64 {
        let left: f64 = self.serving.ends().map(|end| end - now).sum();
        left + self.tasks.waiting().map(|(_, task)| task.work).sum::<f64>()
    }

    /// Sessions that wait, in order.
    pub(crate) fn in_line(&self) -> impl Iterator<Item = Sid> + '_ {
        self.tasks.waiting().map(|(_, task)| task.session)
    }

    /// Sessions that are served.
    pub(crate) fn in_service(&self) -> impl Iterator<Item = Sid> + '_ {
        self.serving.all().map(|id| self.tasks.all[id as usize].session)
    }

    /// Busy servers over servers, on average until `end`.
    pub(crate) fn utilization(&self, end: f64) -> f64 {
        self.busy.mean(end) / self.servers
    }

    /// A server is free.
    #[inline]
    fn has_room(&self, one: bool) -> bool {
        match one {
            true => self.serving.len(true) == 0,
            false => self.busy.value() < self.servers,
        }
    }

    /// A server became free: the next one in line, if any, takes it, with this place in the order of the clock.
    #[inline]
    fn serve_next(&mut self, now: f64, order: u64, one: bool) -> Option<Server> {
        let Some(id) = self.tasks.first() else {
            self.busy.step(now, -1.0);
            self.serving.rest();
            return None;
        };
        self.busy.pass(now);
        let task = &mut self.tasks.all[id as usize];
        task.started = now;
        let server = Server { end: now + task.work, order, id };
        self.serving.begin(one, server);
        Some(server)
    }
}

/// A job arrives; it is served at once if a server is free.
#[inline]
pub(crate) fn begin<W: World, S: AtStage>(w: &mut W, s: Sid, stage: S, work: f64) {
    let one = UsesAt::<W, S>::one_server(stage);
    let k = w.kernel();
    let (now, order) = (k.now, k.clock.coming_order());
    let f = w.fifo_mut(stage);
    let task = Task { session: s, next: NONE, work, arrived: now, started: now };
    let id = f.tasks.add(task);
    f.measures.one_more(now);
    let slot = super::slot::<W>(stage, f.slot);
    let (served, end) = (f.has_room(one), now + work);
    let mut first = false;
    if served {
        first = f.serving.begin(one, Server { end, order, id });
        f.busy.step(now, 1.0);
    } else {
        f.tasks.line_up(id);
    }
    let k = w.kernel_mut();
    super::changed::<W>(k, stage);
    if served {
        k.clock.next_order();
    }
    if first {
        k.clock.of(Uses::<W>::SLOTS).set_in_order(slot, end, order);
    }
    super::note_job(w, s, stage.key(), id);
}

/// The earliest end of service; the session that goes on.
#[inline]
pub(crate) fn end<W: World, S: AtStage>(w: &mut W, stage: S) -> Sid {
    let one = UsesAt::<W, S>::one_server(stage);
    let k = w.kernel();
    let (now, measured, order) = (k.now, k.measured(), k.clock.coming_order());
    let f = w.fifo_mut(stage);
    let id = f.serving.end(one);
    let Some(task) = f.tasks.take(id) else { return NONE };
    super::complete::<W>(&mut f.measures, now, task.arrived, task.started, measured);
    f.measures.one_less(now);
    let begun = f.serve_next(now, order, one);
    let first = if one { begun } else { f.serving.first(false) };
    show(w, stage, begun.is_some(), first);
    super::done(w, task.session)
}

/// Shows the clock the `first` end of those that are served, if any; `begun`: a service has begun.
#[inline]
fn show<W: World>(w: &mut W, stage: impl AtStage, begun: bool, first: Option<Server>) {
    let slot = super::slot::<W>(stage, w.fifo(stage).slot);
    let k = w.kernel_mut();
    super::changed::<W>(k, stage);
    if begun {
        k.clock.next_order();
    }
    let first = first.map(|server| (server.end, server.order, server.id));
    k.clock.of(Uses::<W>::SLOTS).show_next(slot, first);
}

/// A job is taken away.
pub(crate) fn leave<W: World>(w: &mut W, stage: StageKey, id: u32) {
    let one = UsesAt::<W, StageKey>::one_server(stage);
    let k = w.kernel();
    let (now, order) = (k.now, k.clock.coming_order());
    let f = w.fifo_mut(stage);
    let waited = f.tasks.drop_out(id);
    f.tasks.take(id);
    f.measures.one_less(now);
    let mut begun = None;
    if waited {
        f.busy.pass(now);
    } else {
        f.serving.leave(one, id);
        begun = f.serve_next(now, order, one);
    }
    let first = f.serving.first(one);
    show(w, stage, begun.is_some(), first);
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
        assert_eq!(line(&tasks), [1, 3]);
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
        assert!(tasks.tail == NONE);
    }
}
