//! A step of a cohort: its members as one, and those outside one by one.

use super::{
    Engine,
    cohort::{self, Single},
    displace,
    leavers::{dissolve, step_out},
    memory, plan,
};
use crate::{
    engine::runs::add_ones,
    kernel::{NONE, whole},
    pool::{self, evict},
    station::spec,
    uses::UsesAt,
    world::{AtStage, World},
};

/// Serves the residents as a cohort: the budget left, and the tokens taken in the order of service; `None` when they
/// have to be served one by one.
#[inline]
pub(super) fn serve<W: World, S: AtStage>(
    w: &mut W,
    stage: S,
    budget: f64,
    chunk: f64,
) -> Option<(f64, f64)> {
    if !UsesAt::<W, S>::RUNS || !cohort::ready(w, stage) {
        return None;
    }
    let served = serve_all(w, stage, budget, chunk);
    if served.is_none() {
        dissolve(w, stage);
    }
    served
}

#[inline]
fn serve_all<W: World>(
    w: &mut W,
    stage: impl AtStage,
    budget: f64,
    chunk: f64,
) -> Option<(f64, f64)> {
    let room = Room::of(w, stage);
    let e = w.engine_mut(stage);
    if e.cohort.outside > 0 || e.cohort.parts() {
        return serve_mixed(w, stage, budget, chunk, room);
    }
    // Members only.
    let n = whole::float(e.seats.len() as u64);
    if budget < n {
        return None;
    }
    let growth = e.commit(room, 0.0)?;
    take(w, stage, growth);
    Some((budget - n, n))
}

/// As [`serve_all`], when some are served one by one.
fn serve_mixed<W: World>(
    w: &mut W,
    stage: impl AtStage,
    budget: f64,
    chunk: f64,
    room: Room,
) -> Option<(f64, f64)> {
    single_out(w, stage);
    let dealt = w.engine_mut(stage).deal(budget, chunk)?;
    let others = others(w, stage)?;
    let growth = w.engine_mut(stage).commit(room, others)?;
    take(w, stage, growth);
    serve_singles(w, stage);
    Some(dealt)
}

/// The tokens of the step that was planned, those of its residents being given; `None` when the cohort is no more,
/// or has to go because amounts are not `whole`.
#[inline]
pub(super) fn tokens<W: World, S: AtStage>(
    w: &mut W,
    stage: S,
    whole: bool,
    tokens: f64,
) -> Option<f64> {
    if !UsesAt::<W, S>::RUNS {
        return None;
    }
    if !whole {
        // Sums are not exact any more.
        dissolve(w, stage);
    }
    let e = w.engine_mut(stage);
    e.cohort.committed = false;
    e.cohort.on.then(|| {
        let admitted = &e.served[e.cohort.residents..];
        admitted.iter().fold(tokens, |sum, &place| sum + e.seats[place as usize].tokens)
    })
}

/// What the memory has room for, in its units; without a memory there is nothing to take.
#[derive(Clone, Copy)]
struct Room {
    block: f64,
    used: f64,
    cap: f64,
}

impl Room {
    #[inline]
    fn of<W: World>(w: &W, stage: impl AtStage) -> Self {
        match memory::<W>(stage) {
            None => Self { block: 0.0, used: 0.0, cap: f64::INFINITY },
            Some(key) => {
                let p = w.pool(key);
                Self { block: p.block, used: p.used, cap: p.cap }
            }
        }
    }
}

/// Lists those that are served one by one; members that take their last tokens are so from now on, where some are fractions.
fn single_out<W: World>(w: &mut W, stage: impl AtStage) {
    let e = w.engine_mut(stage);
    let due = e.cohort.parts();
    e.cohort.list_singles(due);
    if due {
        for i in 0..w.engine(stage).cohort.single.len() {
            let cohort = &w.engine(stage).cohort;
            let place = cohort.single[i].place as usize;
            if cohort.has(place) {
                step_out(w, stage, place);
            }
        }
        w.engine_mut(stage).cohort.find_next();
    }
    if spec::<W>(stage).serve_keys > 0 {
        w.engine_mut(stage).decodes_first();
    }
}

impl Engine {
    /// Orders those served one by one as keys have it that put decodes first.
    fn decodes_first(&mut self) {
        let Engine { seats, cohort, .. } = self;
        let members = cohort.members() as u32;
        for x in cohort.single.iter_mut().filter(|x| !seats[x.place as usize].decode) {
            x.before = members;
        }
        cohort.single.sort_by_key(|x| !seats[x.place as usize].decode);
    }

    /// The step is planned from now on: the units that its members take, if those and what `others` take fit.
    #[inline]
    fn commit(&mut self, room: Room, others: f64) -> Option<f64> {
        let growth = f64::from(self.cohort.phases.takers(self.cohort.step)) * room.block;
        if growth + others != 0.0 && room.used + (growth + others) > room.cap {
            return None;
        }
        self.begin_plan();
        self.cohort.committed = true;
        self.cohort.residents = 0;
        self.kv_decode += growth;
        Some(growth)
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
            let seat = &seats[single.place as usize];
            let wanted = plan::wanted(seat, left, chunk);
            if left <= 0.0 || wanted <= 0.0 {
                if seat.decode {
                    return None;
                }
                continue;
            }
            if seat.decode && wanted < seat.left && wanted < 1.0 {
                return None;
            }
            single.tokens = wanted;
            left -= wanted;
            tokens += wanted;
        }
        let n = members - served;
        (left >= n as f64).then(|| (left - n as f64, add_ones(tokens, n)))
    }
}

/// Units that those served one by one take in this step; `None` when they are of another pool.
#[inline]
fn others<W: World>(w: &W, stage: impl AtStage) -> Option<f64> {
    let e = w.engine(stage);
    let mut others = 0.0;
    for &Single { place, tokens, .. } in &e.cohort.single {
        let growing = e.seats[place as usize].growing;
        if growing == NONE || tokens <= 0.0 {
            continue;
        }
        let a = &w.kernel().allocs[growing];
        let short = a.position + tokens - a.units;
        if short > 1e-12 {
            if Some(a.pool) != memory::<W>(stage) {
                return None;
            }
            others += w.pool(a.pool).round_up(a.units + short) - a.units;
        }
    }
    Some(others)
}

/// The members take `units` of the memory.
#[inline]
fn take<W: World>(w: &mut W, stage: impl AtStage, units: f64) {
    if units > 0.0
        && let Some(key) = memory::<W>(stage)
    {
        let k = w.kernel_mut();
        let now = k.now;
        pool::changed::<W>(k, key, pool::USED);
        let p = w.pool_mut(key);
        let used = p.used + units;
        p.set_used(now, used);
        evict::evict(w, key, 0.0);
    }
}

/// Serves those that are served one by one, for whom there is room.
fn serve_singles<W: World>(w: &mut W, stage: impl AtStage) {
    for i in 0..w.engine(stage).cohort.single.len() {
        let e = w.engine(stage);
        let Single { place, tokens, .. } = e.cohort.single[i];
        if tokens <= 0.0 {
            continue;
        }
        let seat = &e.seats[place as usize];
        let (s, growing) = (seat.session, seat.growing);
        if growing != NONE {
            let growth = displace::grow(w, stage, s, growing, tokens);
            debug_assert!(growth == displace::Growth::Done, "there is room");
        }
        plan::serve(w, stage, place, tokens);
    }
    let e = w.engine_mut(stage);
    e.cohort.residents = e.served.len();
}
