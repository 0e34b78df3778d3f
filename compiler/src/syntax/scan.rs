//! One quick pass over the text before the grammar sees it. In: a file's text; out: its tokens and
//! comments, where each top-level item begins and ends, and what is wrong already at this level.
//!
//! The grammar is recursive, so the depth of nesting is bounded here, by counting, on a heap. The
//! tokens serve messages, recovery and the formatter; what they mean is the grammar's business.

use std::ops::Range;

use super::ast::Comment;
use super::errors;
use crate::diag::Diagnostic;
use crate::span::{FileId, Span};

/// Greatest size of a file in bytes.
pub(super) const MAX_BYTES: usize = 16 << 20;
/// Greatest number of tokens in a file.
pub(super) const MAX_TOKENS: usize = 500_000;
/// Greatest length in bytes of one name, number or string.
const MAX_TOKEN_BYTES: usize = 4096;
/// Greatest depth: what the braces and brackets open around a place and the operators of the
/// expressions around it cost together. It bounds the depth of the tree that later phases walk,
/// and the stack that the parser needs: about 1.4 MB in a debug build. A prefix, a `^` and a `?`
/// cost 1 each; of the operators that are applied from the left each level costs 1, however many
/// stand in a row.
const MAX_DEPTH: u32 = 200;
/// What an open brace costs: 50 of them may nest.
const BRACE: u32 = 4;
/// What an open bracket costs: 100 of them may nest.
const BRACKET: u32 = 2;

/// What a token is, as far as this phase asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// A name or a word of the language.
    Word,
    /// A number, well formed or not.
    Number,
    /// A string that is closed on its line.
    Str,
    /// A string that is not.
    OpenStr,
    /// `(` `[` `{`
    Open(u8),
    /// `)` `]` `}`
    Close(u8),
    /// `;`
    Semi,
    /// `,`
    Comma,
    /// An operator of expressions; if it is applied from the left, its level as a bit.
    Operator(Option<u8>),
    /// Other punctuation of the language: `=` `:` `.` `~`.
    Other,
    /// A character that the language does not use.
    Bad,
}

/// A token and its bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Token {
    /// Whether an operand may end with it, so that a `-` behind it takes two.
    fn ends_operand(&self) -> bool {
        match self.kind {
            TokenKind::Word
            | TokenKind::Number
            | TokenKind::Str
            | TokenKind::OpenStr
            | TokenKind::Close(_)
            | TokenKind::Bad => true,
            TokenKind::Open(_)
            | TokenKind::Semi
            | TokenKind::Comma
            | TokenKind::Operator(_)
            | TokenKind::Other => false,
        }
    }
}

/// The tokens of one top-level item.
#[derive(Clone, Debug)]
pub(super) struct ItemTokens {
    /// Which of [`Scan::tokens`].
    pub(super) tokens: Range<usize>,
    /// The file ended inside it; the token is the innermost brace left open, if one is.
    pub(super) open_at_end: bool,
    /// The token of the innermost `{` that is never closed.
    pub(super) unclosed: Option<usize>,
    /// It nests too deeply to be parsed; said among [`Scan::problems`].
    pub(super) too_deep: bool,
}

/// What the pass finds.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Vec<Comment>,
    pub(super) items: Vec<ItemTokens>,
    /// Errors of this level, in order.
    pub(super) problems: Vec<Diagnostic>,
    /// The text cannot be read past its last token: a comment is never closed, or it is too long.
    pub(super) cut_short: bool,
}

/// Reads the whole text.
pub(super) fn scan(file: FileId, text: &str) -> Scan {
    let mut out = Scan::default();
    if text.len() > MAX_BYTES {
        out.problems.push(errors::too_large(Span { file, start: 0, end: 0 }));
        out.cut_short = true;
        return out;
    }
    lex(file, text, &mut out);
    split(file, &mut out);
    out
}

