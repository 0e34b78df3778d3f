//! What an emitted program is to the runtime: the [`World`] trait, and what its functions are handed.
//!
//! The emitted `Model` owns the [`Kernel`], the sessions' attributes and one
//! struct per queue member. The runtime's operations (`hold`, `release`, `run_on`, an engine's
//! iteration, …) are free functions over `W: World`: each is compiled anew for the one program, with
//! the program's cost functions and keys inlined into it.
//!
//! Families are numbered in declaration order: pools `0..POOLS.len()`, stages `0..STAGES.len()`;
//! `(family, member)` names one of them. Sessions are numbered by slot ([`Sid`]); a slot is used
//! again after its session ended.

use crate::{
    engine::{Engine, Iteration, Resident, Totals},
    kept::KeptSpec,
    kernel::Kernel,
    pool::{EvictView, Pool},
    settings::Settings,
    station::{Delay, Fifo, Link, Ps},
    trace::TraceSpec,
};

pub use crate::{at::*, specs::*};

/// A session's slot.
pub type Sid = u32;

/// A compiled program.
///
/// Everything here is emitted, save what a program has no use for: accessors of kinds of stages that it
/// does not have, and clauses that none of its declarations say. Functions that evaluate the program's
/// expressions may raise a fault ([`Kernel::fault`]) and then return any value; the run stops after the
/// current event.
#[allow(unused_variables)]
pub trait World: Sized {
    /// The program's name.
    const NAME: &'static str;
    /// Pool families.
    const POOLS: &'static [PoolSpec];
    /// Stage families.
    const STAGES: &'static [StageSpec];
    /// Hold statements.
    const HOLDS: &'static [HoldSpec];
    /// Source places.
    const SITES: &'static [SourceSite];
    /// Where a session goes on ([`Control::at`](crate::kernel::Control::at)) and the place of the
    /// statement that it waited at, or of the one that comes next: for errors that no expression raises.
    const WAITS: &'static [(u32, u32)] = &[];
    /// Place of the arrival law.
    const ARRIVE_SITE: u32 = NO_SITE;
    /// Place of the number of arrivals, where the program says it.
    const ARRIVALS_SITE: u32 = NO_SITE;
    /// The `let`s.
    const PARAMS: &'static [ParamSpec];
    /// Observations' names.
    const OBSERVES: &'static [&'static str];
    /// Gauges' names.
    const GAUGES: &'static [&'static str];
    /// What is kept of the members of families that are wide.
    const KEPT: &'static [KeptSpec] = &[];
    /// The trace that sessions replay.
    const TRACE: TraceSpec = TraceSpec::None;
    /// Eviction keys or spill clauses read session attributes: entries keep a copy of them.
    const ENTRY_ATTRS: bool;
    /// Some queue key or header outside the engines depends on the clock or on an engine's progress.
    const RESTLESS: bool;
    /// Some expression reads an estimate of a stage (`est_lambda`, `est_rho`, `est_wait`, `price`).
    const ESTIMATES: bool = false;
    /// Pool families whose cached prefixes sessions share, block by block.
    const SHARED: &'static [u16] = &[];
    /// Stage families that are the NICs of queues with several for each member, numbered member by member.
    const NICS: &'static [u16] = &[];
    /// Families of fifo stages that have one server, whatever the settings.
    const ONE_SERVER: &'static [u16] = &[];
    /// Sessions fork legs.
    const LEGS: bool = false;
    /// Queues of which members fail.
    const FAILING: &'static [FailingQueue] = &[];
    /// Some lease is renewed.
    const RENEWS: bool = false;
    /// Notes that the program silences: the note's code, and what it is about (the name of an
    /// observation, pool or stage, or `FILE:LINE`).
    const QUIET: &'static [(&'static str, &'static str)] = &[];
    /// The session's attributes.
    type Attrs: Clone + Default;

    /// Value of `let` number `i`, given the values of others (asked of `value` by number).
    fn param(i: usize, value: &mut dyn FnMut(usize) -> f64) -> f64 {
        f64::NAN
    }
    /// Checks the constants, then builds pools and stages. `values` has one value per `let`.
    fn new(values: &[f64], settings: &Settings) -> Result<Self, Vec<Refusal>>;
    /// The `run` block under these values.
    fn run_defaults(values: &[f64]) -> RunDefaults;

    /// The kernel.
    fn kernel(&self) -> &Kernel;
    /// The kernel.
    fn kernel_mut(&mut self) -> &mut Kernel;
    /// Members of pool family `f`.
    fn pool_count(&self, f: usize) -> usize {
        0
    }
    /// A pool.
    fn pool(&self, at: impl AtPool) -> &Pool<Self::Attrs> {
        unreachable!("no pool")
    }
    /// A pool.
    fn pool_mut(&mut self, at: impl AtPool) -> &mut Pool<Self::Attrs> {
        unreachable!("no pool")
    }
    /// A pool, and the kernel beside it.
    fn pool_and_kernel(&mut self, at: impl AtPool) -> (&mut Pool<Self::Attrs>, &mut Kernel) {
        unreachable!("no pool")
    }
    /// Members of stage family `f`.
    fn stage_count(&self, f: usize) -> usize {
        0
    }
    /// A fifo stage; only for families of that kind, as the next ones.
    fn fifo(&self, at: impl AtStage) -> &Fifo {
        unreachable!("no fifo stage")
    }
    /// A fifo stage.
    fn fifo_mut(&mut self, at: impl AtStage) -> &mut Fifo {
        unreachable!("no fifo stage")
    }
    /// A ps stage.
    fn ps(&self, at: impl AtStage) -> &Ps {
        unreachable!("no ps stage")
    }
    /// A ps stage.
    fn ps_mut(&mut self, at: impl AtStage) -> &mut Ps {
        unreachable!("no ps stage")
    }
    /// A delay stage.
    fn delay(&self, at: impl AtStage) -> &Delay {
        unreachable!("no delay stage")
    }
    /// A delay stage.
    fn delay_mut(&mut self, at: impl AtStage) -> &mut Delay {
        unreachable!("no delay stage")
    }
    /// A step engine.
    fn engine(&self, at: impl AtStage) -> &Engine {
        unreachable!("no engine stage")
    }
    /// A step engine.
    fn engine_mut(&mut self, at: impl AtStage) -> &mut Engine {
        unreachable!("no engine stage")
    }
    /// A step engine, the pool that is its memory if it has one, and the kernel: all three at once.
    fn engine_parts(
        &mut self,
        at: impl AtStage,
    ) -> (&mut Engine, Option<&mut Pool<Self::Attrs>>, &mut Kernel) {
        unreachable!("no engine stage")
    }
    /// A stage shared by flows.
    fn link(&self, at: impl AtStage) -> &Link {
        unreachable!("no link stage")
    }
    /// A stage shared by flows.
    fn link_mut(&mut self, at: impl AtStage) -> &mut Link {
        unreachable!("no link stage")
    }
    /// Does something with a hold statement by code made for it.
    #[inline]
    fn on_hold<O: OnHold<Self>>(&mut self, hold: u32, op: O) -> O::Out {
        op.run(self, hold)
    }
    /// Does something with a step engine by code made for its family.
    #[inline]
    fn on_engine<O: OnStage<Self>>(&mut self, stage: StageKey, op: O) -> O::Out {
        op.run(self, stage)
    }
    /// Does something with a fifo, ps or delay stage by code made for its family.
    #[inline]
    fn on_station<O: OnStage<Self>>(&mut self, stage: StageKey, op: O) -> O::Out {
        op.run(self, stage)
    }
    /// A session's attributes.
    fn attrs(&self, s: Sid) -> &Self::Attrs;
    /// A session's attributes (grown to hold slot `s`, reset to default by the runtime at a start).
    fn attrs_mut(&mut self, s: Sid) -> &mut Self::Attrs;

    /// The arrival law.
    fn arrivals(&self) -> Arrivals;
    /// A gap of `renewal(…)`; draws from [`Kernel::arrival_rng`].
    fn renewal_gap(&mut self) -> f64 {
        f64::INFINITY
    }
    /// The workload's `init` block for a session just created (draws from [`Kernel::turn_rng`]).
    fn init_block(&mut self, s: Sid) {}
    /// The workload's `turn` block (draws from [`Kernel::turn_rng`]).
    fn turn_block(&mut self, s: Sid) {}
    /// Runs session `s` on from its `at` until it waits or ends (statements take no time).
    fn resume(&mut self, s: Sid);
    /// As [`resume`](World::resume), of a session that was just admitted: from the start of this hold's body on.
    #[inline(always)]
    fn run_body(&mut self, s: Sid, hold: impl AtHold) {
        self.resume(s);
    }
    /// Evaluates a hold's header for `s` (reads live state; `budget_left` of the engine).
    fn header(&mut self, s: Sid, hold: impl AtHold) -> Header {
        Header::default()
    }
    /// As [`header`](World::header), of a session that joins the queue, where what it claims is only held against what
    /// the pools ever have: units that are at most the reserve may be said to be 0.
    #[inline(always)]
    fn joining_header(&mut self, s: Sid, hold: impl AtHold) -> Header {
        self.header(s, hold)
    }
    /// The `cache` clause of a hold, as it stands.
    fn cache_clause(&mut self, s: Sid, hold: u32) -> f64 {
        0.0
    }
    /// The `lease` clause's time of a hold.
    fn lease_clause(&mut self, s: Sid, hold: u32) -> f64 {
        0.0
    }
    /// The `renew` clause of a hold's lease: seconds between heartbeats, and what each extends it to.
    fn renew_clause(&mut self, s: Sid, hold: u32) -> Option<(f64, f64)> {
        None
    }
    /// Members that fail, under the settings' values.
    fn failures(&self) -> Vec<Failure> {
        Vec::new()
    }
    /// `queue by` keys of `s`, waiting `waited` seconds in this pool's queue.
    fn queue_keys(&mut self, pool: PoolKey, s: Sid, waited: f64) -> Keys {
        keys([])
    }
    /// `evict by` keys of an entry whose session's attributes are `attrs`.
    fn evict_keys(&mut self, pool: PoolKey, attrs: &Self::Attrs, view: &EvictView) -> Keys {
        keys([])
    }
    /// A pool's `spill`: whether this piece goes, to which pool, over which stage, how much work.
    fn spill(
        &mut self,
        pool: PoolKey,
        attrs: &Self::Attrs,
        view: &EvictView,
    ) -> Option<(PoolKey, StageKey, f64)> {
        None
    }
    /// Capacity of a ps stage with `present` jobs.
    fn ps_capacity(&mut self, at: impl AtStage, present: f64) -> f64 {
        0.0
    }
    /// An engine's budget; infinite without one.
    fn budget(&mut self, stage: impl AtStage, totals: &Totals) -> f64 {
        f64::INFINITY
    }
    /// An engine's chunk; 0 without one.
    fn chunk(&mut self, stage: impl AtStage, totals: &Totals) -> f64 {
        0.0
    }
    /// Seconds of an iteration.
    fn cost(&mut self, stage: impl AtStage, iteration: &Iteration) -> f64 {
        0.0
    }
    /// `serve by` keys of a resident.
    fn serve_keys(&mut self, stage: impl AtStage, totals: &Totals, resident: &Resident) -> Keys {
        keys([])
    }
    /// `serve only`.
    fn only(&mut self, stage: impl AtStage, totals: &Totals, resident: &Resident) -> bool {
        true
    }
    /// The gauges that read something of which a bit is set in `dirty`, as they are now.
    fn read_gauges(&mut self, dirty: u64) {}
}

