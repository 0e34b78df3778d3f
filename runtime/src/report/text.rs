//! The report that a person reads: what was run, observations, gauges, pools, stages, notes.
//!
//! One run shows its own intervals (batch means) and extremes; several show what independent
//! replications say: Student's t interval, median and range of the runs' means, quantiles of all
//! values together. Columns that say nothing are left out.

use super::{
    PoolRow, SeedReport, StageRow, heading,
    merge::{Spread, Values, mean_of},
    notes::{self, CORRELATED},
    number::{count, decimals_of, fixed, half_width, number, or_dash, percent},
    table::{self, Column, PAGE},
};
use crate::world::StageType;

/// Families of more members than this are shown as one row.
const MEMBERS: usize = 8;

/// The report over all `runs` (at least one), in seed order. `set`: settings given from outside.
///
/// Runs that an error stopped are left out, unless all were.
pub fn render(runs: &[SeedReport], set: &[(String, f64)]) -> String {
    let whole: Vec<&SeedReport> = runs.iter().filter(|r| r.fault.is_none()).collect();
    let left_out = if whole.is_empty() { 0 } else { runs.len() - whole.len() };
    let shown = if whole.is_empty() { runs.iter().collect() } else { whole };
    let mut out = String::new();
    let Some(first) = shown.first() else { return out };
    heading::heading(&mut out, &shown, set);
    if left_out > 0 {
        wrapped(
            &mut out,
            "",
            &format!("an error stopped {left_out} of {} runs: they are left out", runs.len()),
        );
    }
    observations(&mut out, &shown);
    gauges(&mut out, &shown);
    let (pools, stages) = (pool_groups(first), stage_groups(first));
    pool_table(&mut out, &shown, &pools);
    engine_table(&mut out, &shown, &stages);
    station_table(&mut out, &shown, &stages);
    note_list(&mut out, &shown);
    out
}

/// `D.kv` of member 2 is `D[2].kv`.
pub(crate) fn label(name: &str, index: Option<usize>) -> String {
    match index {
        Some(i) => indexed(name, &i.to_string()),
        None => name.to_owned(),
    }
}

/// `D.nic`, number 2 of several for each member, is `D.nic[2]`.
fn indexed_behind(name: &str, index: &str) -> String {
    format!("{name}[{index}]")
}

fn indexed(name: &str, index: &str) -> String {
    let at = name.find('.').unwrap_or(name.len());
    format!("{}[{index}]{}", &name[..at], &name[at..])
}

/// Columns of a mean with its interval, for one run or several.
fn mean_columns(runs: usize, rows: &[(Option<Spread>, Option<f64>, bool)]) -> Vec<Column> {
    let decimals = |s: &Option<Spread>| {
        s.map_or(0, |s| decimals_of(if s.mean == 0.0 { s.greatest } else { s.mean }))
    };
    let cell = |f: fn(&Spread) -> f64| -> Vec<String> {
        rows.iter()
            .map(|(s, ..)| or_dash(s.as_ref().map(f), |x| shown_with(x, decimals(s))))
            .collect()
    };
    let any_flagged = rows.iter().any(|r| r.2);
    let interval = rows.iter().map(|(s, ci, flagged)| {
        let mark = match (any_flagged, flagged) {
            (false, _) => "",
            (true, false) => " ",
            (true, true) => "*",
        };
        or_dash(*ci, |x| format!("± {}{mark}", half_width(x, decimals(s))))
    });
    let mut columns = vec![Column::new("mean", cell(|s| s.mean)), Column::new("95 %", interval)];
    if runs > 1 {
        let range = rows.iter().map(|(s, ..)| {
            or_dash_text(s.map(|s| {
                format!(
                    "{} – {}",
                    shown_with(s.least, decimals(&Some(s))),
                    shown_with(s.greatest, decimals(&Some(s)))
                )
            }))
        });
        columns.push(Column::new("median", cell(|s| s.median)));
        columns.push(Column::new("range", range).spare(2));
        columns.into_iter().map(|c| c.group("over runs")).collect()
    } else {
        columns
    }
}

/// Whole numbers stay whole.
fn shown_with(x: f64, decimals: usize) -> String {
    if x == x.trunc() && decimals > 2 { number(x) } else { fixed(x, decimals) }
}

fn or_dash_text(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".into())
}

