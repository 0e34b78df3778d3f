//! The syntax tree: what the text says, every node with its span, nothing resolved.
//!
//! Two trees compare equal when they say the same, wherever they stand: [`Node`] and [`Ref`] ignore
//! spans in `==`. The printer writes a tree back; print then parse is the identity under that
//! equality.

#![allow(missing_docs)] // the fields of a variant are named in the line of grammar above it

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
    /// `READER pull SOURCE latency x share policy;`
    Pull { reader: Name, source: Name, latency: Option<Expr>, share: Node<Policy> },
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
    /// `nic kind;`
    Nic { kind: StageKind },
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

/// `{ … }` of statements; the span covers the braces.
pub type Block = Node<Vec<Stmt>>;

/// A statement.
pub type Stmt = Node<StmtKind>;

/// Kinds of statement.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `turn;`
    Turn,
    /// `end;`
    End,
    /// `request [QUEUE];`
    Request(Option<Name>),
    /// `set NAME = expr;`
    Set { name: Name, value: Expr },
    /// `observe NAME = expr;`
    Observe { name: Name, value: Expr },
    /// `mark NAME;`
    Mark { name: Name },
    /// `hold … { … } cache … lease …`
    Hold(Box<Hold>),
    /// `grow POOL (d);`
    Grow { pool: Ref, amount: Expr },
    /// `drop POOL;`
    Drop { pool: Ref },
    /// `release POOL;`
    Release { pool: Ref },
    /// `load POOL (n);`
    Load { pool: Ref, amount: Expr },
    /// `run STAGE, … mode (w) growing POOL;`
    Run {
        /// The stages; empty inside an entry that means its own.
        stages: Vec<Ref>,
        /// `prefill` or `decode`.
        mode: Option<Node<Mode>>,
        /// The work.
        work: Expr,
        /// `growing POOL`
        growing: Option<Ref>,
    },
    /// `branch [with] (guard) { … } else { … }`
    Branch { with: bool, guard: Expr, then: Block, otherwise: Option<Block> },
    /// `loop { … }`
    Loop(Block),
    /// `choose NAME in count by (keys);`
    Choose { name: Name, count: Expr, keys: Vec<Expr> },
    /// `NAME (args);`: a statement definition's use
    Use { name: Name, args: Vec<Arg> },
    /// `QUEUE.VERB (args) from QUEUE to POOL (n);`
    Call { queue: Ref, verb: Name, args: Vec<Arg>, from: Option<Ref>, to: Option<(Ref, Expr)> },
    /// `prefill|decode|tool where amount growing POOL;`
    Serving { form: Node<Form>, place: Option<Place>, amount: Expr, growing: Option<Ref> },
    /// `transfer where amount from POOL to POOL (n);`
    Transfer { place: Option<TransferPlace>, amount: Expr, from: Ref, to: Ref, loaded: Expr },
}

/// Mode of a run on a step engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Chunks as large as budget and cap allow.
    Prefill,
    /// One token an iteration.
    Decode,
}

/// A serving form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `prefill`
    Prefill,
    /// `decode`
    Decode,
    /// `tool`
    Tool,
}

/// Where a serving form runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// `[index]`
    Index(Expr),
    /// `on STAGE`
    On(Ref),
}

/// Where a transfer runs.
#[derive(Clone, Debug, PartialEq)]
pub enum TransferPlace {
    /// `[index]`
    Index(Expr),
    /// `on STAGE, …`
    On(Vec<Ref>),
}

/// `hold …`
#[derive(Clone, Debug, PartialEq)]
pub struct Hold {
    /// The pools and units.
    pub claims: Vec<Claim>,
    /// `reuse (x)`
    pub reuse: Option<Expr>,
    /// `at admission (a = x, …)`
    pub bindings: Vec<(Name, Expr)>,
    /// The scope.
    pub body: Block,
    /// `cache (x)`
    pub cache: Option<Expr>,
    /// `lease POOL (t)`
    pub lease: Option<(Ref, Expr)>,
}

/// `POOL (units) reserve (r)`
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The pool.
    pub pool: Ref,
    /// Units.
    pub units: Expr,
    /// `reserve (r)`
    pub reserve: Option<Expr>,
}

/// A reference to a pool, a stage or a queue: `kv`, `kv[j]`, `P.kv`, `P[i].kv`, `D.nic[j]`.
#[derive(Clone, Debug)]
pub struct Ref {
    /// The dotted names, at least one.
    pub path: Vec<Name>,
    /// The index and the number of names it stands after (1: after the family's name).
    pub index: Option<(usize, Box<Expr>)>,
    /// The whole reference.
    pub span: Span,
}

