//! `serqc trace import`: recordings of others as serQ traces.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::failure::{Failure, Outside};
use crate::sources;
use crate::trace::{self, Fidelity, Format, Lengths, Reading, Stopped};

/// Work with recorded workloads
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Import(Import),
}

/// Write a recording as a trace, `session,turn,new,out,think,forced[,prefix]`
///
/// `think` is the time to the session's next turn; `forced` is when a session arrives, in its first row; `prefix` are the
/// blocks of its first prompt, if the recording has hash ids of them. What of the recording is in the trace is said on
/// standard error.
#[derive(Debug, Args)]
struct Import {
    /// What the recording is
    #[arg(long, value_enum)]
    from: Format,
    /// The recording
    file: String,
    /// The trace to write [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// What the lengths of prompts mean, of a recording with conversations
    #[arg(long, value_enum)]
    lengths: Option<Lengths>,
    /// Characters that count as a token, of texts
    #[arg(long, value_name = "N", default_value_t = 4.0)]
    chars_per_token: f64,
    /// Tokens that a hash id stands for [default: 512 of mooncake, 16 of bailian]
    #[arg(long, value_name = "TOKENS")]
    block: Option<u32>,
    /// Stop at the first row that cannot be read
    #[arg(long)]
    strict: bool,
}

/// Runs the command under `trace`; exits with 1 if the recording is not of its format.
pub fn execute(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let Command::Import(import) = &arguments.command;
    let fidelity = write(import)?;
    // Only what was asked for goes to standard output.
    let _ = writeln!(io::stderr(), "{fidelity}");
    Ok(ExitCode::SUCCESS)
}

fn write(import: &Import) -> Result<Fidelity, Outside> {
    let file = sources::open_recording(&import.file)?;
    let reading = Reading {
        format: import.from,
        lengths: import.lengths,
        chars_per_token: import.chars_per_token,
        block: import.block,
        strict: import.strict,
    };
    let input = BufReader::with_capacity(1 << 16, file);
    let shown = import.output.as_deref().unwrap_or(Path::new("standard output"));
    let result = match &import.output {
        None => trace::import(reading, input, &mut BufWriter::new(io::stdout().lock())),
        Some(out) => {
            let made = File::create(out).map_err(|error| Outside::unwritable(out, error))?;
            trace::import(reading, input, &mut BufWriter::with_capacity(1 << 16, made))
        }
    };
    result.map_err(|why| match why {
        Stopped::NotOne(what) => Outside::bad_recording(&import.file, what),
        Stopped::Damaged(line, what) => {
            Outside::bad_recording(&import.file, format!("line {line}: {what}"))
        }
        Stopped::Unreadable(error) => Outside::unreadable(&import.file, error),
        Stopped::Unwritable(error) => Outside::unwritable(shown, error),
        Stopped::NoRoom(error) => Outside::unwritable(&std::env::temp_dir(), error),
    })
}
