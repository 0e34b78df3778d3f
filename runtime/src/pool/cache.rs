//! Cached prefixes: entries in the order of their release, at most one of its own per session.
//!
//! An entry belongs to the session that released it. What an admission does not consume of it stays
//! behind, dead: nobody can use it, eviction will take it. An ended session's entry stays as it is.

use super::{ENTRIES, Pool, spec};
use crate::{
    kernel::{Builtins, Kernel, NONE, Slab},
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
/// The pool's cached units are always up to date; which entry gave them up only matters when somebody looks at one,
/// and how many were evicted when it is reported.
#[inline]
pub(crate) fn settle<W: World>(w: &mut W, key: impl AtPool) {
    if Uses::<W>::CACHED {
        let (p, k) = w.pool_and_kernel(key);
        p.settle(k);
    }
}

impl<A> Pool<A> {
    /// Takes what is owed from the oldest entries.
    #[inline(always)]
    fn settle(&mut self, k: &mut Kernel) {
        if self.debt > 0.0 {
            self.pay(k);
        }
    }

    #[inline(never)]
    fn pay(&mut self, k: &mut Kernel) {
        let mut debt = std::mem::take(&mut self.debt);
        // Whole numbers: in sum what one by one comes to.
        self.counts.evicted_units += debt;
        while debt > 0.0 && self.entries.first != NONE {
            let first = self.entries.first;
            let units = self.entries.units_mut(first);
            if *units > debt {
                *units -= debt;
                return;
            }
            debt -= *units;
            self.counts.evicted_entries += 1;
            self.discard(k, first);
        }
    }

    /// Takes an entry out whose units do not count as cached any more.
    #[inline]
    fn discard(&mut self, k: &mut Kernel, id: u32) {
        let s = self.entries[id].session;
        if self.share(s).entry == id {
            self.share_mut(s).entry = NONE;
        }
        self.entries.take_out(id);
        k.entry_gone(s);
    }

    /// Units of the session's own entry.
    #[inline(always)]
    pub(crate) fn own_units(&mut self, k: &mut Kernel, s: Sid) -> f64 {
        // One that has nothing has nothing either when what is owed is paid.
        match self.share(s).entry {
            NONE => 0.0,
            _ if self.debt > 0.0 => self.own_units_then(k, s),
            id => self.units_of(k, s, id),
        }
    }

    #[inline(never)]
    fn own_units_then(&mut self, k: &mut Kernel, s: Sid) -> f64 {
        self.pay(k);
        match self.share(s).entry {
            NONE => 0.0,
            id => self.units_of(k, s, id),
        }
    }

    #[inline(always)]
    fn units_of(&self, k: &Kernel, s: Sid, id: u32) -> f64 {
        let e = &self.entries[id];
        if e.serial == k.control(s).serial { e.units } else { 0.0 }
    }

    /// The own entry of the session in slot `s`, which has this serial number.
    #[inline(always)]
    fn own(&self, s: Sid, serial: u64) -> Option<u32> {
        let id = self.share(s).entry;
        // The slot may have been another session's.
        (id != NONE && self.entries[id].serial == serial).then_some(id)
    }

    /// Consumes at most `reuse` units, whole blocks, of the session's own prefix; the rest stays, dead,
    /// with its age. What was consumed.
    #[inline(always)]
    pub(crate) fn consume(&mut self, k: &mut Kernel, s: Sid, serial: u64, reuse: f64) -> f64 {
        if self.share(s).entry == NONE {
            return 0.0;
        }
        self.settle(k);
        let Some(id) = self.own(s, serial) else { return 0.0 };
        self.share_mut(s).entry = NONE;
        let units = self.entries[id].units;
        let taken = self.round_down(if reuse < units { reuse } else { units });
        let rest = units - taken;
        if rest > 0.0 {
            let e = &mut self.entries.items[id];
            e.units = rest;
            e.own = false;
            self.set_cached(k.now, self.cached - units + rest);
            return taken;
        }
        self.entries.take_out(id);
        self.set_cached(k.now, self.cached - units);
        k.entry_gone(s);
        taken
    }

    /// As the function of this name; the entry's number.
    #[inline(never)]
    fn store(&mut self, k: &mut Kernel, s: Sid, units: f64, as_own: bool) -> u32 {
        // Entries that owe all of their units do not heap up.
        self.settle(k);
        let (now, serial, order) = (k.now, k.control(s).serial, k.next_release);
        k.next_release += 1;
        if k.keep_slots {
            k.control_mut(s).entries += 1;
        }
        let replaces = as_own && self.forget(now, s, serial);
        let id = self.entries.append(Entry {
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
            self.share_mut(s).entry = id;
        }
        self.set_cached(now, self.cached + units);
        if replaces {
            k.entry_gone(s);
        }
        id
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

/// Takes an entry out, with the `units` that still count as cached.
pub(crate) fn remove<W: World>(w: &mut W, key: impl AtPool, id: u32, units: f64) {
    let (p, k) = w.pool_and_kernel(key);
    p.set_cached(k.now, p.cached - units);
    p.discard(k, id);
}

/// Discards the session's own prefix.
pub(crate) fn forget_own<W: World>(w: &mut W, key: impl AtPool, s: Sid) {
    settle(w, key);
    let (p, k) = w.pool_and_kernel(key);
    let (now, serial) = (k.now, k.control(s).serial);
    if p.forget(now, s, serial) {
        k.entry_gone(s);
    }
}

/// Stores `units` as the session's newest entry; its `own` one takes the place of the one it had.
#[inline]
pub(crate) fn store<W: World>(w: &mut W, key: impl AtPool, s: Sid, units: f64, as_own: bool) {
    let copy = W::ENTRY_ATTRS.then(|| (w.attrs(s).clone(), w.kernel().control(s).b));
    let (p, k) = w.pool_and_kernel(key);
    if as_own {
        k.kept.note_entry(spec::<W>(key).kept[ENTRIES], s, key.key());
    }
    let id = p.store(k, s, units, as_own);
    if let Some(copy) = copy {
        p.entries.keep_copy(id, copy);
    }
}

/// More of the same session's prefix arrives: its own entry grows and is as young as if made now.
pub(crate) fn merge<W: World>(w: &mut W, key: impl AtPool, s: Sid, units: f64) {
    settle(w, key);
    let serial = w.kernel().control(s).serial;
    let Some(id) = w.pool(key).own(s, serial) else { return store(w, key, s, units, true) };
    let now = w.kernel().now;
    let p = w.pool_mut(key);
    p.entries.unlink(id);
    let e = &mut p.entries.items[id];
    e.units += units;
    e.time = now;
    p.entries.link(id);
    p.set_cached(now, p.cached + units);
}