fn observations(out: &mut String, runs: &[&SeedReport]) {
    let first = runs[0];
    let names: Vec<String> = first.observes.iter().map(|o| o.name.clone()).collect();
    let row = |i: usize| runs.iter().map(move |r| &r.observes[i]);
    let all = 0..names.len();
    let values: Vec<Values> = all.clone().map(|i| Values::of(row(i))).collect();
    let means: Vec<_> = all
        .clone()
        .map(|i| {
            let spread = Spread::of(row(i).map(|o| o.mean));
            let own = &first.observes[i];
            match runs.len() {
                1 => (spread, own.ci, own.correlation.is_some_and(|c| c > CORRELATED)),
                _ => (spread, spread.and_then(|s| s.half_width), false),
            }
        })
        .collect();
    let counts = all.clone().map(|i| count(row(i).map(|o| o.count).sum()));
    let mut columns = vec![Column::new("values", counts)];
    columns.extend(mean_columns(runs.len(), &means));
    if runs.len() == 1 {
        columns.push(
            Column::new("cv²", first.observes.iter().map(|o| or_dash(o.cv2, number))).spare(3),
        );
        columns.push(
            Column::new("least", first.observes.iter().map(|o| or_dash(o.min, number))).spare(2),
        );
    }
    for (head, q) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
        columns.push(
            Column::new(head, values.iter().map(|v| or_dash(v.quantile(q), number)))
                .group("quantiles"),
        );
    }
    if runs.len() == 1 {
        columns.push(
            Column::new("greatest", first.observes.iter().map(|o| or_dash(o.max, number))).spare(2),
        );
    }
    columns.push(Column::new("p1 … p99", values.iter().map(Values::picture)).left().spare(4));
    table::write(out, "observation", &names, columns);
}

fn gauges(out: &mut String, runs: &[&SeedReport]) {
    let first = runs[0];
    let names: Vec<String> = first.gauges.iter().map(|g| g.name.clone()).collect();
    let row = |i: usize| runs.iter().map(move |r| &r.gauges[i]);
    let all = 0..names.len();
    let means: Vec<_> = all
        .clone()
        .map(|i| {
            let spread = Spread::of(row(i).map(|g| g.mean));
            let own = &first.gauges[i];
            match runs.len() {
                1 => (spread, own.ci, own.correlation.is_some_and(|c| c > CORRELATED)),
                _ => (spread, spread.and_then(|s| s.half_width), false),
            }
        })
        .collect();
    let mut columns = mean_columns(runs.len(), &means);
    let least = all.clone().map(|i| row(i).filter_map(|g| g.min).reduce(f64::min));
    let greatest = all.map(|i| row(i).filter_map(|g| g.max).reduce(f64::max));
    columns.push(Column::new("least", least.map(|x| or_dash(x, number))));
    columns.push(Column::new("greatest", greatest.map(|x| or_dash(x, number))));
    table::write(out, "gauge", &names, columns);
}

/// A row: its label and which rows of a run it is the mean of.
struct Group {
    label: String,
    rows: std::ops::Range<usize>,
}

/// One group per member, or per family where it has many.
fn groups<'a>(rows: impl Iterator<Item = (&'a str, Option<usize>, bool)>) -> Vec<Group> {
    let rows: Vec<_> = rows.collect();
    let mut groups = Vec::new();
    let mut from = 0;
    while from < rows.len() {
        let (name, _, behind) = rows[from];
        let indexed = if behind { indexed_behind } else { indexed };
        let same = rows[from..].iter().take_while(|r| r.0 == name).count();
        let to = from + same;
        if same > MEMBERS {
            groups
                .push(Group { label: indexed(name, &format!("0..{}", same - 1)), rows: from..to });
        } else {
            groups.extend((from..to).map(|i| {
                let label = rows[i].1.map_or(name.to_owned(), |at| indexed(name, &at.to_string()));
                Group { label, rows: i..i + 1 }
            }));
        }
        from = to;
    }
    groups
}

fn pool_groups(run: &SeedReport) -> Vec<Group> {
    groups(run.pools.iter().map(|p| (p.name.as_str(), p.index, false)))
}

fn stage_groups(run: &SeedReport) -> Vec<Group> {
    groups(run.stages.iter().map(|s| (s.name.as_str(), s.index, s.of_several)))
}

