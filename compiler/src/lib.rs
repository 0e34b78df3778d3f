//! The serQ compiler: source text in; diagnostics and a Rust crate out.

pub mod diag;
pub mod ir;
pub mod resolve;
pub mod span;
pub mod syntax;
