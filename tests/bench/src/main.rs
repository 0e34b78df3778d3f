//! `serq-bench`: how fast compiled programs are beside their rivals, and how they scale; `--help` says how it is used.
//!
//! In: the programs of the project and, where they are given, the reference and a simulator written by hand. Out: a
//! table, JSON, plots. Everything runs on one core, one process after the other.

mod build;
mod cases;
mod curves;
mod measure;
mod plot;
mod ratio;
mod shared;
mod table;

use clap::{Parser, Subcommand};
use std::{path::PathBuf, process::ExitCode};

/// Measures compiled programs against their rivals on one core: A B A B …, the same seed for both of a pair. Prints
/// the median and the quartiles of the ratios of CPU time.
#[derive(Parser)]
#[command(name = "serq-bench", args_conflicts_with_subcommands = true)]
struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    against: Against,
}

/// What is measured against what.
#[derive(clap::Args)]
pub(crate) struct Against {
    /// Only the cases whose name has this in it (may be repeated)
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Short runs and few pairs: to see that it works, not to quote
    #[arg(long)]
    quick: bool,
    /// Pairs of runs for each rival [default: 9, quick 3; at most 3 with the reference]
    #[arg(long, value_name = "N")]
    pairs: Option<usize>,
    /// The folder of a virtual environment that has pyserq 0.1.3
    #[arg(long, value_name = "VENV", requires = "python_program")]
    python: Option<PathBuf>,
    /// The program `llmd_nixl_pull.sq` as pyserq takes it
    #[arg(long, value_name = "FILE", requires = "python")]
    python_program: Option<PathBuf>,
    /// A simulator of `llmd_nixl_pull.sq` written by hand, which takes --seeds, --horizon, --warmup and --set NAME=VALUE
    #[arg(long, value_name = "PATH")]
    bound: Option<PathBuf>,
    /// Write the results here as well
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Plot time per request and memory against horizon, load, pods and live sessions
    Curves(curves::Options),
    /// What a request costs that shares its prefix, against the blocks that it touches and against the sessions
    Shared(shared::Options),
    #[command(hide = true)]
    Floor(serq_floors::Options),
    /// Run a command and say what it cost
    #[command(hide = true)]
    Measure {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
}

fn main() -> ExitCode {
    let options = Options::parse();
    let done = match &options.command {
        Some(Command::Measure { command }) => measure::child(command),
        Some(Command::Floor(floor)) => floor.run().map(|line| println!("{line}")),
        Some(Command::Shared(shared)) => measure::pin().and_then(|core| shared.run(core)),
        Some(Command::Curves(curves)) => measure::pin().and_then(|core| curves::draw(curves, core)),
        None => measure::pin().and_then(|core| compare(&options.against, core)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn compare(against: &Against, core: Option<usize>) -> Result<(), String> {
    let cases = cases::chosen(against)?;
    let machine = measure::Machine::here(core);
    println!("{machine}");
    let mut rows = Vec::new();
    for case in &cases {
        for rival in &case.rivals {
            let row = ratio::measure(case, rival, against.pairs, against.quick)?;
            if rows.is_empty() {
                println!("{}", table::HEADER);
            }
            println!("{}", table::line(&row));
            rows.push(row);
            // After each, so that what was measured stays when a long measurement is stopped.
            if let Some(file) = &against.json {
                let quick = against.quick;
                let all = serde_json::json!({ "machine": machine, "quick": quick, "rows": rows });
                write(file, &format!("{all:#}\n"))?;
            }
        }
    }
    Ok(())
}

/// Writes a file.
///
/// # Errors
/// Which, and why not.
fn write(file: &std::path::Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}
