//! A step of a cohort: its members as one, and those outside one by one.

use super::{
    Engine, Seat,
    cohort::{OUTSIDE, Single},
    displace, joiners,
    leavers::{dissolve, step_out},
    memory, plan,
};
use crate::{
    engine::runs::add_ones,
    kernel::{Kernel, NONE, whole},
    pool::{self, Pool, evict},
    rare::rarely,
    station::spec,
    uses::UsesAt,
    world::{AtStage, PoolKey, Sid, World},
};

/// What became of a cohort.
pub(super) enum Cohort {
    /// All residents are members with a token each, of whom none takes a block, and nobody waits: nothing else is to be
    /// noted of it before it starts.
    Alike,
    /// The budget left, and the tokens taken in the order of service.
    Served { left: f64, tokens: f64 },
}

/// Serves the residents as a cohort; `None` when they have to be served one by one.
#[inline]
pub(super) fn serve<W: World, S: AtStage>(
    w: &mut W,
    stage: S,
    budget: f64,
    chunk: f64,
) -> Option<Cohort> {
    if !UsesAt::<W, S>::RUNS || !joiners::ready(w, stage) {
        return None;
    }
    let served = serve_all(w, stage, budget, chunk);
    if rarely(served.is_none()) {
        dissolve(w, stage);
    }
    served
}

#[inline]
fn serve_all<W: World>(w: &mut W, stage: impl AtStage, budget: f64, chunk: f64) -> Option<Cohort> {
    let (e, memory, _) = w.engine_parts(stage);
    if e.cohort.outside > 0 || e.cohort.parts() {
        let (left, tokens) = serve_mixed(w, stage, budget, chunk)?;
        return Some(Cohort::Served { left, tokens });
    }
    // Members only.
    let n = whole::float(e.seats.len() as u64);
    if budget < n {
        return None;
    }
    let growth = e.room(memory.as_deref(), 0.0)?;
    if growth == 0.0 && e.waiting == 0 && memory.is_none_or(|p| p.whole) {
        return Some(Cohort::Alike);
    }
    e.commit(growth);
    if growth > 0.0 {
        take(w, stage, growth);
    }
    Some(Cohort::Served { left: budget - n, tokens: n })
}

/// As [`serve_all`], when some are served one by one.
#[inline]
fn serve_mixed<W: World>(
    w: &mut W,
    stage: impl AtStage,
    budget: f64,
    chunk: f64,
) -> Option<(f64, f64)> {
    if spec::<W>(stage).serve_keys == 0
        && let Some(place) = w.engine_mut(stage).only_single()
    {
        return serve_beside(w, stage, budget, chunk, place);
    }
    serve_several(w, stage, budget, chunk)
}

/// As [`serve_mixed`], when all but the resident at `place` are members that take a token each.
#[inline]
fn serve_beside<W: World>(
    w: &mut W,
    stage: impl AtStage,
    budget: f64,
    chunk: f64,
    place: usize,
) -> Option<(f64, f64)> {
    let (e, mut memory, k) = w.engine_parts(stage);
    if e.cohort.has(place) {
        step_out(e, memory.as_deref_mut(), k, place);
    }
    let members = e.cohort.members();
    let (before, after) = (whole::float(place as u64), whole::float((members - place) as u64));
    let seat = &e.seats[place];
    let (s, growing, left) = (seat.session, seat.growing, budget - before);
    let tokens = deal_one(seat, left, chunk)?;
    let left = left - tokens;
    if left < after {
        return None;
    }
    let growth = growth_of(seat, tokens, super::memory::<W>(stage), memory.as_deref(), k)?;
    let units = e.room(memory.as_deref(), growth)?;
    e.commit(units);
    e.cohort.residents = usize::from(tokens > 0.0);
    if units > 0.0 {
        take(w, stage, units);
    }
    if tokens > 0.0 {
        serve_one(w, stage, place as u32, s, growing, tokens);
    }
    Some((left - after, add_ones(before + tokens, members - place)))
}

