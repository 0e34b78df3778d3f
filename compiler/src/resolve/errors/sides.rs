//! The session and what serves it.

use crate::diag::Diagnostic;
use crate::span::Span;
use crate::syntax::ast::Name;

/// A session at top level and one in the workload.
pub fn both_forms(span: Span, first: Span) -> Diagnostic {
    Diagnostic::error("S151", span, "the life of a session is said twice")
        .also(first, "said here first")
        .help("either a `session` at top level, or one in the workload and what serves it")
}

/// A request without a server.
pub fn no_server(span: Span) -> Diagnostic {
    Diagnostic::error("S152", span, "a bare `request` needs a `server`, and there is none")
        .help("write `server { … }`, or name a gateway: `request NAME;`")
}

/// A session in the workload that nothing serves.
pub fn client_alone(span: Span) -> Diagnostic {
    Diagnostic::error("S193", span, "a session in the workload requests a server or a gateway")
        .help("say `request;` of a `server`, `request NAME;` of a gateway, or move it to top level")
}

/// A request in a session at top level.
pub fn request_in_session(span: Span) -> Diagnostic {
    Diagnostic::error(
        "S153",
        span,
        "a session at top level says everything itself and requests nothing",
    )
    .help("put the session into the workload, or say here what the request does")
}

/// A server that nothing requests.
pub fn server_unrequested(span: Span) -> Diagnostic {
    Diagnostic::error("S154", span, "nothing requests this server")
        .help("the workload's session says `request;`")
}

/// A gateway that nothing requests.
pub fn gateway_unrequested(name: &Name) -> Diagnostic {
    Diagnostic::error("S155", name.span, format!("nothing requests the gateway `{}`", name.kind))
        .help(format!("the workload's session says `request {};`", name.kind))
}

/// A statement of the session where the deployment speaks.
pub fn not_in_server(span: Span, what: &str, place: &str) -> Diagnostic {
    Diagnostic::error("S156", span, format!("{place} cannot say `{what}`"))
        .help("turns, requests and the end are the session's to say")
}

/// `init` or `turn` with more than sets and observations.
pub fn only_sets(span: Span, place: &str) -> Diagnostic {
    Diagnostic::error("S157", span, format!("{place} only sets and observes"))
        .help("put this into the session")
}

/// A request of something that is no gateway.
pub fn no_gateway(name: &Name, what: &str) -> Diagnostic {
    Diagnostic::error("S158", name.span, format!("`{}` is {what}, not a gateway", name.kind))
        .help("request a queue with the role `gateway`")
}

/// A request of nothing.
pub fn unknown_gateway(name: &Name) -> Diagnostic {
    Diagnostic::error("S159", name.span, format!("there is no gateway `{}`", name.kind))
        .help(format!("declare it: `queue {} : gateway {{ route {{ … }} }}`", name.kind))
}
