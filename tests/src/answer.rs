//! Reads an answer by name.
//!
//! The functions panic when the answer has no such thing: they are for tests, where that is a failure.

use serde_json::Value;
use serqc::golden::{answer::number, compare::clipped};

/// A run's answer.
#[derive(Clone, Debug)]
pub struct Answer(pub Value);

impl Answer {
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
