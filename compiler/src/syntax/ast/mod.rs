//! The syntax tree: what the text says, every node with its span, nothing resolved.
//!
//! Two trees compare equal when they say the same, wherever they stand: [`Node`] and [`Ref`] ignore
//! spans in `==`. The printer writes a tree back; print then parse is the identity under that
//! equality.

#![allow(missing_docs)] // the fields of a variant are named in the line of grammar above it

mod expr;
mod stmt;

pub use expr::*;
pub use stmt::*;

use crate::span::Span;

/// A value with its place. Equality ignores the place.
#[derive(Clone, Debug)]
pub struct Node<T> {
    /// What it is.
    pub kind: T,
    /// Where it stands.
    pub span: Span,
}

impl<T: PartialEq> PartialEq for Node<T> {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

/// A name as written.
pub type Name = Node<String>;
/// A file name in quotes, without them.
pub type Str = Node<String>;

/// A comment, kept for the formatter and for `--help` (a `let`'s trailing comment).
#[derive(Clone, Debug)]
pub struct Comment {
    /// With its delimiters.
    pub span: Span,
    /// The text without delimiters, trimmed.
    pub text: String,
}

/// A whole file.
#[derive(Clone, Debug)]
pub struct File {
    /// Items in order.
    pub items: Vec<Item>,
    /// Comments in order.
    pub comments: Vec<Comment>,
}

impl PartialEq for File {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

/// A top-level item.
pub type Item = Node<ItemKind>;

/// Kinds of item.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    /// `let NAME = expr;`
    Let { name: Name, value: Expr },
    /// `use "file";`
    Use { file: Str },
    /// `def f(x) = expr;`
    DefExpr { name: Name, params: Vec<Name>, body: Expr },
    /// `def f(x) { … }`
    DefBlock { name: Name, params: Vec<Name>, body: Block },
    /// `pool NAME[size] { … }`
    Pool(Pool),
    /// `stage NAME[size] : kind;`
    Stage { name: Name, size: Option<Expr>, kind: StageKind },
    /// `queue NAME[size] : role, … { … }`
    Queue(Queue),
    /// `READER pull SOURCE latency x share policy;`, or `SOURCE push READER …`
    Pull {
        /// Where the KV goes.
        reader: Name,
        /// Where it comes from.
        source: Name,
        /// Which of the two posts the copy.
        by: Mover,
        /// The wait of whoever posts it.
        latency: Option<Expr>,
        /// How concurrent copies share the NICs.
        share: Node<Policy>,
    },
    /// `fail QUEUE[i] at t for d;`
    Fail {
        /// The queue, with the index of its member.
        queue: Ref,
        /// When, seconds.
        at: Expr,
        /// For how long, seconds.
        lasts: Expr,
    },
    /// `share policy;`
    Share { policy: Node<Policy> },
    /// `workload { … }`
    Workload { items: Vec<WorkloadItem> },
    /// `session { … }` at top level
    Session { body: Block },
    /// `server { … }`
    Server { body: Block },
    /// `gauge NAME = expr;`
    Gauge { name: Name, value: Expr },
    /// `run { … }`
    Run { options: Vec<RunOption> },
}

/// Who posts a copy between two queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mover {
    /// The reader, which pulls.
    Reader,
    /// The source, which pushes.
    Source,
}

/// How flows share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Progressive filling.
    Maxmin,
    /// Least of capacity over flows along the way.
    Bottleneck,
}

/// An option of `run { }`.
pub type RunOption = Node<(RunField, Expr)>;

/// Fields of `run { }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunField {
    /// `horizon`
    Horizon,
    /// `warmup`
    Warmup,
    /// `seed`
    Seed,
    /// `arrivals`
    Arrivals,
}

/// A pool declaration, at top level or in a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// Its name.
    pub name: Name,
    /// Family size; always `None` inside a queue.
    pub size: Option<Expr>,
    /// Its options.
    pub options: Vec<PoolOption>,
}

/// An option of a pool.
pub type PoolOption = Node<PoolOptionKind>;

