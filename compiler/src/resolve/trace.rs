//! The shape of a trace file: `session,turn,new,out,think[,forced[,prefix]]`, one turn a line.
//!
//! A header, lines that start with `#`, and blank lines are skipped; blanks around numbers are
//! fine. A file is read line by line, to say early what is wrong with it: it is opened again when
//! the program runs.

use super::load::{LoadError, Pieces};
use crate::ir::{TraceOrder, TraceText};

/// No row is longer, in bytes. The runtime reads no longer ones either.
const LONGEST: usize = 1 << 20;
/// No more of a wrong line is shown.
const SHOWN: usize = 80;
/// No more of a wrong field is shown.
const SHOWN_OF_FIELD: usize = 40;
const COLUMNS: [&str; 6] = ["session", "turn", "new", "out", "think", "forced"];

/// Why a file is no trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// It cannot be read.
    Unread(LoadError),
    /// Its first line that is wrong.
    Line {
        /// Its number, from 1; 0 for the whole file.
        line: usize,
        /// Its text, shortened.
        text: String,
        /// What is wrong with it.
        what: String,
    },
}

/// Lines of a file that comes in pieces.
struct Lines {
    pieces: Pieces,
    /// What was read and not yet handed out, from `at` on.
    held: Vec<u8>,
    at: usize,
}

impl Lines {
    /// The next line with its end, or [`LONGEST`] bytes of it; `None` at the file's end.
    fn next(&mut self) -> Result<Option<&[u8]>, LoadError> {
        let mut searched = self.at;
        loop {
            let found = self.held[searched..].iter().position(|&byte| byte == b'\n');
            let end = found.map_or(self.held.len(), |i| searched + i + 1);
            if found.is_some() || end - self.at >= LONGEST {
                let line = self.at..end.min(self.at + LONGEST);
                self.at = line.end;
                return Ok(Some(&self.held[line]));
            }
            let piece = (self.pieces)()?;
            if piece.is_empty() {
                let line = self.at..self.held.len();
                self.at = line.end;
                return Ok((!line.is_empty()).then(|| &self.held[line]));
            }
            self.held.drain(..self.at);
            searched = self.held.len();
            self.at = 0;
            self.held.extend(piece);
        }
    }
}

/// Checks every line; the text, or where it is found later.
pub(super) fn read(
    pieces: Pieces,
    order: TraceOrder,
    lasting: Option<String>,
) -> Result<TraceText, Wrong> {
    let mut lines = Lines { pieces, held: Vec::new(), at: 0 };
    let mut kept = String::new();
    let mut arrivals = (order == TraceOrder::AtArrival).then(Arrivals::default);
    let (mut number, mut offset, mut turns) = (0, 0, 0_u64);
    let mut session = None;
    while let Some(line) = lines.next().map_err(Wrong::Unread)? {
        number += 1;
        let text = std::str::from_utf8(line)
            .map_err(|why| Wrong::Unread(LoadError::NotUtf8(offset + why.valid_up_to())));
        let whole = line.len() < LONGEST || line.last() == Some(&b'\n');
        // A line cut inside a character is too long before it is anything else.
        let text = if whole { text? } else { text.unwrap_or_default() };
        let text = if number == 1 { text.trim_start_matches('\u{feff}') } else { text };
        let wrong = |what: String| {
            let text = text.trim().chars().take(SHOWN).collect();
            Wrong::Line { line: number, text, what }
        };
        if !whole {
            return Err(wrong(format!("it is longer than {LONGEST} bytes")));
        }
        offset += line.len();
        if lasting.is_none() {
            kept.push_str(text);
        }
        let said = text.trim();
        if said.is_empty() || said.starts_with('#') || turns == 0 && said.starts_with("session") {
            continue;
        }
        let (numbers, prefix) = row(said).map_err(wrong)?;
        if session.replace(numbers[0]) == Some(numbers[0]) && prefix {
            let what = "only a session's first turn begins with a shared prefix";
            return Err(wrong(what.to_owned()));
        }
        if let Some(arrivals) = &mut arrivals {
            arrivals.check(&numbers).map_err(wrong)?;
        }
        turns += 1;
    }
    if turns == 0 {
        let what = "it has no turn".to_owned();
        return Err(Wrong::Line { line: 0, text: String::new(), what });
    }
    Ok(lasting.map_or(TraceText::Whole(kept), TraceText::At))
}

