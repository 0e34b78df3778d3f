//! The words of the grammar: all of them, and those that may stand at a place.

use std::collections::BTreeSet;

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};

use super::ast::{ExprKind, Node};
use super::grammar::{Grammar, Rule};
use super::scan::{self, TokenKind};
use super::tried;
use crate::span::{FileId, Span};

/// The text of the grammar.
const GRAMMAR: &str = include_str!("grammar.pest");

/// Every word that the grammar knows, in the order of the alphabet. They are reserved by position
/// only.
pub fn keywords() -> BTreeSet<&'static str> {
    let lines = GRAMMAR.lines().map(|line| match line.find("// ") {
        Some(0) => "",
        _ => line,
    });
    let quoted = lines.flat_map(|line| line.split('"').skip(1).step_by(2));
    quoted.filter(|text| text.len() > 1 && text.bytes().all(|b| b.is_ascii_lowercase())).collect()
}

/// Whether a text is a name as the grammar has them: one that may stand for a value.
pub fn is_name(text: &str) -> bool {
    matches!(
        super::parse_expr(FileId::default(), text),
        Ok(Node { kind: ExprKind::Name(name), .. }) if name == text
    )
}

/// The words that may go on a file's text that ends at `byte`.
pub fn words_at(text: &str, byte: usize) -> BTreeSet<&'static str> {
    let Some(before) = text.get(..byte) else { return BTreeSet::new() };
    let scan = scan::scan(FileId::default(), before);
    let item = match scan.items.last() {
        Some(item) if item.open_at_end => item,
        _ => return tried::words_of(Rule::item).iter().copied().collect(),
    };
    let (Some(first), Some(last)) =
        (scan.tokens.get(item.tokens.start), scan.tokens.get(item.tokens.end - 1))
    else {
        return BTreeSet::new();
    };
    let Err(error) = Grammar::parse(Rule::item_alone, &before[first.start as usize..]) else {
        return BTreeSet::new();
    };
    let at = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at + first.start as usize,
    };
    // What is wrong before the place says nothing about it.
    if at < last.end as usize || item.too_deep {
        return BTreeSet::new();
    }
    let ErrorVariant::ParsingError { positives, .. } = error.variant else {
        return BTreeSet::new();
    };
    let known = keywords();
    positives.iter().flat_map(|rule| words(*rule, &known)).collect()
}

/// The words that begin what a rule stands for.
fn words(rule: Rule, known: &BTreeSet<&'static str>) -> Vec<&'static str> {
    match rule {
        Rule::mode => vec!["prefill", "decode"],
        Rule::on_stage | Rule::on_stages => vec!["on"],
        Rule::target => vec!["to"],
        Rule::admission | Rule::at_arrival | Rule::kw_at => vec!["at"],
        Rule::base_order => tried::words_of(Rule::serve_order).to_vec(),
        Rule::plain_kind => vec!["fifo", "ps", "delay"],
        Rule::pull_item | Rule::mover => vec!["pull", "push"],
        Rule::call_or_ref | Rule::expr => vec!["inf", "self", "max", "min", "sum"],
        rule => match tried::words_of(rule) {
            [] => {
                let name = format!("{rule:?}");
                let word = name.strip_prefix("kw_").unwrap_or(&name);
                known.get(word).copied().into_iter().collect()
            }
            words => words.to_vec(),
        },
    }
}

/// The name around a byte: empty where none is. `None` in a comment, a string or a number, where
/// no name can be begun.
pub fn name_around(text: &str, byte: usize) -> Option<Span> {
    let part = |c: char| c == '_' || c.is_alphanumeric();
    let start = text
        .get(..byte)?
        .rfind(|c| !part(c))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let end = text[byte..].find(|c| !part(c)).map_or(text.len(), |at| byte + at);
    let file = FileId::default();
    let scan = scan::scan(file, text);
    let inside = |span: &Span| (span.start as usize) < byte && byte <= span.end as usize;
    // A block comment that ends here is left.
    let commented = scan
        .comments
        .iter()
        .any(|c| inside(&c.span) && !(byte == c.span.end as usize && text[..byte].ends_with("*/")));
    let literal = scan.tokens.iter().any(|token| {
        let kinds = [TokenKind::Str, TokenKind::OpenStr, TokenKind::Number];
        kinds.contains(&token.kind)
            && (token.start as usize) < byte
            && (byte < token.end as usize
                || token.kind != TokenKind::Str && byte == token.end as usize)
    });
    let open_comment =
        scan.cut_short && scan.tokens.last().is_none_or(|t| (t.end as usize) < start);
    if commented || literal || open_comment {
        return None;
    }
    Some(Span { file, start: start as u32, end: end as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_end(text: &str) -> Vec<&'static str> {
        words_at(text, text.len()).into_iter().collect()
    }

    #[test]
    fn words_are_those_of_the_position() {
        assert!(at_end("").contains(&"workload"));
        assert!(at_end("let a = 1;\n").contains(&"pool"));
        assert_eq!(
            at_end("pool kv { cap 1; "),
            ["admit", "block", "cap", "evict", "preempt", "prefix", "queue", "spill"]
        );
        assert_eq!(at_end("pool kv { evict "), ["by", "lru"]);
        assert_eq!(at_end("stage s : "), ["delay", "fifo", "ps", "step"]);
        assert!(at_end("session { hold kv (1) { } ").contains(&"cache"));
        assert!(at_end("session { set x = 1; ").contains(&"observe"));
        assert!(at_end("session { set x = 1 ").is_empty());
        assert!(at_end("session { set = ").is_empty(), "what is wrong before says nothing");
    }

    #[test]
    fn names_are_not_begun_in_comments_strings_and_numbers() {
        let text = "let ab = 12; // cd\nuse \"ef\"; /* g */ é";
        let span = |byte| name_around(text, byte).map(|s| &text[s.start as usize..s.end as usize]);
        assert_eq!(span(5), Some("ab"));
        assert_eq!(span(4), Some("ab"));
        assert_eq!(span(7), Some(""));
        for byte in [10, 11, 16, 18, 25, 33] {
            assert_eq!(span(byte), None, "{byte}");
        }
        assert_eq!(span(text.len()), Some("é"));
        assert_eq!(name_around("/* open", 7), None);
    }

    #[test]
    fn a_name_is_one_word() {
        for name in ["a", "_x1", "été", "prefill"] {
            assert!(is_name(name), "{name}");
        }
        for other in ["", " a", "a b", "1", "a.b", "inf", "self", "(a)", "a-b", "//"] {
            assert!(!is_name(other), "{other}");
        }
    }

    #[test]
    fn the_keywords_are_those_of_the_grammar() {
        let known = keywords();
        for word in ["let", "horizon", "arrivals", "sum", "on", "inf", "self", "growing", "nic"] {
            assert!(known.contains(word), "{word}");
        }
        assert!(known.len() > 90, "{}", known.len());
        assert!(!known.contains("e"));
    }
}
