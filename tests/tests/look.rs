//! Ways to look at a run: none of them changes a row of its report, and what they say agrees with the rows.

use serde_json::Value;
use serq_tests::{batch, compile};
use std::{path::PathBuf, process::Command, sync::OnceLock};

/// The binary of an example.
fn built(name: &str) -> PathBuf {
    let path = compile::project().join(format!("examples/pd-disaggregation/{name}.sq"));
    let main = compile::main_file(&path).unwrap_or_else(|problem| panic!("{problem:?}"));
    batch::command(name, &main).unwrap_or_else(|error| panic!("{error}"))
}

/// The binary of the prefill/decode example.
fn sim() -> &'static PathBuf {
    static SIM: OnceLock<PathBuf> = OnceLock::new();
    SIM.get_or_init(|| built("llmd_nixl_pull"))
}

/// What a run from 200 s to `horizon` writes with these options, on standard output and standard error.
fn written(horizon: &str, options: &[&str]) -> (String, String) {
    written_by(sim(), horizon, options)
}

fn written_by(sim: &PathBuf, horizon: &str, options: &[&str]) -> (String, String) {
    let mut command = Command::new(sim);
    command.args(["--warmup", "200", "--json", "--horizon", horizon]).args(options);
    let output = command.output().unwrap_or_else(|error| panic!("{error}"));
    let text = |bytes| String::from_utf8(bytes).unwrap_or_else(|error| panic!("{error}"));
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "{err}");
    (out, err)
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}"))
}

/// The line of a run of half an hour.
fn json(options: &[&str]) -> Value {
    parsed(&written("2000", options).0)
}

fn number(v: &Value, path: &str) -> f64 {
    v.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path} in {v}"))
}

#[test]
fn series_and_limits_change_no_row() {
    let plain = json(&[]);
    let mut looked = json(&["--series", "--slo", "ttft:0.05,response:0.2"]);
    let all = looked.as_object_mut().unwrap_or_else(|| panic!("an object"));
    assert!(all.remove("series").is_some());
    for key in ["good", "unanswered", "goodput", "attained"] {
        let serving = all.get_mut("serving").and_then(Value::as_object_mut);
        assert!(serving.and_then(|s| s.remove(key)).is_some(), "{key}");
    }
    assert_eq!(plain, looked);
}

#[test]
fn series_have_the_means_of_the_rows() {
    let v = json(&["--series"]);
    let mean = |list: &Value| {
        let all: Vec<f64> =
            list.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
        assert!(all.len() == 200, "{} windows", all.len());
        all.iter().sum::<f64>() / all.len() as f64
    };
    let near = |a: f64, b: f64, what: &str| {
        assert!((a - b).abs() <= 1e-4 * b.abs() + 1e-9, "{what}: {a} and {b}");
    };
    near(mean(&v["series"]["live"]), number(&v, "/run/mean_live"), "live");
    for (series, rows, of) in [
        ("pools", "queue", "mean_queue"),
        ("pools", "used", "mean_used"),
        ("stages", "jobs", "mean_number"),
    ] {
        let lists = v["series"][series].as_array().unwrap_or_else(|| panic!("{series}"));
        assert_eq!(lists.len(), v[series].as_array().map_or(0, Vec::len));
        for (i, list) in lists.iter().enumerate() {
            near(mean(&list[rows]), number(&v, &format!("/{series}/{i}/{of}")), &list.to_string());
        }
    }
    for (name, list) in v["series"]["gauges"].as_object().into_iter().flatten() {
        near(mean(list), number(&v, &format!("/gauges/{name}/mean")), name);
    }
    let ttft = &v["series"]["quantiles"]["ttft"];
    assert_eq!(ttft.as_array().map_or(0, Vec::len), 101);
    assert!((number(ttft, "/50") / number(&v, "/observes/ttft/p50") - 1.0).abs() < 1e-6);
}

#[test]
fn goodput_counts_offered_requests() {
    // Every request that ended is within a limit that nothing exceeds; what is missing was not answered.
    let v = json(&["--slo", "response:1e9"]);
    let (offered, good) = (number(&v, "/serving/offered"), number(&v, "/serving/good"));
    assert_eq!(good + number(&v, "/serving/unanswered"), offered);
    assert_eq!(offered, number(&v, "/run/turns"));
    // Requests that the gateway refuses are offered and never good.
    let refused = number(&v, "/observes/too_long/mean") * number(&v, "/observes/too_long/count");
    assert!(refused > 50.0 && offered - good >= refused.round(), "{refused} of {offered}, {good}");
    let none = json(&["--slo", "response:0"]);
    assert_eq!(number(&none, "/serving/good"), 0.0);
    // A limit at the median of the first token's time.
    let p50 = number(&v, "/observes/ttft/p50").to_string();
    let half = json(&["--slo", &format!("ttft:{p50}")]);
    let part = number(&half, "/serving/good") / good;
    assert!((part - 0.5).abs() < 0.01, "{part}");
}

#[test]
fn the_object_of_vllm_has_the_numbers_of_the_report() {
    let options = ["--warmup", "200", "--horizon", "2000", "--vllm-json", "--slo", "ttft:0.05"];
    let output = Command::new(sim()).args(options).output();
    let output = output.unwrap_or_else(|error| panic!("{error}"));
    let v = parsed(&String::from_utf8_lossy(&output.stdout));
    let ours = json(&["--slo", "ttft:0.05"]);
    for (theirs, own, unit) in [
        ("/mean_ttft_ms", "/observes/ttft/mean", 1e3),
        ("/p99_e2el_ms", "/observes/response/p99", 1e3),
        ("/completed", "/serving/completed", 1.0),
        ("/request_throughput", "/serving/request_throughput", 1.0),
        ("/request_goodput", "/serving/goodput", 1.0),
        ("/output_throughput", "/serving/output_throughput", 1.0),
    ] {
        let (a, b) = (number(&v, theirs), unit * number(&ours, own));
        assert!((a - b).abs() <= 1e-12 * b, "{theirs}: {a} and {b}");
    }
    assert!(v["mean_tpot_ms"].is_null(), "the program observes none");
    assert!(number(&v, "/mean_itl_ms") > 0.0);
}

