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
    ("decoder_dies", &[("dies", 80.0), ("Lambda", 3.0)]),
    ("documents_replay", &[("affinity", 1.0)]),
    ("documents_replay", &[("blocks", 1000.0)]),
    ("offload", &[("offload", 0.0)]),
    ("priority", &[("policy", 0.0)]),
    ("priority", &[("policy", 2.0)]),
    ("priority", &[("policy", 3.0)]),
    ("read_back", &[("back", 0.0)]),
    ("routing", &[("policy", 0.0)]),
    ("routing", &[("policy", 1.0)]),
    ("routing", &[("policy", 2.0)]),
    ("routing", &[("policy", 3.0)]),
    ("shared_prompts", &[("alike", 0.0)]),
    ("shared_prompts", &[("policy", 0.0)]),
    ("shared_prompts", &[("policy", 1.0)]),
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

/// What `docs/kv-transfer.md` says of the modes: dispatched in sequence they have one lifecycle, whether that is written
/// as one session's statements or as a leg that is joined at once.
#[test]
fn push_without_a_notification_gives_the_numbers_of_pull() {
    let mut batch = Batch::new("transfer-modes", Build::Fast);
    for name in ["llmd_nixl_pull", "nixl_push_serial", "vllm_nixl_push"] {
        let path = compile::project().join(format!("examples/pd-disaggregation/{name}.sq"));
        let module = compile::module(&path).unwrap_or_else(|problem| panic!("{name}: {problem:?}"));
        batch.add(module);
    }
    let built = batch.build().unwrap_or_else(|error| panic!("{error}"));
    for (seed, thr, blocks) in [(1, 512.0, 10_000.0), (2, 1.0, 1_100.0), (3, 512.0, 1_100.0)] {
        let job = |program, own: &[(&str, f64)]| {
            let sets = own.iter().map(|(name, value)| ((*name).to_owned(), *value));
            let both = [("thr".to_owned(), thr), ("blocksD".to_owned(), blocks)];
            Job {
                program,
                sets: sets.chain(both).collect(),
                seed: Some(seed),
                horizon: Some(HORIZON),
                warmup: Some(WARMUP),
                samples: true,
                limit: Duration::from_secs(120),
                ..Job::default()
            }
        };
        let (late, serial) = (("x_reg", 0.02), ("concurrent", 0.0));
        let jobs = [
            job(0, &[]),
            job(1, &[("x_reg", 0.0)]),
            job(1, &[late]),
            job(2, &[late, serial]),
            job(2, &[late]),
        ];
        let answers = built.answers(&jobs);
        for observed in ["ttft", "response", "remote", "copy"] {
            let [sessions, joined, legs] = [2, 3, 4].map(|i| &answers[i]["observes"][observed]);
            assert_eq!(sessions, joined, "{observed}: a leg that is joined at once");
            assert!(joined != legs, "{observed}: legs at once");
        }
        for observed in ["ttft", "response", "remote", "lease"] {
            let [pull, push, later] = [0, 1, 2].map(|i| &answers[i]["observes"][observed]);
            assert!(pull["count"].as_u64() > Some(100), "{observed}: {pull}");
            assert_eq!(pull, push, "{observed}");
            assert!(
                observed == "remote" || pull != later,
                "{observed}: the notification takes time"
            );
        }
    }
}

/// What `tensor_parallel_reads.sq` says of one read: x0 and n / Bw over the ranks of the narrower pod.
#[test]
fn a_read_alone_takes_the_narrower_pods_nics() {
    let path = compile::project().join("examples/pd-disaggregation/tensor_parallel_reads.sq");
    let module = compile::module(&path).unwrap_or_else(|problem| panic!("{problem:?}"));
    let mut batch = Batch::new("ranks", Build::Fast);
    let program = batch.add(module);
    let widths = [(1.0, 1.0), (4.0, 4.0), (4.0, 2.0), (2.0, 4.0), (8.0, 1.0)];
    let jobs: Vec<Job> = widths
        .iter()
        .map(|(p, d)| Job {
            program,
            // Each is alone.
            sets: [("kP", *p), ("kD", *d), ("gap", 5.0)].map(|(k, v)| (k.to_owned(), v)).into(),
            limit: Duration::from_secs(120),
            ..Job::default()
        })
        .collect();
    let built = batch.build().unwrap_or_else(|error| panic!("{error}"));
    for ((p, d), answer) in widths.iter().zip(built.answers(&jobs)) {
        let read = &answer["observes"]["read"];
        for (said, tokens) in [("min", 2000.0), ("max", 6000.0)] {
            let want = 0.002 + tokens / 5e4 / f64::min(*p, *d);
            let got = read[said].as_f64().unwrap_or(f64::NAN);
            assert!((got - want).abs() < 1e-9, "{p} and {d}: {got}, not {want}");
        }
    }
}
