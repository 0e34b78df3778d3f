//! A Slurm array: a script whose tasks are the shards.
//!
//! The script tries a shard again that ended badly; `--requeue` has Slurm start one again whose node was
//! lost. An array's numbers go to 1000 unless the cluster's `MaxArraySize` is larger.

use super::MARK;
use super::plan::Plan;
use super::{unit, words};

/// The last number of an array where `MaxArraySize` is what it is by default.
pub const USUAL_MOST: usize = 1000;

/// The script.
pub fn text(plan: &Plan) -> String {
    let at_once = plan.at_once.map_or_else(String::new, |most| format!("%{most}"));
    let mut options = vec![
        format!("--job-name={}", plan.name),
        format!("--array=1-{}{at_once}", plan.shards),
        format!("--cpus-per-task={}", plan.jobs),
        "--requeue".to_owned(),
        // A task started again adds to what it wrote.
        "--open-mode=append".to_owned(),
    ];
    if let Some(directory) = &plan.directory {
        options.push(format!("--chdir={}", words::quoted(directory)));
    }
    options.extend(plan.slurm.iter().cloned());
    let options: String = options.iter().map(|option| format!("#SBATCH {option}\n")).collect();
    let script = unit::script(plan, "$SLURM_ARRAY_TASK_ID");
    format!("#!/bin/sh\n# {MARK}: a sweep in {} parts.\n{options}\n{script}", plan.shards)
}
