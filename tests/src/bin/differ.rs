//! Holds random programs against the rules model and shrinks what differs.
//!
//! `cargo run --release -p serq-tests --bin differ -- --count 200 --seed 1 --python VENV --model FOLDER`: VENV is an
//! interpreter or the folder of a virtual environment that has the reference package, FOLDER that of `model.py`.
//! Without them only our own two ways to run an engine are compared. Programs that differ, as made and as shrunk, are
//! kept under `--keep` (default `target/serq-tests/differences`); `--shrink 0` leaves them as made.

use serq_tests::{
    compile::project,
    differ::{self, Differ, Model, Outcome, Program},
};
use std::{collections::BTreeMap, path::PathBuf, process::ExitCode, time::Instant};

/// Programs that are compiled and run together.
const TOGETHER: u64 = 48;

struct Options {
    count: u64,
    seed: u64,
    python: Option<PathBuf>,
    model: Option<PathBuf>,
    keep: PathBuf,
    /// Differences to shrink at most.
    shrink: usize,
}

fn options() -> Result<Options, String> {
    let scratch = project().join("target/serq-tests");
    let mut options = Options {
        count: 100,
        seed: 1,
        python: None,
        model: None,
        keep: scratch.join("differences"),
        shrink: 20,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or(format!("{word} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{word} {value}: not a number"));
        match word.as_str() {
            "--count" => options.count = number()?,
            "--seed" => options.seed = number()?,
            "--python" => options.python = Some(value.into()),
            "--model" => options.model = Some(value.into()),
            "--keep" => options.keep = value.into(),
            "--shrink" => options.shrink = number()? as usize,
            _ => return Err(format!("there is no option {word}")),
        }
    }
    Ok(options)
}

/// The interpreter of a virtual environment, or the one that was named.
fn interpreter(given: PathBuf) -> PathBuf {
    let inside = given.join("bin").join("python");
    if inside.exists() { inside } else { given }
}

fn main() -> ExitCode {
    match options().and_then(run) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// How many differ.
fn run(options: Options) -> Result<usize, String> {
    let model = match (options.python, options.model) {
        (Some(python), Some(folder)) => Some(Model { python: interpreter(python), folder }),
        (None, None) => None,
        _ => return Err("--python and --model go together".into()),
    };
    let mut differ = Differ::new(model, project().join("target/serq-tests/differ"));
    let start = Instant::now();
    let (mut counts, mut different) = (BTreeMap::<&str, u64>::new(), 0);
    let mut at = options.seed;
    let end = options.seed + options.count;
    while at < end {
        let seeds: Vec<u64> = (at..end.min(at + TOGETHER)).collect();
        at += seeds.len() as u64;
        let programs: Vec<Program> = seeds.iter().map(|seed| differ::program(*seed)).collect();
        let outcomes = differ.outcomes(&programs)?;
        for ((seed, program), outcome) in seeds.iter().zip(&programs).zip(outcomes) {
            *counts.entry(name(&outcome)).or_default() += 1;
            match &outcome {
                Outcome::Accepted(what) | Outcome::Differs(what) => println!("{seed}: {what}"),
                Outcome::NoModel(what) => println!("{seed}: no model: {what}"),
                Outcome::Neither(what) => println!("{seed}: refused by both: {what}"),
                Outcome::Same | Outcome::Tie => {}
            }
            if !outcome.is_difference() {
                continue;
            }
            different += 1;
            keep(&options.keep.join(format!("{seed}/program.sq")), program)?;
            if different <= options.shrink {
                let (smaller, outcome) = differ.shrunk(program, &outcome)?;
                keep(&options.keep.join(format!("{seed}/small/program.sq")), &smaller)?;
                println!("shrunk: {outcome:?}\n{}", smaller.text);
            }
        }
        println!(
            "{} programs, {:.0} s: {counts:?}",
            at - options.seed,
            start.elapsed().as_secs_f64()
        );
    }
    Ok(different)
}

fn name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Same => "same",
        Outcome::Neither(_) => "refused by both",
        Outcome::Tie => "ties",
        Outcome::NoModel(_) => "without a model",
        Outcome::Accepted(_) => "accepted by one",
        Outcome::Differs(_) => "different",
    }
}

fn keep(path: &std::path::Path, program: &Program) -> Result<(), String> {
    differ::write(path, program).map_err(|error| format!("{}: {error}", path.display()))
}
