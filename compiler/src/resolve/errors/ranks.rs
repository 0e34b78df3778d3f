//! Queues with several NICs.

use crate::diag::Diagnostic;
use crate::span::Span;

/// A NIC of a member that has several, without its rank.
pub fn which(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("S250", span, format!("`{name}` are several NICs: say which"))
        .help(format!("write its rank behind it: `{name}[r]`"))
}

/// A NIC of a queue of several members, without the member.
pub fn which_member(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        "S250",
        span,
        format!("`{name}` are the NICs of several members: say of which"),
    )
    .help("write the member and the rank: `P[i].nic[r]`")
}

/// A second index where there is one of each.
pub fn one_nic(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("S251", span, format!("a member has one `{name}`, which takes no rank"))
        .help("leave the second index out; a queue has several NICs if it says `nic[RANKS] ps(BANDWIDTH);`")
}

/// A number of NICs that is none.
pub fn number(span: Span) -> Diagnostic {
    Diagnostic::error("S252", span, "a member has a whole number of NICs, at least 1")
        .help("say how many ranks it has, each with a NIC of its own")
}

/// Numbers of NICs of which none divides the other.
pub fn no_multiple(span: Span) -> Diagnostic {
    Diagnostic::error("S253", span, "neither number of NICs is a multiple of the other")
        .help("a rank of the side with fewer moves the shares of as many ranks of the other: let one number divide the other")
}
