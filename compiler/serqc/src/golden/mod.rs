//! Golden tests of programs: many programs compiled, built in few crates, run and compared.
//!
//! In: folders with programs `NAME.sq` and their answers `NAME.json`. Out: a verdict for each
//! program, and with `bless` new answers. An answer says what a run reports, where a wrong program
//! is refused, or which quantities lie within a tolerance; it may give `options` of its own: `sets`,
//! `seed`, `horizon`, `warmup`, `arrivals`.
//!
//! The phases: `cases` finds the programs, `compile` makes modules of them, `batch` builds those,
//! `runs` runs them (through `host`, which is part of what `batch` builds), `answer` reads what came
//! out, `compare` holds it against the answer, `bless` writes it.

pub mod answer;
pub mod batch;
pub mod bless;
pub mod cases;
pub mod compare;
pub mod compile;
#[cfg(test)]
#[allow(dead_code, reason = "a part of the crates that are built; here only to be checked")]
mod host;
pub mod runs;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::driver::Driver;
use crate::failure::Outside;
use batch::{Batch, Build, Job};
use cases::Case;
use compile::Compiled;

/// What to do with the programs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Programs, answers, or folders with them.
    pub paths: Vec<String>,
    /// Write what came out where it differs from the answer.
    pub bless: bool,
    /// How many things are done at once.
    pub jobs: usize,
    /// Time after which a run is given up.
    pub limit: Duration,
}

/// What came of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// What came out is what the answer says.
    Agrees,
    /// The first difference.
    Differs(String),
    /// There is no answer to compare with.
    NoAnswer,
    /// The answer was written.
    Blessed,
}

/// Compiles, builds, runs and compares; one verdict for each program, in their order.
///
/// # Errors
/// If a path cannot be read, an answer cannot be written, or there is no Rust to build with.
pub fn test(plan: &Plan, driver: &Driver) -> Result<Vec<(Case, Verdict)>, Outside> {
    let screen = driver.screen();
    let all = cases::find(&plan.paths)?;
    // Nothing is to be learnt from a program without an answer, but what to write.
    let tried: Vec<&Case> = all.iter().filter(|case| plan.bless || case.answered()).collect();
    let compiled = compile::all(&tried, plan.jobs, |done| {
        screen.status(&format!("compiling: {done} of {}", tried.len()));
    });
    let answers = answers(plan, driver, &tried, compiled)?;
    screen.clear_status();

    let mut answers = answers.into_iter();
    let mut verdicts = Vec::new();
    for case in all {
        let verdict = if plan.bless || case.answered() {
            judge(plan, &case, &answers.next().unwrap_or_default())?
        } else {
            Verdict::NoAnswer
        };
        verdicts.push((case, verdict));
    }
    Ok(verdicts)
}

/// What came out of each program: a report, or where and why it was refused, or what else happened.
fn answers(
    plan: &Plan,
    driver: &Driver,
    cases: &[&Case],
    compiled: Vec<Compiled>,
) -> Result<Vec<Value>, Outside> {
    let mut answers = vec![Value::Null; cases.len()];
    let mut batch = Batch::new("golden", Build::Quick);
    let mut running = Vec::new();
    for (at, (case, compiled)) in cases.iter().zip(compiled).enumerate() {
        match compiled {
            Compiled::Module(module) => {
                let job = Job { limit: plan.limit, ..case.job(batch.add(&case.name, module)) };
                running.push((at, job));
            }
            Compiled::Refused(place) => answers[at] = answer::refusal(&place),
            Compiled::Defect(what) => answers[at] = answer::defect("compiler", &what),
        }
    }
    if running.is_empty() {
        return Ok(answers);
    }
    let built = batch.build(driver, plan.jobs)?;
    let jobs: Vec<Job> = running.iter().map(|(_, job)| job.clone()).collect();
    let mut done = 0;
    runs::all(&built, &jobs, plan.jobs, |n, said| {
        done += 1;
        driver.screen().status(&format!("running: {done} of {}", jobs.len()));
        answers[running[n].0] = answer::of_run(&said);
    });
    Ok(answers)
}

/// Compares what came out, and writes it if that is wanted and it can be meant.
fn judge(plan: &Plan, case: &Case, got: &Value) -> Result<Verdict, Outside> {
    let difference = match &case.want {
        Some(Ok(want)) => compare::answers(got, want),
        Some(Err(why)) => Some(format!("the answer file is no JSON: {why}")),
        None => Some("there is no answer".to_owned()),
    };
    let Some(difference) = difference else { return Ok(Verdict::Agrees) };
    if plan.bless
        && let Some(text) = bless::text(case, got)
    {
        bless::write(&case.answer, &text)?;
        return Ok(Verdict::Blessed);
    }
    Ok(Verdict::Differs(match case.want {
        None => format!("it has no answer that could be written: {}", compare::clipped(got)),
        Some(_) => difference,
    }))
}

/// Where an answer of the program at `source` lies.
fn answer_path(source: &std::path::Path) -> PathBuf {
    source.with_extension("json")
}
