//! Verdicts: what makes a run's averages worth nothing, said before any of them.
//!
//! In: the signs of a run, read by `watch.rs`. Out: at most a few verdicts, the gravest kind first, each
//! with the pool or stage that it is about and a time. A sweep asks [`SeedReport::saturated`] whether a
//! rising load has met the deployment's limit.

use super::{
    SeedReport,
    number::{count, exact, number, percent, seconds},
};
use crate::stats::{LOAD_WINDOWS, Transient, grows, transient};
use std::fmt::Write;

/// The codes, which `serqc explain` has pages for.
pub(crate) const UNSTABLE: &str = "S212";
const SHORT_WARMUP: &str = "S213";
const BLOCKED: &str = "S214";
pub(crate) const REJECTS: &str = "S215";

/// The most pools or stages that are named for one kind.
const NAMED: usize = 4;
/// A livelock lasts until the end, for at least this part of the measured time and this many preemptions,
/// and this part of all admissions ends in one.
const STUCK: (f64, u64, f64) = (0.1, 20, 0.95);

/// What is wrong with a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VerdictKind {
    /// Nobody can go on: every session waits for what another one holds.
    Deadlock,
    /// Sessions are admitted and preempted again and again without getting anywhere.
    Livelock,
    /// More comes than is served: a queue grows for as long as the run lasts.
    Unstable,
    /// Sessions end because a pool could never hold what they ask for.
    Rejects,
    /// The measured time begins before the run has settled.
    ShortWarmup,
}

impl VerdictKind {
    /// Its word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Deadlock => "deadlock",
            Self::Livelock => "livelock",
            Self::Unstable => "unstable",
            Self::Rejects => "rejects",
            Self::ShortWarmup => "short_warmup",
        }
    }

    /// The code of its page.
    pub fn code(self) -> &'static str {
        match self {
            Self::Deadlock | Self::Livelock => BLOCKED,
            Self::Unstable => UNSTABLE,
            Self::Rejects => REJECTS,
            Self::ShortWarmup => SHORT_WARMUP,
        }
    }

    /// The deployment does not keep up with its load: more of it can only be worse.
    pub fn saturated(self) -> bool {
        matches!(self, Self::Deadlock | Self::Livelock | Self::Unstable)
    }
}

/// One verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What is wrong.
    pub kind: VerdictKind,
    /// The pool or stage, or the observation, that shows it.
    pub at: String,
    /// Simulated seconds: from when on, or for a warm-up until when.
    pub since: f64,
    /// In words, with its code.
    pub message: String,
}

impl SeedReport {
    /// The verdict that says that the deployment does not keep up with its load, if one does.
    pub fn saturated(&self) -> Option<&Verdict> {
        self.verdicts.iter().find(|v| v.kind.saturated())
    }
}

/// What was seen of a pool.
pub(crate) struct PoolSigns {
    pub at: String,
    /// Growth of its queue would be a verdict.
    pub tells_growth: bool,
    pub tells_rejections: bool,
    /// Its queue's means over the windows.
    pub queue: Vec<f64>,
    /// Sessions in it at the end.
    pub waiting: u64,
    /// Sessions that were preempted without progress since their last preemption, from 0.
    pub stuck: u64,
    /// Admissions and preemptions in each window.
    pub churn: Vec<(u64, u64)>,
    /// Measured, as all that follow.
    pub admissions: u64,
    pub rejected: u64,
    pub rejected_since: Option<f64>,
}

/// What was seen of a stage.
pub(crate) struct StageSigns {
    pub at: String,
    pub tells_growth: bool,
    /// The means of jobs there over the windows.
    pub jobs: Vec<f64>,
    /// Measured.
    pub completed: u64,
    /// Jobs there at the end, and when that number last changed.
    pub present: f64,
    pub changed: f64,
}

/// What was seen of a run that came to its horizon.
pub(crate) struct Signs {
    pub warmup: f64,
    pub end: f64,
    /// Means of live sessions over the windows.
    pub live: Vec<f64>,
    /// Leases that will end.
    pub leases: u64,
    pub pools: Vec<PoolSigns>,
    pub stages: Vec<StageSigns>,
}

