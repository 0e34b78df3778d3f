//! Compares an answer with the expected one: counts exactly, times and values to 1e-9 relative.
//!
//! In: two JSON values, in the format of `conformance/*/NAME.json`. Out: the first difference, as a path and both
//! values. Keys that the expected answer does not have are not looked at, and of those it has, [`SKIPPED`] are not:
//! they describe the reference interpreter, not the program.

use serde_json::Value;

/// Keys whose numbers must be equal.
const COUNTS: &[&str] = &[
    "arrivals",
    "ended",
    "turns",
    "count",
    "admissions",
    "evicted_entries",
    "preemptions",
    "spills",
    "rejected",
    "stuck",
    "completed",
    "iterations",
    "seed",
    "index",
    "session",
    "turn",
];

/// Keys that are not compared.
const SKIPPED: &[&str] = &[
    "options",
    "serq_version",
    "about",
    "scope",
    "over_cap",
    "idle_with_work",
    "extra",
    "differs_from_reference",
    "events",
];

/// Parts of an answer, in the order in which a difference is looked for.
const PARTS: &[&str] = &["run", "observes", "gauges", "pools", "stages"];

/// Relative tolerance of times and values.
const RELATIVE: f64 = 1e-9;
/// Absolute tolerance, for values that are rounding noise around 0.
const ABSOLUTE: f64 = 1e-11;
/// Absolute tolerance of `ci` and `cv2`, which subtract nearly equal numbers.
const ABSOLUTE_SPREAD: f64 = 1e-9;

/// The first difference between two answers of a run, `None` when they agree.
pub fn answers(got: &Value, want: &Value) -> Option<String> {
    if want.get("where").is_some() {
        return errors(got, want);
    }
    if got.get("run").is_none() {
        return Some(format!("no report: {}", clipped(got)));
    }
    for part in PARTS {
        let Some(expected) = want.get(part) else { continue };
        let difference = match got.get(part) {
            Some(given) => values(given, expected, part, part),
            None => Some(format!("{part}: missing")),
        };
        if difference.is_some() {
            return difference;
        }
    }
    None
}

/// The first difference between two error answers (`where`, `line`, `col`; null in `want`: not asked).
pub fn errors(got: &Value, want: &Value) -> Option<String> {
    match got.get("where").and_then(Value::as_str) {
        Some("link" | "run") => {}
        _ => {
            return Some(format!(
                "no error where one is due ({}): {}",
                want["about"],
                clipped(got)
            ));
        }
    }
    for key in ["where", "line", "col"] {
        let expected = &want[key];
        if expected.is_null() || expected == "any" || got.get(key) == Some(expected) {
            continue;
        }
        return Some(format!(
            "{key}: got {}, want {expected} ({}): {}",
            got[key],
            want["about"],
            clipped(got)
        ));
    }
    None
}

/// Compares one value. `path` says where, `key` is the last name on it.
fn values(got: &Value, want: &Value, path: &str, key: &str) -> Option<String> {
    match want {
        Value::Object(wanted) => {
            let Some(given) = got.as_object() else { return Some(differs(path, got, want)) };
            for (name, expected) in wanted {
                if SKIPPED.contains(&name.as_str()) {
                    continue;
                }
                let inner = format!("{path}/{name}");
                let difference = match given.get(name) {
                    Some(value) => values(value, expected, &inner, name),
                    None => Some(format!("{inner}: missing")),
                };
                if difference.is_some() {
                    return difference;
                }
            }
            None
        }
        Value::Array(wanted) => {
            let Some(given) = got.as_array() else { return Some(differs(path, got, want)) };
            for (i, (value, expected)) in given.iter().zip(wanted).enumerate() {
                let inner = format!("{path}[{i}]");
                let difference = match (key, value.as_array(), expected.as_array()) {
                    ("samples", Some(row), Some(wanted_row)) => sample(row, wanted_row, &inner),
                    _ => values(value, expected, &inner, key),
                };
                if difference.is_some() {
                    return difference;
                }
            }
            if given.len() == wanted.len() {
                return None;
            }
            let longer = if given.len() > wanted.len() { given } else { wanted };
            let extra = &longer[given.len().min(wanted.len())];
            Some(format!(
                "{path}: got {} entries, want {}; first extra {extra}",
                given.len(),
                wanted.len()
            ))
        }
        _ => match (number(got), number(want)) {
            (Some(g), Some(w)) if COUNTS.contains(&key) => {
                (g != w).then(|| differs(path, got, want))
            }
            (Some(g), Some(w)) => {
                let absolute = if matches!(key, "ci" | "cv2") { ABSOLUTE_SPREAD } else { ABSOLUTE };
                (!close(g, w, absolute)).then(|| differs(path, got, want))
            }
            _ => (got != want).then(|| differs(path, got, want)),
        },
    }
}

