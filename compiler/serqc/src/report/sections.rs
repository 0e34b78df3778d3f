//! The parts of the page.

use std::fmt::Write;

use serde_json::Value;

use super::chart::{self, Chart, Line};
use super::data::{Data, Point, Run, plain};
use super::measures::{self, Estimate, Measure, OUTSIDE, at, estimate, mean_split, observed};
use super::page::{escaped, figure, key, shown};

/// Points of which single runs are shown.
const SHOWN: usize = 3;
/// Lines of a curve: combinations of the other settings.
const MOST_LINES: usize = 6;
/// Charts of one kind at a point.
const MOST_CHARTS: usize = 12;
/// Measures in the table of points.
const COLUMNS: usize = 6;

/// What is wrong with runs, before all numbers.
pub(super) fn verdicts(data: &Data) -> String {
    let runs: usize = data.points.iter().map(|p| p.runs.len()).sum();
    let mut told: Vec<(String, String, usize)> = Vec::new();
    for run in data.points.iter().flat_map(|p| &p.runs) {
        let verdicts = run.report.get("verdicts").and_then(Value::as_array);
        let texts = verdicts.into_iter().flatten().map(|v| {
            let text = |key: &str| v[key].as_str().unwrap_or_default().to_owned();
            (text("kind") + &text("at"), text("message"))
        });
        let error = run.report.get("error").map(|e| {
            let text = |key: &str| e[key].as_str().unwrap_or_default().to_owned();
            (text("code"), format!("stopped by an error: {} [{}]", text("message"), text("code")))
        });
        for (kind, message) in texts.chain(error) {
            match told.iter_mut().find(|t| t.0 == kind) {
                Some(t) => t.2 += 1,
                None => told.push((kind, message, 1)),
            }
        }
    }
    let mut out = String::new();
    for (_, message, count) in told {
        let often = if runs > 1 { format!(" ({count} of {runs} runs)") } else { String::new() };
        let _ = writeln!(out, "<p class=\"verdict\">{}{often}</p>", escaped(&message));
    }
    for note in &data.notes {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escaped(note));
    }
    out
}

fn cell(out: &mut String, place: &str, point: usize, e: Option<Estimate>) {
    let Some(e) = e else {
        *out += "<td>–</td>";
        return;
    };
    let half = e.half.map_or_else(String::new, |h| format!(" <small>± {}</small>", shown(h)));
    let _ = write!(
        out,
        "<td data-at=\"{}\" data-point=\"{point}\" data-value=\"{:?}\">{}{half}</td>",
        escaped(place),
        e.mean,
        shown(e.mean)
    );
}

/// The numbers: observations of each shown point, and all points beside each other.
pub(super) fn numbers(data: &Data) -> String {
    let mut out = String::new();
    if data.points.len() > 1 {
        out += &points_table(data);
    }
    for (place, point) in chosen(data) {
        let Some(first) = point.whole().next() else { continue };
        let count = point.whole().count();
        let _ = writeln!(
            out,
            "<h3>{}: {count} {}</h3>\n<div class=\"wide\"><table><thead><tr><th>observation</th><th>mean</th><th>p50</th>\
             <th>p90</th><th>p99</th><th>values</th></tr></thead><tbody>",
            escaped(&data.named(point)),
            if count == 1 { "run" } else { "runs" }
        );
        for name in measures::observations(first) {
            let _ = write!(out, "<tr><th>{}</th>", escaped(&name));
            for what in ["mean", "p50", "p90", "p99"] {
                let pointer = observed(&name, what);
                let mut e = estimate(point.whole(), &pointer);
                if let Some(e) = &mut e
                    && what == "mean"
                    && e.runs == 1
                {
                    e.half = at(&first.report, &observed(&name, "ci"));
                }
                cell(&mut out, &pointer, place, e);
            }
            let values = point.whole().filter_map(|r| at(&r.report, &observed(&name, "count")));
            let _ = writeln!(out, "<td>{}</td></tr>", shown(values.sum()));
        }
        out += "</tbody></table></div>\n";
    }
    out += "<p class=\"small\">A mean is over runs, with half of its 95 % interval: Student's t over seeds, or \
            batch means of a single run. Quantiles are means of the runs' quantiles.</p>\n";
    out
}

