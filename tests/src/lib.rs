//! Whole-program tests of the compiler: what the tests under `tests/` share.
//!
//! A test compiles many programs in process ([`compile`]), has them built and run as `serqc test` does ([`batch`]) and
//! holds their answers against those of the files under `conformance/` ([`corpus`]). Answers are compared by
//! [`compare`] or read by name through [`answer`]; [`theory`] has the closed forms that random programs are held
//! against, [`generate`] makes programs, [`examples`] are those of the project, [`differ`] holds random ones against the
//! rules model, [`oracle`] the step programs against recordings of vLLM's scheduler, [`fuzz`] is what the fuzz targets
//! do with an input.

pub mod answer;
pub mod batch;
pub mod compile;
pub mod corpus;
pub mod differ;
pub mod examples;
pub mod fuzz;
pub mod generate;
pub mod oracle;
pub mod seed_tables;
pub mod theory;

pub use serqc::golden::compare;

/// The example of the page about `serq!`, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/macro.md")]
mod macro_page {}
