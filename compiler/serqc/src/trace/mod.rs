//! Recorded workloads of others as serQ traces.
//!
//! In: a recording in one of the [`Format`]s, read row by row. Out: `session,turn,new,out,think,forced[,prefix]`, one
//! line a turn, sessions in the order of their arrivals, and what of the recording is in it ([`Fidelity`]). A row that
//! cannot be read is reported with its line and left out. Memory does not grow with the recording: what must be seen
//! whole before it can be written goes through temporary files.
//!
//! `think` is the time from a turn to the next one of its session: from the answer if the recording has how long that
//! took, else from the request. `forced` is, in a session's first row, when it arrives, in seconds after the first one.
//! `prefix` is written if some request says what the blocks of its prompt hash to.

mod conversations;
mod csv_rows;
mod hashes;
mod instant;
mod json_rows;
mod sorter;

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, Write};

use clap::ValueEnum;

use conversations::{Conversations, Turn};
use hashes::Prefixes;

/// Recordings that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Azure LLM inference traces: CSV `TIMESTAMP,ContextTokens,GeneratedTokens`
    Azure,
    /// Mooncake: JSONL `timestamp` (ms), `input_length`, `output_length`, `hash_ids` of 512 tokens each
    Mooncake,
    /// Qwen-Bailian: JSONL `chat_id`, `parent_chat_id`, `timestamp` (s), `input_length`, `output_length`, `hash_ids` of
    /// 16 tokens each
    Bailian,
    /// `BurstGPT`: CSV `Timestamp`, `Request tokens`, `Response tokens`, and `Session ID`, `Elapsed time` if there
    Burstgpt,
    /// `ShareGPT`: a JSON array of conversations; texts are counted in characters
    Sharegpt,
    /// The detailed result of `vllm bench serve`: JSON `input_lens`, `output_lens`, `start_times`
    VllmBench,
}

/// What the lengths of prompts in a conversation mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Lengths {
    /// A prompt has the turns before it
    Cumulative,
    /// A prompt is what the turn adds
    Delta,
}

/// How a recording is read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// What it is.
    pub format: Format,
    /// What the lengths in conversations mean, if that was said.
    pub lengths: Option<Lengths>,
    /// Characters that count as a token.
    pub chars_per_token: f64,
    /// Tokens that a hash id stands for, if that was said; else those of the format.
    pub block: Option<u32>,
    /// A row that cannot be read ends the import.
    pub strict: bool,
}

/// One request of a recording.
#[derive(Clone, Debug, PartialEq)]
struct Request {
    /// The line in the recording, from 1, or the number of the conversation.
    line: usize,
    /// When it came, s.
    time: f64,
    /// Tokens.
    input: f64,
    /// Tokens.
    output: f64,
    /// From the request to its answer, s, where that was recorded.
    took: Option<f64>,
    /// Which conversation it belongs to, where that was recorded.
    of: Of,
    /// What the blocks of its prompt hash to, from the first on, where that was recorded.
    hashes: Vec<u64>,
}

/// Where a request stands in a conversation.
#[derive(Clone, Debug, PartialEq)]
enum Of {
    /// It stands alone.
    Alone,
    /// In the one of that name.
    Session(String),
    /// It follows another, or begins one: its own name and that of the one before.
    After(i64, Option<i64>),
}

/// A row that is left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Left {
    /// It cannot be read: what is wrong.
    Damaged(String),
    /// It is fine, but no request that a simulation could serve.
    Unfit(&'static str),
}

type Row = Result<Request, Left>;

/// What of a recording is in the trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fidelity {
    /// Sessions written.
    pub sessions: u64,
    /// Turns written.
    pub turns: u64,
    /// Tokens that turns add to their contexts.
    pub new: f64,
    /// Tokens of answers.
    pub out: f64,
    /// From the first request to the last, s.
    pub span: f64,
    /// Rows left out by reason.
    pub dropped: BTreeMap<String, u64>,
    /// The first damaged rows: line and what is wrong.
    pub damaged: Vec<(usize, String)>,
    /// Conversations that were cut in two since a prompt was shorter than what came before it.
    pub cut: u64,
    /// Sessions whose first prompt has hash ids, and those of them with ids beyond its end.
    pub hashed: (u64, u64),
}

