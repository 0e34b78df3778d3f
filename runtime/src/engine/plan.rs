//! One iteration is planned: residents are served in order, growing as they go; then, if nothing was
//! preempted and budget is left, the queues that the engine serves are tried.

use super::{
    Engine, GONE, Iteration, Seat, Totals, admit,
    displace::{self, Growth},
    leavers, note_startable, order, runs,
    step::{self, Cohort},
    totals, units,
};
use crate::{
    fault::{FaultKind, Station},
    kernel::{Kernel, NONE, whole},
    pool::{Pool, shared},
    rare::rarely,
    station::{self, spec},
    uses::Uses,
    world::{AtStage, OnStage, World},
};

/// Budget (NaN: no limit) and chunk (0 or less: no cap), for the residents as they are.
#[inline]
pub(super) fn limits<W: World>(w: &mut W, stage: impl AtStage) -> (f64, f64) {
    // Of an engine that plans runs they are the same at any time.
    let totals = match spec::<W>(stage).plannable {
        true => Totals::default(),
        false => totals(w, stage),
    };
    let budget = w.budget(stage, &totals);
    let chunk = w.chunk(stage, &totals);
    (
        if budget.is_nan() { f64::INFINITY } else { budget },
        if chunk > 0.0 { chunk } else { f64::INFINITY },
    )
}

/// Tokens that a seat takes of what is left.
#[inline]
pub(super) fn wanted(seat: &Seat, left: f64, chunk: f64) -> f64 {
    let most = if seat.decode { 1.0 } else { chunk };
    let x = if seat.left < most { seat.left } else { most };
    if left < x { left } else { x }
}

/// Puts a seat into the plan.
#[inline]
pub(super) fn serve<W: World>(w: &mut W, stage: impl AtStage, place: u32, tokens: f64) {
    let e = w.engine_mut(stage);
    let seat = &mut e.seats[place as usize];
    seat.tokens = tokens;
    let growing = seat.growing;
    e.served.push(place);
    if Uses::<W>::SHARES && growing != NONE {
        shared::reach(w, growing, w.kernel().allocs[growing].position);
    }
}

/// Whether `only` lets this seat be served.
#[inline]
pub(super) fn allowed<W: World>(w: &mut W, stage: impl AtStage, place: u32) -> bool {
    if !Uses::<W>::ONLY || !spec::<W>(stage).only {
        return true;
    }
    let totals = totals(w, stage);
    let view = order::view(&w.engine(stage).seats[place as usize]);
    w.only(stage, &totals, &view)
}

/// [`start`], as an operation.
pub(crate) struct Start;

impl<W: World> OnStage<W> for Start {
    type Out = bool;
    #[inline]
    fn run(self, w: &mut W, at: impl AtStage) -> bool {
        start(w, at)
    }
}

/// Plans an iteration of an idle engine and starts it; false when there was nothing to do.
#[inline]
fn start<W: World>(w: &mut W, stage: impl AtStage) -> bool {
    let (budget, chunk) = limits(w, stage);
    match plan(w, stage, budget, chunk) {
        Some(planned) => launch(w, stage, &planned),
        None => false,
    }
}

/// An iteration that is planned: what its cost reads of it, whose jobs are in it, and whether it is one of members of the
/// cohort alone.
struct Planned {
    it: Iteration,
    prefills: usize,
    decoders: usize,
    steady: bool,
}

/// Plans an iteration; `None` when there is nothing to do.
#[inline]
fn plan<W: World>(w: &mut W, stage: impl AtStage, budget: f64, chunk: f64) -> Option<Planned> {
    let Residents { left, members, mut preempted } = match serve_residents(w, stage, budget, chunk)
    {
        Served::Alike => return Some(alike(w, stage)),
        Served::Residents(residents) => residents,
    };
    let alone = Uses::<W>::EXCLUSIVE && spec::<W>(stage).exclusive && prefills(w, stage);
    if w.engine(stage).waiting > 0 && !preempted && !alone {
        preempted = admit::admit(w, stage, budget, left, chunk);
    }
    finish(w, stage, preempted, members)
}

