//! Recorded sessions: where a trace's rows come from, and how they are handed to sessions.
//!
//! A small trace is parsed once and shared by all runs. A large one stays on disk: replayed in
//! order it is read along with the run, drawn it costs an offset per recorded session; either way
//! a run keeps the turns of its live sessions and no more.

mod reader;
mod replay;
mod row;

pub(crate) use replay::Replay;
pub use row::Turn;

use self::reader::{Reader, Source};
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

/// A file of up to so many bytes is parsed once and kept.
const KEPT: u64 = 4 << 20;

/// The trace that a program names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceSpec {
    /// The program replays none.
    None,
    /// Its text, which travels in the binary.
    Text {
        /// Rows `session,turn,new,out,think[,forced]`.
        text: &'static str,
        /// Replayed in order instead of drawn.
        ordered: bool,
    },
    /// The file that it is read from when a run starts.
    File {
        /// Where it was when the program was compiled.
        path: &'static str,
        /// Replayed in order instead of drawn.
        ordered: bool,
    },
}

impl TraceSpec {
    /// Whether sessions replay it in order; `None` without a trace.
    pub fn ordered(self) -> Option<bool> {
        match self {
            Self::None => None,
            Self::Text { ordered, .. } | Self::File { ordered, .. } => Some(ordered),
        }
    }
}

/// Why a trace cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceError {
    /// The file is not there, no regular file, or cannot be read; why.
    Unreadable(String),
    /// A line is no turn; its number from 1, and why.
    Line(u64, String),
    /// It has no turn.
    Empty,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Unreadable(why) => write!(f, "the trace cannot be read: {why}"),
            Self::Line(line, why) => write!(f, "line {line} of the trace is no turn: {why}"),
            Self::Empty => write!(f, "the trace has no turn"),
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
        ordered: bool,
    },
    /// Read along with each run.
    Ordered(Arc<Path>),
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
}

/// Where a recorded session's first row begins, in bytes from the start.
type Place = u64;

impl Trace {
    /// Makes the trace of a program ready.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is no trace. An ordered trace of a large file is only looked into: a
    /// bad line further down is an error of the run that reaches it.
    pub fn of(spec: TraceSpec) -> Result<Self, TraceError> {
        match spec {
            TraceSpec::None => Ok(Self(Kind::None)),
            TraceSpec::Text { text, ordered } => Self::kept(Source::Text(text), ordered),
            TraceSpec::File { path, ordered } => Self::open(Path::new(path), ordered),
        }
    }

    /// Makes the trace in a file ready: `session,turn,new,out,think[,forced]`, one turn a line.
    ///
    /// # Errors
    ///
    /// As [`Trace::of`].
    pub fn open(path: &Path, ordered: bool) -> Result<Self, TraceError> {
        Self::open_keeping(path, ordered, KEPT)
    }

    fn open_keeping(path: &Path, ordered: bool, most: u64) -> Result<Self, TraceError> {
        let source = Source::File(PathBuf::from(path));
        if reader::length(path)? <= most {
            return Self::kept(source, ordered);
        }
        let path = Arc::from(path);
        let mut reader = Reader::open(&source)?;
        if ordered {
            return match reader.next_row()? {
                Some(_) => Ok(Self(Kind::Ordered(path))),
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

    fn kept(source: Source, ordered: bool) -> Result<Self, TraceError> {
        let mut reader = Reader::open(&source)?;
        let mut all = Recorded::default();
        let mut last = None;
        while let Some(row) = reader.next_row()? {
            if last != Some(row.session) {
                last = Some(row.session);
                all.begins.push(all.turns.len());
            }
            all.turns.push(row.turn);
        }
        if all.turns.is_empty() {
            return Err(TraceError::Empty);
        }
        all.begins.push(all.turns.len());
        Ok(Self(Kind::Kept { recorded: Arc::new(all), ordered }))
    }
}

#[cfg(test)]
mod tests;
