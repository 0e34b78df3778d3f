//! The runs that a page shows, by point.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, stdin};
use std::path::Path;

use serde_json::{Map, Value};
use serq_runtime::results::{Manifest, Reader};

use crate::draw;
use crate::experiments::rerun;
use crate::failure::{Failure, Outside};

/// Runs of which a page shows more than their numbers.
const MOST_DETAILED: usize = 200;
/// Most runs of a page.
const MOST_RUNS: usize = 100_000;
/// What is long in a report and not shown once there are many runs.
const LONG: [&str; 1] = ["series"];

/// A run: the object that `--json` prints, without single values.
#[derive(Clone, Debug)]
pub struct Run {
    pub seed: u64,
    pub report: Value,
}

/// The runs of one point.
#[derive(Clone, Debug, Default)]
pub struct Point {
    /// The swept settings' values.
    pub values: Vec<f64>,
    /// By seed, those that an error stopped too.
    pub runs: Vec<Run>,
}

/// What a page is about.
#[derive(Debug, Default)]
pub struct Data {
    pub program: String,
    pub swept: Vec<String>,
    pub points: Vec<Point>,
    /// Settings that all runs share, by name.
    pub settings: Vec<(String, String)>,
    /// The program's files, its own first: name and text.
    pub sources: Vec<(String, String)>,
    /// The program's picture, an SVG.
    pub picture: Option<String>,
    /// What makes the runs again.
    pub commands: Vec<String>,
    /// What a reader should know of the page itself.
    pub notes: Vec<String>,
}

impl Data {
    /// All runs that no error stopped.
    pub fn whole(&self) -> impl Iterator<Item = &Run> {
        self.points.iter().flat_map(Point::whole)
    }

    /// A point in words: `thr = 512, load = 0.6`.
    pub fn named(&self, point: &Point) -> String {
        let one = |(name, x): (&String, &f64)| format!("{name} = {}", plain(*x));
        let all: Vec<String> = self.swept.iter().zip(&point.values).map(one).collect();
        if all.is_empty() { "all runs".to_owned() } else { all.join(", ") }
    }
}

impl Point {
    /// The runs that no error stopped.
    pub fn whole(&self) -> impl Iterator<Item = &Run> + Clone {
        self.runs.iter().filter(|run| run.report.get("error").is_none())
    }
}

/// Reads a folder of results, or lines of `--json`.
///
/// # Errors
/// If it cannot be read, is neither, or has no runs.
pub fn read(path: &Path) -> Result<Data, Failure> {
    let mut data = match path.is_dir() {
        true => folder(path)?,
        false => lines(path)?,
    };
    if data.points.iter().all(|point| point.runs.is_empty()) {
        return Err(Outside::no_runs(path).into());
    }
    let runs: usize = data.points.iter().map(|p| p.runs.len()).sum();
    if runs > MOST_DETAILED {
        let kept = MOST_DETAILED.div_ceil(data.points.len());
        for run in data.points.iter_mut().flat_map(|p| p.runs.iter_mut().skip(kept)) {
            if let Some(report) = run.report.as_object_mut() {
                LONG.iter().for_each(|key| drop(report.remove(*key)));
            }
        }
        data.notes.push(format!(
            "Of {runs} runs, what happened over time is shown of the first {kept} of each setting."
        ));
    }
    Ok(data)
}

fn folder(path: &Path) -> Result<Data, Failure> {
    let reader = Reader::open(path).map_err(Outside::results)?;
    let manifest = &reader.manifest;
    let mut data = Data {
        program: manifest.program.name.clone(),
        swept: manifest.swept.clone(),
        sources: manifest
            .program
            .sources
            .iter()
            .map(|s| (s.name.clone(), s.text.clone()))
            .collect(),
        settings: settings_of(manifest),
        commands: commands(manifest),
        ..Data::default()
    };
    let (mut runs, mut skipped) = (0, 0);
    reader
        .index
        .lines(&mut |key, line| {
            if runs == MOST_RUNS {
                skipped += 1;
                return Ok(true);
            }
            runs += 1;
            if let Ok(mut whole) = serde_json::from_slice::<Value>(line)
                && let Some(report) = whole.get_mut("report")
            {
                let run = Run { seed: key.seed, report: slim(report.take()) };
                add(&mut data.points, key.values(), run);
            }
            Ok(true)
        })
        .map_err(Outside::results)?;
    if skipped > 0 {
        data.notes.push(format!("{skipped} more runs are not shown."));
    }
    let (missing, above) = (reader.missing().len(), reader.above().len());
    if missing > 0 {
        data.notes.push(format!("{missing} runs that the sweep wants are missing."));
    }
    if above > 0 {
        data.notes.push(format!("{above} runs are above saturation and were not made."));
    }
    data.picture = rerun::resolved(&manifest.program).ok().map(|p| draw::svg(&p));
    Ok(data)
}

