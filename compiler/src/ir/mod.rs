//! The typed IR: a program with nothing left to look up.
//!
//! In: what `resolve` makes of the syntax trees. Out: what `machine`, `plan` and `emit` read.
//! Everything is an id into an arena of [`Program`]; queues, roles, entries, definitions, serving
//! forms and relations are gone: what is left is kernel statements over pool and stage families.
//! It is well formed by construction: lowering and emission cannot fail.

pub mod eval;
pub mod expr;
pub mod names;
pub mod print;
pub mod stmt;
pub mod visit;

pub use expr::*;
pub use stmt::*;

use crate::span::{SourceMap, Span};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);
        impl $name {
            /// As an index into its arena.
            pub fn index(self) -> usize { self.0 as usize }
        }
    )*};
}

ids! {
    /// A `let`: index into [`Program::params`].
    ParamId,
    /// A pool family: index into [`Program::pools`], in declaration order.
    PoolId,
    /// A stage family: index into [`Program::stages`], in declaration order.
    StageId,
    /// A queue: index into [`Program::queues`].
    QueueId,
    /// A user attribute of a session: index into [`Program::attrs`].
    AttrId,
    /// An observation: index into [`Program::observes`].
    ObserveId,
    /// A hold statement of the expanded session: index into [`Program::holds`].
    HoldId,
    /// A variable of an aggregate: index into [`Program::vars`].
    VarId,
    /// A place in the source: index into [`Program::sites`].
    SiteId,
}

/// A whole program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The file's stem: `llmd_nixl_pull`.
    pub name: String,
    /// Every file read, the program's own first.
    pub sources: SourceMap,
    /// Places that kernel statements and fallible expressions came from.
    pub sites: Vec<Site>,
    /// The `let`s, in order; each reads earlier ones only.
    pub params: Vec<Param>,
    /// Pool families in declaration order (a queue's pools where the queue stands).
    pub pools: Vec<Pool>,
    /// Stage families in declaration order (in a queue: its stage, then its NIC, then latency stages).
    pub stages: Vec<Stage>,
    /// The queues: which pools and stages belong to one member.
    pub queues: Vec<Queue>,
    /// User attributes (every name that `set`, `choose` or `mark` gives, entries' as `D.c`).
    pub attrs: Vec<Attr>,
    /// Names of observations, in order of first appearance in the expanded program.
    pub observes: Vec<Observe>,
    /// Gauges in declaration order.
    pub gauges: Vec<Gauge>,
    /// Aggregate variables.
    pub vars: Vec<Var>,
    /// Hold statements, by [`HoldId`]; what the runtime asks of each lives here, its scope in the body.
    pub holds: Vec<Hold>,
    /// Arrivals and trace.
    pub workload: Workload,
    /// The whole life of a session.
    pub session: Block,
    /// How flows share, if anything does.
    pub share: Option<Policy>,
    /// Members of queues that fail, in the order of the text.
    pub failures: Vec<Failure>,
    /// The `run` block.
    pub run: RunOptions,
    /// What must hold of the constants, checked when compiled and again under `--set`.
    pub checks: Vec<Check>,
    /// Notes of the report that the source silences: the note's code and what it is about, the name
    /// of an observation, pool or stage, or a line `FILE:LINE`.
    pub quiet: Vec<(String, String)>,
}

/// A place: the smallest statement or expression a run-time error points at.
#[derive(Clone, Debug)]
pub struct Site {
    /// Where it stands (inside a definition's or an entry's body).
    pub span: Span,
    /// The uses that led there, outermost first.
    pub used_at: Vec<Span>,
}

/// A `let`.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name in the program.
    pub name: String,
    /// Its value, over earlier params only.
    pub value: Expr,
    /// The trailing comment on its line, for `--help`.
    pub comment: String,
    /// The whole `let`.
    pub span: Span,
}

/// A family of pools; a single pool has `size: None`.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Name in reports: `kv`, `P.kv`.
    pub name: String,
    /// Members (a constant); `None` for a single one.
    pub size: Option<Expr>,
    /// The queue it belongs to.
    pub queue: Option<QueueId>,
    /// Capacity in units, a constant; default `inf`.
    pub cap: Expr,
    /// Block size in units, a constant.
    pub block: Option<Expr>,
    /// Eviction order.
    pub evict: Evict,
    /// `preempt lifo`
    pub lifo: bool,
    /// `prefix shared`: cached blocks are known by their contents, whose session ever they were.
    pub prefix_shared: bool,
    /// Keys of `queue by`, empty for fifo. Moment: admission (reads `waited`).
    pub queue_keys: Vec<Expr>,
    /// The engine that serves its queue. A family joins member to member when sizes agree by being
    /// of one queue or one size expression; a single engine serves all members.
    pub admit_via: Option<StageId>,
    /// Where evicted prefixes go.
    pub spill: Option<Spill>,
    /// The declaration.
    pub span: Span,
}

/// Eviction order of a pool.
#[derive(Clone, Debug)]
pub enum Evict {
    /// By release time, then release order.
    Lru,
    /// Smallest keys first. Moment: eviction.
    By(Vec<Expr>),
}

/// `spill T via L (work) when (when)`. Expressions at moment eviction.
#[derive(Clone, Debug)]
pub struct Spill {
    /// The tier.
    pub to: PoolRef,
    /// The stage loaded by the write.
    pub via: StageRef,
    /// Work on it.
    pub work: Expr,
    /// Whether to write.
    pub when: Expr,
}

