//! Loops.

use crate::diag::Diagnostic;
use crate::span::Span;

/// A loop that can go round in no time.
pub fn no_time(span: Span) -> Diagnostic {
    Diagnostic::error("S192", span, "this loop has a path on which no time passes")
        .label("would go round for ever at one instant")
        .help("run something, hold something or `end` on every path through it")
}