/// As [`serve_mixed`], whoever is served one by one.
#[inline(never)]
fn serve_several<W: World>(
    w: &mut W,
    stage: impl AtStage,
    budget: f64,
    chunk: f64,
) -> Option<(f64, f64)> {
    let (e, mut memory, k) = w.engine_parts(stage);
    single_out(e, memory.as_deref_mut(), k);
    if spec::<W>(stage).serve_keys > 0 {
        e.decodes_first();
    }
    let dealt = e.deal(budget, chunk)?;
    let others = others(e, super::memory::<W>(stage), memory.as_deref(), k)?;
    let units = e.room(memory.as_deref(), others)?;
    e.commit(units);
    if units > 0.0 {
        take(w, stage, units);
    }
    serve_singles(w, stage);
    Some(dealt)
}

/// Lists those that are served one by one; members that take their last tokens are so from now on, where some are fractions.
#[inline]
fn single_out<A>(e: &mut Engine, mut memory: Option<&mut Pool<A>>, k: &mut Kernel) {
    let due = e.cohort.parts();
    e.cohort.list_singles(due);
    if !due {
        return;
    }
    for i in 0..e.cohort.single.len() {
        let place = e.cohort.single[i].place as usize;
        if e.cohort.has(place) {
            step_out(e, memory.as_deref_mut(), k, place);
        }
    }
    e.cohort.find_next();
}

impl Engine {
    /// A step is planned: the tokens of those that were resident before, if they were served as a cohort and are one
    /// still.
    #[inline]
    pub(super) fn as_cohort(&mut self, tokens: Option<f64>) -> Option<f64> {
        let tokens = tokens?;
        self.cohort.committed = false;
        self.cohort.on.then_some(tokens)
    }

    /// The place of the one resident that is served one by one in the present step; `None` when there are several.
    #[inline]
    fn only_single(&mut self) -> Option<usize> {
        let Engine { cohort, served, .. } = self;
        if !cohort.parts() {
            return (cohort.outside == 1).then(|| cohort.first_outside());
        }
        if cohort.outside > 0 {
            return None;
        }
        if cohort.last.len() == 1 {
            // Who is alone is the one.
            cohort.next = OUTSIDE;
            return Some(0);
        }
        served.clear();
        cohort.list_due(served);
        match served[..] {
            [place] => Some(place as usize),
            _ => {
                // They are members still.
                cohort.next = cohort.step;
                None
            }
        }
    }

    /// Orders those served one by one as keys have it that put decodes first.
    fn decodes_first(&mut self) {
        let Engine { seats, cohort, .. } = self;
        let members = cohort.members() as u32;
        for x in cohort.single.iter_mut().filter(|x| !seats[x.place as usize].decode) {
            x.before = members;
        }
        cohort.single.sort_by_key(|x| !seats[x.place as usize].decode);
    }

    /// The units that members take in the present step, if those and what `others` take fit into the memory; without one
    /// there is nothing to take.
    #[inline]
    fn room<A>(&self, memory: Option<&Pool<A>>, others: f64) -> Option<f64> {
        let takers = self.cohort.phases.takers(self.cohort.step);
        let growth = memory.map_or(0.0, |p| f64::from(takers) * p.block());
        let all = growth + others;
        (!memory.is_some_and(|p| all != 0.0 && p.used + all > p.cap)).then_some(growth)
    }

    /// The step is planned from now on, in which members take so many units.
    #[inline]
    fn commit(&mut self, growth: f64) {
        self.kv_decode += growth;
        self.begin_plan();
        self.cohort.committed = true;
        self.cohort.residents = 0;
    }

