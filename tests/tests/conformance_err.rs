//! Every wrong program of `conformance/err` is refused at its place: when it is compiled, by its first error, or when
//! it runs.

use serde_json::json;
use serq_tests::{
    batch::{Batch, Build},
    compare, compile,
    corpus::{self, Case},
    driver::Job,
};

#[test]
fn every_error_stands_at_its_place() {
    let cases = corpus::load("err").unwrap_or_else(|error| panic!("{error}"));
    assert!(!cases.is_empty(), "no cases");
    let mut failures = Vec::new();
    let mut batch = Batch::new("err", Build::Quick);
    let mut running: Vec<(&Case, usize)> = Vec::new();
    for case in &cases {
        let due_when_compiled = case.want["where"] == "link";
        match compile::module(&case.source) {
            Err(p) => {
                let got = json!({"where": "link", "line": p.line, "col": p.col, "code": p.code, "message": p.message});
                if let Some(difference) = compare::errors(&got, &case.want) {
                    failures.push((case.name.clone(), difference));
                }
            }
            // What depends on the run's options is refused when it starts.
            Ok(module) if !due_when_compiled => running.push((case, batch.add(module))),
            Ok(_) => failures
                .push((case.name.clone(), format!("it compiles, though: {}", case.want["about"]))),
        }
    }
    let programs = batch.build().unwrap_or_else(|error| panic!("{error}"));
    let jobs: Vec<Job> =
        running.iter().map(|(case, program)| Job { strict: true, ..case.job(*program) }).collect();
    for ((case, _), answer) in running.iter().zip(programs.answers(&jobs)) {
        if let Some(difference) = compare::errors(&answer, &case.want) {
            failures.push((case.name.clone(), difference));
        }
    }
    failures.sort();
    corpus::assert_none(cases.len(), &failures);
}
