//! Overrides of `let`s that are baked in: `--set NAME=expr` when building.

use super::errors;
use crate::diag::Diagnostic;
use crate::span::{FileId, SourceFile, Span};
use crate::syntax::ast::Expr;

/// The overrides as expressions, each with its text as a source of its own.
pub(super) struct Overrides {
    /// Their texts, in order.
    pub sources: Vec<SourceFile>,
    /// Name, the whole of the override's text, and value.
    pub values: Vec<(String, Span, Expr)>,
    /// What is wrong with them.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses overrides; `first` is the number of sources that come before theirs.
pub(super) fn parse(sets: &[(String, String)], first: usize) -> Overrides {
    let mut out = Overrides { sources: Vec::new(), values: Vec::new(), diagnostics: Vec::new() };
    for (name, text) in sets {
        let file = FileId((first + out.sources.len()) as u32);
        let whole = Span { file, start: 0, end: text.len() as u32 };
        match crate::syntax::parse_expr(file, text) {
            Ok(value) => {
                if out.values.iter().any(|(said, ..)| said == name) {
                    out.diagnostics.push(errors::load::override_twice(whole, name));
                }
                out.values.push((name.clone(), whole, value));
            }
            Err(found) => out.diagnostics.extend(found),
        }
        out.sources.push(SourceFile::new(format!("--set {name}"), text.as_str()));
    }
    out
}
