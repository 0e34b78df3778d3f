//! A step of a cohort: its members as one, and those outside one by one.

use super::{
    Engine, admit,
    cohort::{OUTSIDE, PART, dissolve, growing, settle, step_out},
    displace, memory, plan,
};
use crate::{
    engine::runs::add_ones,
    kernel::{NONE, whole},
    pool::{self, evict},
    station::spec,
    world::{AtStage, PoolKey, World},
};

/// Plans the cohort's next step and starts it; `None` when it has to be planned one by one.
pub(super) fn start<W: World>(w: &mut W, stage: impl AtStage) -> Option<bool> {
    let preemptions = w.kernel().preemptions;
    let (budget, chunk) = plan::limits(w, stage);
    let mut single = std::mem::take(&mut w.engine_mut(stage).cohort.single);
    let planned = serve(w, stage, budget, chunk, &mut single);
    single.clear();
    w.engine_mut(stage).cohort.single = single;
    let (left, tokens) = planned?;
    if w.engine(stage).waiting > 0 {
        admit::admit(w, stage, budget, left, chunk);
    }
    if memory::<W>(stage).is_some_and(|key| !w.pool(key).whole) {
        // Sums are not exact any more.
        dissolve(w, stage);
    }
    let preempted = w.kernel().preemptions > preemptions;
    let e = w.engine_mut(stage);
    e.cohort.committed = false;
    let tokens = e.cohort.on.then(|| {
        let admitted = &e.served[e.cohort.residents..];
        admitted.iter().fold(tokens, |sum, &place| sum + e.seats[place as usize].tokens)
    });
    Some(plan::finish(w, stage, preempted, tokens))
}

/// Serves the residents: the budget left, and the tokens taken in the order of service.
fn serve<W: World>(
    w: &mut W,
    stage: impl AtStage,
    budget: f64,
    chunk: f64,
    single: &mut Vec<(u32, u32, f64)>,
) -> Option<(f64, f64)> {
    let e = w.engine(stage);
    let members = if e.cohort.outside == 0 && e.cohort.next > e.cohort.step {
        e.seats.len()
    } else {
        one_by_one(e, spec::<W>(stage).serve_keys > 0, single)
    };
    let (left, tokens) = share(e, budget, chunk, members, single)?;
    let growth = room(w, stage, single)?;
    let e = w.engine_mut(stage);
    e.planning = true;
    e.served.clear();
    e.back = 0.0;
    e.cohort.residents = 0;
    if growth > 0.0
        && let Some(key) = memory::<W>(stage)
    {
        take(w, stage, key, growth);
    }
    w.engine_mut(stage).cohort.committed = true;
    for &(place, _, tokens) in single.iter() {
        if w.engine(stage).cohort.has(place as usize) {
            settle(w, stage, place as usize);
            step_out(w, stage, place as usize);
        }
        if tokens <= 0.0 {
            continue;
        }
        let seat = w.engine(stage).seats[place as usize];
        if seat.growing != NONE {
            let growth = displace::grow(w, stage, seat.session, seat.growing, tokens);
            debug_assert!(growth == displace::Growth::Done, "there is room");
        }
        plan::serve(w, stage, place, tokens);
    }
    let e = w.engine_mut(stage);
    e.cohort.residents = e.served.len();
    let c = &mut e.cohort;
    if c.next == c.step {
        c.next = c.last.iter().fold(OUTSIDE, |least, &x| least.min(x));
    }
    Some((left, tokens))
}

/// Lists the seats outside and those that take their last tokens; returns the number of others.
fn one_by_one(e: &Engine, decodes_first: bool, single: &mut Vec<(u32, u32, f64)>) -> usize {
    let step = e.cohort.step;
    for (i, part) in e.cohort.last.chunks(PART).enumerate() {
        if !part.iter().fold(false, |any, &x| any | (x == step) | (x == OUTSIDE)) {
            continue;
        }
        for (place, &last) in part.iter().enumerate() {
            if last == step || last == OUTSIDE {
                let place = i * PART + place;
                single.push((place as u32, (place - single.len()) as u32, 0.0));
            }
        }
    }
    let members = (e.seats.len() - single.len()) as u32;
    if decodes_first {
        for x in single.iter_mut().filter(|x| !e.seats[x.0 as usize].decode) {
            x.1 = members;
        }
        single.sort_by_key(|x| !e.seats[x.0 as usize].decode);
    }
    members as usize
}

/// Deals the budget out in the order of service; `None` when a decoding resident goes short.
fn share(
    e: &Engine,
    budget: f64,
    chunk: f64,
    members: usize,
    single: &mut [(u32, u32, f64)],
) -> Option<(f64, f64)> {
    let (mut left, mut tokens, mut served) = (budget, 0.0, 0);
    for (place, before, own) in single {
        let n = *before as usize - served;
        if left < n as f64 {
            return None;
        }
        left -= n as f64;
        tokens = add_ones(tokens, n);
        served += n;
        let mut seat = e.seats[*place as usize];
        seat.left -= f64::from(e.cohort.behind(*place as usize, &seat));
        let wanted = plan::wanted(&seat, left, chunk);
        if left <= 0.0 || wanted <= 0.0 {
            if seat.decode {
                return None;
            }
            continue;
        }
        if seat.decode && wanted < seat.left && wanted < 1.0 {
            return None;
        }
        *own = wanted;
        left -= wanted;
        tokens += wanted;
    }
    let n = members - served;
    (left >= n as f64).then(|| (left - n as f64, add_ones(tokens, n)))
}

/// Units that the members take in this step, if those and what the others take fit.
#[inline]
fn room<W: World>(w: &W, stage: impl AtStage, single: &[(u32, u32, f64)]) -> Option<f64> {
    let e = w.engine(stage);
    let c = &e.cohort;
    let mut takers = c.phases.takers(c.step);
    let mut others = 0.0;
    for &(place, _, tokens) in single {
        let seat = &e.seats[place as usize];
        if seat.growing == NONE {
            continue;
        }
        let member = c.has(place as usize);
        let g = growing(w, seat.growing, c.behind(place as usize, seat));
        if member && whole::floor(g.units - g.position) == 0.0 {
            takers -= 1;
        }
        let short = g.position + tokens - g.units;
        if tokens > 0.0 && short > 1e-12 {
            let key = w.kernel().allocs[seat.growing].pool;
            if Some(key) != memory::<W>(stage) {
                return None;
            }
            others += w.pool(key).round_up(g.units + short) - g.units;
        }
    }
    let Some(key) = memory::<W>(stage) else { return Some(0.0) };
    let p = w.pool(key);
    let growth = f64::from(takers) * p.block;
    (growth + others == 0.0 || p.used + (growth + others) <= p.cap).then_some(growth)
}

/// The members take `units`.
fn take<W: World>(w: &mut W, stage: impl AtStage, key: PoolKey, units: f64) {
    let k = w.kernel_mut();
    let now = k.now;
    k.dirty |= pool::spec::<W>(key).dirty[0];
    w.engine_mut(stage).kv_decode += units;
    let p = w.pool_mut(key);
    let used = p.used + units;
    p.set_used(now, used);
    evict::evict(w, key, 0.0);
}
