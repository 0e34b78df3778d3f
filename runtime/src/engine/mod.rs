//! A step engine: residents that advance together, iteration by iteration.
//!
//! Here is the state, what joins and leaves it, and the readings; the files beside it hold the plan of
//! an iteration, admissions, growth and displacement, the iteration's end, and runs of decode
//! iterations that are planned at once.

mod admit;
pub(crate) mod cohort;
mod displace;
pub(crate) mod growth;
mod joiners;
mod leavers;
mod order;
mod phases;
mod plan;
mod readings;
mod run;
pub(crate) mod runs;
mod shares;
mod steady;
mod step;
mod tokens;

pub(crate) use plan::Start;
pub use readings::{Iteration, Resident, Totals, budget_left, kv_decode, kv_prefill};
pub(crate) use readings::{busy, totals, work};
pub(crate) use tokens::End;

use crate::{
    kernel::{Job, NONE},
    pool::{self, Pool},
    settings::Settings,
    station::{self, Measures, spec},
    stats::GapHistogram,
    timeline::Step,
    uses::UsesAt,
    world::{AtStage, Keys, PoolKey, Sid, StageKey, World},
};
use cohort::Cohort;
use run::Run;
use shares::{Counted, Repeated, Shares};

/// A job on the engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seat {
    pub session: Sid,
    pub decode: bool,
    /// It waits to grow.
    pub stalled: bool,
    /// The allocation that grows with it, or [`NONE`].
    pub growing: u32,
    /// Tokens left.
    pub left: f64,
    /// Tokens in the iteration that is planned or runs; 0: not in it.
    pub tokens: f64,
    /// The session's admission number.
    pub admission: f64,
    /// When the run started.
    pub started: f64,
    /// As [`Control::token`](crate::kernel::Control) and `decoded`, kept here while it is resident.
    pub token: f64,
    pub decoded: bool,
    /// Its place in the iteration's order of service.
    pub rank: u32,
    /// In a cohort: the step up to which the rest is as it was.
    pub base: u32,
    /// There, the steps modulo the block in which it takes one; [`NONE`] where it takes none yet.
    pub phase: u32,
}

/// A step engine.
#[derive(Clone, Debug)]
pub struct Engine {
    /// By admission number, then by start.
    pub(crate) seats: Vec<Seat>,
    decoders: usize,
    /// Units in the memory pool by mode, kept as long as all amounts are whole numbers.
    kv_decode: f64,
    kv_prefill: f64,
    /// Requests in the queues that it serves.
    waiting: usize,
    iterating: bool,
    /// When the iteration under way, or the last one, began, and how long it lasts.
    began: f64,
    lasts: f64,
    /// Jobs of the iteration under way that are still in it.
    scheduled: usize,
    /// An iteration is being planned; its order of service and who was served, by place in `seats`.
    planning: bool,
    todo: Vec<u32>,
    served: Vec<u32>,
    keys: Vec<(Keys, u32)>,
    /// Tokens of displaced jobs that go back to the budget.
    back: f64,
    /// Budget left at an admission attempt; NaN outside.
    left: f64,
    pub(crate) run: Run,
    /// What the head of its queue lacks units of while a run is under way, and whose request it is.
    blocked_by: Option<PoolKey>,
    blocked: Sid,
    pub(crate) cohort: Cohort,
    pub(crate) slot: usize,
    pub(crate) flat: usize,
    /// Its slot among the engines that plan runs.
    pub(crate) planner: usize,
    pub(crate) measures: Measures,
    pub(crate) shares: Shares,
    pub(crate) iterations: u64,
    /// Decodes and seconds of measured iterations with a decode.
    pub(crate) batch: Counted,
    pub(crate) step: Repeated,
    pub(crate) gaps: GapHistogram,
    pub(crate) prefill_tokens: f64,
    pub(crate) decode_tokens: f64,
}

/// Seconds since a resident's last token, at the end `now` of an iteration: of a resident that was in
/// the iteration before as well, what this one lasts, whatever rounding makes of its ends.
#[inline]
fn gap(token: f64, now: f64, began: f64, lasts: f64) -> f64 {
    if token == began { lasts } else { now - token }
}

/// A seat that was taken away while its iteration is planned.
const GONE: u32 = u32::MAX;

