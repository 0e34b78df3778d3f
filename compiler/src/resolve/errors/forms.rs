//! Serving forms.

use crate::diag::Diagnostic;
use crate::span::Span;

/// No stage plays a role.
pub fn nobody_plays(span: Span, role: &str) -> Diagnostic {
    let named = if role == "transfer" { "`link` or `transfer`" } else { role };
    let named = if named == role { format!("`{role}`") } else { named.to_owned() };
    Diagnostic::error("S100", span, format!("no stage declared above plays `{role}`"))
        .help(format!("declare a stage {named} above, or write `{role} on STAGE (…)`"))
}

/// Several stages play a role.
pub fn several_play(span: Span, role: &str, names: &[&str]) -> Diagnostic {
    let names = super::listed(names);
    Diagnostic::error("S101", span, format!("several stages may play `{role}`: {names}"))
        .help(format!("write `{role} on STAGE (…)`"))
}

/// A form on a stage declared further down.
pub fn declared_below(span: Span, form: &str, stage: &str, declared: Span) -> Diagnostic {
    Diagnostic::error("S102", span, format!("`{stage}` is declared below this `{form}`"))
        .also(declared, "declared here")
        .help("declare the stage above")
}

/// A tool call on an engine.
pub fn tool_on_engine(span: Span, stage: &str) -> Diagnostic {
    Diagnostic::error("S103", span, format!("`{stage}` is a step engine and runs no `tool`"))
        .help("a tool takes time on a delay, fifo or ps stage")
}

/// A transfer over an engine.
pub fn transfer_on_engine(span: Span, stage: &str) -> Diagnostic {
    Diagnostic::error("S104", span, format!("`{stage}` is a step engine and carries no transfer"))
        .help("a transfer runs over a delay, fifo or ps stage")
}

/// A read that takes from something other than the source.
pub fn not_from_source(span: Span) -> Diagnostic {
    Diagnostic::error("S196", span, "a read over the relation takes from the entry's source")
        .help("write `from src`, by the name that the entry gives its source")
}

/// A bare transfer without a relation to follow.
pub fn no_relation(span: Span, queue: &str) -> Diagnostic {
    Diagnostic::error(
        "S105",
        span,
        format!("this entry of `{queue}` reads over no relation, so the transfer names no stage"),
    )
    .help(format!("write `{queue} pull SOURCE share maxmin;`, or `transfer on STAGE (…)`"))
}
