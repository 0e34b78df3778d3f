//! Admissions inside an iteration: the heads of the queues that the engine serves, while budget is
//! left. An admitted session runs at once until it waits; if it then has a run here, it is served.

use super::{
    Engine,
    displace::{self, Growth},
    plan,
};
use crate::{
    kernel::{Job, Kernel, NONE},
    pool::{
        self,
        queue::{self, Waiter},
        shared,
    },
    station::spec,
    uses::Uses,
    world::{AtStage, PoolKey, Sid, World},
};

/// The first pool, in declared order, that the engine serves and that somebody waits for, and who stands first in
/// its queue.
#[inline]
fn first_waiting<W: World>(w: &W, stage: impl AtStage) -> Option<(PoolKey, Waiter)> {
    for &family in spec::<W>(stage).serves {
        let key = PoolKey { family, member: stage.key().member };
        let first = match W::POOLS[family as usize].via {
            Some((_, true)) => first_of_all(w, family),
            _ => w.pool(key).queue.first().map(|first| (key, first)),
        };
        if first.is_some() {
            return first;
        }
    }
    None
}

/// As [`first_waiting`], of a pool family all of whose members one engine serves.
fn first_of_all<W: World>(w: &W, family: u16) -> Option<(PoolKey, Waiter)> {
    let members = 0..w.pool_count(family as usize) as u32;
    members
        .map(|member| PoolKey { family, member })
        .find_map(|key| w.pool(key).queue.first().map(|first| (key, first)))
}

/// Whose request is to be tried next, and at which hold; `None` if that may change without a change of the queue.
pub(super) fn next<W: World>(w: &mut W, stage: impl AtStage) -> Option<(Sid, u32)> {
    let (key, _) = first_waiting(w, stage)?;
    pool::spec::<W>(key).steady_keys.then(|| queue::next(w, key))
}

/// The request to be tried next, and the pool that it lacks units of, as long as nothing is given back; `None`
/// when it may fit by anything else.
pub(super) fn lacking<W: World>(
    w: &mut W,
    stage: impl AtStage,
    left: f64,
) -> Option<(Sid, PoolKey)> {
    let (s, stmt) = next(w, stage)?;
    let steady = W::HOLDS[stmt as usize].steady;
    if steady.is_empty() {
        return None;
    }
    w.engine_mut(stage).left = left;
    let header = w.header(s, stmt);
    w.engine_mut(stage).left = f64::NAN;
    header.claims.iter().zip(steady).find_map(|(c, &(units, reserve))| {
        // It may be helped by what others compute.
        if shared::shares::<W>(c.pool) {
            return None;
        }
        let p = w.pool(c.pool);
        let least = |steady: bool, x: f64| if steady { p.round_up(x) } else { 0.0 };
        let need = least(units, c.units).max(least(reserve, c.reserve));
        (p.used + need > p.cap).then_some((s, c.pool))
    })
}

/// The place of session `s`, which was just admitted, if it has a run here.
#[inline]
fn newcomer(e: &Engine, k: &Kernel, stage: impl AtStage, s: Sid) -> Option<usize> {
    match e.seats.last() {
        Some(last) if last.session == s => Some(e.seats.len() - 1),
        _ => match k.control(s).job {
            Job::Engine(at, _) if at == stage.key() => e.place(s),
            _ => None,
        },
    }
}

/// Admits while budget is left, where somebody waits; true when something was preempted.
pub(super) fn admit<W: World>(
    w: &mut W,
    stage: impl AtStage,
    budget: f64,
    left: f64,
    chunk: f64,
) -> bool {
    let exclusive = Uses::<W>::EXCLUSIVE && spec::<W>(stage).exclusive;
    let preemptions = w.kernel().preemptions;
    let mut left = left;
    while left > 0.0 {
        let Some((key, first)) = first_waiting(w, stage) else { break };
        w.engine_mut(stage).left = if exclusive { budget } else { left };
        let admitted = queue::admit(w, key, first);
        let (e, _, k) = w.engine_parts(stage);
        e.left = f64::NAN;
        left += std::mem::take(&mut e.back);
        let Some(s) = admitted else { break };
        if k.has_fault() {
            break;
        }
        let simple = !(Uses::<W>::EXCLUSIVE || Uses::<W>::ONLY || Uses::<W>::SHARES);
        if simple && let Some(tokens) = serve_last(e, k, s, left, chunk) {
            left -= tokens;
            // Mostly nobody else waits.
            if e.waiting == 0 {
                return k.preemptions > preemptions;
            }
        } else if let Some(place) = newcomer(e, k, stage, s) {
            let before = Before { preemptions, budget, chunk };
            match serve_newcomer(w, stage, s, place, left, &before) {
                Some(Served { left: rest, last: false }) => left = rest,
                Some(Served { last: true, .. }) => return w.kernel().preemptions > preemptions,
                None => continue,
            }
        } else if e.waiting == 0 {
            return false;
        } else {
            continue;
        }
        if w.kernel().preemptions > preemptions {
            return true;
        }
    }
    false
}

/// Serves session `s`, which was just admitted, if it is the last resident and has the units for all that it takes:
/// its tokens.
#[inline]
fn serve_last(e: &mut Engine, k: &mut Kernel, s: Sid, left: f64, chunk: f64) -> Option<f64> {
    let Engine { seats, served, .. } = e;
    let place = seats.len().wrapping_sub(1);
    let seat = seats.last_mut().filter(|seat| seat.session == s)?;
    let tokens = plan::wanted(seat, left, chunk);
    let growing = seat.growing;
    if tokens <= 0.0 || growing != NONE && !displace::advance(&mut k.allocs[growing], tokens) {
        return None;
    }
    seat.tokens = tokens;
    served.push(place as u32);
    Some(tokens)
}

/// What was so before admissions.
struct Before {
    preemptions: u64,
    budget: f64,
    chunk: f64,
}

/// What became of a newcomer: the budget left, and whether nobody is tried after it.
struct Served {
    left: f64,
    last: bool,
}

/// As [`serve_last`], of whoever has a run at `place`, and with preemptions if it has to be; `None` when it may not be
/// served.
#[inline(never)]
fn serve_newcomer<W: World>(
    w: &mut W,
    stage: impl AtStage,
    s: Sid,
    place: usize,
    mut left: f64,
    before: &Before,
) -> Option<Served> {
    let &Before { preemptions, budget, chunk } = before;
    let exclusive = Uses::<W>::EXCLUSIVE && spec::<W>(stage).exclusive;
    if !plan::allowed(w, stage, place as u32) {
        return None;
    }
    let seat = &w.engine(stage).seats[place];
    let displaces = exclusive && !seat.decode;
    if exclusive && !displaces && left <= 0.0 {
        return None;
    }
    let tokens = plan::wanted(seat, if displaces { budget } else { left }, chunk);
    let growth = match seat.growing {
        NONE => Growth::Done,
        alloc => displace::grow(w, stage, s, alloc, tokens),
    };
    left += std::mem::take(&mut w.engine_mut(stage).back);
    if growth == Growth::Done && tokens > 0.0 {
        if displaces {
            displace::clear(w, stage);
            left = budget;
        }
        // Preemptions may have moved it.
        let stays = w.kernel().preemptions == preemptions;
        let place = if stays { Some(place) } else { w.engine(stage).place(s) };
        if let Some(place) = place {
            plan::serve(w, stage, place as u32, tokens);
            left -= tokens;
        }
    }
    Some(Served { left, last: displaces && growth == Growth::Done })
}
