//! An error with the source line it is about, laid out as rustc does.

use std::fmt::Write;

/// Where an error points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The program's file.
    pub file: &'a str,
    /// From 1; 0 when the place is not known.
    pub line: u32,
    /// From 1, in characters of the source line as it stands in the file.
    pub col: u32,
    /// The source line.
    pub source: &'a str,
}

/// The error as text: heading, place and source line when known, notes.
///
/// A long line is cut to a window around the column, and control characters are written as escapes.
pub fn render_error(
    code: Option<&str>,
    message: &str,
    place: Option<Place>,
    notes: &[String],
) -> String {
    let message = printable(message);
    let mut out = match code {
        Some(code) => format!("error[{code}]: {message}\n"),
        None => format!("error: {message}\n"),
    };
    let place = place.filter(|p| p.line > 0);
    let margin = place.map_or(0, |p| p.line.to_string().len());
    let pad = " ".repeat(margin);
    // Writing to a string cannot fail.
    if let Some(p) = place {
        let (source, before) = window(p.source.trim_end(), p.col);
        let _ = writeln!(out, "{pad}--> {}:{}:{}", printable(p.file), p.line, p.col);
        let _ = writeln!(out, "{pad} |\n{} | {source}", p.line);
        let _ = writeln!(out, "{pad} | {before}^");
    }
    let mark = if place.is_some() { format!("{pad} = ") } else { String::new() };
    for note in notes {
        let _ = writeln!(out, "{mark}{}", printable(note));
    }
    out
}

/// The most characters of a source line that are shown, and of those the most before the column.
const SHOWN: usize = 300;
const BEFORE: usize = 80;
/// Stands for what was cut away.
const CUT: &str = "…";

/// What is shown of a line, and white space up to the column in it, with the line's own tabs.
fn window(source: &str, col: u32) -> (String, String) {
    let before = (col.max(1) - 1) as usize;
    let length = source.chars().count();
    let before = before.min(length);
    let (from, cut) = match length > SHOWN && before > BEFORE {
        true => (before - BEFORE, CUT),
        false => (0, ""),
    };
    let mut shown = cut.to_owned();
    let mut indent = " ".repeat(cut.chars().count());
    for (i, c) in source.chars().enumerate().skip(from).take(SHOWN) {
        let start = shown.len();
        push_printable(&mut shown, c);
        if i < before {
            let width = shown[start..].chars().count();
            indent.push_str(&if c == '\t' { "\t".to_owned() } else { " ".repeat(width) });
        }
    }
    if from + SHOWN < length {
        shown.push_str(CUT);
    }
    (shown, indent)
}

/// Text that cannot move a terminal's cursor.
fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| push_printable(&mut out, c));
    out
}

fn push_printable(out: &mut String, c: char) {
    if c.is_control() && c != '\t' {
        out.extend(c.escape_default());
    } else {
        out.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_line_is_shown() {
        let place = Place { file: "a.sq", line: 12, col: 5, source: "    run d (x);" };
        let text = render_error(Some("E0301"), "work is NaN", Some(place), &["session 3".into()]);
        assert_eq!(
            text,
            "error[E0301]: work is NaN\n  --> a.sq:12:5\n   |\n12 |     run d (x);\n   |     ^\n   = session 3\n"
        );
    }

    #[test]
    fn a_long_line_is_cut_and_control_characters_are_escaped() {
        let source = format!("{}\tx\u{1b}[31m", "é".repeat(9_000));
        let place = Place { file: "a\u{1b}.sq", line: 1, col: 9_002, source: &source };
        let text = render_error(None, "\u{7}", Some(place), &[]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["error: \\u{7}", " --> a\\u{1b}.sq:1:9002"]);
        assert!(lines[3].ends_with("éé\tx\\u{1b}[31m") && lines[3].len() < 400, "{text}");
        assert!(lines[3].starts_with("1 | …é"), "{text}");
        assert_eq!(lines[4].strip_prefix("  | "), Some(&*format!("{}\t^", " ".repeat(80))));
    }

    #[test]
    fn without_a_place_only_the_message() {
        assert_eq!(render_error(None, "no horizon", None, &[]), "error: no horizon\n");
    }
}