impl Engine {
    /// Idle and empty.
    pub fn new(settings: &Settings) -> Self {
        Self {
            seats: Vec::new(),
            decoders: 0,
            kv_decode: 0.0,
            kv_prefill: 0.0,
            waiting: 0,
            iterating: false,
            began: f64::NAN,
            lasts: 0.0,
            scheduled: 0,
            planning: false,
            todo: Vec::new(),
            served: Vec::new(),
            keys: Vec::new(),
            back: 0.0,
            left: f64::NAN,
            run: Run::default(),
            blocked_by: None,
            blocked: NONE,
            cohort: Cohort::default(),
            slot: 0,
            flat: 0,
            planner: 0,
            measures: Measures::new(settings),
            shares: Shares::new(settings.warmup),
            iterations: 0,
            batch: Counted::default(),
            step: Repeated::default(),
            gaps: GapHistogram::new(),
            prefill_tokens: 0.0,
            decode_tokens: 0.0,
        }
    }

    /// An iteration is under way.
    pub(crate) fn iterating(&self) -> bool {
        self.iterating
    }

    /// The iteration under way, all of it in one event; its engine's number is not known here.
    pub(crate) fn iteration(&self) -> Option<Step> {
        let served = || self.seats.iter().filter(|seat| seat.tokens > 0.0);
        let prefills = || served().filter(|seat| !seat.decode);
        self.iterating.then(|| Step {
            engine: 0,
            from: self.began,
            to: self.began + self.lasts,
            prefills: prefills().count() as u32,
            decodes: served().filter(|seat| seat.decode).count() as u32,
            tokens: prefills().map(|seat| seat.tokens).sum(),
        })
    }

    fn place(&self, s: Sid) -> Option<usize> {
        self.seats.iter().rposition(|x| x.session == s)
    }

    /// An iteration is planned from now on.
    #[inline]
    fn begin_plan(&mut self) {
        self.planning = true;
        self.served.clear();
        self.back = 0.0;
    }

    /// It has residents or a queue.
    #[inline]
    fn has_work(&self) -> bool {
        !self.seats.is_empty() || self.waiting > 0
    }

    /// A seat can be added where the list of them is, and that of a `cohort` where there may be one.
    #[inline]
    fn has_room(&self, cohort: bool) -> bool {
        let Self { seats, cohort: Cohort { last, .. }, .. } = self;
        seats.len() < seats.capacity() && (!cohort || last.len() < last.capacity())
    }

    /// More seats can be added from now on.
    fn make_room(&mut self) {
        self.seats.reserve(1);
        self.cohort.last.reserve(1);
    }

    /// The last seat goes before those that were admitted later.
    #[cold]
    #[inline(never)]
    fn squeeze_in(&mut self) {
        let Some((seat, others)) = self.seats.split_last() else { return };
        let later = others.iter().rev().take_while(|x| x.admission > seat.admission);
        let at = others.len() - later.count();
        for x in self.served.iter_mut().filter(|x| **x >= at as u32) {
            *x += 1;
        }
        self.seats[at..].rotate_right(1);
        self.cohort.seated(at);
    }

    /// Takes a seat away; places in the plan move up.
    fn remove(&mut self, place: usize) -> Seat {
        let seat = self.seats.remove(place);
        self.cohort.unseated(place);
        self.decoders -= usize::from(seat.decode);
        let place = place as u32;
        self.served.retain(|&x| x != place);
        for x in self.served.iter_mut().filter(|x| **x > place) {
            *x -= 1;
        }
        if self.planning {
            for x in &mut self.todo {
                if *x == place {
                    *x = GONE;
                } else if *x > place && *x != GONE {
                    *x -= 1;
                }
            }
        }
        seat
    }

    fn kv(&mut self, decode: bool) -> &mut f64 {
        if decode { &mut self.kv_decode } else { &mut self.kv_prefill }
    }
}

/// The engine's memory pool.
#[inline]
pub(crate) fn memory<W: World>(stage: impl AtStage) -> Option<PoolKey> {
    let memory = spec::<W>(stage).memory;
    memory.map(|(family, single)| PoolKey {
        family,
        member: if single { 0 } else { stage.key().member },
    })
}

