//! A Python script that runs each shard as a task of Ray.
//!
//! Ray starts a task again whose worker was lost or that raised `ShardFailed`. A simulation outlives its
//! worker; the task that comes after waits until it is done.

use super::plan::Plan;
use super::{MARK, unit};
use crate::failure::{Failure, Outside};

/// A text as Python writes it, which is as JSON does.
fn literal(text: &str) -> Result<String, Failure> {
    serde_json::to_string(text).map_err(|e| Outside::internal(&e.to_string()).into())
}

/// The script.
pub fn text(plan: &Plan) -> Result<String, Failure> {
    let directory = match &plan.directory {
        Some(directory) => literal(directory)?,
        None => "os.getcwd()".to_owned(),
    };
    let command: Result<Vec<String>, Failure> =
        unit::command(plan).iter().map(|word| literal(word)).collect();
    let (command, out) = (command?.join(", "), literal(&plan.out)?);
    let Plan { name, shards, jobs, retries, .. } = plan;
    let at_once = plan.at_once.unwrap_or(plan.shards);
    let (in_use, wait) = (unit::IN_USE, unit::WAIT);
    Ok(format!(
        r#"# {MARK}: a sweep in {shards} parts.
"""Runs {name} on the Ray cluster of RAY_ADDRESS, or on this machine if there is none."""

import os
import subprocess
import sys
import time

import ray

COMMAND = [{command}]
SHARDS = {shards}
AT_ONCE = {at_once}
OUT = {out}
DIRECTORY = {directory}


class ShardFailed(Exception):
    """The simulation ended badly; what it has made is kept."""


class OptionsWrong(Exception):
    """The simulation does not take its options."""


@ray.remote(num_cpus={jobs}, max_retries={retries}, retry_exceptions=[ShardFailed])
def shard(number):
    part = f"{{OUT}}/part-{{number}}-of-{{SHARDS}}"
    command = [*COMMAND, "--shard", f"{{number}}/{{SHARDS}}", "--out", part]
    while True:
        code = subprocess.run(command, cwd=DIRECTORY, stdin=subprocess.DEVNULL).returncode
        if code == {in_use}:
            # Another process is at work on this part.
            time.sleep({wait})
        elif code == 0:
            return number
        elif code == 2:
            raise OptionsWrong(" ".join(command))
        else:
            raise ShardFailed(f"{{part}}: exit code {{code}}")


def main():
    ray.init()
    todo, working, failed = list(range(1, SHARDS + 1)), {{}}, []
    while todo or working:
        while todo and len(working) < AT_ONCE:
            number = todo.pop(0)
            working[shard.remote(number)] = number
        for done in ray.wait(list(working))[0]:
            number = working.pop(done)
            try:
                ray.get(done)
                print(f"part {{number}} of {{SHARDS}} is done", flush=True)
            except (ray.exceptions.RayError, ShardFailed, OptionsWrong) as error:
                failed.append(number)
                print(f"part {{number}} of {{SHARDS}} failed: {{error}}", file=sys.stderr, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
"#
    ))
}
