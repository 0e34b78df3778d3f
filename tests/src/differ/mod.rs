//! Random programs held against the rules model, sample for sample; a difference is shrunk to a small program.
//!
//! In: numbers, each of which is one program ([`program`]). Programs draw nothing, so that both sides must give the
//! same answer to every digit that is compared; some are fed by a trace. Out: what was found of each ([`Outcome`]).
//! Without a model the two ways in which an engine may be run are held against each other.
//!
//! Left out, as the two sides mean other things by it on purpose: `docs/differ.md`. Negative work is an error there, so
//! runs are strict here.

mod coverage;
mod deployment;
mod engine;
mod flows;
mod kernel;
mod model;
mod outcome;
mod program;
mod shrink;
mod words;

pub use coverage::Coverage;
pub use model::Model;
pub use outcome::Outcome;
pub use program::{Program, write};

use crate::{
    batch::{Batch, Build, Job},
    compare, compile,
};
use model::Asked;
use program::FILE;
use serde_json::Value;
use serqc::golden::{answer, runs};
use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};
use words::Words;

/// The program of a number.
pub fn program(seed: u64) -> Program {
    let mut words = Words::new(seed);
    match words.dice.between(0, 12) {
        0..=4 => kernel::program(words),
        5..=8 => engine::program(words),
        9 | 10 => flows::program(words),
        _ => deployment::program(words),
    }
}

/// Runs programs on both sides.
pub struct Differ {
    model: Option<Asked>,
    /// Where the programs are written.
    folder: PathBuf,
}

/// What a program wrote, run in each of the ways that must write the same.
struct Ways<'a> {
    planned: &'a str,
    plain: &'a str,
    planned_without_samples: &'a str,
    plain_without_samples: &'a str,
}

/// Real time of one run.
const LIMIT: Duration = Duration::from_secs(20);

/// Rounds of shrinking at most, and candidates of one round.
const ROUNDS: usize = 40;
const CANDIDATES: usize = 48;

impl Differ {
    /// Writes programs into `folder`.
    pub fn new(model: Option<Model>, folder: PathBuf) -> Differ {
        Differ { model: model.map(Asked::new), folder }
    }

