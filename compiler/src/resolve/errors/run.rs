//! The options of a run.

use crate::diag::Diagnostic;
use crate::span::Span;

/// A horizon that is none.
pub fn horizon(span: Span) -> Diagnostic {
    Diagnostic::error("S177", span, "the horizon is not a finite number above 0")
        .help("write the simulated seconds: `horizon 1000;`")
}

/// A negative warm-up.
pub fn warmup(span: Span) -> Diagnostic {
    Diagnostic::error("S178", span, "the warm-up is negative or not a number")
        .help("write the seconds to leave out: `warmup 100;`")
}

/// A warm-up past the horizon.
pub fn warmup_past_horizon(span: Span) -> Diagnostic {
    Diagnostic::error("S179", span, "the warm-up leaves nothing to measure")
        .help("it must be below the horizon")
}

/// A seed that is none.
pub fn seed(span: Span) -> Diagnostic {
    Diagnostic::error("S180", span, "the seed is not a whole number of at least 0")
        .help("write `seed 1;`")
}

/// A limit of arrivals that is none.
pub fn arrivals(span: Span) -> Diagnostic {
    Diagnostic::error("S181", span, "the number of arrivals is not a whole number of at least 1")
        .help("write after how many sessions arrivals stop: `arrivals 1000;`")
}

/// A limit of arrivals where none is open.
pub fn arrivals_of_no_open(span: Span) -> Diagnostic {
    Diagnostic::error("S182", span, "`arrivals` needs an open workload")
        .help("use `arrive poisson(…)` or `arrive renewal(…)`, or leave `arrivals` out")
}
