//! Queues, roles and relations.

use super::count_of;
use crate::diag::Diagnostic;
use crate::span::Span;
use crate::syntax::ast::Name;

/// A queue called like a serving form.
pub fn serving_word(name: &Name) -> Diagnostic {
    Diagnostic::error(
        "S112",
        name.span,
        format!("`{}` is a serving word and names no queue", name.kind),
    )
    .help("choose another name")
}

/// A role said twice.
pub fn role_twice(name: &Name) -> Diagnostic {
    Diagnostic::error("S113", name.span, format!("the role `{}` is said twice", name.kind))
        .help("say each role once")
}

/// A role that does not exist.
pub fn unknown_role(name: &Name) -> Diagnostic {
    Diagnostic::error("S114", name.span, format!("there is no role `{}`", name.kind))
        .help("the roles are `gateway`, `prefill`, `decode` and `link`")
}

/// A latency of a queue that is no link.
pub fn latency_of_no_link(span: Span, queue: &str) -> Diagnostic {
    Diagnostic::error("S115", span, format!("`{queue}` is no link, so it has no `latency`"))
        .help("only a queue with the role `link` makes a transfer wait")
}

/// A latency of a link that has an entry.
pub fn latency_and_entry(span: Span, queue: &str) -> Diagnostic {
    Diagnostic::error(
        "S116",
        span,
        format!("`{queue}` has a `transfer` entry, which takes its own time"),
    )
    .help("run the wait in the entry, or leave the entry out")
}

/// A link that costs nothing that one could name.
pub fn link_without_cost(name: &Name) -> Diagnostic {
    Diagnostic::error(
        "S117",
        name.span,
        format!("the link `{}` has neither a stage nor an entry", name.kind),
    )
    .help("give it a cost: `serve ps(…);`, or a `transfer (n) { … }` entry")
}

/// A family of gateways.
pub fn gateway_family(span: Span) -> Diagnostic {
    Diagnostic::error("S118", span, "a gateway is a single queue")
        .help("leave the size out; several gateways have several names")
}

/// A role whose entry is not written.
pub fn entry_missing(name: &Name, verb: &str) -> Diagnostic {
    let params = if verb == "route" { "" } else { " (prompt)" };
    Diagnostic::error("S120", name.span, format!("`{}` has no `{verb}` entry", name.kind))
        .help(format!("write `{verb}{params} {{ … }}`, or leave the role out"))
}

/// An entry that no role of the queue has.
pub fn entry_of_no_role(verb: &Name, queue: &str) -> Diagnostic {
    Diagnostic::error(
        "S121",
        verb.span,
        format!("no role of `{queue}` has an entry `{}`", verb.kind),
    )
    .help("the entries are `route` of a gateway, `prefill`, `decode`, and `transfer` of a link")
}

/// Two entries that no call could tell apart.
pub fn entry_twice(verb: &Name, first: Span) -> Diagnostic {
    Diagnostic::error("S122", verb.span, format!("the entry `{}` is there twice", verb.kind))
        .also(first, "first here")
        .help("only `decode (x)` and `decode (x) from src` are told apart")
}

/// `from` on an entry that reads nothing.
pub fn reads_from_nothing(from: &Name, verb: &str) -> Diagnostic {
    Diagnostic::error("S123", from.span, format!("a `{verb}` entry reads from no source"))
        .help("`prefill (x) from src` and `decode (x) from src` do")
}

/// An entry with the wrong number of parameters.
pub fn entry_params(verb: &Name, takes: usize) -> Diagnostic {
    Diagnostic::error(
        "S124",
        verb.span,
        format!("a `{}` entry takes {}", verb.kind, count_of(takes, "parameter")),
    )
    .help(match takes {
        0 => format!("write `{} {{ … }}`", verb.kind),
        _ => format!("write `{} (x) {{ … }}`", verb.kind),
    })
}

/// Something that is no queue.
pub fn no_queue(name: &Name, what: &str) -> Diagnostic {
    Diagnostic::error("S125", name.span, format!("`{}` is {what}, not a queue", name.kind))
        .help("name a queue")
}

/// A queue that is not there.
pub fn unknown_queue(name: &Name) -> Diagnostic {
    Diagnostic::error("S126", name.span, format!("there is no queue `{}`", name.kind))
        .help(format!("declare it: `queue {} : ROLE {{ … }}`", name.kind))
}

/// A relation above a queue that it names.
pub fn related_below(name: &Name, declared: Span) -> Diagnostic {
    Diagnostic::error("S127", name.span, format!("`{}` is declared below this relation", name.kind))
        .also(declared, "declared here")
        .help("write the relation after both queues")
}

/// A reader with two sources.
pub fn reads_twice(name: &Name) -> Diagnostic {
    Diagnostic::error("S128", name.span, format!("`{}` pulls from a queue already", name.kind))
        .help("a reader has one source")
}

/// A queue that pulls from itself.
pub fn reads_itself(name: &Name) -> Diagnostic {
    Diagnostic::error("S129", name.span, format!("`{}` cannot pull from itself", name.kind))
        .help("name the queue whose entry leases what is read")
}

/// A relation of a queue without a NIC.
pub fn no_nic(name: &Name) -> Diagnostic {
    Diagnostic::error(
        "S130",
        name.span,
        format!("`{}` has no `nic` for the read to cross", name.kind),
    )
    .help(format!("give it one: `nic ps(BANDWIDTH);` in `queue {}`", name.kind))
}

/// A gateway that fails.
pub fn gateway_fails(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("S234", span, format!("the gateway `{name}` has nothing that can fail"))
        .help("name a queue with pools and a stage: a pod")
}

/// A failure before time 0, or one that is over before it begins.
pub fn failure_before(span: Span) -> Diagnostic {
    Diagnostic::error("S235", span, "a failure begins at 0 s or later, and lasts no less than 0 s")
        .help("write `fail D[0] at 600 for 60;`, both in seconds; `inf` is never, or for ever")
}

/// A call that does not say what becomes of its request.
pub fn failing_call(span: Span, name: &str) -> Diagnostic {
    let message =
        format!("a member of `{name}` fails, and this call does not say what happens then");
    Diagnostic::error("S236", span, message).help(
        "put a block in place of the `;`: `else { … }`, run by requests that lose their member",
    )
}

/// What to do when something fails that does not.
pub fn never_fails(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        "S237",
        span,
        format!("no member of `{name}` fails, so this `else` never runs"),
    )
    .help(format!(
        "say when one does, as in `fail {name}[0] at 600 for 60;`, or leave the block out"
    ))
}

/// A run on an engine that fails, where no call is under way.
pub fn run_outside(span: Span, queue: &str) -> Diagnostic {
    let message = format!("the engine of `{queue}` fails, and this run on it is in no call of it");
    Diagnostic::error("S238", span, message).help(format!(
        "run it in an entry of `{queue}`, whose callers say what happens when it fails"
    ))
}

/// A leg that would live on when the member fails at which it began.
pub fn leg_in_failing_call(span: Span, queue: &str) -> Diagnostic {
    let message =
        format!("a leg begins in a call of `{queue}`, which fails, and would be left alone");
    Diagnostic::error("S240", span, message)
        .help("fork outside the call, and call from the leg: each call says what happens then")
}
