//! The part of a source file that a diagnostic shows.
//!
//! In: a file's text and the labelled ranges in it. Out: a few lines around them as a text of
//! their own, its first line's number, and the ranges moved into it. A line of any length is cut
//! to a window around its labels and a label over many lines to its first, so that what is printed
//! stays short whatever the file is. Ranges that do not fit the text are made to fit.

use std::ops::Range;

/// The longest line that is shown whole, in bytes.
const LONGEST: usize = 300;
/// What a cut line shows before the first label, in bytes.
const BEFORE: usize = 80;
/// The most lines that one label spans.
const TALLEST: usize = 20;
/// Labels further apart than this, in lines, get excerpts of their own.
const APART: usize = 40;
/// Stands for what was cut away.
const CUT: &str = "…";

/// A piece of a file with labelled ranges.
#[derive(Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Whole lines of the file, long ones cut.
    pub text: String,
    /// The number of the first one, from 1.
    pub first_line: usize,
    /// For each label shown here its index in the caller's list and its range in `text`.
    pub labels: Vec<Place>,
    /// Whether a line lacks its beginning, so that columns count from elsewhere.
    pub shifted: bool,
}

/// The index of a label and its range.
type Place = (usize, Range<usize>);

/// Cuts a file into excerpts that together show every range. The first excerpt holds range 0.
pub fn excerpts(source: &str, ranges: &[Range<usize>]) -> Vec<Excerpt> {
    let mut groups: Vec<(Range<usize>, Vec<Place>)> = Vec::new();
    for (index, range) in ranges.iter().enumerate() {
        let range = fit(source, range);
        let lines = line_start(source, range.start)..line_end(source, range.end);
        let near = groups.iter_mut().find(|(shown, _)| gap(source, shown, &lines) <= APART);
        match near {
            Some((shown, labels)) => {
                *shown = shown.start.min(lines.start)..shown.end.max(lines.end);
                labels.push((index, range));
            }
            None => groups.push((lines, vec![(index, range)])),
        }
    }
    groups.into_iter().map(|(lines, labels)| cut(source, lines, labels)).collect()
}

/// Moves a range into the text, onto character boundaries, and cuts it to [`TALLEST`] lines.
fn fit(source: &str, range: &Range<usize>) -> Range<usize> {
    let start = boundary(source, range.start);
    let mut end = boundary(source, range.end).max(start);
    if source[start..end].bytes().filter(|byte| *byte == b'\n').count() >= TALLEST {
        end = line_end(source, start);
    }
    start..end
}

