//! Pools that share prefixes between sessions, block by block.
//!
//! A block that a hold has computed in full can be hit by every session whose prompt has the same
//! content there and in front of it, while it is held as well as afterwards, until it is evicted. An
//! admission takes its hits without needing room for those that others hold. Released blocks are
//! evicted in the order of their release, those of one release from the last to the first.
//!
//! When a block can be hit: as soon as an iteration is planned that computes the last of its tokens
//! for a `growing` run, if its content is shared; else, and what is the session's own, when its
//! allocation is released, as far as the `cache` clause keeps it, or leased.

mod blocks;
mod content;
mod index;

pub(crate) use blocks::Blocks;
pub(crate) use content::Contents;

use super::Pool;
use crate::{
    fault::FaultKind,
    hold,
    kernel::{Kernel, whole},
    legs,
    uses::Uses,
    world::{AtHold, AtPool, PoolKey, Sid, World},
};

/// Tokens of all segments of a prompt at most.
const MOST_TOKENS: f64 = 1e9;

/// What sessions share, of all pools.
#[derive(Debug, Default)]
pub(crate) struct Sharing {
    pub contents: Contents,
    /// The blocks with a content that each allocation holds, from the prompt's first on.
    held: Vec<Vec<u32>>,
}

impl Sharing {
    /// Some pool shares prefixes.
    pub fn is_used(&self) -> bool {
        self.contents.is_used()
    }

    fn held(&mut self, alloc: u32) -> &mut Vec<u32> {
        let i = alloc as usize;
        if i >= self.held.len() {
            self.held.resize_with(i + 1, Vec::new);
        }
        &mut self.held[i]
    }

    fn count(&self, alloc: u32) -> usize {
        self.held.get(alloc as usize).map_or(0, Vec::len)
    }
}

/// Whether sessions share the pool's prefixes.
#[inline]
pub(crate) fn shares<W: World>(at: impl AtPool) -> bool {
    Uses::<W>::SHARES && W::SHARED.contains(&at.key().family)
}

/// Makes the pools that share prefixes ready, before anything happens.
pub(crate) fn set_up<W: World>(w: &mut W) {
    for &family in W::SHARED {
        for member in 0..w.pool_count(family as usize) {
            let key = PoolKey::new(family, member);
            let block = w.pool(key).block;
            let size = w.kernel_mut().sharing.contents.size(block);
            w.pool_mut(key).shared = Some(Box::new(Blocks::new(size)));
        }
    }
}

/// `prefix (key, tokens)`: the prompt of session `s` goes on with so many tokens of the segment that all
/// sessions share who say this key at this place.
pub fn add_segment<W: World>(w: &mut W, s: Sid, key: f64, tokens: f64, site: u32) {
    let s = legs::owner(w, s);
    w.kernel_mut().add_segment(s, key, tokens, Some(site));
}

impl Kernel {
    pub(crate) fn add_segment(&mut self, s: Sid, key: f64, tokens: f64, site: Option<u32>) {
        let odd = if key.is_nan() { key } else { tokens };
        if odd.is_nan() || !(0.0..=MOST_TOKENS).contains(&tokens) {
            self.raise(FaultKind::Segment(odd), site, Some(s));
            return;
        }
        self.sharing.contents.add(s, key, tokens);
    }
}

impl<A> Pool<A> {
    /// Whole blocks in so many units.
    #[inline]
    fn blocks_in(&self, units: f64) -> usize {
        // Infinite and negative numbers are cut off.
        whole::floor(units / self.block + 1e-12) as usize
    }
}

/// Calls `f` with the blocks that hits of session `s` are, at most `most`, from the first on.
#[inline]
fn each_hit<A>(
    p: &Pool<A>,
    contents: &Contents,
    s: Sid,
    most: usize,
    mut f: impl FnMut(&Blocks, u32),
) -> usize {
    let Some(blocks) = &p.shared else { return 0 };
    for i in 0..most {
        let Some(id) = blocks.find(contents.key(s, blocks.size, i)) else { return i };
        f(blocks, id);
    }
    most
}

