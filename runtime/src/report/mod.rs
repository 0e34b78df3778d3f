//! What a run reports: plain rows, filled by the kernel, printed as JSON lines or as text.
//!
//! Over the measured time `[warmup, end]`: observations, ended, turns, completions, waits, token gaps
//! and every time average. From 0: arrivals, admissions, evictions, preemptions, spills, rejected,
//! stuck, iterations; [`PoolRow::measured`] has those of the pools over the measured time.

mod fault;
mod heading;
pub mod json;
mod merge;
mod notes;
pub(crate) mod number;
mod rows;
#[cfg(test)]
pub(crate) mod sample;
pub mod series;
pub mod serving;
mod table;
pub mod text;
pub mod verdicts;

pub(crate) use notes::CONSTANT;

pub(crate) use number::exact;
pub(crate) use text::label;

pub use fault::{Place, render_error};
pub use rows::{
    FaultRow, GaugeRow, ObserveRow, PoolCounts, PoolRow, RunRow, Sample, SeedReport, StageRow,
};
