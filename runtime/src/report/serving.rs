//! A run in the terms of those who serve models: requests and tokens per second, and goodput.
//!
//! In: rows of a report, and the values of single requests where a limit was given. Out: [`Serving`], and
//! the object that `vllm bench serve --save-result` writes, under its names (`vllm/benchmarks/serve.py`).
//! What a request's times are called is the program's affair; these names are known:
//!
//! | metric | observation |
//! |---|---|
//! | TTFT | `ttft` |
//! | TPOT | `tpot` |
//! | end to end | `response`, `e2el`, `e2e` or `latency` |
//! | tokens | `input_tokens` or `prompt_tokens`, and `output_tokens` |

use super::{ObserveRow, Sample, SeedReport};
use crate::stats::GapHistogram;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::io;

const TTFT: &[&str] = &["ttft"];
const TPOT: &[&str] = &["tpot"];
const E2EL: &[&str] = &["response", "e2el", "e2e", "latency"];
const INPUT: &[&str] = &["input_tokens", "prompt_tokens"];
const OUTPUT: &[&str] = &["output_tokens"];

/// A limit on an observation of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The observation's name.
    pub observe: String,
    /// The greatest value that is good, in the observation's unit (s).
    pub most: f64,
}

/// Requests of one run, over the measured time.
#[derive(Clone, Debug, PartialEq)]
pub struct Serving {
    /// Measured seconds.
    pub duration: f64,
    /// Requests that began in it: turns, or arrivals of a program without turns.
    pub offered: u64,
    /// Requests that ended in it.
    pub completed: u64,
    /// Prompt tokens: as observed, else those that engines computed.
    pub input_tokens: Option<f64>,
    /// Output tokens: as observed, else those that engines decoded and one at the end of each prefill.
    pub output_tokens: Option<f64>,
    /// Of the offered requests those that ended within every limit; `None` without limits.
    pub good: Option<u64>,
    /// Of the offered requests those that were not answered until the run's end; `None` without limits.
    pub unanswered: Option<u64>,
}

impl Serving {
    /// Good requests per second.
    pub fn goodput(&self) -> Option<f64> {
        self.good.map(|good| good as f64 / self.duration)
    }

    /// The part of the offered requests that is good; `None` of none.
    pub fn attained(&self) -> Option<f64> {
        self.good.filter(|_| self.offered > 0).map(|good| good as f64 / self.offered as f64)
    }
}

/// The name under which a program observes what a limit calls `name`.
pub fn observed<'a>(names: &[&'a str], name: &str) -> Option<&'a str> {
    let own = |name: &str| names.iter().find(|n| **n == name).copied();
    let of_kind = [TTFT, TPOT, E2EL].into_iter().find(|kind| kind.contains(&name));
    own(name).or_else(|| of_kind?.iter().find_map(|name| own(name)))
}

/// Whether a run under these limits needs every value of this observation.
pub(crate) fn keeps(limits: &[Limit], name: &str) -> bool {
    let ends = [TTFT, E2EL].iter().any(|kind| kind.contains(&name));
    !limits.is_empty() && (ends || limits.iter().any(|limit| limit.observe == name))
}

/// The requests of a run; `None` of a program that observes none of their times. `arrived`: sessions that
/// arrived in the measured time.
pub(crate) fn of_run(report: &SeedReport, arrived: u64, limits: &[Limit]) -> Option<Serving> {
    let ends = row(report, E2EL).or(row(report, TTFT))?;
    let run = &report.run;
    let offered = if run.turns > 0 { run.turns } else { arrived };
    let judged = (!limits.is_empty()).then(|| judge(report, ends, limits));
    let good = judged.map(|j| j.good.min(offered));
    let total = |kind: &[&str]| row(report, kind).and_then(|o| Some(o.mean? * o.count as f64));
    let engines = report.stages.iter().filter(|s| s.iterations > 0);
    let (prefill, decode) = engines.fold((None, None), |(p, d): (Option<f64>, Option<f64>), s| {
        (Some(p.unwrap_or(0.0) + s.prefill_tokens), Some(d.unwrap_or(0.0) + s.decode_tokens))
    });
    let firsts = row(report, TTFT).map_or(0, |o| o.count) as f64;
    Some(Serving {
        duration: run.end - run.warmup,
        offered,
        completed: ends.count,
        input_tokens: total(INPUT).or(prefill),
        output_tokens: total(OUTPUT).or(decode.map(|d| d + firsts)),
        good,
        unanswered: judged.map(|j| offered.saturating_sub(j.began)),
    })
}

fn row<'a>(report: &'a SeedReport, kind: &[&str]) -> Option<&'a ObserveRow> {
    kind.iter().find_map(|name| report.observes.iter().find(|o| o.name == *name))
}

/// Requests that began and ended in the measured time, and those of them within the limits.
#[derive(Clone, Copy)]
struct Judged {
    began: u64,
    good: u64,
}

