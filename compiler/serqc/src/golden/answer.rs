//! What came out of a program, in the form of the answer files.
//!
//! In: how its compilation or its run ended. Out: a report (`run`, `observes`, `gauges`, `pools`,
//! `stages`, with more keys than an answer needs), or `where` it was refused (`link` or `run`) with
//! `line`, `col` and `message`, or an object with none of these when it got no answer at all.

use serde_json::{Value, json};

use super::compile::Place;
use super::runs::Said;

/// Refused when compiled.
pub fn refusal(place: &Place) -> Value {
    let known = place.line > 0;
    let mut answer = json!({
        "where": "link",
        "line": known.then_some(place.line),
        "col": known.then_some(place.col),
        "code": place.code,
        "message": place.message,
    });
    if let Some(file) = &place.file {
        answer["file"] = json!(file);
    }
    answer
}

/// Something broke down: a defect, not an answer.
pub fn defect(of: &str, what: &str) -> Value {
    json!({"defect": format!("{of}: {what}")})
}

/// What a run came to.
pub fn of_run(said: &Said) -> Value {
    let line = match said {
        Said::Line(line) => line,
        Said::Hung(after) => {
            return defect(
                "the run hangs",
                &format!("given up after {:.1} s", after.as_secs_f64()),
            );
        }
        Said::Crashed(why) => return defect("the run broke down", why),
        Said::NotBuilt(why) => return defect("the emitted Rust does not compile", why),
    };
    match serde_json::from_str::<Value>(line) {
        Ok(report) => match report.get("error") {
            Some(fault) => json!({
                "where": "run",
                "line": fault["line"],
                "col": fault["column"],
                "code": fault["code"],
                "message": fault["message"],
                "session": fault["session"],
                "turn": fault["turn"],
                "time": fault["time"],
            }),
            None => report,
        },
        Err(error) => defect("the report is no JSON", &error.to_string()),
    }
}

/// A number, or one of the words that stand for a number that JSON does not have.
pub fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(n) => n.as_f64(),
        Value::String(word) => match word.as_str() {
            "nan" | "NaN" => Some(f64::NAN),
            "inf" | "Infinity" => Some(f64::INFINITY),
            "-inf" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

/// A statistic of a report: `kind` is `run`, `observe`, `gauge`, `pool` or `stage`; `name` may name
/// a member, as `kv[1]`. `None` if there is no such row, or no number in it.
pub fn statistic(report: &Value, kind: &str, name: &str, statistic: &str) -> Option<f64> {
    let value = match kind {
        "run" => &report["run"][statistic],
        "observe" => &report["observes"][name][statistic],
        "gauge" => &report["gauges"][name][statistic],
        "pool" => &row(&report["pools"], name)?[statistic],
        "stage" => &row(&report["stages"], name)?[statistic],
        _ => return None,
    };
    number(value)
}

/// The row of a pool or stage.
fn row<'a>(rows: &'a Value, said: &str) -> Option<&'a Value> {
    let indexed = said.strip_suffix(']').and_then(|said| said.rsplit_once('['));
    let indexed = indexed.and_then(|(name, index)| Some((name, index.parse::<u64>().ok()?)));
    let (name, index) = indexed.map_or((said, None), |(name, index)| (name, Some(index)));
    rows.as_array()?.iter().find(|row| row["name"] == name && row["index"].as_u64() == index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_stopped_is_an_error_at_its_place() {
        let line =
            json!({"run": {}, "error": {"line": 7, "column": 3, "message": "no"}}).to_string();
        let answer = of_run(&Said::Line(line));
        assert_eq!((&answer["where"], &answer["line"]), (&json!("run"), &json!(7)));
        assert!(of_run(&Said::Line("{".to_owned())).get("defect").is_some());
    }

    #[test]
    fn statistics_are_found_by_kind_and_name() {
        let report = json!({
            "run": {"arrivals": 3},
            "gauges": {"g": {"mean": "nan"}},
            "pools": [
                {"name": "kv", "index": 0, "mean_used": 1.0},
                {"name": "kv", "index": 1, "mean_used": 2.0},
            ],
        });
        assert_eq!(statistic(&report, "run", "", "arrivals"), Some(3.0));
        assert_eq!(statistic(&report, "pool", "kv[1]", "mean_used"), Some(2.0));
        assert_eq!(statistic(&report, "pool", "kv", "mean_used"), None);
        assert!(statistic(&report, "gauge", "g", "mean").is_some_and(f64::is_nan));
    }
}