impl PartialEq for Ref {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && self.index == other.index
    }
}

/// An argument: an expression. A bare or indexed reference (`kv[j]`, `P[i].kv`) is
/// [`ExprKind::Ref`] when it cannot be read as another expression; a bare name or `Q.name` is
/// [`ExprKind::Name`] or [`ExprKind::Field`] and means a pool or stage where one is expected.
pub type Arg = Expr;

/// An expression.
pub type Expr = Node<ExprKind>;

/// Kinds of expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A number, with the text it was written as (printed back as written).
    Num {
        /// Its value; `inf` is `f64::INFINITY`.
        value: f64,
        /// As written.
        text: String,
    },
    /// A bare name.
    Name(String),
    /// `self`
    SelfIndex,
    /// `f(args)`
    Call { name: Name, args: Vec<Arg> },
    /// `~dist(args)`
    Draw { dist: Name, args: Vec<Expr> },
    /// `max k in n (e)`
    Aggregate { op: Node<AggregateOp>, var: Name, count: Box<Expr>, body: Box<Expr> },
    /// `Q.name` where no index stands
    Field { queue: Name, name: Name },
    /// A reference with an index or more than two names.
    Ref(Ref),
    /// `-e`, `!e`
    Unary { op: UnaryOp, expr: Box<Expr> },
    /// `a + b - c`: operators of one level, applied from the left. [`ExprKind::infix`] makes them.
    Chain { first: Box<Expr>, rest: Vec<(BinaryOp, Expr)> },
    /// `c ? a : b`
    Cond { test: Box<Expr>, yes: Box<Expr>, no: Box<Expr> },
    /// `(e)`; kept so that a place inside parentheses prints back as written
    Paren(Box<Expr>),
}

/// `max`, `min`, `sum` over a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateOp {
    /// Greatest.
    Max,
    /// Least.
    Min,
    /// Total.
    Sum,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`
    Not,
}

/// Infix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `<`
    Lt,
    /// `>`
    Gt,
    /// `<=`
    Le,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `^`
    Pow,
}

impl ExprKind {
    /// `left op right`. A `left` of the same level is made longer, so that a chain of thousands is
    /// no deeper than one of two; a comparison and a `^` have one operator only.
    pub fn infix(left: Expr, op: BinaryOp, right: Expr) -> ExprKind {
        match left {
            Node { kind: ExprKind::Chain { first, mut rest }, .. }
                if op.chains()
                    && rest.iter().take(1).all(|(one, _)| one.binding() == op.binding()) =>
            {
                rest.push((op, right));
                ExprKind::Chain { first, rest }
            }
            left => ExprKind::Chain { first: Box::new(left), rest: vec![(op, right)] },
        }
    }

    /// How tightly the operators of a chain bind; `None` of everything else.
    pub fn chain_binding(&self) -> Option<u8> {
        match self {
            ExprKind::Chain { rest, .. } => rest.first().map(|(op, _)| op.binding()),
            _ => None,
        }
    }
}

impl UnaryOp {
    /// How tightly it binds its operand, on the scale of [`BinaryOp::binding`].
    pub const BINDING: u8 = 6;

    /// As written.
    pub fn text(self) -> &'static str {
        match self {
            UnaryOp::Neg => "-",
            UnaryOp::Not => "!",
        }
    }
}

impl BinaryOp {
    /// How tightly it binds: greater is tighter.
    pub fn binding(self) -> u8 {
        match self {
            BinaryOp::Or => 1,
            BinaryOp::And => 2,
            BinaryOp::Lt
            | BinaryOp::Gt
            | BinaryOp::Le
            | BinaryOp::Ge
            | BinaryOp::Eq
            | BinaryOp::Ne => 3,
            BinaryOp::Add | BinaryOp::Sub => 4,
            BinaryOp::Mul | BinaryOp::Div => 5,
            BinaryOp::Pow => 7,
        }
    }

    /// Is it a comparison?
    pub fn compares(self) -> bool {
        self.binding() == BinaryOp::Eq.binding()
    }

    /// Do several stand in a row, applied from the left?
    pub fn chains(self) -> bool {
        !self.compares() && self != BinaryOp::Pow
    }

    /// As written.
    pub fn text(self) -> &'static str {
        match self {
            BinaryOp::Or => "||",
            BinaryOp::And => "&&",
            BinaryOp::Lt => "<",
            BinaryOp::Gt => ">",
            BinaryOp::Le => "<=",
            BinaryOp::Ge => ">=",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Pow => "^",
        }
    }
}
