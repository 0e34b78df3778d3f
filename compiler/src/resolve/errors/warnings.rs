//! What compiles and is probably not meant. `warnings/silence.rs` says how a program silences it.

use crate::diag::Diagnostic;
use crate::span::Span;

/// An attribute that is given values which nothing reads.
pub fn never_read(span: Span, name: &str) -> Diagnostic {
    Diagnostic::warning("S200", span, format!("nothing reads the attribute `{name}`"))
        .help(format!("leave it out, or write `observe {name} = …;` if its value is the result"))
}

/// A pool that no hold takes from.
pub fn never_held(span: Span, name: &str) -> Diagnostic {
    Diagnostic::warning("S201", span, format!("nothing holds any of the pool `{name}`"))
        .help("hold it where its units are needed, or leave it out: it limits nobody")
}

/// A reading of the deployment that was kept until it is old.
pub fn frozen(span: Span, name: &str, header: Span) -> Diagnostic {
    let message = format!("`{name}` keeps a reading of pools or stages for a header to use later");
    Diagnostic::warning("S202", span, message)
        .label("read once, here")
        .also(header, "used here at every attempt to admit, when what was read has moved")
        .help("read the pool or stage in the header itself, or in `at admission (NAME = …)`")
}

/// A prefix in a program whose pools keep every session's own.
pub fn unshared_prefix(span: Span) -> Diagnostic {
    Diagnostic::warning("S233", span, "no pool shares this prefix between sessions")
        .help("say `prefix shared;` in the pools that find cached blocks by their content")
}
