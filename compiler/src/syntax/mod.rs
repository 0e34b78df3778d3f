//! The syntax phase. In: the text of one file; out: its tree ([`ast`]) or every syntax error found
//! in it, and the tree written back as text ([`print`], [`format`]).
//!
//! `scan` finds the items and bounds their depth, the grammar (`grammar.pest`) reads one item at a
//! time, `build` makes the tree of what it read, `recover` goes on after an error, `errors` words
//! it. Nothing is resolved here: what a name means is the next phase's business.

pub mod ast;
mod build;
mod errors;
mod grammar;
mod print;
mod recover;
mod scan;
mod tried;
mod words;

use pest::Parser;

pub use self::print::{format, print};
pub use self::scan::{brackets, words};
pub use self::words::{is_name, keywords, name_around, words_at};

use self::build::Builder;
use self::errors::Source;
use self::grammar::{Grammar, Rule};
use self::scan::{ItemTokens, Scan};
use crate::diag::Diagnostic;
use crate::span::{FileId, Span};

/// Most errors reported of one item: past that they are echoes of each other.
const MAX_ERRORS_PER_ITEM: usize = 20;
/// Most errors reported of one file.
const MAX_ERRORS: usize = 50;
/// An item longer than this (bytes) is not parsed again after an error.
const MAX_RECOVERED_BYTES: usize = 1 << 20;

/// Reads one file.
///
/// # Errors
/// Every syntax error found, in the order of the text; never an empty list.
pub fn parse(file: FileId, text: &str) -> Result<ast::File, Vec<Diagnostic>> {
    match parse_partly(file, text) {
        (tree, errors) if errors.is_empty() => Ok(tree),
        (_, errors) => Err(errors),
    }
}

/// Reads what can be read of one file: its tree without the items and clauses that hold a mistake,
/// and every syntax error found, in the order of the text. What is read stands where it stood.
pub fn parse_partly(file: FileId, text: &str) -> (ast::File, Vec<Diagnostic>) {
    let mut scan = scan::scan(file, text);
    let mut errors = std::mem::take(&mut scan.problems);
    let mut items = Vec::with_capacity(scan.items.len());
    let source = Source { file, text, scan: &scan };
    for tokens in scan.items.iter().filter(|item| !item.too_deep) {
        if errors.len() >= MAX_ERRORS {
            break;
        }
        items.extend(parse_item(&source, tokens, &mut errors));
    }
    errors.sort_by_key(|e| e.primary.span);
    errors.dedup();
    errors.truncate(MAX_ERRORS);
    (ast::File { items, comments: scan.comments }, errors)
}

/// Reads one expression, such as the `EXPR` of `--set NAME=EXPR`.
///
/// # Errors
/// Every syntax error found; never an empty list.
pub fn parse_expr(file: FileId, text: &str) -> Result<ast::Expr, Vec<Diagnostic>> {
    let mut scan = scan::scan(file, text);
    let mut errors = std::mem::take(&mut scan.problems);
    if !errors.is_empty() {
        return Err(errors);
    }
    let all = ItemTokens {
        tokens: 0..scan.tokens.len(),
        open_at_end: true,
        unclosed: None,
        too_deep: false,
    };
    let source = Source { file, text, scan: &scan };
    let end = scan.tokens.last().map_or(0, |t| t.end as usize);
    match Grammar::parse(Rule::expr_alone, &text[..end]) {
        Ok(mut pairs) => {
            let mut builder = Builder::new(file, &scan.tokens, 0);
            let built = pairs.next().ok_or(build::Unbuilt).and_then(|pair| builder.expr(pair));
            errors.append(&mut builder.errors);
            match built {
                Ok(expr) if errors.is_empty() => return Ok(expr),
                Ok(_) => {}
                Err(build::Unbuilt) => errors.push(errors::unbuilt(whole(file, text))),
            }
        }
        Err(error) => errors.extend(errors::unexpected(&source, &all, 0, &error).1),
    }
    Err(errors)
}

fn whole(file: FileId, text: &str) -> Span {
    Span { file, start: 0, end: text.len() as u32 }
}

/// Parses one item; on an error blanks the clause that holds it and looks for more.
fn parse_item(
    source: &Source<'_>,
    item: &ItemTokens,
    errors: &mut Vec<Diagnostic>,
) -> Option<ast::Item> {
    let scan: &Scan = source.scan;
    let first = scan.tokens.get(item.tokens.start)?.start as usize;
    let end = scan.tokens.get(item.tokens.end.checked_sub(1)?)?.end as usize;
    let original = &source.text[first..end];
    let mut patched: Option<String> = None;
    let mut last_bad = None;
    for _ in 0..MAX_ERRORS_PER_ITEM {
        let text = patched.as_deref().unwrap_or(original);
        let error = match Grammar::parse(Rule::item_alone, text) {
            Ok(mut pairs) => {
                let mut builder = Builder::new(source.file, &scan.tokens, first);
                let built = pairs.next().ok_or(build::Unbuilt).and_then(|pair| builder.item(pair));
                errors.append(&mut builder.errors);
                return match built {
                    Ok(item) => Some(item),
                    Err(build::Unbuilt) => {
                        let span = Span { file: source.file, start: first as u32, end: end as u32 };
                        errors.push(errors::unbuilt(span));
                        None
                    }
                };
            }
            Err(error) => error,
        };
        let (bad, diagnostic) = errors::unexpected(source, item, first, &error);
        // Blanking must bring the parser further, or the rest is an echo of the first error.
        let bad = bad.filter(|bad| last_bad.is_none_or(|last| *bad > last));
        if last_bad.is_none() || bad.is_some() {
            errors.extend(diagnostic);
        }
        if item.open_at_end || original.len() > MAX_RECOVERED_BYTES {
            return None;
        }
        last_bad = bad;
        let clause = recover::clause_around(scan, source.text, item, bad?)?;
        let text = patched.get_or_insert_with(|| original.to_string());
        recover::blank(text, clause.start - first..clause.end - first);
    }
    None
}
