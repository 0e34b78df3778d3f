//! A HyperQueue job definition file: one array, whose tasks are the shards.
//!
//! HyperQueue starts a task again whose worker was lost, up to `crash_limit` times; one that ended badly
//! is tried again by its own script.

use serde::Serialize;

use super::plan::Plan;
use super::{MARK, unit};
use crate::failure::{Failure, Outside};

#[derive(Serialize)]
struct JobFile<'a> {
    name: &'a str,
    array: Array<'a>,
}

#[derive(Serialize)]
struct Array<'a> {
    ids: String,
    command: [&'a str; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<&'a str>,
    crash_limit: usize,
    request: [Request; 1],
}

#[derive(Serialize)]
struct Request {
    resources: Resources,
}

#[derive(Serialize)]
struct Resources {
    cpus: String,
}

/// The file.
pub fn text(plan: &Plan) -> Result<String, Failure> {
    let script = unit::script(plan, "$HQ_TASK_ID");
    let job = JobFile {
        name: &plan.name,
        array: Array {
            ids: format!("1-{}", plan.shards),
            command: ["/bin/sh", "-c", &script],
            cwd: plan.directory.as_deref(),
            crash_limit: plan.retries + 1,
            request: [Request { resources: Resources { cpus: plan.jobs.to_string() } }],
        },
    };
    let text = toml::to_string_pretty(&job).map_err(|e| Outside::internal(&e.to_string()))?;
    Ok(format!("# {MARK}: a sweep in {} parts.\n{text}", plan.shards))
}