/// The last boundary between characters at or before a byte.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn line_start(source: &str, at: usize) -> usize {
    source[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

fn line_end(source: &str, at: usize) -> usize {
    source[at..].find('\n').map_or(source.len(), |newline| at + newline)
}

/// Lines between two stretches of lines; 0 if they touch or overlap.
fn gap(source: &str, a: &Range<usize>, b: &Range<usize>) -> usize {
    let (above, below) = if a.start <= b.start { (a, b) } else { (b, a) };
    match source.get(above.end..below.start) {
        Some(between) => between.bytes().filter(|byte| *byte == b'\n').count(),
        None => 0,
    }
}

/// Copies the lines, cutting long ones, and moves the labels along.
fn cut(source: &str, lines: Range<usize>, labels: Vec<Place>) -> Excerpt {
    let first_line = 1 + source[..lines.start].bytes().filter(|byte| *byte == b'\n').count();
    let mut text = String::new();
    let mut moved = labels.clone();
    let mut shifted = false;
    let mut start = lines.start;
    for line in source[lines].split('\n') {
        let span = start..start + line.len();
        let window = window(line, start, &labels);
        shifted |= window.start > 0;
        let cut_before = if window.start > 0 { CUT } else { "" };
        let to = text.len() + cut_before.len();
        let said = window.start.max(line.trim_end_matches('\r').len().min(window.end));
        let place = |at: usize| to + (at - start).clamp(window.start, said) - window.start;
        for ((_, was), (_, now)) in labels.iter().zip(&mut moved) {
            if span.contains(&was.start) || span.end == was.start {
                now.start = place(was.start);
            }
            if span.contains(&was.end) || span.end == was.end {
                now.end = place(was.end);
            }
        }
        text += cut_before;
        // The carriage return of a line's end is no part of what it says.
        text += line[window.clone()].trim_end_matches('\r');
        text += if window.end < line.len() { CUT } else { "" };
        text.push('\n');
        start += line.len() + 1;
    }
    // The last newline is not the file's: a label at the end of the file stays on its line.
    text.pop();
    Excerpt { text, first_line, labels: moved, shifted }
}

/// What of a line is shown, relative to its start: all, or [`LONGEST`] bytes about its labels.
fn window(line: &str, start: usize, labels: &[Place]) -> Range<usize> {
    if line.len() <= LONGEST {
        return 0..line.len();
    }
    let end = start + line.len();
    let first = labels
        .iter()
        .flat_map(|(_, range)| [range.start, range.end])
        .filter(|at| (start..=end).contains(at))
        .min()
        .unwrap_or(start);
    let from = boundary(line, (first - start).saturating_sub(BEFORE));
    from..boundary(line, from + LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut_at(source: &str, ranges: &[(usize, usize)]) -> Vec<Excerpt> {
        let ranges: Vec<_> = ranges.iter().map(|(start, end)| *start..*end).collect();
        excerpts(source, &ranges)
    }

    /// What the labels of the only excerpt point at.
    fn shown(source: &str, ranges: &[(usize, usize)]) -> Vec<String> {
        let all = cut_at(source, ranges);
        assert_eq!(all.len(), 1, "{all:?}");
        all[0].labels.iter().map(|(_, range)| all[0].text[range.clone()].to_owned()).collect()
    }

    #[test]
    fn labels_move_with_their_lines() {
        let source = "one\ntwo\nthree\nfour\n";
        let two = (4, 7);
        let four = (14, 18);
        assert_eq!(shown(source, &[four, two]), ["four", "two"]);
        let excerpt = &cut_at(source, &[four, two])[0];
        assert_eq!((excerpt.first_line, excerpt.text.as_str()), (2, "two\nthree\nfour"));
    }

    #[test]
    fn a_long_line_is_cut_around_its_label() {
        let source = format!("a\n{}here{}\nz", "é".repeat(1_000_000), "x".repeat(1_000_000));
        let at = 2 + 2_000_000;
        assert_eq!(shown(&source, &[(at, at + 4)]), ["here"]);
        assert!(cut_at(&source, &[(at, at + 4)])[0].text.len() < 2 * LONGEST);
    }

    #[test]
    fn carriage_returns_at_the_ends_of_lines_are_not_shown() {
        let all = cut_at("one\r\ntwo\r\n", &[(2, 5), (5, 10)]);
        assert_eq!(all[0].text, "one\ntwo\n");
        assert_eq!(shown("one\r\ntwo\r\n", &[(0, 3), (4, 4), (5, 9)]), ["one", "", "two"]);
    }

    #[test]
    fn a_label_over_many_lines_is_cut_to_its_first() {
        let source = "x\n".repeat(1000);
        assert_eq!(shown(&source, &[(0, 2000)]), ["x"]);
    }

    #[test]
    fn far_labels_get_their_own_excerpts() {
        let source = "x\n".repeat(1000);
        let all = cut_at(&source, &[(1000, 1001), (0, 1), (1004, 1005)]);
        assert_eq!(all.iter().map(|e| e.first_line).collect::<Vec<_>>(), [501, 1]);
        assert_eq!(all[0].labels.len(), 2);
    }

    #[test]
    fn ranges_that_do_not_fit_are_made_to_fit() {
        assert_eq!(shown("é", &[(1, 9)]), ["é"]);
        assert_eq!(shown("", &[(5, 2)]), [""]);
        assert_eq!(shown("a\n", &[(2, 2)]), [""]);
    }
}
