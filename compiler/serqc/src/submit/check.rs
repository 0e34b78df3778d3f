//! The options of a plan, held against the simulation where it can be started here.
//!
//! The simulation itself is asked: it does a part of the sweep that has no run in it, and what it writes
//! says how many there are. A mistake is found before a hundred machines find it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serq_runtime::results::Reader;

use super::plan::Read;
use super::unit;
use crate::failure::{Failure, Outside};

/// A part of so many, which is more than the most runs of a sweep, so that the last has none.
const NO_RUN: &str = "99999999/99999999";

/// What is known of a plan's options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checked {
    /// The simulation takes them, for so many runs.
    Runs(usize),
    /// There is no such file here, or none that starts.
    NotHere,
}

/// Asks the simulation of a plan whether it takes its options.
///
/// # Errors
/// It does not.
pub fn check(read: &Read) -> Result<Checked, Failure> {
    let plan = &read.plan;
    let directory = Path::new(plan.directory.as_deref().unwrap_or("."));
    let binary = unit::binary(plan);
    let Ok(program) = fs::canonicalize(directory.join(&binary)) else {
        return Ok(Checked::NotHere);
    };
    let folder = tempfile::tempdir().map_err(|e| Outside::unwritable(&std::env::temp_dir(), e))?;
    let results = folder.path().join("results");
    let asked = Command::new(program)
        .args(&plan.options)
        .args(["--jobs", "1", "--shard", NO_RUN, "--out"])
        .arg(&results)
        .current_dir(directory)
        .stdin(Stdio::null())
        .output();
    let Ok(said) = asked else { return Ok(Checked::NotHere) };
    if said.status.success() {
        return match Reader::open(&results) {
            Ok(reader) => Ok(Checked::Runs(reader.manifest.wanted.keys().len())),
            Err(_) => Err(read.bad_options(
                &format!("`{binary}` is no simulation that does sweeps"),
                "name a binary that `serqc build` made",
            )),
        };
    }
    let said = String::from_utf8_lossy(&said.stderr);
    let first = said.lines().next().unwrap_or("it says nothing");
    let what = first.split_once("]: ").map_or(first, |(_, what)| what);
    let help = said.lines().find_map(|line| line.strip_prefix("help: "));
    Err(read.bad_options(
        &format!("`{binary}` does not take these options: {what}"),
        help.unwrap_or("start it with them and `--help` to see its own"),
    ))
}
