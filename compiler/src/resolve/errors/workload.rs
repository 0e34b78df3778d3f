//! The workload.

use crate::diag::Diagnostic;
use crate::span::Span;
use crate::syntax::ast::Name;

/// A hidden name that nothing sets.
pub fn hidden_unset(name: &Name) -> Diagnostic {
    Diagnostic::error(
        "S183",
        name.span,
        format!("nothing sets `{}`, so it cannot be hidden", name.kind),
    )
    .help("`hidden` names attributes that the workload or the session sets")
}

/// A hidden name of the language's.
pub fn hidden_builtin(name: &Name) -> Diagnostic {
    Diagnostic::error(
        "S184",
        name.span,
        format!("`{}` is built in and cannot be hidden", name.kind),
    )
    .help("`set` an attribute to it and hide the attribute")
}

/// A rate that is none.
pub fn rate(span: Span) -> Diagnostic {
    Diagnostic::error("S185", span, "the arrival rate is not a finite number above 0")
        .help("write sessions per second: `poisson(0.5)`")
}

/// A gap that is none.
pub fn gap(span: Span) -> Diagnostic {
    Diagnostic::error("S186", span, "the gap between arrivals is not a finite number above 0")
        .help("write seconds: `renewal(2)` or `renewal(~exp(2))`")
}

/// A population past all measure.
pub fn too_many(span: Span, most: f64) -> Diagnostic {
    Diagnostic::error("S119", span, format!("there are more than {most} sessions at once"))
        .help("no machine holds that many")
}

/// A population that is none.
pub fn population(span: Span) -> Diagnostic {
    Diagnostic::error("S187", span, "the number of sessions is not a whole number of at least 0")
        .help("write how many there are: `batch(10)`")
}

/// A law of arrival, and a trace that has its own.
pub fn two_laws(trace: Span, law: Span) -> Diagnostic {
    Diagnostic::error(
        "S204",
        trace,
        "this trace says when its sessions arrive, and so does `arrive`",
    )
    .also(law, "the law is said here")
    .help("leave out `arrive`, or say `ordered` instead of `at arrival`")
}
