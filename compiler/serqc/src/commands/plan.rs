//! `serqc plan FILE`: the cheapest setting of a program that meets its targets.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::Source;
use crate::experiments::planning::question::{self, Formula, Target};
use crate::experiments::planning::report::{Plan, Question};
use crate::experiments::planning::search::{Effort, Measured, Search};
use crate::experiments::rerun::Runner;
use crate::experiments::samples::{self, Samples};
use crate::failure::{Failure, Outside};
use crate::render::Screen;

/// The most settings to choose from.
const MOST_SETTINGS: usize = 20_000;

/// Find the cheapest setting that meets targets, with a stated confidence
///
/// Settings run with the same seeds, each as often as it takes to decide it; what costs as much as a setting that meets
/// its targets is not run.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// What a setting costs, such as "NP + 4 * ND"; it may have metrics in it
    #[arg(long, value_name = "EXPR")]
    minimise: String,
    /// A target, such as "p99(ttft) <= 0.2"; may be repeated
    #[arg(long, value_name = "TARGET", required = true)]
    subject: Vec<String>,
    /// The settings to choose from, such as NP=1..8,thr=1,512; may be repeated
    #[arg(long, value_name = "NAME=VALUES", required = true)]
    over: Vec<String>,
    /// How sure all decisions should be together
    #[arg(long, default_value_t = 0.95, value_parser = super::compare::confidence)]
    confidence: f64,
    /// Seeds of every setting that is looked at
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(2..))]
    first_seeds: u64,
    /// The most seeds of a setting
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u64).range(2..))]
    most_seeds: u64,
    /// Simulated seconds at which a run ends
    #[arg(long, value_name = "SECONDS")]
    horizon: Option<String>,
    /// Simulated seconds before which nothing is measured
    #[arg(long, value_name = "SECONDS")]
    warmup: Option<String>,
    /// Runs at a time
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Keep the runs in a folder of results, which the same command goes on with
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// Builds the program, searches, and says what was found.
pub fn execute(arguments: &Arguments, screen: &Screen) -> Result<ExitCode, Failure> {
    let question = question(arguments)?;
    let temporary;
    let folder = match &arguments.out {
        Some(folder) => folder.clone(),
        None => {
            let made = tempfile::tempdir();
            temporary = made.map_err(|error| Outside::unwritable(&std::env::temp_dir(), error))?;
            temporary.path().join("results")
        }
    };
    let runner = Runner {
        binary: super::run::binary(&arguments.source.file, screen)?,
        folder,
        options: options(arguments),
        jobs: arguments.jobs,
    };
    let effort = Effort {
        first: arguments.first_seeds.min(arguments.most_seeds) as usize,
        most: arguments.most_seeds as usize,
        alpha: 1.0 - arguments.confidence,
    };
    let mut search = Search::new(question.points(), question.targets.len(), effort);
    let points: Vec<Vec<f64>> = search.candidates.iter().map(|c| c.point.clone()).collect();
    let all = points.len();
    search.all(&mut |some: &[usize], seeds: usize| -> Result<Vec<Measured>, Failure> {
        screen.status(&format!("{} of {all} settings, {seeds} seeds each", some.len()));
        let chosen: Vec<Vec<f64>> = some.iter().map(|i| points[*i].clone()).collect();
        runner.run(&question.names, &chosen, &format!("1..{seeds}"))?;
        let samples = samples::read(&samples::open(&runner.folder)?, &question.metrics())?;
        Ok(chosen.iter().map(|point| measured(&question, &samples, point, seeds)).collect())
    })?;
    screen.clear_status();
    let plan = Plan { question: &question, search: &search, confidence: arguments.confidence };
    super::print(&if arguments.json { format!("{}\n", plan.json()) } else { plan.text() })?;
    Ok(ExitCode::SUCCESS)
}

/// What was asked, read and checked.
fn question(arguments: &Arguments) -> Result<Question, Outside> {
    let over = question::over(&arguments.over)?;
    let (names, values): (Vec<String>, Vec<Vec<f64>>) = over.into_iter().unzip();
    let count = values.iter().fold(1usize, |n, v| n.saturating_mul(v.len()));
    if count > MOST_SETTINGS {
        let what =
            format!("there are {count} settings to choose from, and {MOST_SETTINGS} are the most");
        return Err(Outside::bad_question(&what, "take fewer values, or wider steps"));
    }
    let sets = &arguments.source.sets;
    let fixed: Vec<(String, f64)> =
        sets.iter().filter_map(|(n, x)| Some((n.clone(), x.parse().ok()?))).collect();
    if let Some((name, _)) = sets.iter().find(|(n, _)| names.contains(n)) {
        let what = format!("`{name}` has a value by `--set` and others by `--over`");
        return Err(Outside::bad_question(&what, "give it one or the other"));
    }
    let targets: Result<Vec<Target>, Outside> =
        arguments.subject.iter().map(|text| Target::parse(text, &names, &fixed)).collect();
    let question = Question {
        objective: Formula::parse(&arguments.minimise, &names, &fixed)?,
        targets: targets?,
        names,
        values,
    };
    // One that reads no metric is known of every setting, or is none.
    let known = question.objective.metrics().next().is_none();
    match question.points().iter().find(|(_, cost)| known && cost.is_none()) {
        None => Ok(question),
        Some((point, _)) => {
            let at: Vec<String> =
                question.names.iter().zip(point).map(|(n, x)| format!("{n} = {x}")).collect();
            let what = format!("`{}` is no number at {}", arguments.minimise, at.join(", "));
            Err(Outside::bad_question(&what, "write a cost that every setting has"))
        }
    }
}

fn options(arguments: &Arguments) -> Vec<String> {
    let mut options = Vec::new();
    for (name, value) in &arguments.source.sets {
        options.extend(["--set".to_owned(), format!("{name}={value}")]);
    }
    for (name, value) in [("--horizon", &arguments.horizon), ("--warmup", &arguments.warmup)] {
        if let Some(value) = value {
            options.extend([name.to_owned(), value.clone()]);
        }
    }
    options
}

/// A number of a run, given its metrics.
type Value<'a> = dyn Fn(&dyn Fn(&str) -> Option<f64>) -> Option<f64> + 'a;

/// What the first `seeds` runs of a point say.
fn measured(question: &Question, samples: &Samples, point: &[f64], seeds: usize) -> Measured {
    // Results have the settings in the program's order.
    let place = |name: &String| samples.swept.iter().position(|s| s == name);
    let same = |p: &&samples::Point| {
        let at = |(name, x): (&String, &f64)| place(name).is_some_and(|i| p.values[i] == *x);
        question.names.iter().zip(point).all(at)
    };
    let Some(found) = samples.points.iter().find(same) else { return Measured::default() };
    let seeds = 1..=seeds as u64;
    let of = |value: &Value| {
        let one = |seed: u64| {
            let metric = |name: &str| {
                let number = samples.metrics.iter().position(|m| m == name)?;
                found.runs[number].get(&seed).copied()
            };
            Some((seed, value(&metric)?))
        };
        seeds.clone().filter_map(one).collect()
    };
    let measured_cost = question.objective.metrics().next().is_some();
    Measured {
        runs: seeds.clone().count(),
        cost: match measured_cost {
            true => of(&|metric| question.objective.value(point, metric)),
            false => Default::default(),
        },
        excess: question.targets.iter().map(|t| of(&|metric| t.excess(point, metric))).collect(),
        saturated: found.saturated(),
        failed: found.errors > 0,
    }
}
