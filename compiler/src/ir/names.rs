//! What programs call the operators, functions, readings and distributions of the IR.

use super::{AggregateOp, BinaryOp, Builtin, Ctx, Dist, Math, PoolFn, StageFn};

/// An infix operator as it is written, and how tightly it binds.
pub fn operator(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Or => ("||", 2),
        BinaryOp::And => ("&&", 3),
        BinaryOp::Lt => ("<", 4),
        BinaryOp::Gt => (">", 4),
        BinaryOp::Le => ("<=", 4),
        BinaryOp::Ge => (">=", 4),
        BinaryOp::Eq => ("==", 4),
        BinaryOp::Ne => ("!=", 4),
        BinaryOp::Add => ("+", 5),
        BinaryOp::Sub => ("-", 5),
        BinaryOp::Mul => ("*", 6),
        BinaryOp::Div => ("/", 6),
        BinaryOp::Pow => ("^", 8),
    }
}

/// A built-in attribute by its name in programs.
pub fn builtin_name(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::Serial => "serial",
        Builtin::TurnNo => "turn_no",
        Builtin::Cached => "cached",
        Builtin::Computed => "computed",
        Builtin::New => "new",
        Builtin::Out => "out",
        Builtin::Think => "think",
        Builtin::More => "more",
        Builtin::Forced => "forced",
    }
}

/// What exists at one moment by its name in programs.
pub fn ctx_name(ctx: Ctx) -> &'static str {
    match ctx {
        Ctx::Now => "now",
        Ctx::Waited => "waited",
        Ctx::Size => "size",
        Ctx::Age => "age",
        Ctx::Last => "last",
        Ctx::Waiting => "waiting",
        Ctx::Present => "present",
        Ctx::Residents => "residents",
        Ctx::Decoders => "decoders",
        Ctx::KvDecode => "kv_decode",
        Ctx::KvPrefill => "kv_prefill",
        Ctx::Decoding => "decoding",
        Ctx::Admission => "admission",
        Ctx::Remaining => "remaining",
        Ctx::Tokens => "tokens",
        Ctx::Prefilled => "prefilled",
        Ctx::Attention => "attention",
    }
}

/// A function by its name in programs.
pub fn math_name(function: Math) -> &'static str {
    match function {
        Math::Min => "min",
        Math::Max => "max",
        Math::Abs => "abs",
        Math::Floor => "floor",
        Math::Ceil => "ceil",
        Math::Sqrt => "sqrt",
        Math::Exp => "exp",
        Math::Ln => "ln",
        Math::Pow => "pow",
    }
}

/// A reading of a pool by its name in programs.
pub fn pool_fn_name(reading: PoolFn) -> &'static str {
    match reading {
        PoolFn::Used => "used",
        PoolFn::Free => "free",
        PoolFn::CachedIn => "cachedin",
        PoolFn::Leased => "leased",
        PoolFn::Holders => "holders",
        PoolFn::Queued => "queued",
        PoolFn::BlockSize => "blocksize",
    }
}

/// A reading of a stage by its name in programs.
pub fn stage_fn_name(reading: StageFn) -> &'static str {
    match reading {
        StageFn::Queue => "queue",
        StageFn::Busy => "busy",
        StageFn::Work => "work",
        StageFn::BudgetLeft => "budget_left",
        StageFn::KvDecode => "kv_decode",
        StageFn::KvPrefill => "kv_prefill",
        StageFn::EstLambda => "est_lambda",
        StageFn::EstRho => "est_rho",
        StageFn::EstWait => "est_wait",
        StageFn::Up => "up",
    }
}

/// A distribution by its name in programs, without its `~`.
pub fn dist_name(dist: Dist) -> &'static str {
    match dist {
        Dist::Exp => "exp",
        Dist::Det => "det",
        Dist::Uniform => "uniform",
        Dist::Erlang => "erlang",
        Dist::H2 => "h2",
        Dist::Bernoulli => "bernoulli",
    }
}

/// An aggregate by its name in programs.
pub fn aggregate_name(op: AggregateOp) -> &'static str {
    match op {
        AggregateOp::Max => "max",
        AggregateOp::Min => "min",
        AggregateOp::Sum => "sum",
    }
}
