//! From pest's pairs to the tree of [`super::ast`]. In: what the grammar read; out: nodes.
//!
//! The grammar has settled the shape; what is decided here is precedence (`expr`), which reading of
//! `run prefill (x)` holds (`stmt`), and where an index stands (`expr`). The one error left to find
//! is a comparison that chains.

mod expr;
mod item;
mod queue;
mod stmt;

use std::iter::Peekable;

use pest::iterators::{Pair, Pairs};

use super::ast::{Name, Node, Str};
use super::grammar::Rule;
use super::scan::Token;
use crate::diag::Diagnostic;
use crate::span::{FileId, Span};

/// The grammar read something that has no tree: a bug here, never the user's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unbuilt;

/// A node, unless grammar and builder disagree.
pub(super) type Built<T> = Result<T, Unbuilt>;

/// Makes the tree of one item or expression.
pub(super) struct Builder<'a> {
    file: FileId,
    /// The file's tokens.
    tokens: &'a [Token],
    /// Where in the file the parsed text begins.
    base: usize,
    /// Inside the body of a queue's entry.
    in_entry: bool,
    /// Errors found on the way; the tree is then not to be used.
    pub(super) errors: Vec<Diagnostic>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(file: FileId, tokens: &'a [Token], base: usize) -> Self {
        Builder { file, tokens, base, in_entry: false, errors: Vec::new() }
    }

    /// The place of a pair, without the space that pest counts to it before what is optional.
    fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let span = pair.as_span();
        let (start, end) = ((self.base + span.start()) as u32, (self.base + span.end()) as u32);
        let after = self.tokens.partition_point(|token| token.start < end);
        let last = after.checked_sub(1).map_or(end, |last| self.tokens[last].end);
        Span { file: self.file, start, end: last.min(end).max(start) }
    }

    fn node<T>(&self, pair: &Pair<'_, Rule>, kind: T) -> Node<T> {
        Node { kind, span: self.span(pair) }
    }

    fn name(&self, pair: Pair<'_, Rule>) -> Name {
        self.node(&pair, pair.as_str().to_string())
    }

    fn string(&self, pair: Pair<'_, Rule>) -> Str {
        self.node(&pair, pair.as_str().trim_matches('"').to_string())
    }
}

/// The parts of a construct that carry meaning, in order: its words and punctuation are passed
/// over unless asked for.
struct Parts<'a>(Peekable<Pairs<'a, Rule>>);

impl<'a> Parts<'a> {
    fn of(pair: Pair<'a, Rule>) -> Self {
        Parts(pair.into_inner().peekable())
    }

    /// Passes over words and punctuation up to the next part.
    fn peek(&mut self) -> Option<Rule> {
        while self.0.next_if(|pair| is_word_or_mark(pair.as_rule())).is_some() {}
        self.0.peek().map(|pair| pair.as_rule())
    }

    /// The next part if it is a `rule`.
    fn maybe(&mut self, rule: Rule) -> Option<Pair<'a, Rule>> {
        if self.peek() == Some(rule) { self.0.next() } else { None }
    }

    /// The next part, which is a `rule`.
    fn need(&mut self, rule: Rule) -> Built<Pair<'a, Rule>> {
        self.maybe(rule).ok_or(Unbuilt)
    }

    /// The next part, whatever it is.
    fn any(&mut self) -> Option<Pair<'a, Rule>> {
        self.peek();
        self.0.next()
    }

    /// Does a word stand before the next part?
    fn word(&mut self, rule: Rule) -> bool {
        while let Some(pair) = self.0.next_if(|pair| is_word_or_mark(pair.as_rule())) {
            if pair.as_rule() == rule {
                return true;
            }
        }
        false
    }
}

/// The words that are a choice in themselves, as `name` and `mode` are, are wrapped in rules of
/// their own, so these may be passed over.
fn is_word_or_mark(rule: Rule) -> bool {
    match rule {
        Rule::semi
        | Rule::comma
        | Rule::colon
        | Rule::dot
        | Rule::question
        | Rule::tilde
        | Rule::assign
        | Rule::open_paren
        | Rule::close_paren
        | Rule::open_bracket
        | Rule::close_bracket
        | Rule::open_brace
        | Rule::close_brace
        | Rule::pull_ahead
        | Rule::entry_ahead
        | Rule::use_ahead
        | Rule::call_ahead
        | Rule::on_ahead
        | Rule::aggregate_ahead
        | Rule::stmt_word
        | Rule::call_tail
        | Rule::dot_tail
        | Rule::EOI => true,
        other => other >= Rule::kw_let && other <= Rule::kw_tool,
    }
}
