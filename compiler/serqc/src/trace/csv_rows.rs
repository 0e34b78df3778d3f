//! Recordings that are tables: columns are found by the names in the header, wherever they stand.

use std::cell::Cell;
use std::io::BufRead;

use super::{Left, Of, Request, Row, Stopped, instant};

type Each<'e> = &'e mut dyn FnMut(usize, Row) -> Result<(), Stopped>;

/// `TIMESTAMP,ContextTokens,GeneratedTokens`.
pub fn azure(input: impl BufRead, each: Each<'_>) -> Result<(), Stopped> {
    let columns = ["TIMESTAMP", "ContextTokens", "GeneratedTokens"];
    let first_day = Cell::new(None);
    table(input, &columns, &[], each, |line, cells| {
        let [time, input, output] = needed(cells)?;
        let (day, seconds) = instant::day_and_seconds(time)
            .ok_or_else(|| Left::Damaged(format!("`{time}` is no time stamp")))?;
        let first = first_day.get().unwrap_or(day);
        first_day.set(Some(first));
        let time = (day - first) as f64 * 86_400.0 + seconds;
        Ok(Request {
            line,
            time,
            input: number(input)?,
            output: number(output)?,
            took: None,
            of: Of::Alone,
            hashes: Vec::new(),
        })
    })
}

/// `Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type`, of which the session
/// and the time that the answer took may be missing. A response of 0 tokens is one that failed.
pub fn burstgpt(input: impl BufRead, each: Each<'_>) -> Result<(), Stopped> {
    let columns = ["Timestamp", "Request tokens", "Response tokens"];
    table(input, &columns, &["Session ID", "Elapsed time"], each, |line, cells| {
        let [time, input, output] = needed(cells)?;
        let said = |at: usize| cells.get(at).copied().flatten().filter(|cell| !cell.is_empty());
        Ok(Request {
            line,
            time: number(time)?,
            input: number(input)?,
            output: number(output)?,
            took: said(4).map(number).transpose()?,
            of: said(3).map_or(Of::Alone, |session| Of::Session(session.to_owned())),
            hashes: Vec::new(),
        })
    })
}

fn number(cell: &str) -> Result<f64, Left> {
    cell.parse().map_err(|_| {
        let shown: String = cell.chars().take(40).collect();
        Left::Damaged(format!("`{shown}` is no number"))
    })
}

/// The first cells, which a row must have.
fn needed<'c, const N: usize>(cells: &[Option<&'c str>]) -> Result<[&'c str; N], Left> {
    let mut found = [""; N];
    for (place, cell) in found.iter_mut().enumerate() {
        *cell = cells[place].ok_or_else(|| Left::Damaged("it has too few columns".to_owned()))?;
    }
    Ok(found)
}

/// Hands each row's cells of the columns named, those that it must have first, to `row`.
fn table(
    input: impl BufRead,
    must: &[&str],
    may: &[&str],
    each: Each<'_>,
    row: impl Fn(usize, &[Option<&str>]) -> Row,
) -> Result<(), Stopped> {
    let mut table =
        csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(input);
    let headers = table.byte_headers().map_err(stopped)?.clone();
    let place = |name: &str| {
        headers.iter().position(|header| {
            let header = header.strip_prefix(b"\xef\xbb\xbf").unwrap_or(header);
            header.eq_ignore_ascii_case(name.as_bytes())
        })
    };
    let mut places = Vec::new();
    for name in must {
        let found = place(name);
        places.push(Some(
            found.ok_or_else(|| Stopped::NotOne(format!("its header has no column `{name}`")))?,
        ));
    }
    places.extend(may.iter().map(|name| place(name)));
    let mut record = csv::ByteRecord::new();
    loop {
        let more = table.read_byte_record(&mut record).map_err(stopped)?;
        if !more {
            return Ok(());
        }
        let line = record.position().map_or(0, |at| at.line() as usize);
        let cells: Vec<Option<&str>> =
            places.iter().map(|place| std::str::from_utf8(record.get((*place)?)?).ok()).collect();
        each(line, row(line, &cells))?;
    }
}

fn stopped(error: csv::Error) -> Stopped {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => Stopped::Unreadable(error),
        other => Stopped::NotOne(format!("it is no table: {other:?}")),
    }
}