/// Units of the session's content that can be hit in the pool.
pub(crate) fn hit_units<W: World>(w: &W, at: impl AtPool, s: Sid) -> f64 {
    let s = legs::owner(w, s);
    let p = w.pool(at);
    let blocks = each_hit(p, &w.kernel().sharing.contents, s, usize::MAX, |_, _| {});
    blocks as f64 * p.block
}

/// Of the units that an admission takes from the pool, those that others hold anyway.
pub(crate) fn held_by_others<W: World>(
    w: &W,
    at: impl AtPool,
    s: Sid,
    hold: impl AtHold,
    units: f64,
    reuse: f64,
) -> f64 {
    if !hold::spec::<W>(hold).caches {
        return 0.0;
    }
    let s = legs::owner(w, s);
    let p = w.pool(at);
    let most = p.blocks_in(if reuse < units { reuse } else { units });
    let mut held = 0.0;
    each_hit(p, &w.kernel().sharing.contents, s, most, |blocks, id| {
        held += if blocks.is_held(id) { p.block } else { 0.0 };
    });
    held
}

/// The hits of an allocation just made, at most `reuse` units: they are its first blocks, and its
/// position is behind them. Returns the position.
pub(crate) fn take_hits<W: World>(w: &mut W, at: impl AtPool, alloc: u32, reuse: f64) -> f64 {
    let a = w.kernel().allocs[alloc];
    let (s, now) = (legs::owner(w, a.session), w.kernel().now);
    let mut held = std::mem::take(w.kernel_mut().sharing.held(alloc));
    let p = w.pool(at);
    let most = p.blocks_in(if reuse < a.units { reuse } else { a.units });
    each_hit(p, &w.kernel().sharing.contents, s, most, |_, id| held.push(id));
    let p = w.pool_mut(at);
    let (mut others, mut idle) = (0.0, 0.0);
    if let Some(blocks) = &mut p.shared {
        for &id in &held {
            *(if blocks.is_held(id) { &mut others } else { &mut idle }) += p.block;
            blocks.hold(id);
        }
    }
    p.set_used(now, p.used - others);
    p.set_cached(now, p.cached - idle);
    let position = held.len() as f64 * p.block;
    let k = w.kernel_mut();
    k.allocs[alloc].position = position;
    *k.sharing.held(alloc) = held;
    position
}

/// A resident's growing allocation reaches `position` in the iteration that is planned: what it shares
/// up to there can be hit.
#[inline]
pub(crate) fn reach<W: World>(w: &mut W, alloc: u32, position: f64) {
    let a = &w.kernel().allocs[alloc];
    let (at, s, stmt) = (a.pool, a.session, a.stmt);
    if !shares::<W>(at) || !hold::spec::<W>(stmt).caches {
        return;
    }
    let p = w.pool(at);
    let Some(blocks) = &p.shared else { return };
    let sharing = &w.kernel().sharing;
    let s = legs::owner(w, s);
    let n = p.blocks_in(position).min(sharing.contents.shared(s, blocks.size));
    if n > sharing.count(alloc) {
        fill(w, at, s, alloc, n);
        w.kernel_mut().unsettled = true;
    }
}

/// Whether a growing allocation comes to fill shared blocks on the way from one position to another.
pub(crate) fn fills<W: World>(w: &W, alloc: u32, from: f64, to: f64) -> bool {
    let a = &w.kernel().allocs[alloc];
    if !shares::<W>(a.pool) || !hold::spec::<W>(a.stmt).caches {
        return false;
    }
    let p = w.pool(a.pool);
    let Some(blocks) = &p.shared else { return false };
    let shared = w.kernel().sharing.contents.shared(legs::owner(w, a.session), blocks.size);
    p.blocks_in(to).min(shared) > p.blocks_in(from).min(shared)
}

/// An allocation is leased: all that was computed of it can be hit.
pub(crate) fn lease<W: World>(w: &mut W, alloc: u32, computed: f64) {
    let a = &w.kernel().allocs[alloc];
    let (at, s, stmt) = (a.pool, a.session, a.stmt);
    if shares::<W>(at) && hold::spec::<W>(stmt).caches {
        let n = w.pool(at).blocks_in(computed);
        fill(w, at, s, alloc, n);
    }
}

