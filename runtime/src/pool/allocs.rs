//! A pool's allocations: who has how many units, since when, and what of a prefix they begin with.

use super::{HOLDERS, Pool, USED, changed, shared, spec};
use crate::{
    engine,
    hold::Alloc,
    kernel::{Job, Kernel, NONE, whole},
    uses::Uses,
    world::{AtPool, PoolKey, PoolSpec, Sid, World},
};

/// What an allocation may consume of a session's own prefix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reuse {
    /// Whose prefix it is: the session that gets the allocation, or the one whose leg it is.
    pub owner: Sid,
    /// Units at most.
    pub most: f64,
}

impl<A> Pool<A> {
    /// Session `s` has `units` more; whether it had none, and its own entry if that is to name it no more.
    #[inline(always)]
    fn give(
        &mut self,
        now: f64,
        s: Sid,
        units: f64,
        Kind { blocks, asked }: Kind,
        takes_entry: bool,
    ) -> (bool, u32) {
        if blocks && self.whole_units {
            // Of a finite capacity.
            self.used += units;
            self.averages.used.set_finite(now, self.used);
        } else {
            self.whole &= whole::is_whole(units);
            self.set_used(now, self.used + units);
        }
        let share = self.share_mut(s);
        if asked {
            share.units += units;
        }
        share.allocs += 1;
        let first = share.allocs == 1;
        let entry = if takes_entry { std::mem::replace(&mut share.entry, NONE) } else { NONE };
        if first {
            self.sessions += 1;
            self.averages.holders.set_finite(now, f64::from(self.sessions));
        }
        (first, entry)
    }

    /// An allocation of session `s`, of so many units, is off; true when it has no other.
    #[inline(always)]
    fn take(&mut self, now: f64, s: Sid, units: f64, Kind { blocks, asked }: Kind) -> bool {
        let used = self.used - units;
        if blocks && self.whole_units {
            // Exact, and of a finite capacity.
            self.used = used;
            self.averages.used.set_finite(now, used);
        } else {
            self.set_used(now, if used.abs() < 1e-9 { 0.0 } else { used });
        }
        let share = self.share_mut(s);
        share.allocs -= 1;
        let last = share.allocs == 0;
        if asked {
            share.units = if last { 0.0 } else { share.units - units };
        }
        if last {
            self.sessions -= 1;
            self.averages.holders.set_finite(now, f64::from(self.sessions));
        }
        last
    }

    /// The most recent allocation; walk on with [`Alloc::previous`].
    pub(crate) fn last_alloc(&self) -> u32 {
        self.last_alloc
    }

    /// An allocation, which knows the one before it, is the last of the list.
    fn enlist(&mut self, k: &mut Kernel, id: u32) {
        self.last_alloc = id;
        let previous = k.allocs[id].previous;
        if previous != NONE {
            k.allocs[previous].next = id;
        }
    }

    /// Takes an allocation off the list.
    fn unlist(&mut self, k: &mut Kernel, id: u32) {
        let Alloc { previous, next, .. } = k.allocs[id];
        if previous != NONE {
            k.allocs[previous].next = next;
        }
        if next != NONE {
            k.allocs[next].previous = previous;
        } else {
            self.last_alloc = previous;
        }
    }
}

/// The pool keeps a list of its allocations, for those who walk it.
#[inline]
pub(crate) fn listed<W: World>(at: impl AtPool) -> bool {
    let spec = spec::<W>(at);
    W::LEGS || Uses::<W>::FAILS || spec.lifo && spec.memory_of.is_empty()
}

/// What is known of a pool when the program is compiled.
#[derive(Clone, Copy)]
struct Kind {
    /// It has blocks.
    blocks: bool,
    /// Somebody asks for the units of a session: engines whose memory it is, and who looks for a deadlock.
    asked: bool,
}

#[inline]
fn kind<W: World>(at: impl AtPool) -> Kind {
    let PoolSpec { blocks, memory_of, .. } = spec::<W>(at);
    Kind { blocks: *blocks, asked: W::LEGS || !memory_of.is_empty() }
}

