//! The order in which residents are served: by admission, or by keys that are read once per iteration.

use super::{Resident, Seat, totals};
use crate::{
    pool::queue::smaller,
    station::spec,
    uses::Uses,
    world::{AtStage, Keys, MAX_KEYS, World},
};
use std::cmp::Ordering;

/// A resident as keys see it.
#[inline]
pub(super) fn view(seat: &Seat) -> Resident {
    Resident {
        session: seat.session,
        decoding: f64::from(seat.decode),
        admission: seat.admission,
        remaining: seat.left,
    }
}

/// Fills `order` with the places of all seats in serve order.
pub(super) fn by_keys<W: World>(w: &mut W, stage: impl AtStage, order: &mut Vec<(Keys, u32)>) {
    order.clear();
    let n = spec::<W>(stage).serve_keys;
    let seats = w.engine(stage).seats.len();
    if !Uses::<W>::SERVE_KEYS || n == 0 {
        order.extend((0..seats as u32).map(|i| ([0.0; MAX_KEYS], i)));
        return;
    }
    let totals = totals(w, stage);
    for i in 0..seats {
        let view = view(&w.engine(stage).seats[i]);
        order.push((w.serve_keys(stage, &totals, &view), i as u32));
    }
    sort(order, n);
}

/// By keys; places are by admission already, so a stable order breaks ties.
fn sort(order: &mut [(Keys, u32)], n: usize) {
    order.sort_by(|a, b| {
        if smaller(&a.0, &b.0, n) {
            Ordering::Less
        } else if smaller(&b.0, &a.0, n) {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    });
}

/// By the order of service.
pub(super) fn sort_by_rank(places: &mut [u32], seats: &[Seat]) {
    places.sort_by_key(|&i| seats[i as usize].rank);
}

/// Fills the engine's list of seats to serve.
pub(super) fn fill<W: World>(w: &mut W, stage: impl AtStage) {
    let e = w.engine_mut(stage);
    e.todo.clear();
    if !Uses::<W>::SERVE_KEYS || spec::<W>(stage).serve_keys == 0 {
        e.todo.extend(0..e.seats.len() as u32);
    } else {
        let mut keys = std::mem::take(&mut e.keys);
        by_keys(w, stage, &mut keys);
        let e = w.engine_mut(stage);
        e.todo.extend(keys.iter().map(|&(_, place)| place));
        e.keys = keys;
    }
    if Uses::<W>::EXCLUSIVE && spec::<W>(stage).exclusive {
        // One prefill alone; while all of them wait to grow, nobody.
        let e = w.engine_mut(stage);
        if e.decoders < e.seats.len() {
            let first = e
                .todo
                .iter()
                .copied()
                .find(|&i| !e.seats[i as usize].decode && !e.seats[i as usize].stalled);
            e.todo.clear();
            e.todo.extend(first);
        }
    }
}
