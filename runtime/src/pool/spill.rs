//! Spilling: an evicted piece is written to a slower tier over a stage.
//!
//! The tier has the units at once; the stage only carries the load. A piece never takes the tier above
//! its capacity: what cannot fit beside the tier's allocations is dropped, tail first.

use super::{cache, evict};
use crate::{
    fault::Station,
    station,
    world::{PoolKey, World},
};

/// Writes `piece` units of entry `id` to the pool's tier, if its `when` says so.
pub(super) fn spill<W: World>(w: &mut W, key: PoolKey, id: u32, piece: f64) {
    let view = evict::view(w, key, id, piece);
    let attrs = evict::attrs(w, key, id);
    let spilled = w.spill(key, &attrs, &view);
    w.kernel_mut().blame(Station::Pool(key));
    let Some((tier, stage, work)) = spilled else { return };
    if w.kernel().has_fault() {
        return;
    }
    w.pool_mut(key).counts.spills += 1;
    let e = w.pool(key).entries[id];
    let p = w.pool(tier);
    let free = (p.cap - p.used).max(0.0);
    let mut units = piece;
    if units > free + 1e-9 {
        units = if p.block == 0.0 { 0.0 } else { units.min(p.round_down(free)) };
    }
    if units > 0.0 {
        evict::evict(w, tier, units);
        // A block of this pool may be none of the tier's.
        w.pool_mut(tier).whole_entries = false;
        if e.own {
            cache::merge(w, tier, e.session, units);
        } else {
            cache::store(w, tier, e.session, units, false);
        }
    }
    if work > 0.0 {
        station::load(w, stage, work);
    }
}