    /// Deals the budget out in the order of service: what is left, and the tokens taken; `None` when a decoding
    /// resident goes short.
    fn deal(&mut self, budget: f64, chunk: f64) -> Option<(f64, f64)> {
        let Engine { seats, cohort, .. } = self;
        let members = cohort.members();
        let (mut left, mut tokens, mut served) = (budget, 0.0, 0);
        for single in &mut cohort.single {
            let n = single.before as usize - served;
            if left < n as f64 {
                return None;
            }
            left -= n as f64;
            tokens = add_ones(tokens, n);
            served += n;
            let wanted = deal_one(&seats[single.place as usize], left, chunk)?;
            single.tokens = wanted;
            left -= wanted;
            tokens += wanted;
        }
        let n = members - served;
        (left >= n as f64).then(|| (left - n as f64, add_ones(tokens, n)))
    }
}

/// Tokens that a resident which is served on its own takes of what is `left`; `None` when it decodes and goes short.
#[inline]
fn deal_one(seat: &Seat, left: f64, chunk: f64) -> Option<f64> {
    if left < 0.0 {
        return None;
    }
    let wanted = plan::wanted(seat, left, chunk);
    if left <= 0.0 || wanted <= 0.0 {
        return (!seat.decode).then_some(0.0);
    }
    let short = seat.decode && wanted < seat.left && wanted < 1.0;
    (!short).then_some(wanted)
}

/// Units that a resident which takes so many tokens takes in this step; `None` when they are of another pool than the
/// memory, which is pool `key`.
#[inline]
fn growth_of<A>(
    seat: &Seat,
    tokens: f64,
    key: Option<PoolKey>,
    memory: Option<&Pool<A>>,
    k: &Kernel,
) -> Option<f64> {
    if seat.growing == NONE || tokens <= 0.0 {
        return Some(0.0);
    }
    let a = &k.allocs[seat.growing];
    let short = a.position + tokens - a.units;
    if short > 1e-12 {
        let p = memory.filter(|_| key == Some(a.pool))?;
        return Some(p.round_up(a.units + short) - a.units);
    }
    Some(0.0)
}

/// Units that those served one by one take in this step; `None` as [`growth_of`] has it.
#[inline]
fn others<A>(
    e: &Engine,
    key: Option<PoolKey>,
    memory: Option<&Pool<A>>,
    k: &Kernel,
) -> Option<f64> {
    let mut others = 0.0;
    for &Single { place, tokens, .. } in &e.cohort.single {
        others += growth_of(&e.seats[place as usize], tokens, key, memory, k)?;
    }
    Some(others)
}

/// The members take `units` of the memory.
#[inline]
fn take<W: World>(w: &mut W, stage: impl AtStage, units: f64) {
    let Some(key) = memory::<W>(stage) else { return };
    let (_, memory, k) = w.engine_parts(stage);
    pool::changed::<W>(k, key, pool::USED);
    if let Some(p) = memory {
        p.set_used(k.now, p.used + units);
    }
    evict::evict(w, key, 0.0);
}

/// Serves those that are served one by one, for whom there is room.
fn serve_singles<W: World>(w: &mut W, stage: impl AtStage) {
    for i in 0..w.engine(stage).cohort.single.len() {
        let e = w.engine(stage);
        let Single { place, tokens, .. } = e.cohort.single[i];
        if tokens > 0.0 {
            let seat = &e.seats[place as usize];
            let (s, growing) = (seat.session, seat.growing);
            serve_one(w, stage, place, s, growing, tokens);
        }
    }
    let e = w.engine_mut(stage);
    e.cohort.residents = e.served.len();
}

/// Serves the resident at `place`, for which there is room.
#[inline(always)]
fn serve_one<W: World>(
    w: &mut W,
    stage: impl AtStage,
    place: u32,
    s: Sid,
    growing: u32,
    tokens: f64,
) {
    if growing != NONE {
        let growth = displace::grow(w, stage, s, growing, tokens);
        debug_assert!(growth == displace::Growth::Done, "there is room");
    }
    plan::serve(w, stage, place, tokens);
}
