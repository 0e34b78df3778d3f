//! A Kubernetes Indexed Job: a pod for each shard, all with one volume.
//!
//! A pod that ended badly is replaced, `retries` times the number of shards in all; one that was evicted, or
//! found its part in use, is not counted, and wrong options end the job.

use serde_json::{Value, json};

use super::plan::{Kubernetes, Plan, Read, is_label};
use super::{MARK, unit};
use crate::failure::{Failure, Outside};

/// The container's name.
const CONTAINER: &str = "shard";
/// The volume's name within the manifest.
const VOLUME: &str = "results";

/// The manifest.
pub fn text(read: &Read) -> Result<String, Failure> {
    let plan = &read.plan;
    let Some(own) = &plan.kubernetes else {
        let help = "add `[kubernetes]` with `image` and the persistent volume `claim` that all shards write to";
        return Err(read.lacks("the plan has no `[kubernetes]`", help));
    };
    // A pod's host is called NAME-INDEX.
    let most = 62 - plan.shards.to_string().len();
    if !is_label(&plan.name, most) {
        let what = format!("the job's name is `{}`, which Kubernetes does not take", plan.name);
        let help = format!("give a `name` of at most {most} small letters, digits and `-`");
        return Err(read.bad_name(&what, &help));
    }
    let yaml = serde_saphyr::to_string(&manifest(plan, own))
        .map_err(|e| Outside::internal(&e.to_string()))?;
    Ok(format!("# {MARK}: a sweep in {} parts.\n{yaml}", plan.shards))
}

fn manifest(plan: &Plan, own: &Kubernetes) -> Value {
    let mut metadata = json!({"name": plan.name});
    if let Some(namespace) = &own.namespace {
        metadata["namespace"] = json!(namespace);
    }
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "spec": {
            "completionMode": "Indexed",
            "completions": plan.shards,
            "parallelism": plan.at_once.unwrap_or(plan.shards),
            "backoffLimit": plan.retries * plan.shards,
            "podFailurePolicy": {"rules": failure_rules()},
            "template": {"spec": pod(plan, own)},
        },
    })
}

/// What becomes of a pod that ended badly; the first rule that fits counts.
fn failure_rules() -> Value {
    let on = |code: u8| json!({"containerName": CONTAINER, "operator": "In", "values": [code]});
    json!([
        {"action": "FailJob", "onExitCodes": on(2)},
        {"action": "Ignore", "onExitCodes": on(unit::IN_USE)},
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
    ])
}

fn pod(plan: &Plan, own: &Kubernetes) -> Value {
    let shard = unit::shell(plan, "$n");
    // Indices begin at 0.
    let script = format!("n=$((JOB_COMPLETION_INDEX + 1))\nexec {shard}\n");
    let mut requests = json!({"cpu": plan.jobs.to_string()});
    let mut resources = json!({});
    if let Some(memory) = &own.memory {
        requests["memory"] = json!(memory);
        resources["limits"] = json!({"memory": memory});
    }
    resources["requests"] = requests;
    json!({
        "restartPolicy": "Never",
        "containers": [{
            "name": CONTAINER,
            "image": own.image,
            "command": ["/bin/sh", "-c", literal(&script)],
            "workingDir": plan.directory.as_deref().unwrap_or(&own.mount),
            "resources": resources,
            "volumeMounts": [{"name": VOLUME, "mountPath": own.mount}],
        }],
        "volumes": [{"name": VOLUME, "persistentVolumeClaim": {"claimName": own.claim}}],
    })
}

/// A text of which Kubernetes replaces nothing: in commands it reads `$(NAME)`, and `$$` as `$`.
fn literal(text: &str) -> String {
    let mut literal = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        literal.push(c);
        if c == '$' && matches!(chars.peek(), Some('(' | '$')) {
            literal.push('$');
        }
    }
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kubernetes_replaces_nothing() {
        for (text, written) in [
            ("n=$((I + 1))", "n=$$((I + 1))"),
            ("'$$'", "'$$$'"),
            ("$n $", "$n $"),
            ("'$(x)'", "'$$(x)'"),
        ] {
            assert_eq!(literal(text), written);
            assert_eq!(expanded(written), text);
        }
    }

    /// What Kubernetes makes of a text without variables that it knows: `$$` is `$`, all else stays.
    fn expanded(text: &str) -> String {
        text.replace("$$", "$")
    }
}
