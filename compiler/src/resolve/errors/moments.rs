//! Names and draws at the wrong moment.

use crate::diag::Diagnostic;
use crate::span::Span;
use crate::syntax::ast::Name;

/// A name that exists at other moments.
pub fn elsewhere(span: Span, name: &str, position: &str, lives: &str) -> Diagnostic {
    Diagnostic::error("S080", span, format!("{position} cannot read `{name}`"))
        .help(format!("`{name}` exists {lives}"))
}

/// An attribute where there is no session.
pub fn no_session(span: Span, name: &str, position: &str) -> Diagnostic {
    Diagnostic::error(
        "S081",
        span,
        format!("{position} cannot read `{name}`: it belongs to a session, and here is none"),
    )
    .help("use constants, pools, stages and the names that exist at this moment")
}

/// A hidden attribute outside the session's own statements.
pub fn hidden(span: Span, name: &str, position: &str) -> Diagnostic {
    Diagnostic::error("S082", span, format!("{position} cannot read `{name}`, which is hidden"))
        .help("a hidden attribute is read by the session's own statements only")
}

/// A draw where none is allowed.
pub fn no_draw(span: Span, position: &str) -> Diagnostic {
    Diagnostic::error("S083", span, format!("{position} cannot draw"))
        .help("`set` an attribute to the draw before, and read the attribute")
}

/// `cachedin` where there is no session.
pub fn no_prefix(span: Span, position: &str) -> Diagnostic {
    Diagnostic::error(
        "S084",
        span,
        format!(
            "{position} cannot read `cachedin`: it is a session's own prefix, and here is none"
        ),
    )
    .help("read `used`, `free`, `holders` or `queued` of the pool")
}

/// `budget_left`, `kv_decode (…)` or `kv_prefill (…)` where there is no plan to speak of.
pub fn no_plan(reading: &Name, position: &str) -> Diagnostic {
    let name = &reading.kind;
    Diagnostic::error("S085", reading.span, format!("{position} cannot read `{name}` of an engine"))
        .help(format!(
            "`{name}(…)` exists in a session's statements, in a hold's header and in `queue by`"
        ))
}

/// `work` where it may not be read.
pub fn no_work(span: Span, position: &str) -> Diagnostic {
    Diagnostic::error("S086", span, format!("{position} cannot read `work`"))
        .help("read `queue` or `busy` of the stage")
}

/// `budget_left`, `kv_decode` or `kv_prefill` of a stage that plans nothing.
pub fn reading_of_no_engine(span: Span, name: &str, reading: &str) -> Diagnostic {
    Diagnostic::error("S087", span, format!("`{name}` is no step engine and has no `{reading}`"))
        .help("name a stage of kind `step`")
}

/// Whether something is up that belongs to no queue's member, or is only a part of it.
pub fn up_of_no_member(span: Span, stage: &str) -> Diagnostic {
    Diagnostic::error(
        "S255",
        span,
        format!("`{stage}` is not a member of a queue, which alone can be down"),
    )
    .help("name the member: `up(D[0])`")
}