    /// Makes sure that the model answers at all, if there is one.
    ///
    /// # Errors
    /// That it does not, and what it says.
    pub fn ready(&mut self) -> Result<(), String> {
        let text = "stage d : delay; session { run d (1); } run { horizon 1; }";
        let path = self
            .write(0, &Program::of(text.to_owned()))
            .map_err(|error| format!("{}: {error}", self.folder.display()))?;
        match self.model.as_mut().map(|model| model.ask(&path, &[])) {
            Some(answer) if answer.get("run").is_none() => {
                let said = answer["message"].as_str().unwrap_or_default();
                Err(format!(
                    "the model does not answer ({said}): --python needs the reference package, --model the folder of \
                     model.py"
                ))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// What is found of each program.
    ///
    /// # Errors
    /// A file that could not be written, or crates that do not build.
    pub fn outcomes(&mut self, programs: &[Program]) -> Result<Vec<Outcome>, String> {
        let mut outcomes: Vec<Option<Outcome>> = vec![None; programs.len()];
        let mut wanted: Vec<Value> = Vec::new();
        let mut running: Vec<(usize, usize)> = Vec::new();
        let mut batch = self.batch();
        for (at, program) in programs.iter().enumerate() {
            let path = self
                .write(at, program)
                .map_err(|error| format!("{}: {error}", self.folder.display()))?;
            let want = self.model.as_mut().map_or(Value::Null, |model| model.ask(&path, &[]));
            let ours = compile::module(&path);
            match (ours, refusal(&want)) {
                (_, Some(("model", message))) => outcomes[at] = Some(Outcome::NoModel(message)),
                (Err(ours), Some(("link", _))) => {
                    outcomes[at] = Some(Outcome::Neither(ours.message))
                }
                (Err(ours), _) => {
                    let what =
                        format!("only we refuse it: {}:{} {}", ours.line, ours.col, ours.message);
                    outcomes[at] = Some(Outcome::Accepted(what));
                }
                // We say so when it is run.
                (Ok(_), Some(("link", message))) if !program.text.contains("horizon") => {
                    outcomes[at] = Some(Outcome::Neither(message));
                }
                (Ok(_), Some(("link", message))) => {
                    outcomes[at] = Some(Outcome::Accepted(format!("only we accept it: {message}")));
                }
                (Ok(module), _) => running.push((at, batch.add(module))),
            }
            wanted.push(want);
        }
        if !running.is_empty() {
            let built = batch.build()?;
            // Each way to run them, all programs at a time.
            let ways = [(true, false), (true, true), (false, false), (false, true)];
            let jobs = |(samples, plain): (bool, bool)| -> Vec<Job> {
                let job = |(_, program): &(usize, usize)| Job {
                    program: *program,
                    samples,
                    plain,
                    strict: true,
                    limit: LIMIT,
                    ..Job::default()
                };
                running.iter().map(job).collect()
            };
            let answers = ways.map(|way| built.run(&jobs(way)));
            for (i, (at, _)) in running.iter().enumerate() {
                let ours = Ways {
                    planned: &answers[0][i],
                    plain: &answers[1][i],
                    planned_without_samples: &answers[2][i],
                    plain_without_samples: &answers[3][i],
                };
                let outcome = self.compared(&ours, &wanted[*at], &self.path(*at));
                outcomes[*at] = Some(outcome);
            }
        }
        Ok(outcomes.into_iter().flatten().collect())
    }

    /// What each side answers where `difference` points: `ours: …` and `model: …`, a line each.
    ///
    /// # Errors
    /// As [`Differ::outcomes`].
    pub fn both(&mut self, program: &Program, difference: &str) -> Result<String, String> {
        let path = self
            .write(0, program)
            .map_err(|error| format!("{}: {error}", self.folder.display()))?;
        let mut batch = self.batch();
        let ours = match compile::module(&path) {
            Ok(module) => {
                let program = batch.add(module);
                let job =
                    Job { program, samples: true, strict: true, limit: LIMIT, ..Job::default() };
                batch.build()?.answers(&[job]).swap_remove(0)
            }
            Err(problem) => Value::String(format!("{problem:?}")),
        };
        let model = self.model.as_mut().map_or(Value::Null, |model| model.ask(&path, &[]));
        Ok(format!("ours:  {}\nmodel: {}", row(&ours, difference), row(&model, difference)))
    }

    fn compared(&mut self, ours: &Ways, want: &Value, path: &Path) -> Outcome {
        let got = answer::of_run(&runs::Said::Line(ours.planned.to_owned()));
        if got.get("defect").is_some() {
            return Outcome::Differs(compare::clipped(&got));
        }
        let pairs = [
            (ours.planned, ours.plain),
            (ours.planned_without_samples, ours.plain_without_samples),
        ];
        for (planned, plain) in pairs {
            if let Some(difference) = compare::texts(planned, plain) {
                return Outcome::Differs(format!(
                    "one event per iteration gives other bytes: {difference}"
                ));
            }
        }
        if want.is_null() {
            return Outcome::Same;
        }
        if let Some((_, message)) = refusal(want) {
            return match refusal(&got) {
                Some(_) => Outcome::Neither(message),
                // The model raises its own kind of error where a run stops; any other is its own failure.
                None if message.starts_with("Err:") => {
                    Outcome::Differs(format!("only the model stops: {message}"))
                }
                None => Outcome::NoModel(message),
            };
        }
        let mut want = want.clone();
        take_indices(&mut want, &got);
        match compare::answers(&got, &want) {
            None => Outcome::Same,
            Some(_) if self.is_tie(path, &want) => Outcome::Tie,
            Some(difference) => Outcome::Differs(difference),
        }
    }

    /// Whether the model's own answer takes another shape when all that is odd moves a little.
    fn is_tie(&mut self, path: &Path, want: &Value) -> bool {
        let odd = fs::read_to_string(path).is_ok_and(|text| text.contains("let odd = 0;"));
        let Some(model) = self.model.as_mut().filter(|_| odd) else { return false };
        let moved = model.ask(path, &[("odd", 1e-9)]);
        refusal(&moved).is_some() || shape(&moved) != shape(want)
    }

    /// The smallest program found that differs as `program` does, and how.
    ///
    /// # Errors
    /// As [`Differ::outcomes`].
    pub fn shrunk(
        &mut self,
        program: &Program,
        outcome: &Outcome,
    ) -> Result<(Program, Outcome), String> {
        let mut best = (program.clone(), outcome.clone());
        let kinds = [
            shrink::Kind::Item,
            shrink::Kind::Statement,
            shrink::Kind::Clause,
            shrink::Kind::Expression,
        ];
        let mut rounds = 0;
        'smaller: while rounds < ROUNDS {
            let edits = shrink::edits(&best.0.text);
            for kind in kinds {
                let of_kind: Vec<usize> =
                    (0..edits.len()).filter(|at| edits[*at] == kind).collect();
                for some in of_kind.chunks(CANDIDATES) {
                    rounds += 1;
                    let sets: Vec<BTreeSet<usize>> =
                        some.iter().map(|at| BTreeSet::from([*at])).collect();
                    let good = self.still(&best, &sets)?;
                    if good.is_empty() {
                        continue;
                    }
                    // All that can go alone may go together, or half of it.
                    let alone: Vec<usize> =
                        good.iter().flat_map(|(set, ..)| set.iter().copied()).collect();
                    let mut together = Vec::new();
                    let mut size = alone.len();
                    while size > 1 {
                        together
                            .extend(alone.chunks(size).map(|some| some.iter().copied().collect()));
                        size = size.div_ceil(2).min(size - 1);
                    }
                    let mut found = self.still(&best, &together)?;
                    found.extend(good);
                    if let Some((_, program, outcome)) =
                        found.into_iter().max_by_key(|(set, ..)| set.len())
                    {
                        best = (program, outcome);
                        continue 'smaller;
                    }
                }
            }
            break;
        }
        Ok(best)
    }

    /// Those sets of edits after which a program still differs in the same way.
    fn still(
        &mut self,
        best: &(Program, Outcome),
        sets: &[BTreeSet<usize>],
    ) -> Result<Vec<(BTreeSet<usize>, Program, Outcome)>, String> {
        let mut candidates = Vec::new();
        for set in sets {
            if let Some(text) =
                shrink::without(&best.0.text, set).filter(|text| *text != best.0.text)
            {
                candidates.push((set.clone(), Program { text, beside: best.0.beside.clone() }));
            }
        }
        let programs: Vec<Program> =
            candidates.iter().map(|(_, program)| program.clone()).collect();
        let outcomes = self.outcomes(&programs)?;
        let found =
            candidates.into_iter().zip(outcomes).filter(|(_, outcome)| outcome.is_like(&best.1));
        Ok(found.map(|((set, program), outcome)| (set, program, outcome)).collect())
    }

    /// Programs of one folder are built in one place.
    fn batch(&self) -> Batch {
        let name = self.folder.file_name().map_or("differ".into(), |name| name.to_string_lossy());
        Batch::new(&name, Build::Quick)
    }

    fn path(&self, at: usize) -> PathBuf {
        self.folder.join(format!("{at:04}")).join(FILE)
    }

    fn write(&self, at: usize, program: &Program) -> io::Result<PathBuf> {
        let path = self.path(at);
        write(&path, program)?;
        Ok(path)
    }
}

/// `where` and the message of an answer that is none.
fn refusal(answer: &Value) -> Option<(&str, String)> {
    let place = answer.get("where")?.as_str()?;
    Some((place, answer["message"].as_str().unwrap_or_default().to_owned()))
}

/// The row of an answer in which a difference lies, such as an observation or a pool; all of it, if that is not said.
fn row(answer: &Value, difference: &str) -> String {
    let path = difference.split([':', ' ']).next().unwrap_or_default();
    let mut row = answer;
    for step in path.split(['/', '[']).take(2) {
        let inner = match step.trim_end_matches(']').parse::<usize>() {
            Ok(at) => row.get(at),
            Err(_) => row.get(step),
        };
        match inner {
            Some(inner) => row = inner,
            None => break,
        }
    }
    row.to_string().chars().take(ROW).collect()
}

/// The most that is shown of a row, in characters.
const ROW: usize = 2000;

/// The model does not tell a family of one from a single pool or stage.
fn take_indices(want: &mut Value, got: &Value) {
    for kind in ["pools", "stages"] {
        let rows = want[kind].as_array_mut().into_iter().flatten();
        for (row, ours) in rows.zip(got[kind].as_array().into_iter().flatten()) {
            row["index"] = ours["index"].clone();
        }
    }
}

/// Who observed what in which order, and how many were admitted where: all of an answer but times and values.
fn shape(answer: &Value) -> (Vec<(u64, u64)>, Vec<u64>) {
    let observed = answer["observes"].as_object().into_iter().flatten();
    let samples = observed.flat_map(|(_, row)| row["samples"].as_array().into_iter().flatten());
    let who =
        |row: &Value| (row[1].as_u64().unwrap_or_default(), row[2].as_u64().unwrap_or_default());
    let pools = answer["pools"].as_array().into_iter().flatten();
    (
        samples.map(who).collect(),
        pools.map(|row| row["admissions"].as_u64().unwrap_or_default()).collect(),
    )
}
