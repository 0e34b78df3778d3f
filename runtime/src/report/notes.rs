//! What a reader should know before believing a number.

use super::{
    PoolRow, SeedReport,
    number::{count, number, seconds},
    text::label,
};

/// Lag-1 correlation of batch means from which an interval is called too narrow.
pub(super) const CORRELATED: f64 = 0.2;
/// Values that should lie beyond a quantile.
const BEYOND: f64 = 10.0;
/// Values from which one that never varies is told.
const MANY_VALUES: u64 = 40;
/// The code of that note.
pub(crate) const CONSTANT: &str = "S210";

/// Notes of one run, first whether it is whole.
pub(super) fn of_run(run: &SeedReport) -> Vec<String> {
    partial(&[run]).into_iter().chain(of_runs(&[run])).collect()
}

/// Notes of several runs together: the runs' own first.
pub(super) fn of_runs(runs: &[&SeedReport]) -> Vec<String> {
    let mut notes = said_by_runs(runs);
    if let [run] = runs {
        notes.extend(correlated(run));
    }
    notes.extend(few_values(runs));
    notes.extend(never_varies(runs));
    notes.extend(not_finite(runs));
    notes.extend(still_waiting(runs));
    notes.extend(early_rejections(runs));
    notes
}

/// Says that results are partial, if they are.
pub(super) fn partial(runs: &[&SeedReport]) -> Option<String> {
    let stopped: Vec<&&SeedReport> = runs.iter().filter(|r| r.fault.is_some()).collect();
    match (&stopped[..], runs.len()) {
        ([], _) => None,
        ([run], 1) => Some(format!(
            "partial results: an error stopped the run at t = {}",
            seconds(run.run.end)
        )),
        (_, all) => {
            Some(format!("partial results: an error stopped {} of {all} runs early", stopped.len()))
        }
    }
}

/// The runs' own notes, those that differ only in their numbers once.
fn said_by_runs(runs: &[&SeedReport]) -> Vec<String> {
    let mut kinds: Vec<(String, String, u64, usize)> = Vec::new();
    for run in runs {
        for note in &run.notes {
            let kind = without_numbers(note);
            match kinds.iter_mut().find(|k| k.0 == kind) {
                Some(k) => k.3 += 1,
                None => kinds.push((kind, note.clone(), run.run.seed, 1)),
            }
        }
    }
    let several = runs.len() > 1;
    kinds
        .into_iter()
        .map(|(_, note, seed, times)| match (several, times) {
            (false, _) => note,
            (true, 1) => format!("{note} (seed {seed})"),
            (true, _) => format!("{note} (seed {seed}; likewise in {} other runs)", times - 1),
        })
        .collect()
}

