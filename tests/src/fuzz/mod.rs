//! What the fuzz targets of `fuzz/` share with the tests that replay their corpora.
//!
//! In: bytes from anywhere. Out: how far the compiler got with them ([`Reach`]), or what it did that it never may
//! ([`check`]). [`mutate`] makes programs of programs, [`bundle`] holds several files in one input, [`corpus`] knows the
//! committed inputs and where they came from, [`emissions`] has a sample of what is emitted compiled.

pub mod bundle;
pub mod check;
pub mod corpus;
pub mod emissions;
pub mod mutate;

/// How far an input got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// It is no UTF-8.
    NoText,
    /// It has syntax errors.
    Refused,
    /// It parses; the rest of the compiler refuses it or was not asked.
    Parsed,
    /// Rust was emitted.
    Emitted,
}
