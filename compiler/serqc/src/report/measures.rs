//! Numbers of a run by name, taken from its report, and what several runs say of them.

use serde_json::Value;
use serq_runtime::stats::t_interval;

use super::data::{Point, Run};

/// A number that every run has.
#[derive(Clone, PartialEq, Debug)]
pub struct Measure {
    /// What it is called.
    pub title: String,
    /// Its unit, for an axis.
    pub unit: &'static str,
    /// Its place in the report, a JSON pointer.
    pub pointer: String,
}

/// Mean over runs, and half of its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    pub mean: f64,
    pub half: Option<f64>,
    pub runs: usize,
}

/// Number at a place of a report.
pub fn at(report: &Value, pointer: &str) -> Option<f64> {
    report.pointer(pointer).and_then(Value::as_f64)
}

/// The mean of a measure over these runs.
pub fn estimate<'a>(runs: impl Iterator<Item = &'a Run>, pointer: &str) -> Option<Estimate> {
    let values: Vec<f64> = runs.filter_map(|run| at(&run.report, pointer)).collect();
    let runs = values.len();
    let mean = values.iter().sum::<f64>() / runs as f64;
    (runs > 0).then(|| Estimate { mean, half: t_interval(&values), runs })
}

/// Names of a run's observations.
pub fn observations(run: &Run) -> Vec<String> {
    let rows = run.report.get("observes").and_then(Value::as_object);
    rows.map(|rows| rows.keys().cloned().collect()).unwrap_or_default()
}