/// What a session does after a state's code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// It goes on at once in another state.
    Go(u32),
    /// It waits, or has ended.
    Wait,
}

/// The session goes on at once in state `at`, whose code is `state`, in a program where no way leads back to a state
/// without waiting: they need not be counted.
#[inline]
pub fn go_on<W: World>(w: &mut W, s: Sid, at: u32, state: impl FnOnce(&mut W, Sid)) {
    let k = w.kernel_mut();
    k.control_mut(s).at = at;
    if !k.has_fault() {
        state(w, s);
    }
}

/// Whether keys `a` come before keys `b`: the first pair that differs decides, a NaN compares as equal.
#[inline]
pub fn less<const N: usize>(a: &[f64; N], b: &[f64; N]) -> bool {
    let mut i = 0;
    while i < N {
        if a[i] < b[i] {
            return true;
        }
        if a[i] > b[i] {
            return false;
        }
        i += 1;
    }
    false
}

/// Keys of a `by (…)` as the runtime takes them.
#[inline]
pub fn keys<const N: usize>(given: [f64; N]) -> Keys {
    let mut all = [0.0; MAX_KEYS];
    all[..N].copy_from_slice(&given);
    all
}

/// Notes a check of constants that does not hold.
pub fn check(
    holds: bool,
    code: &'static str,
    message: &str,
    site: u32,
    refused: &mut Vec<Refusal>,
) {
    if !holds {
        refused.push(Refusal { code, message: message.to_string(), site });
    }
}
