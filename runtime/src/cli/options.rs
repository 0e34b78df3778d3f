//! Options to a [`Plan`]: which settings, seeds and outputs.
//!
//! The program's `run` block gives what the command line does not. Numbers of options may be
//! expressions over the program's `let`s.

use super::{Failure, Program, USAGE, lets, look, sweep};
use crate::{
    seeds,
    settings::{self, Settings, Unusable},
    trace::{Trace, TraceOrder, TraceSpec},
    world::RunDefaults,
};
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::path::{Path, PathBuf};

/// Options that take a value, and what it is called.
const VALUES: [(&str, &str); 15] = [
    ("seed", "N"),
    ("seeds", "SEEDS"),
    ("horizon", "SECONDS"),
    ("warmup", "SECONDS"),
    ("arrivals", "N"),
    ("set", "NAME=EXPR"),
    ("jobs", "N"),
    ("trace-in", "FILE"),
    ("slo", "NAME:MOST"),
    ("sweep", "NAME=VALUES"),
    ("point", "NAME=EXPR,…"),
    ("out", "FOLDER"),
    ("shard", "I/N"),
    ("timeline", "FILE"),
    ("timeline-window", "FROM..TO"),
];
/// Options that take none.
const FLAGS: [&str; 7] =
    ["json", "samples", "strict", "plain-engine", "vllm-json", "series", "stop-at-saturation"];

/// What to run.
#[derive(Debug)]
pub(super) struct Plan {
    /// One per `let`.
    pub values: Vec<f64>,
    /// `let`s set from outside.
    pub set: Vec<(String, f64)>,
    /// At least one.
    pub seeds: Vec<u64>,
    /// At least one.
    pub jobs: usize,
    pub json: bool,
    /// As `vllm bench serve` has it.
    pub vllm: bool,
    /// Where the time line of the run is written to.
    pub timeline: Option<PathBuf>,
    pub base: Settings,
}

impl Plan {
    /// Settings of one run.
    pub(super) fn settings(&self, seed: u64) -> Settings {
        Settings { seed, ..self.base.clone() }
    }
}

/// An option with a value.
pub(super) fn value(name: &'static str, help: &str) -> Arg {
    let value = VALUES.iter().find(|(of, _)| *of == name).map_or("VALUE", |(_, value)| *value);
    Arg::new(name).long(name).value_name(value).help(help.to_owned()).allow_hyphen_values(true)
}

/// The command line's definition; `--help` lists the program's own settings.
pub(super) fn command(program: &Program) -> Command {
    let defaults = lets::resolve(program, &[])
        .map_or_else(|_| RunDefaults::default(), |l| (program.run_defaults)(&l.values));
    let ours = |help: &str, default: Option<f64>| {
        default.map_or_else(|| help.to_owned(), |x| format!("{help} [default: {x}]"))
    };
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
    };
    let command = Command::new(program.name)
        .bin_name(program.name)
        .version(env!("CARGO_PKG_VERSION"))
        .about(format!("Simulates {}, compiled from a serQ program.", program.name))
        .arg(
            value("seed", &ours("Seed of one run", defaults.seed.or(Some(1.0))))
                .conflicts_with("seeds"),
        )
        .arg(value(
            "seeds",
            "Independent runs: 1..20 (both ends included) or a list such as 1,2,5..8",
        ))
        .arg(value("horizon", &ours("Simulated time at which a run ends", defaults.horizon)))
        .arg(value(
            "warmup",
            &ours("Simulated time before which nothing is measured", defaults.warmup.or(Some(0.0))),
        ))
        .arg(value(
            "arrivals",
            &ours("End after so many sessions have arrived and ended", defaults.arrivals),
        ))
        .arg(value("set", "Give a setting of the program another value").action(ArgAction::Append))
        .arg(value("jobs", "Runs at a time; the output does not depend on it [default: all cores]"))
        .arg(flag("json", "One JSON object per run and line"))
        .arg(flag(
            "samples",
            "Keep every value (exact quantiles; --json prints them, and every change of a gauge)",
        ))
        .arg(flag("strict", "A negative amount of work is an error instead of 0 and a note"))
        .arg(flag(
            "plain-engine",
            "Handle every engine iteration as an event of its own (slow; for comparison)",
        ))
        .args(look::options())
        .after_help(settings_help(program));
    let command = sweep::options::arguments(command);
    match program.trace {
        TraceSpec::None => command,
        TraceSpec::Text { .. } | TraceSpec::File { .. } => command.arg(value(
            "trace-in",
            "Replay the sessions of another file, rows session,turn,new,out,think[,forced[,prefix]]",
        )),
    }
}

