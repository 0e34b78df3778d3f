//! Ways to look at a run: none of them changes a row of its report, and what they say agrees with the rows.

use serde_json::Value;
use serq_tests::{batch, compile};
use std::{path::PathBuf, process::Command, sync::OnceLock};

/// The binary of the prefill/decode example.
fn sim() -> &'static PathBuf {
    static SIM: OnceLock<PathBuf> = OnceLock::new();
    SIM.get_or_init(|| {
        let path = compile::project().join("examples/pd-disaggregation/llmd_nixl_pull.sq");
        let main = compile::main_file(&path).unwrap_or_else(|problem| panic!("{problem:?}"));
        batch::command("look", &main).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// What a run of half an hour writes with these options.
fn run(options: &[&str]) -> String {
    let mut command = Command::new(sim());
    command.args(["--horizon", "2000", "--warmup", "200"]).args(options);
    let output = command.output().unwrap_or_else(|error| panic!("{error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap_or_else(|error| panic!("{error}"))
}

fn json(options: &[&str]) -> Value {
    serde_json::from_str(&run(options)).unwrap_or_else(|error| panic!("{error}"))
}

fn number(v: &Value, path: &str) -> f64 {
    v.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path} in {v}"))
}

#[test]
fn series_and_limits_change_no_row() {
    let plain = json(&["--json"]);
    let mut looked = json(&["--json", "--series", "--slo", "ttft:0.05,response:0.2"]);
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
    let v = json(&["--json", "--series"]);
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
    let v = json(&["--json", "--slo", "response:1e9"]);
    let (offered, good) = (number(&v, "/serving/offered"), number(&v, "/serving/good"));
    assert_eq!(good + number(&v, "/serving/unanswered"), offered);
    assert_eq!(offered, number(&v, "/run/turns"));
    // Requests that the gateway refuses are offered and never good.
    let refused = number(&v, "/observes/too_long/mean") * number(&v, "/observes/too_long/count");
    assert!(refused > 50.0 && offered - good >= refused.round(), "{refused} of {offered}, {good}");
    let none = json(&["--json", "--slo", "response:0"]);
    assert_eq!(number(&none, "/serving/good"), 0.0);
    // A limit at the median of the first token's time.
    let p50 = number(&v, "/observes/ttft/p50").to_string();
    let half = json(&["--json", "--slo", &format!("ttft:{p50}")]);
    let part = number(&half, "/serving/good") / good;
    assert!((part - 0.5).abs() < 0.01, "{part}");
}

#[test]
fn the_object_of_vllm_has_the_numbers_of_the_report() {
    let (v, ours) =
        (json(&["--vllm-json", "--slo", "ttft:0.05"]), json(&["--json", "--slo", "ttft:0.05"]));
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
