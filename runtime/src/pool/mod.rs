//! A pool: units allocated, prefixes cached, a queue in front.
//!
//! Here is the state and its time averages; the files beside it hold one mechanism each: allocations, the
//! queue, cached prefixes, eviction, spilling, growth, preemption, leases.

pub(crate) mod allocs;
pub(crate) mod cache;
pub(crate) mod evict;
pub(crate) mod grow;
pub(crate) mod lease;
pub(crate) mod line;
pub(crate) mod preempt;
pub(crate) mod queue;
pub(crate) mod shared;
pub(crate) mod spill;

use crate::{
    kernel::{Builtins, Kernel, NONE, whole},
    legs,
    rare::rarely,
    report::PoolCounts,
    settings::Settings,
    stats::{Moments, TimeAverage},
    world::{AtPool, PoolSpec, Sid, StageKey, StageType, World},
};
use cache::Entries;
use grow::Grower;
use line::Line;
use std::collections::VecDeque;

/// What an eviction key or a spill clause reads of an entry.
#[derive(Clone, Copy, Debug, Default)]
pub struct EvictView {
    /// Its session's built-in attributes.
    pub b: Builtins,
    /// Units: the entry's in a key, the evicted piece's in a spill clause.
    pub size: f64,
    /// Seconds since its release.
    pub age: f64,
    /// Time of its release.
    pub last: f64,
    /// 1 when its session waits in this pool's queue.
    pub waiting: f64,
}

/// What a pool knows of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    /// The session's own entry.
    pub entry: u32,
    /// Its allocations here, leases included.
    pub allocs: u32,
    /// Their units, where somebody asks ([`allocs`]).
    pub units: f64,
}

/// So many blocks are counted exactly, and what rounding adds to them is far less than one.
const MANY: f64 = 1e12;

const NO_SHARE: Share = Share { entry: NONE, allocs: 0, units: 0.0 };

/// Time averages of a pool.
#[derive(Clone, Debug)]
pub(crate) struct Averages {
    pub used: TimeAverage,
    pub cached: TimeAverage,
    pub queued: TimeAverage,
    pub holders: TimeAverage,
    pub stalled: TimeAverage,
}

impl Averages {
    /// The warm-up ends.
    pub fn begin_measuring(&mut self) {
        let Self { used, cached, queued, holders, stalled } = self;
        for average in [used, cached, queued, holders, stalled] {
            average.begin_measuring();
        }
    }
}

/// One pool; `A` is the program's session attributes.
#[derive(Clone, Debug)]
pub struct Pool<A> {
    /// Units allocated.
    pub used: f64,
    /// Its number among all pools.
    pub(crate) flat: usize,
    pub(crate) cap: f64,
    pub(crate) block: f64,
    /// It has blocks, of a whole number of units.
    pub(crate) whole_block: bool,
    /// Up to so many units fit in whole blocks whatever they are.
    ample: f64,
    /// Whatever is allocated is a whole number of units.
    whole_units: bool,
    /// What is allocated is finite.
    finite: bool,
    /// All entries are of whole blocks.
    pub(crate) whole_entries: bool,
    /// The capacity is of whole blocks, as everything in it that comes from no other pool.
    pub(crate) all_blocks: bool,
    /// Units cached.
    pub(crate) cached: f64,
    /// Units evicted that the oldest entries still have to give up ([`cache::settle`]).
    pub(crate) debt: f64,
    /// All units that were ever allocated were whole numbers, so that sums of them are exact.
    pub(crate) whole: bool,
    pub(crate) sessions: u32,
    /// By session slot.
    pub(crate) shares: Vec<Share>,
    /// The list of allocations ends here, where one is kept ([`allocs::listed`]).
    last_alloc: u32,
    pub(crate) queue: Line,
    /// So many at the queue's front were preempted; the last one preempted is first.
    pub(crate) preempted: usize,
    pub(crate) growers: VecDeque<Grower>,
    /// An engine that plans ahead as long as nothing is given back here.
    pub(crate) relied_on: Option<StageKey>,
    pub(crate) entries: Entries<A>,
    /// Its cached blocks, when sessions share them; `entries` is empty then.
    pub(crate) shared: Option<Box<shared::Blocks>>,
    pub(crate) averages: Averages,
    pub(crate) waits: Moments,
    pub(crate) counts: PoolCounts,
    /// `counts` at the end of the warm-up.
    pub(crate) before: PoolCounts,
}

