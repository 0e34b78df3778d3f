//! The names that the language brings, and what to say about each.
//!
//! The tables that compile them are `resolve/functions.rs` and `resolve/moments.rs`; a test holds
//! that none of their names is missing here.

use super::Kind;

/// A name of the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word {
    /// What it is.
    pub kind: Kind,
    /// The name.
    pub name: &'static str,
    /// How it is written: `pow(x, y)`.
    pub form: &'static str,
    /// What it gives.
    pub doc: &'static str,
}

const fn word(kind: Kind, name: &'static str, form: &'static str, doc: &'static str) -> Word {
    Word { kind, name, form, doc }
}

const fn function(name: &'static str, form: &'static str, doc: &'static str) -> Word {
    word(Kind::Function, name, form, doc)
}

const fn distribution(name: &'static str, form: &'static str, doc: &'static str) -> Word {
    word(Kind::Distribution, name, form, doc)
}

const fn builtin(name: &'static str, doc: &'static str) -> Word {
    word(Kind::BuiltIn, name, name, doc)
}

const fn context(name: &'static str, doc: &'static str) -> Word {
    word(Kind::OfMoment, name, name, doc)
}

/// Every name of the language but its keywords.
pub const WORDS: &[Word] = &[
    function("min", "min(x, y)", "The lesser of two numbers; over a range: `min k in n (e)`."),
    function("max", "max(x, y)", "The greater of two numbers; over a range: `max k in n (e)`."),
    function("abs", "abs(x)", "The number without its sign."),
    function("floor", "floor(x)", "The greatest whole number that is no greater."),
    function("ceil", "ceil(x)", "The least whole number that is no less."),
    function("sqrt", "sqrt(x)", "The square root."),
    function("exp", "exp(x)", "e to the power x. A draw is written `~exp(mean)`."),
    function("ln", "ln(x)", "The natural logarithm."),
    function("pow", "pow(x, y)", "x to the power y, as `x ^ y`."),
    function("used", "used(pool)", "Units of the pool that are allocated."),
    function(
        "free",
        "free(pool)",
        "Capacity less what is allocated. Cached units can be reclaimed and count as free.",
    ),
    function("cachedin", "cachedin(pool)", "Units of the session's own prefix cached in the pool."),
    function("leased", "leased(pool)", "Units of the pool that the session leases."),
    function("up", "up(stage)", "0 while the member that the stage belongs to is down, else 1."),
    function("holders", "holders(pool)", "Sessions with an allocation in the pool."),
    function("queued", "queued(pool)", "Sessions that wait in the pool's queue."),
    function("blocksize", "blocksize(pool)", "Units in a block of the pool."),
    function("queue", "queue(stage)", "Jobs at the stage, waiting and in service."),
    function("busy", "busy(stage)", "Jobs in service at the stage."),
    function("work", "work(stage)", "Work at the stage that is not done yet, in the stage's unit."),
    function(
        "budget_left",
        "budget_left(stage)",
        "Tokens that an iteration of the step engine planned now would still have room for.",
    ),
    function(
        "kv_decode",
        "kv_decode(stage)",
        "Units of the engine's memory allocated by the residents that decode.",
    ),
    function(
        "kv_prefill",
        "kv_prefill(stage)",
        "Units of the engine's memory allocated by the residents that prefill.",
    ),
    function(
        "est_lambda",
        "est_lambda(stage)",
        "Running estimate of the arrival rate, per second.",
    ),
    function("est_rho", "est_rho(stage)", "Running estimate of the load, a share of 1."),
    function("est_wait", "est_wait(stage)", "Running estimate of the wait, in seconds."),
    function(
        "price",
        "price(stage, s_hit, ds)",
        "What ds seconds of work cost the stage, delay to others included, for a job that finds \
         s_hit seconds of its work done: ds + λ((s_hit + ds)² − s_hit²) / (2(1 − ρ)) + \
         λ W ds / (1 − ρ), of the stage's estimates.",
    ),
    distribution("exp", "~exp(mean)", "Exponential, by its mean."),
    distribution("det", "~det(x)", "Always x."),
    distribution("uniform", "~uniform(lo, hi)", "Uniform between two bounds."),
    distribution("erlang", "~erlang(k, mean)", "Sum of k exponentials, by its mean."),
    distribution(
        "h2",
        "~h2(mean, cv2)",
        "Hyperexponential of two phases with balanced means, by its mean and its squared \
         coefficient of variation, at least 1.",
    ),
    distribution("bernoulli", "~bernoulli(p)", "1 with probability p, else 0."),
    builtin("serial", "Number of the session, from 0 in the order of arrival."),
    builtin("turn_no", "Number of the turn, 1 at the first."),
    builtin(
        "cached",
        "Units of its own prefix that the session took over at its last admission; 0 in a hold \
         without a `cache` clause.",
    ),
    builtin(
        "computed",
        "Position that the hold had reached when it was preempted; 0 the first time and after \
         the hold has ended.",
    ),
    builtin("new", "Of the trace: tokens that the turn adds to the prompt."),
    builtin("out", "Of the trace: tokens that the turn generates."),
    builtin("think", "Of the trace: seconds before the turn's request."),
    builtin("more", "Of the trace: 1 while a turn remains, else 0."),
    builtin("forced", "Of the trace: tokens of the output that are given, not generated."),
    context("now", "The time, in seconds."),
    context("waited", "Seconds that the waiting session has been in this pool's queue."),
    context("size", "Units of the cached prefix; in a spill, of the part that is evicted."),
    context("age", "Seconds since the cached prefix was given back."),
    context("last", "When the cached prefix was given back, in seconds."),
    context(
        "waiting",
        "1 while the session of the cached prefix waits in this pool's queue, else 0.",
    ),
    context("present", "Jobs at the stage."),
    context("residents", "Jobs on the engine; in a `cost` those of the iteration count too."),
    context("decoders", "Jobs that decode: on the engine, or in a `cost` those of the iteration."),
    context("kv_decode", "Units of the engine's memory allocated by jobs that decode."),
    context("kv_prefill", "Units of the engine's memory allocated by jobs that prefill."),
    context("decoding", "1 for a resident that decodes, else 0."),
    context("admission", "Number of the resident's admission; lower was admitted earlier."),
    context("remaining", "Tokens that the resident's run has left."),
    context("tokens", "Tokens of the iteration."),
    context("prefilled", "Tokens of the iteration that are prefilled."),
    context(
        "attention",
        "Sum over the iteration's prefill chunks n of n (K + n / 2), K before it.",
    ),
    word(Kind::Role, "gateway", "gateway", "Routes what is requested of it; has a `route`."),
    word(Kind::Role, "prefill", "prefill", "Prefills; has a `prefill (prompt)`."),
    word(
        Kind::Role,
        "decode",
        "decode",
        "Decodes; has a `decode (prompt)`, a `decode (prompt) from src`, or both.",
    ),
    word(
        Kind::Role,
        "link",
        "link",
        "Carries: a `serve` that is the cost of a transfer, or a `transfer (n)`.",
    ),
];

/// Where a name of some moments exists, in words: "in a `ps` capacity".
pub fn exists(name: &str) -> Option<&'static str> {
    crate::resolve::exists(name)
}

/// What there is to say about a name of the language.
pub fn word_of(kind: Kind, name: &str) -> Option<&'static Word> {
    WORDS.iter().find(|word| word.kind == kind && word.name == name)
}
