//! The functions and distributions of the language: one line each.

use crate::ir::{Builtin, Dist, Math, PoolFn, StageFn};

/// A function by what it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Function {
    /// Numbers, so many.
    Math(Math, usize),
    /// One pool.
    Pool(PoolFn),
    /// One stage.
    Stage(StageFn),
    /// `price(stage, s_hit, ds)`
    Price,
}

const FUNCTIONS: [(&str, Function); 27] = [
    ("min", Function::Math(Math::Min, 2)),
    ("max", Function::Math(Math::Max, 2)),
    ("abs", Function::Math(Math::Abs, 1)),
    ("floor", Function::Math(Math::Floor, 1)),
    ("ceil", Function::Math(Math::Ceil, 1)),
    ("sqrt", Function::Math(Math::Sqrt, 1)),
    ("exp", Function::Math(Math::Exp, 1)),
    ("ln", Function::Math(Math::Ln, 1)),
    ("pow", Function::Math(Math::Pow, 2)),
    ("used", Function::Pool(PoolFn::Used)),
    ("free", Function::Pool(PoolFn::Free)),
    ("cachedin", Function::Pool(PoolFn::CachedIn)),
    ("holders", Function::Pool(PoolFn::Holders)),
    ("queued", Function::Pool(PoolFn::Queued)),
    ("blocksize", Function::Pool(PoolFn::BlockSize)),
    ("leased", Function::Pool(PoolFn::Leased)),
    ("up", Function::Stage(StageFn::Up)),
    ("queue", Function::Stage(StageFn::Queue)),
    ("busy", Function::Stage(StageFn::Busy)),
    ("work", Function::Stage(StageFn::Work)),
    ("budget_left", Function::Stage(StageFn::BudgetLeft)),
    ("kv_decode", Function::Stage(StageFn::KvDecode)),
    ("kv_prefill", Function::Stage(StageFn::KvPrefill)),
    ("est_lambda", Function::Stage(StageFn::EstLambda)),
    ("est_rho", Function::Stage(StageFn::EstRho)),
    ("est_wait", Function::Stage(StageFn::EstWait)),
    ("price", Function::Price),
];

/// The function called `name`.
pub(super) fn function(name: &str) -> Option<Function> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
}

/// All function names, for suggestions.
pub(super) fn function_names<'n>() -> impl Iterator<Item = &'n str> {
    FUNCTIONS.iter().map(|(name, _)| *name)
}

const DISTRIBUTIONS: [(&str, Dist, usize); 6] = [
    ("exp", Dist::Exp, 1),
    ("det", Dist::Det, 1),
    ("uniform", Dist::Uniform, 2),
    ("erlang", Dist::Erlang, 2),
    ("h2", Dist::H2, 2),
    ("bernoulli", Dist::Bernoulli, 1),
];

/// The distribution called `name` and how many numbers it takes.
pub(super) fn distribution(name: &str) -> Option<(Dist, usize)> {
    DISTRIBUTIONS.iter().find(|(known, ..)| *known == name).map(|(_, dist, takes)| (*dist, *takes))
}

/// All distribution names, for suggestions.
pub(super) fn distribution_names<'n>() -> impl Iterator<Item = &'n str> {
    DISTRIBUTIONS.iter().map(|(name, ..)| *name)
}

const BUILTINS: [(&str, Builtin); 9] = [
    ("serial", Builtin::Serial),
    ("turn_no", Builtin::TurnNo),
    ("cached", Builtin::Cached),
    ("computed", Builtin::Computed),
    ("new", Builtin::New),
    ("out", Builtin::Out),
    ("think", Builtin::Think),
    ("more", Builtin::More),
    ("forced", Builtin::Forced),
];

/// The built-in attribute called `name`; a trace's are built in only where there is one.
pub(super) fn builtin(name: &str, has_trace: bool) -> Option<Builtin> {
    let (_, found) = *BUILTINS.iter().find(|(known, _)| *known == name)?;
    (has_trace || !of_trace(found)).then_some(found)
}

/// All built-in attributes, a trace's too.
#[cfg(test)]
pub(super) fn builtin_names<'n>() -> impl Iterator<Item = &'n str> {
    BUILTINS.iter().map(|(name, _)| *name)
}

/// What a built-in attribute is called.
pub(super) fn name_of(builtin: Builtin) -> &'static str {
    BUILTINS.iter().find(|(_, known)| *known == builtin).map_or("", |(name, _)| name)
}

/// Whether a built-in attribute is one that a trace brings.
pub(super) fn of_trace(builtin: Builtin) -> bool {
    match builtin {
        Builtin::New | Builtin::Out | Builtin::Think | Builtin::More | Builtin::Forced => true,
        Builtin::Serial | Builtin::TurnNo | Builtin::Cached | Builtin::Computed => false,
    }
}
