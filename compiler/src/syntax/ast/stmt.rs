//! Statements of the tree: what a session does, line by line.

use super::{Arg, Expr, Name, Node, Ref};

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
    /// `book POOL (units) reserve (r) reuse (x);`
    Book(Box<Booking>),
    /// `hold POOL { … } cache … lease …`, of what was booked
    Open(Box<Opening>),
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
    /// `fork { … }`
    Fork(Block),
    /// `join;`
    Join,
    /// `choose NAME in count by (keys);`
    Choose { name: Name, count: Expr, keys: Vec<Expr> },
    /// `NAME (args);`: a statement definition's use
    Use { name: Name, args: Vec<Arg> },
    /// `QUEUE.VERB (args) from QUEUE to POOL (n);`, or an `else` block in place of the `;`
    Call {
        queue: Ref,
        verb: Name,
        args: Vec<Arg>,
        from: Option<Ref>,
        to: Option<(Ref, Expr)>,
        otherwise: Option<Block>,
    },
    /// `prefill|decode|tool where amount growing POOL;`
    Serving { form: Node<Form>, place: Option<Place>, amount: Expr, growing: Option<Ref> },
    /// `transfer where amount from POOL to POOL (n);`, or an `else` block in place of the `;`
    Transfer {
        place: Option<TransferPlace>,
        amount: Expr,
        from: Ref,
        to: Ref,
        loaded: Expr,
        otherwise: Option<Block>,
    },
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
    pub lease: Option<Lease>,
}

/// `book POOL (units) reserve (r) reuse (x);`
#[derive(Clone, Debug, PartialEq)]
pub struct Booking {
    /// The pool and units.
    pub claim: Claim,
    /// `reuse (x)`
    pub reuse: Option<Expr>,
}

/// `hold POOL { … }` without units: of what was booked
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// The pool.
    pub pool: Ref,
    /// The scope.
    pub body: Block,
    /// `cache (x)`
    pub cache: Option<Expr>,
    /// `lease POOL (t)`
    pub lease: Option<Lease>,
}

/// `lease POOL (t) renew (period, extension)`
#[derive(Clone, Debug, PartialEq)]
pub struct Lease {
    /// The pool.
    pub pool: Ref,
    /// Seconds.
    pub time: Expr,
    /// Seconds between heartbeats, and what each extends the lease to.
    pub renew: Option<(Expr, Expr)>,
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
