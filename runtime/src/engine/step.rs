//! A step of a cohort: its members as one, and those outside one by one.

use super::{
    Engine,
    cohort::{self, OUTSIDE, Single, dissolve, settle, step_out},
    displace, memory, plan,
};
use crate::{
    engine::runs::add_ones,
    kernel::{NONE, whole},
    pool::{self, evict},
    station::spec,
    world::{AtStage, PoolKey, World},
};

/// Serves the residents as a cohort: the budget left, and the tokens taken in the order of service; `None` when they
/// have to be served one by one.
#[inline]
pub(super) fn serve<W: World>(
    w: &mut W,
    stage: impl AtStage,
    budget: f64,
    chunk: f64,
) -> Option<(f64, f64)> {
    if !cohort::ready(w, stage) {
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
    let e = w.engine(stage);
    let alone = e.cohort.outside > 0 || e.cohort.next == e.cohort.step;
    if alone {
        single_out(w, stage);
    }
    let e = w.engine_mut(stage);
    let (left, tokens) = if alone { e.deal(budget, chunk) } else { e.deal_members(budget) }?;
    let others = if alone { others(w, stage)? } else { 0.0 };
    let growth = room(w, stage, others)?;
    w.engine_mut(stage).begin_plan();
    if growth > 0.0
        && let Some(key) = memory::<W>(stage)
    {
        take(w, stage, key, growth);
    }
    w.engine_mut(stage).cohort.committed = true;
    if alone {
        serve_singles(w, stage);
    }
    let e = w.engine_mut(stage);
    e.cohort.residents = e.served.len();
    Some((left, tokens))
}

/// The tokens of the step that was planned, those of its residents being given; `None` when the cohort is no more.
#[inline]
pub(super) fn tokens<W: World>(w: &mut W, stage: impl AtStage, tokens: f64) -> Option<f64> {
    if memory::<W>(stage).is_some_and(|key| !w.pool(key).whole) {
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

/// Lists those that are served one by one; members that take their last tokens are so from now on.
fn single_out<W: World>(w: &mut W, stage: impl AtStage) {
    let e = w.engine_mut(stage);
    let due = e.cohort.next == e.cohort.step;
    e.cohort.list_singles(due);
    if due {
        for i in 0..w.engine(stage).cohort.single.len() {
            let cohort = &w.engine(stage).cohort;
            let place = cohort.single[i].place as usize;
            if cohort.has(place) {
                settle(w, stage, place);
                step_out(w, stage, place);
            }
        }
        let c = &mut w.engine_mut(stage).cohort;
        c.next = c.last.iter().fold(OUTSIDE, |least, &x| least.min(x));
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

    /// Deals the budget out when there are members only: what is left, and the tokens taken; `None` when one of them
    /// goes short.
    #[inline]
    fn deal_members(&self, budget: f64) -> Option<(f64, f64)> {
        let n = whole::float(self.seats.len() as u64);
        (budget >= n).then_some((budget - n, n))
    }

    /// As [`Engine::deal_members`], in the order of service.
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

/// Units that the members take in this step, if those and what the others take fit.
#[inline]
fn room<W: World>(w: &W, stage: impl AtStage, others: f64) -> Option<f64> {
    let Some(key) = memory::<W>(stage) else { return Some(0.0) };
    let c = &w.engine(stage).cohort;
    let takers = c.phases.takers(c.step);
    let p = w.pool(key);
    let growth = f64::from(takers) * p.block;
    (growth + others == 0.0 || p.used + (growth + others) <= p.cap).then_some(growth)
}

/// The members take `units`.
#[inline]
fn take<W: World>(w: &mut W, stage: impl AtStage, key: PoolKey, units: f64) {
    let k = w.kernel_mut();
    let now = k.now;
    pool::changed::<W>(k, key, pool::USED);
    w.engine_mut(stage).kv_decode += units;
    let p = w.pool_mut(key);
    let used = p.used + units;
    p.set_used(now, used);
    evict::evict(w, key, 0.0);
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
}
