//! Cached prefixes: entries in the order of their release, at most one of its own per session.
//!
//! An entry belongs to the session that released it. What an admission does not consume of it stays
//! behind, dead: nobody can use it, eviction will take it. An ended session's entry stays as it is.

use super::{ENTRIES, spec};
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

    /// Links entry `i`, the newest, behind all others.
    #[inline]
    fn append(&mut self, i: u32) {
        let last = std::mem::replace(&mut self.last, i);
        let e = &mut self.items[i];
        (e.previous, e.next) = (last, NONE);
        if last == NONE {
            self.first = i;
        } else {
            self.items[last].next = i;
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

/// The session's own entry.
#[inline(always)]
fn own<W: World>(w: &mut W, key: impl AtPool, s: Sid) -> Option<u32> {
    // Who has none has none either when what is owed is paid.
    if w.pool(key).share(s).entry == NONE {
        return None;
    }
    settle(w, key);
    let p = w.pool(key);
    let id = p.share(s).entry;
    // The slot may have been another session's.
    (id != NONE && p.entries[id].serial == w.kernel().control(s).serial).then_some(id)
}

/// The session's own cached units.
#[inline]
pub(crate) fn own_units<W: World>(w: &mut W, key: impl AtPool, s: Sid) -> f64 {
    own(w, key, s).map_or(0.0, |id| w.pool(key).entries[id].units)
}

/// Consumes at most `reuse` units, whole blocks, of the session's own prefix; the rest stays, dead, with
/// its age. Returns what was consumed.
#[inline(always)]
pub(crate) fn consume<W: World>(w: &mut W, key: impl AtPool, s: Sid, reuse: f64) -> f64 {
    let Some(id) = own(w, key, s) else { return 0.0 };
    let now = w.kernel().now;
    let p = w.pool_mut(key);
    let units = p.entries[id].units;
    let taken = p.round_down(if reuse < units { reuse } else { units });
    let rest = units - taken;
    if rest > 0.0 {
        p.share_mut(s).entry = NONE;
        let e = &mut p.entries.items[id];
        e.units = rest;
        e.own = false;
        p.set_cached(now, p.cached - units + rest);
    } else {
        p.set_cached(now, p.cached - units);
        discard_own(w, key, s, id);
    }
    taken
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
        discard_own(w, key, s, id);
    } else {
        p.entries.unlink(id);
        p.entries.items.free(id);
        w.kernel_mut().entry_gone(s);
    }
}

/// As [`discard`], of a session's own entry.
#[inline]
fn discard_own<W: World>(w: &mut W, key: impl AtPool, s: Sid, id: u32) {
    let p = w.pool_mut(key);
    p.share_mut(s).entry = NONE;
    p.entries.unlink(id);
    p.entries.items.free(id);
    w.kernel_mut().entry_gone(s);
}

/// Discards the session's own prefix.
pub(crate) fn forget_own<W: World>(w: &mut W, key: impl AtPool, s: Sid) {
    if let Some(id) = own(w, key, s) {
        let units = w.pool(key).entries[id].units;
        remove(w, key, id, units);
    }
}

/// Stores `units` as the session's newest entry; its `own` one takes the place of the one it had.
#[inline]
pub(crate) fn store<W: World>(w: &mut W, key: impl AtPool, s: Sid, units: f64, as_own: bool) {
    // Entries that owe all of their units do not heap up.
    settle(w, key);
    if as_own {
        forget_own(w, key, s);
    }
    let k = w.kernel_mut();
    let now = k.now;
    let order = k.next_release;
    k.next_release += 1;
    if k.keep_slots {
        k.control_mut(s).entries += 1;
    }
    if as_own {
        k.kept.note_entry(spec::<W>(key).kept[ENTRIES], s, key.key());
    }
    let serial = k.control(s).serial;
    let entry = Entry {
        units,
        time: now,
        order,
        session: s,
        serial,
        own: as_own,
        previous: NONE,
        next: NONE,
    };
    let copy = W::ENTRY_ATTRS.then(|| (w.attrs(s).clone(), w.kernel().control(s).b));
    let p = w.pool_mut(key);
    let id = p.entries.items.add(entry);
    p.entries.append(id);
    if as_own {
        p.share_mut(s).entry = id;
    }
    if let Some(copy) = copy {
        let i = id as usize;
        if i < p.entries.copies.len() {
            p.entries.copies[i] = copy;
        } else {
            p.entries.copies.push(copy);
        }
    }
    p.set_cached(now, p.cached + units);
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
