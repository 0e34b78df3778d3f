//! What came out, as an answer file.
//!
//! In: a case and what came out of it. Out: the text of its answer: every row on a line of its own,
//! samples and points too, so that a change is easy to read. What the old answer says besides (its
//! `options`, what it is `about`) stays, and of an error what was not asked is not asked again.
//! Only what can be meant is written: no breakdown, no quantity within a tolerance, which comes from
//! elsewhere, and of long runs the statistics without the samples and points behind them.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::cases::Case;
use super::compare::PARTS;
use crate::driver::cache;
use crate::failure::Outside;

/// The most samples of an observation, or points of a gauge, that are written.
const MOST: usize = 10_000;
/// What an answer says of an observation or a gauge.
const SIGNAL: &[&str] = &["count", "mean", "ci", "cv2", "p99", "min", "max", "samples", "points"];
/// What an observation has more of than an answer says.
const NOT_OF_OBSERVES: &[&str] = &["min", "max"];
/// What an answer says of a run.
const RUN: &[&str] =
    &["horizon", "end", "warmup", "seed", "arrivals", "ended", "turns", "mean_live"];
/// What an answer says of a pool or a stage.
const ROW: &[&str] = &[
    "name",
    "index",
    "mean_used",
    "mean_cached",
    "mean_queue",
    "mean_holders",
    "mean_wait",
    "admissions",
    "evicted_entries",
    "evicted_units",
    "preemptions",
    "spills",
    "rejected",
    "stuck",
    "mean_number",
    "utilization",
    "completed",
    "throughput",
    "mean_service",
    "iterations",
    "prefill_only",
    "decode_only",
    "mixed",
    "mean_decodes",
    "mean_decode_batch",
    "mean_decode_step",
    "mean_itl",
    "itl_p50",
    "itl_p99",
];

/// The text of the answer, `None` if what came out can be no answer.
pub fn text(case: &Case, got: &Value) -> Option<String> {
    let none = Map::new();
    let old = case.wanted().and_then(Value::as_object).unwrap_or(&none);
    if old.contains_key("quantities") {
        return None;
    }
    if got.get("where").is_some() {
        return Some(error(old, got));
    }
    got.get("run")?;
    let mut answer = Map::new();
    answer.insert("options".to_owned(), old.get("options").cloned().unwrap_or_else(|| json!({})));
    let is_error = |key: &str| matches!(key, "where" | "line" | "col" | "scope" | "file");
    for (key, value) in old {
        if key != "options" && !PARTS.contains(&key.as_str()) && !is_error(key) {
            answer.insert(key.clone(), value.clone());
        }
    }
    for part in PARTS {
        answer.insert((*part).to_owned(), selected(part, &got[*part]));
    }
    Some(laid_out(&answer))
}

/// Writes an answer, all of it or nothing.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: &Path, text: &str) -> Result<(), Outside> {
    cache::write_file(path, text.as_bytes()).map_err(|error| Outside::unwritable(path, error))
}

/// Where a program is refused, in one line.
fn error(old: &Map<String, Value>, got: &Value) -> String {
    let asked =
        |key: &str| old.get("where").is_none() || old.get(key).is_some_and(|v| !v.is_null());
    let mut answer = Map::new();
    let place = if old.get("where") == Some(&json!("any")) { &json!("any") } else { &got["where"] };
    answer.insert("where".to_owned(), place.clone());
    for key in ["line", "col"] {
        let value = if asked(key) { got[key].clone() } else { Value::Null };
        answer.insert(key.to_owned(), value);
    }
    let is_report = |key: &str| PARTS.contains(&key) || key == "differs_from_reference";
    for (key, value) in old {
        if !answer.contains_key(key) && !is_report(key) {
            answer.insert(key.clone(), value.clone());
        }
    }
    if !answer.contains_key("about") {
        answer.insert("about".to_owned(), got["message"].clone());
    }
    format!("{}\n", spaced(&Value::Object(answer)))
}

/// The keys of a part that an answer has.
fn selected(part: &str, value: &Value) -> Value {
    let only = |object: &Value, keep: &dyn Fn(&str) -> bool| {
        let entries = object.as_object().into_iter().flatten();
        let short = |value: &Value| value.as_array().is_none_or(|rows| rows.len() <= MOST);
        let kept = entries.filter(|(key, value)| keep(key) && short(value));
        let kept = kept.map(|(key, value)| (key.clone(), value.clone()));
        Value::Object(kept.collect())
    };
    let signal =
        |key: &str| SIGNAL.contains(&key) && (part == "gauges" || !NOT_OF_OBSERVES.contains(&key));
    match value {
        Value::Object(_) if part == "run" => only(value, &|key| RUN.contains(&key)),
        Value::Object(named) => {
            named.iter().map(|(name, row)| (name.clone(), only(row, &signal))).collect()
        }
        Value::Array(rows) => rows.iter().map(|row| only(row, &|key| ROW.contains(&key))).collect(),
        other => other.clone(),
    }
}