/// Adds an allocation to pool `p`, which is `key`, for which a prefix is consumed as `reuse` has it; its units are
/// within the capacity. Its number, and the units consumed.
#[inline(always)]
pub(crate) fn allocate<W: World>(
    p: &mut Pool<W::Attrs>,
    k: &mut Kernel,
    key: impl AtPool,
    mut a: Alloc,
    reuse: Option<Reuse>,
) -> (u32, f64) {
    if listed::<W>(key) {
        a.previous = p.last_alloc;
    }
    // A leg consumes another session's.
    let own = reuse.filter(|_| !W::LEGS);
    if let Some(reuse) = reuse
        && W::LEGS
    {
        a.position = p.consume(k, reuse);
    }
    let (first, entry) = p.give(k.now, a.session, a.units, kind::<W>(key), own.is_some());
    note_holder::<W>(k, key, first);
    if let Some(reuse) = own {
        a.position = p.consume_entry(k, entry, reuse);
    }
    let position = a.position;
    let id = k.allocs.add(a);
    if listed::<W>(key) {
        p.enlist(k, id);
    }
    (id, position)
}

/// What is used has changed, and who holds it if somebody came or went.
#[inline(always)]
fn note_holder<W: World>(k: &mut Kernel, key: impl AtPool, holders: bool) {
    if !holders {
        return changed::<W>(k, key, USED);
    }
    let PoolSpec { dirty, kept, .. } = spec::<W>(key);
    let member = key.key().member;
    k.note_change(dirty[USED] | dirty[HOLDERS], kept[USED] | kept[HOLDERS], member);
}

/// An allocation is about to be taken off the pool: whoever counts on it is told.
pub(crate) fn announce<W: World>(w: &mut W, key: PoolKey, id: u32) {
    if shared::shares::<W>(key) {
        shared::keep_others(w, key, id);
    }
    if let Some(stage) = w.pool(key).relied_on {
        engine::disturb(w, stage);
    }
    // As that of a session whose lease ends.
    let k = w.kernel();
    if let Job::Engine(stage, decode) = k.control(k.allocs[id].session).job {
        engine::note_release(w, stage, decode, id);
    }
}

/// Takes an allocation, which was announced, off pool `p`, which is `key`; nothing is cached yet.
#[inline(always)]
pub(crate) fn take_off<W: World>(
    p: &mut Pool<W::Attrs>,
    k: &mut Kernel,
    key: impl AtPool,
    id: u32,
) {
    let session = k.allocs[id].session;
    take_off_of::<W>(p, k, key, id, session);
}

/// As [`take_off`], of an allocation of this session.
#[inline(always)]
pub(crate) fn take_off_of<W: World>(
    p: &mut Pool<W::Attrs>,
    k: &mut Kernel,
    key: impl AtPool,
    id: u32,
    session: Sid,
) {
    debug_assert_eq!(k.allocs[id].session, session);
    if listed::<W>(key) {
        p.unlist(k, id);
    }
    k.unsettled = true;
    let units = k.allocs.free(id).units;
    let last = p.take(k.now, session, units, kind::<W>(key));
    note_holder::<W>(k, key, last);
}

/// An allocation that was a leg's is whoever forked it's.
pub(crate) fn hand_over<W: World>(w: &mut W, id: u32, to: Sid) {
    let a = w.kernel().allocs[id];
    let (key, from, units) = (a.pool, a.session, a.units);
    if let Job::Engine(stage, decode) = w.kernel().control(to).job {
        engine::note_gift(w, stage, key, decode, units);
    }
    let k = w.kernel_mut();
    let now = k.now;
    k.allocs[id].session = to;
    changed::<W>(k, key, HOLDERS);
    let p = w.pool_mut(key);
    let share = p.share_mut(from);
    share.allocs -= 1;
    share.units = if share.allocs == 0 { 0.0 } else { share.units - units };
    p.sessions -= u32::from(p.share(from).allocs == 0);
    let share = p.share_mut(to);
    share.allocs += 1;
    share.units += units;
    p.sessions += u32::from(p.share(to).allocs == 1);
    p.averages.holders.set_finite(now, f64::from(p.sessions));
}
