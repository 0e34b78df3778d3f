//! The floors against queueing theory, and the compiled programs against the floors: both draw from the same streams,
//! so their means are the same but for rounding.

use serq_floors::{FLOORS, Observed, Run, floor};
use serq_tests::{
    answer::Answer,
    batch::{Batch, Build, Job},
    compile, theory,
};
use std::time::Duration;

/// Means of 30 runs by hand, one for each seed, of observation number `which`.
fn replications(name: &str, changed: &[(&str, f64)], horizon: f64, which: usize) -> Vec<f64> {
    let floor = floor(name).unwrap_or_else(|| panic!("no floor `{name}`"));
    let values = floor.values(changed);
    let mean = |seed| {
        let run = Run { horizon, warmup: horizon / 20.0, seed };
        let means = floor.simulate(&values, &run).unwrap_or_else(|why| panic!("{name}: {why}"));
        means[which].mean
    };
    (101..=130).map(mean).collect()
}

/// The theory lies in the 99 % interval of 30 runs, which is narrow.
fn assert_theory(what: &str, runs: &[f64], theory: f64) {
    let (mean, half) = theory::interval(runs);
    assert!((mean - theory).abs() <= half, "{what}: {mean:.5} ± {half:.5} misses {theory:.5}");
    assert!(half <= 0.08 * theory, "{what}: ± {half:.5} is too wide for {theory:.5}");
}

#[test]
fn open_queues_agree_with_theory() {
    let mm1 = theory::mm1_response(0.8, 1.0);
    assert_theory("mm1", &replications("mm1", &[], 2.5e4, 0), mm1);
    let mm16 = theory::mmc_wait(12.8, 1.0, 16) + 1.0;
    assert_theory("mm16", &replications("mm16", &[], 2.5e3, 0), mm16);
    let tandem = 10.0 * theory::mm1_response(0.5, 1.0);
    assert_theory("tandem10", &replications("tandem10", &[], 6e3, 0), tandem);
    assert_theory("ps, constant", &replications("ps", &[], 2.5e4, 0), mm1);
    assert_theory("ps, variable", &replications("ps", &[], 2.5e4, 1), mm1);
}

#[test]
fn the_closed_queue_agrees_with_theory() {
    // Near the knee, where neither the users nor the server alone say the response.
    let closed = theory::closed(64, 0.1, 8.0);
    assert_theory("closed64", &replications("closed64", &[], 5e3, 0), closed.response);
}

#[test]
fn an_engine_of_one_slot_is_a_single_server() {
    // One iteration for the prompt of 500 tokens, one for each token of output: floor(exp(m)) + 1 is geometric on
    // 1, 2, … with 1 - p = exp(-1/m), mean 1/p and variance (1-p)/p².
    let (prompt, output, fixed, token) = (500.0, 20.0, 5e-3, 2e-5);
    let stay = f64::exp(-1.0 / output);
    let (mean, variance) = (1.0 / (1.0 - stay), stay / (1.0 - stay).powi(2));
    let step = fixed + token;
    let service = fixed + token * prompt + mean * step;
    let cv2 = variance * step * step / (service * service);
    let lambda = 0.6 / service;
    let changed = [
        ("slots", 1.0),
        ("Lambda", lambda),
        ("shortest", prompt),
        ("longest", prompt),
        ("output", output),
    ];
    let runs = replications("batching", &changed, 2e3, 1);
    assert_theory("batching", &runs, theory::mg1_wait(lambda, service, cv2) + service);
}

#[test]
fn compiled_programs_give_the_means_of_their_floors() {
    let mut batch = Batch::new("floors", Build::Quick);
    for floor in &FLOORS {
        let path = compile::project().join(floor.program);
        batch.add(compile::module(&path).unwrap_or_else(|why| panic!("{}: {why:?}", floor.name)));
    }
    let built = batch.build().unwrap_or_else(|error| panic!("{error}"));
    let (seed, arrivals) = (7, 4000.0);
    for (program, floor) in FLOORS.iter().enumerate() {
        let rate = floor.values.iter().find(|(name, _)| name.eq_ignore_ascii_case("lambda"));
        let horizon = arrivals / rate.map_or(8.0, |(_, rate)| *rate);
        let run = Run { horizon, warmup: horizon / 10.0, seed };
        let wanted: Vec<Observed> = floor
            .simulate(&floor.values(&[]), &run)
            .unwrap_or_else(|why| panic!("{}: {why}", floor.name));
        let job = Job {
            program,
            sets: floor.values.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
            seed: Some(seed),
            horizon: Some(run.horizon),
            warmup: Some(run.warmup),
            limit: Duration::from_secs(120),
            ..Job::default()
        };
        let answer = Answer(built.answers(&[job]).remove(0));
        for Observed { name, count, mean } in wanted {
            assert!(count > 1000, "{} {name}: only {count}", floor.name);
            assert_eq!(answer.observe(name, "count"), count as f64, "{} {name}", floor.name);
            let got = answer.observe(name, "mean");
            let off = (got / mean - 1.0).abs();
            assert!(off < 1e-9, "{} {name}: {got} compiled, {mean} by hand", floor.name);
        }
    }
}
