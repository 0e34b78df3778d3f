//! Entries and their calls.

use crate::diag::Diagnostic;
use crate::span::Span;
use crate::syntax::ast::Name;

/// An entry reads another queue, or a pool or stage outside.
pub fn reads_other(span: Span, entry: &str, said: &str) -> Diagnostic {
    Diagnostic::error(
        "S131",
        span,
        format!("`{entry}` cannot read `{said}`, which is not its queue's"),
    )
    .help("an entry sees its parameters and its own queue: pass the value as the argument")
}

/// An entry acts on a pool of another queue, or of none.
pub fn acts_on_other(span: Span, entry: &str, verb: &str, said: &str) -> Diagnostic {
    Diagnostic::error(
        "S132",
        span,
        format!("`{entry}` cannot {verb} `{said}`, which is not its queue's"),
    )
    .help("an entry holds, grows, loads and releases its own queue's pools and its source")
}

/// A queue's pool taken outside its entries.
pub fn held_outside(span: Span, verb: &str, said: &str, queue: &str) -> Diagnostic {
    Diagnostic::error("S133", span, format!("only entries of `{queue}` can {verb} `{said}`"))
        .help(format!("call an entry: `{queue}.VERB (…);`"))
}

/// An entry reads an attribute of the session.
pub fn reads_session(span: Span, entry: &str, name: &str) -> Diagnostic {
    Diagnostic::error("S134", span, format!("`{entry}` cannot read `{name}` of the session"))
        .help(format!("pass `{name}` as the argument, or make it `hidden` and read it in the body"))
}

/// An entry's header reads what the entry set.
pub fn header_reads_own(span: Span, entry: &str, queue: &str, name: &str) -> Diagnostic {
    Diagnostic::error(
        "S135",
        span,
        format!("a header in `{entry}` cannot read `{name}`, which the entry sets"),
    )
    .help(format!(
        "a header reads what its request has set so far by its full name, `{queue}.{name}`"
    ))
}

/// An entry's header reads the clock.
pub fn header_reads_now(span: Span, entry: &str) -> Diagnostic {
    Diagnostic::error("S136", span, format!("a header in `{entry}` cannot read `now`"))
        .help("a header reads the parameters, the queue's pools and stage, and constants")
}

/// A mark outside an entry.
pub fn mark_outside(name: &Name) -> Diagnostic {
    Diagnostic::error(
        "S197",
        name.span,
        format!("only an entry of a queue marks a moment: `{}`", name.kind),
    )
    .help(format!("write `set {} = now;`", name.kind))
}

/// An entry sets its parameter.
pub fn sets_parameter(name: &Name, entry: &str) -> Diagnostic {
    Diagnostic::error(
        "S137",
        name.span,
        format!("`{}` is a parameter of `{entry}` and cannot be set", name.kind),
    )
    .help("set an attribute of another name")
}

/// An entry calls an entry of another queue.
pub fn calls_another(span: Span, entry: &str, queue: &str) -> Diagnostic {
    Diagnostic::error("S138", span, format!("`{entry}` cannot call an entry of `{queue}`"))
        .help("the gateway, the server or the session calls entries; an entry may use links")
}

/// A call of a gateway.
pub fn gateway_called(span: Span, queue: &str) -> Diagnostic {
    Diagnostic::error("S139", span, format!("`{queue}` is a gateway and is not called"))
        .help(format!("the workload's session says `request {queue};`"))
}

/// A call of a link that has no entry.
pub fn link_not_called(span: Span, queue: &str) -> Diagnostic {
    Diagnostic::error("S140", span, format!("the link `{queue}` has no `transfer` entry"))
        .help(format!("its stage is its cost: `transfer on {queue} (n) from SOURCE to POOL (m);`"))
}

/// A verb that the queue has not.
pub fn unknown_verb(verb: &Name, queue: &str, verbs: &[String]) -> Diagnostic {
    let has = super::listed(verbs);
    Diagnostic::error("S141", verb.span, format!("`{queue}` has no entry `{}`", verb.kind))
        .help(format!("its entries: {has}"))
}

/// A call with `from` of an entry that takes no source.
pub fn from_not_taken(span: Span, queue: &str, verb: &str) -> Diagnostic {
    Diagnostic::error(
        "S142",
        span,
        format!("`{queue}.{verb}` is called `from` a source, and takes none"),
    )
    .help(format!("leave `from` out, or write an entry `{verb} (x) from src {{ … }}`"))
}

/// A call without `from` of an entry that reads.
pub fn from_missing(span: Span, queue: &str, verb: &str) -> Diagnostic {
    Diagnostic::error(
        "S143",
        span,
        format!("`{queue}.{verb}` reads from a source, and the call names none"),
    )
    .help(format!("write `{queue}.{verb} (…) from P;`, or an entry `{verb} (x) {{ … }}`"))
}

/// A source other than the relation's.
pub fn from_unrelated(span: Span, said: &str, related: &str) -> Diagnostic {
    Diagnostic::error("S144", span, format!("the reader pulls from `{related}`, not from `{said}`"))
        .help(format!("write `from {related}`, or a relation with `{said}`"))
}

/// A source whose entries lease nothing on some path.
pub fn from_leases_nothing(span: Span, said: &str) -> Diagnostic {
    Diagnostic::error("S145", span, format!("an entry of `{said}` leases no pool on some path"))
        .help("every entry of a source ends its hold with `lease POOL (t)`")
}

/// A source whose entries lease different pools.
pub fn from_leases_several(span: Span, said: &str) -> Diagnostic {
    Diagnostic::error("S146", span, format!("the entries of `{said}` lease more than one pool"))
        .help("every entry of a source leases the same one pool")
}

/// A transfer entry called without its pools.
pub fn transfer_of_what(span: Span, queue: &str) -> Diagnostic {
    Diagnostic::error(
        "S147",
        span,
        format!("a transfer over `{queue}` names the pool it takes from and the pool it fills"),
    )
    .help(format!("write `{queue}.transfer (n) from SOURCE to POOL (m);`"))
}

/// `to` in a call of no transfer.
pub fn to_of_no_transfer(span: Span) -> Diagnostic {
    Diagnostic::error("S148", span, "only a `transfer` fills a pool").help("leave `to` out")
}

/// An argument that draws.
pub fn argument_draws(span: Span, param: &str) -> Diagnostic {
    Diagnostic::error("S149", span, format!("the argument for `{param}` draws"))
        .help("`set` an attribute to the draw and pass the attribute")
}

/// An index of a call that draws.
pub fn index_draws(span: Span) -> Diagnostic {
    Diagnostic::error("S150", span, "the index of a call draws")
        .help("`set` an attribute to the draw and use the attribute")
}
