//! The time line of a run: what engines, sessions and pools did in a window of simulated time.
//!
//! In: the state of a run between events, looked at from outside, so that nothing is written down, and
//! nothing costs anything, where nobody asks. Out: a [`Timeline`], which `trace.rs` writes as Chrome trace
//! events for Perfetto. It has a bounded size; where that is reached, it says so.

mod recorder;
mod trace;

pub(crate) use recorder::Recorder;

/// The most slices and counters.
pub(crate) const MOST_EVENTS: usize = 200_000;

/// A window of simulated time (s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Its begin, at least 0.
    pub from: f64,
    /// Its end, later.
    pub to: f64,
}

/// What a session is at, or an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Phase {
    /// In the queue of a pool, by flat number.
    Queue(u32),
    /// Prefilling on an engine, as all others by the stage's flat number.
    Prefill(u32),
    /// Decoding on an engine.
    Decode(u32),
    /// On an engine, waiting for units to grow.
    Grow(u32),
    /// Waiting for a server.
    Line(u32),
    /// Being served at a fifo, ps or delay stage.
    Serve(u32),
    /// A flow, by its links' number in [`Timeline::routes`].
    Transfer(u32),
}

/// A session in one phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    /// The session's serial number, and its turn.
    pub session: u64,
    pub turn: u32,
    /// What runs beside the session: a leg, by its slot, which no two legs have at one time.
    pub leg: Option<u32>,
    pub phase: Phase,
    pub from: f64,
    pub to: f64,
}

/// An iteration of an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    /// The engine's flat number.
    pub engine: u32,
    pub from: f64,
    pub to: f64,
    pub prefills: u32,
    pub decodes: u32,
    /// Prompt tokens.
    pub tokens: f64,
}

/// A pool's counters from a time on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Level {
    /// The pool's flat number.
    pub pool: u32,
    pub at: f64,
    pub used: f64,
    pub cached: f64,
    pub queue: u32,
}

/// What happened in a window of a run.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The program.
    pub program: String,
    /// The run's seed.
    pub seed: u64,
    /// What was asked for.
    pub window: Window,
    /// When there was no more room, if that was before the window's end.
    pub full_at: Option<f64>,
    /// Names by flat number.
    pub(crate) pools: Vec<String>,
    pub(crate) stages: Vec<String>,
    /// Names of the sets of links that flows took.
    pub(crate) routes: Vec<String>,
    pub(crate) spans: Vec<Span>,
    pub(crate) steps: Vec<Step>,
    pub(crate) levels: Vec<Level>,
}

impl Timeline {
    /// Slices and counters.
    pub fn events(&self) -> usize {
        self.spans.len() + self.steps.len() + self.levels.len()
    }
}
