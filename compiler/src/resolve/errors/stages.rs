//! Stages.

use crate::diag::Diagnostic;
use crate::span::Span;

/// A step engine without a cost.
pub fn no_cost(span: Span) -> Diagnostic {
    Diagnostic::error("S191", span, "a step engine needs a `cost`")
        .help("write the seconds of an iteration: `cost 0.01 + tokens * 0.0001;`")
}
