//! Options that ask how a run is looked at: limits for goodput, series over time. They change no row.

use super::{Failure, Program};
use crate::{
    report::serving::{self, Limit},
    settings::Look,
};
use clap::{Arg, ArgAction, ArgMatches};

/// The options.
pub(super) fn options() -> [Arg; 3] {
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
    ]
}

/// What they ask for.
pub(super) fn read(program: &Program, matches: &ArgMatches) -> Result<Look, Failure> {
    let slo =
        matches.get_one::<String>("slo").map_or(Ok(Vec::new()), |text| limits(program, text))?;
    Ok(Look { series: matches.get_flag("series"), slo })
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
