//! The kernel: the clock, the sessions, what is ready and what is pending.
//!
//! It knows no program. Emitted code reads and writes a session's [`Control`], raises faults and draws
//! random numbers here; the operations that need the program as well (its headers, keys and costs) are
//! free functions over [`World`](crate::world::World) in the sibling modules.

mod bits;
mod block;
mod builtins;
mod clock;
mod heap;
mod ready;
mod reported;
pub(crate) mod session;
pub(crate) mod settle;
mod sift;
mod slab;
mod timers;
pub(crate) mod whole;

pub(crate) use bits::Bits;
pub(crate) use block::{MOST_SLOTS, earlier};
pub use builtins::Builtins;
pub use clock::Clock;
pub(crate) use clock::{FEW, Slots};
pub(crate) use heap::Heap;
pub(crate) use slab::{Linked, Slab};
pub(crate) use timers::Timers;

use crate::{
    fault::{FaultKind, Raised},
    flows::{Flows, Share},
    hold::{Alloc, Hold},
    kept::Kept,
    legs::Legs,
    outage::Outages,
    pool::{lease::Renewal, shared::Sharing},
    rare::rarely,
    rng::{Stream, StreamKind, Streams},
    settings::Settings,
    stats::{GaugeSignal, Observation, TimeAverage},
    trace::Replay,
    world::{PoolKey, Sid, StageKey},
};

/// No record.
pub(crate) const NONE: u32 = u32::MAX;
/// States that a session may go through without waiting.
const STATEMENTS: u32 = 1_000_000;
/// Events, or sessions in the place of others, at one instant before the run gives up.
pub(crate) const STANDSTILL: u64 = 10_000_000;

/// Where a session's job is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Job {
    /// It has none.
    None,
    /// A fifo stage, by the job's number there; a ps or delay stage, by the session.
    Station(StageKey, u32),
    /// A resident of an engine; `decode` is its mode.
    Engine(StageKey, bool),
    /// A flow, by its start order.
    Flow(u64),
}

/// What the runtime knows of one session.
#[derive(Clone, Debug)]
pub struct Control {
    /// Where it goes on; 0 is the start.
    pub at: u32,
    /// Built-in attributes.
    pub b: Builtins,
    pub(crate) serial: u64,
    pub(crate) live: bool,
    /// Number of its last admission; infinite before the first.
    pub(crate) admission: f64,
    /// Enclosing holds, the innermost last.
    pub(crate) holds: Vec<Hold>,
    /// Leases, the oldest first.
    pub(crate) leases: Vec<u32>,
    pub(crate) job: Job,
    /// The pool whose queue it waits in.
    pub(crate) queued: Option<PoolKey>,
    /// The pool that it waits to grow in.
    pub(crate) stalled: Option<PoolKey>,
    /// Time of its last token in this turn; NaN before.
    pub(crate) token: f64,
    /// It has decoded, or was preempted after a token, in this turn.
    pub(crate) decoded: bool,
    /// Position of its last preemption since a hold completed; NaN when there was none.
    pub(crate) preempted_at: f64,
    pub(crate) stuck: bool,
    /// Which recorded session it replays, and its next turn.
    pub(crate) recorded: u32,
    pub(crate) next_recorded: u32,
    /// Prefix entries that name it, where slots outlive sessions.
    pub(crate) entries: u32,
    /// In which pools it may have an own entry, or the slot's last session: a bit each, of their numbers' last six.
    pub(crate) prefixes: u64,
    /// The free slot that was given back before this one.
    next_free: Sid,
    /// Made when it is first drawn from.
    rng: Option<Stream>,
    ready: bool,
    /// Distinguishes places in the ready queue that stand from those that were given up.
    wake: u32,
    woken_at: f64,
    wakes: u32,
}

/// Who owns a slot of the clock.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slot {
    Arrival,
    Lease,
    Flow,
    Outage,
    /// A fifo, ps or delay stage.
    Station(StageKey),
    Engine(StageKey),
}

/// Slot of the arrivals; those of the leases and of the flows follow.
pub(crate) const ARRIVAL_SLOT: usize = 0;
pub(crate) const LEASE_SLOT: usize = 1;
pub(crate) const FLOW_SLOT: usize = 2;

