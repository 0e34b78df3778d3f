//! Eviction: cached prefixes give way until what is allocated and what is cached fit together.
//!
//! The entry with the smallest keys goes first (`lru`: the oldest), whole when the pool has no blocks,
//! else block by block, keys read anew each time.

use super::{EvictView, Pool, cache, queue, shared, spec, spill};
use crate::{
    fault::Station,
    kernel::{NONE, whole},
    legs,
    rare::rarely,
    uses::Uses,
    world::{AtPool, Keys, PoolKey, World},
};

/// Evicts until allocated + cached + `room` fits.
#[inline]
pub(crate) fn evict<W: World>(w: &mut W, key: impl AtPool, room: f64) {
    let spec = spec::<W>(key);
    if !Uses::<W>::CACHED || !spec.cached {
        return;
    }
    if shared::shares::<W>(key) {
        shared::evict(w, key, room);
        return;
    }
    let now = w.kernel().now;
    if !evicted::<W>(w.pool_mut(key), key, now, room) {
        make_room(w, key, room);
    }
}

/// What [`evict`] has to do is done, where that takes the pool alone; nothing is, when false.
#[inline]
pub(crate) fn evicted<W: World>(
    p: &mut Pool<W::Attrs>,
    key: impl AtPool,
    now: f64,
    room: f64,
) -> bool {
    let spec = spec::<W>(key);
    if !Uses::<W>::CACHED || !spec.cached {
        return true;
    }
    !shared::shares::<W>(key)
        && (!p.short(room) || spec.evict_keys == 0 && !Uses::<W>::SPILLS && p.evict_later(now))
}

/// So much is allocated from `now` on, not more than the capacity; evicts as [`evicted`].
#[inline]
pub(crate) fn displace<W: World>(
    p: &mut Pool<W::Attrs>,
    key: impl AtPool,
    now: f64,
    used: f64,
) -> bool {
    let spec = spec::<W>(key);
    let notes = Uses::<W>::CACHED && spec.cached && spec.evict_keys == 0 && !Uses::<W>::SPILLS;
    if !notes || rarely(!p.all_blocks) || shared::shares::<W>(key) {
        p.set_used(now, used);
        return evicted::<W>(p, key, now, 0.0);
    }
    p.displace_blocks(now, used);
    true
}

impl<A> Pool<A> {
    /// As [`displace`], where all is of whole blocks, and so exact, and what is evicted is only noted.
    #[inline]
    fn displace_blocks(&mut self, now: f64, used: f64) {
        debug_assert!(self.finite && used <= self.cap, "{used} of {}", self.cap);
        self.used = used;
        self.averages.used.set_finite(now, used);
        let over = used + self.cached - self.cap;
        if over > 0.0 {
            self.give_up(now, over);
        }
    }

    /// So many cached units are evicted, which is only noted.
    #[inline]
    fn give_up(&mut self, now: f64, units: f64) {
        self.debt += units;
        // The capacity is finite, and so is what is cached.
        self.cached -= units;
        self.averages.cached.set_finite(now, self.cached);
    }

    /// Something cached must go for allocated + cached + `room` to fit.
    #[inline]
    pub(crate) fn short(&self, room: f64) -> bool {
        self.used + self.cached + room > self.cap + 1e-9 && self.entries.first != NONE
    }

    /// Evicts from a pool short of room, without keys and spills, where all entries are of whole blocks:
    /// then it is all the same where one ends and the next begins, and what they give up is only noted
    /// ([`cache::settle`]). False when it has to be done now.
    #[inline]
    pub(super) fn evict_later(&mut self, now: f64) -> bool {
        let over = self.used + self.cached - self.cap;
        // Spills, after which entries need not be of whole blocks and for which alone more room is made, never come here.
        let piece = if rarely(!self.all_blocks) {
            if !(self.whole && self.whole_block) {
                return false;
            }
            self.blocks_over(over - 1e-9)
        } else {
            debug_assert!((over / self.block).fract() == 0.0, "{over} of blocks of {}", self.block);
            over
        };
        self.give_up(now, piece);
        true
    }

    /// Whole blocks that make room for so many units.
    #[cold]
    #[inline(never)]
    fn blocks_over(&self, over: f64) -> f64 {
        match over <= self.block {
            true => self.block,
            false => whole::ceil(over / self.block) * self.block,
        }
    }

    /// What the oldest entry, of so many units, gives way by next.
    #[inline]
    fn piece(&self, units: f64, room: f64) -> f64 {
        if self.block == 0.0 {
            return units;
        }
        let over = self.used + self.cached + room - self.cap - 1e-9;
        let piece = if over > self.block
            && self.whole
            && whole::is_whole(self.block)
            && whole::is_whole(units)
        {
            // Whole numbers: as many blocks at once as one by one would take.
            whole::ceil(over / self.block) * self.block
        } else {
            self.block
        };
        if piece < units { piece } else { units }
    }

    /// The oldest entries give way, in a pool without keys and spills, until there is room or one is
    /// all gone: that entry, and the units that it still counts as cached.
    #[inline]
    pub(crate) fn give_way(&mut self, now: f64, room: f64) -> Option<(u32, f64)> {
        while self.short(room) {
            let first = self.entries.first;
            let units = self.entries[first].units;
            let piece = self.piece(units, room);
            self.counts.evicted_units += piece;
            let left = units - piece;
            self.entries.set_units(first, left);
            if left <= 1e-12 {
                self.counts.evicted_entries += 1;
                return Some((first, piece));
            }
            self.set_cached(now, self.cached - piece);
        }
        None
    }
}