/// Kinds of pool option.
#[allow(clippy::large_enum_variant)] // few of them in any program
#[derive(Clone, Debug, PartialEq)]
pub enum PoolOptionKind {
    /// `cap expr;`
    Cap(Expr),
    /// `block expr;`
    Block(Expr),
    /// `evict lru;`
    EvictLru,
    /// `evict by (keys);`
    EvictBy(Vec<Expr>),
    /// `preempt none;`
    PreemptNone,
    /// `preempt lifo;`
    PreemptLifo,
    /// `prefix own;`
    PrefixOwn,
    /// `prefix shared;`
    PrefixShared,
    /// `queue fifo;`
    QueueFifo,
    /// `queue by (keys);`
    QueueBy(Vec<Expr>),
    /// `admit via STAGE;`
    AdmitVia(Ref),
    /// `spill POOL via STAGE (work) when (cond);`
    Spill { to: Ref, via: Ref, work: Expr, when: Expr },
}

/// What a stage is.
pub type StageKind = Node<StageKindKind>;

/// Kinds of stage.
#[derive(Clone, Debug, PartialEq)]
pub enum StageKindKind {
    /// `fifo` or `fifo(c)`
    Fifo(Option<Expr>),
    /// `ps(f)`
    Ps(Expr),
    /// `delay`
    Delay,
    /// `step { … }`
    Step(Vec<StepOption>),
}

/// An option of a step engine.
pub type StepOption = Node<StepOptionKind>;

/// Kinds of step option.
#[derive(Clone, Debug, PartialEq)]
pub enum StepOptionKind {
    /// `budget expr;`
    Budget(Expr),
    /// `cost expr;`
    Cost(Expr),
    /// `chunk expr;`
    Chunk(Expr),
    /// `serve order;`
    Serve(ServeOrder),
    /// `memory POOL;`
    Memory(Ref),
}

/// `serve …` of a step engine.
#[derive(Clone, Debug, PartialEq)]
pub enum ServeOrder {
    /// `exclusive prefill`
    ExclusivePrefill,
    /// Any other, perhaps behind `only (p)`.
    Order {
        /// `only (p)`
        only: Option<Expr>,
        /// The order that follows; `None` when `only (p)` stands alone.
        order: Option<BaseOrder>,
    },
}

/// The order that residents are served in.
#[derive(Clone, Debug, PartialEq)]
pub enum BaseOrder {
    /// `admission`
    Admission,
    /// `by (keys)`
    By(Vec<Expr>),
    /// `decode first`
    DecodeFirst,
}

/// A queue declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// Its name.
    pub name: Name,
    /// Family size.
    pub size: Option<Expr>,
    /// Roles as written.
    pub roles: Vec<Name>,
    /// What it has.
    pub items: Vec<QueueItem>,
}

/// Something inside a queue.
pub type QueueItem = Node<QueueItemKind>;

/// Kinds of queue item.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueItemKind {
    /// `pool NAME { … }`
    Pool(Pool),
    /// `serve kind [latency expr];`
    Serve { kind: StageKind, latency: Option<Expr> },
    /// `nic kind;`, `nic[ranks] kind;`
    Nic { ranks: Option<Expr>, kind: StageKind },
    /// `VERB (params) from NAME { … }`
    Entry { verb: Name, params: Vec<Name>, from: Option<Name>, body: Block },
}

/// Which recorded session a session replays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceOrder {
    /// Any, drawn.
    Drawn,
    /// `ordered`: the next one, the first after the last.
    InOrder,
    /// `at arrival`: the next one, which arrives when it says.
    AtArrival,
}

/// Something inside `workload { }`.
pub type WorkloadItem = Node<WorkloadItemKind>;

/// Kinds of workload item.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkloadItemKind {
    /// `arrive law;`
    Arrive(Node<Arrival>),
    /// `trace "file" [ordered | at arrival];`
    Trace { file: Str, order: TraceOrder },
    /// `hidden a, b;`
    Hidden(Vec<Name>),
    /// `init { … }`
    Init(Block),
    /// `turn { … }`
    Turn(Block),
    /// `session { … }`
    Session(Block),
}

/// The arrival law.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrival {
    /// `poisson(rate)`
    Poisson(Expr),
    /// `renewal(gap)`
    Renewal(Expr),
    /// `closed(n)`
    Closed(Expr),
    /// `batch(n)`
    Batch(Expr),
    /// `none`
    None,
}