/// Units in the memory pool of a session.
#[inline]
fn units<A>(memory: Option<&Pool<A>>, s: Sid) -> f64 {
    memory.map_or(0.0, |p| p.share(s).units)
}

/// Whether the engine may start: it is idle and has residents or a queue.
#[inline]
fn note_startable<W: World>(w: &mut W, stage: impl AtStage) {
    let e = w.engine(stage);
    // Under way it is noted as one that may not, until it ends.
    if !e.iterating {
        let (flat, on) = (station::flat::<W>(stage, e.flat), e.has_work());
        w.kernel_mut().startable.put(flat, on);
    }
}

/// Units are given back that the head of the engine's queue lacks.
#[inline]
pub(crate) fn disturb<W: World>(w: &mut W, stage: impl AtStage) {
    runs::interrupt(w, stage);
}

/// A queue that the engine serves became longer or shorter by one.
#[inline(always)]
pub(crate) fn note_waiting<W: World>(w: &mut W, stage: impl AtStage, longer: bool) {
    let e = w.engine_mut(stage);
    match longer {
        true => e.waiting += 1,
        false => e.waiting -= 1,
    }
    if e.iterating {
        runs::note_waiting(w, stage, longer);
    } else if !e.planning && e.waiting == usize::from(longer) && e.seats.is_empty() {
        // Whether it may start changes with the first to come and the last to go only, and is asked again when an
        // iteration has been planned.
        let flat = station::flat::<W>(stage, e.flat);
        w.kernel_mut().startable.put(flat, longer);
    }
}

/// Somebody was admitted out of a queue that the engine serves, by itself, which plans an iteration.
#[inline(always)]
pub(crate) fn note_admission<W: World>(w: &mut W, stage: impl AtStage) {
    let e = w.engine_mut(stage);
    debug_assert!(e.planning && !e.iterating, "only who plans admits");
    e.waiting -= 1;
}

/// A session starts a run of `work` tokens here.
// Only the last thing it does may be a call: what is rare is done apart, so that this needs no frame of its own.
pub(crate) fn begin<W: World, S: AtStage>(
    w: &mut W,
    s: Sid,
    stage: S,
    decode: bool,
    work: f64,
    growing: u32,
) {
    let (e, memory, k) = w.engine_parts(stage);
    if UsesAt::<W, S>::RUNS && e.run.active() {
        return begin_later(w, s, stage, decode, work, growing);
    }
    let now = k.now;
    let c = k.control_mut(s);
    c.job = Job::Engine(stage.key(), decode);
    let seat = Seat {
        session: s,
        decode,
        stalled: false,
        growing,
        left: work,
        tokens: 0.0,
        admission: c.admission,
        started: now,
        token: c.token,
        decoded: c.decoded,
        rank: 0,
        base: 0,
        phase: NONE,
    };
    if !e.has_room(UsesAt::<W, S>::RUNS) {
        return begin_later(w, s, stage, decode, work, growing);
    }
    // A record written where it stays: a copy of it would wait for its parts.
    e.seats.push(seat);
    if let Some(p) = memory {
        *e.kv(decode) += p.share(s).units;
    }
    e.decoders += usize::from(decode);
    e.measures.one_more(now);
    station::changed::<W>(k, stage);
    if let [.., before, new] = &e.seats[..] {
        if before.admission > new.admission {
            e.squeeze_in();
        } else if UsesAt::<W, S>::RUNS {
            e.cohort.seated_last();
        }
        return;
    }
    if UsesAt::<W, S>::RUNS {
        e.cohort.seated_last();
    }
    // With others there, or a queue, or under way, it is noted already, or when it ends or is planned.
    if e.waiting == 0 && !(e.iterating | e.planning) {
        k.startable.put(station::flat::<W>(stage, e.flat), true);
    }
}

/// As [`begin`], when something else is to be done before.
#[cold]
#[inline(never)]
fn begin_later<W: World>(
    w: &mut W,
    s: Sid,
    stage: impl AtStage,
    decode: bool,
    work: f64,
    growing: u32,
) {
    runs::interrupt(w, stage);
    w.engine_mut(stage).make_room();
    begin(w, s, stage, decode, work, growing);
}