/// A family of stages.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Name in reports: `tool`, `P`, `P.nic`, `D.nic.latency`.
    pub name: String,
    /// Members (a constant); `None` for a single one.
    pub size: Option<Expr>,
    /// Of NICs, one per rank: those of each member of a queue. They are a family of their own, which `size` counts,
    /// those of one member together.
    pub ranks: Option<Ranks>,
    /// The queue it belongs to.
    pub queue: Option<QueueId>,
    /// What it is.
    pub kind: StageKind,
    /// True when some run takes it together with another: then every run on it is a flow.
    pub shared: bool,
    /// The declaration.
    pub span: Span,
}

/// How many NICs a queue has.
#[derive(Clone, Debug)]
pub struct Ranks {
    /// Members of the queue (a constant); `None` for a single one.
    pub members: Option<Expr>,
    /// NICs of each (a constant).
    pub each: Expr,
}

/// What a stage is.
#[derive(Clone, Debug)]
pub enum StageKind {
    /// Servers (a constant), default 1.
    Fifo(Expr),
    /// Capacity. Moment: rate (reads `present`); a constant when the stage is shared.
    Ps(Expr),
    /// No waiting.
    Delay,
    /// A step engine.
    Step(Step),
}

/// A step engine.
#[derive(Clone, Debug)]
pub struct Step {
    /// Tokens per iteration; `None`: no limit. Moment: plan.
    pub budget: Option<Expr>,
    /// Cap of a prefill chunk; `None`: none. Moment: plan.
    pub chunk: Option<Expr>,
    /// Seconds of an iteration. Moment: step.
    pub cost: Expr,
    /// The order of service.
    pub serve: Serve,
    /// The pool whose units are its residents' memory (member to member, or a single pool).
    pub memory: Option<PoolId>,
}

/// The order of service of an engine.
#[derive(Clone, Debug)]
pub enum Serve {
    /// One prefill alone, or all decodes.
    ExclusivePrefill,
    /// Keys (empty: admission order; `decode first` is the key `decoding ? 0 : 1`), and `only`.
    By {
        /// Moment: only.
        only: Option<Expr>,
        /// Moment: serve. Ties by admission number, then by the order the runs started.
        keys: Vec<Expr>,
        /// The order was written `decode first`.
        decode_first: bool,
    },
}

/// A queue: one struct per member in the emitted crate.
#[derive(Clone, Debug)]
pub struct Queue {
    /// Its name.
    pub name: String,
    /// Members; `None` for a single queue.
    pub size: Option<Expr>,
    /// Its pools, in order.
    pub pools: Vec<PoolId>,
    /// Its stages, in order: own stage, NIC, latency stages.
    pub stages: Vec<StageId>,
    /// A gateway owns nothing.
    pub span: Span,
}

/// `fail QUEUE[member] at t for d;`
#[derive(Clone, Debug)]
pub struct Failure {
    /// The queue.
    pub queue: QueueId,
    /// Which member, a constant; `None` for a single queue.
    pub member: Option<Expr>,
    /// When, seconds, a constant.
    pub at: Expr,
    /// For how long, seconds, a constant.
    pub lasts: Expr,
    /// The item.
    pub span: Span,
}

/// A user attribute.
#[derive(Clone, Debug)]
pub struct Attr {
    /// Its name: `K`, `D.c` (an entry's own).
    pub name: String,
    /// Bool when it is only ever set to bools.
    pub ty: Ty,
    /// Declared `hidden`.
    pub hidden: bool,
}

/// An observation.
#[derive(Clone, Debug)]
pub struct Observe {
    /// Its name in reports.
    pub name: String,
}

/// A gauge. Moment: gauge.
#[derive(Clone, Debug)]
pub struct Gauge {
    /// Its name in reports.
    pub name: String,
    /// What it reads.
    pub value: Expr,
    /// The declaration.
    pub span: Span,
}

/// A variable of an aggregate.
#[derive(Clone, Debug)]
pub struct Var {
    /// As written.
    pub name: String,
}

/// How sessions arrive and what they bring.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The law.
    pub arrival: Arrival,
    /// The trace file.
    pub trace: Option<Trace>,
    /// Run when a session is created.
    pub init: Block,
    /// Run at every `turn;`.
    pub turn: Block,
}

/// The arrival law.
#[derive(Clone, Debug)]
pub enum Arrival {
    /// Rate per second, a constant.
    Poisson(Expr),
    /// Gap in seconds, drawn anew each time. Moment: arrival.
    Renewal(Expr),
    /// Population, a constant.
    Closed(Expr),
    /// Sessions at 0, a constant.
    Batch(Expr),
    /// When the trace says.
    Recorded,
    /// Nobody.
    None,
}

pub use crate::syntax::ast::TraceOrder;

/// The text of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceText {
    /// The whole of it: there is no file to open later.
    Whole(String),
    /// Opened at this path when a run starts.
    At(String),
}

/// `trace "file" [ordered | at arrival];`
#[derive(Clone, Debug)]
pub struct Trace {
    /// The path as written, relative to the program's file.
    pub path: String,
    /// Its text.
    pub text: TraceText,
    /// Which recorded session a session replays.
    pub order: TraceOrder,
    /// The item.
    pub span: Span,
}

/// How flows share.
pub use crate::syntax::ast::Policy;

/// The `run` block: constants.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Seconds.
    pub horizon: Option<Expr>,
    /// Seconds; default 0.
    pub warmup: Option<Expr>,
    /// Default 1.
    pub seed: Option<Expr>,
    /// Sessions after which an open workload stops.
    pub arrivals: Option<Expr>,
}

/// Something that must hold of constants.
#[derive(Clone, Debug)]
pub struct Check {
    /// A bool over params: true is good.
    pub cond: Expr,
    /// The diagnostic's code.
    pub code: &'static str,
    /// What is wrong when it is false, names in backticks.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// Where.
    pub span: Span,
}
