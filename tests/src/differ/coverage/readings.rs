//! Which names are counted at which moment.

/// Of every kind of pool and stage, without an asking session.
const STATE: &[&str] =
    &["used", "free", "holders", "queued", "queue", "busy", "est_lambda", "est_rho", "est_wait"];
/// Of an asking session.
const SESSION: &[&str] = &["cachedin", "work", "budget_left", "now"];
const ARITHMETIC: &[&str] =
    &["min", "max", "abs", "floor", "ceil", "sqrt", "exp", "ln", "pow", "blocksize", "price"];
const BUILT_IN: &[&str] =
    &["serial", "turn_no", "cached", "computed", "new", "out", "think", "more", "forced"];
const TOTALS: &[&str] = &["residents", "decoders", "kv_decode", "kv_prefill"];
const RESIDENT: &[&str] = &["decoding", "admission", "remaining"];
const EVICTION: &[&str] = &["size", "age", "last", "waiting", "now"];
const DRAW: &[&str] = &["a draw"];

/// Positions and the names counted in each.
pub(super) const ALL: &[(&str, &[&[&str]])] = &[
    ("observe", &[STATE, SESSION, ARITHMETIC, BUILT_IN, DRAW]),
    ("set", &[&["now", "cached", "computed", "cachedin", "used", "budget_left"], DRAW]),
    ("branch", &[&["now", "used", "cachedin", "budget_left", "computed", "queue"]]),
    ("choose", &[STATE, SESSION, &["price"]]),
    ("work", &[&["now", "cached", "budget_left", "serial", "est_wait", "used"], DRAW]),
    ("grow", &[&["computed", "budget_left"]]),
    ("load", &[&["cached"]]),
    ("cache", &[&["now", "cached", "used", "budget_left"], DRAW]),
    ("lease", &[&["now", "serial", "budget_left"], DRAW]),
    ("units", &[&["cachedin", "used", "free", "now", "budget_left", "computed", "work"]]),
    ("reserve", &[&["cachedin", "budget_left", "now", "computed"]]),
    ("reuse", &[&["cachedin", "budget_left", "now"]]),
    ("at admission", &[&["cachedin", "budget_left", "computed", "now", "used"]]),
    ("queue by", &[&["waited", "now", "budget_left", "serial", "computed", "cachedin", "work"]]),
    ("evict by", &[EVICTION, &["serial", "used"], DRAW]),
    ("spill work", &[EVICTION, DRAW]),
    ("spill when", &[EVICTION, DRAW]),
    ("ps", &[&["present", "now", "used"]]),
    ("budget", &[TOTALS, &["now", "used", "queued"]]),
    ("chunk", &[TOTALS, &["now", "free"]]),
    ("serve by", &[TOTALS, RESIDENT, &["now", "used"]]),
    ("serve only", &[TOTALS, RESIDENT, &["queued"]]),
    ("cost", &[TOTALS, &["tokens", "prefilled", "attention", "now", "used", "queued"]]),
    ("gauge", &[STATE, &["price", "max in", "min in", "sum in"]]),
    ("renewal", &[DRAW]),
];
