//! `serqc compare FOLDER`: settings ranked by a metric, and which cannot be told apart.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use serq_runtime::results::Reader;

use crate::experiments::digits;
use crate::experiments::intervals::Pairing;
use crate::experiments::ranking::{self, Better, Ranked, Ranking, Table, Unranked};
use crate::experiments::rerun::{self, Runner};
use crate::experiments::samples::{self, Samples};
use crate::failure::{Failure, Outside};
use crate::render::Screen;

/// Rank the settings of a sweep by a metric, and say which cannot be told apart
///
/// Settings that ran with the same seeds are compared run by run. All intervals of differences hold at once.
#[derive(Debug, Args)]
pub struct Arguments {
    /// What a sweep wrote with `--out`
    folder: PathBuf,
    /// The metric, such as p99:ttft; `runs.csv` has the names as columns
    #[arg(long, value_name = "METRIC")]
    metric: String,
    /// The settings to compare, several with commas; the others make a table each [default: all that are swept]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    by: Vec<String>,
    /// More is better [default of throughputs, rates, goodput and what is like them; less is of all others]
    #[arg(long, conflicts_with = "lowest")]
    highest: bool,
    /// Less is better
    #[arg(long)]
    lowest: bool,
    /// How sure all that is said should be together
    #[arg(long, default_value_t = 0.95, value_parser = confidence)]
    confidence: f64,
    /// Add seeds until differences to the best are known so well: a part of the best's mean, such as 2%, or a number
    #[arg(long, value_name = "WIDTH", value_parser = Target::parse)]
    until: Option<Target>,
    /// The most seeds of a setting with `--until`
    #[arg(long, value_name = "N", default_value_t = 1000)]
    most_seeds: usize,
    /// The program, if the folder's own cannot be built (it replays a file)
    #[arg(long, value_name = "FILE")]
    program: Option<String>,
    /// Runs at a time with `--until`
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn confidence(text: &str) -> Result<f64, String> {
    let percent = text.strip_suffix('%').map(|t| t.trim().parse::<f64>().map(|x| x / 100.0));
    match percent.unwrap_or_else(|| text.parse()) {
        Ok(x) if (0.5..1.0).contains(&x) => Ok(x),
        _ => Err("write a part from 0.5 to below 1, such as 0.95".to_owned()),
    }
}

/// How narrow an interval should be.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Target {
    Part(f64),
    Width(f64),
}

impl Target {
    fn parse(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| *x > 0.0);
        let target = match text.strip_suffix('%') {
            Some(percent) => number(percent).map(|x| Target::Part(x / 100.0)),
            None => number(text).map(Target::Width),
        };
        target.ok_or_else(|| "write a part such as 2%, or a width above 0".to_owned())
    }

    /// How many times too wide the widest interval is.
    fn excess(self, (width, best): (f64, f64)) -> f64 {
        match self {
            Target::Part(part) => width / (part * best.abs()),
            Target::Width(most) => width / most,
        }
    }
}

