//! Runs a whole corpus against its answers.

use serq_tests::{
    batch::{Batch, Build, Job},
    compare, compile,
    corpus::{self, Case},
};

/// Compiles, builds and runs every case of `conformance/NAME`, as it is and with one event per engine iteration, which
/// must give the same bytes. Settings are given to the built program. Panics with the first difference of every case
/// that fails; with `UPDATE_EXPECT` other answers are written instead.
pub fn assert_corpus(name: &str) {
    let cases = corpus::load(name).unwrap_or_else(|error| panic!("{error}"));
    assert!(!cases.is_empty(), "no cases in {name}");
    let mut failures = Vec::new();
    let mut batch = Batch::new(name, Build::Quick);
    let mut built: Vec<(&Case, usize)> = Vec::new();
    for case in &cases {
        match compile::module(&case.source) {
            Ok(module) => built.push((case, batch.add(module))),
            Err(p) => failures.push((
                case.name.clone(),
                format!("{}:{} {} {}", p.line, p.col, p.code, p.message),
            )),
        }
    }
    let programs = batch.build().unwrap_or_else(|error| panic!("{error}"));
    let job = |case: &Case, program| {
        let sets = case.sets().into_iter();
        let sets = sets.filter_map(|(name, value)| Some((name, value.parse().ok()?))).collect();
        Job { sets, ..case.job(program) }
    };
    let jobs: Vec<Job> = built.iter().map(|(case, program)| job(case, *program)).collect();
    let plain: Vec<Job> = jobs.iter().map(|job| Job { plain: true, ..job.clone() }).collect();
    let answers = programs.run(&jobs).into_iter().zip(programs.run(&plain));
    for ((case, _), (planned, plain)) in built.iter().zip(answers) {
        let answer = serde_json::from_str(&planned).unwrap_or_default();
        let want = case.wanted().cloned().unwrap_or_default();
        if let Some(difference) = compare::answers(&answer, &want) {
            if !corpus::blessed(case, &answer) {
                failures.push((case.name.clone(), difference));
            }
        } else if let Some(difference) = compare::texts(&planned, &plain) {
            failures.push((
                case.name.clone(),
                format!("one event per iteration gives other bytes: {difference}"),
            ));
        }
    }
    failures.sort();
    corpus::assert_none(cases.len(), &failures);
}