/// No more damaged rows are listed.
const LISTED: usize = 20;

impl fmt::Display for Fidelity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (line, what) in &self.damaged {
            writeln!(f, "line {line}: {what}")?;
        }
        write!(
            f,
            "{} sessions, {} turns, {} new and {} output tokens, {:.3} s from first to last",
            self.sessions, self.turns, self.new, self.out, self.span
        )?;
        if self.cut > 0 {
            write!(
                f,
                "; {} conversations cut where a prompt was shorter than its history",
                self.cut
            )?;
        }
        match self.hashed {
            (0, _) => {}
            (some, 0) => write!(f, "; {some} sessions with hash ids")?,
            (some, beyond) => write!(
                f,
                "; {some} sessions with hash ids, {beyond} of them with ids beyond the end of the \
                 prompt: is `--block` right?"
            )?,
        }
        if self.dropped.is_empty() {
            return write!(f, "; no row left out");
        }
        let reasons: Vec<String> =
            self.dropped.iter().map(|(why, count)| format!("{count} {why}")).collect();
        write!(f, "; rows left out: {}", reasons.join(", "))
    }
}

/// Why an import stopped.
#[derive(Debug)]
pub enum Stopped {
    /// The recording is not of its format, or says too little: what is wrong.
    NotOne(String),
    /// A row cannot be read, and `strict` was asked for.
    Damaged(usize, String),
    /// The recording cannot be read on.
    Unreadable(io::Error),
    /// The trace cannot be written.
    Unwritable(io::Error),
    /// A temporary file cannot be written, or read again.
    NoRoom(io::Error),
}

/// Reads a recording and writes it as a trace.
///
/// # Errors
/// It is not of its format, cannot be read, or the trace cannot be written.
pub fn import(
    reading: Reading,
    input: impl BufRead,
    output: &mut impl Write,
) -> Result<Fidelity, Stopped> {
    let reading = match (reading.format, reading.lengths) {
        (Format::Sharegpt, Some(Lengths::Cumulative)) => {
            return Err(Stopped::NotOne("its texts are what each turn adds".to_owned()));
        }
        (Format::Sharegpt, None) => Reading { lengths: Some(Lengths::Delta), ..reading },
        _ => reading,
    };
    if !reading.chars_per_token.is_finite() || reading.chars_per_token <= 0.0 {
        return Err(Stopped::NotOne("a token must have some characters".to_owned()));
    }
    if reading.block == Some(0) {
        return Err(Stopped::NotOne("a block must have some tokens".to_owned()));
    }
    let (done, kept) = (Fidelity::default(), Conversations::default());
    let mut trace = Trace { reading, output, done, kept };
    let mut each = |line: usize, row: Row| trace.row(line, row);
    match reading.format {
        Format::Azure => csv_rows::azure(input, &mut each),
        Format::Burstgpt => csv_rows::burstgpt(input, &mut each),
        Format::Mooncake => json_rows::mooncake(input, &mut each),
        Format::Bailian => json_rows::bailian(input, &mut each),
        Format::Sharegpt => json_rows::sharegpt(input, reading.chars_per_token, &mut each),
        Format::VllmBench => json_rows::vllm_bench(input, &mut each),
    }?;
    trace.finish()
}

/// A trace that is being written.
struct Trace<'w, W> {
    reading: Reading,
    output: &'w mut W,
    done: Fidelity,
    kept: Conversations,
}

