//! A macro's tokens as a program's text, and places in that text as tokens again.
//!
//! In: tokens and, where the compiler has it, the text of the call that they stand in. Out: a text with every token at
//! the line and column that it has in the Rust file, so that places in it are places in the file. It is the user's own
//! text, comments and all, with blanks for what is not the program. Where tokens do not stand in that text (some
//! `macro_rules!` made them), they are laid out again by line and column.

use proc_macro2::{Delimiter, LineColumn, Punct, Span, TokenStream, TokenTree};
use std::ops::Range;

/// The macro's call as it stands in a file.
#[derive(Clone, Debug)]
pub struct Call {
    /// The file.
    pub file: String,
    /// From the macro's path to its last bracket.
    pub text: String,
    /// Where that begins.
    pub start: LineColumn,
}

/// A token without its inside.
#[derive(Clone, Debug)]
struct Lexeme {
    /// As the program's text has it; nothing of a documentation comment, which is one token that Rust tells as several.
    text: String,
    span: Span,
}

/// The text of a program and where its tokens are in there.
#[derive(Debug)]
pub struct Source {
    /// The text.
    pub text: String,
    /// Bytes and tokens, in order.
    places: Vec<(Range<usize>, Span)>,
    /// The token to point at where there is none.
    before: Span,
}

impl Source {
    /// The text of `tokens`, which stand in `call` somewhere behind the token `before`.
    pub fn of(tokens: TokenStream, before: Span, call: Option<&Call>) -> Self {
        let mut lexemes = Vec::new();
        flatten(tokens, &mut lexemes);
        let whole = call.and_then(|call| as_written(&lexemes, before, call));
        let (text, ranges) = whole.unwrap_or_else(|| laid_out(&lexemes));
        let places = ranges.into_iter().zip(lexemes.iter().map(|lexeme| lexeme.span)).collect();
        Source { text, places, before }
    }

    /// The first and the last token of a range of bytes. An empty range, or one without a token, is about the token
    /// that ends there, or else about the next one.
    pub fn tokens(&self, range: Range<usize>) -> (Span, Span) {
        let end = range.end.max(range.start + 1);
        let touched = self.places.iter().filter(|(at, _)| at.start < end && at.end > range.start);
        let mut touched = touched.map(|(_, span)| *span);
        if let Some(first) = touched.next() {
            return (first, touched.next_back().unwrap_or(first));
        }
        let next = self.places.partition_point(|(at, _)| at.end <= range.start);
        let ends_here = next > 0 && self.places[next - 1].0.end == range.start;
        let at = if ends_here { next - 1 } else { next.min(self.places.len().saturating_sub(1)) };
        let span = self.places.get(at).map_or(self.before, |(_, span)| *span);
        (span, span)
    }

    /// The string literal that says `text`.
    pub fn literal(&self, text: &str) -> Option<Span> {
        let says = |range: &Range<usize>| {
            self.text[range.clone()].strip_prefix('"').and_then(|rest| rest.strip_suffix('"'))
                == Some(text)
        };
        self.places.iter().find(|(range, _)| says(range)).map(|(_, span)| *span)
    }
}

/// Tokens one after the other, brackets among them.
fn flatten(tokens: TokenStream, out: &mut Vec<Lexeme>) {
    let mut trees = tokens.into_iter();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Group(group) => {
                let [open, close] = match group.delimiter() {
                    Delimiter::Parenthesis => ["(", ")"],
                    Delimiter::Brace => ["{", "}"],
                    Delimiter::Bracket => ["[", "]"],
                    Delimiter::None => ["", ""],
                };
                push(out, open, group.span_open());
                flatten(group.stream(), out);
                push(out, close, group.span_close());
            }
            TokenTree::Punct(pound) if is_documentation(&pound) => {
                // `# [doc = "…"]` or `# ! [doc = "…"]`
                out.push(Lexeme { text: String::new(), span: pound.span() });
                trees.find(|tree| matches!(tree, TokenTree::Group(_)));
            }
            TokenTree::Ident(ident) => push(out, &ident.to_string(), ident.span()),
            TokenTree::Punct(punct) => push(out, &punct.as_char().to_string(), punct.span()),
            TokenTree::Literal(literal) => push(out, &literal.to_string(), literal.span()),
        }
    }
}

