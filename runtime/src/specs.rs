//! What is known of a program when it is compiled: its pools, stages, holds, failures and constants, and the forms in
//! which its emitted code says what it evaluates.

use crate::at::PoolKey;

/// What is known of a pool family when the program is compiled. Members never differ in it.
#[derive(Clone, Copy, Debug)]
pub struct PoolSpec {
    /// Name in reports.
    pub name: &'static str,
    /// A single pool, not a family: the report's index is null.
    pub single: bool,
    /// Some hold of it has a `cache` clause (or it is a spill tier): it may have cached prefixes.
    pub cached: bool,
    /// It has blocks.
    pub blocks: bool,
    /// Something grows it.
    pub grows: bool,
    /// `preempt lifo`.
    pub lifo: bool,
    /// Number of `queue by` keys; 0: fifo.
    pub queue_keys: usize,
    /// They read nothing that changes while sessions wait (true without any).
    pub steady_keys: bool,
    /// Number of `evict by` keys; 0: lru.
    pub evict_keys: usize,
    /// Where evicted prefixes go.
    pub spills: bool,
    /// The engine family that serves its queue, and whether it is a single engine for all members.
    pub via: Option<(u16, bool)>,
    /// Engine families whose `memory` it is (member to member, unless single: then the pool is single).
    pub memory_of: &'static [u16],
    /// Bits of [`Kernel::dirty`](crate::kernel::Kernel::dirty)
    /// to set when `used` changes, when `holders` changes, when `queued` changes.
    pub dirty: [u64; 3],
    /// Which of [`World::KEPT`](crate::world::World::KEPT)
    /// read `used`, `holders`, `queued` and what a session has cached, a bit each.
    pub kept: [u64; 4],
}

/// Kind of a stage family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StageType {
    /// Servers in arrival order.
    Fifo,
    /// Processor sharing among its own jobs.
    Ps,
    /// No waiting.
    Delay,
    /// A step engine.
    Step,
    /// A `ps` stage shared by flows.
    Link,
}

/// What is known of a stage family when the program is compiled.
#[derive(Clone, Copy, Debug)]
pub struct StageSpec {
    /// Name in reports.
    pub name: &'static str,
    /// A single stage: the report's index is null.
    pub single: bool,
    /// Its kind.
    pub kind: StageType,
    /// Engines: one prefill alone, or all decodes.
    pub exclusive: bool,
    /// Engines: `only` is given.
    pub only: bool,
    /// Engines: number of `serve by` keys; 0: admission order.
    pub serve_keys: usize,
    /// Engines: the memory pool's family, and whether it is a single pool for all members.
    pub memory: Option<(u16, bool)>,
    /// Engines: pool families whose queues it serves, in declaration order.
    pub serves: &'static [u16],
    /// Engines: whole runs of decode iterations may be planned at once: `cost` reads totals only and
    /// nothing outside reads the engine or its pools in between (see the plan pass).
    pub plannable: bool,
    /// Engines: where `cost` stands, an index into [`World::SITES`](crate::world::World::SITES).
    pub cost_site: u32,
    /// Bits of [`Kernel::dirty`](crate::kernel::Kernel::dirty)
    /// to set when the number of jobs (or the iteration) changes.
    pub dirty: u64,
    /// Which of [`World::KEPT`](crate::world::World::KEPT)
    /// read the number of jobs, or an iteration's progress, a bit each.
    pub kept: u64,
}

/// What is known of a hold statement when the program is compiled.
#[derive(Clone, Copy, Debug)]
pub struct HoldSpec {
    /// Pools it takes.
    pub claims: usize,
    /// Their families.
    pub pools: &'static [u16],
    /// It has a `cache` clause.
    pub caches: bool,
    /// The clause computes with constants and the session's attributes alone, save `computed`.
    pub plain_cache: bool,
    /// The claim that is leased when its scope ends.
    pub leases: Option<usize>,
    /// It has a `reuse` clause.
    pub reuses: bool,
    /// By claim: its units, and its reserve, read nothing that changes while the session waits; empty
    /// when nothing is known of the header.
    pub steady: &'static [(bool, bool)],
    /// By claim: it is of a constant number, and the pool was found to have as many units when the run started.
    pub checked: &'static [bool],
    /// Where its body begins: the session's `at` after admission.
    pub body: u32,
    /// Index into [`World::SITES`](crate::world::World::SITES).
    pub site: u32,
}