/// The residents are served.
enum Served {
    /// As members of the cohort with a token each, who take nothing else, and nobody waits: that is the iteration.
    Alike,
    Residents(Residents),
}

/// What became of those that were resident before: the budget left, the tokens of all of them when they were served as
/// a cohort, and whether something was preempted.
struct Residents {
    left: f64,
    members: Option<f64>,
    preempted: bool,
}

/// Serves the residents.
#[inline]
fn serve_residents<W: World>(w: &mut W, stage: impl AtStage, budget: f64, chunk: f64) -> Served {
    let e = w.engine_mut(stage);
    if e.seats.is_empty() {
        e.begin_plan();
        return Served::Residents(Residents { left: budget, members: None, preempted: false });
    }
    // A cohort is served where there is room.
    match step::serve(w, stage, budget, chunk) {
        Some(Cohort::Alike) => return Served::Alike,
        Some(Cohort::Served { left, tokens }) => {
            return Served::Residents(Residents { left, members: Some(tokens), preempted: false });
        }
        None => {}
    }
    let preemptions = w.kernel().preemptions;
    let left = serve_one_by_one(w, stage, budget, chunk);
    let preempted = w.kernel().preemptions > preemptions;
    Served::Residents(Residents { left, members: None, preempted })
}

/// The iteration of [`Served::Alike`].
#[inline]
fn alike<W: World>(w: &mut W, stage: impl AtStage) -> Planned {
    let e = w.engine_mut(stage);
    e.served.clear();
    let (decoders, kv_decode) = (e.seats.len(), e.kv_decode);
    let n = whole::float(decoders as u64);
    let it = Iteration { tokens: n, residents: n, decoders: n, kv_decode, ..Iteration::default() };
    Planned { it, prefills: 0, decoders, steady: true }
}

/// Some prefill is in the plan.
fn prefills<W: World>(w: &W, stage: impl AtStage) -> bool {
    let e = w.engine(stage);
    e.served.iter().any(|&i| !e.seats[i as usize].decode)
}

/// Serves the residents when they are no cohort; returns the budget left.
#[inline]
fn serve_one_by_one<W: World>(w: &mut W, stage: impl AtStage, budget: f64, chunk: f64) -> f64 {
    w.engine_mut(stage).begin_plan();
    let (mut i, mut left) = (0, budget);
    if !(Uses::<W>::SERVE_KEYS || Uses::<W>::EXCLUSIVE || Uses::<W>::ONLY) {
        (i, left) = serve_who_fit(w, stage, budget, chunk);
        if i == w.engine(stage).seats.len() {
            return left;
        }
    }
    order::fill(w, stage);
    while i < w.engine(stage).todo.len() && left > 0.0 {
        left = serve_next(w, stage, i, left, chunk);
        i += 1;
    }
    left
}

/// Serves the residents in the order of admission, up to the first that needs more units than it has: its place, or
/// how many residents there are; and the budget left.
#[inline]
fn serve_who_fit<W: World>(
    w: &mut W,
    stage: impl AtStage,
    budget: f64,
    chunk: f64,
) -> (usize, f64) {
    let mut left = budget;
    for place in 0..w.engine(stage).seats.len() {
        let seat = &w.engine(stage).seats[place];
        let (growing, tokens) = (seat.growing, wanted(seat, left, chunk));
        if seat.stalled || left <= 0.0 || tokens <= 0.0 {
            continue;
        }
        if growing != NONE && !displace::advance(&mut w.kernel_mut().allocs[growing], tokens) {
            return (place, left);
        }
        serve(w, stage, place as u32, tokens);
        left -= tokens;
    }
    (w.engine(stage).seats.len(), left)
}

