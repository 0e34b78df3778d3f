//! Statements of a session, and what they name.

use super::{AttrId, Expr, HoldId, ObserveId, PoolId, QueueId, SiteId, StageId};

/// Statements in order.
pub type Block = Vec<Stmt>;

/// A kernel statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it came from.
    pub site: SiteId,
}

/// Kinds of kernel statement; their fields are named for the clause they hold.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum StmtKind {
    /// The next turn.
    Turn,
    /// The session ends.
    End,
    /// `set`, and `mark` (value `now`).
    Set { attr: AttrId, value: Expr },
    /// The index with the least keys goes to `attr` (which the keys read as the candidate).
    Choose { attr: AttrId, count: Expr, keys: Vec<Expr> },
    /// A sample.
    Observe { observe: ObserveId, value: Expr },
    /// A hold: its claims and clauses are [`Program::holds`](super::Program::holds)`[id]`.
    Hold { hold: HoldId, body: Block },
    /// A leg that joins the queue of a hold's first pool, and keeps what it gets for the hold that opens it.
    Book { hold: HoldId },
    /// Enters, as the hold `hold`, what was booked as `booking`, waiting for it if need be.
    Open { hold: HoldId, booking: HoldId, body: Block },
    /// Enlarges the innermost hold of `pool`.
    Grow { pool: PoolRef, amount: Expr },
    /// Discards the session's own prefix in `pool`.
    Drop { pool: PoolRef },
    /// The prompt goes on with `tokens` tokens that all sessions have who say the same key here.
    Prefix { key: Expr, tokens: Expr },
    /// Gives the innermost hold of `pool` back, else ends the oldest lease of it.
    Release { pool: PoolRef },
    /// Advances the hold's position.
    Load { pool: PoolRef, amount: Expr },
    /// Work on one stage, or a flow over several.
    Run {
        /// The stages, at least one.
        stages: Vec<StageRef>,
        /// On a step engine: how it is served (a step run without a mode is decode unless said; see `mode`).
        mode: Mode,
        /// Seconds, tokens or units of work.
        work: Expr,
        /// The hold that grows as it runs.
        growing: Option<PoolRef>,
    },
    /// Work divided among the NICs of both ends, of which each names the first: as many equal parts as the end has
    /// that has more.
    Fan { ends: [StageRef; 2], work: Expr },
    /// `check`: the guard is not statically a bool, so that it must be tested to be 0 or 1 when it runs.
    Branch { guard: Expr, check: bool, then: Block, otherwise: Block },
    /// Work at member `index` of a queue that may fail: then what the session took there is given up, and
    /// it goes on in `otherwise`, at once if the member is down already.
    Guarded { queue: QueueId, index: Option<Box<Expr>>, body: Block, otherwise: Block },
    /// Again and again until `end`.
    Loop(Block),
    /// A leg that runs beside whoever forks it.
    Fork(Block),
    /// Waits for the legs forked so far.
    Join,
}

/// Mode of a run; [`Mode::Decode`] where nothing is said on a step engine.
pub use crate::syntax::ast::Mode;

/// A hold statement's header and clauses.
#[derive(Clone, Debug)]
pub struct Hold {
    /// What it takes, in order; the first pool's queue is joined.
    pub claims: Vec<Claim>,
    /// Cap of the prefix consumed. Moment: admission.
    pub reuse: Option<Expr>,
    /// Moment: session, read when an allocation is released.
    pub cache: Option<Expr>,
    /// Which claim is leased when the scope ends, and for how long (moment: session).
    pub lease: Option<(usize, Expr)>,
    /// Of the lease: seconds between the heartbeats of its reader, and what each extends it to from then
    /// (moment: session, read with the lease's time).
    pub renew: Option<(Expr, Expr)>,
    /// The hold that encloses it lexically.
    pub parent: Option<HoldId>,
    /// The statement.
    pub site: SiteId,
}

/// One pool of a hold. Admission bindings are substituted into the expressions.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The pool.
    pub pool: PoolRef,
    /// Moment: admission.
    pub units: Expr,
    /// Moment: admission; `None`: the units.
    pub reserve: Option<Expr>,
}

/// A member of a pool family.
#[derive(Clone, Debug)]
pub struct PoolRef {
    /// The family.
    pub pool: PoolId,
    /// Which member; `None`: the only one (or member 0 of a family of one).
    pub index: Option<Box<Expr>>,
    /// For an error of the index.
    pub site: SiteId,
}

/// A member of a stage family.
#[derive(Clone, Debug)]
pub struct StageRef {
    /// The family.
    pub stage: StageId,
    /// Which member; `None`: the only one.
    pub index: Option<Box<Expr>>,
    /// For an error of the index.
    pub site: SiteId,
}
