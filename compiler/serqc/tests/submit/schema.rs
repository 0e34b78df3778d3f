//! What HyperQueue's job definition files and Kubernetes' Indexed Jobs look like, as far as jobs of shards
//! use them: which fields there are, of what type, which must be there, and what must hold between them.
//!
//! Sources: the chapter "Job Definition File" of HyperQueue's manual; `JobSpec` and `PodSpec` of the
//! Kubernetes API reference, and its pages on Jobs and on pod failure policies.

use serde_json::Value;

/// The type of a value.
enum Kind {
    Text,
    /// A whole number of at least this.
    Count(u64),
    /// One of these texts.
    OneOf(&'static [&'static str]),
    Object(&'static [Field]),
    List(&'static Kind),
    /// Any names, with texts.
    Texts,
}

/// A field, and whether it must be there.
type Field = (&'static str, bool, Kind);

use Kind::{Count, List, Object, OneOf, Text, Texts};

const HYPERQUEUE: Kind = Object(&[
    ("name", false, Text),
    ("max_fails", false, Count(0)),
    ("array", true, Object(ARRAY)),
]);

const ARRAY: &[Field] = &[
    ("ids", true, Text),
    ("command", true, List(&Text)),
    ("cwd", false, Text),
    ("env", false, Texts),
    ("crash_limit", false, Count(1)),
    ("request", false, List(&Object(&[("resources", true, Texts)]))),
];

const JOB: Kind = Object(&[
    ("apiVersion", true, OneOf(&["batch/v1"])),
    ("kind", true, OneOf(&["Job"])),
    ("metadata", true, Object(&[("name", true, Text), ("namespace", false, Text)])),
    ("spec", true, Object(JOB_SPEC)),
]);

const JOB_SPEC: &[Field] = &[
    ("completionMode", true, OneOf(&["Indexed"])),
    ("completions", true, Count(1)),
    ("parallelism", true, Count(1)),
    ("backoffLimit", true, Count(0)),
    ("podFailurePolicy", false, Object(&[("rules", true, List(&Object(RULE)))])),
    ("template", true, Object(&[("spec", true, Object(POD))])),
];

const RULE: &[Field] = &[
    ("action", true, OneOf(&["FailJob", "FailIndex", "Ignore", "Count"])),
    ("onExitCodes", false, Object(ON_EXIT_CODES)),
    ("onPodConditions", false, List(&Object(&[("type", true, Text), ("status", true, Text)]))),
];

const ON_EXIT_CODES: &[Field] = &[
    ("containerName", false, Text),
    ("operator", true, OneOf(&["In", "NotIn"])),
    ("values", true, List(&Count(1))),
];

const POD: &[Field] = &[
    ("restartPolicy", true, OneOf(&["Never"])),
    ("containers", true, List(&Object(CONTAINER))),
    ("volumes", true, List(&Object(VOLUME))),
];

const CONTAINER: &[Field] = &[
    ("name", true, Text),
    ("image", true, Text),
    ("command", true, List(&Text)),
    ("workingDir", false, Text),
    ("resources", false, Object(&[("limits", false, Texts), ("requests", false, Texts)])),
    ("volumeMounts", true, List(&Object(&[("name", true, Text), ("mountPath", true, Text)]))),
];

const VOLUME: &[Field] =
    &[("name", true, Text), ("persistentVolumeClaim", true, Object(&[("claimName", true, Text)]))];

impl Kind {
    /// Adds what is wrong with a value at a place.
    fn check(&self, at: &str, value: &Value, wrong: &mut Vec<String>) {
        let fits = match (self, value) {
            (Text, Value::String(_)) => true,
            (OneOf(texts), Value::String(text)) => texts.contains(&text.as_str()),
            (Count(least), value) => value.as_u64().is_some_and(|n| n >= *least),
            (Texts, Value::Object(fields)) => fields.values().all(Value::is_string),
            (List(kind), Value::Array(items)) => {
                for (i, item) in items.iter().enumerate() {
                    kind.check(&format!("{at}[{i}]"), item, wrong);
                }
                !items.is_empty()
            }
            (Object(fields), Value::Object(there)) => {
                for name in there.keys().filter(|n| !fields.iter().any(|f| f.0 == n.as_str())) {
                    wrong.push(format!("{at}.{name} is unknown"));
                }
                for (name, must, kind) in *fields {
                    match there.get(*name) {
                        Some(value) => kind.check(&format!("{at}.{name}"), value, wrong),
                        None if *must => wrong.push(format!("{at}.{name} is missing")),
                        None => {}
                    }
                }
                true
            }
            (Text | OneOf(_) | Texts | List(_) | Object(_), _) => false,
        };
        if !fits {
            wrong.push(format!("{at} is {value}"));
        }
    }
}

/// What is wrong with a job definition file.
pub fn hyperqueue(job: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    HYPERQUEUE.check("job", job, &mut wrong);
    let ids = job["array"]["ids"].as_str().unwrap_or_default();
    let range = ids.split_once('-').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    if range.is_none_or(|(first, last): (u32, u32)| first > last) {
        wrong.push(format!("ids are `{ids}`"));
    }
    wrong
}

/// What is wrong with an Indexed Job.
pub fn kubernetes(job: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    JOB.check("job", job, &mut wrong);
    let spec = &job["spec"];
    if spec["parallelism"].as_u64() > spec["completions"].as_u64() {
        wrong.push("more pods at a time than completions".to_owned());
    }
    let name = job["metadata"]["name"].as_str().unwrap_or_default();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let host = format!("{name}-{}", spec["completions"].as_u64().unwrap_or(0));
    if !host.chars().all(plain) || host.len() > 63 || name.is_empty() || name.starts_with('-') {
        wrong.push(format!("a pod cannot be called `{host}`"));
    }
    for rule in spec["podFailurePolicy"]["rules"].as_array().into_iter().flatten() {
        if rule.get("onExitCodes").is_some() == rule.get("onPodConditions").is_some() {
            wrong.push(format!("a rule needs either codes or conditions: {rule}"));
        }
    }
    let pod = &spec["template"]["spec"];
    let named = |list: &Value| -> Vec<Value> {
        list.as_array().into_iter().flatten().map(|item| item["name"].clone()).collect()
    };
    let mounted = named(&pod["containers"][0]["volumeMounts"]);
    if mounted.iter().any(|mount| !named(&pod["volumes"]).contains(mount)) {
        wrong.push("a volume is mounted that the pod has not".to_owned());
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A value with another at a path, or without the last part of the path.
    fn changed(value: &Value, path: &str, to: Option<Value>) -> Value {
        let mut value = value.clone();
        let (above, name) = path.rsplit_once('/').unwrap();
        let object = value.pointer_mut(above).and_then(Value::as_object_mut).unwrap();
        match to {
            Some(to) => object.insert(name.to_owned(), to),
            None => object.remove(name),
        };
        value
    }

    #[test]
    fn wrong_manifests_are_found() {
        let yaml = crate::job("full", "kubernetes", "kubernetes.yaml");
        let right: Value = serde_saphyr::from_str(&yaml).unwrap();
        assert_eq!(kubernetes(&right), [""; 0]);
        for (path, to, found) in [
            ("/apiVersion", Some(json!("batch/v2")), "apiVersion is"),
            ("/spec/completionMode", None, "completionMode is missing"),
            ("/spec/completions", Some(json!("12")), "completions is"),
            ("/spec/parallelism", Some(json!(13)), "more pods at a time"),
            ("/spec/backoffLimit", Some(json!(-1)), "backoffLimit is"),
            ("/spec/backoffLimits", Some(json!(1)), "backoffLimits is unknown"),
            ("/spec/template/spec/restartPolicy", Some(json!("Always")), "restartPolicy is"),
            ("/spec/template/spec/containers", Some(json!([])), "containers is []"),
            (
                "/spec/template/spec/containers/0/resources/requests/cpu",
                Some(json!(4)),
                "requests is",
            ),
            (
                "/spec/template/spec/containers/0/volumeMounts/0/name",
                Some(json!("x")),
                "is mounted",
            ),
            ("/spec/podFailurePolicy/rules/0/onExitCodes", None, "either codes or conditions"),
            ("/metadata/name", Some(json!("A")), "cannot be called"),
        ] {
            let wrong = kubernetes(&changed(&right, path, to)).join("; ");
            assert!(wrong.contains(found), "{path}: {wrong}");
        }
    }

    #[test]
    fn wrong_job_files_are_found() {
        let text = crate::job("full", "hyperqueue", "hyperqueue.toml");
        let right = serde_json::to_value(toml::from_str::<toml::Value>(&text).unwrap()).unwrap();
        assert_eq!(hyperqueue(&right), [""; 0]);
        for (path, to, found) in [
            ("/array/command", None, "command is missing"),
            ("/array/command", Some(json!("sh")), "command is"),
            ("/array/ids", Some(json!("8-1")), "ids are `8-1`"),
            ("/array/crash_limit", Some(json!(0)), "crash_limit is 0"),
            ("/array/crashlimit", Some(json!(1)), "crashlimit is unknown"),
            ("/array/request/0/resources/cpus", Some(json!(4)), "resources is"),
        ] {
            let wrong = hyperqueue(&changed(&right, path, to)).join("; ");
            assert!(wrong.contains(found), "{path}: {wrong}");
        }
    }
}