fn settings_of(manifest: &Manifest) -> Vec<(String, String)> {
    let o = &manifest.options;
    let given = [("horizon", &o.horizon), ("warmup", &o.warmup), ("arrivals", &o.arrivals)];
    let given = given.into_iter().filter_map(|(n, v)| Some((n.to_owned(), v.clone()?)));
    let flags = o.flags.iter().map(|flag| match flag.split_once(' ') {
        Some((name, value)) => (name.trim_start_matches('-').to_owned(), value.to_owned()),
        None => (flag.trim_start_matches('-').to_owned(), "yes".to_owned()),
    });
    o.set.iter().cloned().chain(given).chain(flags).collect()
}

/// The command that made each grid of a folder.
fn commands(manifest: &Manifest) -> Vec<String> {
    let file = manifest.program.sources.first().map_or("PROGRAM.sq", |s| s.name.as_str());
    let options: Vec<String> = rerun::options(manifest).iter().map(|o| quoted(o)).collect();
    let grid = |grid: &serq_runtime::results::Grid| {
        let axes = grid.axes.iter().map(|axis| {
            let values: Vec<String> = axis.values.iter().map(|x| plain(*x)).collect();
            format!("--sweep {}", quoted(&format!("{}={}", axis.name, values.join(","))))
        });
        let seeds = format!("--seeds {}", ranges(&grid.seeds));
        let words = ["serqc run".to_owned(), quoted(file)].into_iter().chain(options.clone());
        let words = words.chain(axes).chain([seeds, "--out results".to_owned()]);
        words.collect::<Vec<_>>().join(" ")
    };
    let report = "serqc report results -o report.html".to_owned();
    manifest.wanted.grids.iter().map(grid).chain([report]).collect()
}

/// Reports on lines; points are told apart by the settings that were given from outside and are not the
/// same in all.
fn lines(path: &Path) -> Result<Data, Failure> {
    let unreadable =
        |error: std::io::Error| Outside::unreadable(&path.display().to_string(), error);
    let input: Box<dyn Read> = match path == Path::new("-") {
        true => Box::new(stdin()),
        false => Box::new(File::open(path).map_err(unreadable)?),
    };
    let mut all: Vec<Value> = Vec::new();
    for (number, line) in BufReader::new(input).lines().enumerate() {
        let line = line.map_err(unreadable)?;
        if line.trim().is_empty() {
            continue;
        }
        let report: Value = serde_json::from_str(&line).unwrap_or_default();
        if report.get("run").is_none() {
            return Err(Outside::no_report(path, number + 1).into());
        }
        if let Some(what) = all.first().and_then(|first| differs(first, &report)) {
            return Err(Outside::mixed_reports(path, number + 1, what).into());
        }
        // A run is what its settings and its seed make it: twice is once.
        let report = slim(report);
        if !all.iter().any(|other| is_of(other) == is_of(&report)) {
            all.push(report);
        }
    }
    let mut data = Data::default();
    let set = |report: &Value| report.get("set").and_then(Value::as_object).cloned();
    let first = all.first().and_then(set).unwrap_or_default();
    let same = |name: &str| {
        all.iter().all(|r| set(r).and_then(|s| s.get(name).cloned()) == first.get(name).cloned())
    };
    data.swept = first.keys().filter(|name| !same(name)).cloned().collect();
    let given = first.iter().filter(|(name, _)| same(name));
    data.settings = given.map(|(name, value)| (name.clone(), text(value))).collect();
    if let Some(run) = all.first() {
        data.program = run["program"].as_str().unwrap_or("program").to_owned();
        for name in ["horizon", "warmup"] {
            data.settings.push((name.to_owned(), text(&run["run"][name])));
        }
    }
    for report in all {
        let given = set(&report).unwrap_or_default();
        let values = data.swept.iter().map(|name| number(&given, name)).collect();
        let seed = report["run"]["seed"].as_u64().unwrap_or_default();
        add(&mut data.points, values, Run { seed, report });
    }
    data.points
        .sort_by(|a, b| a.values.partial_cmp(&b.values).unwrap_or(std::cmp::Ordering::Equal));
    data.commands = line_commands(&data);
    Ok(data)
}

