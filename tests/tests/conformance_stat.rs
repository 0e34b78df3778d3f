//! Random programs of `conformance/stat` against theory, each within the tolerance that its answer file states.

use serq_tests::{
    answer::Answer,
    batch::{Batch, Build},
    compile, corpus,
    driver::Job,
};

/// The programs run at once this long at most, in seconds of real time.
const LIMIT: f64 = 240.0;

#[test]
fn every_quantity_lies_within_its_tolerance() {
    let cases = corpus::load("stat").unwrap_or_else(|error| panic!("{error}"));
    assert!(!cases.is_empty(), "no cases");
    let mut failures = Vec::new();
    let mut batch = Batch::new("stat", Build::Fast);
    let mut built = Vec::new();
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
    let jobs: Vec<Job> = built
        .iter()
        .map(|(case, program)| Job { samples: false, limit: LIMIT, ..case.job(*program) })
        .collect();
    for ((case, _), answer) in built.iter().zip(programs.answers(&jobs)) {
        if answer.get("run").is_none() {
            failures.push((case.name.clone(), serq_tests::compare::clipped(&answer)));
            continue;
        }
        let answer = Answer(answer);
        for quantity in case.want["quantities"].as_array().into_iter().flatten() {
            let text = |key: &str| quantity[key].as_str().unwrap_or_default();
            let (kind, name, statistic) = (text("kind"), text("name"), text("stat"));
            let got = match kind {
                "observe" => answer.observe(name, statistic),
                "gauge" => answer.gauge(name, statistic),
                "pool" => answer.pool(name, None, statistic),
                "stage" => answer.stage(name, None, statistic),
                _ => answer.run(statistic),
            };
            let want = quantity["value"].as_f64().unwrap_or(f64::NAN);
            let tolerance = quantity["tolerance"].as_f64().unwrap_or(0.0);
            let within = (got - want).abs() <= tolerance;
            if !within {
                failures.push((
                    case.name.clone(),
                    format!("{kind} {name} {statistic}: {got}, want {want} ± {tolerance}"),
                ));
            }
        }
    }
    corpus::assert_none(cases.len(), &failures);
}
