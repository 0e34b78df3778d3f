//! What is measured: programs at settings, each with its rivals, and what the ratios should be.

use crate::{
    Against,
    build::{Length, Programs, sets},
    measure::Line,
};
use serde::Serialize;
use serq_floors::FLOORS;
use std::{env, path::Path};

/// The program that the reference was published with.
const PULL: &str = "examples/pd-disaggregation/llmd_nixl_pull.sq";
/// The same pods, with both legs of a request at once.
const PUSH: &str = "examples/pd-disaggregation/vllm_nixl_push.sq";
/// How the reference runs a program: file, horizon, warm-up, constants as JSON, `--seed`, seed.
const REFERENCE: &str = include_str!("reference.py");

/// A ratio that is to hold.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Goal {
    /// Ours takes at most so many times the rival's time.
    AtMost(f64),
    /// Ours is at least so many times as fast.
    AtLeast(f64),
}

/// Another way to the same result.
pub(crate) struct Rival {
    /// What it is.
    pub name: &'static str,
    pub line: Line,
    pub goal: Option<Goal>,
    /// It takes many times longer: few pairs.
    pub slow: bool,
}

/// A program at a setting.
pub(crate) struct Case {
    pub name: &'static str,
    /// Ours.
    pub line: Line,
    pub rivals: Vec<Rival>,
}

/// A setting of the published program.
struct Setting {
    name: &'static str,
    values: &'static [(&'static str, f64)],
    /// How many times as fast as the reference it should be.
    reference: f64,
}

/// Settings at which decoders are nearly empty, hold 40 to 50 requests, are many, and preempt.
const SETTINGS: [Setting; 5] = [
    Setting { name: "pull_remote", values: &[("thr", 1.0)], reference: 240.0 },
    Setting { name: "pull_local", values: &[("thr", 1e18)], reference: 240.0 },
    Setting {
        name: "pull_loaded",
        values: &[("omega", 0.02), ("Lambda", 2.8), ("blocksD", 4e4), ("blocksP", 4e4)],
        reference: 150.0,
    },
    Setting {
        name: "pull_wide",
        values: &[
            ("NP", 4.0),
            ("ND", 8.0),
            ("omega", 0.04),
            ("Lambda", 4.8),
            ("blocksD", 4e4),
            ("blocksP", 4e4),
        ],
        reference: 100.0,
    },
    Setting {
        name: "pull_preempting",
        values: &[("blocksD", 1050.0), ("Lambda", 5.0)],
        reference: 110.0,
    },
];

/// Settings of [`SETTINGS`] at which the push program runs beside the pull program, and what each pair is called.
const PUSHED: [(&str, usize); 2] = [("push_remote", 0), ("push_loaded", 2)];

/// The cases that are asked for, built.
///
/// # Errors
/// There is none, or a program does not build.
pub(crate) fn chosen(against: &Against) -> Result<Vec<Case>, String> {
    let wanted = |name: &str| {
        against.only.is_empty() || against.only.iter().any(|part| name.contains(part.as_str()))
    };
    let mut programs = Programs::default();
    let mut cases = Vec::new();
    for setting in SETTINGS.iter().filter(|setting| wanted(setting.name)) {
        cases.push(published(&mut programs, setting, against)?);
    }
    for (name, setting) in PUSHED.iter().filter(|(name, _)| wanted(name)) {
        cases.push(pushed(&mut programs, name, &SETTINGS[*setting], against)?);
    }
    for floor in FLOORS.iter().filter(|floor| wanted(floor.name)) {
        let length = Length::of(if against.quick { floor.second / 10.0 } else { floor.second });
        let line = programs.line(floor.program, floor.values, length)?;
        let by_hand = this_program().with(["floor", floor.name]).with(length.options());
        let by_hand = by_hand.with(sets(floor.values)).seeded("--seed");
        let goal = Some(Goal::AtMost(1.5));
        let mut rivals = vec![Rival { name: "floor", line: by_hand, goal, slow: false }];
        if floor.name == "batching" {
            rivals.push(plain(&line));
        }
        cases.push(Case { name: floor.name, line, rivals });
    }
    if cases.is_empty() {
        let names = SETTINGS.iter().map(|x| x.name).chain(PUSHED.iter().map(|x| x.0));
        let names = names.chain(FLOORS.iter().map(|x| x.name));
        return Err(format!("no such case; there are {}", names.collect::<Vec<_>>().join(", ")));
    }
    Ok(cases)
}

/// Ours with one event per iteration.
fn plain(ours: &Line) -> Rival {
    let line = ours.clone().with(["--plain-engine"]);
    Rival { name: "--plain-engine", line, goal: None, slow: false }
}

/// This program, which has the floors in it.
fn this_program() -> Line {
    Line::new(env::current_exe().unwrap_or_default())
}

fn published(
    programs: &mut Programs,
    setting: &Setting,
    against: &Against,
) -> Result<Case, String> {
    let length = Length::of(if against.quick { 1000.0 } else { 10_000.0 });
    let line = programs.line(PULL, setting.values, length)?;
    let mut rivals = vec![plain(&line)];
    if let Some(bound) = &against.bound {
        let line = Line::new(bound.clone()).with(length.options()).with(sets(setting.values));
        let goal = Some(Goal::AtMost(1.25));
        rivals.push(Rival { name: "by hand", line: line.seeded("--seeds"), goal, slow: false });
    }
    if let (Some(python), Some(program)) = (&against.python, &against.python_program) {
        let line = reference(python, program, setting, length);
        let goal = Some(Goal::AtLeast(setting.reference));
        rivals.push(Rival { name: "pyserq", line, goal, slow: true });
    }
    Ok(Case { name: setting.name, line, rivals })
}

/// Both legs of a request at once, beside one after the other: the same requests.
fn pushed(
    programs: &mut Programs,
    name: &'static str,
    setting: &Setting,
    against: &Against,
) -> Result<Case, String> {
    let length = Length::of(if against.quick { 1000.0 } else { 10_000.0 });
    let line = programs.line(PUSH, setting.values, length)?;
    let pull = programs.line(PULL, setting.values, length)?;
    let goal = Some(Goal::AtMost(1.3));
    let rivals = vec![Rival { name: "pull", line: pull, goal, slow: false }];
    Ok(Case { name, line, rivals })
}

fn reference(venv: &Path, program: &Path, setting: &Setting, length: Length) -> Line {
    let inside = venv.join("bin").join("python");
    let python = if inside.exists() { inside } else { venv.to_path_buf() };
    let sets: serde_json::Map<String, serde_json::Value> =
        setting.values.iter().map(|&(name, value)| (name.to_owned(), value.into())).collect();
    Line::new(python)
        .with(["-c", REFERENCE])
        .with([program])
        .with([length.horizon.to_string(), length.warmup.to_string()])
        .with([serde_json::Value::Object(sets).to_string()])
        .seeded("--seed")
}
