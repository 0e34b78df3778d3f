//! The step programs of `examples/oracle` against what vLLM's own scheduler did.
//!
//! In come scenarios (`NAME.in.json`, by [`scenario`]) with the scheduler's answers (`NAME.out.json`); one binary per
//! program runs each of them ([`replay`]), and every field of [`held`] must be the scheduler's. What the programs cannot
//! say is excluded by what a scenario asks for ([`excluded`]), and run all the same, to see whether it still has to be.

pub mod excluded;
pub mod held;
pub mod replay;
pub mod scenario;

use crate::{batch, compile};
use excluded::Exclusion;
use held::Difference;
use scenario::{Kind, Scenario};
use std::{
    fmt, fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

/// What became of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The program answers as the scheduler did.
    Agrees,
    /// The programs cannot say what it asks for, by the predicate of this name; and whether they agree all the same.
    Excluded(String, bool),
    /// The first field that differs.
    Differs(Difference),
    /// It could not be read or run, which counts as a difference.
    Fails(String),
}

/// The binaries, one per program.
#[derive(Clone, Debug)]
pub struct Programs {
    single: PathBuf,
    pair: PathBuf,
}

impl Programs {
    /// Compiles and builds both.
    ///
    /// # Errors
    /// What the compiler or cargo says.
    pub fn build() -> Result<Programs, String> {
        let built = |name: &str| {
            let path = compile::project().join(format!("examples/oracle/{name}.sq"));
            let main = compile::main_file(&path)
                .map_err(|p| format!("{name}.sq:{}:{} {} {}", p.line, p.col, p.code, p.message))?;
            batch::command(name, &main)
        };
        Ok(Programs { single: built("vllm_step")?, pair: built("vllm_pd_step")? })
    }

    fn of(&self, kind: &Kind) -> &Path {
        match kind {
            Kind::Single { .. } => &self.single,
            Kind::Pair { .. } => &self.pair,
        }
    }
}

/// Scenarios and what became of them, in the order of their names.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// By name.
    pub verdicts: Vec<(String, Verdict)>,
    /// Scenarios that the scheduler did not answer, as it would not end.
    pub unanswered: usize,
}

impl Outcome {
    /// How many agree, are excluded, and differ.
    pub fn counts(&self) -> (usize, usize, usize) {
        let of = |want: fn(&Verdict) -> bool| self.verdicts.iter().filter(|(_, v)| want(v)).count();
        (
            of(|v| matches!(v, Verdict::Agrees)),
            of(|v| matches!(v, Verdict::Excluded(..))),
            of(|v| matches!(v, Verdict::Differs(_) | Verdict::Fails(_))),
        )
    }
}

impl fmt::Display for Outcome {
    /// A line for each scenario that differs or need not be excluded, and the counts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, verdict) in &self.verdicts {
            match verdict {
                Verdict::Agrees | Verdict::Excluded(_, false) => {}
                Verdict::Excluded(by, true) => {
                    writeln!(f, "{name}: excluded by `{by}`, and agrees all the same")?;
                }
                Verdict::Differs(difference) => writeln!(f, "{name}: {difference}")?,
                Verdict::Fails(what) => writeln!(f, "{name}: {what}")?,
            }
        }
        if self.unanswered > 0 {
            writeln!(f, "{} scenarios without an answer were left out", self.unanswered)?;
        }
        let (agree, excluded, differ) = self.counts();
        write!(f, "{agree} scenarios agree, {excluded} excluded, {differ} differ")
    }
}

/// Where the project's own scenarios are, and its exclusions.
pub fn ours() -> ([PathBuf; 2], PathBuf) {
    let folder = compile::project().join("ref/oracle");
    ([folder.join("scenarios"), folder.join("random")], folder.join("excluded.toml"))
}

/// Runs every scenario of the folders.
///
/// # Errors
/// A folder cannot be read, or has no scenario.
pub fn run(
    programs: &Programs,
    exclusions: &[Exclusion],
    folders: &[PathBuf],
) -> Result<Outcome, String> {
    let mut found = Vec::new();
    for folder in folders {
        let before = found.len();
        scenarios(folder, &mut found)?;
        if found.len() == before {
            return Err(format!("{}: no scenario", folder.display()));
        }
    }
    let answered: Vec<&PathBuf> = found.iter().filter(|path| answer_of(path).is_file()).collect();
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (next, verdicts) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..batch::cores() {
            scope.spawn(|| {
                while let Some(path) = answered.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let verdict = verdict(programs, exclusions, path, scratch.path());
                    let name = shown(path);
                    verdicts
                        .lock()
                        .unwrap_or_else(|broken| broken.into_inner())
                        .push((name, verdict));
                }
            });
        }
    });
    let mut verdicts = verdicts.into_inner().unwrap_or_else(|broken| broken.into_inner());
    verdicts.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(Outcome { verdicts, unanswered: found.len() - answered.len() })
}

fn verdict(programs: &Programs, exclusions: &[Exclusion], path: &Path, scratch: &Path) -> Verdict {
    let (scenario, answer) = match read(path) {
        Ok(both) => both,
        Err(error) => return Verdict::Fails(error),
    };
    let result = replay::run(programs.of(&scenario.kind), &scenario, &answer, scratch)
        .map(|replayed| held::first_difference(&scenario, &replayed, &answer));
    match (exclusions.iter().find(|e| e.predicate.holds(&scenario)), result) {
        (Some(exclusion), result) => {
            Verdict::Excluded(exclusion.predicate.name().to_owned(), result == Ok(None))
        }
        (None, Ok(None)) => Verdict::Agrees,
        (None, Ok(Some(difference))) => Verdict::Differs(difference),
        (None, Err(error)) => Verdict::Fails(error),
    }
}

/// The scenarios of the folders, without their answers.
///
/// # Errors
/// A folder or a scenario cannot be read.
pub fn inputs(folders: &[PathBuf]) -> Result<Vec<Scenario>, String> {
    let mut paths = Vec::new();
    folders.iter().try_for_each(|folder| scenarios(folder, &mut paths))?;
    paths.iter().map(|path| Scenario::read(&text(path)?)).collect()
}

fn text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// A scenario and the scheduler's answer.
fn read(path: &Path) -> Result<(Scenario, serde_json::Value), String> {
    let scenario = Scenario::read(&text(path)?)?;
    let answer = serde_json::from_str(&text(&answer_of(path))?).map_err(|e| e.to_string())?;
    Ok((scenario, answer))
}

const INPUT: &str = ".in.json";

fn answer_of(path: &Path) -> PathBuf {
    path.with_file_name(format!("{}.out.json", shown(path)))
}

/// The scenario's name: that of its file.
fn shown(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(INPUT).unwrap_or(&name).to_owned()
}

/// The scenarios of a folder and of those in it.
fn scenarios(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let said = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut paths = Vec::new();
    for file in fs::read_dir(folder).map_err(said)? {
        paths.push(file.map_err(said)?.path());
    }
    paths.sort();
    for path in paths {
        if path.is_dir() {
            scenarios(&path, found)?;
        } else if path.to_string_lossy().ends_with(INPUT) {
            found.push(path);
        }
    }
    Ok(())
}