/// The program's `let`s with defaults and comments, aligned.
fn settings_help(program: &Program) -> String {
    if program.lets.is_empty() {
        return "The program has no settings of its own.".into();
    }
    let width = |f: &dyn Fn(usize) -> usize, most: usize| {
        (0..program.lets.len()).map(f).filter(|&w| w <= most).max().unwrap_or(0)
    };
    let name = width(&|i| program.lets[i].name.chars().count(), 24);
    let default = width(&|i| program.lets[i].default.chars().count(), 32);
    let lines = program.lets.iter().map(|l| {
        let line = format!("  {:<name$} = {:<default$}  {}", l.name, l.default, l.comment);
        line.trim_end().to_owned()
    });
    format!("Settings of the program (--set NAME=EXPR):\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// Reads the options.
pub(super) fn plan(program: &Program, matches: &ArgMatches) -> Result<Plan, Failure> {
    if let Some(failure) = forgotten(matches) {
        return Err(failure);
    }
    // `--trace-in` is known to programs with a trace only.
    let text = |name: &str| matches.try_get_one::<String>(name).ok()?.map(String::as_str);
    let trace = match program.trace.order() {
        Some(order) => Some(trace(program.trace, text("trace-in"), order)?),
        None => None,
    };
    let (lets, base) = at_point(program, matches, &[], trace)?;
    let seed = (program.run_defaults)(&lets.values).seed;
    let seeds = seeds(text("seed"), text("seeds"), seed)?;
    let timeline = text("timeline").map(PathBuf::from);
    if timeline.is_some() && seeds.len() > 1 {
        let what = format!("--timeline: a time line is of one run, and these are {}", seeds.len());
        return Err(Failure::usage(&what, Some("give one --seed".into())));
    }
    // One run has no use for more, and to ask the system takes as long as a short run.
    let alone = seeds.len() == 1 && !sweep::options::asked(matches);
    Ok(Plan {
        seeds,
        jobs: jobs(text("jobs"), alone)?,
        json: matches.get_flag("json"),
        vllm: matches.get_flag("vllm-json"),
        timeline,
        base,
        values: lets.values,
        set: lets.set,
    })
}

/// Values of the `let`s and settings of the runs, with these `NAME=EXPR` beside those of `--set`.
pub(super) fn at_point(
    program: &Program,
    matches: &ArgMatches,
    more: &[String],
    trace: Option<Trace>,
) -> Result<(lets::Lets, Settings), Failure> {
    let given = matches.get_many::<String>("set").into_iter().flatten();
    let settings: Vec<&str> = given.chain(more).map(String::as_str).collect();
    let lets = lets::resolve(program, &settings)?;
    let number = |name: &str, default: Option<f64>| -> Result<Option<f64>, Failure> {
        let Some(text) = matches.get_one::<String>(name) else { return Ok(default) };
        let expr = lets::parse(program, &format!("--{name} {text}"), text)?;
        Ok(Some(expr.value(&mut |i| lets.values[i])))
    };
    let defaults = (program.run_defaults)(&lets.values);
    let arrivals = number("arrivals", defaults.arrivals)?;
    let arrivals = arrivals.map_or(Ok(None), settings::arrivals).map_err(unusable)?;
    let horizon = number("horizon", defaults.horizon)?;
    let horizon = settings::horizon(horizon, arrivals, program.trace.order()).map_err(unusable)?;
    let warmup = number("warmup", defaults.warmup)?.unwrap_or(0.0);
    let warmup = settings::warmup(warmup, horizon).map_err(unusable)?;
    let settings = Settings {
        seed: 0,
        horizon,
        warmup,
        arrivals,
        trace,
        samples: matches.get_flag("samples"),
        strict: matches.get_flag("strict"),
        plain_engine: matches.get_flag("plain-engine"),
        look: look::read(program, matches, (warmup, horizon))?,
    };
    Ok((lets, settings))
}

/// The recorded sessions that all runs share.
fn trace(own: TraceSpec, other: Option<&str>, order: TraceOrder) -> Result<Trace, Failure> {
    if let Some(path) = other {
        return Trace::open(Path::new(path), order)
            .map_err(|why| Failure::usage(&format!("--trace-in {path}: {why}"), None));
    }
    Trace::of(own).map_err(|why| {
        let named = match own {
            TraceSpec::File { path, .. } => format!("`{path}`: {why}"),
            TraceSpec::Text { .. } | TraceSpec::None => why.to_string(),
        };
        let help = "say where it is now with --trace-in FILE".to_owned();
        Failure::refused("S312", &named, Some(help), 1)
    })
}

/// What is no setting of a run, and what to write instead.
fn unusable(why: Unusable) -> Failure {
    let seconds = |option: &str| format!("write seconds of simulated time, such as {option} 1000");
    let help = match why {
        Unusable::NoHorizon => {
            "give one with --horizon SECONDS, or write `run { horizon 1000; }` in the program"
                .to_owned()
        }
        Unusable::Horizon(_) => seconds("--horizon"),
        Unusable::Endless => "give a number of --arrivals, or a finite --horizon".to_owned(),
        Unusable::Warmup(_) => seconds("--warmup"),
        Unusable::NothingMeasured { .. } => {
            "give a shorter --warmup or a longer --horizon".to_owned()
        }
        Unusable::Arrivals(_) => "write --arrivals 1000".to_owned(),
        // The program's: that of an option is read elsewhere.
        Unusable::Seed(_) => {
            let help = "give another with --seed N".to_owned();
            return Failure::refused(USAGE, &why.to_string(), Some(help), 1);
        }
    };
    Failure::usage(&why.to_string(), Some(help))
}

/// An option whose value would be another option, which was forgotten.
fn forgotten(matches: &ArgMatches) -> Option<Failure> {
    for (name, value) in VALUES {
        let texts = matches.try_get_many::<String>(name).ok().flatten().into_iter().flatten();
        let is_option = |text: &&String| {
            text.strip_prefix("--").is_some_and(|text| {
                let text = text.split('=').next().unwrap_or_default();
                FLAGS.contains(&text) || VALUES.iter().any(|(name, _)| *name == text)
            })
        };
        if let Some(text) = texts.clone().find(is_option) {
            return Some(Failure::usage(
                &format!("`--{name}` has no value before `{text}`"),
                Some(format!("write --{name} {value}")),
            ));
        }
    }
    None
}

fn seeds(one: Option<&str>, many: Option<&str>, default: Option<f64>) -> Result<Vec<u64>, Failure> {
    let wrong = |option: &str, what: String| {
        Failure::usage(
            &format!("{option}: {what}"),
            Some("write --seeds 1..20 or --seeds 1,2,5..8".into()),
        )
    };
    if let Some(text) = many {
        return seeds::parse(text).map_err(|e| wrong("--seeds", e));
    }
    if let Some(text) = one {
        let seeds = seeds::parse(text).map_err(|e| wrong("--seed", e))?;
        return if seeds.len() == 1 {
            Ok(seeds)
        } else {
            Err(wrong("--seed", "takes one seed".into()))
        };
    }
    settings::seed(default.unwrap_or(1.0)).map(|seed| vec![seed]).map_err(unusable)
}

/// Runs at a time: one where there is one run `alone`, else as many as there are cores, if nothing is said.
fn jobs(text: Option<&str>, alone: bool) -> Result<usize, Failure> {
    match text {
        None if alone => Ok(1),
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        Some(text) => text.parse().ok().filter(|&n| n >= 1).ok_or_else(|| {
            let what = format!("--jobs: `{text}` is not a whole number of at least 1");
            Failure::usage(&what, Some("write --jobs 4".into()))
        }),
    }
}
