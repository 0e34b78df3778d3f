//! From runs to a decision: folders of results read, settings compared, the cheapest one found.
//!
//! In: folders that sweeps wrote, metrics by name. Out: what they say, with intervals that hold for all
//! that is said at once. `docs/experiments` has the definitions.
//!
//! - `samples`: a metric of every point, by seed
//! - `intervals`: means and differences, and how sure they are
//! - `ranking`: settings in order, and which cannot be told apart
//! - `rerun`: the program of a folder, built and run again
//! - `planning`: objectives, targets, and the search for the cheapest setting
//! - `columns`: a table in Parquet

pub mod columns;
pub mod intervals;

pub mod ranking;
pub mod rerun;
pub mod samples;