fn points_table(data: &Data) -> String {
    let Some(first) = data.whole().next() else { return String::new() };
    let all = measures::of_curves(first);
    let columns = &all[..all.len().min(COLUMNS)];
    let mut out = String::from("<div class=\"wide\"><table><thead><tr>");
    data.swept.iter().for_each(|name| _ = write!(out, "<th>{}</th>", escaped(name)));
    columns.iter().for_each(|m| _ = write!(out, "<th>{}</th>", escaped(&m.title)));
    out += "<th>runs</th></tr></thead><tbody>\n";
    for (place, point) in data.points.iter().enumerate() {
        out += "<tr>";
        point.values.iter().for_each(|x| _ = write!(out, "<th>{}</th>", plain(*x)));
        columns
            .iter()
            .for_each(|m| cell(&mut out, &m.pointer, place, estimate(point.whole(), &m.pointer)));
        let over = point.runs.iter().filter(|r| saturated(r)).count();
        let mark = match over {
            0 => String::new(),
            n => format!(" <small class=\"over\">{n} not stationary</small>"),
        };
        let _ = writeln!(out, "<td>{}{mark}</td></tr>", point.runs.len());
    }
    out + "</tbody></table></div>\n"
}

/// Whether a run's load is above what the deployment can serve.
fn saturated(run: &Run) -> bool {
    let verdicts = run.report.get("verdicts").and_then(Value::as_array);
    let kinds = ["unstable", "deadlock", "livelock"];
    verdicts.into_iter().flatten().any(|v| v["kind"].as_str().is_some_and(|k| kinds.contains(&k)))
}

/// The points of which single runs are shown: all, or the first, the middle and the last.
fn chosen(data: &Data) -> Vec<(usize, &Point)> {
    let all = data.points.len();
    let mut places: Vec<usize> = match all {
        n if n <= SHOWN => (0..n).collect(),
        n => vec![0, n / 2, n - 1],
    };
    places.dedup();
    places.into_iter().map(|i| (i, &data.points[i])).collect()
}

