//! Options that ask how a run is looked at: limits for goodput, series over time. They change no row.

use super::{Failure, Program, USAGE};
use crate::{
    report::serving::{self, Limit},
    settings::Look,
    timeline::{Timeline, Window},
};
use clap::{Arg, ArgAction, ArgMatches};
use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
};

/// Seconds of the window that nobody gave.
const WINDOW: f64 = 10.0;

/// The options.
pub(super) fn options() -> [Arg; 5] {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
    };
    [
        Arg::new("slo").long("slo").value_name("NAME:MOST,…").allow_hyphen_values(true).help(
            "Limits that a good request keeps, such as ttft:0.2,tpot:0.05 (s); goodput counts those",
        ),
        flag("vllm-json", "One object per run and line, with the names of `vllm bench serve`")
            .conflicts_with("json"),
        flag("series", "Add to --json what queues, pools, stages and gauges did over time"),
        Arg::new("timeline")
            .long("timeline")
            .value_name("FILE")
            .allow_hyphen_values(true)
            .conflicts_with_all(["sweep", "point", "out"])
            .help(
            "Write what engines, sessions and pools did in a window, as trace events that Perfetto opens",
        ),
        Arg::new("timeline-window")
            .long("timeline-window")
            .value_name("FROM..TO")
            .allow_hyphen_values(true)
            .requires("timeline")
            .help("The window in simulated seconds [default: the first ten of the measured time]"),
    ]
}

/// What they ask for.
pub(super) fn read(
    program: &Program,
    matches: &ArgMatches,
    (warmup, horizon): (f64, f64),
) -> Result<Look, Failure> {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let timeline = match (text("timeline"), text("timeline-window")) {
        (None, _) => None,
        (Some(_), None) => Some(Window { from: warmup, to: warmup + WINDOW }),
        (Some(_), Some(window)) => Some(self::window(window, horizon)?),
    };
    let slo =
        matches.get_one::<String>("slo").map_or(Ok(Vec::new()), |text| limits(program, text))?;
    Ok(Look { series: matches.get_flag("series"), slo, timeline })
}

fn window(text: &str, horizon: f64) -> Result<Window, Failure> {
    let number =
        |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
    let ends = text.split_once("..").and_then(|(a, b)| Some((number(a)?, number(b)?)));
    match ends {
        Some((from, to)) if from < to && from < horizon => Ok(Window { from, to }),
        Some((from, to)) if from < to => Err(no_window(&format!(
            "`{text}` begins after the horizon ({horizon} s), when nothing happens any more"
        ))),
        _ => Err(no_window(&format!("`{text}` is no window of simulated time"))),
    }
}

fn no_window(what: &str) -> Failure {
    let help = "write seconds as --timeline-window 100..110".to_owned();
    Failure::usage(&format!("--timeline-window: {what}"), Some(help))
}

/// Writes the time line of a run to a file; what a reader should know of it, if anything.
pub(super) fn write(path: &Path, timeline: &Timeline) -> Result<Option<String>, Failure> {
    let written = File::create(path).and_then(|file| {
        let mut out = BufWriter::new(file);
        timeline.write(&mut out)?;
        out.flush()
    });
    written.map_err(|error| {
        let what = format!("the time line cannot be written to `{}`: {error}", path.display());
        Failure::refused(USAGE, &what, None, 1)
    })?;
    Ok(timeline.full_at.map(|at| {
        format!(
            "note: the time line is full: it ends at t = {at} s of {} s, with {} events",
            timeline.window.to,
            timeline.events()
        )
    }))
}

fn limits(program: &Program, text: &str) -> Result<Vec<Limit>, Failure> {
    let mut limits: Vec<Limit> = Vec::new();
    for part in text.split(',') {
        let limit = limit(program, part)?;
        if limits.iter().any(|other| other.observe == limit.observe) {
            return Err(wrong(&format!("`{}` is limited twice", limit.observe)));
        }
        limits.push(limit);
    }
    Ok(limits)
}

fn limit(program: &Program, text: &str) -> Result<Limit, Failure> {
    let (name, most) = text.split_once(':').unwrap_or((text, ""));
    let (name, most) = (name.trim(), most.trim());
    let Some(observe) = serving::observed(program.observes, name) else {
        let known = program.observes.join(", ");
        let what = format!("--slo: the program observes no `{name}`");
        let help = match known.is_empty() {
            true => "the program observes nothing".to_owned(),
            false => format!("it observes {known}"),
        };
        return Err(Failure::usage(&what, Some(help)));
    };
    match most.parse::<f64>() {
        Ok(most) if most >= 0.0 => Ok(Limit { observe: observe.to_owned(), most }),
        _ => Err(wrong(&format!("`{text}` gives `{name}` no limit of at least 0"))),
    }
}

fn wrong(what: &str) -> Failure {
    let help = "write limits as --slo ttft:0.2,tpot:0.05".to_owned();
    Failure::usage(&format!("--slo: {what}"), Some(help))
}
