//! Legs of a session: what runs beside it, and its waits for that.
//!
//! A leg has a slot as a session has: its own attributes (a copy as it is forked), holds, job and random stream. It
//! has its session's serial number and turn, and its session's prefixes in caches. What it leases goes to whoever
//! forked it when it is over. Here are the records of who forked whom; a program without legs has none.

mod booking;
pub(crate) mod deadlock;

pub use booking::{book_leg, end_booking, open_booking};

use crate::{
    hold,
    kernel::{Kernel, NONE, session},
    pool::{self, lease},
    rng,
    uses::Uses,
    world::{Sid, World},
};

/// What somebody waits for among those that it forked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Wait {
    /// Nothing.
    #[default]
    Nothing,
    /// All of them.
    Legs,
    /// The one that books by this hold statement.
    Booking(u32),
}

/// What is known of a session or a leg that has to do with legs.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// Who forked it; [`NONE`]: it is a session.
    pub parent: Sid,
    /// The session that it belongs to, of a leg.
    session: Sid,
    /// Says which leg of its session it is, by the forks that led to it; 0 of a session.
    path: u64,
    /// Legs forked so far.
    forked: u64,
    /// Legs that are not over, in the order of their forks.
    pub legs: Vec<Sid>,
    /// The hold statement that it books by; [`NONE`]: it is no booking.
    pub books: u32,
    /// What is booked for it and not opened, in the order in which it was got.
    pub booked: Vec<u32>,
    pub waits: Wait,
    /// Since when.
    pub since: f64,
    /// A leg of it was rejected.
    refused: bool,
    /// It ends as soon as its legs are over.
    ending: bool,
}

impl Default for Record {
    fn default() -> Self {
        Self {
            parent: NONE,
            session: NONE,
            path: 0,
            forked: 0,
            legs: Vec::new(),
            books: NONE,
            booked: Vec::new(),
            waits: Wait::Nothing,
            since: 0.0,
            refused: false,
            ending: false,
        }
    }
}

impl Record {
    /// It ends as soon as its legs are over.
    pub fn ending(&self) -> bool {
        self.ending
    }

    /// As of a session that begins; lists keep their room.
    fn clear(&mut self) {
        let legs = std::mem::take(&mut self.legs);
        let booked = std::mem::take(&mut self.booked);
        *self = Self { legs, booked, ..Self::default() };
        self.legs.clear();
        self.booked.clear();
    }
}

/// Records by slot; slots without one have never had to do with legs.
#[derive(Debug, Default)]
pub(crate) struct Legs {
    records: Vec<Record>,
    /// When those who wait are looked at next.
    pub next_look: f64,
}

impl Legs {
    /// The record of a slot, if it has one.
    #[inline]
    pub fn get(&self, s: Sid) -> Option<&Record> {
        self.records.get(s as usize)
    }

    /// All records, with their slots.
    pub fn iter(&self) -> impl Iterator<Item = (Sid, &Record)> {
        self.records.iter().enumerate().map(|(s, record)| (s as Sid, record))
    }

    /// The record of a slot.
    fn of(&mut self, s: Sid) -> &mut Record {
        let i = s as usize;
        if i >= self.records.len() {
            self.records.resize_with(i + 1, Record::default);
        }
        &mut self.records[i]
    }

    /// The session that a slot's prefixes are of.
    #[inline]
    fn owner(&self, s: Sid) -> Sid {
        match self.get(s) {
            Some(record) if record.parent != NONE => record.session,
            _ => s,
        }
    }
}

/// The session that a session or a leg is (of): whose prefixes are its.
#[inline]
pub(crate) fn owner<W: World>(w: &W, s: Sid) -> Sid {
    if W::LEGS { w.kernel().legs.owner(s) } else { s }
}

/// Who forked `s`, if it is a leg.
#[inline]
pub(crate) fn parent<W: World>(w: &W, s: Sid) -> Option<Sid> {
    if !W::LEGS {
        return None;
    }
    w.kernel().legs.get(s).map(|record| record.parent).filter(|parent| *parent != NONE)
}

/// Whether `s` or a leg of it waits in a pool's queue.
pub(crate) fn queued_in(k: &Kernel, s: Sid, pool: crate::world::PoolKey) -> bool {
    k.control(s).queued == Some(pool)
        || k.legs.get(s).is_some_and(|r| r.legs.iter().any(|leg| queued_in(k, *leg, pool)))
}

/// `fork { … }`: a leg that begins in state `at`, once the one that forks it waits.
pub fn fork_leg<W: World>(w: &mut W, s: Sid, at: u32) {
    fork(w, s, at, NONE);
}

