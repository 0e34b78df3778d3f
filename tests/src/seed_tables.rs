//! The two tables that `llmd_nixl_pull.sq` was published with, and how far ours may be: the published program, and the
//! example that has gone on from it.
//!
//! Every figure is a median over seeds 1 to 20 of a run of 10,000 s with 1,000 s of warm-up. Two independent
//! implementations gave the published figures and a second set; both are here where both are known. See
//! `ref/README.md` for where they come from.

use crate::{
    answer::Answer,
    batch::{Batch, Build, Job},
    compile,
    theory::median,
};
use std::time::Duration;

/// A setting of the program and what it is known to give. Times in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Uncached tokens from which a prefill is remote.
    pub thr: f64,
    /// KV blocks of a decode pod.
    pub blocks: f64,
    /// Sessions per second.
    pub lambda: f64,
    /// Share of remote prefills, percent.
    pub remote: f64,
    /// Mean time to the first token, in each known set of figures.
    pub ttft: &'static [f64],
    /// Mean response, in each known set of figures; empty where none was published.
    pub response: &'static [f64],
    /// Mean lease, where it was published.
    pub lease: Option<f64>,
    /// Mean tokens allocated per prefill pod, where it was published.
    pub prefill_memory: Option<f64>,
}

const fn decider(thr: f64, remote: f64, ttft: &'static [f64], response: &'static [f64]) -> Setting {
    Setting {
        thr,
        blocks: 10_000.0,
        lambda: 0.6,
        remote,
        ttft,
        response,
        lease: None,
        prefill_memory: None,
    }
}

const fn shrinking(
    lambda: f64,
    blocks: f64,
    remote: f64,
    lease: f64,
    memory: f64,
    ttft: &'static [f64],
) -> Setting {
    let (lease, prefill_memory) = (Some(lease), Some(memory));
    Setting { thr: 512.0, blocks, lambda, remote, ttft, response: &[], lease, prefill_memory }
}

/// The first table: when a prefill is remote.
pub const DECIDER: [Setting; 4] = [
    decider(1.0, 100.0, &[29.5, 29.4], &[72.1, 72.3]),
    decider(512.0, 59.0, &[28.7, 28.8], &[71.3, 71.5]),
    decider(2048.0, 22.0, &[29.0, 29.4], &[71.8, 72.4]),
    decider(1e18, 0.0, &[29.4, 29.9], &[73.8, 74.7]),
];

/// The second table: decode pods of less and less memory, at two loads.
pub const MEMORY: [Setting; 6] = [
    shrinking(0.6, 10_000.0, 59.0, 13.0, 435.0, &[28.7]),
    shrinking(0.6, 2_000.0, 86.0, 33.0, 944.0, &[49.1]),
    shrinking(0.6, 1_100.0, 92.0, 37.0, 1_079.0, &[54.7]),
    shrinking(1.2, 10_000.0, 72.0, 25.0, 1_650.0, &[47.8]),
    shrinking(1.2, 2_000.0, 93.0, 42.0, 2_728.0, &[70.7]),
    shrinking(1.2, 1_100.0, 96.0, 49.0, 3_046.0, &[78.4]),
];

/// What was measured at a setting: medians over the seeds, times in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// The setting.
    pub setting: Setting,
    /// Percent.
    pub remote: f64,
    /// Mean time to the first token.
    pub ttft: f64,
    /// Least and greatest over the seeds.
    pub ttft_range: (f64, f64),
    /// Mean response.
    pub response: f64,
    /// Mean lease; NaN when nothing was remote.
    pub lease: f64,
    /// Tokens allocated, mean over time and prefill pods.
    pub prefill_memory: f64,
}

/// How long to run.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    /// Seconds.
    pub horizon: f64,
    /// Seconds.
    pub warmup: f64,
    /// Seeds `1..=seeds`.
    pub seeds: u64,
}

/// The length of the published tables.
pub const PUBLISHED: Length = Length { horizon: 10_000.0, warmup: 1_000.0, seeds: 20 };

/// What the tables must hold for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The program as it was published.
    Published,
    /// The example, which has vLLM's rules for preempted and parked requests besides.
    Example,
}

/// All of them.
pub const SUBJECTS: [Subject; 2] = [Subject::Published, Subject::Example];

impl Subject {
    /// Where its program is, from the project's folder.
    pub fn file(self) -> &'static str {
        match self {
            Subject::Published => "tests/data/seed/examples/pd-disaggregation/llmd_nixl_pull.sq",
            Subject::Example => "examples/pd-disaggregation/llmd_nixl_pull.sq",
        }
    }
}

