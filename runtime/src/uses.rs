//! What a program uses. What it does not use is not compiled: a branch on one of these constants is
//! decided before code is made of either side.

use crate::{
    kernel::{FEW, Slot, Slots},
    world::{AtStage, StageType, World},
};
use std::marker::PhantomData;

/// Which of the runtime's mechanisms program `W` has a use for.
pub(crate) struct Uses<W>(PhantomData<W>);

/// Whether some element of a constant list has a property.
macro_rules! some {
    ($list:expr, $x:ident => $property:expr) => {{
        let (list, mut i, mut found) = ($list, 0, false);
        while i < list.len() {
            let $x = &list[i];
            found |= $property;
            i += 1;
        }
        found
    }};
}

impl<W: World> Uses<W> {
    pub const FIFO: bool = some!(W::STAGES, x => matches!(x.kind, StageType::Fifo));
    pub const PS: bool = some!(W::STAGES, x => matches!(x.kind, StageType::Ps));
    pub const DELAY: bool = some!(W::STAGES, x => matches!(x.kind, StageType::Delay));
    pub const LINK: bool = some!(W::STAGES, x => matches!(x.kind, StageType::Link));
    pub const STEP: bool = some!(W::STAGES, x => matches!(x.kind, StageType::Step));
    /// Jobs may be taken off stations: whoever is preempted loses its own.
    pub const LEAVES: bool = !W::POOLS.is_empty() || Self::FAILS;
    pub const POOLS: bool = !W::POOLS.is_empty();
    /// One prefill alone, or all decodes.
    pub const EXCLUSIVE: bool = some!(W::STAGES, x => x.exclusive);
    pub const ONLY: bool = some!(W::STAGES, x => x.only);
    pub const SERVE_KEYS: bool = some!(W::STAGES, x => x.serve_keys > 0);
    /// Runs of iterations may be planned at once.
    pub const RUNS: bool = some!(W::STAGES, x => x.plannable) && !W::RESTLESS;
    /// Some of them may take blocks on their way.
    pub const GROWS: bool = Self::RUNS && some!(W::POOLS, x => x.grows && !x.memory_of.is_empty());
    pub const CACHED: bool = some!(W::POOLS, x => x.cached);
    pub const EVICT_KEYS: bool = some!(W::POOLS, x => x.evict_keys > 0);
    pub const SPILLS: bool = some!(W::POOLS, x => x.spills);
    /// Something is kept of wide families.
    pub const KEPT: bool = !W::KEPT.is_empty();
    /// Members of queues fail.
    pub const FAILS: bool = !W::FAILING.is_empty();
    /// Leases are renewed.
    pub const RENEWS: bool = W::RENEWS;
    /// Sessions share prefixes.
    pub const SHARES: bool = !W::SHARED.is_empty();
    pub const QUEUE_KEYS: bool = some!(W::POOLS, x => x.queue_keys > 0);
    pub const LEASES: bool = some!(W::HOLDS, x => x.leases.is_some());
    /// Slots of the clock before those of the stages.
    pub const FIRST_SLOTS: &[Slot] = match Self::LEASES || Self::LINK {
        _ if Self::FAILS => &[Slot::Arrival, Slot::Lease, Slot::Flow, Slot::Outage],
        true => &[Slot::Arrival, Slot::Lease, Slot::Flow],
        false => &[Slot::Arrival],
    };
    /// Stage family `f` is one stage, which has the slot that is `f` after the [first](Self::FIRST_SLOTS).
    pub const SINGLE: bool = !some!(W::STAGES, x => !x.single || matches!(x.kind, StageType::Link));
    /// How many slots the clock has.
    pub const SLOTS: Slots = match Self::FIRST_SLOTS.len() + W::STAGES.len() {
        slots if Self::SINGLE && slots <= FEW => Slots::Few(slots),
        _ => Slots::Any,
    };
}

/// As [`Uses`], of engine `S`: what its family does not use is not compiled for it.
pub(crate) struct UsesAt<W, S>(PhantomData<(W, S)>);

impl<W: World, S: AtStage> UsesAt<W, S> {
    /// It may plan runs of iterations.
    pub const RUNS: bool = Uses::<W>::RUNS
        && match S::FAMILY {
            Some(family) => W::STAGES[family as usize].plannable,
            None => true,
        };

    /// It is a fifo stage that has one server, whatever the settings.
    #[inline]
    pub fn one_server(at: S) -> bool {
        W::ONE_SERVER.contains(&at.key().family)
    }
}
