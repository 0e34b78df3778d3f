//! What one run is asked for, after the program's own `run` block and the command line were read.

use crate::trace::Trace;

/// Settings of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Seed; two seeds share no draw.
    pub seed: u64,
    /// Seconds; the run ends here (events at exactly this time are handled).
    pub horizon: f64,
    /// Seconds; measured time is `[warmup, end]`.
    pub warmup: f64,
    /// Stop after so many arrivals and run until they have all ended.
    pub arrivals: Option<u64>,
    /// The recorded sessions to replay; `None`: those of the trace that the program names.
    pub trace: Option<Trace>,
    /// Keep every sample (and every change of a gauge).
    pub samples: bool,
    /// A computed negative amount of work is an error instead of 0 and a note.
    pub strict: bool,
    /// One event per iteration, even where runs of them could be planned.
    pub plain_engine: bool,
}
