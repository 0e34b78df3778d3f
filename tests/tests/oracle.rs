//! The step programs against recordings of vLLM's own scheduler, those of `ref/oracle` and those of the folder that
//! `SERQ_ORACLE_DIR` names. It has no harness, so that the last line says how many agree, also when all do.

use serq_tests::oracle::{self, Programs, excluded};
use std::{env, path::PathBuf, process::ExitCode};

fn main() -> ExitCode {
    // As with a harness: other tests' names leave this one out, and `--list` runs nothing.
    let arguments: Vec<String> = env::args().skip(1).collect();
    let names: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    if arguments.iter().any(|a| a == "--list") {
        println!("oracle: test");
        return ExitCode::SUCCESS;
    }
    if !names.is_empty() && !names.iter().any(|name| "oracle".contains(name.as_str())) {
        return ExitCode::SUCCESS;
    }
    match outcome() {
        Ok(outcome) => {
            println!("{outcome}");
            if outcome.counts().2 == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn outcome() -> Result<oracle::Outcome, String> {
    let (ours, exclusions) = oracle::ours();
    let exclusions = excluded::read(&exclusions)?;
    let mut folders = ours.to_vec();
    folders.extend(env::var_os("SERQ_ORACLE_DIR").map(PathBuf::from));
    oracle::run(&Programs::build()?, &exclusions, &folders)
}
