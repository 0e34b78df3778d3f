//! Rows of a trace one after the other, from a text or a file, from any recorded session on.

use super::{
    Place, TraceError, TraceOrder, row,
    row::{Segment, Turn},
};
use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// No row is longer, in bytes; what is longer is no trace. The compiler checks the same.
const LONGEST: u64 = 1 << 20;
/// No more bytes are kept for the next row.
const USUAL: usize = 1 << 12;

/// Where rows come from.
pub(super) enum Source {
    Text(&'static str),
    /// Read from its start to its end.
    File(PathBuf),
    /// Read a recorded session here and one there.
    Parts(PathBuf),
}

trait Input: BufRead + Seek {}
impl<T: BufRead + Seek> Input for T {}

/// One row and where it is.
pub(super) struct Row {
    /// The session's number, as the trace gives it.
    pub session: f64,
    /// Where the line begins.
    pub begin: Place,
    pub turn: Turn,
    /// Of a first turn: what its prompt begins with and others share.
    pub prefix: Vec<Segment>,
}

/// Reads rows.
pub(super) struct Reader {
    input: Box<dyn Input>,
    line: Vec<u8>,
    /// Lines read; counted from where the reader was last placed.
    lines: u64,
    place: Place,
    /// Rows were read since the start: a header can no longer come.
    begun: bool,
    /// A row that was read and given back.
    pending: Option<Row>,
    /// The session of the last row.
    session: Option<f64>,
    /// Columns of a row at least.
    columns: usize,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Reader").field("place", &self.place).finish_non_exhaustive()
    }
}

fn unreadable(why: &io::Error) -> TraceError {
    TraceError::Unreadable(why.to_string())
}

/// Bytes of a regular file. Anything else would be waited for, or read without end.
pub(super) fn length(path: &Path) -> Result<u64, TraceError> {
    let found = fs::metadata(path).map_err(|why| unreadable(&why))?;
    match found.is_file() {
        true => Ok(found.len()),
        false => Err(TraceError::Unreadable("it is no regular file".to_owned())),
    }
}

impl Reader {
    pub fn open(source: &Source, order: TraceOrder) -> Result<Self, TraceError> {
        let columns = if order == TraceOrder::AtArrival { 6 } else { 5 };
        // What is read ahead of a place is lost at the next seek.
        let (path, ahead) = match source {
            Source::Text(text) => {
                return Ok(Self::new(Box::new(Cursor::new(text.as_bytes())), columns));
            }
            Source::File(path) => (path, 1 << 16),
            Source::Parts(path) => (path, 1 << 9),
        };
        let file = File::open(path).map_err(|why| unreadable(&why))?;
        Ok(Self::new(Box::new(BufReader::with_capacity(ahead, file)), columns))
    }

    fn new(input: Box<dyn Input>, columns: usize) -> Self {
        Self {
            input,
            line: Vec::new(),
            lines: 0,
            place: 0,
            begun: false,
            pending: None,
            session: None,
            columns,
        }
    }

    /// The next row is the one that begins at `place`, where a row does.
    pub fn seek(&mut self, place: Place) -> Result<(), TraceError> {
        self.input.seek(SeekFrom::Start(place)).map_err(|why| unreadable(&why))?;
        (self.place, self.lines, self.begun, self.pending) = (place, 0, place > 0, None);
        self.session = None;
        Ok(())
    }

    /// `row` is the next one again.
    pub fn give_back(&mut self, row: Row) {
        self.pending = Some(row);
    }

    /// The next row, `None` at the end.
    pub fn next_row(&mut self) -> Result<Option<Row>, TraceError> {
        if let Some(row) = self.pending.take() {
            return Ok(Some(row));
        }
        loop {
            let begin = self.place;
            self.line.clear();
            self.line.shrink_to(USUAL);
            let input = &mut self.input;
            let read = input.take(LONGEST).read_until(b'\n', &mut self.line);
            let read = read.map_err(|why| unreadable(&why))? as u64;
            if read == 0 {
                return Ok(None);
            }
            self.place += read;
            self.lines += 1;
            let wrong = |why: String| TraceError::Line(self.lines, why);
            if read == LONGEST && self.line.last() != Some(&b'\n') {
                return Err(wrong(format!("it is longer than {LONGEST} bytes")));
            }
            let line = std::str::from_utf8(&self.line);
            let line = line.map_err(|_| wrong("it is not UTF-8".to_owned()))?;
            let line = if begin == 0 { line.trim_start_matches('\u{feff}') } else { line }.trim();
            let header = !self.begun && line.starts_with("session");
            if line.is_empty() || line.starts_with('#') || header {
                continue;
            }
            let (session, turn, prefix) = row::parse(line, self.columns).map_err(wrong)?;
            if self.session.replace(session) == Some(session) && !prefix.is_empty() {
                return Err(TraceError::Line(self.lines, row::LATE_PREFIX.to_owned()));
            }
            self.begun = true;
            return Ok(Some(Row { session, begin, turn, prefix }));
        }
    }
}
