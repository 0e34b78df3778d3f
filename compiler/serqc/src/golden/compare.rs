//! The first difference between what came out and an answer.
//!
//! In: two JSON values, see `answer`. Out: a path and both values, or nothing. Counts are exact,
//! times and values agree to 1e-9 relative. Keys that the answer does not have are not looked at,
//! and of those that it has, [`SKIPPED`] are not: they describe how something was computed.

use serde_json::{Map, Value};

use super::answer::{number, statistic};

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

/// Parts of a report, in the order in which a difference is looked for.
pub const PARTS: &[&str] = &["run", "observes", "gauges", "pools", "stages"];

/// Relative tolerance of times and values.
const RELATIVE: f64 = 1e-9;
/// Absolute tolerance, for values that are rounding noise around 0.
const ABSOLUTE: f64 = 1e-11;
/// Absolute tolerance of `ci` and `cv2`, which subtract nearly equal numbers.
const ABSOLUTE_SPREAD: f64 = 1e-9;

/// The first difference, `None` when what came out is what the answer asks for.
pub fn answers(got: &Value, want: &Value) -> Option<String> {
    if want.get("where").is_some() {
        return errors(got, want);
    }
    if let Some(said) = unreported(got) {
        return Some(said);
    }
    if let Some(wanted) = want.get("quantities") {
        return wanted.as_array().into_iter().flatten().find_map(|one| quantity(got, one));
    }
    PARTS.iter().find_map(|part| {
        let expected = want.get(part)?;
        match got.get(part) {
            Some(given) => values(given, expected, part, part),
            None => Some(format!("{part}: missing")),
        }
    })
}

/// Why there is no report to compare.
fn unreported(got: &Value) -> Option<String> {
    if got.get("run").is_some() {
        return None;
    }
    if let Some(defect) = got["defect"].as_str() {
        return Some(defect.to_owned());
    }
    Some(match got["where"].as_str() {
        Some(place) => format!("it is refused ({place}), {}", told(got)),
        None => format!("there is no report: {}", clipped(got)),
    })
}

/// Compares the places of two errors; what the answer leaves null or calls `any` is not asked.
fn errors(got: &Value, want: &Value) -> Option<String> {
    let due = || {
        let about = want["about"].as_str();
        about.map_or_else(String::new, |about| format!(" (due: {about})"))
    };
    if let Some(defect) = got["defect"].as_str() {
        return Some(format!("{defect}{}", due()));
    }
    if !matches!(got["where"].as_str(), Some("link" | "run")) {
        return Some(format!("no error where one is due{}", due()));
    }
    ["where", "line", "col"].into_iter().find_map(|key| {
        let expected = &want[key];
        let asked = !expected.is_null() && expected != "any";
        (asked && got[key] != *expected)
            .then(|| format!("{key}: got {}, want {expected}; {}{}", got[key], told(got), due()))
    })
}

/// An error as one line.
fn told(error: &Value) -> String {
    let code = error["code"].as_str().map_or_else(String::new, |code| format!(" {code}"));
    let message = error["message"].as_str().unwrap_or("without a message");
    format!("at {}:{}:{code} {message}", error["line"], error["col"])
}

/// Looks whether a statistic lies within its tolerance.
fn quantity(got: &Value, want: &Value) -> Option<String> {
    let text = |key: &str| want[key].as_str().unwrap_or_default();
    let (kind, name, what) = (text("kind"), text("name"), text("stat"));
    let (value, tolerance) = (number(&want["value"])?, number(&want["tolerance"]).unwrap_or(0.0));
    let Some(given) = statistic(got, kind, name, what) else {
        return Some(format!("{kind} {name} {what}: missing, want {value}"));
    };
    // A NaN is not within.
    let within = (given - value).abs() <= tolerance;
    (!within).then(|| format!("{kind} {name} {what}: got {given}, want {value} within {tolerance}"))
}

/// Compares one value. `path` says where, `key` is the last name on it.
fn values(got: &Value, want: &Value, path: &str, key: &str) -> Option<String> {
    match want {
        Value::Object(wanted) => match got.as_object() {
            Some(given) => objects(given, wanted, path),
            None => Some(differs(path, got, want)),
        },
        Value::Array(wanted) => match got.as_array() {
            Some(given) => lists(given, wanted, path, key),
            None => Some(differs(path, got, want)),
        },
        _ => match (number(got), number(want)) {
            (Some(g), Some(w)) => {
                let absolute = if matches!(key, "ci" | "cv2") { ABSOLUTE_SPREAD } else { ABSOLUTE };
                let same = if COUNTS.contains(&key) { g == w } else { close(g, w, absolute) };
                (!same).then(|| differs(path, got, want))
            }
            _ => (got != want).then(|| differs(path, got, want)),
        },
    }
}