/// Runs the settings.
///
/// # Errors
/// The program does not compile, build or run.
pub fn measure(
    subject: Subject,
    settings: &[Setting],
    length: Length,
) -> Result<Vec<Measured>, String> {
    let path = compile::project().join(subject.file());
    let name = match subject {
        Subject::Published => "seed-tables-published",
        Subject::Example => "seed-tables",
    };
    let mut batch = Batch::new(name, Build::Fast);
    batch.add(compile::module(&path).map_err(|problem| format!("{problem:?}"))?);
    let built = batch.build()?;
    let mut jobs = Vec::new();
    for setting in settings {
        let sets = [("thr", setting.thr), ("blocksD", setting.blocks), ("Lambda", setting.lambda)];
        let sets = sets.map(|(name, value)| (name.to_owned(), value)).to_vec();
        jobs.extend((1..=length.seeds).map(|seed| Job {
            sets: sets.clone(),
            seed: Some(seed),
            horizon: Some(length.horizon),
            warmup: Some(length.warmup),
            limit: Duration::from_secs(600),
            ..Job::default()
        }));
    }
    let answers: Vec<Answer> = built.answers(&jobs).into_iter().map(Answer).collect();
    if let Some(failed) = answers.iter().find(|answer| answer.0.get("run").is_none()) {
        return Err(failed.0.to_string());
    }
    let per_setting = answers.chunks(length.seeds as usize);
    Ok(settings.iter().zip(per_setting).map(|(setting, runs)| summary(*setting, runs)).collect())
}

fn summary(setting: Setting, runs: &[Answer]) -> Measured {
    let over_seeds = |value: &dyn Fn(&Answer) -> f64| runs.iter().map(value).collect::<Vec<f64>>();
    let mean =
        |name: &'static str, scale: f64| move |run: &Answer| scale * run.observe(name, "mean");
    let ttft = over_seeds(&mean("ttft", 1e3));
    let lease = |run: &Answer| {
        if run.observe("lease", "count") > 0.0 {
            1e3 * run.observe("lease", "mean")
        } else {
            f64::NAN
        }
    };
    let memory =
        |run: &Answer| (0..2).map(|i| run.pool("P.kv", Some(i), "mean_used")).sum::<f64>() / 2.0;
    Measured {
        setting,
        remote: median(&over_seeds(&mean("remote", 1e2))),
        ttft: median(&ttft),
        ttft_range: ttft
            .iter()
            .fold((f64::INFINITY, 0.0), |(low, high), x| (low.min(*x), high.max(*x))),
        response: median(&over_seeds(&mean("response", 1e3))),
        lease: median(&over_seeds(&lease)),
        prefill_memory: median(&over_seeds(&memory)),
    }
}

/// What is off: `relative` is how far a time may be from one of its known figures, `points` the share of remote
/// prefills from its own.
pub fn deviations(rows: &[Measured], relative: f64, points: f64) -> Vec<String> {
    let mut off = Vec::new();
    for row in rows {
        let s = &row.setting;
        let at = format!("thr {} blocksD {} Lambda {}", s.thr, s.blocks, s.lambda);
        // The published shares are whole percents.
        if (row.remote - s.remote).abs() > points + 0.5 {
            off.push(format!("{at}: remote {:.1} %, want {}", row.remote, s.remote));
        }
        // Published in whole milliseconds.
        if let Some(lease) =
            s.lease.filter(|lease| (row.lease - lease).abs() > relative * lease + 0.5)
        {
            off.push(format!("{at}: lease {:.2} ms, want {lease}", row.lease));
        }
        let mut time = |name: &str, got: f64, known: &[f64]| {
            if !known.is_empty() && !known.iter().any(|want| (got - want).abs() <= relative * want)
            {
                off.push(format!(
                    "{at}: {name} {got:.2}, want one of {known:?} within {:.0} %",
                    100.0 * relative
                ));
            }
        };
        time("TTFT (ms)", row.ttft, s.ttft);
        time("response (ms)", row.response, s.response);
        // One run of 10,000 s strays by 3.5 % (100 runs: 443 tokens, deviation 15.6, where 435 was published), and
        // the seeds behind the published figure shared most of their sessions, so it strays as one run does.
        let far = |memory: &f64| (row.prefill_memory - memory).abs() > 2.0 * relative * memory;
        if let Some(memory) = s.prefill_memory.filter(far) {
            off.push(format!("{at}: prefill memory {:.0}, want {memory}", row.prefill_memory));
        }
    }
    off
}

/// The comparisons that the tables are there for, in the order of [`DECIDER`] and [`MEMORY`].
pub fn broken_comparisons(decider: &[Measured], memory: &[Measured]) -> Vec<String> {
    let mut broken = Vec::new();
    let mut holds = |said: &str, is: bool| {
        if !is {
            broken.push(said.to_owned());
        }
    };
    holds("thr 512 has a lower TTFT than always", decider[1].ttft < decider[0].ttft);
    holds("thr 512 has a lower TTFT than never", decider[1].ttft < decider[3].ttft);
    holds("thr 512 has a lower response than always", decider[1].response < decider[0].response);
    holds("thr 512 has a lower response than never", decider[1].response < decider[3].response);
    for load in memory.chunks(3) {
        for pair in load.windows(2) {
            let at = format!(
                "at Lambda {} from {} to {} blocks",
                pair[0].setting.lambda, pair[0].setting.blocks, pair[1].setting.blocks
            );
            holds(&format!("the lease grows {at}"), pair[0].lease < pair[1].lease);
            holds(
                &format!("prefill memory grows {at}"),
                pair[0].prefill_memory < pair[1].prefill_memory,
            );
            holds(&format!("TTFT grows {at}"), pair[0].ttft < pair[1].ttft);
        }
    }
    broken
}
