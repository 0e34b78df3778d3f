//! Pools.

use crate::diag::Diagnostic;
use crate::span::Span;

/// A queue served by a stage that serves none: a warning, since nobody is then admitted.
pub fn admit_via_no_engine(span: Span, stage: &str) -> Diagnostic {
    let message = format!("`{stage}` is no step engine and admits nobody from this queue");
    Diagnostic::warning("S188", span, message)
        .help("name a stage of kind `step`, or leave `admit via` out")
}

/// A spill over an engine.
pub fn spill_on_engine(span: Span, stage: &str) -> Diagnostic {
    Diagnostic::error("S189", span, format!("`{stage}` is a step engine and carries no spill"))
        .help("name a delay, fifo or ps stage")
}

/// Tiers that lead back.
pub fn spill_cycle(span: Span, pool: &str) -> Diagnostic {
    Diagnostic::error("S190", span, format!("what `{pool}` spills comes back to it"))
        .help("tiers form a chain that ends")
}

/// The block size of a pool that has no blocks.
pub fn no_block(span: Span, pool: &str) -> Diagnostic {
    Diagnostic::error("S203", span, format!("`{pool}` has no `block`, so it has no block size"))
        .help("say `block …;` in the pool, or leave the rounding out: a pool without it counts exactly")
}
