//! The serQ compiler: source text in; diagnostics and a Rust crate out.

pub mod diag;
pub mod span;
pub mod syntax;