/// What makes two reports those of different questions, if anything does.
fn differs(a: &Value, b: &Value) -> Option<&'static str> {
    let names = [("horizon", "horizon"), ("warmup", "warm-up")];
    if a["program"] != b["program"] {
        return Some("program");
    }
    names.iter().find(|(name, _)| a["run"][name] != b["run"][name]).map(|(_, said)| *said)
}

/// Which run a report is of.
fn is_of(report: &Value) -> (&Value, &Value) {
    (&report["set"], &report["run"]["seed"])
}

fn line_commands(data: &Data) -> Vec<String> {
    let run = |point: &Point| {
        let mut words = vec![format!("serqc run {}.sq", data.program)];
        for (name, value) in &data.settings {
            words.push(match ["horizon", "warmup"].contains(&name.as_str()) {
                true => format!("--{name} {value}"),
                false => format!("--set {}", quoted(&format!("{name}={value}"))),
            });
        }
        for (name, value) in data.swept.iter().zip(&point.values) {
            words.push(format!("--set {}", quoted(&format!("{name}={}", plain(*value)))));
        }
        let seeds: Vec<u64> = point.runs.iter().map(|r| r.seed).collect();
        words.push(format!("--seeds {} --series --json >> runs.jsonl", ranges(&seeds)));
        words.join(" ")
    };
    let report = "serqc report runs.jsonl -o report.html".to_owned();
    data.points.iter().map(run).chain([report]).collect()
}

fn add(points: &mut Vec<Point>, values: Vec<f64>, run: Run) {
    let same = |p: &&mut Point| {
        p.values.iter().map(|x| x.to_bits()).eq(values.iter().map(|x| x.to_bits()))
    };
    match points.iter_mut().rev().find(same) {
        Some(point) => point.runs.push(run),
        None => points.push(Point { values, runs: vec![run] }),
    }
}

/// The report without its single values.
fn slim(mut report: Value) -> Value {
    for (rows, values) in [("observes", "samples"), ("gauges", "points")] {
        let rows = report.get_mut(rows).and_then(Value::as_object_mut);
        for row in rows.into_iter().flat_map(Map::values_mut) {
            if let Some(row) = row.as_object_mut() {
                row.remove(values);
            }
        }
    }
    report
}

fn number(set: &Map<String, Value>, name: &str) -> f64 {
    match set.get(name) {
        Some(Value::String(text)) => text.parse().unwrap_or(f64::NAN),
        Some(value) => value.as_f64().unwrap_or(f64::NAN),
        None => f64::NAN,
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.as_f64().map_or_else(|| other.to_string(), |x| x.to_string()),
    }
}

/// A setting's value, as a person writes it.
pub fn plain(x: f64) -> String {
    if x.is_finite() && x.abs() >= 1e9 { format!("{x:e}") } else { x.to_string() }
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+".contains(c);
    if word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// `1..5,7`.
fn ranges(seeds: &[u64]) -> String {
    let mut seeds = seeds.to_vec();
    seeds.sort_unstable();
    seeds.dedup();
    let parts = seeds.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        [one] => one.to_string(),
        run => format!("{}..{}", run[0], run[run.len() - 1]),
    });
    parts.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_shell_and_seeds_are_short() {
        assert_eq!(quoted("thr=1"), "thr=1");
        assert_eq!(quoted("a=max(1, 2)"), "'a=max(1, 2)'");
        assert_eq!(ranges(&[3, 1, 2, 7]), "1..3,7");
    }
}
