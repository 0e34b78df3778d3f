//! Laying out a document as `serqc fmt` does: one edit of the part that changes.

use lsp_types::{DocumentFormattingParams, Range, TextEdit};
use serq_compiler::syntax;

use super::place::Lines;
use super::server::{Answer, Server};

impl Server {
    /// The edit that lays a document out; none for one that does not parse.
    pub fn format(&mut self, params: DocumentFormattingParams) -> Answer<Option<Vec<TextEdit>>> {
        let path = self.path(&params.text_document.uri);
        let Some(document) = self.documents.get(&path) else { return Ok(None) };
        let text = &document.text;
        if text.trim().is_empty() {
            return Ok(None);
        }
        let Ok(formatted) = syntax::format(text) else { return Ok(None) };
        Ok(Some(edit(text, &formatted).into_iter().collect()))
    }
}

/// The edit from one text to another.
fn edit(before: &str, after: &str) -> Option<TextEdit> {
    if before == after {
        return None;
    }
    let same = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let start = boundary(before, after, same);
    let (old, new) = (&before[start..], &after[start..]);
    let same = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count();
    let mut kept = same;
    while !old.is_char_boundary(old.len() - kept) || !new.is_char_boundary(new.len() - kept) {
        kept -= 1;
    }
    let lines = Lines::new(before);
    let position = |byte| lines.position(before, byte);
    Some(TextEdit {
        range: Range::new(position(start), position(before.len() - kept)),
        new_text: new[..new.len() - kept].to_owned(),
    })
}

/// The last place up to `at` where a character begins in both texts.
fn boundary(one: &str, other: &str, mut at: usize) -> usize {
    while !one.is_char_boundary(at) || !other.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_leads_from_one_text_to_the_other() {
        let pairs = [
            ("let  a=1;", "let a = 1;\n"),
            ("é𝄞b", "é𝄟b"),
            ("aaa", "aa"),
            ("", "x"),
            ("x\n\n", "x\n"),
            ("é", "è"),
        ];
        for (before, after) in pairs {
            let edit = edit(before, after).unwrap();
            let lines = Lines::new(before);
            let byte = |position| lines.byte(before, position);
            let mut text = before.to_owned();
            text.replace_range(byte(edit.range.start)..byte(edit.range.end), &edit.new_text);
            assert_eq!(text, after, "{before:?}");
        }
        assert_eq!(edit("same", "same"), None);
    }
}