/// Holds each request that ended against the limits. Its values are those that its session observed after
/// the request before it had ended, until it ended itself.
fn judge(report: &SeedReport, ends: &ObserveRow, limits: &[Limit]) -> Judged {
    let whole = E2EL.contains(&ends.name.as_str());
    let requests = by_session(ends);
    let limited: Vec<(&Limit, Vec<Sample>)> = limits
        .iter()
        .filter_map(|l| {
            Some((l, by_session(report.observes.iter().find(|o| o.name == l.observe)?)))
        })
        .collect();
    let mut next = vec![0; limited.len()];
    let mut judged = Judged { began: 0, good: 0 };
    for &(time, session, _, value) in &requests {
        let began = if whole { time - value } else { time };
        let mut good = true;
        for ((limit, values), next) in limited.iter().zip(&mut next) {
            good &= within(limit, values, next, session, time);
        }
        if began >= report.run.warmup {
            judged.began += 1;
            judged.good += u64::from(good);
        }
    }
    judged
}

/// Takes the session's values up to `time`; whether all are within the limit. A request without any is
/// none that kept it, but for the time per further token: it had only one.
fn within(limit: &Limit, values: &[Sample], next: &mut usize, session: u64, time: f64) -> bool {
    let mut good = TPOT.contains(&limit.observe.as_str());
    let mut seen = false;
    while let Some(v) = values.get(*next).filter(|v| (v.1, v.0) <= (session, time)) {
        if v.1 == session {
            good = (good || !seen) && v.3 <= limit.most;
            seen = true;
        }
        *next += 1;
    }
    good
}

/// Kept values by session, then by time.
fn by_session(row: &ObserveRow) -> Vec<Sample> {
    let mut values = row.kept.clone().unwrap_or_default();
    values.sort_by_key(|v| v.1);
    values
}

/// Writes a run as the object of `vllm bench serve`, as one line. What the program does not observe is null.
///
/// # Errors
/// When `out` cannot be written to.
pub fn write_vllm(out: &mut dyn io::Write, report: &SeedReport) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Vllm(report))?;
    out.write_all(b"\n")
}

struct Vllm<'a>(&'a SeedReport);

/// Mean, median, deviation and quantiles of one time, in seconds.
#[derive(Default)]
struct Times {
    mean: Option<f64>,
    median: Option<f64>,
    std: Option<f64>,
    quantiles: [Option<f64>; 3],
}

impl Times {
    fn observed(row: Option<&ObserveRow>) -> Self {
        let Some(o) = row else { return Self::default() };
        let n = o.count as f64;
        // Over n, as numpy has it, where cv² is over n - 1.
        let std = o.cv2.zip(o.mean).map(|(c, m)| (c * m * m * (n - 1.0) / n).sqrt());
        let std = std.or(o.mean.filter(|_| o.count == 1).map(|_| 0.0));
        Self { mean: o.mean, median: o.p50, std, quantiles: [o.p90, o.p95, o.p99] }
    }

    fn gaps(gaps: &GapHistogram) -> Self {
        let q = |q| gaps.quantile(q);
        let quantiles = [q(0.90), q(0.95), q(0.99)];
        Self { mean: gaps.mean(), median: q(0.5), std: gaps.deviation(), quantiles }
    }

    fn write<M: SerializeMap>(&self, m: &mut M, name: &str) -> Result<(), M::Error> {
        let milli = |x: Option<f64>| x.map(|x| x * 1e3);
        m.serialize_entry(&format!("mean_{name}_ms"), &milli(self.mean))?;
        m.serialize_entry(&format!("median_{name}_ms"), &milli(self.median))?;
        m.serialize_entry(&format!("std_{name}_ms"), &milli(self.std))?;
        for (p, x) in ["p90", "p95", "p99"].into_iter().zip(self.quantiles) {
            m.serialize_entry(&format!("{p}_{name}_ms"), &milli(x))?;
        }
        Ok(())
    }
}