/// Serves the resident that is number `i` in the order of service; returns the budget left.
#[inline]
fn serve_next<W: World>(w: &mut W, stage: impl AtStage, i: usize, left: f64, chunk: f64) -> f64 {
    let e = w.engine(stage);
    let place = e.todo[i];
    if place == GONE || e.seats[place as usize].stalled || !allowed(w, stage, place) {
        return left;
    }
    let seat = &w.engine(stage).seats[place as usize];
    let (s, growing, tokens) = (seat.session, seat.growing, wanted(seat, left, chunk));
    if tokens <= 0.0 {
        return left;
    }
    let growth = match growing {
        NONE => Growth::Done,
        alloc => displace::grow(w, stage, s, alloc, tokens),
    };
    let left = left + std::mem::take(&mut w.engine_mut(stage).back);
    match growth {
        Growth::Done => {
            // Preemptions may have moved it.
            let place = w.engine(stage).todo[i];
            serve(w, stage, place, tokens);
            left - tokens
        }
        Growth::Waits => left,
        // Nobody after it is served.
        Growth::Displaced => {
            w.engine_mut(stage).todo.truncate(i + 1);
            left
        }
    }
}

/// The iteration is planned; `members`: the tokens of all residents when they were served as a cohort.
#[inline]
fn finish<W: World>(
    w: &mut W,
    stage: impl AtStage,
    preempted: bool,
    members: Option<f64>,
) -> Option<Planned> {
    let (mut e, mut memory, mut k) = w.engine_parts(stage);
    let whole = memory.as_ref().is_none_or(|p| p.whole);
    e.planning = false;
    if members.is_some() && rarely(!whole) {
        // Sums are not exact any more.
        leavers::dissolve(w, stage);
        (e, memory, k) = w.engine_parts(stage);
    }
    let together = e.as_cohort(members);
    let one_by_one = !e.served.is_empty();
    // Who is served takes something.
    if !one_by_one && together.is_none_or(|tokens| tokens <= 0.0) && !preempted {
        start_nothing(w, stage);
        return None;
    }
    let tokens = together.unwrap_or(0.0);
    let counted = if together.is_some() { e.cohort.residents } else { 0 };
    let (mut it, alone) = match e.served[..] {
        [] => (Iteration { tokens, ..Iteration::default() }, 0),
        [place] => {
            let mut it = Iteration { tokens, ..Iteration::default() };
            let seat = &mut e.seats[place as usize];
            let decodes = add_one::<W>(seat, 0, memory.as_deref(), k, whole, counted, &mut it);
            (it, usize::from(decodes))
        }
        _ => add_served::<W>(e, memory.as_deref(), k, whole, counted, tokens),
    };
    let prefills = e.served.len() - alone;
    let decoders = alone + if together.is_some() { e.cohort.members() } else { 0 };
    let steady = together.is_some() && !one_by_one && !preempted;
    it.residents = whole::float(e.seats.len() as u64);
    it.decoders = whole::float(decoders as u64);
    if whole {
        it.kv_decode = match decoders == e.decoders {
            true => e.kv_decode,
            false => scheduled_kv(e, memory.as_deref()),
        };
    }
    Some(Planned { it, prefills, decoders, steady })
}

/// Starts the iteration that was planned; false after an error.
#[inline]
fn launch<W: World>(w: &mut W, stage: impl AtStage, planned: &Planned) -> bool {
    let &Planned { it, prefills, decoders, steady } = planned;
    let cost = w.cost(stage, &it);
    let lasts = cost > 0.0;
    if it.tokens > 0.0 && !lasts {
        return refuse_cost(w, stage, cost);
    }
    let (e, _, k) = w.engine_parts(stage);
    if k.has_fault() {
        return give_up(w, stage);
    }
    let (now, measured) = (k.now, k.measured());
    station::changed::<W>(k, stage);
    e.begin_iteration(now, measured, if lasts { cost } else { 0.0 }, prefills, decoders);
    let (slot, end) = (station::slot::<W>(stage, e.slot), now + e.lasts);
    k.startable.put(station::flat::<W>(stage, e.flat), false);
    if !(steady && runs::plan(w, stage, end)) {
        w.kernel_mut().clock.of(Uses::<W>::SLOTS).set(slot, end);
    }
    true
}

