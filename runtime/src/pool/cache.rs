//! Cached prefixes: entries in the order of their release, at most one of its own per session.
//!
//! An entry belongs to the session that released it. What an admission does not consume of it stays
//! behind, dead: nobody can use it, eviction will take it. An ended session's entry stays as it is.

use super::{ENTRIES, Pool, allocs::Reuse, spec};
use crate::{
    kernel::{Builtins, Kernel, Linked, NONE, Slab},
    uses::Uses,
    world::{AtPool, Sid, World},
};

/// A prefix, or what is left of one.
#[derive(Clone, Copy, Debug, Default)]
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

impl Linked for Entry {
    #[inline]
    fn link(&mut self) -> &mut u32 {
        &mut self.next
    }
}

/// The entries of a pool, the oldest first.
#[derive(Clone, Debug)]
pub(crate) struct Entries<A> {
    items: Slab<Entry>,
    /// The session's attributes when the entry was made, by entry, where keys read them.
    copies: Vec<(A, Builtins)>,
    pub first: u32,
    last: u32,
    /// Units of the first; infinite when there is none.
    oldest: f64,
}

impl<A> Default for Entries<A> {
    fn default() -> Self {
        Self {
            items: Slab::default(),
            copies: Vec::new(),
            first: NONE,
            last: NONE,
            oldest: f64::INFINITY,
        }
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
    /// Entry `i` has so many units left.
    #[inline]
    pub fn set_units(&mut self, i: u32, units: f64) {
        self.items[i].units = units;
        if i == self.first {
            self.oldest = units;
        }
    }

    /// Entry `i` is the first from now on.
    fn begin_with(&mut self, i: u32) {
        self.first = i;
        self.oldest = if i == NONE { f64::INFINITY } else { self.items[i].units };
    }

    /// The attributes as they were when entry `i` was made.
    pub fn copy(&self, i: u32) -> Option<&(A, Builtins)> {
        self.copies.get(i as usize)
    }

    #[inline(always)]
    fn unlink(&mut self, i: u32) {
        let Entry { previous, next, .. } = self.items[i];
        if previous == NONE {
            self.begin_with(next);
        } else {
            self.items[previous].next = next;
        }
        if next == NONE {
            self.last = previous;
        } else {
            self.items[next].previous = previous;
        }
    }

    /// Adds an entry, the newest, behind all others; its number. `ROOM`: one was taken out whose room is free.
    #[inline(always)]
    fn append<const ROOM: bool>(&mut self, mut entry: Entry) -> u32 {
        entry.previous = self.last;
        let i = if ROOM { self.items.add_in_room(entry) } else { self.items.add(entry) };
        match entry.previous {
            NONE => self.begin_with(i),
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
            self.begin_with(i);
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
/// The pool's cached units are always up to date; which entry gave them up only matters when somebody looks at one
/// that did, and how many were evicted when it is reported.
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

    #[cold]
    #[inline(never)]
    fn pay(&mut self, k: &mut Kernel) {
        let mut debt = std::mem::take(&mut self.debt);
        // Whole numbers: in sum what one by one comes to.
        self.counts.evicted_units += debt;
        while debt > 0.0 && self.entries.first != NONE {
            let first = self.entries.first;
            let units = self.entries.oldest;
            if units > debt {
                self.entries.set_units(first, units - debt);
                return;
            }
            debt -= units;
            self.counts.evicted_entries += 1;
            self.discard(k, first);
        }
    }

    /// What is owed may take something of entry `id`, or it takes all of the oldest one.
    #[inline(always)]
    fn owes(&self, id: u32) -> bool {
        self.debt >= self.entries.oldest || id == self.entries.first
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
            id if self.owes(id) => self.own_units_then(k, s),
            id => self.entries[id].units,
        }
    }

    #[cold]
    #[inline(never)]
    fn own_units_then(&mut self, k: &mut Kernel, s: Sid) -> f64 {
        self.pay(k);
        match self.share(s).entry {
            NONE => 0.0,
            id => self.entries[id].units,
        }
    }

    /// Consumes of its owner's own prefix what `reuse` says, in whole blocks; the rest stays, dead, with its age. The
    /// units consumed.
    pub(crate) fn consume(&mut self, k: &mut Kernel, reuse: Reuse) -> f64 {
        let entry = std::mem::replace(&mut self.share_mut(reuse.owner).entry, NONE);
        self.consume_entry(k, entry, reuse)
    }

    /// As [`Pool::consume`], of the owner's entry, if it has one, which names it no more.
    #[inline(always)]
    pub(super) fn consume_entry(&mut self, k: &mut Kernel, entry: u32, reuse: Reuse) -> f64 {
        match entry {
            NONE => 0.0,
            id if self.owes(id) => self.consume_then(k, id, reuse),
            id => self.consume_of(k, id, reuse),
        }
    }

    /// As [`Pool::consume_entry`], of what is left of it when what is owed is paid.
    #[cold]
    #[inline(never)]
    fn consume_then(&mut self, k: &mut Kernel, id: u32, reuse: Reuse) -> f64 {
        self.share_mut(reuse.owner).entry = id;
        self.pay(k);
        match std::mem::replace(&mut self.share_mut(reuse.owner).entry, NONE) {
            NONE => 0.0,
            id => self.consume_of(k, id, reuse),
        }
    }

    #[inline(always)]
    fn consume_of(&mut self, k: &mut Kernel, id: u32, reuse: Reuse) -> f64 {
        let units = self.entries[id].units;
        if self.whole_entries && reuse.most >= units {
            self.entries.take_out(id);
            // Of a finite capacity.
            self.cached -= units;
            self.averages.cached.set_finite(k.now, self.cached);
            k.entry_gone(reuse.owner);
            return units;
        }
        self.consume_part(k, id, reuse)
    }

    /// As [`Pool::consume_of`], of an entry of which something may stay.
    #[inline(never)]
    fn consume_part(&mut self, k: &mut Kernel, id: u32, reuse: Reuse) -> f64 {
        let units = self.entries[id].units;
        let taken = self.round_down(if reuse.most < units { reuse.most } else { units });
        let rest = units - taken;
        if rest > 0.0 {
            self.entries.items[id].own = false;
            self.entries.set_units(id, rest);
            self.set_cached(k.now, self.cached - units + rest);
            return taken;
        }
        self.entries.take_out(id);
        self.set_cached(k.now, self.cached - units);
        k.entry_gone(reuse.owner);
        taken
    }

    /// Stores `units` as the session's own entry, which takes the place of the one it had; the entry's number.
    #[inline(never)]
    fn store_own(&mut self, k: &mut Kernel, s: Sid, units: f64) -> u32 {
        // Mostly nothing is called for it.
        let none = self.shares.get(s as usize).is_some_and(|share| share.entry == NONE);
        if none && self.entries.items.has_room() && self.debt < self.entries.oldest {
            let id = self.append::<true>(k, s, units, true);
            self.shares[s as usize].entry = id;
            self.set_cached(k.now, self.cached + units);
            return id;
        }
        self.store_own_over(k, s, units)
    }

    /// As [`Pool::store_own`], whatever the session had.
    #[inline(never)]
    fn store_own_over(&mut self, k: &mut Kernel, s: Sid, units: f64) -> u32 {
        // Entries that owe all of their units do not heap up.
        if self.debt >= self.entries.oldest {
            self.pay(k);
        }
        let id = self.append::<false>(k, s, units, true);
        let before = std::mem::replace(&mut self.share_mut(s).entry, id);
        let cached = if before == NONE { self.cached } else { self.cached_without(k, before) };
        self.set_cached(k.now, cached + units);
        id
    }

    /// As [`Pool::store_own`], as an entry that nobody can use.
    fn store_dead(&mut self, k: &mut Kernel, s: Sid, units: f64) -> u32 {
        self.settle(k);
        let id = self.append::<false>(k, s, units, false);
        self.set_cached(k.now, self.cached + units);
        id
    }

    #[inline(always)]
    fn append<const ROOM: bool>(&mut self, k: &mut Kernel, s: Sid, units: f64, own: bool) -> u32 {
        let (time, order) = (k.now, k.next_release);
        k.next_release += 1;
        let c = &mut k.sessions[s as usize];
        c.entries += u32::from(k.keep_slots);
        if own {
            c.prefixes |= 1 << (self.flat % 64);
        }
        let (serial, previous, next) = (c.serial, NONE, NONE);
        self.entries.append::<ROOM>(Entry {
            units,
            time,
            order,
            session: s,
            serial,
            own,
            previous,
            next,
        })
    }

    /// Units cached without those of entry `id`, its session's own before a newer one, which goes.
    #[inline(never)]
    fn cached_without(&mut self, k: &mut Kernel, id: u32) -> f64 {
        // It owes less than it has.
        if id == self.entries.first {
            self.pay(k);
        }
        let Entry { units, session, .. } = self.entries[id];
        self.entries.take_out(id);
        k.entry_gone(session);
        self.cached - units
    }

    /// Drops the session's own prefix.
    fn forget(&mut self, k: &mut Kernel, s: Sid) {
        self.settle(k);
        let id = std::mem::replace(&mut self.share_mut(s).entry, NONE);
        if id != NONE {
            let cached = self.cached_without(k, id);
            self.set_cached(k.now, cached);
        }
    }
}

/// A new session has none of what the slot's last one left behind.
#[inline]
pub(crate) fn disown<W: World>(w: &mut W, s: Sid) {
    let pools = std::mem::take(&mut w.kernel_mut().control_mut(s).prefixes);
    if pools != 0 {
        disown_in(w, s, pools);
    }
}

#[inline(never)]
fn disown_in<W: World>(w: &mut W, s: Sid, mut pools: u64) {
    while pools != 0 {
        let mut flat = pools.trailing_zeros() as usize;
        pools &= pools - 1;
        while let Some(&key) = w.kernel().pools.get(flat) {
            if let Some(share) = w.pool_mut(key).shares.get_mut(s as usize) {
                share.entry = NONE;
            }
            flat += 64;
        }
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
    let (p, k) = w.pool_and_kernel(key);
    p.forget(k, s);
}

/// Stores `units` in pool `p`, which is `key`, as the session's own entry, which takes the place of the one it had.
#[inline]
pub(crate) fn store_own<W: World>(
    p: &mut Pool<W::Attrs>,
    k: &mut Kernel,
    key: impl AtPool,
    s: Sid,
    units: f64,
) -> u32 {
    k.kept.note_entry(spec::<W>(key).kept[ENTRIES], s, key.key());
    p.store_own(k, s, units)
}

/// Stores `units` as the session's newest entry; its `own` one takes the place of the one it had.
pub(crate) fn store<W: World>(w: &mut W, key: impl AtPool, s: Sid, units: f64, as_own: bool) {
    let copy = W::ENTRY_ATTRS.then(|| (w.attrs(s).clone(), w.kernel().control(s).b));
    let (p, k) = w.pool_and_kernel(key);
    let id = match as_own {
        true => store_own::<W>(p, k, key, s, units),
        false => p.store_dead(k, s, units),
    };
    if let Some(copy) = copy {
        p.entries.keep_copy(id, copy);
    }
}

/// More of the same session's prefix arrives: its own entry grows and is as young as if made now.
pub(crate) fn merge<W: World>(w: &mut W, key: impl AtPool, s: Sid, units: f64) {
    settle(w, key);
    let id = w.pool(key).share(s).entry;
    if id == NONE {
        return store(w, key, s, units, true);
    }
    let now = w.kernel().now;
    let p = w.pool_mut(key);
    p.entries.unlink(id);
    let e = &mut p.entries.items[id];
    e.units += units;
    e.time = now;
    p.entries.link(id);
    p.set_cached(now, p.cached + units);
}

#[cfg(test)]
mod tests;