/// Compares a row of samples: time, session, turn, value.
fn sample(got: &[Value], want: &[Value], path: &str) -> Option<String> {
    for (column, name) in ["time", "session", "turn", "value"].iter().enumerate() {
        let pair = (got.get(column).and_then(number), want.get(column).and_then(number));
        let same = match pair {
            (Some(g), Some(w)) if column == 1 || column == 2 => g == w,
            (Some(g), Some(w)) => close(g, w, ABSOLUTE),
            _ => false,
        };
        if !same {
            return Some(format!("{path} {name}: got {}, want {}", row(got), row(want)));
        }
    }
    None
}

/// A number, or one of the words that stand for a number JSON does not have.
pub fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(n) => n.as_f64(),
        Value::String(word) => match word.as_str() {
            "nan" => Some(f64::NAN),
            "inf" => Some(f64::INFINITY),
            "-inf" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

fn close(a: f64, b: f64, absolute: f64) -> bool {
    if a.is_nan() || b.is_nan() {
        return a.is_nan() && b.is_nan();
    }
    a == b || (a - b).abs() <= absolute.max(RELATIVE * a.abs().max(b.abs()))
}

fn differs(path: &str, got: &Value, want: &Value) -> String {
    format!("{path}: got {}, want {}", clipped(got), clipped(want))
}

fn row(values: &[Value]) -> String {
    let cells: Vec<String> = values.iter().map(Value::to_string).collect();
    format!("[{}]", cells.join(", "))
}

/// Where two answers that must be the same bytes part, and how they go on from there.
pub fn texts(one: &str, other: &str) -> Option<String> {
    if one == other {
        return None;
    }
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let near = |text: &str| {
        String::from_utf8_lossy(
            &text.as_bytes()[same.saturating_sub(60)..(same + 40).min(text.len())],
        )
        .into_owned()
    };
    Some(format!("`{}` or `{}`", near(one), near(other)))
}

/// A value short enough for one line of a summary.
pub fn clipped(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn observe(value: f64) -> Value {
        json!({"run": {"events": 3, "ended": 2}, "observes": {"u": {"count": 1, "samples": [[1.0, 0, 1, value]]}}})
    }

    #[test]
    fn values_agree_within_the_tolerance() {
        assert_eq!(answers(&observe(2.0 + 1e-10), &observe(2.0)), None);
        assert!(
            answers(&observe(2.0 + 1e-7), &observe(2.0))
                .is_some_and(|d| d.contains("samples[0] value"))
        );
    }

    #[test]
    fn counts_are_exact_and_events_are_not_compared() {
        let mut got = observe(2.0);
        got["run"]["events"] = json!(4);
        assert_eq!(answers(&got, &observe(2.0)), None);
        got["run"]["ended"] = json!(2.000000001);
        assert!(answers(&got, &observe(2.0)).is_some_and(|d| d.starts_with("run/ended")));
    }

    #[test]
    fn a_missing_sample_and_a_missing_report_are_differences() {
        let mut got = observe(2.0);
        got["observes"]["u"]["samples"] = json!([]);
        assert!(answers(&got, &observe(2.0)).is_some_and(|d| d.contains("got 0 entries, want 1")));
        assert!(answers(&json!({"where": "run"}), &observe(2.0)).is_some());
    }

    #[test]
    fn words_stand_for_numbers() {
        let nan = json!({"run": {}, "observes": {"u": {"samples": [[1.0, 0, 1, "nan"]]}}});
        assert_eq!(answers(&nan, &nan), None);
        assert!(answers(&observe(1.0), &nan).is_some());
    }

    #[test]
    fn an_error_must_stand_at_its_place() {
        let want = json!({"where": "link", "line": 3, "col": null, "about": "x"});
        assert_eq!(errors(&json!({"where": "link", "line": 3, "col": 9}), &want), None);
        assert!(errors(&json!({"where": "link", "line": 4, "col": 9}), &want).is_some());
        assert!(errors(&json!({"run": {}}), &want).is_some());
    }
}