impl<W: Write> Trace<'_, W> {
    fn row(&mut self, line: usize, row: Row) -> Result<(), Stopped> {
        match row.and_then(fit) {
            Ok(request) => self.request(&request),
            Err(Left::Unfit(why)) => {
                self.leave_out(why);
                Ok(())
            }
            Err(Left::Damaged(what)) if self.reading.strict => Err(Stopped::Damaged(line, what)),
            Err(Left::Damaged(what)) => {
                self.leave_out("damaged");
                if self.done.damaged.len() < LISTED {
                    self.done.damaged.push((line, what));
                }
                Ok(())
            }
        }
    }

    fn leave_out(&mut self, why: &str) {
        *self.done.dropped.entry(why.to_owned()).or_default() += 1;
    }

    fn request(&mut self, request: &Request) -> Result<(), Stopped> {
        if request.of != Of::Alone && self.reading.lengths.is_none() {
            return Err(Stopped::NotOne(
                "it has conversations: say by `--lengths cumulative` or `--lengths delta` whether \
                 a prompt's length has the turns before it"
                    .to_owned(),
            ));
        }
        self.kept.add(request).map_err(Stopped::NoRoom)
    }

    /// Tokens that a hash id stands for.
    fn block(&self) -> f64 {
        let of_format = if self.reading.format == Format::Bailian { 16 } else { 512 };
        f64::from(self.reading.block.unwrap_or(of_format))
    }

    fn finish(mut self) -> Result<Fidelity, Stopped> {
        let cumulative = self.reading.lengths == Some(Lengths::Cumulative);
        let block = self.block();
        let mut sessions = self.kept.sessions(cumulative).map_err(Stopped::NoRoom)?;
        self.done.cut = sessions.cut;
        let mut prefixes = sessions.hashes.take().map(|hashes| Prefixes::new(hashes, block));
        let more = if prefixes.is_some() { ",prefix" } else { "" };
        writeln!(self.output, "session,turn,new,out,think,forced{more}")
            .map_err(Stopped::Unwritable)?;
        let mut first = None;
        while let Some(turn) = sessions.next().map_err(Stopped::NoRoom)? {
            let first = *first.get_or_insert(turn.start);
            let begins = turn.turn == 1;
            self.done.sessions += u64::from(begins);
            self.done.turns += 1;
            self.done.new += turn.new;
            self.done.out += turn.out;
            self.done.span = sessions.last - first;
            let session = self.done.sessions - 1;
            let arrival = if begins { turn.start - first } else { 0.0 };
            let prefix = match &mut prefixes {
                Some(prefixes) if begins => prefixes.of(&turn).map_err(Stopped::NoRoom)?,
                Some(_) => ",",
                None => "",
            };
            let Turn { turn, new, out, think, .. } = turn;
            writeln!(self.output, "{session},{turn},{new},{out},{think},{arrival}{prefix}")
                .map_err(Stopped::Unwritable)?;
        }
        self.done.hashed = prefixes.map_or((0, 0), |prefixes| prefixes.counts());
        self.output.flush().map_err(Stopped::Unwritable)?;
        if self.done.turns == 0 {
            let first = self.done.damaged.first();
            let why =
                first.map_or_else(String::new, |(line, what)| format!("; line {line}: {what}"));
            return Err(Stopped::NotOne(format!("it has no request{why}")));
        }
        Ok(self.done)
    }
}

/// A request that a simulation can serve.
fn fit(request: Request) -> Row {
    let counts = [request.input, request.output];
    if !request.time.is_finite() || counts.iter().any(|x| !x.is_finite() || *x < 0.0) {
        return Err(Left::Damaged("a time or a length is no number of its kind".to_owned()));
    }
    if request.hashes.len() > hashes::MOST {
        let (many, most) = (request.hashes.len(), hashes::MOST);
        return Err(Left::Damaged(format!("it has {many} hash ids, more than {most}")));
    }
    if request.input == 0.0 {
        return Err(Left::Unfit("without a prompt"));
    }
    if request.output == 0.0 {
        return Err(Left::Unfit("without an answer"));
    }
    Ok(request)
}

#[cfg(test)]
mod tests;