impl Serialize for Vllm<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let Self(r) = self;
        let v = r.serving.as_ref();
        let per = |x: Option<f64>| x.zip(v).map(|(x, v)| x / v.duration);
        let (input, output) = (v.and_then(|v| v.input_tokens), v.and_then(|v| v.output_tokens));
        let completed = v.map(|v| v.completed);
        let mut gaps = GapHistogram::new();
        r.stages.iter().for_each(|stage| gaps.merge(&stage.gaps));
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("backend", "serqc")?;
        m.serialize_entry("model_id", &r.program)?;
        m.serialize_entry("seed", &r.run.seed)?;
        m.serialize_entry("duration", &v.map(|v| v.duration))?;
        m.serialize_entry("num_prompts", &v.map(|v| v.offered))?;
        m.serialize_entry("completed", &completed)?;
        m.serialize_entry("total_input_tokens", &input)?;
        m.serialize_entry("total_output_tokens", &output)?;
        m.serialize_entry("request_throughput", &per(completed.map(|n| n as f64)))?;
        m.serialize_entry("request_goodput", &v.and_then(Serving::goodput))?;
        m.serialize_entry("output_throughput", &per(output))?;
        let all = input.zip(output).map(|(i, o)| i + o);
        m.serialize_entry("total_token_throughput", &per(all))?;
        Times::observed(row(r, TTFT)).write(&mut m, "ttft")?;
        Times::observed(row(r, TPOT)).write(&mut m, "tpot")?;
        Times::gaps(&gaps).write(&mut m, "itl")?;
        Times::observed(row(r, E2EL)).write(&mut m, "e2el")?;
        m.end()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::sample::report, *};
    use serde_json::Value;

    fn kept(r: &mut SeedReport, name: &str, values: &[Sample]) {
        let mut row = r.observes[0].clone();
        (row.name, row.count, row.kept) = (name.into(), values.len() as u64, Some(values.to_vec()));
        r.observes.retain(|o| o.name != name);
        r.observes.push(row);
    }

    fn limits(all: &[(&str, f64)]) -> Vec<Limit> {
        all.iter().map(|(n, most)| Limit { observe: (*n).into(), most: *most }).collect()
    }

    /// Two sessions of two requests each; the first request of session 7 began before the warm-up at 100.
    fn requests() -> SeedReport {
        let mut r = report(1, false);
        (r.run.turns, r.run.warmup) = (5, 100.0);
        kept(
            &mut r,
            "ttft",
            &[(102.0, 7, 1, 0.1), (103.0, 3, 1, 0.3), (108.0, 7, 2, 0.1), (109.0, 3, 2, 0.1)],
        );
        kept(&mut r, "tpot", &[(102.0, 7, 1, 0.01), (103.0, 3, 1, 0.01), (109.0, 3, 2, 0.09)]);
        kept(
            &mut r,
            "response",
            &[(102.0, 7, 1, 4.0), (103.0, 3, 1, 1.0), (108.0, 7, 2, 1.0), (109.0, 3, 2, 2.0)],
        );
        r
    }

    #[test]
    fn a_request_is_good_when_it_began_measured_and_keeps_every_limit() {
        let good = |l: &[(&str, f64)]| {
            let s = of_run(&requests(), 0, &limits(l)).unwrap();
            (s.good.unwrap(), s.offered, s.unanswered.unwrap())
        };
        assert_eq!(good(&[("response", 9.0)]), (3, 5, 2), "that of before the warm-up is none");
        assert_eq!(good(&[("ttft", 0.2)]), (2, 5, 2));
        assert_eq!(
            good(&[("ttft", 0.2), ("tpot", 0.05)]),
            (1, 5, 2),
            "without a second token: kept"
        );
        assert_eq!(good(&[("ttft", 0.05)]), (0, 5, 2));
    }

    #[test]
    fn a_request_without_the_value_misses_the_limit() {
        let mut r = requests();
        kept(&mut r, "lease", &[(103.0, 3, 1, 0.1)]);
        let s = of_run(&r, 0, &limits(&[("lease", 1.0)])).unwrap();
        assert_eq!(s.good, Some(1));
        assert_eq!(s.attained(), Some(0.2));
    }

    #[test]
    fn limits_know_the_names_of_others() {
        let names = ["ttft", "latency", "lease"];
        assert_eq!(observed(&names, "e2el"), Some("latency"));
        assert_eq!(observed(&names, "lease"), Some("lease"));
        assert_eq!((observed(&names, "tpot"), observed(&names, "x")), (None, None));
    }

    #[test]
    fn the_object_has_the_names_of_vllm() {
        let mut r = requests();
        r.serving = of_run(&r, 0, &limits(&[("ttft", 0.2)]));
        let mut out = Vec::new();
        write_vllm(&mut out, &r).unwrap();
        let v: Value = serde_json::from_slice(&out).unwrap();
        let rate = |name: &str| v[name].as_f64().unwrap() * v["duration"].as_f64().unwrap();
        assert!((rate("request_throughput") - v["completed"].as_f64().unwrap()).abs() < 1e-9);
        assert!((rate("request_goodput") - 2.0).abs() < 1e-9);
        assert!(
            (v["mean_ttft_ms"].as_f64().unwrap() - 1e3 * row(&r, TTFT).unwrap().mean.unwrap())
                .abs()
                < 1e-9
        );
        for name in
            ["median_itl_ms", "std_itl_ms", "p99_tpot_ms", "std_e2el_ms", "total_token_throughput"]
        {
            assert!(v[name].is_f64(), "{name}: {v}");
        }
    }

    #[test]
    fn a_program_without_requests_has_none() {
        let mut r = report(1, false);
        r.observes.retain(|o| o.name != "ttft");
        assert_eq!(of_run(&r, 0, &[]), None);
    }
}
