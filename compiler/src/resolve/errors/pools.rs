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

/// A prefix said by who does not know what prompts consist of.
pub fn prefix_place(span: Span, place: &str) -> Diagnostic {
    Diagnostic::error("S230", span, format!("{place} cannot say what a prompt begins with"))
        .help("say it once, in the workload's `init` block or in the session")
}

/// Contents are known block by block.
pub fn shared_without_block(span: Span, pool: &str) -> Diagnostic {
    let message = format!("`{pool}` shares prefixes and has no `block`");
    Diagnostic::error("S231", span, message)
        .help("say `block …;`: what sessions share are whole blocks")
}

/// Whose session a block was means nothing where sessions share it.
pub fn shared_with(span: Span, pool: &str, what: &str) -> Diagnostic {
    let message = format!("`{pool}` shares prefixes, which {what} does not know of");
    Diagnostic::error("S232", span, message)
        .help(format!("leave {what} out: shared blocks are evicted in the order of their release"))
}
