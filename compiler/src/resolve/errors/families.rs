//! How families join.

use crate::diag::Diagnostic;
use crate::span::Span;

/// Two families that do not join member to member.
pub fn sizes_differ(span: Span, clause: &str, inner: &str, outer: &str) -> Diagnostic {
    Diagnostic::error(
        "S074",
        span,
        format!("`{clause}` joins `{inner}` to `{outer}`, a family of another size"),
    )
    .help("families join member to member, or all members to a single one")
}

/// A declaration that names one member of what it joins.
pub fn joined_by_index(span: Span) -> Diagnostic {
    Diagnostic::error("S075", span, "a declaration joins whole families and takes no index")
        .help("leave the index out: members join one to one, or all to a single one")
}
