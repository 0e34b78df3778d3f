//! Holds and admission bindings.

use crate::diag::Diagnostic;
use crate::span::Span;
use crate::syntax::ast::Name;

/// A binding's name means something already.
pub fn binding_taken(name: &Name, what: &str) -> Diagnostic {
    Diagnostic::error(
        "S090",
        name.span,
        format!("`{}` is {what}; an admission binding needs a name of its own", name.kind),
    )
    .help("choose a name that the program does not use")
}

/// The body reads a binding whose value has moved.
pub fn binding_in_body(span: Span, name: &str, reads: &str) -> Diagnostic {
    let help = match reads {
        "cached" => "in the body read `cached`, the units that the admission consumed",
        _ => "`set` what the body needs in the body",
    };
    let reads = if reads.contains(' ') { reads.to_owned() } else { format!("`{reads}`") };
    Diagnostic::error(
        "S091",
        span,
        format!("the body cannot read `{name}`, which reads {reads} at admission"),
    )
    .help(format!("the body sees bindings of attributes and constants only: {help}"))
}

/// A statement gives a value to a binding.
pub fn binding_given(name: &Name) -> Diagnostic {
    Diagnostic::error(
        "S092",
        name.span,
        format!("`{}` is an admission binding and cannot be set", name.kind),
    )
    .help("set an attribute of another name")
}

/// A pool taken twice by one hold.
pub fn pool_twice(span: Span) -> Diagnostic {
    Diagnostic::error("S093", span, "a hold takes a pool once")
        .help("add the units up, or nest a second hold")
}

/// A lease of a pool that the hold does not take.
pub fn lease_not_held(span: Span) -> Diagnostic {
    Diagnostic::error("S094", span, "the hold does not take this pool, so it cannot lease it")
        .help("lease a pool that the hold's header names, written in the same way")
}

/// The body changes what the hold's index reads.
pub fn index_moves(span: Span, attr: &str) -> Diagnostic {
    Diagnostic::error(
        "S198",
        span,
        format!("the body changes `{attr}`, which this hold's index reads"),
    )
    .help("the member is read again while the hold lasts: set the index before, and let it be")
}

/// A release that can give nothing back.
pub fn nothing_to_release(span: Span, pool: &str) -> Diagnostic {
    Diagnostic::error("S199", span, format!("nothing of `{pool}` can be released here"))
        .help("release a pool that an enclosing hold takes, or that some hold leases")
}

/// A statement that acts on a hold's allocation, outside such a hold.
pub fn not_held(span: Span, verb: &str, pool: &str) -> Diagnostic {
    let message = match verb {
        "growing" => format!("no enclosing hold takes `{pool}`, so nothing of it can grow"),
        _ => format!("no enclosing hold takes `{pool}`, so there is nothing to {verb}"),
    };
    Diagnostic::error("S095", span, message).help(format!(
        "put this inside `hold {pool} (…) {{ … }}`, with the index as the hold has it"
    ))
}

/// A heartbeat that never stops beating at one instant, or never comes.
pub fn heartbeats_at_once(span: Span) -> Diagnostic {
    Diagnostic::error("S239", span, "heartbeats come at positive intervals")
        .help("write `renew (period, extension)`, both in seconds; without heartbeats leave it out")
}