/// Compares, with more runs if that is asked for.
pub fn execute(arguments: &Arguments, screen: &Screen) -> Result<ExitCode, Failure> {
    let mut reader = samples::open(&arguments.folder)?;
    let (mut samples, mut ranking) = ranked(arguments, &reader)?;
    let mut reached = None;
    if let Some(target) = arguments.until {
        let runner = runner(arguments, &reader, screen)?;
        loop {
            let excess = ranking.widest().map_or(0.0, |widest| target.excess(widest));
            let runs = samples.points.iter().map(|p| p.count).max().unwrap_or(0);
            reached = Some(excess <= 1.0);
            if excess <= 1.0 || runs >= arguments.most_seeds {
                break;
            }
            let next = more(runs, excess).min(arguments.most_seeds);
            screen.status(&format!("from {runs} to {next} seeds"));
            let points: Vec<Vec<f64>> = samples.points.iter().map(|p| p.values.clone()).collect();
            runner.run(&samples.swept, &points, &seeds(&reader, next))?;
            screen.clear_status();
            reader = samples::open(&arguments.folder)?;
            (samples, ranking) = ranked(arguments, &reader)?;
        }
    }
    let text = match arguments.json {
        true => format!("{}\n", as_json(arguments, &samples, &ranking, reached)),
        false => as_text(arguments, &samples, &ranking, reached),
    };
    super::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn ranked(arguments: &Arguments, reader: &Reader) -> Result<(Samples, Ranking), Outside> {
    let samples = samples::read(reader, std::slice::from_ref(&arguments.metric))?;
    let place = |name: &String| {
        let found = samples.swept.iter().position(|s| s == name);
        found.ok_or_else(|| Outside::not_swept(name, &samples.swept))
    };
    let mut by = arguments.by.iter().map(place).collect::<Result<Vec<_>, _>>()?;
    if by.is_empty() {
        by = (0..samples.swept.len()).collect();
    }
    by.sort_unstable();
    by.dedup();
    let alpha = 1.0 - arguments.confidence;
    let ranking = ranking::rank(&samples, &by, 0, better(arguments), alpha);
    match ranking.pairs {
        0 => Err(Outside::nothing_to_compare()),
        _ => Ok((samples, ranking)),
    }
}

fn better(arguments: &Arguments) -> Better {
    let what = arguments.metric.split(':').next().unwrap_or_default();
    let more = ["throughput", "goodput", "slo_attained", "ended", "turns", "completed"];
    let more = more.contains(&what) || what.ends_with("_rate");
    if arguments.highest || (more && !arguments.lowest) { Better::Higher } else { Better::Lower }
}

fn runner(arguments: &Arguments, reader: &Reader, screen: &Screen) -> Result<Runner, Failure> {
    let binary = match &arguments.program {
        Some(file) => super::run::binary(file, screen)?,
        None => rerun::build(&reader.manifest.program, &reader.path, screen)?,
    };
    let options = rerun::options(&reader.manifest);
    Ok(Runner { binary, folder: reader.path.clone(), options, jobs: arguments.jobs })
}

/// How many runs should do, when an interval is so many times too wide; at most twice as many, as the
/// spread that this goes by is itself an estimate.
fn more(runs: usize, excess: f64) -> usize {
    let enough = (runs as f64 * excess * excess * 1.05).ceil();
    let most = (2 * runs).max(4);
    if enough < most as f64 { (enough as usize).max(runs + 1) } else { most }
}

/// The first `count` seeds: those that there are, then the next ones.
fn seeds(reader: &Reader, count: usize) -> String {
    let mut seeds: Vec<u64> =
        reader.manifest.wanted.grids.iter().flat_map(|g| g.seeds.clone()).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let mut next = seeds.last().map_or(1, |last| last + 1);
    while seeds.len() < count {
        seeds.push(next);
        next += 1;
    }
    seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// `thr = 512, ND = 2`
fn setting(names: &[String], values: &[f64]) -> String {
    let pair = |(name, x): (&String, &f64)| format!("{name} = {x}");
    names.iter().zip(values).map(pair).collect::<Vec<_>>().join(", ")
}

fn as_text(
    arguments: &Arguments,
    samples: &Samples,
    ranking: &Ranking,
    reached: Option<bool>,
) -> String {
    let percent = 100.0 * arguments.confidence;
    let order = match better(arguments) {
        Better::Lower => "lowest first",
        Better::Higher => "highest first",
    };
    let mut out = format!("{} · {order}\n", arguments.metric);
    for table in &ranking.tables {
        if !table.at.is_empty() {
            let at: Vec<String> = table.at.iter().map(|(n, x)| format!("{n} = {x}")).collect();
            let _ = writeln!(out, "\n{}", at.join(", "));
        }
        out += &rows(&ranking.by, table, percent);
        let _ = writeln!(out, "{}", verdict(&ranking.by, table));
    }
    let _ = writeln!(
        out,
        "\n{} differences between settings were looked at; with {percent} % confidence none that is told is none",
        ranking.pairs
    );
    for point in &ranking.unranked {
        let Unranked { values, runs, errors } = point;
        let at = setting(&samples.swept, values);
        let _ = match errors {
            0 => writeln!(out, "not ranked: {at}: none of its {runs} runs has a value"),
            n => writeln!(out, "not ranked: {at}: {n} of its {runs} runs stopped on an error"),
        };
    }
    let ranked = samples.points.iter().map(|p| p.runs[0].len()).filter(|n| *n > 0);
    let few = ranked.min().unwrap_or(0);
    if few < 5 {
        let _ = writeln!(
            out,
            "note: with {few} runs of a setting its interval is rough; take 10 or more"
        );
    }
    if reached == Some(false) {
        let most = arguments.most_seeds;
        let _ = writeln!(
            out,
            "note: {most} seeds were not enough for --until; --most-seeds allows more"
        );
    }
    out
}

fn rows(by: &[String], table: &Table, percent: f64) -> String {
    let mut cells: Vec<[String; 6]> = vec![[
        "place".into(),
        by.join(", "),
        "runs".into(),
        format!("mean, {percent} %"),
        "from the first".into(),
        "not told apart from".into(),
    ]];
    for (i, row) in table.rows.iter().enumerate() {
        let places: Vec<String> = row.alike.iter().map(|j| (j + 1).to_string()).collect();
        let values: Vec<String> = row.values.iter().map(f64::to_string).collect();
        cells.push([
            (i + 1).to_string(),
            values.join(", "),
            row.runs.to_string(),
            format!("{} ± {}", digits(row.mean.mean), digits(row.mean.half_width)),
            row.to_best.as_ref().map_or_else(String::new, from_first),
            places.join(", ") + &remark(row),
        ]);
    }
    let width = |c: usize| cells.iter().map(|r| r[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..6).map(width).collect();
    let mut out = String::new();
    for row in cells {
        let padded = row.iter().enumerate().map(|(c, cell)| {
            let pad = " ".repeat(widths[c] - cell.chars().count());
            if c == 5 { cell.clone() } else { format!("{pad}{cell}") }
        });
        let line = padded.collect::<Vec<_>>().join("  ");
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

fn remark(row: &Ranked) -> String {
    let mut said = String::new();
    if row.saturated {
        said += " · not stationary: its mean depends on how long the runs are";
    }
    if row.left_out > 0 {
        let _ = write!(said, " · {} runs have no value", row.left_out);
    }
    said
}

fn from_first((d, how): &(crate::experiments::intervals::Estimate, Pairing)) -> String {
    let how = if *how == Pairing::Common { "" } else { " (other seeds)" };
    format!("{:+} ± {}{how}", Rounded(d.mean), digits(d.half_width))
}

/// A number with four significant digits.
struct Rounded(f64);

impl std::fmt::Display for Rounded {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let sign = if f.sign_plus() && self.0 >= 0.0 { "+" } else { "" };
        write!(f, "{sign}{}", digits(self.0))
    }
}

/// What the table comes to, in words.
fn verdict(by: &[String], table: &Table) -> String {
    let Some(first) = table.rows.first() else { return String::new() };
    let best = setting(by, &first.values);
    match &first.alike[..] {
        [] if table.rows.len() > 1 => format!("{best} is best"),
        [] => format!("{best} stands alone"),
        alike => {
            let others: Vec<String> =
                alike.iter().map(|j| setting(by, &table.rows[*j].values)).collect();
            format!("{best} cannot be told apart from {}", others.join("; "))
        }
    }
}

fn as_json(
    arguments: &Arguments,
    samples: &Samples,
    ranking: &Ranking,
    reached: Option<bool>,
) -> Value {
    // An interval of one run is infinite, which JSON has no number for.
    let finite = |x: f64| Some(x).filter(|x| x.is_finite());
    let named = |names: &[String], values: &[f64]| -> Value {
        names
            .iter()
            .zip(values)
            .map(|(n, x)| {
                (n.clone(), finite(*x).map_or_else(|| json!(x.to_string()), |x| json!(x)))
            })
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let row = |row: &Ranked| {
        json!({
            "setting": named(&ranking.by, &row.values),
            "runs": row.runs,
            "mean": row.mean.mean,
            "half_width": finite(row.mean.half_width),
            "from_first": row.to_best.as_ref().map(|(d, how)| json!({
                "mean": d.mean,
                "half_width": finite(d.half_width),
                "paired": *how == Pairing::Common,
            })),
            "not_told_apart_from": row.alike,
            "stationary": !row.saturated,
            "left_out": row.left_out,
        })
    };
    let table = |table: &Table| {
        let (names, values): (Vec<String>, Vec<f64>) = table.at.iter().cloned().unzip();
        json!({
            "at": named(&names, &values),
            "settings": table.rows.iter().map(row).collect::<Vec<_>>(),
        })
    };
    let unranked = |point: &Unranked| {
        json!({
            "setting": named(&samples.swept, &point.values),
            "runs": point.runs,
            "errors": point.errors,
        })
    };
    json!({
        "metric": arguments.metric,
        "better": if better(arguments) == Better::Lower { "lower" } else { "higher" },
        "confidence": arguments.confidence,
        "swept": samples.swept,
        "differences": ranking.pairs,
        "tables": ranking.tables.iter().map(table).collect::<Vec<_>>(),
        "not_ranked": ranking.unranked.iter().map(unranked).collect::<Vec<_>>(),
        "until_reached": reached,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_confidences() {
        assert_eq!(Target::parse("2%"), Ok(Target::Part(0.02)));
        assert_eq!(Target::parse("0.001"), Ok(Target::Width(0.001)));
        assert!(Target::parse("0").is_err() && Target::parse("x%").is_err());
        assert_eq!(confidence("95%"), Ok(0.95));
        assert!(confidence("1").is_err());
    }

    #[test]
    fn runs_grow_with_what_is_missing_and_at_most_double() {
        assert_eq!((more(10, 1.1), more(10, 9.0), more(1, 9.0)), (13, 20, 4));
        assert_eq!(more(100, 1.0001), 106);
    }
}
