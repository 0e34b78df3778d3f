//! Bookings: a leg that joins a pool's queue now, and keeps what it gets until whoever booked it enters a hold with it.

use super::{Record, Wait, end_leg, fork, goes_on};
use crate::{
    hold::{Hold, spec},
    kernel::NONE,
    world::{AtHold, MAX_CLAIMS, Sid, World},
};

/// `book POOL (…);`: a leg that begins in state `at` joins the queue by hold statement `booking`. What the statement
/// booked before and was not opened, by one who was preempted since, stands.
pub fn book_leg<W: World>(w: &mut W, s: Sid, at: u32, booking: u32) {
    let k = w.kernel();
    let stands = k.legs.get(s).is_some_and(|record| {
        record.legs.iter().any(|leg| k.legs.get(*leg).is_some_and(|leg| leg.books == booking))
            || place(w, record, booking).is_some()
    });
    if !stands {
        fork(w, s, at, booking);
    }
}

/// Where what was booked by a hold statement stands in the list of what is booked.
fn place<W: World>(w: &W, record: &Record, booking: u32) -> Option<usize> {
    record.booked.iter().position(|id| w.kernel().allocs[*id].stmt == booking)
}

/// The leg has what it was to get: that is kept for whoever forked it, and the leg is over.
pub fn end_booking<W: World>(w: &mut W, s: Sid, booking: impl AtHold) {
    let k = w.kernel_mut();
    let Some(h) = k.control_mut(s).holds.pop() else { return };
    debug_assert_eq!(h.stmt, booking.stmt());
    for &id in h.allocs[..spec::<W>(booking).claims].iter().filter(|id| **id != NONE) {
        let a = &mut k.allocs[id];
        // Of what nobody opens, the prefix that it consumed is what stays cached.
        (a.leased, a.positioned) = (true, true);
        k.legs.of(s).booked.push(id);
    }
    end_leg(w, s);
}

/// `hold POOL { … }` of what was booked: true when the session is in, at the start of the hold's body; else it waits,
/// or has ended as the booking was rejected.
pub fn open_booking<W: World>(w: &mut W, s: Sid, hold: impl AtHold, booking: u32) -> bool {
    let k = w.kernel();
    let at = k.legs.get(s).and_then(|record| place(w, record, booking));
    if !goes_on(w, s, |_| at.is_some(), Wait::Booking(booking)) {
        return false;
    }
    let k = w.kernel_mut();
    let Some(id) = at.map(|at| k.legs.of(s).booked.remove(at)) else { return false };
    let admission = k.next_admission;
    k.next_admission += 1;
    let c = k.control_mut(s);
    let mut allocs = [NONE; MAX_CLAIMS];
    allocs[0] = id;
    c.holds.push(Hold { stmt: hold.stmt(), positioned: false, allocs });
    c.admission = admission as f64;
    let a = &mut k.allocs[id];
    (a.leased, a.positioned) = (false, false);
    (a.stmt, a.admission) = (hold.stmt(), admission);
    let cached = a.position;
    k.control_mut(s).b.cached = cached;
    true
}
