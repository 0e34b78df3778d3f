//! Sweeps: points times seeds over threads, results into a folder as they come, or to standard output
//! in order.
//!
//! What is printed and kept depends on the points, the seeds and the program alone: not on threads,
//! parts, order or interruption.

pub(super) mod options;
mod output;
mod table;
mod values;
mod workers;

use std::time::Instant;

use clap::ArgMatches;

use super::{
    Failure, Program, Streams,
    options::Plan,
    progress::{Done, Progress},
};
use crate::results::{Folder, Key, Trouble, Verdicts};
use options::Sweep;
use output::Output;

/// The exit code when another process is at work on the same part: later there may be none (`EX_TEMPFAIL` of
/// sysexits.h).
const IN_USE: u8 = 75;

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        let code = if trouble.passes { IN_USE } else { 1 };
        Self::refused(trouble.code, &trouble.message, Some(trouble.help), code)
    }
}

/// Runs a sweep; returns the exit code.
pub(super) fn all(
    program: &Program,
    matches: &ArgMatches,
    plan: &Plan,
    to: &mut Streams,
) -> Result<u8, Failure> {
    let begun = Instant::now();
    let mut sweep = options::sweep(program, matches, plan)?;
    let mut output = match &sweep.folder {
        Some(path) => {
            let folder = Folder::open(path, &sweep.manifest, sweep.shard)?;
            for line in output::damage(&folder.index) {
                let _ = writeln!(to.err, "{line}");
            }
            Output::folder(folder)
        }
        None => Output::printed(&sweep, plan.json),
    };
    keep_part(&mut sweep);
    let mut verdicts = Verdicts::new(&sweep.keys, sweep.manifest.stop_axis());
    for (key, stationary) in output.known(&sweep.keys) {
        verdicts.know(key, stationary);
    }
    let ready: Vec<Key> = (0..verdicts.lines()).flat_map(|l| verdicts.needs(l)).collect();
    let runs = sweep.keys.len();
    let there = sweep.keys.iter().filter(|key| output.has(key)).count();
    if there > 0 && to.terminal {
        let _ = writeln!(to.err, "{there} of {runs} runs are there already");
    }
    let done = Done::default();
    let mut progress = Progress::new(to.terminal, runs - there);
    let (run, sites) = (program.run, program.sites);
    let work = workers::Work { run, sites, sweep: &sweep, jobs: plan.jobs, done: &done };
    let result = work.all(ready, &mut |came| {
        let Some((record, line, events)) = came else {
            progress.show(&done, output.added());
            return Ok(Vec::new());
        };
        output.take(&record, &line, events, &sweep.manifest.swept, to)?;
        progress.show(&done, output.added());
        Ok(verdicts.came(record.key, record.stationary))
    });
    progress.clear();
    result?;
    output.finish(&sweep, plan, &verdicts, begun, to)
}

/// Leaves the runs of this process's part. Every run is in one part; runs that decide together whether a
/// load is too high stay together.
fn keep_part(sweep: &mut Sweep) {
    let shard = sweep.shard;
    if shard.of == 1 {
        return;
    }
    let axis = sweep.manifest.stop_axis();
    let lines = Verdicts::new(&sweep.keys, axis);
    let mut number = 0;
    sweep.keys.retain(|key| {
        let part = if axis.is_some() { lines.line_of(key) } else { number };
        number += 1;
        part % shard.of == shard.number - 1
    });
}

#[cfg(test)]
mod tests;
