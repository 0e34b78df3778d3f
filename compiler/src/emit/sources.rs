//! The program's own text in the emitted crate, so that results can say what made them.
//!
//! It stands behind everything else, as it was written; only a text that Rust would read otherwise
//! (with carriage returns or control characters) is escaped.

use super::{comments, file_name};
use crate::span::SourceMap;

/// `const SOURCES`, a table of file names and texts, the program's own first.
pub fn table(sources: &SourceMap) -> String {
    let entries = sources.files.iter().enumerate().map(|(i, file)| {
        // A library's name is what the program's `use` says; the program's own path says where it lay.
        let name = if i == 0 { file_name(&file.name) } else { &file.name };
        format!("    ({:?}, {}),\n", comments::visible(name), literal(&file.text))
    });
    format!(
        "\n/// The program, for results to say what made them.\nconst SOURCES: &[(&str, &str)] = &[\n{}];\n",
        entries.collect::<String>()
    )
}

/// A string literal that reads as the text does, where that is possible.
fn literal(text: &str) -> String {
    let odd = |c: char| (c.is_control() && c != '\n' && c != '\t') || turns_text(c);
    if text.contains(odd) {
        return format!("{text:?}");
    }
    let hashes = (0..).map(|n| "#".repeat(n)).find(|h| !text.contains(&format!("\"{h}")));
    let hashes = hashes.unwrap_or_default();
    format!("r{hashes}\"{text}\"{hashes}")
}

/// Characters that change the direction of what follows, which rustc does not let stand.
fn turns_text(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_as_it_was() {
        for text in
            ["a\n}\nb\n", "use \"x.sq\";", "\"#", "\"##\"#", "a\r\nb", "\u{202e}x\u{7f}", ""]
        {
            let literal = literal(text);
            let read = syn::parse_str::<syn::LitStr>(&literal).map(|s| s.value());
            assert_eq!(read.ok().as_deref(), Some(text), "{literal}");
        }
        assert_eq!(literal("a\n\"b\""), "r#\"a\n\"b\"\"#");
    }

    #[test]
    fn the_programs_folder_is_left_out() {
        let mut sources = SourceMap::default();
        sources.add("some/where/a.sq", "let a = 1;");
        sources.add("../lib/b.sq", "let b = 1;");
        let table = table(&sources);
        assert!(table.contains("(\"a.sq\", r\"let a = 1;\")"), "{table}");
        assert!(table.contains("(\"../lib/b.sq\", "), "{table}");
    }
}