impl<A> Pool<A> {
    /// An empty pool of `cap` units in blocks of `block` (0: none).
    #[inline(never)]
    pub fn new(cap: f64, block: f64, settings: &Settings) -> Self {
        let average = TimeAverage::new(settings.warmup);
        let whole_block = block >= 1.0 && whole::is_whole(block);
        Self {
            used: 0.0,
            flat: 0,
            cap,
            block,
            whole_block,
            ample: if cap < block * MANY { cap - 2.0 * block } else { f64::NEG_INFINITY },
            whole_units: whole_block && cap < whole::EXACT,
            finite: cap < f64::INFINITY,
            whole_entries: whole_block && cap < whole::EXACT,
            all_blocks: whole_block
                && cap < whole::EXACT
                && whole::floor(cap / block) * block == cap,
            cached: 0.0,
            debt: 0.0,
            whole: true,
            sessions: 0,
            shares: Vec::new(),
            last_alloc: NONE,
            queue: Line::default(),
            preempted: 0,
            growers: VecDeque::new(),
            relied_on: None,
            entries: Entries::default(),
            shared: None,
            averages: Averages {
                used: average.clone(),
                cached: average.clone(),
                queued: average.clone(),
                holders: average.clone(),
                stalled: average,
            },
            waits: Moments::default(),
            counts: PoolCounts::default(),
            before: PoolCounts::default(),
        }
    }

    /// Capacity minus units allocated; cached units do not count.
    #[inline]
    pub fn free(&self) -> f64 {
        self.cap - self.used
    }

    /// Sessions that have an allocation here, leases included.
    #[inline]
    pub fn holders(&self) -> f64 {
        f64::from(self.sessions)
    }

    /// Requests in the queue.
    #[inline]
    pub fn queued(&self) -> f64 {
        whole::float(self.queue.len() as u64)
    }

    /// Units of a block; 0 without blocks.
    #[inline]
    pub fn block(&self) -> f64 {
        self.block
    }

    /// Up to whole blocks.
    #[inline]
    pub(crate) fn round_up(&self, x: f64) -> f64 {
        if self.block == 0.0 { x } else { self.blocks_up(x) }
    }

    #[inline]
    fn blocks_up(&self, x: f64) -> f64 {
        whole::ceil(x / self.block - 1e-12) * self.block
    }

    /// Down to whole blocks.
    #[inline]
    pub(crate) fn round_down(&self, x: f64) -> f64 {
        if self.block == 0.0 { x } else { self.blocks_down(x) }
    }

    #[inline]
    fn blocks_down(&self, x: f64) -> f64 {
        whole::floor(x / self.block + 1e-12) * self.block
    }

    /// What this pool knows of a session slot.
    #[inline]
    pub(crate) fn share(&self, s: Sid) -> Share {
        self.shares.get(s as usize).copied().unwrap_or(NO_SHARE)
    }

    #[inline]
    pub(crate) fn share_mut(&mut self, s: Sid) -> &mut Share {
        let i = s as usize;
        if i < self.shares.len() {
            return &mut self.shares[i];
        }
        self.new_share(i)
    }

    #[cold]
    fn new_share(&mut self, i: usize) -> &mut Share {
        self.shares.resize(i + 1, NO_SHARE);
        &mut self.shares[i]
    }

    #[inline]
    pub(crate) fn set_used(&mut self, now: f64, used: f64) {
        self.used = used;
        match self.finite {
            true => self.averages.used.set_finite(now, used),
            false => self.averages.used.set(now, used),
        }
    }

    #[inline]
    pub(crate) fn set_cached(&mut self, now: f64, cached: f64) {
        self.cached = cached;
        match self.finite {
            true => self.averages.cached.set_finite(now, cached),
            false => self.averages.cached.set(now, cached),
        }
    }
}

/// What is known of the pool when the program is compiled.
#[inline]
pub(crate) fn spec<W: World>(at: impl AtPool) -> &'static PoolSpec {
    &W::POOLS[at.key().family as usize]
}

/// `x` units up to whole blocks of pool `p`, which is `key`.
#[inline]
pub(crate) fn round_up<W: World>(p: &Pool<W::Attrs>, key: impl AtPool, x: f64) -> f64 {
    if spec::<W>(key).blocks { p.blocks_up(x) } else { x }
}

