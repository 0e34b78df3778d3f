//! What a compiled serQ program links: clock and sessions, pools and prefix caches, step engines,
//! stations, flows, workloads, random streams, statistics and reports.
//!
//! In: an emitted [`World`](world::World) and [`Settings`](settings::Settings). Out: a
//! [`SeedReport`](report::SeedReport). It knows no program, and is a pure function of its input.
#![forbid(unsafe_code)]

pub mod at;
#[cfg(feature = "cli")]
pub mod cli;
mod collect;
pub mod engine;
#[cfg(feature = "results")]
pub mod expr;
pub mod fault;
pub mod flows;
pub mod hold;
#[cfg(feature = "macros")]
pub mod inline;
pub mod kept;
pub mod kernel;
pub mod legs;
pub mod outage;
mod parts;
pub mod pool;
pub mod prelude;
mod rare;
pub mod report;
#[cfg(feature = "results")]
pub mod results;
pub mod rng;
#[cfg(feature = "results")]
mod seeds;
pub mod settings;
pub mod simulate;
pub mod specs;
pub mod station;
pub mod stats;
pub mod timeline;
pub mod trace;
mod uses;
mod watch;
pub mod workload;
pub mod world;

#[cfg(feature = "macros")]
pub use inline::{RunError, Settings};
#[cfg(feature = "macros")]
pub use serq_macros::serq;
