//! Holds random programs against the rules model and shrinks what differs; `--help` says how it is used.

use clap::Parser;
use serq_tests::{
    compile::project,
    differ::{self, Coverage, Differ, Model, Outcome, Program},
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

/// Programs that are compiled and run together.
const TOGETHER: usize = 48;

/// Holds random programs against the rules model, sample for sample, and each against itself run in other ways; what
/// differs is shrunk to a small program.
///
/// Without --python and --model only the ways to run a program are held against each other: decode iterations planned
/// at once or one by one, with samples kept or without. A number always gives the same program.
///
/// Exit code: 0 nothing differs, 1 something does, 2 it could not be done.
#[derive(Parser)]
#[command(name = "differ", version)]
struct Options {
    /// How many random programs
    #[arg(long, default_value_t = 100, value_name = "N")]
    count: u64,
    /// The number of the first; the others follow
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// An interpreter, or the folder of a virtual environment, that has the reference package
    #[arg(long, value_name = "VENV", requires = "model")]
    python: Option<PathBuf>,
    /// The folder of model.py
    #[arg(long, value_name = "FOLDER", requires = "python")]
    model: Option<PathBuf>,
    /// Where programs that differ are kept, as made and as shrunk [default: target/serq-tests/differences]
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Differences to shrink at most
    #[arg(long, default_value_t = 20, value_name = "N")]
    shrink: usize,
    /// Print how many of the accepted programs have each construct of the language
    #[arg(long)]
    coverage: bool,
    /// Print the programs and stop
    #[arg(long)]
    print: bool,
    /// Programs to hold instead of random ones
    #[arg(value_name = "FILE", conflicts_with_all = ["count", "seed"])]
    files: Vec<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// The interpreter of a virtual environment, or the one that was named.
fn interpreter(given: &Path) -> PathBuf {
    let inside = given.join("bin").join("python");
    if inside.exists() { inside } else { given.to_path_buf() }
}

/// The programs that are asked for, each under its name.
fn programs(options: &Options) -> Result<Vec<(String, Program)>, String> {
    let random = options.seed..options.seed + options.count;
    if options.files.is_empty() {
        return Ok(random.map(|seed| (seed.to_string(), differ::program(seed))).collect());
    }
    let read = |file: &PathBuf| match Program::read(file) {
        Ok(program) => Ok((file.display().to_string(), program)),
        Err(error) => Err(format!("{}: {error}", file.display())),
    };
    options.files.iter().map(read).collect()
}

/// How many differ.
fn run(options: &Options) -> Result<usize, String> {
    let programs = programs(options)?;
    if options.print {
        programs.iter().for_each(|(_, program)| println!("{program}"));
        return Ok(0);
    }
    let model = match (&options.python, &options.model) {
        (Some(python), Some(folder)) => {
            Some(Model { python: interpreter(python), folder: folder.clone() })
        }
        _ => None,
    };
    let scratch = project().join("target/serq-tests");
    let keep = options.keep.clone().unwrap_or(scratch.join("differences"));
    // So that a program can be looked at while random ones are held.
    let folder = if options.files.is_empty() { "differ" } else { "differ-files" };
    let mut differ = Differ::new(model, scratch.join(folder));
    differ.ready()?;
    let (start, mut done) = (Instant::now(), 0);
    let (mut counts, mut different) = (BTreeMap::<&str, u64>::new(), 0);
    let mut coverage = Coverage::default();
    for some in programs.chunks(TOGETHER) {
        let together: Vec<Program> = some.iter().map(|(_, program)| program.clone()).collect();
        let outcomes = differ.outcomes(&together)?;
        for ((name, program), outcome) in some.iter().zip(outcomes) {
            *counts.entry(outcome.name()).or_default() += 1;
            if matches!(outcome, Outcome::Same | Outcome::Tie) {
                coverage.add(&program.sources());
                continue;
            }
            println!("{name}: {outcome}");
            if !outcome.is_difference() {
                continue;
            }
            different += 1;
            let folder = if options.files.is_empty() { name } else { &different.to_string() };
            let kept = keep.join(folder);
            write(&kept.join("program.sq"), program)?;
            if different <= options.shrink {
                let (smaller, outcome) = differ.shrunk(program, &outcome)?;
                let small = kept.join("small/program.sq");
                write(&small, &smaller)?;
                println!("shrunk to {}\n{smaller}{outcome}", small.display());
                println!("{}", differ.both(&smaller, outcome.what())?);
            }
        }
        done += some.len();
        let counts: Vec<String> =
            counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
        println!(
            "{done} programs in {:.0} s: {}",
            start.elapsed().as_secs_f64(),
            counts.join(", ")
        );
    }
    if options.coverage {
        print!("{coverage}");
    }
    if different > 0 {
        println!("{different} differ; they are kept under {}", keep.display());
    }
    Ok(different)
}

fn write(path: &Path, program: &Program) -> Result<(), String> {
    differ::write(path, program).map_err(|error| format!("{}: {error}", path.display()))
}
