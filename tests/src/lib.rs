//! Whole-program tests of the compiler: what the tests under `tests/` share.
//!
//! A test compiles many programs in process ([`compile`]), writes them as modules of a few crates ([`batch`]), builds
//! those with cargo and runs them through one driver ([`driver`]), which answers in the format of the files under
//! `conformance/` ([`corpus`]). Answers are compared by [`compare`] or read by name through [`answer`]; [`theory`]
//! has the closed forms that random programs are held against, [`generate`] makes programs, [`examples`] are those of the project.

pub mod answer;
pub mod batch;
pub mod compare;
pub mod compile;
pub mod corpus;
pub mod driver;
pub mod examples;
pub mod generate;
pub mod seed_tables;
pub mod theory;