/// Nobody is served in the iteration that was planned.
#[inline]
fn start_nothing<W: World>(w: &mut W, stage: impl AtStage) {
    if w.kernel().has_fault() {
        give_up(w, stage);
    } else {
        note_startable(w, stage);
    }
}

/// An iteration cannot last so long; false.
#[cold]
fn refuse_cost<W: World>(w: &mut W, stage: impl AtStage, cost: f64) -> bool {
    let site = spec::<W>(stage).cost_site;
    w.kernel_mut().raise(FaultKind::Cost(cost), Some(site), None);
    give_up(w, stage)
}

/// An error was raised while an iteration was planned; false.
#[cold]
fn give_up<W: World>(w: &mut W, stage: impl AtStage) -> bool {
    w.kernel_mut().blame(Station::Stage(stage.key()));
    false
}

impl Engine {
    /// An iteration of so many jobs begins, which lasts so long.
    #[inline]
    fn begin_iteration(
        &mut self,
        now: f64,
        measured: bool,
        lasts: f64,
        prefills: usize,
        decoders: usize,
    ) {
        self.iterating = true;
        self.scheduled = prefills + decoders;
        self.iterations += 1;
        self.shares.start(now, prefills, decoders);
        if measured && decoders > 0 {
            self.batch.add(decoders, 1);
            self.step.add(lasts, 1);
        }
        (self.began, self.lasts) = (now, lasts);
    }
}

/// The jobs that are served one by one, whose tokens, but for those of the first `counted` ones, come to `tokens`; and
/// how many of them decode.
#[inline(never)]
fn add_served<W: World>(
    e: &mut Engine,
    memory: Option<&Pool<W::Attrs>>,
    k: &Kernel,
    whole: bool,
    counted: usize,
    tokens: f64,
) -> (Iteration, usize) {
    let (mut it, mut decodes) = (Iteration { tokens, ..Iteration::default() }, 0);
    let Engine { seats, served, .. } = e;
    for (i, &place) in served.iter().enumerate() {
        let seat = &mut seats[place as usize];
        decodes += usize::from(add_one::<W>(seat, i, memory, k, whole, counted, &mut it));
    }
    (it, decodes)
}

/// Adds the job that is number `i` of those served one by one; whether it decodes.
#[inline(always)]
fn add_one<W: World>(
    seat: &mut Seat,
    i: usize,
    memory: Option<&Pool<W::Attrs>>,
    k: &Kernel,
    whole: bool,
    counted: usize,
    it: &mut Iteration,
) -> bool {
    if Uses::<W>::SERVE_KEYS {
        seat.rank = i as u32;
    }
    let tokens = seat.tokens;
    if i >= counted {
        it.tokens += tokens;
    }
    if seat.decode {
        if !whole {
            it.kv_decode += units(memory, seat.session);
        }
        return true;
    }
    it.prefilled += tokens;
    // Without a check, which would be made also where nobody reads it.
    let position = k.allocs.get(seat.growing).map_or(0.0, |a| a.position - tokens);
    it.attention += tokens * (position + tokens / 2.0);
    it.kv_prefill += units(memory, seat.session);
    false
}

/// Units in the memory pool of the decoding jobs in the plan.
#[inline(never)]
fn scheduled_kv<A>(e: &Engine, memory: Option<&Pool<A>>) -> f64 {
    let seats = e.served.iter().map(|&i| &e.seats[i as usize]).filter(|x| x.decode);
    seats.map(|x| units(memory, x.session)).sum()
}
