//! `//` comments in emitted code.
//!
//! Token streams hold no plain comments. The emitter writes `serq_comment!("text");` where one
//! belongs; after printing, each such line becomes `// text`.

/// Turns the markers in printed code into comments.
pub fn restore(printed: &str) -> String {
    let mut out = String::with_capacity(printed.len());
    for line in printed.lines() {
        let indent = &line[..line.len() - line.trim_start().len()];
        match marker(line.trim()) {
            Some(text) => {
                out.push_str(indent);
                out.push_str("// ");
                out.push_str(text.trim_end());
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

fn marker(line: &str) -> Option<String> {
    let quoted = line.strip_prefix("serq_comment!(")?;
    let quoted = quoted.strip_suffix(");").or_else(|| quoted.strip_suffix(')'))?;
    syn::parse_str::<syn::LitStr>(quoted).ok().map(|s| s.value())
}

/// A source line as an error shows it: whole, so that columns stay right, unless it is very long.
pub fn line_of(line: &str) -> String {
    let line = line.trim_end();
    if line.chars().count() <= 240 { line.to_string() } else { code_of(line) }
}

/// A source line without its trailing comment, on one line, short enough to stand as a comment.
pub fn code_of(line: &str) -> String {
    let code = line.split("//").next().unwrap_or("").trim();
    let code: String = code.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if code.chars().count() <= 100 {
        return code;
    }
    let cut: String = code.chars().take(97).collect();
    format!("{cut}...")
}
