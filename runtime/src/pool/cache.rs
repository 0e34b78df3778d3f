//! Cached prefixes: entries in the order of their release, at most one of its own per session.
//!
//! An entry belongs to the session that released it. What an admission does not consume of it stays
//! behind, dead: nobody can use it, eviction will take it. An ended session's entry stays as it is.

use super::{ENTRIES, Pool, spec};
use crate::{
    kernel::{Builtins, NONE, Slab},
    uses::Uses,
    world::{AtPool, Sid, World},
};

/// A prefix, or what is left of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub units: f64,
    /// Time of the release.
    pub time: f64,
    /// Number of the release.
    pub order: u64,
    pub session: Sid,
    /// The session's serial number: its slot may be another's by now.
    pub serial: u64,
    /// Its session may still use it.
    pub own: bool,
    previous: u32,
    pub next: u32,
}

/// The entries of a pool, the oldest first.
#[derive(Clone, Debug)]
pub(crate) struct Entries<A> {
    items: Slab<Entry>,
    /// The session's attributes when the entry was made, by entry, where keys read them.
    copies: Vec<(A, Builtins)>,
    pub first: u32,
    last: u32,
}

impl<A> Default for Entries<A> {
    fn default() -> Self {
        Self { items: Slab::default(), copies: Vec::new(), first: NONE, last: NONE }
    }
}

impl<A> std::ops::Index<u32> for Entries<A> {
    type Output = Entry;
    #[inline]
    fn index(&self, i: u32) -> &Entry {
        &self.items[i]
    }
}

impl<A> Entries<A> {
    #[inline]
    pub fn units_mut(&mut self, i: u32) -> &mut f64 {
        &mut self.items[i].units
    }

    /// The attributes as they were when entry `i` was made.
    pub fn copy(&self, i: u32) -> Option<&(A, Builtins)> {
        self.copies.get(i as usize)
    }

    #[inline(always)]
    fn unlink(&mut self, i: u32) {
        let Entry { previous, next, .. } = self.items[i];
        if previous == NONE {
            self.first = next;
        } else {
            self.items[previous].next = next;
        }
        if next == NONE {
            self.last = previous;
        } else {
            self.items[next].previous = previous;
        }
    }

    /// Adds an entry, the newest, behind all others; its number.
    #[inline(always)]
    fn append(&mut self, mut entry: Entry) -> u32 {
        entry.previous = self.last;
        let i = self.items.add(entry);
        match entry.previous {
            NONE => self.first = i,
            last => self.items[last].next = i,
        }
        self.last = i;
        i
    }

    /// Takes entry `i` out.
    #[inline(always)]
    fn take_out(&mut self, i: u32) {
        self.unlink(i);
        self.items.free(i);
    }

    fn keep_copy(&mut self, i: u32, copy: (A, Builtins)) {
        let i = i as usize;
        if i < self.copies.len() {
            self.copies[i] = copy;
        } else {
            self.copies.push(copy);
        }
    }

    /// Links entry `i` behind all that are older (by time, then by number).
    fn link(&mut self, i: u32) {
        let Entry { time, order, .. } = self.items[i];
        let mut after = self.last;
        while after != NONE {
            let e = &self.items[after];
            if e.time < time || e.order < order {
                break;
            }
            after = e.previous;
        }
        let before = if after == NONE { self.first } else { self.items[after].next };
        (self.items[i].previous, self.items[i].next) = (after, before);
        if after == NONE {
            self.first = i;
        } else {
            self.items[after].next = i;
        }
        if before == NONE {
            self.last = i;
        } else {
            self.items[before].previous = i;
        }
    }
}

/// What growth has evicted since the last look is taken from the oldest entries.
///
/// The pool's cached units and its counts of units are always up to date; which entry gave them up only
/// matters when somebody looks at one.
#[inline]
pub(crate) fn settle<W: World>(w: &mut W, key: impl AtPool) {
    if Uses::<W>::CACHED && w.pool(key).debt > 0.0 {
        pay(w, key);
    }
}

fn pay<W: World>(w: &mut W, key: impl AtPool) {
    let p = w.pool_mut(key);
    let mut debt = std::mem::take(&mut p.debt);
    loop {
        let p = w.pool_mut(key);
        let first = p.entries.first;
        if debt <= 0.0 || first == NONE {
            return;
        }
        let units = p.entries.units_mut(first);
        if *units > debt {
            *units -= debt;
            return;
        }
        debt -= *units;
        p.counts.evicted_entries += 1;
        discard(w, key, first);
    }
}

impl<A> Pool<A> {
    /// The own entry of the session in slot `s`, which has this serial number.
    #[inline(always)]
    fn own(&self, s: Sid, serial: u64) -> Option<u32> {
        let id = self.share(s).entry;
        // The slot may have been another session's.
        (id != NONE && self.entries[id].serial == serial).then_some(id)
    }

