//! Legs and bookings.

use crate::diag::Diagnostic;
use crate::span::Span;

/// A leg that would end its session, or begin a turn of it.
pub fn not_in_leg(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(
        "S076",
        span,
        format!("a leg cannot say `{word}`: it is a part of its session"),
    )
    .help(format!("the session says `{word}` itself, after `join;` if it is to wait for the leg"))
}

/// A wait for legs where none is forked.
pub fn nothing_to_join(span: Span) -> Diagnostic {
    Diagnostic::error("S077", span, "there is no leg to wait for")
        .help("a session joins the legs that it forks, and a leg those that it forks itself")
}

/// A hold without units of a pool that nothing booked.
pub fn not_booked(span: Span, pool: &str) -> Diagnostic {
    Diagnostic::error("S078", span, format!("nothing of `{pool}` is booked here")).help(format!(
        "say how much, `hold {pool} (…) {{ … }}`, or `book {pool} (…);` before it in this block or one around it"
    ))
}

/// A booking that no hold opens.
pub fn never_opened(span: Span) -> Diagnostic {
    Diagnostic::error("S079", span, "this booking is never opened")
        .help("open it later in this block, by a hold of the pool without units: `hold POOL { … }`")
}

/// A booking that is opened on one way of a branch only.
pub fn opened_on_one_way(span: Span, other: Span) -> Diagnostic {
    let message = "this booking is not opened on every path".to_owned();
    Diagnostic { message, ..never_opened(span) }.also(other, "not opened on this way")
}

/// A booking that is opened a second time.
pub fn opened_again(span: Span, booked: Span) -> Diagnostic {
    Diagnostic::error("S088", span, "this would open a booking more than once")
        .also(booked, "booked here")
        .help("book once for each time that it is opened, in the same loop")
}

/// A booking of a member that has become another when it is opened.
pub fn booking_moves(span: Span, name: &str, booked: Span) -> Diagnostic {
    Diagnostic::error("S089", span, format!("`{name}` may have changed since this was booked"))
        .also(booked, "booked here")
        .help("which member it is must stay: set the index before, and let it be")
}