fn push(out: &mut Vec<Lexeme>, text: &str, span: Span) {
    if !text.is_empty() {
        out.push(Lexeme { text: text.to_owned(), span });
    }
}

/// The first of the tokens that a documentation comment becomes.
fn is_documentation(pound: &Punct) -> bool {
    pound.as_char() == '#' && pound.span().source_text().is_some_and(|text| is_comment(&text))
}

fn is_comment(text: &str) -> bool {
    text.starts_with("//") || text.starts_with("/*")
}

/// A place in a text that only moves on.
struct Cursor<'t> {
    text: &'t str,
    byte: usize,
    at: LineColumn,
}

impl<'t> Cursor<'t> {
    fn new(text: &'t str) -> Self {
        Cursor { text, byte: 0, at: LineColumn { line: 1, column: 0 } }
    }

    /// Moves to a line, from 1, and a column in characters, from 0; the byte there.
    fn to(&mut self, to: LineColumn) -> Option<usize> {
        let place = |at: LineColumn| (at.line, at.column);
        while place(self.at) < place(to) {
            let next = self.text[self.byte..].chars().next()?;
            self.byte += next.len_utf8();
            self.at = match next {
                '\n' => LineColumn { line: self.at.line + 1, column: 0 },
                _ => LineColumn { column: self.at.column + 1, ..self.at },
            };
        }
        (self.at == to).then_some(self.byte)
    }
}

/// The call's own text, if all tokens stand in it where they say; else nothing.
fn as_written(
    lexemes: &[Lexeme],
    before: Span,
    call: &Call,
) -> Option<(String, Vec<Range<usize>>)> {
    let mut text = "\n".repeat(call.start.line.checked_sub(1)?);
    text.extend(std::iter::repeat_n(' ', call.start.column));
    let inside = call.text.trim_end_matches(|c: char| c == ';' || c.is_whitespace());
    text.push_str(inside.strip_suffix(['}', ')', ']'])?);
    let begin = Cursor::new(&text).to(before.end())?;
    let blank = text[..begin].chars().map(|c| if c == '\n' { '\n' } else { ' ' });
    let text = blank.chain(text[begin..].chars()).collect::<String>();

    let mut cursor = Cursor::new(&text);
    let mut ranges = Vec::with_capacity(lexemes.len());
    for lexeme in lexemes {
        let start = cursor.to(lexeme.span.start())?;
        let end = cursor.to(lexeme.span.end())?;
        let there = &text[start..end];
        // Rust tells names in Unicode's composed form, however they are written.
        let is_it = match lexeme.text.is_empty() {
            true => is_comment(there),
            false => there == lexeme.text || !there.is_ascii(),
        };
        if !is_it {
            return None;
        }
        ranges.push(start..end);
    }
    Some((text, ranges))
}

/// Tokens at their lines and columns; behind the one before where they stand further up or back.
fn laid_out(lexemes: &[Lexeme]) -> (String, Vec<Range<usize>>) {
    let mut text = String::new();
    let mut at = LineColumn { line: 1, column: 0 };
    let mut ranges = Vec::with_capacity(lexemes.len());
    for lexeme in lexemes {
        let to = lexeme.span.start();
        while at.line < to.line {
            text.push('\n');
            at = LineColumn { line: at.line + 1, column: 0 };
        }
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '"');
        let blanks = match to.column.saturating_sub(at.column) {
            n if n > 0 && at.line == to.line => n,
            // Two words that touch are no words of one text.
            _ => usize::from(text.ends_with(is_word) && lexeme.text.starts_with(is_word)),
        };
        text.extend(std::iter::repeat_n(' ', blanks));
        ranges.push(text.len()..text.len() + lexeme.text.len());
        text.push_str(&lexeme.text);
        at.column += blanks + lexeme.text.chars().count();
    }
    (text, ranges)
}
