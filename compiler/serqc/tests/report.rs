//! `serqc report`: one page over results, whole by itself, with the numbers that the results have.

mod common;

use std::fs;

use common::Folder;
use serde_json::Value;

/// A prompt, a flow and a decode on an engine, as short as they can be.
const SMALL: &str = "\
let lambda = 2;
let Bw = 5000;
pool reqs { cap 8; admit via E; }
stage E : step { budget 64; cost 0.001 + tokens * 0.0001; }
stage out : ps(Bw);
stage in : ps(Bw);
stage tool : delay;
share maxmin;
gauge waiting = queued(reqs);
workload { arrive poisson(lambda); turn { set n = floor(~uniform(50, 500)); } }
session {
  turn;
  set t0 = now;
  hold reqs (1) { run E prefill (n); set t1 = now; run out, in (n); run E decode (20); }
  observe ttft = t1 - t0;
  observe response = now - t0;
  run tool (~exp(1));
}
run { horizon 200; warmup 20; }
";

fn results() -> (Folder, String) {
    let folder = Folder::new();
    folder.write("small.sq", SMALL);
    let sweep = ["--sweep", "lambda=1,2,4", "--seeds", "1..3", "--series", "--slo", "ttft:0.1"];
    folder
        .run(
            &[&["run", "small.sq"][..], &sweep, &["--set", "Bw=4000+1000", "--out", "results"]]
                .concat(),
        )
        .expect(0, &[]);
    folder.run(&["report", "results", "-o", "r.html"]).expect(0, &[]);
    let page = fs::read_to_string(folder.path("r.html")).unwrap();
    (folder, page)
}

/// Every cell that says where its number stands: place, point, value.
fn cells(page: &str) -> Vec<(String, usize, f64)> {
    let field = |text: &str, name: &str| {
        let begin = text.find(&format!("{name}=\""))? + name.len() + 2;
        Some(text[begin..begin + text[begin..].find('"')?].to_owned())
    };
    let tags = page.split("<td ").skip(1).map(|rest| rest.split('>').next().unwrap_or_default());
    tags.filter_map(|tag| {
        let point = field(tag, "data-point")?.parse().ok()?;
        Some((field(tag, "data-at")?, point, field(tag, "data-value")?.parse().ok()?))
    })
    .collect()
}

#[test]
fn the_numbers_are_those_of_the_results() {
    let (folder, page) = results();
    let runs = fs::read_to_string(folder.path("results/runs.jsonl")).unwrap();
    let runs: Vec<Value> = runs.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(runs.len(), 9);
    let cells = cells(&page);
    assert!(cells.len() > 40, "{}", cells.len());
    for (place, point, value) in cells {
        let load = [1.0, 2.0, 4.0][point];
        let of_point = runs.iter().filter(|r| r["point"]["lambda"].as_f64() == Some(load));
        let values: Vec<f64> =
            of_point.filter_map(|r| r["report"].pointer(&place)?.as_f64()).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        assert_eq!(mean, value, "{place} at {load}");
    }
}

#[test]
fn a_page_needs_nothing_from_elsewhere() {
    let (folder, page) = results();
    let own = page.replace("http://www.w3.org/2000/svg", "");
    for word in ["http:", "https:", "//", "<script", "src=", "@import", "url(h"] {
        // Comments of a program's text begin with two slashes.
        let own = if word == "//" { own.split("<details>").next().unwrap() } else { &own };
        assert!(!own.contains(word), "{word}");
    }
    let links = page.split("href=\"").skip(1);
    assert!(links.clone().count() > 3);
    assert!(links.into_iter().all(|l| l.starts_with('#') || l.starts_with("data:,")));
    folder.run(&["report", "results", "-o", "again.html"]).expect(0, &[]);
    assert_eq!(fs::read_to_string(folder.path("again.html")).unwrap(), page, "the same bytes");
}