fn fork<W: World>(w: &mut W, s: Sid, at: u32, books: u32) {
    let attrs = w.attrs(s).clone();
    let k = w.kernel_mut();
    let session = k.legs.owner(s);
    let parent = k.legs.of(s);
    parent.forked += 1;
    let path = rng::part(parent.path, parent.forked);
    let leg = k.open_leg(s, at, path);
    k.legs.of(s).legs.push(leg);
    let record = k.legs.of(leg);
    record.clear();
    (record.parent, record.session, record.path, record.books) = (s, session, path, books);
    *w.attrs_mut(leg) = attrs;
    if Uses::<W>::FAILS {
        w.kernel_mut().outages.open(leg);
    }
    w.kernel_mut().make_ready(leg);
}

/// The end of a leg's block. Without legs of its own it is over, else when they are.
pub fn end_leg<W: World>(w: &mut W, s: Sid) {
    let k = w.kernel_mut();
    let record = k.legs.of(s);
    record.waits = Wait::Nothing;
    if !record.legs.is_empty() {
        record.ending = true;
        return;
    }
    let (parent, refused, books) = (record.parent, record.refused, record.books);
    pass_on(w, s, parent);
    let k = w.kernel_mut();
    k.control_mut(s).live = false;
    k.legs.of(s).clear();
    k.free_slot(s);
    let record = k.legs.of(parent);
    record.legs.retain(|leg| *leg != s);
    record.refused |= refused;
    let over = record.legs.is_empty();
    let ready = match record.waits {
        Wait::Nothing => false,
        Wait::Legs => over,
        Wait::Booking(stmt) => stmt == books,
    };
    if ready {
        record.waits = Wait::Nothing;
        k.make_ready(parent);
    } else if over && record.ending {
        end(w, parent);
    }
}

/// A session or a leg whose statements are over ends.
fn end<W: World>(w: &mut W, s: Sid) {
    match parent(w, s) {
        Some(_) => end_leg(w, s),
        None => session::end_session(w, s),
    }
}

/// What a leg leased, and what was booked for it, is its parent's.
fn pass_on<W: World>(w: &mut W, s: Sid, parent: Sid) {
    let k = w.kernel_mut();
    let leases = std::mem::take(&mut k.control_mut(s).leases);
    let booked = std::mem::take(&mut k.legs.of(s).booked);
    for id in leases.iter().chain(&booked) {
        pool::allocs::hand_over(w, *id, parent);
        if Uses::<W>::RENEWS {
            lease::hand_over(w.kernel_mut(), *id, parent);
        }
    }
    let k = w.kernel_mut();
    k.control_mut(parent).leases.extend(leases);
    k.legs.of(parent).booked.extend(booked);
}

/// A session is about to end: true when it cannot yet, as legs of it are not over. What it holds and leases is
/// given back by then.
pub(crate) fn ends_later<W: World>(w: &mut W, s: Sid) -> bool {
    let record = w.kernel_mut().legs.of(s);
    record.waits = Wait::Nothing;
    if record.legs.is_empty() {
        return false;
    }
    record.ending = true;
    session::give_all_back(w, s);
    true
}

/// The bookings of a session that ends are given back.
pub(crate) fn give_bookings_back<W: World>(w: &mut W, s: Sid) {
    for id in std::mem::take(&mut w.kernel_mut().legs.of(s).booked) {
        hold::end_lease(w, id);
    }
}

/// A session has ended.
pub(crate) fn forget(k: &mut Kernel, s: Sid) {
    k.legs.of(s).clear();
}

/// A session that can never be let into a hold ends. A leg that cannot is over, and whoever forked it ends as it
/// joins, or opens what it booked.
pub(crate) fn reject<W: World>(w: &mut W, s: Sid) {
    if parent(w, s).is_none() {
        return session::end_session(w, s);
    }
    session::give_holds_back(w, s);
    w.kernel_mut().legs.of(s).refused = true;
    end_leg(w, s);
}

/// `join;`: true when all legs forked so far are over and the session goes on; else it waits, or has ended as one of
/// them was rejected.
pub fn legs_joined<W: World>(w: &mut W, s: Sid) -> bool {
    goes_on(w, s, |record| record.legs.is_empty(), Wait::Legs)
}

/// Whether what is waited for is there; else notes the wait, or ends whoever lost a leg to a rejection.
fn goes_on<W: World>(w: &mut W, s: Sid, there: impl Fn(&Record) -> bool, wait: Wait) -> bool {
    let k = w.kernel_mut();
    let now = k.now;
    let record = k.legs.of(s);
    let there = there(record);
    if record.refused && (there || wait != Wait::Legs) {
        session::give_holds_back(w, s);
        end(w, s);
        return false;
    }
    if !there {
        (record.waits, record.since) = (wait, now);
    }
    there
}

/// Somebody is preempted and waits for no leg any more.
#[inline]
pub(crate) fn stop_waiting<W: World>(w: &mut W, s: Sid) {
    if W::LEGS {
        w.kernel_mut().legs.of(s).waits = Wait::Nothing;
    }
}