    /// Consumes at most `reuse` units, whole blocks, of the session's own prefix; the rest stays, dead,
    /// with its age. What was consumed, and whether the entry is gone.
    #[inline(always)]
    pub(crate) fn consume(&mut self, now: f64, s: Sid, serial: u64, reuse: f64) -> (f64, bool) {
        let Some(id) = self.own(s, serial) else { return (0.0, false) };
        self.share_mut(s).entry = NONE;
        let e = &mut self.entries.items[id];
        let units = e.units;
        let taken = self.round_down(if reuse < units { reuse } else { units });
        let rest = units - taken;
        if rest > 0.0 {
            let e = &mut self.entries.items[id];
            e.units = rest;
            e.own = false;
            self.set_cached(now, self.cached - units + rest);
            return (taken, false);
        }
        self.entries.take_out(id);
        self.set_cached(now, self.cached - units);
        (taken, true)
    }

    /// Drops the session's own prefix; whether it had one.
    #[inline(always)]
    fn forget(&mut self, now: f64, s: Sid, serial: u64) -> bool {
        let Some(id) = self.own(s, serial) else { return false };
        self.share_mut(s).entry = NONE;
        let units = self.entries[id].units;
        self.entries.take_out(id);
        self.set_cached(now, self.cached - units);
        true
    }
}

/// The session's own entry.
#[inline(always)]
fn own<W: World>(w: &mut W, key: impl AtPool, s: Sid) -> Option<u32> {
    settle_for(w, key, s);
    w.pool(key).own(s, w.kernel().control(s).serial)
}

/// As [`settle`], before somebody looks at what session `s` has: one that has nothing has nothing either
/// when what is owed is paid.
#[inline(always)]
pub(crate) fn settle_for<W: World>(w: &mut W, key: impl AtPool, s: Sid) {
    let p = w.pool(key);
    if Uses::<W>::CACHED && p.debt > 0.0 && p.share(s).entry != NONE {
        pay(w, key);
    }
}

/// The session's own cached units.
#[inline(never)]
pub(crate) fn own_units<W: World>(w: &mut W, key: impl AtPool, s: Sid) -> f64 {
    own(w, key, s).map_or(0.0, |id| w.pool(key).entries[id].units)
}

/// Takes an entry out, with the `units` that still count as cached.
pub(crate) fn remove<W: World>(w: &mut W, key: impl AtPool, id: u32, units: f64) {
    let now = w.kernel().now;
    let p = w.pool_mut(key);
    p.set_cached(now, p.cached - units);
    discard(w, key, id);
}

/// Takes an entry out whose units do not count as cached any more.
fn discard<W: World>(w: &mut W, key: impl AtPool, id: u32) {
    let p = w.pool_mut(key);
    let s = p.entries[id].session;
    if p.share(s).entry == id {
        p.share_mut(s).entry = NONE;
    }
    p.entries.take_out(id);
    w.kernel_mut().entry_gone(s);
}

/// Discards the session's own prefix.
pub(crate) fn forget_own<W: World>(w: &mut W, key: impl AtPool, s: Sid) {
    settle_for(w, key, s);
    let k = w.kernel();
    let (now, serial) = (k.now, k.control(s).serial);
    if w.pool_mut(key).forget(now, s, serial) {
        w.kernel_mut().entry_gone(s);
    }
}

/// Stores `units` as the session's newest entry; its `own` one takes the place of the one it had.
#[inline]
pub(crate) fn store<W: World>(w: &mut W, key: impl AtPool, s: Sid, units: f64, as_own: bool) {
    // Entries that owe all of their units do not heap up.
    settle(w, key);
    let copy = W::ENTRY_ATTRS.then(|| (w.attrs(s).clone(), w.kernel().control(s).b));
    let k = w.kernel_mut();
    let (now, serial, order) = (k.now, k.control(s).serial, k.next_release);
    k.next_release += 1;
    if k.keep_slots {
        k.control_mut(s).entries += 1;
    }
    if as_own {
        k.kept.note_entry(spec::<W>(key).kept[ENTRIES], s, key.key());
    }
    let p = w.pool_mut(key);
    let replaces = as_own && p.forget(now, s, serial);
    let id = p.entries.append(Entry {
        units,
        time: now,
        order,
        session: s,
        serial,
        own: as_own,
        previous: NONE,
        next: NONE,
    });
    if as_own {
        p.share_mut(s).entry = id;
    }
    if let Some(copy) = copy {
        p.entries.keep_copy(id, copy);
    }
    p.set_cached(now, p.cached + units);
    if replaces {
        w.kernel_mut().entry_gone(s);
    }
}

/// More of the same session's prefix arrives: its own entry grows and is as young as if made now.
pub(crate) fn merge<W: World>(w: &mut W, key: impl AtPool, s: Sid, units: f64) {
    let Some(id) = own(w, key, s) else { return store(w, key, s, units, true) };
    let now = w.kernel().now;
    let p = w.pool_mut(key);
    p.entries.unlink(id);
    let e = &mut p.entries.items[id];
    e.units += units;
    e.time = now;
    p.entries.link(id);
    p.set_cached(now, p.cached + units);
}
