//! One iteration is planned: residents are served in order, growing as they go; then, if nothing was
//! preempted and budget is left, the queues that the engine serves are tried.

use super::{
    GONE, Iteration, Seat, admit, cohort,
    displace::{self, Growth},
    memory, note_startable, order, runs, step, totals, units,
};
use crate::{
    fault::{FaultKind, Station},
    kernel::NONE,
    pool::shared,
    station::spec,
    uses::Uses,
    world::{AtStage, OnStage, World},
};

/// Budget (NaN: no limit) and chunk (0 or less: no cap), for the residents as they are.
pub(super) fn limits<W: World>(w: &mut W, stage: impl AtStage) -> (f64, f64) {
    let totals = totals(w, stage);
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
    fn run(self, w: &mut W, at: impl AtStage) -> bool {
        start(w, at)
    }
}

/// Plans an iteration of an idle engine and starts it; false when there was nothing to do.
fn start<W: World>(w: &mut W, stage: impl AtStage) -> bool {
    if cohort::ready(w, stage) {
        if let Some(started) = step::start(w, stage) {
            return started;
        }
        cohort::dissolve(w, stage);
    }
    let preemptions = w.kernel().preemptions;
    let (budget, chunk) = limits(w, stage);
    order::fill(w, stage);
    let e = w.engine_mut(stage);
    e.planning = true;
    e.served.clear();
    e.back = 0.0;
    let left = serve_residents(w, stage, budget, chunk);
    let mut preempted = w.kernel().preemptions > preemptions;
    let alone = Uses::<W>::EXCLUSIVE && spec::<W>(stage).exclusive && prefills(w, stage);
    if !preempted && !alone && w.engine(stage).waiting > 0 {
        preempted = admit::admit(w, stage, budget, left, chunk);
    }
    finish(w, stage, preempted, None)
}

/// Some prefill is in the plan.
fn prefills<W: World>(w: &W, stage: impl AtStage) -> bool {
    let e = w.engine(stage);
    e.served.iter().any(|&i| !e.seats[i as usize].decode)
}

/// Serves the residents; returns the budget left.
fn serve_residents<W: World>(w: &mut W, stage: impl AtStage, budget: f64, chunk: f64) -> f64 {
    let mut left = budget;
    let mut i = 0;
    while i < w.engine(stage).todo.len() && left > 0.0 {
        let e = w.engine(stage);
        let place = e.todo[i];
        i += 1;
        if place == GONE || e.seats[place as usize].stalled {
            continue;
        }
        if !allowed(w, stage, place) {
            continue;
        }
        let seat = w.engine(stage).seats[place as usize];
        let tokens = wanted(&seat, left, chunk);
        if tokens <= 0.0 {
            continue;
        }
        let growth = match seat.growing {
            NONE => Growth::Done,
            alloc => displace::grow(w, stage, seat.session, alloc, tokens),
        };
        left += std::mem::take(&mut w.engine_mut(stage).back);
        match growth {
            Growth::Done => {
                // Preemptions may have moved it.
                let place = w.engine(stage).todo[i - 1];
                serve(w, stage, place, tokens);
                left -= tokens;
            }
            Growth::Waits => {}
            Growth::Displaced => break,
        }
    }
    left
}

/// Starts the iteration that was planned; `tokens` are those of all when a cohort is served with
/// those listed.
pub(super) fn finish<W: World>(
    w: &mut W,
    stage: impl AtStage,
    preempted: bool,
    tokens: Option<f64>,
) -> bool {
    w.engine_mut(stage).planning = false;
    if w.kernel().has_fault() {
        w.kernel_mut().blame(Station::Stage(stage.key()));
        return false;
    }
    let memory = memory::<W>(stage);
    let whole = memory.is_none_or(|key| w.pool(key).whole);
    let mut it = Iteration::default();
    let mut decoders = 0;
    for i in 0..w.engine(stage).served.len() {
        let e = w.engine_mut(stage);
        let place = e.served[i] as usize;
        let seat = &mut e.seats[place];
        seat.rank = i as u32;
        let seat = *seat;
        it.tokens += seat.tokens;
        if seat.decode {
            decoders += 1;
            if !whole {
                it.kv_decode += units(w, memory, seat.session);
            }
        } else {
            it.prefilled += seat.tokens;
            let position = match seat.growing {
                NONE => 0.0,
                alloc => w.kernel().allocs[alloc].position - seat.tokens,
            };
            it.attention += seat.tokens * (position + seat.tokens / 2.0);
            it.kv_prefill += units(w, memory, seat.session);
        }
    }
    let e = w.engine(stage);
    let members = if tokens.is_some() { e.cohort.members() } else { 0 };
    it.tokens = tokens.unwrap_or(it.tokens);
    if it.tokens <= 0.0 && !preempted {
        return false;
    }
    let prefills = e.served.len() - decoders;
    let decoders = decoders + members;
    it.residents = e.seats.len() as f64;
    it.decoders = decoders as f64;
    if whole {
        it.kv_decode = if decoders == e.decoders { e.kv_decode } else { scheduled_kv(w, stage) };
    }
    let cost = w.cost(stage, &it);
    let lasts = cost > 0.0;
    if it.tokens > 0.0 && !lasts {
        let site = spec::<W>(stage).cost_site;
        w.kernel_mut().raise(FaultKind::Cost(cost), Some(site), None);
    }
    let k = w.kernel_mut();
    if k.has_fault() {
        k.blame(Station::Stage(stage.key()));
        return false;
    }
    let (now, measured) = (k.now, k.measured());
    k.dirty |= spec::<W>(stage).dirty;
    let e = w.engine_mut(stage);
    e.iterating = true;
    e.scheduled = prefills + decoders;
    e.iterations += 1;
    e.shares.start(now, prefills, decoders);
    if measured && decoders > 0 {
        e.batch.add(decoders as f64, 1);
        e.step.add(cost, 1);
    }
    (e.began, e.lasts) = (now, if lasts { cost } else { 0.0 });
    let end = now + e.lasts;
    note_startable(w, stage);
    if !runs::plan(w, stage, &it, end, preempted) {
        let slot = w.engine(stage).slot;
        w.kernel_mut().clock.set(slot, end);
    }
    true
}

/// Units in the memory pool of the decoding jobs in the plan.
fn scheduled_kv<W: World>(w: &W, stage: impl AtStage) -> f64 {
    let (e, memory) = (w.engine(stage), memory::<W>(stage));
    let seats = e.served.iter().map(|&i| &e.seats[i as usize]).filter(|x| x.decode);
    seats.map(|x| units(w, memory, x.session)).sum()
}
