//! One page that shows what runs came to: distributions, curves over settings, what happened over time, where a
//! request's time goes, the program itself, and the commands that make it all again.
//!
//! In: a folder of results, or lines of `--json`. Out: one HTML file that needs nothing from elsewhere.
//!
//! - `data`: runs read, by point
//! - `measures`: what is taken from a run's report
//! - `chart`: pictures of numbers
//! - `sections`: the parts of the page
//! - `page`: the file around them

mod chart;
mod data;
mod measures;
mod page;
mod sections;

use std::path::Path;

use crate::failure::Failure;

/// The page over a folder of results, or over a file with lines of `--json` (`-`: standard input).
///
/// # Errors
/// If it cannot be read or has no runs.
pub fn page(path: &Path) -> Result<String, Failure> {
    let data = data::read(path)?;
    Ok(page::text(&data))
}
