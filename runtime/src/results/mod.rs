//! The results folder of a sweep: what it holds, how it is written, and how it is read again.
//!
//! In: finished runs, in any order, from any number of processes. Out: files that depend on the
//! program, its settings, the points and the seeds alone. `docs/experiments/results.md` has the format.
//!
//! - `decimal`: ranges of values
//! - `grid`: points and seeds that are wanted
//! - `manifest`: `sweep.json`, what the folder is for
//! - `record`: one run as a line that tells whether it is whole
//! - `metrics`: the numbers of a run by name
//! - `index`: where the records of a folder are
//! - `points`: what the runs of each point say together, and which points are above saturation
//! - `summary`: counts, means and intervals by point
//! - `table`: the canonical files
//! - `folder`: the folder while processes work on it

mod decimal;
mod folder;
mod grid;
mod index;
mod live;
mod manifest;
mod metrics;
mod points;
mod record;
mod summary;
mod table;
mod trouble;

pub use decimal::{MOST_VALUES, decimals};
pub use folder::{Folder, Reader, Shard, Written};
pub use grid::{Axis, Grid, Key, Wanted};
pub use index::{Damage, Index};
pub use manifest::{Difference, Manifest, ProgramText, RunOptions, SourceText, TraceMark};
pub use metrics::{Metric, metrics};
pub use points::{Above, PointState, Verdicts};
pub use record::{Record, stationary};
pub use summary::{Columns, Estimate, PointRow, Summary};
pub use table::{POINTS, RUNS, TABLE, WRITTEN, setting_names, write_csv};
pub use trouble::Trouble;