fn pool_table(out: &mut String, runs: &[&SeedReport], groups: &[Group]) {
    let mean = |f: &dyn Fn(&PoolRow) -> Option<f64>, show: fn(f64) -> String| -> Vec<String> {
        let one = |g: &Group| mean_of(runs.iter().flat_map(|r| &r.pools[g.rows.clone()]).map(f));
        groups.iter().map(|g| or_dash(one(g), show)).collect()
    };
    let counted = |x: f64| if x < 100.0 { number(x) } else { count(x.round() as u64) };
    let total = |f: fn(&PoolRow) -> f64| mean(&|p| Some(f(p)), counted);
    let names: Vec<String> = groups.iter().map(|g| g.label.clone()).collect();
    let columns = vec![
        Column::new("used", mean(&|p| Some(p.mean_used), number)),
        Column::new("cached", mean(&|p| Some(p.mean_cached), number)),
        Column::new("holders", mean(&|p| Some(p.mean_holders), number)),
        Column::new("queue", mean(&|p| Some(p.mean_queue), number)),
        Column::new("growing", mean(&|p| Some(p.mean_stalled), number)),
        Column::new("wait (s)", mean(&|p| p.mean_wait, number)),
        Column::new("admitted", total(|p| p.measured.admissions as f64)),
        Column::new("evicted", total(|p| p.measured.evicted_units)).spare(1),
        Column::new("preempted", total(|p| p.measured.preemptions as f64)),
        Column::new("stuck", total(|p| p.measured.stuck as f64)),
        Column::new("spilled", total(|p| p.measured.spills as f64)),
        Column::new("rejected", total(|p| p.measured.rejected as f64)),
    ];
    table::write(out, "pool", &names, columns);
}

/// Means over runs and over a group's members.
fn stage_cells(
    runs: &[&SeedReport],
    groups: &[&Group],
    f: &dyn Fn(&StageRow, f64) -> Option<f64>,
    show: fn(f64) -> String,
) -> Vec<String> {
    let of = |r: &SeedReport, s: &StageRow| f(s, (r.run.end - r.run.warmup).max(f64::MIN_POSITIVE));
    let one = |g: &Group| {
        mean_of(runs.iter().flat_map(|r| r.stages[g.rows.clone()].iter().map(|s| of(r, s))))
    };
    groups.iter().map(|g| or_dash(one(g), show)).collect()
}

fn engine_table(out: &mut String, runs: &[&SeedReport], groups: &[Group]) {
    let groups: Vec<&Group> =
        groups.iter().filter(|g| runs[0].stages[g.rows.start].kind == StageType::Step).collect();
    let cells =
        |f: &dyn Fn(&StageRow, f64) -> Option<f64>, show| stage_cells(runs, &groups, f, show);
    let milli = |x: Option<f64>| x.map(|x| 1e3 * x);
    let names: Vec<String> = groups.iter().map(|g| g.label.clone()).collect();
    let gaps: Vec<crate::stats::GapHistogram> = groups
        .iter()
        .map(|g| {
            let mut all = crate::stats::GapHistogram::new();
            runs.iter().flat_map(|r| &r.stages[g.rows.clone()]).for_each(|s| all.merge(&s.gaps));
            all
        })
        .collect();
    let gap = |q: f64| -> Vec<String> {
        gaps.iter().map(|h| or_dash(milli(h.quantile(q)), number)).collect()
    };
    let columns = vec![
        Column::new("busy %", cells(&|s, _| s.utilization, percent)),
        Column::new("jobs", cells(&|s, _| Some(s.mean_number), number)),
        Column::new("wait (s)", cells(&|s, _| s.mean_wait, number)).spare(3),
        Column::new("prefill", cells(&|s, _| Some(s.prefill_only), percent)).group("% of time"),
        Column::new("decode", cells(&|s, _| Some(s.decode_only), percent)).group("% of time"),
        Column::new("mixed", cells(&|s, _| Some(s.mixed), percent)).group("% of time"),
        Column::new("batch", cells(&|s, _| s.mean_decode_batch, number)).group("decode"),
        Column::new("step (ms)", cells(&|s, _| milli(s.mean_decode_step), number)).group("decode"),
        Column::new("prefill", cells(&|s, t| Some(s.prefill_tokens / t), number))
            .group("tokens/s")
            .spare(1),
        Column::new("decode", cells(&|s, t| Some(s.decode_tokens / t), number))
            .group("tokens/s")
            .spare(1),
        Column::new("mean", gaps.iter().map(|h| or_dash(milli(h.mean()), number)))
            .group("token gap (ms)"),
        Column::new("p50", gap(0.5)).group("token gap (ms)").spare(2),
        Column::new("p99", gap(0.99)).group("token gap (ms)"),
    ];
    table::write(out, "engine", &names, columns);
}

