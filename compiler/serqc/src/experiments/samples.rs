//! Metrics of every point of a folder, by seed.

use std::collections::BTreeMap;
use std::path::Path;

use serq_runtime::results::{Key, Reader};

use super::intervals::Runs;
use crate::failure::Outside;

/// The runs of a point.
#[derive(Clone, Debug, Default)]
pub struct Point {
    /// The swept settings' values.
    pub values: Vec<f64>,
    /// By metric asked for: its values by seed. Runs that an error stopped are left out.
    pub runs: Vec<Runs>,
    /// Runs, those that an error stopped too.
    pub count: usize,
    /// Runs that an error stopped.
    pub errors: usize,
    /// Runs that show a load above what the deployment can serve.
    pub not_stationary: usize,
}

impl Point {
    /// Whether at least half of its runs are not stationary, so that their averages say nothing.
    pub fn saturated(&self) -> bool {
        self.count > 0 && 2 * self.not_stationary >= self.count
    }
}

/// Some metrics of a folder.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// The swept settings.
    pub swept: Vec<String>,
    /// The metrics asked for.
    pub metrics: Vec<String>,
    /// The points, in order.
    pub points: Vec<Point>,
}

/// Opens a folder of results.
///
/// # Errors
/// If it is none, or cannot be read.
pub fn open(folder: &Path) -> Result<Reader, Outside> {
    Reader::open(folder).map_err(Outside::results)
}

/// Reads these metrics of a folder.
///
/// # Errors
/// If the folder has no run, no such metric, or cannot be read.
pub fn read(reader: &Reader, metrics: &[String]) -> Result<Samples, Outside> {
    let mut points: BTreeMap<Key, Point> = BTreeMap::new();
    let mut known: Vec<String> = Vec::new();
    let mut take = |record: serq_runtime::results::Record| {
        let point = points.entry(record.key.point()).or_insert_with(|| Point {
            values: record.key.values(),
            runs: vec![Runs::new(); metrics.len()],
            ..Point::default()
        });
        point.count += 1;
        point.errors += usize::from(record.error.is_some());
        point.not_stationary += usize::from(!record.stationary);
        if known.len() < record.metrics.len() {
            known = record.metrics.iter().map(|m| m.name.clone()).collect();
        }
        if record.error.is_none() {
            for (runs, metric) in point.runs.iter_mut().zip(metrics) {
                let found = record.metrics.iter().find(|m| m.name == *metric);
                if let Some(value) = found.and_then(|m| m.value) {
                    runs.insert(record.key.seed, value);
                }
            }
        }
        Ok(())
    };
    reader.records(&mut take).map_err(Outside::results)?;
    if points.is_empty() {
        return Err(Outside::no_runs(&reader.path));
    }
    for metric in metrics {
        if !known.contains(metric) {
            return Err(unknown(metric, &known));
        }
    }
    Ok(Samples {
        swept: reader.manifest.swept.clone(),
        metrics: metrics.to_vec(),
        points: points.into_values().collect(),
    })
}

/// A metric that no run has, and what there is that is like it.
fn unknown(metric: &str, known: &[String]) -> Outside {
    let (what, of) = metric.split_once(':').unwrap_or(("", metric));
    let parts = |name: &'_ String| {
        let (a, b) = name.split_once(':').unwrap_or(("", name));
        (a.to_owned(), b.to_owned())
    };
    let near: Vec<&str> = known
        .iter()
        .filter(|name| {
            let (a, b) = parts(name);
            (b == of && !of.is_empty()) || (a == what && !what.is_empty())
        })
        .map(String::as_str)
        .collect();
    let shown = if near.is_empty() { known.iter().map(String::as_str).collect() } else { near };
    Outside::unknown_metric(metric, &shown)
}