#[test]
fn a_page_has_its_parts() {
    let (_, page) = results();
    let count = |word: &str| page.matches(word).count();
    assert!(count("data-chart=\"curve\"") >= 4, "{}", count("data-chart=\"curve\""));
    assert_eq!(count("data-chart=\"distribution\""), 6, "two observations at three points");
    // Live sessions, the gauge, units of the pool, jobs at four stages, and the queue where there is one.
    assert!((21..=24).contains(&count("data-chart=\"time\"")), "{}", count("data-chart=\"time\""));
    for part in ["queue", "prefill", "transfer", "decode"] {
        assert!(count(&format!("data-part=\"{part}\"")) >= 1, "{part}");
    }
    assert!(page.contains("outside: tool"));
    let command = "serqc run small.sq --set Bw=4000+1000 --series --slo ttft:0.1 --sweep lambda=1,2,4 \
                   --seeds 1..3 --out results";
    assert!(page.contains(command), "the command");
    assert!(page.contains("<figure class=\"picture\"><svg "));
    assert!(page.contains("budget 64; cost 0.001"), "the program's text");
}

#[test]
fn the_time_of_a_request_adds_up() {
    let (folder, page) = results();
    let part = |name: &str| {
        let pattern = format!("data-part=\"{name}\"");
        let rest = page.split(&pattern).nth(1)?;
        let begin = rest.find("data-value=\"")? + 12;
        rest[begin..begin + rest[begin..].find('"')?].parse::<f64>().ok()
    };
    let sum: f64 = ["queue", "prefill", "transfer", "decode"].iter().filter_map(|n| part(n)).sum();
    let runs = fs::read_to_string(folder.path("results/runs.jsonl")).unwrap();
    let responses = runs.lines().take(3).filter_map(|line| {
        let run: Value = serde_json::from_str(line).ok()?;
        run["report"]["observes"]["response"]["mean"].as_f64()
    });
    let mean = responses.sum::<f64>() / 3.0;
    assert!((sum / mean - 1.0).abs() < 0.05, "{sum} and {mean}");
}

#[test]
fn lines_of_json_are_results_too() {
    let folder = Folder::new();
    folder.write("small.sq", SMALL);
    let out = folder.run(&["run", "small.sq", "--seeds", "1..2", "--json"]).expect(0, &[]).out;
    folder.write("runs.jsonl", &out);
    let page = folder.run(&["report", "runs.jsonl"]).expect(0, &[]).out;
    assert!(page.contains("2 runs") && page.contains("made without <code>--series</code>"));
    assert!(page.contains("serqc run small.sq --horizon 200 --warmup 20 --seeds 1..2"));
    assert!(!cells(&page).is_empty());
}

#[test]
fn a_run_that_is_there_twice_counts_once_and_other_programs_are_refused() {
    let folder = Folder::new();
    folder.write("small.sq", SMALL).write("other.sq", SMALL);
    let out = folder.run(&["run", "small.sq", "--seeds", "1..2", "--json"]).expect(0, &[]).out;
    folder.write("once.jsonl", &out).write("twice.jsonl", format!("{out}{out}"));
    let page = |name: &str| folder.run(&["report", name]).expect(0, &[]).out;
    assert_eq!(page("once.jsonl"), page("twice.jsonl"));
    let other = folder.run(&["run", "other.sq", "--json"]).expect(0, &[]).out;
    folder.write("mixed.jsonl", format!("{out}{other}"));
    folder.run(&["report", "mixed.jsonl"]).expect(1, &["S950", "line 3", "another program"]);
    let longer = folder.run(&["run", "small.sq", "--horizon", "300", "--json"]).expect(0, &[]).out;
    folder.write("mixed.jsonl", format!("{out}{longer}"));
    folder.run(&["report", "mixed.jsonl"]).expect(1, &["S950", "line 3", "another horizon"]);
}

#[test]
fn what_is_no_result_is_told() {
    let folder = Folder::new();
    folder.write("a.txt", "nothing\n").write("empty.jsonl", "");
    folder.run(&["report", "a.txt"]).expect(1, &["S950", "line 1"]);
    folder.run(&["report", "empty.jsonl"]).expect(1, &["S945"]);
    folder.run(&["report", "absent"]).expect(1, &["S902"]);
    folder.run(&["report", "."]).expect(1, &["S94"]);
}
