//! Runs.

use crate::diag::Diagnostic;
use crate::span::Span;

/// A run on an engine without a mode.
pub fn mode_missing(span: Span, stage: &str) -> Diagnostic {
    Diagnostic::error("S096", span, format!("a run on the step engine `{stage}` needs a mode"))
        .help(format!("write `run {stage} prefill (…);` or `run {stage} decode (…);`"))
}

/// A mode on a stage that is no engine.
pub fn mode_of_no_engine(span: Span, stage: &str) -> Diagnostic {
    Diagnostic::error(
        "S097",
        span,
        format!("`{stage}` is no step engine, so a run on it has no mode"),
    )
    .help(format!("write `run {stage} (…);`"))
}

/// A run that grows a hold where nothing advances token by token.
pub fn growing_on_no_engine(span: Span, stage: &str) -> Diagnostic {
    Diagnostic::error(
        "S194",
        span,
        format!("`{stage}` is no step engine, so a run on it grows nothing"),
    )
    .help("leave `growing` out, and `grow` the hold before or after the run")
}

/// A run that names no stage, outside an entry.
pub fn no_stage(span: Span) -> Diagnostic {
    Diagnostic::error("S098", span, "this run names no stage")
        .help("write `run STAGE (…);`: only an entry has a stage of its own")
}

/// A run on the own stage of a queue that has none.
pub fn queue_without_stage(span: Span, queue: &str) -> Diagnostic {
    Diagnostic::error("S099", span, format!("the queue `{queue}` has no stage of its own"))
        .help("give it one: `serve KIND;`, or name a stage")
}
