//! Traces.

use crate::diag::Diagnostic;
use crate::resolve::trace::Wrong;
use crate::span::Span;

/// A trace cannot be read, or has not the shape of one.
pub(in crate::resolve) fn wrong(span: Span, path: &str, wrong: &Wrong) -> Diagnostic {
    let (line, text, what) = match wrong {
        Wrong::Unread(why) => {
            let why = super::load::reason(why);
            let message = format!("the trace `{path}` cannot be read: {why}");
            return Diagnostic::error("S025", span, message)
                .help("a trace is named relative to the program's file");
        }
        Wrong::Line { line, text, what } => (line, text, what),
    };
    let message = match line {
        0 => format!("the trace `{path}` is no trace: {what}"),
        line => format!("line {line} of the trace `{path}` is no turn: {what}"),
    };
    let found = Diagnostic::error("S026", span, message);
    let found = match text.as_str() {
        "" => found,
        text => found.label(format!("the line reads `{text}`")),
    };
    found.help("a line is `session,turn,new,out,think` and perhaps `,forced` and `,prefix`")
}
