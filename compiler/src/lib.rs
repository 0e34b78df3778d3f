//! The serQ compiler: source text in; diagnostics and a Rust crate out.

pub mod diag;
pub mod emit;
pub mod explain;
pub mod index;
pub mod ir;
pub mod machine;
pub mod plan;
pub mod resolve;
pub mod span;
pub mod syntax;