/// The event core of one run.
///
/// What nearly every state and event reads comes first: within 128 bytes of its beginning it is named by the shortest
/// instructions, so that more of them stay in the processor's instruction cache.
#[derive(Debug)]
#[repr(C)]
pub struct Kernel {
    /// Simulated time (s).
    pub now: f64,
    pub(crate) sessions: Vec<Control>,
    pub(crate) allocs: Slab<Alloc>,
    /// The error that was raised first, if any.
    pub(crate) raised: Option<Box<Raised>>,
    /// From this time on everything is measured (s).
    warmup: f64,
    /// What gauges read and has changed since they were read, a bit each.
    pub dirty: u64,
    /// From this time on, by its bits, there is more to do than the next event; once the run is over, at once.
    pub(crate) look_at: u64,
    /// Events at this time after its first.
    pub(crate) more: u64,
    /// Something that those may wait for has changed since the last settle.
    pub(crate) unsettled: bool,
    /// A slot is used again only when no prefix entry names it.
    pub(crate) keep_slots: bool,
    /// The last session of a limited run has ended.
    pub(crate) stop: bool,
    /// No event follows: it has, or an error was raised.
    pub(crate) over: bool,
    turn_drawn: bool,
    /// Pools with growers, or with a queue that no engine serves, a bit per flat number.
    pub(crate) waited_for: Bits,
    pub(crate) kept: Kept,
    /// Idle engines with residents or a queue, a bit per flat stage number.
    pub(crate) startable: Bits,
    pub(crate) settings: Settings,
    pub(crate) clock: Clock,
    pub(crate) slots: Vec<Slot>,
    /// The slot that was given back last; each free one names the one before it.
    free_session: Sid,
    /// In order; those before `ready_from` have gone.
    ready: Vec<(Sid, u32)>,
    ready_from: usize,
    ready_count: usize,
    /// States that the session that runs may go through before it waits.
    statements: u32,
    /// The session that ran last, if any.
    pub(crate) ran: Sid,
    /// The session that the first event of this instant woke; its count starts when it wakes again.
    first_woken: Sid,
    /// When a session last took the place of one that ended, and how many did at that time.
    replaced: (f64, u64),
    pub(crate) leases: Timers,
    /// Prompts, and who holds which blocks, where sessions share prefixes.
    pub(crate) sharing: Sharing,
    /// By allocation, where leases are renewed.
    pub(crate) renewals: Vec<Option<Renewal>>,
    /// Where members of queues fail.
    pub(crate) outages: Outages,
    pub(crate) flows: Flows,
    pub(crate) legs: Legs,
    pub(crate) replay: Replay,
    /// All pools by flat number, in declared order.
    pub(crate) pools: Vec<PoolKey>,
    /// By flat stage number.
    pub(crate) stages: Vec<StageKey>,
    /// Ps stages whose jobs changed.
    pub(crate) ps_changed: Bits,
    /// Next growth of every planned run of iterations, a slot for each engine that plans any.
    pub(crate) growths: Clock,
    /// Those engines, by slot.
    pub(crate) planners: Vec<StageKey>,
    pub(crate) observations: Vec<Observation>,
    pub(crate) gauges: Vec<GaugeSignal>,
    /// Negative amounts of work, by site.
    pub(crate) negative: Vec<u64>,
    pub(crate) next_admission: u64,
    pub(crate) next_release: u64,
    pub(crate) next_job: u64,
    /// Preemptions of all pools.
    pub(crate) preemptions: u64,
    pub(crate) events: u64,
    pub(crate) arrived: u64,
    /// The same at the end of the warm-up.
    pub(crate) arrived_before: u64,
    pub(crate) live: u64,
    pub(crate) ended: u64,
    pub(crate) turns: u64,
    pub(crate) mean_live: TimeAverage,
    /// The session whose block runs, and its stream, which is made when it is first drawn from.
    turn_of: Sid,
    turn_rng: Stream,
    turn_streams: Streams,
    session_streams: Streams,
    leg_streams: Streams,
    arrival_rng: Stream,
    /// Seconds between arrivals on average, where they are exponential.
    pub(crate) mean_gap: f64,
    machine_rng: Stream,
    /// Draws asked of `machine_rng`, to know whether keys draw.
    pub(crate) machine_draws: u64,
}