/// A report: its parts, their rows, and the rows of samples and points each on a line.
fn laid_out(answer: &Map<String, Value>) -> String {
    let mut out = String::from("{\n");
    for (n, (part, value)) in answer.iter().enumerate() {
        let _ = write!(out, "{}: ", json!(part));
        let rows: Vec<String> = match value {
            Value::Object(named) if matches!(part.as_str(), "observes" | "gauges") => named
                .iter()
                .map(|(name, row)| format!("{}: {}", json!(name), signal(row)))
                .collect(),
            Value::Array(rows) if PARTS.contains(&part.as_str()) => {
                rows.iter().map(spaced).collect()
            }
            _ => Vec::new(),
        };
        let [open, close] = if value.is_array() { ["[", "]"] } else { ["{", "}"] };
        match rows.is_empty() {
            true => out += &spaced(value),
            false => {
                let _ = write!(out, "{open}\n {}\n{close}", rows.join(",\n "));
            }
        }
        out += if n + 1 < answer.len() { ",\n" } else { "\n" };
    }
    out += "}\n";
    out
}

/// An observation or gauge, its samples or points a line each.
fn signal(row: &Value) -> String {
    let entries = row.as_object().into_iter().flatten().map(|(key, value)| match value {
        Value::Array(items) if !items.is_empty() => {
            let items: Vec<String> = items.iter().map(spaced).collect();
            format!("{}: [\n  {}\n ]", json!(key), items.join(",\n  "))
        }
        other => format!("{}: {}", json!(key), spaced(other)),
    });
    format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
}

/// JSON on one line with a space after commas and colons.
fn spaced(value: &Value) -> String {
    match value {
        Value::Object(entries) => {
            let entries = entries.iter().map(|(k, v)| format!("{}: {}", json!(k), spaced(v)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(spaced).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::compare;
    use std::path::PathBuf;

    fn case(want: Option<Value>) -> Case {
        Case {
            name: "a".to_owned(),
            source: PathBuf::from("a.sq"),
            answer: PathBuf::from("a.json"),
            want: want.map(Ok),
        }
    }

    fn report() -> Value {
        json!({
            "program": "a", "run": {"horizon": 4.0, "events": 9},
            "observes": {"z": {"count": 2, "mean": 0.1, "samples": [[1.0, 0, 1, 0.1], [2.0, 1, 1, "inf"]], "p50": 3.0}},
            "gauges": {}, "pools": [{"name": "kv", "index": null, "kind": "x"}], "stages": [], "notes": [],
        })
    }

    #[test]
    fn a_report_reads_back_and_agrees() {
        let text = text(&case(None), &report()).unwrap();
        let expected = "{\n\"options\": {},\n\"run\": {\"horizon\": 4.0},\n\"observes\": {\n \"z\": {\"count\": 2, \"mean\": 0.1, \"samples\": [\n  [1.0, 0, 1, 0.1],\n  [2.0, 1, 1, \"inf\"]\n ]}\n},\n\"gauges\": {},\n\"pools\": [\n {\"name\": \"kv\", \"index\": null}\n],\n\"stages\": []\n}\n";
        assert_eq!(text, expected);
        assert_eq!(compare::answers(&report(), &serde_json::from_str(&text).unwrap()), None);
    }

    #[test]
    fn what_an_answer_says_besides_stays() {
        let old = json!({"options": {"seed": 3}, "about": "x", "run": {"old": 1}});
        let text = text(&case(Some(old)), &report()).unwrap();
        assert!(text.starts_with(
            "{\n\"options\": {\"seed\": 3},\n\"about\": \"x\",\n\"run\": {\"horizon\""
        ));
    }

    #[test]
    fn what_was_not_asked_of_an_error_is_not_asked() {
        let got = json!({"where": "link", "line": 3, "col": 4, "message": "no"});
        let old = json!({"where": "run", "line": 9, "col": null, "about": "x"});
        let both = [text(&case(Some(old)), &got).unwrap(), text(&case(None), &got).unwrap()];
        assert_eq!(
            both,
            [
                "{\"where\": \"link\", \"line\": 3, \"col\": null, \"about\": \"x\"}\n",
                "{\"where\": \"link\", \"line\": 3, \"col\": 4, \"about\": \"no\"}\n"
            ]
        );
    }

    #[test]
    fn what_can_be_no_answer_is_not_written() {
        assert_eq!(text(&case(None), &json!({"defect": "it hangs"})), None);
        assert_eq!(text(&case(Some(json!({"quantities": []}))), &report()), None);
    }
}
