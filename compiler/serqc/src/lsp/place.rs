//! Places: bytes of a text, and the protocol's positions, which count lines from 0 and columns in
//! UTF-16 units.

use lsp_types::{Position, Range};
use serq_compiler::span::Span;

/// Where the lines of a text begin.
#[derive(Clone, Debug)]
pub struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// The lines of a text: a line ends with `\n`, `\r\n` or `\r`.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        Lines { starts: std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect() }
    }

    /// The position of a byte; one inside a character counts as the character's first.
    pub fn position(&self, text: &str, byte: usize) -> Position {
        let mut byte = byte.min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= byte) - 1;
        let before = &text[self.starts[line]..byte];
        Position::new(line as u32, before.encode_utf16().count() as u32)
    }

    /// The byte of a position. One past the end of its line is that end, one past the last line the
    /// end of the text, one inside a character its first byte.
    pub fn byte(&self, text: &str, position: Position) -> usize {
        let Some(start) = self.starts.get(position.line as usize) else { return text.len() };
        let end = self.starts.get(position.line as usize + 1).map_or(text.len(), |next| *next);
        let line = text[*start..end].trim_end_matches(['\n', '\r']);
        let mut left = position.character as usize;
        for (at, c) in line.char_indices() {
            if left < c.len_utf16() {
                return start + at;
            }
            left -= c.len_utf16();
        }
        start + line.len()
    }

    /// The range of a span.
    pub fn range(&self, text: &str, span: Span) -> Range {
        let position = |byte| self.position(text, byte as usize);
        Range::new(position(span.start), position(span.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf16_units() {
        let text = "é𝄞x\r\n\u{4e16}y\rz";
        let lines = Lines::new(text);
        let at = |byte| {
            let position = lines.position(text, byte);
            (position.line, position.character)
        };
        assert_eq!(at(0), (0, 0));
        assert_eq!(at(1), (0, 0), "inside a character");
        assert_eq!(at(2), (0, 1));
        assert_eq!(at(6), (0, 3), "a pair of surrogates");
        assert_eq!(at(9), (1, 0));
        assert_eq!(at(12), (1, 1));
        assert_eq!(at(14), (2, 0));
        assert_eq!(at(99), (2, 1));
    }

    #[test]
    fn positions_lead_back_and_are_never_outside() {
        let text = "é𝄞x\r\n\u{4e16}y\n";
        let lines = Lines::new(text);
        for (byte, _) in text.char_indices().filter(|(_, c)| !matches!(c, '\r' | '\n')) {
            assert_eq!(lines.byte(text, lines.position(text, byte)), byte);
        }
        assert_eq!(lines.byte(text, Position::new(0, 2)), 2, "inside a pair of surrogates");
        assert_eq!(lines.byte(text, Position::new(0, 99)), 7);
        assert_eq!(lines.byte(text, Position::new(1, 99)), 13);
        assert_eq!(lines.byte(text, Position::new(2, 0)), 14);
        assert_eq!(lines.byte(text, Position::new(9, 9)), text.len());
    }
}