impl Kernel {
    /// A kernel at time 0; `share` is the program's policy for flows.
    pub fn new(settings: &Settings, share: Option<Share>) -> Self {
        let seed = settings.seed;
        Self {
            now: 0.0,
            warmup: settings.warmup,
            dirty: u64::MAX,
            kept: Kept::default(),
            settings: settings.clone(),
            clock: Clock::new(1),
            slots: Vec::new(),
            sessions: Vec::new(),
            free_session: NONE,
            keep_slots: false,
            ready: Vec::new(),
            ready_from: 0,
            ready_count: 0,
            statements: STATEMENTS,
            ran: NONE,
            first_woken: NONE,
            more: 0,
            replaced: (0.0, 0),
            allocs: Slab::default(),
            leases: Timers::default(),
            sharing: Sharing::default(),
            renewals: Vec::new(),
            outages: Outages::default(),
            flows: Flows::new(share),
            legs: Legs::default(),
            replay: Replay::default(),
            pools: Vec::new(),
            waited_for: Bits::default(),
            unsettled: false,
            stages: Vec::new(),
            startable: Bits::default(),
            ps_changed: Bits::default(),
            growths: Clock::new(1),
            planners: Vec::new(),
            observations: Vec::new(),
            gauges: Vec::new(),
            raised: None,
            negative: Vec::new(),
            next_admission: 0,
            next_release: 0,
            next_job: 0,
            preemptions: 0,
            events: 0,
            arrived: 0,
            arrived_before: 0,
            live: 0,
            ended: 0,
            turns: 0,
            mean_live: TimeAverage::new(settings.warmup),
            stop: false,
            over: false,
            look_at: 0,
            turn_of: 0,
            turn_rng: Stream::new(seed, StreamKind::Turn, 0, 0),
            turn_drawn: false,
            turn_streams: Streams::new(seed, StreamKind::Turn),
            session_streams: Streams::new(seed, StreamKind::Session),
            leg_streams: Streams::new(seed, StreamKind::Leg),
            arrival_rng: Stream::new(seed, StreamKind::Arrival, 0, 0),
            mean_gap: f64::INFINITY,
            machine_rng: Stream::new(seed, StreamKind::Machine, 0, 0),
            machine_draws: 0,
        }
    }

    /// A session.
    #[inline]
    pub fn control(&self, s: Sid) -> &Control {
        &self.sessions[s as usize]
    }

    /// A session.
    #[inline]
    pub fn control_mut(&mut self, s: Sid) -> &mut Control {
        &mut self.sessions[s as usize]
    }

    /// Gauges that read the bits `dirty` are to be read, and of the tables `kept` this member is.
    #[inline]
    pub(crate) fn note_change(&mut self, dirty: u64, kept: u64, member: u32) {
        self.dirty |= dirty;
        self.kept.note(kept, member);
    }

    /// No event follows.
    pub(crate) fn end_run(&mut self) {
        self.over = true;
        self.look_at = 0;
    }

    /// So long there is nothing but the next event to do, unless no event follows.
    pub(crate) fn look_from(&mut self, time: f64) {
        // The bits of -0 are no time's.
        self.look_at = if self.over || time <= 0.0 { 0 } else { time.to_bits() };
    }

    /// At this time there is nothing but the next event to do. No time is below 0, so that its bits tell as much.
    #[inline]
    pub(crate) fn is_quiet(&self, time: f64) -> bool {
        time.to_bits() < self.look_at
    }

    /// The time is measured.
    #[inline]
    pub(crate) fn measured(&self) -> bool {
        self.now >= self.warmup
    }

    // ---- checks of what the program computes ----

    /// A member's number; a fault unless `x` is whole and in `0..n`.
    #[inline]
    pub fn index(&mut self, x: f64, n: usize, s: Option<Sid>, site: u32) -> usize {
        match whole::natural(x) {
            Some(i) if (i as usize) < n => i as usize,
            _ => {
                self.raise(FaultKind::Index { value: x, size: n }, Some(site), s);
                0
            }
        }
    }

