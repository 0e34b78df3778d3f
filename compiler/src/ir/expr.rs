//! Expressions of the IR: typed, resolved, every name an id.

use super::{AttrId, ParamId, PoolRef, SiteId, StageId, StageRef, VarId};

/// Static type. Every value is an `f64` at run time; a bool is 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    /// Any number.
    Num,
    /// 0 or 1 for certain.
    Bool,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its static type.
    pub ty: Ty,
    /// Where it stands.
    pub site: SiteId,
}

/// Kinds of expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number (`inf` and what constants folded to).
    Num(f64),
    /// A `let`.
    Param(ParamId),
    /// A user attribute of the session.
    Attr(AttrId),
    /// A built-in attribute of the session.
    Builtin(Builtin),
    /// Something that exists at this moment only.
    Ctx(Ctx),
    /// An aggregate's variable.
    Var(VarId),
    /// The member's own index, in an expression of a family that has no session: a queue's cost,
    /// budget, capacity, keys. (`self` in an entry is the caller's index, substituted.)
    Member,
    /// `-x`
    Neg(Box<Expr>),
    /// `!x`
    Not(Box<Expr>),
    /// `a op b op c`: operators of one level, at least one, applied from the left; comparisons and
    /// `^` have one only.
    Chain(Box<Expr>, Vec<(BinaryOp, Expr)>),
    /// `c ? a : b`: any non-zero (NaN too) is true
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A function of numbers.
    Math(Math, Vec<Expr>),
    /// A reading of a pool.
    Pool(PoolFn, PoolRef),
    /// A reading of a stage.
    Stage(StageFn, StageRef),
    /// `price(stage, s_hit, ds)`
    Price(StageRef, Box<Expr>, Box<Expr>),
    /// A draw.
    Draw(Dist, Vec<Expr>),
    /// `op k in count (body)`; count is a constant.
    Aggregate(AggregateOp, VarId, Box<Expr>, Box<Expr>),
    /// Only as the index of a stage with ranks, which it names: the queue's member (`None`: the only one), and which
    /// of that one's NICs.
    Nic(StageId, Option<Box<Expr>>, Box<Expr>),
}

pub use crate::syntax::ast::{AggregateOp, BinaryOp};

/// Built-in attributes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Builtin {
    /// 0, 1, … in arrival order.
    Serial,
    /// 1 at the first turn.
    TurnNo,
    /// Units of its own prefix consumed at the last admission.
    Cached,
    /// Position reached by a preempted hold.
    Computed,
    /// Trace: new tokens.
    New,
    /// Trace: output tokens.
    Out,
    /// Trace: think time.
    Think,
    /// Trace: 1 while a turn remains.
    More,
    /// Trace: the sixth column.
    Forced,
}

/// Names that exist at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Ctx {
    /// The clock, seconds.
    Now,
    /// Seconds in this queue (queue keys).
    Waited,
    /// Units of the entry (a key) or of the piece (a spill clause).
    Size,
    /// Seconds since its release.
    Age,
    /// Time of its release.
    Last,
    /// 1 when the entry's session waits in this pool's queue.
    Waiting,
    /// Jobs at a ps stage.
    Present,
    /// Jobs on the engine.
    Residents,
    /// Those decoding (in cost: scheduled).
    Decoders,
    /// Units of the decoding ones.
    KvDecode,
    /// Units of the prefilling ones.
    KvPrefill,
    /// 1 for a decoding resident.
    Decoding,
    /// Admission number of the resident.
    Admission,
    /// Tokens left of its run.
    Remaining,
    /// Tokens scheduled in this iteration.
    Tokens,
    /// The prefill part of them.
    Prefilled,
    /// Sum over prefill chunks of n*(K + n/2).
    Attention,
}

/// Functions of numbers. `min` and `max` ignore a NaN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Math {
    Min,
    Max,
    Abs,
    Floor,
    Ceil,
    Sqrt,
    Exp,
    Ln,
    Pow,
}

/// Readings of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PoolFn {
    /// Units allocated.
    Used,
    /// Capacity minus allocated.
    Free,
    /// The reading session's own cached units.
    CachedIn,
    /// The reading session's own leased units.
    Leased,
    /// Sessions with an allocation.
    Holders,
    /// Sessions in its queue.
    Queued,
    /// Its block size (a constant; only of a pool that has blocks).
    BlockSize,
}

/// Readings of a stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StageFn {
    /// Jobs present.
    Queue,
    /// Jobs in service (on an engine: in the iteration).
    Busy,
    /// Unfinished work.
    Work,
    /// What a plan made now would leave of the budget.
    BudgetLeft,
    /// Units in an engine's memory that its decoding residents have.
    KvDecode,
    /// Units that its prefilling residents have.
    KvPrefill,
    /// Arrival rate estimate.
    EstLambda,
    /// Load estimate.
    EstRho,
    /// Wait estimate.
    EstWait,
    /// 1 unless its queue's member has failed and not come back.
    Up,
}

/// Distributions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dist {
    /// By mean.
    Exp,
    /// The value itself.
    Det,
    /// `lo, hi`
    Uniform,
    /// `k, mean`
    Erlang,
    /// `mean, cv2`, balanced means
    H2,
    /// `p`
    Bernoulli,
}