/// `x` units (not NaN) in whole blocks are more than pool `p`, which is `key`, ever has.
#[inline]
pub(crate) fn too_much<W: World>(p: &Pool<W::Attrs>, key: impl AtPool, x: f64) -> bool {
    match spec::<W>(key).blocks {
        true => rarely(x > p.ample) && p.blocks_up(x) > p.cap,
        false => x > p.cap,
    }
}

/// `x` units down to whole blocks of pool `p`, which is `key`.
#[inline]
pub(crate) fn round_down<W: World>(p: &Pool<W::Attrs>, key: impl AtPool, x: f64) -> f64 {
    if spec::<W>(key).blocks { p.blocks_down(x) } else { x }
}

/// What gauges and choices may read of a pool, by place in [`PoolSpec::dirty`] and [`PoolSpec::kept`].
pub(crate) const USED: usize = 0;
pub(crate) const HOLDERS: usize = 1;
pub(crate) const QUEUED: usize = 2;
/// What sessions have cached; in [`PoolSpec::kept`] alone.
pub(crate) const ENTRIES: usize = 3;

/// Something that gauges and choices may read of the pool has changed.
#[inline]
pub(crate) fn changed<W: World>(k: &mut Kernel, key: impl AtPool, what: usize) {
    let spec = spec::<W>(key);
    k.note_change(spec.dirty[what], spec.kept[what], key.key().member);
}

/// The engine that serves the pool's queue.
#[inline]
pub(crate) fn server<W: World>(at: impl AtPool) -> Option<StageKey> {
    let (family, single) = spec::<W>(at).via?;
    let stage = StageKey { family, member: if single { 0 } else { at.key().member } };
    // A queue that is to be admitted via a stage that is no engine waits for ever.
    (W::STAGES[family as usize].kind == StageType::Step).then_some(stage)
}

/// Retries growers, and queues that no engine serves, in declared order; true when anything changed.
#[inline]
pub(crate) fn retry<W: World>(w: &mut W) -> bool {
    !w.kernel().waited_for.is_empty() && retry_all(w)
}

fn retry_all<W: World>(w: &mut W) -> bool {
    let mut changed = false;
    let mut from = 0;
    while let Some(flat) = w.kernel().waited_for.next(from) {
        from = flat + 1;
        let key = w.kernel().pools[flat];
        changed |= grow::retry(w, key);
        if spec::<W>(key).via.is_none() {
            while let Some(first) = w.pool(key).queue.first() {
                let Some(s) = queue::admit(w, key, first) else { break };
                w.kernel_mut().make_ready(s);
                changed = true;
            }
        }
    }
    changed
}

/// Notes whether settles must look at the pool, after its queue or its growers changed.
#[inline]
pub(crate) fn note_waiting<W: World>(w: &mut W, key: impl AtPool) {
    let p = w.pool(key);
    let queue = spec::<W>(key).via.is_none() && !p.queue.is_empty();
    let (flat, on) = (p.flat, queue || !p.growers.is_empty());
    w.kernel_mut().waited_for.put(flat, on);
}

/// Units of the pool that the session leases.
pub fn leased_in<W: World>(w: &W, pool: impl AtPool, s: Sid) -> f64 {
    let k = w.kernel();
    let mut of = Some(s);
    // As `release` has it: what a leg leases itself, or else whoever forked it.
    while let Some(s) = of {
        let leases = k.control(s).leases.iter().map(|&id| &k.allocs[id]);
        let units: f64 = leases.filter(|a| a.pool == pool.key()).map(|a| a.units).sum();
        if units > 0.0 {
            return units;
        }
        of = legs::parent(w, s);
    }
    0.0
}

/// The session's own cached units in the pool; in one that shares prefixes, those that it could hit.
#[inline(always)]
pub fn cached_in<W: World>(w: &mut W, pool: impl AtPool, s: Sid) -> f64 {
    if shared::shares::<W>(pool) {
        return shared::hit_units(w, pool, s);
    }
    if !spec::<W>(pool).cached {
        return 0.0;
    }
    let owner = legs::owner(w, s);
    let (p, k) = w.pool_and_kernel(pool);
    p.own_units(k, owner)
}