    /// A number of candidates; a fault unless `x` is whole and at least 0.
    #[inline]
    pub fn count(&mut self, x: f64, s: Option<Sid>, site: u32) -> usize {
        let n = x as usize;
        if n as f64 != x {
            self.raise(FaultKind::Count(x), Some(site), s);
            return 0;
        }
        n
    }

    /// A branch's guard; a fault unless `x` is 0 or 1.
    #[inline]
    pub fn guard(&mut self, x: f64, s: Option<Sid>, site: u32) -> bool {
        if x != 0.0 && x != 1.0 {
            self.raise(FaultKind::Guard(x), Some(site), s);
        }
        x == 1.0
    }

    /// An amount of units; a fault (and 0) if `x` is NaN or negative.
    #[inline]
    pub fn units(&mut self, x: f64, s: Sid, site: u32) -> f64 {
        if rarely(x.is_nan() || x < 0.0) {
            self.raise(FaultKind::Amount(x), Some(site), Some(s));
            return 0.0;
        }
        x
    }

    /// An amount of work. NaN is a fault; a negative amount counts as 0 and is counted, and is a fault
    /// in a strict run.
    #[inline]
    pub fn work(&mut self, x: f64, s: Sid, site: u32) -> f64 {
        if rarely(x.is_nan() || x < 0.0) {
            self.odd_work(x, Some(s), site);
            return 0.0;
        }
        x
    }

    #[cold]
    fn odd_work(&mut self, x: f64, s: Option<Sid>, site: u32) {
        if x.is_nan() || self.settings.strict {
            self.raise(FaultKind::Work(x), Some(site), s);
        } else if let Some(n) = self.negative.get_mut(site as usize) {
            *n += 1;
        }
    }

    /// Session `s` goes on at once in state `at`; false after an error, or after a million states without
    /// waiting: the run stops.
    #[inline]
    pub fn go(&mut self, s: Sid, at: u32) -> bool {
        self.control_mut(s).at = at;
        // After an error none is left.
        if rarely(self.statements == 0) {
            self.raise(FaultKind::Spinning, None, Some(s));
            return false;
        }
        self.statements -= 1;
        true
    }

    // ---- draws ----

    /// The stream of a session's own statements.
    #[inline]
    pub fn session_rng(&mut self, s: Sid) -> &mut Stream {
        let c = &mut self.sessions[s as usize];
        let (streams, serial) = (self.session_streams, c.serial);
        c.rng.get_or_insert_with(|| streams.stream(serial, 0))
    }

    /// The stream of the `init` or `turn` block that runs.
    #[inline]
    pub fn turn_rng(&mut self) -> &mut Stream {
        if !self.turn_drawn {
            self.make_turn_stream();
        }
        &mut self.turn_rng
    }

    // A call: a block may draw in many places.
    #[inline(never)]
    fn make_turn_stream(&mut self) {
        let c = &self.sessions[self.turn_of as usize];
        self.turn_rng = self.turn_streams.stream(c.serial, whole::count(c.b.turn_no));
        self.turn_drawn = true;
    }

    /// The `init` or `turn` block of session `s` is about to run.
    #[inline]
    pub(crate) fn open_turn_stream(&mut self, s: Sid) {
        self.turn_of = s;
        self.turn_drawn = false;
    }

    /// The stream of the arrival law.
    #[inline]
    pub fn arrival_rng(&mut self) -> &mut Stream {
        &mut self.arrival_rng
    }

    /// The stream of the machine's draws.
    #[inline]
    pub fn machine_rng(&mut self) -> &mut Stream {
        self.machine_draws += 1;
        &mut self.machine_rng
    }

    /// Counts how many sessions of a closed workload take another's place at one instant; false when
    /// they are too many for time ever to go on.
    pub(crate) fn count_replacement(&mut self) -> bool {
        let (time, count) = self.replaced;
        self.replaced = (self.now, if time == self.now { count + 1 } else { 1 });
        self.replaced.1 <= STANDSTILL
    }

    /// A number for a job, in start order.
    #[inline]
    pub(crate) fn next_job(&mut self) -> u64 {
        self.next_job += 1;
        self.next_job
    }
}