/// A queue of which members fail.
#[derive(Clone, Copy, Debug)]
pub struct FailingQueue {
    /// It has no family of members.
    pub single: bool,
    /// Its pool families.
    pub pools: &'static [u16],
    /// Its stage families.
    pub stages: &'static [u16],
}

/// A member that fails and comes back.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// Its queue: index into [`World::FAILING`](crate::world::World::FAILING).
    pub queue: u16,
    /// Which member.
    pub member: u32,
    /// When, seconds.
    pub at: f64,
    /// For how long, seconds.
    pub lasts: f64,
}

/// A place in the program's source, for errors that a run finds.
#[derive(Clone, Copy, Debug)]
pub struct SourceSite {
    /// The file's name without its folder, or with the last folder if another file is named the same.
    pub file: &'static str,
    /// 1-based.
    pub line: u32,
    /// 1-based, in characters.
    pub col: u32,
    /// The source line, without white space at its end.
    pub text: &'static str,
}

/// No place in the source: an index into [`World::SITES`](crate::world::World::SITES) that names none.
pub const NO_SITE: u32 = u32::MAX;

/// A `let` of the program.
#[derive(Clone, Copy, Debug)]
pub struct ParamSpec {
    /// Its name.
    pub name: &'static str,
    /// Its default as written.
    pub default: &'static str,
    /// The comment on its line.
    pub comment: &'static str,
}

/// A check of constants that a setting does not pass.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The diagnostic's code.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// Where: index into [`World::SITES`](crate::world::World::SITES).
    pub site: u32,
}

/// The `run` block under the settings' values; `None` where the program says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunDefaults {
    /// Seconds.
    pub horizon: Option<f64>,
    /// Seconds.
    pub warmup: Option<f64>,
    /// Seed.
    pub seed: Option<f64>,
    /// Sessions.
    pub arrivals: Option<f64>,
}

/// How sessions arrive.
#[derive(Clone, Copy, Debug)]
pub enum Arrivals {
    /// Rate per second: one at 0, then exponential gaps.
    Poisson(f64),
    /// Gaps by [`World::renewal_gap`](crate::world::World::renewal_gap).
    Renewal,
    /// This many at 0, a new one whenever one ends.
    Closed(f64),
    /// This many at 0.
    Batch(f64),
    /// When the trace says.
    Recorded,
    /// Nobody.
    None,
}

/// The most pools one hold may take, and keys one `by` may have.
pub const MAX_CLAIMS: usize = 8;
/// The most keys of one `by (…)`.
pub const MAX_KEYS: usize = 8;

/// Keys of a `by (…)`, unused ones 0.
pub type Keys = [f64; MAX_KEYS];

/// One pool of a hold's header as evaluated now; units not yet rounded to blocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClaimNow {
    /// Which pool.
    pub pool: PoolKey,
    /// Units to allocate.
    pub units: f64,
    /// Units that must fit; equal to `units` without a `reserve`.
    pub reserve: f64,
}

/// A hold's header as evaluated now.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The first [`HoldSpec::claims`] are meant.
    pub claims: [ClaimNow; MAX_CLAIMS],
    /// Cap of the prefix consumed; infinite without `reuse`.
    pub reuse: f64,
}

impl Default for Header {
    // Where it is inlined, nothing remains of claims that a hold does not have.
    #[inline(always)]
    fn default() -> Self {
        let nothing = ClaimNow { pool: PoolKey { family: 0, member: 0 }, units: 0.0, reserve: 0.0 };
        Self { claims: [nothing; MAX_CLAIMS], reuse: 0.0 }
    }
}
