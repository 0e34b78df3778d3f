//! `//` comments in emitted code.
//!
//! Token streams hold no plain comments. The emitter writes `serq_comment!("text");` where one
//! belongs; after printing, each such line becomes `// text`.

/// Turns the markers in printed code into comments, and sets items apart by empty lines.
pub fn restore(printed: &str) -> String {
    let mut out = String::with_capacity(printed.len());
    let mut lines = printed.lines().peekable();
    while let Some(line) = lines.next() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let whole = if line.trim() == MARKER {
            // A long marker stands on three lines.
            let text = lines.next().unwrap_or("").trim();
            lines.next();
            format!("{MARKER}{text});")
        } else {
            line.trim().to_string()
        };
        match marker(&whole) {
            Some(text) => {
                out.push_str(indent);
                out.push_str("// ");
                out.push_str(text.trim_end());
            }
            None => out.push_str(line),
        }
        out.push('\n');
        let ends_item = line == "}" || line == "    }" || line.starts_with("use ");
        if ends_item && lines.peek().is_some_and(|next| !next.trim().starts_with('}')) {
            out.push('\n');
        }
    }
    out
}

const MARKER: &str = "serq_comment!(";

fn marker(line: &str) -> Option<String> {
    let quoted = line.strip_prefix(MARKER)?;
    let quoted = quoted.strip_suffix(");").or_else(|| quoted.strip_suffix(')'))?;
    syn::parse_str::<syn::LitStr>(quoted).ok().map(|s| s.value())
}

/// A source line as an error shows it: whole, so that columns stay right, unless it is very long.
pub fn line_of(line: &str) -> String {
    let line = line.trim_end();
    if line.chars().count() <= 240 { visible(line) } else { code_of(line) }
}

/// A source line without its trailing comment, on one line, short enough to stand as a comment.
pub fn code_of(line: &str) -> String {
    let code = line.split("//").next().unwrap_or("").trim();
    let code = visible(code).replace('\t', " ");
    if code.chars().count() <= 100 {
        return code;
    }
    let cut: String = code.chars().take(97).collect();
    format!("{cut}...")
}

/// Text from outside, as it may stand in emitted code: nothing in it ends the line, moves a cursor or
/// turns the direction of writing (which rustc refuses). As many characters as before.
pub fn visible(text: &str) -> String {
    let turns = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let unseen = |c: char| c.is_control() && c != '\t' || turns(c);
    text.chars().map(|c| if unseen(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