/// The text with every number replaced; a `line:column` is not a number but a place.
fn without_numbers(note: &str) -> String {
    let words = note.split(' ').map(|w| {
        let digits = w.trim_end_matches([',', '.', ';', ')']).trim_start_matches('(');
        if !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || ",.e-+".contains(c)) {
            "#"
        } else {
            w
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn correlated(run: &SeedReport) -> Option<String> {
    let observes = run.observes.iter().map(|o| (&o.name, o.correlation));
    let gauges = run.gauges.iter().map(|g| (&g.name, g.correlation));
    let names: Vec<&str> = observes
        .chain(gauges)
        .filter(|(_, c)| c.is_some_and(|c| c > CORRELATED))
        .map(|(n, _)| n.as_str())
        .collect();
    (!names.is_empty()).then(|| {
        format!("* the interval of {} is too narrow: its batch means correlate; take a longer run or several seeds", list(&names))
    })
}

fn few_values(runs: &[&SeedReport]) -> Option<String> {
    let first = runs.first()?;
    let few: Vec<String> = first
        .observes
        .iter()
        .enumerate()
        .filter_map(|(i, o)| {
            let n: u64 = runs.iter().map(|r| r.observes[i].count).sum();
            let beyond = |q: f64| n as f64 * (1.0 - q) < BEYOND;
            let rough = if beyond(0.9) { "p90 and p99" } else { "p99" };
            (n > 0 && beyond(0.99)).then(|| format!("{rough} of {} (n = {})", o.name, count(n)))
        })
        .collect();
    let few: Vec<&str> = few.iter().map(String::as_str).collect();
    (!few.is_empty()).then(|| format!("rough, with fewer than ten values beyond: {}", list(&few)))
}

/// Observations that say one number again and again: they cannot answer what they were made for.
fn never_varies(runs: &[&SeedReport]) -> Option<String> {
    let first = runs.first()?;
    let steady = |i: usize| {
        let rows = || runs.iter().map(|r| &r.observes[i]);
        let n: u64 = rows().map(|o| o.count).sum();
        let value = rows().find_map(|o| o.min)?;
        let all = rows()
            .filter(|o| o.count > 0)
            .all(|o| o.nonfinite == 0 && o.min == Some(value) && o.max == Some(value));
        (all && n >= MANY_VALUES).then(|| {
            format!("{} ({} in all {} values)", first.observes[i].name, number(value), count(n))
        })
    };
    let told = (0..first.observes.len()).filter(|i| !first.observes[*i].steady);
    let names: Vec<String> = told.filter_map(steady).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    (!names.is_empty()).then(|| format!("never varies: {} [{CONSTANT}]", list(&names)))
}

fn not_finite(runs: &[&SeedReport]) -> Vec<String> {
    let Some(first) = runs.first() else { return Vec::new() };
    let counted = first.observes.iter().enumerate().map(|(i, o)| {
        let sum =
            |f: fn(&super::ObserveRow) -> u64| runs.iter().map(|r| f(&r.observes[i])).sum::<u64>();
        (&o.name, sum(|o| o.nonfinite), sum(|o| o.count))
    });
    counted
        .filter(|c| c.1 > 0)
        .map(|(name, bad, all)| {
            format!(
                "{} of {} values of {name} are infinite or NaN, so their run has no mean of it",
                count(bad),
                count(all)
            )
        })
        .collect()
}

fn still_waiting(runs: &[&SeedReport]) -> Vec<String> {
    let Some(first) = runs.first() else { return Vec::new() };
    let mut notes = Vec::new();
    for (i, pool) in first.pools.iter().enumerate() {
        let rows: Vec<&PoolRow> = runs.iter().map(|r| &r.pools[i]).collect();
        let waiting: u64 = rows.iter().map(|p| p.waiting).sum();
        let longest = rows.iter().filter_map(|p| p.waiting_mean_so_far).fold(0.0, f64::max);
        // A handful that has just come is no sign of anything.
        let admitted_wait = rows.iter().filter_map(|p| p.mean_wait).fold(0.0, f64::max);
        if waiting > 0 && longest > 2.0 * admitted_wait {
            let whom = if waiting == 1 {
                "1 request still waits".into()
            } else {
                format!("{} requests still wait", count(waiting))
            };
            notes.push(format!(
                "{whom} in {} at the end, up to {} on average so far: its mean wait leaves them out",
                label(&pool.name, pool.index),
                seconds(longest)
            ));
        }
    }
    shortened(notes, "more pools with requests that still wait at the end")
}

fn early_rejections(runs: &[&SeedReport]) -> Vec<String> {
    let Some(first) = runs.first() else { return Vec::new() };
    let mut notes = Vec::new();
    for (i, pool) in first.pools.iter().enumerate() {
        let early: u64 = runs
            .iter()
            .map(|r| r.pools[i].counts.rejected.saturating_sub(r.pools[i].measured.rejected))
            .sum();
        if early > 0 {
            notes.push(format!(
                "{} rejected {} requests before the warm-up ended",
                label(&pool.name, pool.index),
                number(early as f64)
            ));
        }
    }
    shortened(notes, "more pools that rejected requests before the warm-up ended")
}

/// The first few of many alike.
fn shortened(mut notes: Vec<String>, rest: &str) -> Vec<String> {
    const MANY: usize = 4;
    if notes.len() > MANY {
        let more = notes.len() - (MANY - 1);
        notes.truncate(MANY - 1);
        notes.push(format!("{more} {rest}"));
    }
    notes
}

fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::sample::report, *};

    fn joined(notes: Vec<String>) -> String {
        notes.join("\n")
    }

    #[test]
    fn a_clean_run_has_nothing_to_note() {
        let mut r = report(1, false);
        r.observes.iter_mut().for_each(|o| o.correlation = Some(0.0));
        r.gauges[0].correlation = Some(0.1);
        assert_eq!(of_run(&r), Vec::<String>::new());
    }

    #[test]
    fn correlated_batches_are_flagged_in_one_run_only() {
        let mut r = report(1, false);
        r.observes[0].correlation = Some(0.5);
        r.observes[1].correlation = Some(0.1);
        r.gauges[0].correlation = Some(0.3);
        assert!(joined(of_run(&r)).contains("interval of ttft and depth is too narrow"));
        assert!(!joined(of_runs(&[&r, &r])).contains("narrow"));
    }

    #[test]
    fn an_observation_that_never_varies_is_said_unless_it_may() {
        let mut r = report(1, false);
        let o = &mut r.observes[1];
        (o.count, o.min, o.max) = (40, Some(1.0), Some(1.0));
        assert!(joined(of_run(&r)).contains("never varies: remote (1 in all 40 values) [S210]"));
        let mut other = r.clone();
        other.observes[1].count = 5;
        assert!(joined(of_runs(&[&r, &other])).contains("remote (1 in all 45 values)"));
        other.observes[1].max = Some(2.0);
        assert!(!joined(of_runs(&[&r, &other])).contains("varies"), "it does in one run");
        r.observes[1].count = 39;
        assert!(!joined(of_run(&r)).contains("varies"), "too few to say");
        (r.observes[1].count, r.observes[1].steady) = (40, true);
        assert!(!joined(of_run(&r)).contains("varies"), "the program says so");
    }

    #[test]
    fn few_values_beyond_a_quantile_are_said() {
        let mut r = report(1, false);
        (r.observes[0].count, r.observes[1].count) = (999, 99);
        let text = joined(of_run(&r));
        assert!(
            text.contains("p99 of ttft (n = 999)")
                && text.contains("p90 and p99 of remote (n = 99)"),
            "{text}"
        );
        r.observes[0].count = 1000;
        assert!(!joined(of_run(&r)).contains("ttft (n"));
    }

    #[test]
    fn those_still_waiting_are_not_hidden() {
        let mut r = report(1, false);
        r.pools[0].waiting = 12;
        r.pools[0].waiting_mean_so_far = Some(34.5);
        assert!(
            joined(of_run(&r))
                .contains("12 requests still wait in D[0].kv at the end, up to 34.50 s on average")
        );
        r.pools[0].waiting_mean_so_far = Some(0.001);
        assert!(!joined(of_run(&r)).contains("still"), "just come");
    }

    #[test]
    fn notes_that_differ_in_numbers_only_are_said_once() {
        let mut runs: Vec<_> = (1..=3).map(|s| report(s, false)).collect();
        for (r, n) in runs.iter_mut().zip([12, 7, 40]) {
            r.notes = vec![format!("work was negative {n} times at a.sq:12:5 and taken as 0")];
        }
        runs[2].notes.push("something else".into());
        let text = joined(of_runs(&runs.iter().collect::<Vec<_>>()));
        assert!(
            text.contains(
                "negative 12 times at a.sq:12:5 and taken as 0 (seed 1; likewise in 2 other runs)"
            ),
            "{text}"
        );
        assert!(text.contains("something else (seed 3)"));
    }

    #[test]
    fn partial_results_are_said_to_be() {
        let mut r = report(1, false);
        r.fault = Some(super::super::FaultRow::default());
        r.run.end = 40.0;
        assert!(of_run(&r)[0].contains("partial results: an error stopped the run at t = 40 s"));
    }
}