fn station_table(out: &mut String, runs: &[&SeedReport], groups: &[Group]) {
    let groups: Vec<&Group> =
        groups.iter().filter(|g| runs[0].stages[g.rows.start].kind != StageType::Step).collect();
    let cells =
        |f: &dyn Fn(&StageRow, f64) -> Option<f64>, show| stage_cells(runs, &groups, f, show);
    let names: Vec<String> = groups.iter().map(|g| g.label.clone()).collect();
    let kind = |g: &&Group| match runs[0].stages[g.rows.start].kind {
        StageType::Link => "shared link".to_owned(),
        _ => runs[0].stages[g.rows.start].kind_name().to_owned(),
    };
    // Of a shared stage the time from start to end is the time there, of the others it is service.
    let columns = vec![
        Column::new("kind", groups.iter().map(kind)).left(),
        Column::new("busy %", cells(&|s, _| s.utilization, percent)),
        Column::new("jobs", cells(&|s, _| Some(s.mean_number), number)),
        Column::new("runs/s", cells(&|s, _| Some(s.throughput), number)),
        Column::new("wait (s)", cells(&|s, _| s.mean_wait, number)),
        Column::new("start to end (s)", cells(&|s, _| s.mean_service, number)),
    ];
    table::write(out, "stage", &names, columns);
}

fn note_list(out: &mut String, runs: &[&SeedReport]) {
    let notes = notes::of_runs(runs);
    if notes.is_empty() {
        return;
    }
    out.push('\n');
    for note in notes {
        let (mark, text) = match note.strip_prefix("* ") {
            Some(text) => ("* ", text),
            None => ("· ", note.as_str()),
        };
        wrapped(out, mark, text);
    }
}

/// Appends a paragraph after a mark, folded at the page's width.
pub(super) fn wrapped(out: &mut String, mark: &str, text: &str) {
    let indent = mark.chars().count();
    let mut column = 0;
    out.push_str(mark);
    for (i, word) in text.split(' ').enumerate() {
        let width = word.chars().count();
        if i > 0 && indent + column + 1 + width > PAGE {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = 0;
        } else if i > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::{super::sample::report, *};

    fn page(runs: &[SeedReport]) -> String {
        let text = render(runs, &[("thr".into(), 512.0)]);
        for line in text.lines() {
            assert!(line.chars().count() <= PAGE, "{} wide: {line}", line.chars().count());
            assert_eq!(line.trim_end(), line);
        }
        text
    }

    #[test]
    fn one_run() {
        let text = page(&[report(1, false)]);
        for part in [
            "small · seed 1 · measured from 100 s to 1,000 s",
            "with thr = 512",
            "cv²",
            "D[1].kv",
            "shared link",
            "0.5933",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert!(!text.contains("median") && !text.contains("preempted"), "{text}");
    }

    #[test]
    fn several_runs() {
        let runs: Vec<_> = (1..=5).map(|s| report(s, false)).collect();
        let text = page(&runs);
        for part in
            ["5 runs, seeds 1..5", "median", "over runs", "per run: 2,000 arrivals", "9,000"]
        {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }

    #[test]
    fn a_large_family_is_one_row() {
        let mut r = report(1, false);
        let one = r.pools[0].clone();
        r.pools = (0..64)
            .map(|i| PoolRow { index: Some(i), mean_used: i as f64, ..one.clone() })
            .collect();
        let text = page(&[r]);
        let row = text.lines().find(|l| l.starts_with("D[0..63].kv")).unwrap();
        assert!(row.contains("31.50"), "{row}");
    }

    #[test]
    fn runs_that_an_error_stopped_are_left_out_unless_all_were() {
        let mut runs: Vec<_> = (1..=3).map(|s| report(s, false)).collect();
        runs[1].fault = Some(super::super::FaultRow::default());
        let text = page(&runs);
        assert!(
            text.contains("an error stopped 1 of 3 runs: they are left out")
                && text.contains("2 runs, seeds 1, 3"),
            "{text}"
        );
        runs.iter_mut().for_each(|r| r.fault = Some(super::super::FaultRow::default()));
        assert!(page(&runs).contains("partial results: an error stopped 3 of 3 runs early"));
    }

    #[test]
    fn empty_reports_are_fine() {
        let mut r = report(1, false);
        (r.observes, r.gauges, r.pools, r.stages) = (vec![], vec![], vec![], vec![]);
        assert_eq!(page(&[r]).lines().count(), 4);
        assert_eq!(render(&[], &[]), "");
    }

    #[test]
    fn labels_put_the_index_behind_the_family() {
        assert_eq!(
            (label("D.kv", Some(2)), label("kv", Some(0)), label("kv", None)),
            ("D[2].kv".into(), "kv[0]".into(), "kv".into())
        );
    }
}
