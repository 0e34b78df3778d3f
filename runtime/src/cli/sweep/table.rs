//! What is said of a sweep at its end: its points, and what a folder has and lacks.

use std::{fmt::Write, path::Path};

use crate::{
    report::{exact, number},
    results::{Estimate, PointRow, PointState, Shard, Written},
};

/// Metrics shown; a table has them all.
const SHOWN: usize = 5;

/// The points, a line each: settings, runs, and the mean of each observation.
pub(super) fn points(
    program: &str,
    names: &[String],
    rows: &[PointRow],
    columns: &[String],
) -> String {
    let shown: Vec<usize> =
        (0..columns.len()).filter(|i| columns[*i].starts_with("mean:")).take(SHOWN).collect();
    let mut cells: Vec<Vec<String>> = Vec::new();
    let mut head: Vec<String> = names.to_vec();
    head.push("runs".into());
    for i in &shown {
        head.extend([columns[*i].clone(), "95 %".into()]);
    }
    head.push(String::new());
    cells.push(head);
    for row in rows {
        let mut line: Vec<String> = row.values.iter().map(|x| exact(*x)).collect();
        line.push(row.runs.to_string());
        for i in &shown {
            let estimate = row.estimates.get(*i).copied().flatten();
            line.extend(shown_estimate(estimate));
        }
        line.push(remark(row));
        cells.push(line);
    }
    let runs: usize = rows.iter().map(|r| r.runs).sum();
    format!("{program} · {} points, {runs} runs\n{}", rows.len(), aligned(&cells))
}

fn shown_estimate(estimate: Option<Estimate>) -> [String; 2] {
    let Some(Estimate { mean, half_width }) = estimate else {
        return ["-".into(), String::new()];
    };
    let half =
        half_width.map(|h| format!("± {}", number::half_width(h, number::decimals_of(mean))));
    [number::number(mean), half.unwrap_or_default()]
}

/// What keeps a point from being like the others.
fn remark(row: &PointRow) -> String {
    let mut said = Vec::new();
    match row.state {
        PointState::Complete => {}
        PointState::Missing => said.push(format!("{} runs are missing", row.wanted - row.runs)),
        PointState::Above => said.push("not run: above saturation".to_owned()),
    }
    if row.not_stationary > 0 {
        said.push(format!("not stationary: {} of {}", row.not_stationary, row.runs));
    }
    if row.errors > 0 {
        said.push(format!("stopped on an error: {}", row.errors));
    }
    said.join(", ")
}

/// Cells in columns, numbers to the right, the last column to the left.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (i, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[i].saturating_sub(cell.chars().count()));
            let gap = if i == 0 { "" } else { "  " };
            let last = i + 1 == columns;
            let cell = if last { format!("{cell}{pad}") } else { format!("{pad}{cell}") };
            line.push_str(gap);
            line.push_str(&cell);
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// What the folder has, for standard error.
pub(super) fn folder(path: &Path, written: &Written, shard: Shard) -> String {
    let keys = written.manifest.wanted.keys();
    let missing =
        keys.iter().filter(|k| !written.index.has(k) && !written.above.contains(k)).count();
    let there = keys.len() - missing - written.above.len();
    let mut out = format!("`{}` has {there} of {} runs", path.display(), keys.len());
    if !written.above.is_empty() {
        let _ = write!(out, "; {} are above saturation and not run", written.above.len());
    }
    if missing > 0 {
        let _ = write!(out, "; {missing} are missing");
        if shard.of > 1 {
            let _ =
                write!(out, ", of other parts than {shard}: `serqc collect` puts parts together");
        }
    }
    out.push('\n');
    out
}