impl Signs {
    /// The verdicts, the gravest first.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let mut found: Vec<Verdict> = self.deadlock().into_iter().collect();
        found.extend(shortened(self.pools.iter().filter_map(|p| self.livelock(p)).collect()));
        found.extend(shortened(self.growth()));
        found.extend(shortened(self.pools.iter().filter_map(|p| self.rejections(p)).collect()));
        // A queue that grows, or one that nobody leaves, has no warm-up to be over.
        if !found.iter().any(|v| v.kind.saturated())
            && let Some(t) = transient(&self.live)
        {
            found.push(warm_up("live sessions", t, self.warmup, self.end));
        }
        found
    }

    /// No job is anywhere and no lease will end, so whoever waits does so for ever.
    fn deadlock(&self) -> Option<Verdict> {
        let longest = self.pools.iter().filter(|p| p.waiting > 0).max_by_key(|p| p.waiting)?;
        let still = self.leases == 0 && self.stages.iter().all(|s| s.present == 0.0);
        let since = self.stages.iter().map(|s| s.changed).fold(0.0, f64::max);
        // What just comes free at the end may still be given away.
        (still && since < self.end).then(|| Verdict {
            kind: VerdictKind::Deadlock,
            at: longest.at.clone(),
            since,
            message: format!(
                "deadlock at {}: since t = {} nothing runs anywhere, and {} wait in its queue for what others \
                 hold who wait themselves [{BLOCKED}]",
                longest.at,
                seconds(since),
                sessions(longest.waiting)
            ),
        })
    }

    fn livelock(&self, p: &PoolSigns) -> Option<Verdict> {
        let (lasts, least, part) = STUCK;
        let fruitless = |&&(a, p): &&(u64, u64)| p as f64 >= part * a as f64;
        let all = p.churn.len();
        let from = all - p.churn.iter().rev().take_while(fruitless).count();
        // Windows without any are no part of it.
        let from = from + p.churn[from..].iter().take_while(|c| c.1 == 0).count();
        let preempted: u64 = p.churn[from..].iter().map(|c| c.1).sum();
        let since = self.warmup + from as f64 / all as f64 * (self.end - self.warmup);
        let long = (all - from) as f64 >= lasts * all as f64;
        (p.stuck > 0 && long && preempted >= least).then(|| Verdict {
            kind: VerdictKind::Livelock,
            at: p.at.clone(),
            since,
            message: format!(
                "livelock at {}: since t = {} its sessions are preempted as often as they are admitted, {} times, and \
                 get no further [{BLOCKED}]",
                p.at,
                seconds(since),
                count(preempted)
            ),
        })
    }

    fn growth(&self) -> Vec<Verdict> {
        let pools = self.pools.iter().filter(|p| p.tells_growth);
        let pools = pools.map(|p| (&p.at, &p.queue, p.admissions, "its queue"));
        let stages = self.stages.iter().filter(|s| s.tells_growth);
        let stages = stages.map(|s| (&s.at, &s.jobs, s.completed, "the number of jobs there"));
        let grown = pools.chain(stages).filter_map(|(at, windows, served, what)| {
            let means = coarse(windows)?;
            grows(&means, served).then(|| self.grown(at, &means, what))
        });
        grown.collect()
    }

    fn grown(&self, at: &str, means: &[f64; LOAD_WINDOWS], what: &str) -> Verdict {
        let (first, last) = (means[0], means[LOAD_WINDOWS - 1]);
        let between = (self.end - self.warmup) * (1.0 - 1.0 / LOAD_WINDOWS as f64);
        Verdict {
            kind: VerdictKind::Unstable,
            at: at.to_owned(),
            since: self.warmup,
            message: format!(
                "{at} is unstable: {what} grew through the whole measured time, from {first:.1} to {last:.1} on \
                 average ({} a second since t = {}), so the averages depend on how long the run is [{UNSTABLE}]",
                number((last - first) / between),
                seconds(self.warmup)
            ),
        }
    }

    fn rejections(&self, p: &PoolSigns) -> Option<Verdict> {
        let since = p.rejected_since?;
        let asked = p.admissions + p.rejected;
        p.tells_rejections.then(|| Verdict {
            kind: VerdictKind::Rejects,
            at: p.at.clone(),
            since,
            message: format!(
                "{} rejected {} from t = {} on, {} % of what was asked of it: they want more than it can ever hold, \
                 and the averages leave them out [{REJECTS}]",
                p.at,
                sessions(p.rejected),
                seconds(since),
                percent(p.rejected as f64 / asked as f64)
            ),
        })
    }
}

