//! Reads an answer by name.
//!
//! The functions panic when the answer has no such thing: they are for tests, where that is a failure.

use serde_json::Value;
use serqc::golden::{answer::number, compare::clipped};

/// A run's answer.
#[derive(Clone, Debug)]
pub struct Answer(pub Value);

/// One value that a session observed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Seconds.
    pub time: f64,
    /// The session's serial number.
    pub session: u64,
    /// Its turn.
    pub turn: u64,
    /// The value.
    pub value: f64,
}

impl Answer {
    /// The samples of an observation, in the order of time.
    pub fn samples(&self, name: &str) -> Vec<Sample> {
        let rows = self.0["observes"][name]["samples"].as_array();
        let rows = rows.unwrap_or_else(|| panic!("no samples of `{name}` in {}", clipped(&self.0)));
        let sample = |row: &Value| Sample {
            time: number(&row[0]).unwrap_or(f64::NAN),
            session: row[1].as_u64().unwrap_or(u64::MAX),
            turn: row[2].as_u64().unwrap_or(u64::MAX),
            value: number(&row[3]).unwrap_or(f64::NAN),
        };
        rows.iter().map(sample).collect()
    }

    /// The values of an observation, in the order of time.
    pub fn values(&self, name: &str) -> Vec<f64> {
        self.samples(name).iter().map(|sample| sample.value).collect()
    }

    /// The times of an observation's samples.
    pub fn times(&self, name: &str) -> Vec<f64> {
        self.samples(name).iter().map(|sample| sample.time).collect()
    }

    /// The value of a gauge at time `at`, after what happened then.
    pub fn gauge_at(&self, name: &str, at: f64) -> f64 {
        let points = self.0["gauges"][name]["points"].as_array();
        let points =
            points.unwrap_or_else(|| panic!("no points of gauge `{name}` in {}", clipped(&self.0)));
        let held = points
            .iter()
            .take_while(|point| number(&point[0]).is_some_and(|time| time <= at))
            .last();
        held.and_then(|point| number(&point[1]))
            .unwrap_or_else(|| panic!("gauge `{name}` has no value at {at}"))
    }

    /// A statistic of an observation.
    pub fn observe(&self, name: &str, statistic: &str) -> f64 {
        self.number(&self.0["observes"][name][statistic], name, statistic)
    }

    /// A statistic of a gauge.
    pub fn gauge(&self, name: &str, statistic: &str) -> f64 {
        self.number(&self.0["gauges"][name][statistic], name, statistic)
    }

    /// A statistic of a pool; `index` is the member of a family.
    pub fn pool(&self, name: &str, index: Option<u64>, statistic: &str) -> f64 {
        self.row("pools", name, index, statistic)
    }

    /// A statistic of a stage; `index` is the member of a family.
    pub fn stage(&self, name: &str, index: Option<u64>, statistic: &str) -> f64 {
        self.row("stages", name, index, statistic)
    }

    /// A number about the run.
    pub fn run(&self, key: &str) -> f64 {
        self.number(&self.0["run"][key], "run", key)
    }

    fn row(&self, kind: &str, name: &str, index: Option<u64>, statistic: &str) -> f64 {
        let mut rows = self.0[kind].as_array().into_iter().flatten();
        let row = rows.find(|row| row["name"] == name && row["index"].as_u64() == index);
        let row = row.unwrap_or_else(|| {
            panic!("no row of {kind} `{name}` {index:?} in {}", clipped(&self.0))
        });
        self.number(&row[statistic], name, statistic)
    }

    fn number(&self, value: &Value, name: &str, statistic: &str) -> f64 {
        number(value)
            .unwrap_or_else(|| panic!("no number {statistic} of `{name}` in {}", clipped(&self.0)))
    }
}
