//! A table of right-aligned columns under two lines of headings, no wider than a page.

/// Widest line printed.
pub(super) const PAGE: usize = 110;
/// Between columns.
const GAP: usize = 2;
/// Longest name shown whole.
const LONGEST_NAME: usize = 30;

/// A column.
pub(super) struct Column {
    /// Stands over several columns that share it; empty for none.
    pub group: &'static str,
    /// Its own heading.
    pub head: &'static str,
    /// One cell per row.
    pub cells: Vec<String>,
    /// Of too wide a table, columns with the greatest number go first; 0 stays.
    pub spare: u8,
    /// Left-aligned.
    pub left: bool,
}

impl Column {
    pub(super) fn new(head: &'static str, cells: impl IntoIterator<Item = String>) -> Self {
        Self { group: "", head, cells: cells.into_iter().collect(), spare: 0, left: false }
    }

    pub(super) fn group(mut self, group: &'static str) -> Self {
        self.group = group;
        self
    }

    pub(super) fn spare(mut self, order: u8) -> Self {
        self.spare = order;
        self
    }

    pub(super) fn left(mut self) -> Self {
        self.left = true;
        self
    }

    fn width(&self) -> usize {
        self.cells.iter().map(|c| wide(c)).chain([wide(self.head)]).max().unwrap_or(0)
    }

    /// A column of zeros and dashes says nothing.
    fn says_something(&self) -> bool {
        self.cells.iter().any(|c| !matches!(c.as_str(), "0" | "–" | ""))
    }
}

/// Columns that are one character per `char` wide.
fn wide(text: &str) -> usize {
    text.chars().count()
}

/// Appends the table: a title, its rows' names, the columns that say something.
pub(super) fn write(out: &mut String, title: &str, names: &[String], columns: Vec<Column>) {
    if names.is_empty() {
        return;
    }
    let names: Vec<String> = names.iter().map(|n| shortened(n)).collect();
    let name_width = names.iter().map(|n| wide(n)).chain([wide(title)]).max().unwrap_or(0);
    let mut columns: Vec<Column> = columns.into_iter().filter(Column::says_something).collect();
    while name_width + columns.iter().map(|c| c.width() + GAP).sum::<usize>() > PAGE {
        let Some(at) =
            (0..columns.len()).filter(|&i| columns[i].spare > 0).max_by_key(|&i| columns[i].spare)
        else {
            break;
        };
        columns.remove(at);
    }
    let widths = widths_under_groups(&columns);
    out.push('\n');
    if columns.iter().any(|c| !c.group.is_empty()) {
        push_line(out, &groups(name_width, &columns, &widths));
    }
    let heads = columns.iter().map(|c| c.head);
    push_line(out, &row(title, name_width, heads, &columns, &widths));
    push_line(out, &"─".repeat(name_width + widths.iter().map(|w| w + GAP).sum::<usize>()));
    for (i, name) in names.iter().enumerate() {
        let cells = columns.iter().map(|c| c.cells[i].as_str());
        push_line(out, &row(name, name_width, cells, &columns, &widths));
    }
}

fn shortened(name: &str) -> String {
    if wide(name) <= LONGEST_NAME {
        return name.to_owned();
    }
    name.chars().take(LONGEST_NAME - 1).chain(['…']).collect()
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}

fn row<'a>(
    name: &str,
    name_width: usize,
    cells: impl Iterator<Item = &'a str>,
    columns: &[Column],
    widths: &[usize],
) -> String {
    let mut line = format!("{name:<name_width$}");
    for ((cell, column), &width) in cells.zip(columns).zip(widths) {
        line.push_str(&" ".repeat(GAP));
        line.push_str(&if column.left {
            format!("{cell:<width$}")
        } else {
            format!("{cell:>width$}")
        });
    }
    line
}

/// Runs of neighbouring columns of one group, as (first, one past the last).
fn spans(columns: &[Column]) -> Vec<(usize, usize)> {
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for (i, c) in columns.iter().enumerate() {
        match spans.last_mut() {
            Some((first, end)) if !c.group.is_empty() && columns[*first].group == c.group => {
                *end = i + 1
            }
            _ => spans.push((i, i + 1)),
        }
    }
    spans
}

fn span_width(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * (widths.len() - 1)
}

/// Column widths, the first of a group widened where the group's own heading needs it.
fn widths_under_groups(columns: &[Column]) -> Vec<usize> {
    let mut widths: Vec<usize> = columns.iter().map(Column::width).collect();
    for (first, end) in spans(columns) {
        let missing = wide(columns[first].group).saturating_sub(span_width(&widths[first..end]));
        widths[first] += missing;
    }
    widths
}

/// The line of group headings, each centred in a rule over its columns.
fn groups(name_width: usize, columns: &[Column], widths: &[usize]) -> String {
    let mut line = " ".repeat(name_width);
    for (first, end) in spans(columns) {
        let width = span_width(&widths[first..end]);
        let group = columns[first].group;
        line.push_str(&" ".repeat(GAP));
        let text = if group.is_empty() || wide(group) + 2 > width {
            group.to_owned()
        } else {
            format!(" {group} ")
        };
        let fill = if group.is_empty() { " " } else { "╌" };
        let rest = width - wide(&text);
        line.push_str(&fill.repeat(rest / 2));
        line.push_str(&text);
        line.push_str(&fill.repeat(rest - rest / 2));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(c: &[&str]) -> Vec<String> {
        c.iter().map(|s| s.to_string()).collect()
    }

    #[test]
    fn columns_line_up_and_empty_ones_are_left_out() {
        let mut out = String::new();
        let columns = vec![
            Column::new("count", cells(&["1", "1,000"])),
            Column::new("nothing", cells(&["0", "–"])),
            Column::new("p50", cells(&["0.5", "12.25"])).group("quantiles"),
            Column::new("p99", cells(&["1", "–"])).group("quantiles"),
        ];
        write(&mut out, "THING", &cells(&["a", "a longer name"]), columns);
        let want = "
                        ╌ quantiles ╌
"
        .len();
        assert!(want > 0);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines[2], "THING          count    p50  p99");
        assert_eq!(lines[4], "a                  1    0.5    1");
        assert_eq!(lines[5], "a longer name  1,000  12.25    –");
        assert!(lines[1].contains("quantiles"));
    }

    #[test]
    fn a_table_too_wide_sheds_its_spare_columns() {
        let mut out = String::new();
        let long = |spare| Column::new("x", cells(&[&"9".repeat(40)])).spare(spare);
        write(&mut out, "T", &cells(&["a"]), vec![long(0), long(2), long(1)]);
        assert!(out.lines().all(|l| l.chars().count() <= PAGE));
        assert_eq!(out.matches("9999999999").count(), 8, "two of three are left");
    }
}
