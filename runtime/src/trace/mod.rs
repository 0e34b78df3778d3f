//! Recorded sessions: where a trace's rows come from, and how they are handed to sessions.
//!
//! A trace is opened when the program runs. A small one is parsed once and shared by all runs. A
//! large one stays on disk: replayed in order it is read along with the run, drawn it costs an offset
//! per recorded session; either way a run keeps the turns of its live sessions and no more.

mod reader;
mod replay;
mod row;

pub(crate) use replay::Replay;
pub(crate) use row::Segment;
pub use row::Turn;

use self::reader::{Reader, Source};
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

/// A file of up to so many bytes is parsed once and kept.
const KEPT: u64 = 4 << 20;

/// Which recorded session a session replays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceOrder {
    /// Any, drawn.
    Drawn,
    /// The next one, the first after the last.
    InOrder,
    /// The next one, which arrives when it says: the sixth column of its first row, seconds. None
    /// comes after the last.
    AtArrival,
}

/// The trace that a program names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceSpec {
    /// The program replays none.
    None,
    /// Its text, of a program that did not come from a disk.
    Text {
        /// Rows `session,turn,new,out,think[,forced[,prefix]]`.
        text: &'static str,
        /// Which recorded session a session replays.
        order: TraceOrder,
    },
    /// The file that is opened when a run starts.
    File {
        /// Where it was when the program was compiled.
        path: &'static str,
        /// Which recorded session a session replays.
        order: TraceOrder,
    },
}

impl TraceSpec {
    /// Which recorded session a session replays; `None` without a trace.
    pub fn order(self) -> Option<TraceOrder> {
        match self {
            Self::None => None,
            Self::Text { order, .. } | Self::File { order, .. } => Some(order),
        }
    }
}

/// Why a trace cannot be replayed.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceError {
    /// The file is not there, no regular file, or cannot be read; why.
    Unreadable(String),
    /// A line is no turn; its number from 1, and why.
    Line(u64, String),
    /// It has no turn.
    Empty,
    /// A session arrives before the one in front of it, or before time 0: at, and after, seconds.
    Backwards(f64, f64),
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Unreadable(why) => write!(f, "the trace cannot be read: {why}"),
            Self::Line(line, why) => write!(f, "line {line} of the trace is no turn: {why}"),
            Self::Empty => write!(f, "the trace has no turn"),
            Self::Backwards(at, after) => {
                write!(f, "a session of the trace arrives at {at} s, after one at {after} s")
            }
        }
    }
}

impl std::error::Error for TraceError {}

/// Recorded sessions, ready to be replayed by any number of runs; a clone shares them.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace(Kind);

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    None,
    Kept {
        recorded: Arc<Recorded>,
        order: TraceOrder,
    },
    /// Read along with each run.
    Along {
        path: Arc<Path>,
        order: TraceOrder,
    },
    /// `begins`: where each recorded session's rows begin.
    Drawn {
        path: Arc<Path>,
        begins: Arc<[Place]>,
    },
}

/// A parsed trace.
#[derive(Debug, Default, PartialEq)]
struct Recorded {
    turns: Vec<Turn>,
    /// Where each recorded session begins in `turns`; one more at the end.
    begins: Vec<usize>,
    /// What the prompt of each begins with and others share; empty when none does.
    prefixes: Vec<Vec<Segment>>,
}

/// Where a recorded session's first row begins, in bytes from the start.
type Place = u64;

impl Trace {
    /// Makes the trace of a program ready.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is no trace. A large file that is replayed in order is only looked into:
    /// a bad line further down is an error of the run that reaches it.
    pub fn of(spec: TraceSpec) -> Result<Self, TraceError> {
        match spec {
            TraceSpec::None => Ok(Self(Kind::None)),
            TraceSpec::Text { text, order } => Self::kept(Source::Text(text), order),
            TraceSpec::File { path, order } => Self::open(Path::new(path), order),
        }
    }

    /// Makes the trace in a file ready: `session,turn,new,out,think[,forced[,prefix]]`, one turn a line.
    ///
    /// # Errors
    ///
    /// As [`Trace::of`].
    pub fn open(path: &Path, order: TraceOrder) -> Result<Self, TraceError> {
        Self::open_keeping(path, order, KEPT)
    }

    fn open_keeping(path: &Path, order: TraceOrder, most: u64) -> Result<Self, TraceError> {
        let source = Source::File(PathBuf::from(path));
        if reader::length(path)? <= most {
            return Self::kept(source, order);
        }
        let path = Arc::from(path);
        let mut reader = Reader::open(&source, order)?;
        if order != TraceOrder::Drawn {
            return match reader.next_row()? {
                Some(_) => Ok(Self(Kind::Along { path, order })),
                None => Err(TraceError::Empty),
            };
        }
        let mut begins = Vec::new();
        let mut last = None;
        while let Some(row) = reader.next_row()? {
            if last != Some(row.session) {
                last = Some(row.session);
                begins.push(row.begin);
            }
        }
        match begins.is_empty() {
            true => Err(TraceError::Empty),
            false => Ok(Self(Kind::Drawn { path, begins: begins.into() })),
        }
    }

    fn kept(source: Source, order: TraceOrder) -> Result<Self, TraceError> {
        let mut reader = Reader::open(&source, order)?;
        let mut all = Recorded::default();
        let mut last = None;
        while let Some(row) = reader.next_row()? {
            if last != Some(row.session) {
                last = Some(row.session);
                if !row.prefix.is_empty() {
                    all.prefixes.resize(all.begins.len(), Vec::new());
                    all.prefixes.push(row.prefix);
                }
                all.begins.push(all.turns.len());
            }
            all.turns.push(row.turn);
        }
        if all.turns.is_empty() {
            return Err(TraceError::Empty);
        }
        all.begins.push(all.turns.len());
        Ok(Self(Kind::Kept { recorded: Arc::new(all), order }))
    }
}

#[cfg(test)]
mod tests;