/// Measures over each swept setting, with bands.
pub(super) fn curves(data: &Data) -> String {
    let Some(first) = data.whole().next() else { return String::new() };
    let mut out = String::new();
    for (axis, name) in data.swept.iter().enumerate() {
        let mut values: Vec<f64> =
            data.points.iter().map(|p| p.values[axis]).filter(|x| x.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        if values.len() < 2 {
            continue;
        }
        let lines = others(data, axis);
        out += &key(lines
            .iter()
            .take(MOST_LINES)
            .map(|(said, _)| said.clone())
            .filter(|s| !s.is_empty()));
        if lines.len() > MOST_LINES {
            let more = lines.len() - MOST_LINES;
            let _ = writeln!(out, "<p class=\"note\">{more} more combinations are not drawn.</p>");
        }
        out += "<div class=\"charts\">\n";
        for measure in measures::of_curves(first).iter().take(MOST_CHARTS) {
            out += &curve(name, axis, measure, &lines);
        }
        out += "</div>\n";
    }
    out
}

/// The points along one axis for each combination of the other settings.
fn others(data: &Data, axis: usize) -> Vec<(String, Vec<&Point>)> {
    let mut lines: Vec<(String, Vec<&Point>)> = Vec::new();
    for point in &data.points {
        let said = data.swept.iter().zip(&point.values).enumerate().filter(|(i, _)| *i != axis);
        let said: Vec<String> =
            said.map(|(_, (name, x))| format!("{name} = {}", plain(*x))).collect();
        let said = said.join(", ");
        match lines.iter_mut().find(|l| l.0 == said) {
            Some(line) => line.1.push(point),
            None => lines.push((said, vec![point])),
        }
    }
    lines
}

fn curve(name: &str, axis: usize, measure: &Measure, all: &[(String, Vec<&Point>)]) -> String {
    let lines = all.iter().take(MOST_LINES).enumerate().map(|(colour, (_, points))| {
        let mut line = Line { colour, marked: true, ..Line::default() };
        for point in points.iter().filter(|p| p.values[axis].is_finite()) {
            let x = point.values[axis];
            if let Some(e) = estimate(point.whole(), &measure.pointer) {
                line.points.push((x, e.mean));
                line.band.extend(e.half.map(|half| (x, e.mean - half, e.mean + half)));
            }
        }
        line
    });
    let chart = Chart {
        x: name.to_owned(),
        y: measure.unit.to_owned(),
        lines: lines.collect(),
        from_zero: true,
    };
    figure(&format!("{} over {name}", measure.title), "curve", chart::svg(&chart))
}

/// How observations are distributed, a line for each run.
pub(super) fn distributions(data: &Data) -> String {
    let mut out = String::new();
    for (_, point) in chosen(data) {
        let Some(first) = point.whole().next() else { continue };
        let mut charts = String::new();
        for name in measures::observations(first).into_iter().take(MOST_CHARTS) {
            let place = format!("/series/quantiles/{}", name.replace('~', "~0").replace('/', "~1"));
            let lists: Vec<Vec<f64>> =
                point.whole().filter_map(|r| list(&r.report, &place)).collect();
            let lists: Vec<Vec<f64>> = lists.into_iter().filter(|l| l.len() > 1).collect();
            let Some(length) = lists.first().map(Vec::len) else { continue };
            let share = |i: usize| i as f64 / (length - 1) as f64;
            let few = lists.len() == 1;
            let mut lines: Vec<Line> = lists
                .iter()
                .map(|list| Line {
                    faint: !few,
                    points: list
                        .iter()
                        .take(length - 1)
                        .enumerate()
                        .map(|(i, x)| (*x, share(i)))
                        .collect(),
                    ..Line::default()
                })
                .collect();
            if !few {
                let mean = |i: usize| lists.iter().map(|l| l[i]).sum::<f64>() / lists.len() as f64;
                let points = (0..length - 1).map(|i| (mean(i), share(i))).collect();
                lines.push(Line { points, ..Line::default() });
            }
            let chart =
                Chart { x: name.clone(), y: "share of values".into(), lines, from_zero: true };
            charts += &figure(&name, "distribution", chart::svg(&chart));
        }
        if !charts.is_empty() {
            let _ = writeln!(
                out,
                "<h3>{}</h3>\n<div class=\"charts\">\n{charts}</div>",
                escaped(&data.named(point))
            );
        }
    }
    if out.is_empty() { no_series() } else { out }
}

fn no_series() -> String {
    "<p class=\"note\">The runs were made without <code>--series</code>, which keeps this.</p>\n"
        .to_owned()
}

fn list(report: &Value, place: &str) -> Option<Vec<f64>> {
    let list = report.pointer(place)?.as_array()?;
    Some(list.iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect())
}

/// Where the time of a request goes.
pub(super) fn time(data: &Data) -> String {
    let mut rows: Vec<(String, Vec<(String, f64)>)> = Vec::new();
    for point in &data.points {
        let split = mean_split(point);
        if !split.is_empty() && rows.len() < 2 * MOST_CHARTS {
            rows.push((data.named(point), split));
        }
    }
    let inside = |(name, _): &&(String, f64)| !name.starts_with(OUTSIDE);
    let mut names: Vec<String> = Vec::new();
    for (name, _) in rows.iter().flat_map(|r| &r.1).filter(inside) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let total = |split: &[(String, f64)]| split.iter().filter(inside).map(|s| s.1).sum::<f64>();
    let most = rows.iter().map(|r| total(&r.1)).fold(0.0, f64::max);
    if rows.is_empty() {
        return "<p class=\"note\">No session was served.</p>\n".to_owned();
    }
    let mut out = key(names.iter().cloned());
    out += "<table class=\"bars\"><tbody>\n";
    for (said, split) in &rows {
        let _ = write!(out, "<tr><th>{}</th><td><div class=\"bar\">", escaped(said));
        for (name, seconds) in split.iter().filter(inside) {
            let colour = names.iter().position(|n| n == name).unwrap_or(0);
            let _ = write!(
                out,
                "<span style=\"width:{:.3}%;background:{}\" title=\"{}: {} s\" data-part=\"{}\" \
                 data-value=\"{seconds:?}\"></span>",
                100.0 * seconds / most,
                chart::css(colour),
                escaped(name),
                shown(*seconds),
                escaped(name)
            );
        }
        let part = |(n, s): &(String, f64)| format!("{} {} s", escaped(n), shown(*s));
        let parts: Vec<String> = split.iter().map(part).collect();
        let _ = writeln!(
            out,
            "</div><small>{} s: {}</small></td></tr>",
            shown(total(split)),
            parts.join(", ")
        );
    }
    out + "</tbody></table>\n<p class=\"small\">Mean seconds for each turn (each session, where there are no turns), by \
           Little's law from the mean number of sessions in each place. Delay stages outside queues are told \
           apart, as most are no part of the request: tool calls, people who read.</p>\n"
}

/// What happened over time, a line for each run and their mean.
pub(super) fn over_time(data: &Data) -> String {
    let mut out = String::new();
    for (_, point) in chosen(data) {
        let Some(first) = point.whole().find(|r| r.report.get("series").is_some()) else {
            continue;
        };
        let mut charts = String::new();
        let mut add = |title: &str, place: &str| {
            charts += &one_over_time(point, title, place);
        };
        add("live sessions", "/series/live");
        let gauges = first.report.pointer("/series/gauges").and_then(Value::as_object);
        for name in gauges.into_iter().flat_map(|g| g.keys()).take(MOST_CHARTS) {
            let place = format!("/series/gauges/{}", name.replace('~', "~0").replace('/', "~1"));
            add(&format!("gauge {name}"), &place);
        }
        for (kind, what, said) in [
            ("pools", "queue", "queue of"),
            ("pools", "used", "units used of"),
            ("stages", "jobs", "jobs at"),
        ] {
            let rows = first.report.pointer(&format!("/series/{kind}")).and_then(Value::as_array);
            for (i, row) in rows.into_iter().flatten().enumerate().take(MOST_CHARTS) {
                let busy = |x: &Value| x.as_f64().is_some_and(|x| x != 0.0);
                if row[what].as_array().is_some_and(|l| l.iter().any(busy)) {
                    add(&format!("{said} {}", name_of(row)), &format!("/series/{kind}/{i}/{what}"));
                }
            }
        }
        let _ = writeln!(
            out,
            "<h3>{}</h3>\n<div class=\"charts\">\n{charts}</div>",
            escaped(&data.named(point))
        );
    }
    if out.is_empty() { no_series() } else { out }
}

fn one_over_time(point: &Point, title: &str, place: &str) -> String {
    let lists: Vec<(f64, f64, Vec<f64>)> = point
        .whole()
        .filter_map(|r| {
            let (from, to) = (at(&r.report, "/series/from")?, at(&r.report, "/series/to")?);
            list(&r.report, place).filter(|l| !l.is_empty()).map(|l| (from, to, l))
        })
        .collect();
    let few = lists.len() == 1;
    let places = |from: f64, to: f64, list: &[f64]| -> Vec<(f64, f64)> {
        let width = (to - from) / list.len() as f64;
        list.iter().enumerate().map(|(i, y)| (from + (i as f64 + 0.5) * width, *y)).collect()
    };
    let mut lines: Vec<Line> = lists
        .iter()
        .map(|(from, to, list)| Line {
            faint: !few,
            points: places(*from, *to, list),
            ..Line::default()
        })
        .collect();
    if let [(from, to, first), _, ..] = &lists[..]
        && lists.iter().all(|l| (l.0, l.1, l.2.len()) == (*from, *to, first.len()))
    {
        let mean = |i: usize| lists.iter().map(|l| l.2[i]).sum::<f64>() / lists.len() as f64;
        let means: Vec<f64> = (0..first.len()).map(mean).collect();
        lines.push(Line { points: places(*from, *to, &means), ..Line::default() });
    }
    let chart = Chart { x: "simulated time (s)".into(), y: String::new(), lines, from_zero: true };
    figure(title, "time", chart::svg(&chart))
}

/// `D.kv` of member 2 is `D[2].kv`.
fn name_of(row: &Value) -> String {
    let name = row["name"].as_str().unwrap_or_default();
    let at = name.find('.').unwrap_or(name.len());
    match (row["index"].as_u64(), row["members"].as_u64()) {
        (Some(i), _) => format!("{}[{i}]{}", &name[..at], &name[at..]),
        (None, Some(n)) if n > 1 => format!("{name}, mean of {n}"),
        _ => name.to_owned(),
    }
}

/// How busy each pod is.
pub(super) fn utilization(data: &Data) -> String {
    const MOST_ROWS: usize = 40;
    const PARTS: [(&str, &str, usize); 3] =
        [("prefill_only", "prefill", 2), ("mixed", "both", 4), ("decode_only", "decode", 0)];
    let mut out = key_of(&PARTS.map(|(_, name, colour)| (name.to_owned(), colour)));
    for (_, point) in chosen(data) {
        let Some(first) = point.whole().next() else { continue };
        let rows = first.report.get("stages").and_then(Value::as_array);
        let _ =
            write!(out, "<h3>{}</h3>\n<table class=\"bars\"><tbody>", escaped(&data.named(point)));
        for (i, row) in rows.into_iter().flatten().enumerate().take(MOST_ROWS) {
            let place = format!("/stages/{i}/utilization");
            let Some(e) = estimate(point.whole(), &place) else { continue };
            let _ = write!(out, "<tr><th>{}</th><td><div class=\"bar\">", escaped(&name_of(row)));
            let mut part = |name: &str, share: f64, colour: usize| {
                let _ = write!(
                    out,
                    "<span style=\"width:{:.3}%;background:{}\" title=\"{name}: {} %\"></span>",
                    100.0 * share.clamp(0.0, 1.0),
                    chart::css(colour),
                    shown(100.0 * share)
                );
            };
            if row["kind"] == "step" {
                for (key, name, colour) in PARTS {
                    let share = estimate(point.whole(), &format!("/stages/{i}/{key}"));
                    part(name, share.map_or(0.0, |s| s.mean), colour);
                }
            } else {
                part("busy", e.mean, 7);
            }
            let half = e.half.map_or_else(String::new, |h| format!(" ± {}", shown(100.0 * h)));
            let _ = writeln!(
                out,
                "</div><small data-at=\"{place}\" data-value=\"{:?}\">{}{half} % busy</small></td></tr>",
                e.mean,
                shown(100.0 * e.mean)
            );
        }
        out += "</tbody></table>\n";
        if rows.map_or(0, Vec::len) > MOST_ROWS {
            out += "<p class=\"note\">More stages are not shown.</p>\n";
        }
    }
    out
}

fn key_of(parts: &[(String, usize)]) -> String {
    let one = |(name, colour): &(String, usize)| {
        format!(
            "<span class=\"key\"><i style=\"background:{}\"></i>{}</span>",
            chart::css(*colour),
            escaped(name)
        )
    };
    format!("<p>{}</p>\n", parts.iter().map(one).collect::<String>())
}

/// The program, its settings, and how to make it all again.
pub(super) fn program(data: &Data) -> String {
    let mut out = String::new();
    if let Some(picture) = &data.picture {
        let _ = writeln!(out, "<figure class=\"picture\">{picture}</figure>");
    }
    if !data.settings.is_empty() {
        out += "<table><thead><tr><th>setting</th><th>value</th></tr></thead><tbody>";
        for (name, value) in &data.settings {
            let _ = write!(out, "<tr><th>{}</th><td>{}</td></tr>", escaped(name), escaped(value));
        }
        out += "</tbody></table>\n";
    }
    out += "<h3>To make it again</h3>\n<pre class=\"commands\">";
    data.commands.iter().for_each(|c| _ = writeln!(out, "{}", escaped(c)));
    out += "</pre>\n";
    for (name, text) in &data.sources {
        let _ = writeln!(
            out,
            "<details><summary>{}</summary><pre>{}</pre></details>",
            escaped(name),
            escaped(text)
        );
    }
    out
}