fn lex(file: FileId, text: &str, out: &mut Scan) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        let next = bytes.get(at + 1).copied().unwrap_or(0);
        let span = |end: usize| Span { file, start: start as u32, end: end as u32 };
        let kind = match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => {
                at += 1;
                continue;
            }
            b'/' if next == b'/' => {
                at = find(bytes, at, b"\n").unwrap_or(bytes.len());
                let text = text[start + 2..at].trim().to_string();
                out.comments.push(Comment { span: span(at), text });
                continue;
            }
            b'/' if next == b'*' => {
                let Some(end) = find(bytes, at + 2, b"*/") else {
                    out.problems.push(errors::open_comment(span(start + 2)));
                    out.cut_short = true;
                    return;
                };
                at = end + 2;
                let text = text[start + 2..end].trim().to_string();
                out.comments.push(Comment { span: span(at), text });
                continue;
            }
            b'"' => {
                at += 1;
                while at < bytes.len() && !matches!(bytes[at], b'"' | b'\n' | b'\r') {
                    at += 1;
                }
                if bytes.get(at) == Some(&b'"') {
                    at += 1;
                    TokenKind::Str
                } else {
                    out.problems.push(errors::open_string(span(at)));
                    TokenKind::OpenStr
                }
            }
            b'0'..=b'9' => {
                at = number_end(text, at);
                TokenKind::Number
            }
            b'.' if next.is_ascii_digit() => {
                at = number_end(text, at);
                TokenKind::Number
            }
            b'(' | b'[' | b'{' => {
                at += 1;
                TokenKind::Open(byte)
            }
            b')' | b']' | b'}' => {
                at += 1;
                TokenKind::Close(byte)
            }
            b';' => {
                at += 1;
                TokenKind::Semi
            }
            b',' => {
                at += 1;
                TokenKind::Comma
            }
            b'&' | b'|' if next == byte => {
                at += 2;
                TokenKind::Operator(Some(if byte == b'|' { 1 << 0 } else { 1 << 1 }))
            }
            b'<' | b'>' | b'=' | b'!' if next == b'=' => {
                at += 2;
                TokenKind::Operator(Some(1 << 2))
            }
            b'<' | b'>' => {
                at += 1;
                TokenKind::Operator(Some(1 << 2))
            }
            b'*' | b'/' => {
                at += 1;
                TokenKind::Operator(Some(1 << 4))
            }
            b'+' | b'-' => {
                at += 1;
                let infix = byte == b'+' || out.tokens.last().is_some_and(Token::ends_operand);
                TokenKind::Operator(infix.then_some(1 << 3))
            }
            b'!' | b'^' | b'?' => {
                at += 1;
                TokenKind::Operator(None)
            }
            b'=' | b':' | b'.' | b'~' => {
                at += 1;
                TokenKind::Other
            }
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => {
                at = word_end(text, at);
                TokenKind::Word
            }
            _ if byte < 0x80 => {
                at += 1;
                TokenKind::Bad
            }
            _ => {
                let first = text[at..].chars().next().unwrap_or(' ');
                if first.is_whitespace() || first == '\u{FEFF}' {
                    at += first.len_utf8();
                    continue;
                }
                // Which of these may stand in a name the grammar says.
                at = word_end(text, at);
                if first.is_alphabetic() { TokenKind::Word } else { TokenKind::Bad }
            }
        };
        if out.tokens.len() == MAX_TOKENS || at - start > MAX_TOKEN_BYTES {
            // No program, and not worth reading a part of.
            let problem = if at - start > MAX_TOKEN_BYTES {
                errors::long_token(span(at), MAX_TOKEN_BYTES)
            } else {
                errors::too_large(span(at))
            };
            *out = Scan { problems: vec![problem], cut_short: true, ..Scan::default() };
            return;
        }
        out.tokens.push(Token { kind, start: start as u32, end: at as u32 });
    }
}

/// Where the name that starts at `at` ends.
fn word_end(text: &str, at: usize) -> usize {
    let in_word = |c: char| {
        c.is_ascii_alphanumeric()
            || c == '_'
            || (!c.is_ascii() && !c.is_whitespace() && c != '\u{FEFF}')
    };
    text[at..].find(|c| !in_word(c)).map_or(text.len(), |n| at + n)
}

/// Where the number that starts at `at` ends, with whatever letters hang on to it.
fn number_end(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    loop {
        let end = word_end(text, at);
        let exponent = at < end && matches!(bytes[end - 1], b'e' | b'E');
        match bytes.get(end) {
            Some(b'.') => at = end + 1,
            Some(b'+' | b'-') if exponent && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) => {
                at = end + 1;
            }
            _ => return end,
        }
    }
}

/// Where `what` is next found from `from` on.
fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let first = what[0];
    let mut at = from;
    loop {
        at += bytes.get(at..)?.iter().position(|b| *b == first)?;
        if bytes[at..].starts_with(what) {
            return Some(at);
        }
        at += 1;
    }
}

/// An open bracket or brace.
struct Level {
    /// The token that opened it.
    token: usize,
    /// [`BRACE`] or [`BRACKET`].
    cost: u32,
    /// Of the expression directly inside it, so far.
    operators: Operators,
}

/// Operators of one expression.
#[derive(Clone, Copy, Default)]
struct Operators {
    /// What they cost.
    cost: u32,
    /// Levels of those that are applied from the left.
    levels: u8,
}