/// A session's job is taken away (its `Job` is already cleared).
pub(crate) fn leave<W: World>(w: &mut W, s: Sid, stage: impl AtStage) {
    leavers::dissolve(w, stage);
    let (e, memory, k) = w.engine_parts(stage);
    let Some(place) = e.place(s) else { return };
    let seat = e.remove(place);
    *e.kv(seat.decode) -= units(memory.as_deref(), s);
    if e.iterating && seat.tokens > 0.0 {
        e.scheduled -= 1;
    }
    let now = k.now;
    let c = k.control_mut(s);
    c.token = seat.token;
    c.decoded = seat.decoded;
    station::changed::<W>(k, stage);
    e.measures.one_less(now);
    note_startable(w, stage);
}

/// The engine has failed: the iteration under way is void.
pub(crate) fn stop<W: World>(w: &mut W, stage: StageKey) {
    runs::interrupt(w, stage);
    leavers::dissolve(w, stage);
    let now = w.kernel().now;
    let e = w.engine_mut(stage);
    if e.iterating {
        e.iterating = false;
        e.shares.end(now);
        let slot = e.slot;
        w.kernel_mut().clock.clear(slot);
    }
    note_startable(w, stage);
}

/// Before a session is preempted: its state here is brought up to date, and if it was just served in
/// an iteration that is being planned, its tokens go back.
pub(crate) fn before_preemption<W: World>(w: &mut W, s: Sid) {
    let Job::Engine(stage, _) = w.kernel().control(s).job else { return };
    runs::interrupt(w, stage);
    leavers::dissolve(w, stage);
    let e = w.engine_mut(stage);
    if !e.planning {
        return;
    }
    let Some(place) = e.place(s) else { return };
    let seat = &mut e.seats[place];
    let (tokens, growing) = (seat.tokens, seat.growing);
    seat.tokens = 0.0;
    e.back += tokens;
    if growing != NONE {
        w.kernel_mut().allocs[growing].position -= tokens;
    }
}

/// A resident's session has `d` more units of `pool`.
#[inline]
pub(crate) fn note_growth<W: World>(
    w: &mut W,
    stage: impl AtStage,
    pool: PoolKey,
    decode: bool,
    d: f64,
) {
    if memory::<W>(stage) == Some(pool) {
        *w.engine_mut(stage).kv(decode) += d;
    }
}

/// A resident's session gets `units` of `pool` that a leg of it leased.
pub(crate) fn note_gift<W: World>(
    w: &mut W,
    stage: impl AtStage,
    pool: PoolKey,
    decode: bool,
    units: f64,
) {
    if memory::<W>(stage) == Some(pool) {
        runs::interrupt(w, stage);
        *w.engine_mut(stage).kv(decode) += units;
    }
}

/// A resident's session is about to lose allocation `id`, a lease.
pub(crate) fn note_release<W: World>(w: &mut W, stage: impl AtStage, decode: bool, id: u32) {
    let (pool, units) = (w.kernel().allocs[id].pool, w.kernel().allocs[id].units);
    if memory::<W>(stage) == Some(pool) {
        runs::interrupt(w, stage);
        *w.engine_mut(stage).kv(decode) -= units;
    }
}

/// A resident that waited to grow was granted its units.
pub(crate) fn note_grant<W: World>(w: &mut W, s: Sid) {
    let Job::Engine(stage, _) = w.kernel().control(s).job else { return };
    let e = w.engine_mut(stage);
    if let Some(place) = e.place(s) {
        e.seats[place].stalled = false;
    }
}

/// Units of `pool` were taken: a run that counted on them ends with the iteration under way.
#[inline(always)]
pub(crate) fn check_room<W: World>(w: &mut W, pool: PoolKey) {
    for &family in pool::spec::<W>(pool).memory_of {
        if !W::STAGES[family as usize].plannable {
            continue;
        }
        // Only an engine with a memory pool of its own plans runs.
        let stage = StageKey { family, member: pool.member };
        if stage.member as usize >= w.stage_count(family as usize) {
            continue;
        }
        let (e, Some(p), _) = w.engine_parts(stage) else { continue };
        if e.run.active() && p.used + e.run.growth() > p.cap {
            runs::interrupt(w, stage);
        }
    }
}
