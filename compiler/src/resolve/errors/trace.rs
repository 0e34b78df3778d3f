//! Traces.

use crate::diag::Diagnostic;
use crate::resolve::load::LoadError;
use crate::resolve::trace::Wrong;
use crate::span::Span;

/// A trace cannot be read.
pub fn unreadable(span: Span, path: &str, why: &LoadError) -> Diagnostic {
    let why = super::load::reason(why);
    Diagnostic::error("S025", span, format!("the trace `{path}` cannot be read: {why}"))
        .help("a trace is named relative to the program's file")
}

/// A trace has not the shape of one.
pub(in crate::resolve) fn shape(span: Span, path: &str, wrong: &Wrong) -> Diagnostic {
    let message = match wrong.line {
        0 => format!("the trace `{path}` is no trace: {}", wrong.what),
        line => format!("line {line} of the trace `{path}` is no turn: {}", wrong.what),
    };
    let found = Diagnostic::error("S026", span, message);
    let found = match wrong.text.as_str() {
        "" => found,
        text => found.label(format!("the line reads `{text}`")),
    };
    found.help("a line is `session,turn,new,out,think` and perhaps `,forced`, all numbers")
}
