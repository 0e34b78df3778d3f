//! Runs over several stages.

use crate::diag::Diagnostic;
use crate::span::Span;

/// Relations that share by two policies.
pub fn two_policies(span: Span, first: Span) -> Diagnostic {
    Diagnostic::error("S106", span, "the reads of a program share by one policy")
        .also(first, "another is said here")
        .help("name the same policy in each relation: all flows of a program share by it")
}

/// Said twice.
pub fn share_twice(span: Span, first: Span) -> Diagnostic {
    Diagnostic::error("S106", span, "how flows share is said twice")
        .also(first, "said here first")
        .help("keep one policy: all flows of a program share by it")
}

/// Flows without a policy.
pub fn no_policy(span: Span) -> Diagnostic {
    Diagnostic::error(
        "S107",
        span,
        "this run takes several stages, and nothing says how runs share them",
    )
    .help("say it once: `share maxmin;` or `share bottleneck;`")
}

/// A policy without flows.
pub fn policy_for_nothing(span: Span) -> Diagnostic {
    Diagnostic::error("S108", span, "no run takes several stages, so there is nothing to share")
        .help("leave `share` out, or run over several stages: `run A, B (…);`")
}

/// One stage twice in a run.
pub fn stage_twice(span: Span, stage: &str) -> Diagnostic {
    Diagnostic::error("S195", span, format!("the run takes `{stage}` twice"))
        .help("name each stage once")
}

/// A stage of a flow that is not `ps`.
pub fn not_ps(span: Span, stage: &str) -> Diagnostic {
    Diagnostic::error("S109", span, format!("`{stage}` is not `ps`, so no flow can run over it"))
        .help("every stage of a run over several is `ps` with a constant capacity")
}

/// A stage of a flow whose capacity moves.
pub fn capacity_not_constant(span: Span, stage: &str) -> Diagnostic {
    Diagnostic::error(
        "S110",
        span,
        format!("the capacity of `{stage}` is no constant, and flows share it"),
    )
    .help("give it a constant capacity above 0")
}

/// A stage of a flow without capacity.
pub fn capacity_not_positive(span: Span, stage: &str) -> Diagnostic {
    Diagnostic::error(
        "S111",
        span,
        format!("the capacity of `{stage}` is not above 0, and flows share it"),
    )
    .help("give it a constant capacity above 0")
}
