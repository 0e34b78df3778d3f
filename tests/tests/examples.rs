//! Every example, briefly: it compiles without a word, is laid out in the standard way, runs, and answers with numbers
//! that make sense.

use serde_json::Value;
use serq_compiler::{resolve, syntax};
use serq_tests::{
    batch::{Batch, Build, Job},
    compare,
    compile::{self, Files},
    examples,
};
use std::{fs, time::Duration};

/// Simulated seconds, of which [`WARMUP`] are not measured.
const HORIZON: f64 = 400.0;
const WARMUP: f64 = 40.0;

/// Settings under which an example is run as well, as some of it is not reached otherwise.
const ALSO: &[(&str, &[(&str, f64)])] = &[
    ("offload", &[("offload", 0.0)]),
    ("priority", &[("policy", 0.0)]),
    ("priority", &[("policy", 2.0)]),
    ("priority", &[("policy", 3.0)]),
    ("routing", &[("policy", 0.0)]),
    ("routing", &[("policy", 1.0)]),
    ("routing", &[("policy", 2.0)]),
    ("routing", &[("policy", 3.0)]),
    ("vllm", &[("blocks", 2000.0)]),
    ("vllm_replay", &[("blocks", 4000.0)]),
    ("vllm_single", &[("blocks", 2600.0)]),
];

#[test]
fn they_compile_without_a_warning() {
    for (name, path) in examples::all() {
        match resolve::resolve(&Files::default(), &path.to_string_lossy(), &[]) {
            Ok((_, warnings)) => assert!(warnings.is_empty(), "{name}: {warnings:?}"),
            Err(failure) => panic!("{name}: {:?}", failure.diagnostics),
        }
    }
}

#[test]
fn they_are_laid_out_in_the_standard_way() {
    for (name, path) in examples::all() {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let text = text.replace("\r\n", "\n");
        let laid_out =
            syntax::format(&text).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        assert_eq!(compare::texts(&laid_out, &text), None, "{name}");
    }
}

#[test]
fn they_say_what_they_model_and_give_a_command() {
    for (name, path) in examples::all() {
        let text = fs::read_to_string(&path).unwrap_or_default();
        let header = text.lines().take_while(|line| line.starts_with("//")).count();
        assert!(header >= 4, "{name}: a header of {header} lines");
    }
}

#[test]
fn they_run_and_every_observation_has_values() {
    let mut batch = Batch::new("examples", Build::Fast);
    let mut jobs: Vec<(&str, Job)> = Vec::new();
    let all = examples::all();
    for (name, path) in &all {
        let module = compile::module(path).unwrap_or_else(|problem| panic!("{name}: {problem:?}"));
        let program = batch.add(module);
        let settings = ALSO.iter().filter(|(of, _)| of == name).map(|(_, sets)| *sets);
        for sets in settings.chain([&[][..]]) {
            for seed in [1, 2] {
                let sets = sets.iter().map(|(set, value)| ((*set).to_owned(), *value)).collect();
                let job = Job {
                    program,
                    sets,
                    seed: Some(seed),
                    limit: Duration::from_secs(120),
                    ..Job::default()
                };
                // A replay goes on to its last session.
                let ends = name.ends_with("_replay");
                let job = if ends {
                    job
                } else {
                    Job { horizon: Some(HORIZON), warmup: Some(WARMUP), ..job }
                };
                jobs.push((name, job));
            }
        }
    }
    let built = batch.build().unwrap_or_else(|error| panic!("{error}"));
    let answers = built.answers(&jobs.iter().map(|(_, job)| job.clone()).collect::<Vec<_>>());
    for (name, _) in &all {
        let runs = || jobs.iter().zip(&answers).filter(|((of, _), _)| of == name);
        let mut counts: Vec<(String, u64)> = Vec::new();
        for ((_, job), answer) in runs() {
            let place = format!("{name} {:?} seed {:?}", job.sets, job.seed);
            assert!(answer["observes"].is_object(), "{place}: {}", compare::clipped(answer));
            assert!(answer["run"]["arrivals"].as_u64() > Some(0), "{place}: nobody came");
            sensible(answer, &place);
            for (observation, row) in answer["observes"].as_object().into_iter().flatten() {
                let count = row["count"].as_u64().unwrap_or(0);
                match counts.iter_mut().find(|(known, _)| known == observation) {
                    Some((_, sum)) => *sum += count,
                    None => counts.push((observation.clone(), count)),
                }
            }
        }
        assert!(!counts.is_empty(), "{name} observes nothing");
        for (observation, count) in counts {
            assert!(count > 0, "{name}: `{observation}` has no value under any setting");
        }
    }
}

/// No number of an answer is negative or none at all; only a correlation may be below 0.
fn sensible(answer: &Value, place: &str) {
    match answer {
        Value::Number(number) => {
            assert!(number.as_f64().is_some_and(|x| x >= 0.0), "{place}: {number}");
        }
        Value::String(text) => {
            assert!(!["nan", "-inf"].contains(&text.as_str()), "{place}: {text}");
        }
        Value::Array(items) => items.iter().for_each(|item| sensible(item, place)),
        Value::Object(fields) => {
            for (field, value) in fields.iter().filter(|(field, _)| *field != "ci_correlation") {
                sensible(value, &format!("{place} {field}"));
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}