/// A name as part of a pointer.
fn part(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A number of an observation.
pub fn observed(name: &str, what: &str) -> String {
    format!("/observes/{}/{what}", part(name))
}

/// What is drawn over a swept setting, those that readers look for first.
pub fn of_curves(run: &Run) -> Vec<Measure> {
    let names = observations(run);
    let known = ["ttft", "tpot", "response", "e2el", "e2e", "latency"];
    let first = known.iter().filter(|k| names.iter().any(|n| n == *k)).map(|k| (*k).to_owned());
    let others = names.iter().filter(|n| !known.contains(&n.as_str())).cloned();
    let mut all = Vec::new();
    for name in first.clone() {
        for (what, word) in [("mean", "mean"), ("p99", "p99")] {
            let pointer = observed(&name, what);
            all.push(Measure { title: format!("{name}, {word}"), unit: "s", pointer });
        }
    }
    for (title, unit, key) in [
        ("requests served", "a second", "request_throughput"),
        ("goodput", "a second", "goodput"),
        ("requests within the limits", "of those offered", "attained"),
        ("output tokens", "a second", "output_throughput"),
    ] {
        all.push(Measure { title: title.into(), unit, pointer: format!("/serving/{key}") });
    }
    for name in others {
        all.push(Measure { title: name.clone(), unit: "mean", pointer: observed(&name, "mean") });
    }
    all.retain(|m| at(&run.report, &m.pointer).is_some());
    all
}

/// A delay outside the queues, which is most often none of the request: a tool call, a person who reads.
pub const OUTSIDE: &str = "outside: ";

/// Where the time of a request goes: name and seconds, for one run.
///
/// By Little's law, the mean number of sessions somewhere is the rate of requests times the mean time that
/// each spends there. Requests are turns, or sessions where there are no turns.
pub fn time_split(run: &Run) -> Vec<(String, f64)> {
    let r = &run.report;
    let measured = at(r, "/run/end").unwrap_or(0.0) - at(r, "/run/warmup").unwrap_or(0.0);
    let turns = at(r, "/run/turns").filter(|t| *t > 0.0).or(at(r, "/run/ended")).unwrap_or(0.0);
    if turns <= 0.0 || measured <= 0.0 {
        return Vec::new();
    }
    let rate = turns / measured;
    let rows = |name: &str| r.get(name).and_then(Value::as_array).into_iter().flatten();
    let number = |row: &Value, key: &str| row.get(key).and_then(Value::as_f64).unwrap_or(0.0);
    let mut split: Vec<(String, f64)> = Vec::new();
    let mut add = |name: String, sessions: f64| {
        let seconds = sessions / rate;
        match split.iter_mut().find(|(n, _)| *n == name) {
            Some((_, sum)) => *sum += seconds,
            None => split.push((name, seconds)),
        }
    };
    for pool in rows("pools") {
        add("queue".into(), number(pool, "mean_queue"));
    }
    // A flow is at every link that it crosses: each family of links counts it once.
    let mut links: Vec<(String, f64)> = Vec::new();
    for stage in rows("stages") {
        let name = stage.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let present = number(stage, "mean_number");
        match stage.get("kind").and_then(Value::as_str) {
            Some("step") => {
                let decode = number(stage, "mean_decodes").min(present);
                add("prefill".into(), present - decode);
                add("decode".into(), decode);
            }
            Some("link") => match links.iter_mut().find(|(n, _)| *n == name) {
                Some((_, sum)) => *sum += present,
                None => links.push((name, present)),
            },
            Some("delay") if name.contains('.') => add("transfer".into(), present),
            Some("delay") => add(format!("{OUTSIDE}{name}"), present),
            _ => {
                let wait = number(stage, "mean_wait") * number(stage, "completed") / measured;
                add("queue".into(), wait.min(present));
                add(name, (present - wait).max(0.0));
            }
        }
    }
    let most = links.iter().map(|l| l.1).fold(0.0, f64::max);
    if most > 0.0 {
        add("transfer".into(), most);
    }
    let order = ["queue", "prefill", "transfer", "decode"];
    split.sort_by_key(|(name, _)| {
        let place = order.iter().position(|o| o == name);
        place.unwrap_or(order.len() + usize::from(name.starts_with(OUTSIDE)))
    });
    split.retain(|(_, seconds)| *seconds > 0.0);
    split
}

/// The mean split over a point's runs.
pub fn mean_split(point: &Point) -> Vec<(String, f64)> {
    let splits: Vec<Vec<(String, f64)>> = point.whole().map(time_split).collect();
    let mut sums: Vec<(String, f64)> = Vec::new();
    for (name, seconds) in splits.iter().flatten() {
        match sums.iter_mut().find(|(n, _)| n == name) {
            Some((_, sum)) => *sum += seconds,
            None => sums.push((name.clone(), *seconds)),
        }
    }
    let runs = splits.len().max(1) as f64;
    sums.into_iter().map(|(name, sum)| (name, sum / runs)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_request_spends_its_time_where_its_sessions_are() {
        let report = json!({
            "run": {"end": 110.0, "warmup": 10.0, "turns": 200, "ended": 20},
            "pools": [{"mean_queue": 1.0}, {"mean_queue": 0.5}],
            "stages": [
                {"name": "D", "kind": "step", "mean_number": 8.0, "mean_decodes": 6.0},
                {"name": "P.nic", "kind": "link", "mean_number": 1.0},
                {"name": "D.nic", "kind": "link", "mean_number": 0.5},
                {"name": "D.nic", "kind": "link", "mean_number": 0.5},
                {"name": "D.nic.latency", "kind": "delay", "mean_number": 0.2},
                {"name": "tool", "kind": "delay", "mean_number": 4.0},
                {"name": "cpu", "kind": "fifo", "mean_number": 1.0, "mean_wait": 0.2, "completed": 200},
            ],
        });
        let split = time_split(&Run { seed: 1, report });
        let near = |name: &str, want: f64| {
            let found = split.iter().find(|(n, _)| n == name).map_or(0.0, |s| s.1);
            assert!((found - want).abs() < 1e-12, "{name}: {found} and {want}");
        };
        // Two requests a second.
        near("queue", (1.5 + 0.4) / 2.0);
        near("prefill", 1.0);
        near("decode", 3.0);
        near("transfer", (1.0 + 0.2) / 2.0);
        near("outside: tool", 2.0);
        near("cpu", 0.3);
    }
}
