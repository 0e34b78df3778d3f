//! The parser that pest makes of `grammar.pest`. Nothing outside `syntax` sees it.

#![allow(missing_docs)] // the generated rules

/// See `grammar.pest`.
#[derive(pest_derive::Parser)]
#[grammar = "syntax/grammar.pest"]
pub(super) struct Grammar;