#[inline]
fn excess<W: World>(w: &W, key: impl AtPool, room: f64) -> bool {
    w.pool(key).short(room)
}

/// Evicts from a pool that is short of room.
pub(crate) fn make_room<W: World>(w: &mut W, key: impl AtPool, room: f64) {
    let spec = spec::<W>(key);
    cache::settle(w, key);
    if spec.evict_keys == 0 && !spec.spills {
        let now = w.kernel().now;
        while let Some((id, units)) = w.pool_mut(key).give_way(now, room) {
            cache::remove(w, key, id, units);
        }
        return;
    }
    while (Uses::<W>::EVICT_KEYS || Uses::<W>::SPILLS) && excess(w, key, room) {
        if w.kernel().has_fault() {
            return;
        }
        if Uses::<W>::EVICT_KEYS && spec.evict_keys > 0 {
            by_keys(w, key.key(), room);
            continue;
        }
        let p = w.pool(key);
        let first = p.entries.first;
        let units = p.entries[first].units;
        let piece = if p.block == 0.0 { units } else { units.min(p.block) };
        take(w, key.key(), first, piece);
    }
}

/// Evicts a piece of entry `id`, spilling it if the pool does; true when the entry is gone.
fn take<W: World>(w: &mut W, key: PoolKey, id: u32, piece: f64) -> bool {
    if Uses::<W>::SPILLS && spec::<W>(key).spills {
        spill::spill(w, key, id, piece);
    }
    let now = w.kernel().now;
    let p = w.pool_mut(key);
    p.counts.evicted_units += piece;
    let left = p.entries[id].units - piece;
    p.entries.set_units(id, left);
    if left <= 1e-12 {
        p.counts.evicted_entries += 1;
        cache::remove(w, key, id, piece);
        return true;
    }
    p.set_cached(now, p.cached - piece);
    false
}

/// The entry with the smallest keys gives way until there is room or another's are smaller.
fn by_keys<W: World>(w: &mut W, key: PoolKey, room: f64) {
    let n = spec::<W>(key).evict_keys;
    let draws = w.kernel().machine_draws;
    let mut best: Option<(Keys, u32)> = None;
    let mut second = None;
    let mut id = w.pool(key).entries.first;
    while id != NONE {
        let keys = keys_of(w, key, id);
        if before(w, key, &(keys, id), &best, n) {
            second = best;
            best = Some((keys, id));
        } else if before(w, key, &(keys, id), &second, n) {
            second = Some((keys, id));
        }
        id = w.pool(key).entries[id].next;
    }
    let Some((_, id)) = best else { return };
    // Nothing but the chosen entry's size changes as its blocks go, unless keys draw or a spill
    // moves something that they read.
    let steady = !spec::<W>(key).spills && w.kernel().machine_draws == draws;
    loop {
        let p = w.pool(key);
        let units = p.entries[id].units;
        let piece = if p.block == 0.0 { units } else { units.min(p.block) };
        if take(w, key, id, piece) || !steady || !excess(w, key, room) {
            return;
        }
        let keys = keys_of(w, key, id);
        if !before(w, key, &(keys, id), &second, n) {
            return;
        }
    }
}

/// `a` goes before `b`: by keys, then by the order of release.
fn before<W: World>(
    w: &W,
    key: PoolKey,
    a: &(Keys, u32),
    b: &Option<(Keys, u32)>,
    n: usize,
) -> bool {
    let Some(b) = b else { return true };
    if queue::smaller(&a.0, &b.0, n) {
        return true;
    }
    let entries = &w.pool(key).entries;
    !queue::smaller(&b.0, &a.0, n) && entries[a.1].order < entries[b.1].order
}

/// What keys and spill clauses read of entry `id`; `size` in units.
pub(super) fn view<W: World>(w: &W, key: PoolKey, id: u32, size: f64) -> EvictView {
    let k = w.kernel();
    let p = w.pool(key);
    let e = &p.entries[id];
    let c = k.control(e.session);
    let lives = c.live && c.serial == e.serial;
    let b = match p.entries.copy(id) {
        Some((_, b)) if !lives => *b,
        _ => c.b,
    };
    let waits = |s| if W::LEGS { legs::queued_in(k, s, key) } else { c.queued == Some(key) };
    let waiting = f64::from(lives && waits(e.session));
    EvictView { b, size, age: k.now - e.time, last: e.time, waiting }
}

/// The attributes that keys and spill clauses read: the session's while it lives, else the entry's copy.
pub(super) fn attrs<W: World>(w: &W, key: PoolKey, id: u32) -> W::Attrs {
    if !W::ENTRY_ATTRS {
        return W::Attrs::default();
    }
    let entries = &w.pool(key).entries;
    let e = &entries[id];
    let c = w.kernel().control(e.session);
    match entries.copy(id) {
        Some((attrs, _)) if !(c.live && c.serial == e.serial) => attrs.clone(),
        _ => w.attrs(e.session).clone(),
    }
}

fn keys_of<W: World>(w: &mut W, key: PoolKey, id: u32) -> Keys {
    let view = view(w, key, id, w.pool(key).entries[id].units);
    let attrs = attrs(w, key, id);
    let keys = w.evict_keys(key, &attrs, &view);
    w.kernel_mut().blame(Station::Pool(key));
    keys
}