/// What is open around a place.
#[derive(Default)]
struct Depth {
    levels: Vec<Level>,
    /// Braces among them.
    braces: u32,
    /// Operators outside all of them.
    outside: Operators,
    /// What all of it costs.
    cost: u32,
}

impl Depth {
    fn open(&mut self, token: usize, cost: u32) {
        self.levels.push(Level { token, cost, operators: Operators::default() });
        self.braces += u32::from(cost == BRACE);
        self.cost += cost;
    }

    /// Closes the innermost level if it is of this cost.
    fn close(&mut self, cost: u32) -> bool {
        if self.levels.last().is_none_or(|level| level.cost != cost) {
            return false;
        }
        self.end_expression();
        self.levels.pop();
        self.braces -= u32::from(cost == BRACE);
        self.cost -= cost;
        true
    }

    fn operators(&mut self) -> &mut Operators {
        self.levels.last_mut().map_or(&mut self.outside, |level| &mut level.operators)
    }

    fn operator(&mut self, level: Option<u8>) {
        let operators = self.operators();
        if level.is_some_and(|level| operators.levels & level != 0) {
            return;
        }
        operators.levels |= level.unwrap_or(0);
        operators.cost += 1;
        self.cost += 1;
    }

    fn end_expression(&mut self) {
        self.cost -= std::mem::take(self.operators()).cost;
    }

    /// No expression goes on past a `;` or a brace: brackets left open are forgotten.
    fn end_statement(&mut self) {
        while self.close(BRACKET) {}
        self.end_expression();
    }
}

/// Finds the items and how deep they nest.
fn split(file: FileId, out: &mut Scan) {
    let mut depth = Depth::default();
    let mut first = 0;
    let mut too_deep = false;
    let mut at = 0;
    while at < out.tokens.len() {
        let token = out.tokens[at];
        let mut item_ends = false;
        match token.kind {
            TokenKind::Semi => {
                depth.end_statement();
                item_ends = depth.braces == 0;
            }
            TokenKind::Open(b'{') => {
                depth.end_statement();
                depth.open(at, BRACE);
            }
            TokenKind::Close(b'}') => {
                depth.end_statement();
                depth.close(BRACE);
                item_ends = depth.braces == 0;
                // A `;` behind a block stays with its item, which knows whether it may.
                if item_ends && out.tokens.get(at + 1).is_some_and(|t| t.kind == TokenKind::Semi) {
                    at += 1;
                }
            }
            TokenKind::Open(_) => depth.open(at, BRACKET),
            TokenKind::Close(_) => {
                depth.close(BRACKET);
            }
            TokenKind::Comma => depth.end_expression(),
            TokenKind::Operator(level) => depth.operator(level),
            TokenKind::Word
            | TokenKind::Number
            | TokenKind::Str
            | TokenKind::OpenStr
            | TokenKind::Other
            | TokenKind::Bad => {}
        }
        if depth.cost > MAX_DEPTH && !too_deep {
            too_deep = true;
            let span = Span { file, start: token.start, end: token.end };
            let (braces, brackets) = (MAX_DEPTH / BRACE, MAX_DEPTH / BRACKET);
            out.problems.push(errors::too_deep(span, braces, brackets, MAX_DEPTH));
        }
        at += 1;
        if item_ends {
            let tokens = first..at;
            out.items.push(ItemTokens { tokens, open_at_end: false, unclosed: None, too_deep });
            first = at;
            too_deep = false;
        }
    }
    if first < out.tokens.len() {
        let unclosed = depth.levels.iter().rev().find(|l| l.cost == BRACE).map(|l| l.token);
        let tokens = first..out.tokens.len();
        out.items.push(ItemTokens { tokens, open_at_end: true, unclosed, too_deep });
    }
}

/// The brackets and braces of a text in order, without those in comments and strings.
pub fn brackets(text: &str) -> Vec<char> {
    let scanned = scan(FileId::default(), text);
    let kinds = scanned.tokens.iter().filter_map(|token| match token.kind {
        TokenKind::Open(byte) | TokenKind::Close(byte) => Some(char::from(byte)),
        _ => None,
    });
    kinds.collect()
}

/// Where the words of a text stand, names and words of the language alike: first byte, and one past
/// the last.
pub fn words(text: &str) -> Vec<(u32, u32)> {
    let scanned = scan(FileId::default(), text);
    let words = scanned.tokens.iter().filter(|token| token.kind == TokenKind::Word);
    words.map(|token| (token.start, token.end)).collect()
}