/// The verdict on a warm-up after which `at` has such a transient.
fn warm_up(at: &str, t: Transient, warmup: f64, end: f64) -> Verdict {
    let until = warmup + t.part * (end - warmup);
    Verdict {
        kind: VerdictKind::ShortWarmup,
        at: at.to_owned(),
        since: until,
        message: format!(
            "the warm-up is too short: {at} settled only at about t = {}, with a mean of {} before and {} after, which \
             moves the mean by {} %; take --warmup {} or longer [{SHORT_WARMUP}]",
            seconds(until),
            number(t.before),
            number(t.after),
            percent(t.off),
            exact(round_up(until))
        ),
    }
}

/// Two digits, upwards, for times from a millisecond on.
fn round_up(x: f64) -> f64 {
    let mut unit = 1e-4;
    while x / unit > 100.0 {
        unit *= 10.0;
    }
    let up = (x / unit).ceil() * unit;
    // Powers of ten below 1 are not exact.
    format!("{up:.4}").parse().unwrap_or(up)
}

/// Adds the verdict on the warm-up as the observations show it, unless live sessions have shown it, or
/// nothing settles at all.
pub(crate) fn add_warm_up(report: &mut SeedReport) {
    let known = |v: &Verdict| v.kind.saturated() || v.kind == VerdictKind::ShortWarmup;
    if report.fault.is_some() || report.verdicts.iter().any(known) {
        return;
    }
    let shown = report.observes.iter().filter_map(|o| Some((&o.name, o.transient?)));
    let longest = shown.max_by(|a, b| a.1.part.total_cmp(&b.1.part));
    if let Some((name, t)) = longest {
        let verdict = warm_up(name, t, report.run.warmup, report.run.end);
        report.verdicts.push(verdict);
    }
}

/// Means over the windows that growth is looked for in.
fn coarse(windows: &[f64]) -> Option<[f64; LOAD_WINDOWS]> {
    let per = windows.len() / LOAD_WINDOWS;
    (per > 0).then(|| {
        std::array::from_fn(|i| windows[i * per..(i + 1) * per].iter().sum::<f64>() / per as f64)
    })
}

/// The first few of one kind, and how many there are more.
fn shortened(mut found: Vec<Verdict>) -> Vec<Verdict> {
    let more = found.len().saturating_sub(NAMED);
    found.truncate(NAMED);
    if more > 0
        && let Some(last) = found.last_mut()
    {
        let _ = write!(last.message, "; likewise {more} more");
    }
    found
}

fn sessions(n: u64) -> String {
    if n == 1 { "1 session".into() } else { format!("{} sessions", count(n)) }
}

/// What several runs say, each kind and place once: the first run's words, and in how many more.
pub(super) fn of_runs(runs: &[&SeedReport]) -> Vec<String> {
    let mut told: Vec<(&Verdict, u64, usize)> = Vec::new();
    for run in runs {
        for v in &run.verdicts {
            match told.iter_mut().find(|t| (t.0.kind, &t.0.at) == (v.kind, &v.at)) {
                Some(t) => t.2 += 1,
                None => told.push((v, run.run.seed, 1)),
            }
        }
    }
    told.sort_by_key(|t| t.0.kind);
    let line = |(v, seed, times): &(&Verdict, u64, usize)| match (runs.len(), times) {
        (1, _) => v.message.clone(),
        (_, 1) => format!("{} (seed {seed})", v.message),
        (_, n) => format!("{} (seed {seed}; likewise in {} other runs)", v.message, n - 1),
    };
    told.iter().map(line).collect()
}
