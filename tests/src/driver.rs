//! The main loop of a test binary: jobs in on standard input, answers out on standard output.
//!
//! This file is compiled twice: here, so that it is checked like any other, and as a module of every crate that
//! [`batch`](crate::batch) writes. One line of JSON in is one run; one line out is its report, or an object with
//! `where` (`link`: a check of constants failed; `run`: the run stopped) and the place. A run that takes longer than
//! its limit is given up and answered by `{"hang": seconds}`, one that panics by `{"panic": message}`.

use serde_json::{Value, json};
use serq_runtime::prelude::*;
use std::{
    io::Read,
    sync::{Mutex, atomic::AtomicUsize, atomic::Ordering, mpsc},
    thread,
    time::Duration,
};

/// What one run is asked for; `None` is what the program says.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// Index of the program in its crate.
    pub program: usize,
    /// Values of `let`s.
    pub sets: Vec<(String, f64)>,
    /// Seed.
    pub seed: Option<u64>,
    /// Seconds.
    pub horizon: Option<f64>,
    /// Seconds.
    pub warmup: Option<f64>,
    /// Sessions after which arrivals stop.
    pub arrivals: Option<u64>,
    /// Keep samples and points.
    pub samples: bool,
    /// Negative work is an error.
    pub strict: bool,
    /// One event per iteration.
    pub plain: bool,
    /// Seconds of real time after which the run is given up.
    pub limit: f64,
}

impl Job {
    /// As a line for the driver.
    pub fn to_json(&self) -> Value {
        json!({
            "program": self.program, "sets": self.sets, "seed": self.seed, "horizon": self.horizon,
            "warmup": self.warmup, "arrivals": self.arrivals, "samples": self.samples, "strict": self.strict,
            "plain": self.plain, "limit": self.limit,
        })
    }

    /// From a line of [`Job::to_json`].
    fn from_json(line: &Value) -> Job {
        let sets = line["sets"].as_array().into_iter().flatten();
        Job {
            program: line["program"].as_u64().unwrap_or(0) as usize,
            sets: sets
                .filter_map(|pair| Some((pair[0].as_str()?.to_owned(), pair[1].as_f64()?)))
                .collect(),
            seed: line["seed"].as_u64(),
            horizon: line["horizon"].as_f64(),
            warmup: line["warmup"].as_f64(),
            arrivals: line["arrivals"].as_u64(),
            samples: line["samples"] == true,
            strict: line["strict"] == true,
            plain: line["plain"] == true,
            limit: line["limit"].as_f64().unwrap_or(20.0),
        }
    }
}

/// Runs one job of program `W` and returns the answer as one line of JSON.
pub fn run<W: World>(job: &Job) -> String {
    let values = match values::<W>(&job.sets) {
        Ok(values) => values,
        Err(unknown) => {
            return json!({"where": "link", "message": format!("no `let` is named `{unknown}`")})
                .to_string();
        }
    };
    let defaults = W::run_defaults(&values);
    let Some(horizon) = job.horizon.or(defaults.horizon) else {
        return json!({"where": "run", "message": "no horizon"}).to_string();
    };
    let settings = Settings {
        seed: job.seed.or(defaults.seed.map(|s| s as u64)).unwrap_or(1),
        horizon,
        warmup: job.warmup.or(defaults.warmup).unwrap_or(0.0),
        arrivals: job.arrivals.or(defaults.arrivals.map(|n| n as u64)),
        samples: job.samples,
        strict: job.strict,
        plain_engine: job.plain,
    };
    match simulate::<W>(&values, &settings) {
        Ok(report) => match &report.fault {
            None => line(&report),
            Some(fault) => json!({
                "where": "run", "line": fault.line, "col": fault.col, "message": fault.message,
                "session": fault.session, "turn": fault.turn, "time": fault.time,
            })
            .to_string(),
        },
        Err(refusals) => {
            let first = &refusals[0];
            let site = &W::SITES[first.site as usize];
            json!({"where": "link", "line": site.line, "col": site.col, "message": first.message})
                .to_string()
        }
    }
}

/// A report as one line of JSON.
fn line(report: &SeedReport) -> String {
    let mut bytes = Vec::new();
    match serq_runtime::report::json::write_line(&mut bytes, report, &[]) {
        Ok(()) => String::from_utf8_lossy(&bytes).trim_end().to_owned(),
        Err(error) => json!({"panic": error.to_string()}).to_string(),
    }
}

/// The value of every `let`, with `sets` in place of what the program says.
fn values<W: World>(sets: &[(String, f64)]) -> Result<Vec<f64>, String> {
    let mut known = vec![None; W::PARAMS.len()];
    for (name, value) in sets {
        match W::PARAMS.iter().position(|param| param.name == name) {
            Some(i) => known[i] = Some(*value),
            None => return Err(name.clone()),
        }
    }
    Ok((0..known.len()).map(|i| value::<W>(i, &mut known)).collect())
}

fn value<W: World>(i: usize, known: &mut Vec<Option<f64>>) -> f64 {
    if let Some(value) = known[i] {
        return value;
    }
    let found = W::param(i, &mut |j| value::<W>(j, known));
    known[i] = Some(found);
    found
}

/// Answers every job of standard input, in order, `programs[i]` running those of program `i`.
pub fn main(programs: &'static [fn(&Job) -> String]) {
    let mut text = String::new();
    if std::io::stdin().read_to_string(&mut text).is_err() {
        return;
    }
    let parsed =
        text.lines().map(|line| serde_json::from_str(line).map(|line| Job::from_json(&line)));
    let jobs: Vec<Job> = parsed.map(Result::unwrap_or_default).collect();
    let threads: usize =
        std::env::var("SERQ_TEST_JOBS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(vec![String::new(); jobs.len()]);
    thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(at) else { return };
                    let answer = watched(programs, job.clone());
                    if let Ok(mut answers) = answers.lock() {
                        answers[at] = answer;
                    }
                }
            });
        }
    });
    for answer in answers.into_inner().unwrap_or_default() {
        println!("{answer}");
    }
    // A run that was given up may still be going: end with the process.
    std::process::exit(0);
}

/// Runs one job in a thread of its own, so that neither a panic nor an endless loop takes the others along.
fn watched(programs: &'static [fn(&Job) -> String], job: Job) -> String {
    let (send, receive) = mpsc::channel();
    let limit = job.limit;
    let runner = thread::spawn(move || {
        let answer = programs
            .get(job.program)
            .map_or_else(|| json!({"panic": "no such program"}).to_string(), |run| run(&job));
        // Nobody listens any more when the run was given up.
        let _ = send.send(answer);
    });
    match receive.recv_timeout(Duration::from_secs_f64(limit)) {
        Ok(answer) => answer,
        Err(mpsc::RecvTimeoutError::Timeout) => json!({"hang": limit}).to_string(),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            let payload = runner.join().err();
            let text = payload.as_ref().and_then(|p| p.downcast_ref::<String>().cloned());
            let text = text.or_else(|| {
                payload.as_ref().and_then(|p| p.downcast_ref::<&str>().map(|s| s.to_string()))
            });
            json!({"panic": text.unwrap_or_default()}).to_string()
        }
    }
}
