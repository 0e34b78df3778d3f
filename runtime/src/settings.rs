//! What one run is asked for, after the program's own `run` block and what is asked from outside were read, and
//! which numbers are no such thing.

use crate::{
    report::{exact, serving::Limit},
    timeline::Window,
    trace::{Trace, TraceOrder},
};
use std::fmt;

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
    /// What the run is looked at for.
    pub look: Look,
}

/// What a run is looked at for, beside its rows: none of it changes one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// Keep what queues, pools, stages and gauges did over the measured time.
    pub series: bool,
    /// Limits that a good request keeps.
    pub slo: Vec<Limit>,
    /// What of it is written down event by event.
    pub timeline: Option<Window>,
}

/// A number that no run can be asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unusable {
    /// Neither the program nor anybody else says when the run ends.
    NoHorizon,
    /// A horizon that is not above 0.
    Horizon(f64),
    /// An infinite horizon, and nothing else that ends the run.
    Endless,
    /// A warm-up below 0, or NaN.
    Warmup(f64),
    /// A warm-up that is not over before the horizon.
    NothingMeasured {
        /// Seconds.
        warmup: f64,
        /// Seconds.
        horizon: f64,
    },
    /// A number of arrivals that is not whole, or not from 1 to 2^53.
    Arrivals(f64),
    /// A seed that is not whole, or below 0, or above 2^53.
    Seed(f64),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NoHorizon => write!(f, "the run has no horizon"),
            Self::Horizon(h) => write!(f, "the horizon is {}: it must be above 0", exact(*h)),
            Self::Endless => write!(f, "the horizon is infinite, so the run would not end"),
            Self::Warmup(w) => write!(f, "the warm-up is {}: it must be at least 0", exact(*w)),
            Self::NothingMeasured { warmup, horizon } => write!(
                f,
                "the warm-up ({} s) leaves nothing to measure before the horizon ({} s)",
                exact(*warmup),
                exact(*horizon)
            ),
            Self::Arrivals(n) => write!(
                f,
                "the number of arrivals is {}: it must be a whole number from 1 to 2^53",
                exact(*n)
            ),
            Self::Seed(seed) => write!(
                f,
                "the program's seed is {}: it must be a whole number of at least 0",
                exact(*seed)
            ),
        }
    }
}

impl std::error::Error for Unusable {}

/// Whole numbers up to here are exact in a float.
const EXACT: f64 = (1u64 << 53) as f64;

/// The horizon of a run with so many arrivals that replays a trace in that order.
///
/// # Errors
/// It is none.
pub fn horizon(
    horizon: Option<f64>,
    arrivals: Option<u64>,
    order: Option<TraceOrder>,
) -> Result<f64, Unusable> {
    match horizon {
        None => Err(Unusable::NoHorizon),
        Some(h) if h.is_nan() || h <= 0.0 => Err(Unusable::Horizon(h)),
        // A trace with its own arrivals comes to an end.
        Some(f64::INFINITY) if order == Some(TraceOrder::AtArrival) => Ok(f64::INFINITY),
        Some(f64::INFINITY) if arrivals.is_none() => Err(Unusable::Endless),
        Some(h) => Ok(h),
    }
}

/// A warm-up before this horizon.
///
/// # Errors
/// It is none.
pub fn warmup(warmup: f64, horizon: f64) -> Result<f64, Unusable> {
    match warmup {
        w if w.is_nan() || w < 0.0 => Err(Unusable::Warmup(w)),
        w if w >= horizon => Err(Unusable::NothingMeasured { warmup, horizon }),
        // Never -0.
        w => Ok(w + 0.0),
    }
}

/// A number of arrivals; an infinite one is no limit.
///
/// # Errors
/// It is none.
pub fn arrivals(n: f64) -> Result<Option<u64>, Unusable> {
    match n {
        f64::INFINITY => Ok(None),
        n if (1.0..=EXACT).contains(&n) && n == n.trunc() => Ok(Some(n as u64)),
        n => Err(Unusable::Arrivals(n)),
    }
}

/// The program's seed.
///
/// # Errors
/// It is none.
pub fn seed(seed: f64) -> Result<u64, Unusable> {
    match (0.0..=EXACT).contains(&seed) && seed == seed.trunc() {
        true => Ok(seed as u64),
        false => Err(Unusable::Seed(seed)),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_warm_up_is_never_minus_nothing() {
        for zero in [0.0, -0.0] {
            assert_eq!(super::warmup(zero, 10.0).ok().map(f64::to_bits), Some(0));
        }
    }
}