/// A time line of the run from 200 s to `horizon`, and what the run writes beside it.
fn timeline(horizon: &str, options: &[&str]) -> (Vec<Value>, (String, String)) {
    timeline_of(sim(), horizon, options)
}

fn timeline_of(sim: &PathBuf, horizon: &str, options: &[&str]) -> (Vec<Value>, (String, String)) {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let file = folder.path().join("run.perfetto.json");
    let path = file.to_string_lossy().into_owned();
    let told = written_by(sim, horizon, &[&["--timeline", &path], options].concat());
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{error}"));
    let all = parsed(&text)["traceEvents"].as_array().cloned().unwrap_or_default();
    (all, told)
}

fn text<'a>(event: &'a Value, path: &str) -> &'a str {
    event.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

#[test]
fn a_time_line_changes_no_byte_of_the_report() {
    for horizon in ["230", "900"] {
        let plain = written(horizon, &["--samples"]);
        let (events, told) = timeline(horizon, &["--samples", "--timeline-window", "190..260"]);
        assert!(events.len() > 1000);
        assert!(plain == told, "horizon {horizon}");
    }
}

#[test]
fn a_time_line_has_the_times_of_the_report() {
    let (events, (out, _)) = timeline("260", &["--timeline-window", "200..260"]);
    let rows = parsed(&out);
    let slices: Vec<&Value> = events.iter().filter(|e| text(e, "/ph") == "X").collect();
    // Mean number: the time of all slices over the measured time (Little's law, on one path).
    let number_of = |name: &str, at: &str| {
        let of = slices.iter().filter(|e| text(e, "/name") == name && text(e, "/args/at") == at);
        of.map(|e| number(e, "/dur")).sum::<f64>() / 60e6
    };
    let near = |a: f64, b: f64, what: &str| {
        assert!((a - b).abs() <= 1e-6 + 1e-6 * b, "{what}: {a} and {b}");
    };
    let label = |row: &Value| {
        let (name, index) = (text(row, "/name"), row["index"].as_u64());
        let (family, rest) = name.find('.').map_or((name, ""), |dot| name.split_at(dot));
        index.map_or(name.to_owned(), |i| format!("{family}[{i}]{rest}"))
    };
    for pool in rows["pools"].as_array().into_iter().flatten() {
        let at = label(pool);
        near(number_of("queue", &at), number(pool, "/mean_queue"), &at);
    }
    let mut engines = 0;
    for stage in rows["stages"].as_array().into_iter().flatten() {
        let at = label(stage);
        let present = match text(stage, "/kind") {
            "step" => {
                ["prefill", "decode", "wait to grow"].map(|name| number_of(name, &at)).iter().sum()
            }
            "link" => continue,
            _ => number_of(&at, &at),
        };
        near(present, number(stage, "/mean_number"), &at);
        if text(stage, "/kind") == "step" {
            engines += 1;
            let busy = slices.iter().filter(|e| text(e, "/cat") == "iteration");
            let part = number(stage, "/utilization");
            let tracks = events.iter().filter(|e| text(e, "/name") == "thread_name");
            let track = tracks.filter(|e| number(e, "/pid") == 1.0 && text(e, "/args/name") == at);
            let track = track.map(|e| number(e, "/tid")).next().unwrap_or_else(|| panic!("{at}"));
            let inside = busy.filter(|e| number(e, "/tid") == track).map(|e| {
                let (from, to) = (number(e, "/ts"), number(e, "/ts") + number(e, "/dur"));
                (to.min(260e6) - from.max(200e6)).max(0.0)
            });
            let share = inside.sum::<f64>() / 60e6;
            assert!((share - part).abs() < 1e-4, "{at}: {share} and {part}");
        }
    }
    assert_eq!(engines, 4);
}

#[test]
fn slices_of_a_track_follow_one_another() {
    // The second example has legs, which run beside their sessions.
    for sim in [sim(), &built("vllm_nixl_push")] {
        let (events, _) = timeline_of(sim, "260", &["--timeline-window", "200..260"]);
        follow_one_another(&events);
    }
}

fn follow_one_another(events: &[Value]) {
    let mut ends: std::collections::BTreeMap<(u64, u64), f64> = Default::default();
    for e in events.iter().filter(|e| text(e, "/ph") == "X") {
        let track = (number(e, "/pid") as u64, number(e, "/tid") as u64);
        let (from, to) = (number(e, "/ts"), number(e, "/ts") + number(e, "/dur"));
        let end = ends.entry(track).or_insert(0.0);
        assert!(to > from && from >= *end - 1e-3, "{e} begins before {end}");
        *end = to;
    }
    assert!(ends.len() > 20);
}

#[test]
fn a_full_time_line_says_so() {
    let (events, (_, err)) = timeline("2000", &["--timeline-window", "200..2000"]);
    assert!(err.starts_with("note: the time line is full: it ends at t = "), "{err}");
    let counted = events.iter().filter(|e| ["X", "C"].contains(&text(e, "/ph"))).count();
    assert!((200_000..420_000).contains(&counted), "{counted}: a pool's level is two counters");
}