/// The first `n` blocks of an allocation have their contents.
fn fill<W: World>(w: &mut W, at: impl AtPool, s: Sid, alloc: u32, n: usize) {
    let s = legs::owner(w, s);
    let mut held = std::mem::take(w.kernel_mut().sharing.held(alloc));
    for i in held.len()..n {
        let size = w.pool(at).shared.as_ref().map_or(0, |blocks| blocks.size);
        let key = w.kernel().sharing.contents.key(s, size, i);
        if let Some(blocks) = &mut w.pool_mut(at).shared {
            held.push(blocks.add(key));
        }
    }
    *w.kernel_mut().sharing.held(alloc) = held;
}

/// Before an allocation is taken off the pool: what others hold of it stays allocated.
pub(crate) fn keep_others<W: World>(w: &mut W, at: impl AtPool, alloc: u32) {
    let sharing = &w.kernel().sharing;
    let Some(held) = sharing.held.get(alloc as usize) else { return };
    let p = w.pool(at);
    let Some(blocks) = &p.shared else { return };
    let others = held.iter().filter(|&&id| blocks.is_shared(id)).count() as f64 * p.block;
    w.pool_mut(at).used += others;
}

/// An allocation of session `s` that was taken off the pool: its first `keep` units stay cached, to be
/// evicted from the last block to the first.
pub(crate) fn store<W: World>(w: &mut W, at: impl AtPool, s: Sid, alloc: u32, keep: f64) {
    let keep = w.pool(at).blocks_in(keep);
    fill(w, at, s, alloc, keep);
    let mut held = std::mem::take(w.kernel_mut().sharing.held(alloc));
    let now = w.kernel().now;
    let p = w.pool_mut(at);
    let mut idle = 0.0;
    if let Some(blocks) = &mut p.shared {
        for (i, &id) in held.iter().enumerate().rev() {
            match (blocks.let_go(id), i < keep) {
                (false, _) => {}
                (true, true) => {
                    blocks.retire(id);
                    idle += p.block;
                }
                (true, false) => blocks.forget(id),
            }
        }
    }
    p.set_cached(now, p.cached + idle);
    held.clear();
    *w.kernel_mut().sharing.held(alloc) = held;
}

/// Evicts until allocated + cached + `room` fits.
pub(crate) fn evict<W: World>(w: &mut W, at: impl AtPool, room: f64) {
    let now = w.kernel().now;
    let p = w.pool_mut(at);
    let Some(blocks) = &mut p.shared else { return };
    let (mut cached, block) = (p.cached, p.block);
    while p.used + cached + room > p.cap + 1e-9 && blocks.any_idle() {
        blocks.evict();
        cached -= block;
        p.counts.evicted_entries += 1;
        p.counts.evicted_units += block;
    }
    p.set_cached(now, cached);
}

/// All that nobody holds is gone, uncounted.
pub(crate) fn clear<W: World>(w: &mut W, at: impl AtPool) {
    let now = w.kernel().now;
    let p = w.pool_mut(at);
    let Some(blocks) = &mut p.shared else { return };
    while blocks.any_idle() {
        blocks.evict();
    }
    p.set_cached(now, 0.0);
}

/// `drop`: what is the session's own, and nobody holds, is discarded.
pub(crate) fn forget_own<W: World>(w: &mut W, at: impl AtPool, s: Sid) {
    let (s, now) = (legs::owner(w, s), w.kernel().now);
    let Some(size) = w.pool(at).shared.as_ref().map(|blocks| blocks.size) else { return };
    let mut i = w.kernel().sharing.contents.shared(s, size);
    loop {
        let key = w.kernel().sharing.contents.key(s, size, i);
        let p = w.pool_mut(at);
        let Some(blocks) = &mut p.shared else { return };
        let Some(id) = blocks.find(key) else { return };
        if blocks.is_held(id) {
            return;
        }
        blocks.evict_one(id);
        p.set_cached(now, p.cached - p.block);
        i += usize::from(w.pool(at).shared.as_ref().is_some_and(|b| b.find(key).is_none()));
    }
}