/// When sessions arrive.
#[derive(Default)]
struct Arrivals {
    session: Option<f64>,
    latest: f64,
}

impl Arrivals {
    /// The first row of a session says when it arrives, not before the one in front of it.
    fn check(&mut self, numbers: &[f64]) -> Result<(), String> {
        let Some(&at) = numbers.get(5) else {
            return Err("it has 5 columns, and the sixth is when its session arrives".to_owned());
        };
        if self.session == Some(numbers[0]) {
            return Ok(());
        }
        if at < self.latest {
            return Err(format!("its session arrives at {at} s, after one at {} s", self.latest));
        }
        (self.session, self.latest) = (Some(numbers[0]), at);
        Ok(())
    }
}

/// The numbers of a row, and whether it has a shared prefix.
fn row(line: &str) -> Result<(Vec<f64>, bool), String> {
    let mut numbers = Vec::with_capacity(COLUMNS.len());
    let columns = line.split(',').count();
    if !(5..=COLUMNS.len() + 1).contains(&columns) {
        return Err(format!(
            "it has {columns} columns, not the 5 to 7 of `session,turn,new,out,think[,forced[,prefix]]`"
        ));
    }
    for (field, column) in line.split(',').zip(COLUMNS) {
        numbers.push(value(field.trim(), column)?);
    }
    let prefix = line.split(',').nth(COLUMNS.len()).unwrap_or_default();
    Ok((numbers, segments(prefix)? > 0))
}

/// How many segments `key:tokens key:tokens …` are; one without tokens has as many as the one before it.
fn segments(field: &str) -> Result<usize, String> {
    let mut before = false;
    for item in field.split_whitespace() {
        let (key, tokens) = match item.split_once(':') {
            Some((key, tokens)) => (key, Some(value(tokens, "prefix")?)),
            None => (item, None),
        };
        if tokens.is_none() && !before || tokens.is_some_and(|tokens| tokens < 0.0) {
            return Err(format!("`{}` in column `prefix` is no `key:tokens`", shown(item)));
        }
        value(key, "prefix")?;
        before = true;
    }
    Ok(field.split_whitespace().count())
}

fn shown(field: &str) -> String {
    field.chars().take(SHOWN_OF_FIELD).flat_map(char::escape_debug).collect()
}

fn value(said: &str, column: &str) -> Result<f64, String> {
    let value: f64 =
        said.parse().map_err(|_| format!("`{}` in column `{column}` is no number", shown(said)))?;
    match value.is_finite() {
        true => Ok(value),
        false => Err(format!("column `{column}` is not finite")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In pieces of a few bytes.
    fn of(text: impl Into<Vec<u8>>) -> Result<TraceText, Wrong> {
        let text: Vec<u8> = text.into();
        let size = if text.len() > 1000 { 1000 } else { 3 };
        let mut pieces = text.chunks(size).map(<[u8]>::to_vec).collect::<Vec<_>>().into_iter();
        let next = Box::new(move || Ok(pieces.next().unwrap_or_default()));
        read(next, TraceOrder::InOrder, None)
    }

    #[test]
    fn a_trace_without_a_file_is_kept() {
        let text = "\u{feff}session,turn,new,out,think\r\n0,1,2,3,4\r\n";
        assert_eq!(of(text), Ok(TraceText::Whole(text[3..].to_owned())));
    }

    #[test]
    fn a_line_without_end_is_read_no_further() {
        for text in ["1".repeat(2 * LONGEST), "é".repeat(LONGEST)] {
            let Err(Wrong::Line { line: 1, text, what }) = of(text) else { panic!() };
            assert!(text.chars().count() <= SHOWN && what.contains("longer"), "{what}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_placed() {
        assert_eq!(of(b"0,1,2,3,4\n0,\xff".to_vec()), Err(Wrong::Unread(LoadError::NotUtf8(12))));
    }
}