fn objects(got: &Map<String, Value>, want: &Map<String, Value>, path: &str) -> Option<String> {
    want.iter().filter(|(name, _)| !SKIPPED.contains(&name.as_str())).find_map(
        |(name, expected)| {
            let inner = format!("{path}/{name}");
            match got.get(name) {
                Some(value) => values(value, expected, &inner, name),
                None => Some(format!("{inner}: missing")),
            }
        },
    )
}

fn lists(got: &[Value], want: &[Value], path: &str, key: &str) -> Option<String> {
    for (i, (value, expected)) in got.iter().zip(want).enumerate() {
        let inner = format!("{path}[{i}]");
        let difference = match (value.as_array(), expected.as_array()) {
            (Some(row), Some(wanted)) if wanted.len() == 4 => sample(row, wanted, &inner),
            _ => values(value, expected, &inner, key),
        };
        if difference.is_some() {
            return difference;
        }
    }
    if got.len() == want.len() {
        return None;
    }
    let longer = if got.len() > want.len() { got } else { want };
    let extra = clipped(&longer[got.len().min(want.len())]);
    Some(format!("{path}: got {} entries, want {}; first extra {extra}", got.len(), want.len()))
}

/// Compares a row of samples: time, session, turn, value.
fn sample(got: &[Value], want: &[Value], path: &str) -> Option<String> {
    ["time", "session", "turn", "value"].into_iter().enumerate().find_map(|(column, name)| {
        let pair = (got.get(column).and_then(number), want.get(column).and_then(number));
        let same = match pair {
            (Some(g), Some(w)) if column == 1 || column == 2 => g == w,
            (Some(g), Some(w)) => close(g, w, ABSOLUTE),
            _ => false,
        };
        (!same).then(|| format!("{path} {name}: got {}, want {}", row(got), row(want)))
    })
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

/// Where two texts that must be the same bytes part, and how they go on from there.
pub fn texts(one: &str, other: &str) -> Option<String> {
    if one == other {
        return None;
    }
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let near = |text: &str| {
        let bytes = &text.as_bytes()[same.saturating_sub(60)..(same + 40).min(text.len())];
        String::from_utf8_lossy(bytes).into_owned()
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
        let difference = answers(&observe(2.0 + 1e-7), &observe(2.0)).unwrap();
        assert!(difference.contains("samples[0] value"), "{difference}");
    }

    #[test]
    fn counts_are_exact_and_events_are_not_compared() {
        let mut got = observe(2.0);
        got["run"]["events"] = json!(4);
        assert_eq!(answers(&got, &observe(2.0)), None);
        got["run"]["ended"] = json!(2.000_000_001);
        assert!(answers(&got, &observe(2.0)).is_some_and(|d| d.starts_with("run/ended")));
    }

    #[test]
    fn a_missing_sample_and_a_missing_report_are_differences() {
        let mut got = observe(2.0);
        got["observes"]["u"]["samples"] = json!([]);
        assert!(answers(&got, &observe(2.0)).is_some_and(|d| d.contains("got 0 entries, want 1")));
        let refused = json!({"where": "run", "line": 3, "col": 4, "message": "no"});
        assert_eq!(answers(&refused, &observe(2.0)).unwrap(), "it is refused (run), at 3:4: no");
    }

    #[test]
    fn words_stand_for_numbers() {
        let nan = json!({"run": {}, "observes": {"u": {"samples": [[1.0, 0, 1, "nan"]]}}});
        assert_eq!(answers(&nan, &nan), None);
        assert!(answers(&observe(1.0), &nan).is_some());
    }

    #[test]
    fn nothing_is_not_a_number() {
        let of = |mean: Value| json!({"run": {"mean_live": mean}});
        assert!(answers(&of(json!(0.0)), &of(Value::Null)).is_some());
        assert!(answers(&of(Value::Null), &of(json!(0.0))).is_some());
    }

    #[test]
    fn an_error_must_stand_at_its_place() {
        let want = json!({"where": "link", "line": 3, "col": null, "about": "x"});
        assert_eq!(answers(&json!({"where": "link", "line": 3, "col": 9}), &want), None);
        assert!(answers(&json!({"where": "link", "line": 4, "col": 9}), &want).is_some());
        assert!(answers(&json!({"run": {}}), &want).is_some());
        let anywhere = json!({"where": "any", "line": null, "col": "any"});
        assert_eq!(answers(&json!({"where": "run", "line": 4, "col": 9}), &anywhere), None);
        assert!(answers(&json!({"defect": "it hangs"}), &anywhere).is_some());
    }

    #[test]
    fn a_quantity_must_lie_within_its_tolerance() {
        let of = |value: f64| json!({"quantities": [{"kind": "gauge", "name": "n", "stat": "mean", "value": value, "tolerance": 0.5}]});
        let got = json!({"run": {}, "gauges": {"n": {"mean": 5.0}}});
        assert_eq!(answers(&got, &of(5.4)), None);
        assert!(answers(&got, &of(5.6)).is_some());
        assert!(answers(&json!({"run": {}}), &of(5.0)).is_some());
    }
}
