//! Statistics of a run: what the kernel feeds and what the report rows are made of.
//!
//! In: times and values, in time order. Out: means, intervals, quantiles. Everything here has a
//! size that does not depend on the length of the run, unless samples are asked for, and computes
//! with IEEE operations only, so that a run gives the same bytes on every machine.

mod batch;
mod gaps;
mod gauge;
mod histogram;
mod ln;
mod moments;
mod mser;
mod observation;
mod student;
mod time_average;
mod trend;

pub use batch::{BATCHES, BatchMeans, batch_means};
pub use gaps::GapHistogram;
pub use gauge::GaugeSignal;
pub use histogram::LogHistogram;
pub use ln::ln;
pub(crate) use ln::ln_of_normal;
pub use moments::Moments;
pub(crate) use mser::{Transient, transient};
pub(crate) use observation::exact_quantile;
pub use observation::{Observation, rank_of};
pub use student::{student_t_975, t_interval};
pub use time_average::TimeAverage;
pub(crate) use trend::{WINDOWS as LOAD_WINDOWS, grows};
