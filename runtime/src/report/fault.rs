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
/// The column is marked when the source line still has its indentation (or needs none).
pub fn render_error(
    code: Option<&str>,
    message: &str,
    place: Option<Place>,
    notes: &[String],
) -> String {
    let mut out = match code {
        Some(code) => format!("error[{code}]: {message}\n"),
        None => format!("error: {message}\n"),
    };
    let place = place.filter(|p| p.line > 0);
    let margin = place.map_or(0, |p| p.line.to_string().len());
    let pad = " ".repeat(margin);
    // Writing to a string cannot fail.
    if let Some(p) = place {
        let source = p.source.trim_end();
        let _ = writeln!(out, "{pad}--> {}:{}:{}", p.file, p.line, p.col);
        let _ = writeln!(out, "{pad} |\n{} | {source}", p.line);
        match caret(source, p.col) {
            Some(indent) => {
                let _ = writeln!(out, "{pad} | {indent}^");
            }
            None => {
                let _ = writeln!(out, "{pad} |");
            }
        }
    }
    let mark = if place.is_some() { format!("{pad} = ") } else { String::new() };
    for note in notes {
        let _ = writeln!(out, "{mark}{note}");
    }
    out
}

/// White space up to the column, with the line's own tabs; `None` when the line's indentation was cut off.
fn caret(source: &str, col: u32) -> Option<String> {
    let before = col.checked_sub(1)? as usize;
    let inside = before < source.chars().count();
    let indented = source.starts_with(char::is_whitespace) || before == 0;
    (inside && indented)
        .then(|| source.chars().take(before).map(|c| if c == '\t' { c } else { ' ' }).collect())
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
    fn without_a_place_only_the_message() {
        assert_eq!(render_error(None, "no horizon", None, &[]), "error: no horizon\n");
    }
}
