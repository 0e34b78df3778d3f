//! What of a pool a session holds: which hold statements take it, and the innermost of those that it is in.

use super::{Alloc, Hold};
use crate::{
    kernel::{Kernel, NONE, Slab},
    world::{AtHold, AtPool, MAX_CLAIMS, PoolKey, Sid, World},
};
use std::marker::PhantomData;

/// Which hold statements take pool `P`, a bit each, where the type says which family it is.
struct Takers<W, P>(PhantomData<(W, P)>);

impl<W: World, P: AtPool> Takers<W, P> {
    const KNOWN: bool = P::FAMILY.is_some() && W::HOLDS.len() <= 64;
    /// By place of the claim that does it.
    const BY_CLAIM: [u64; MAX_CLAIMS] = {
        let (mut takers, mut stmt) = ([0; MAX_CLAIMS], 0);
        while Self::KNOWN && stmt < W::HOLDS.len() {
            let (pools, mut claim) = (W::HOLDS[stmt].pools, 0);
            while claim < pools.len() {
                if let Some(family) = P::FAMILY
                    && pools[claim] == family
                {
                    takers[claim] |= 1 << stmt;
                }
                claim += 1;
            }
            stmt += 1;
        }
        takers
    };
    /// The one statement that takes the pool, if it is the only one.
    const ONLY: Option<u32> = {
        let (mut all, mut claim) = (0, 0);
        while claim < MAX_CLAIMS {
            all |= Self::BY_CLAIM[claim];
            claim += 1;
        }
        if all.count_ones() == 1 { Some(all.trailing_zeros()) } else { None }
    };
}

/// The one hold statement that takes pool `P`.
pub(super) struct OnlyTaker<W, P>(PhantomData<(W, P)>);

impl<W: World, P: AtPool> OnlyTaker<W, P> {
    /// There is one, and it is known when the program is compiled.
    pub const KNOWN: bool = Takers::<W, P>::ONLY.is_some();

    #[inline]
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

impl<W, P> Clone for OnlyTaker<W, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W, P> Copy for OnlyTaker<W, P> {}

impl<W: World, P: AtPool> AtHold for OnlyTaker<W, P> {
    const STMT: Option<u32> = Takers::<W, P>::ONLY;
    #[inline]
    fn stmt(self) -> u32 {
        const { Takers::<W, P>::ONLY }.unwrap_or_default()
    }
}

/// An allocation of a hold that a session is in.
pub(crate) struct Held<'k> {
    pub id: u32,
    /// Its hold, and which claim of it.
    pub hold: &'k mut Hold,
    pub claim: usize,
    /// All allocations.
    pub allocs: &'k mut Slab<Alloc>,
}

/// The innermost enclosing hold's allocation of `pool`.
#[inline]
pub(crate) fn innermost<W: World, P: AtPool>(k: &mut Kernel, s: Sid, pool: P) -> Option<Held<'_>> {
    let Kernel { sessions, allocs, .. } = k;
    let key = pool.key();
    for hold in sessions[s as usize].holds.iter_mut().rev() {
        macro_rules! try_claims {
            ($($claim:literal)*) => {$(
                let takers = const { Takers::<W, P>::BY_CLAIM[$claim] };
                if takers >> (hold.stmt & 63) & 1 == 1 {
                    // One that was given back has no number.
                    let id = hold.allocs[$claim];
                    if allocs.get(id).is_some_and(|a| a.pool.member == key.member) {
                        return Some(Held { id, hold, claim: $claim, allocs });
                    }
                }
            )*};
        }
        if const { Takers::<W, P>::KNOWN } {
            try_claims!(0 1 2 3 4 5 6 7);
            continue;
        }
        for (claim, &family) in W::HOLDS[hold.stmt as usize].pools.iter().enumerate() {
            let id = hold.allocs[claim];
            if family == key.family && id != NONE && allocs[id].pool.member == key.member {
                return Some(Held { id, hold, claim, allocs });
            }
        }
    }
    None
}

/// The session's innermost hold of `pool` grows with what it does next: its position counts. The allocation.
#[inline]
pub(crate) fn grow_along<W: World>(w: &mut W, s: Sid, pool: impl AtPool) -> u32 {
    let Some(Held { id, hold, .. }) = innermost::<W, _>(w.kernel_mut(), s, pool) else {
        return NONE;
    };
    hold.positioned = true;
    id
}

/// As [`innermost`], the last of several by one hold.
pub(crate) fn innermost_last<W: World>(w: &W, s: Sid, pool: PoolKey) -> Option<u32> {
    let k = w.kernel();
    k.control(s).holds.iter().rev().find_map(|h| {
        let allocs = h.allocs[..W::HOLDS[h.stmt as usize].claims].iter().rev().copied();
        allocs.filter(|&a| a != NONE).find(|&a| k.allocs[a].pool == pool)
    })
}
