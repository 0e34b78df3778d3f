//! What a run did over its measured time: means over equal windows, at most `WINDOWS` of
//! them, and the shape of what was observed. It is there when asked for and is bounded: of a family with
//! many members there is one row, their mean.

use serde::ser::{Serialize, SerializeMap, Serializer};

/// Families of more members than this are one row.
pub(crate) const MEMBERS: usize = 16;
/// Quantiles of an observation: from 0 to 1 in equal steps.
pub(crate) const QUANTILES: usize = 101;

/// Means over windows, of one pool or stage, or over the members of a large family.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeriesRow {
    /// The family's name.
    pub name: String,
    /// The member; `None` for a single one, or for all of a family together.
    pub index: Option<usize>,
    /// How many members it is the mean of.
    pub members: usize,
    /// Requests in a pool's queue, or jobs at a stage.
    pub waiting: Vec<f64>,
    /// Units of a pool that are allocated; empty for a stage.
    pub used: Vec<f64>,
}

/// Everything over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The measured time (s), which equal windows divide.
    pub from: f64,
    /// Its end.
    pub to: f64,
    /// Live sessions.
    pub live: Vec<f64>,
    /// By gauge.
    pub gauges: Vec<(String, Vec<f64>)>,
    /// Pools.
    pub pools: Vec<SeriesRow>,
    /// Stages.
    pub stages: Vec<SeriesRow>,
    /// By observation: its quantiles at equal steps from 0 to 1; empty without values.
    pub quantiles: Vec<(String, Vec<f64>)>,
}

/// Rows of one kind, those of a large family as one.
pub(crate) fn gathered(rows: Vec<SeriesRow>) -> Vec<SeriesRow> {
    let mut out = Vec::new();
    for family in rows.chunk_by(|a, b| a.name == b.name) {
        match family {
            [first, ..] if family.len() > MEMBERS => out.push(SeriesRow {
                name: first.name.clone(),
                index: None,
                members: family.len(),
                waiting: mean(family, |row| &row.waiting),
                used: mean(family, |row| &row.used),
            }),
            _ => out.extend_from_slice(family),
        }
    }
    out
}

fn mean(rows: &[SeriesRow], of: impl Fn(&SeriesRow) -> &Vec<f64>) -> Vec<f64> {
    let windows = of(&rows[0]).len();
    let at = |i: usize| rows.iter().map(|row| of(row)[i]).sum::<f64>() / rows.len() as f64;
    (0..windows).map(at).collect()
}

/// Numbers for a picture: seven digits, null where one is not finite.
struct Numbers<'a>(&'a [f64]);

impl Serialize for Numbers<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(self.0.iter().map(|x| Some(*x as f32).filter(|x| x.is_finite())))
    }
}

struct Row<'a>(&'a SeriesRow, bool);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let Self(row, pool) = self;
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("name", &row.name)?;
        m.serialize_entry("index", &row.index)?;
        m.serialize_entry("members", &row.members)?;
        m.serialize_entry(if *pool { "queue" } else { "jobs" }, &Numbers(&row.waiting))?;
        if *pool {
            m.serialize_entry("used", &Numbers(&row.used))?;
        }
        m.end()
    }
}

struct Lists<'a>(&'a [(String, Vec<f64>)]);

impl Serialize for Lists<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_map(self.0.iter().map(|(name, list)| (name, Numbers(list))))
    }
}

impl Serialize for Series {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("from", &self.from)?;
        m.serialize_entry("to", &self.to)?;
        m.serialize_entry("live", &Numbers(&self.live))?;
        m.serialize_entry("gauges", &Lists(&self.gauges))?;
        let pools: Vec<Row> = self.pools.iter().map(|row| Row(row, true)).collect();
        m.serialize_entry("pools", &pools)?;
        let stages: Vec<Row> = self.stages.iter().map(|row| Row(row, false)).collect();
        m.serialize_entry("stages", &stages)?;
        m.serialize_entry("quantiles", &Lists(&self.quantiles))?;
        m.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(index: usize, level: f64) -> SeriesRow {
        let waiting = vec![level, 2.0 * level];
        SeriesRow { name: "D".into(), index: Some(index), members: 1, waiting, used: vec![] }
    }

    #[test]
    fn a_large_family_is_its_mean() {
        let few: Vec<SeriesRow> = (0..MEMBERS).map(|i| row(i, 1.0)).collect();
        assert_eq!(gathered(few.clone()), few);
        let many = (0..=MEMBERS).map(|i| row(i, i as f64)).collect();
        let one = gathered(many);
        assert_eq!((one.len(), one[0].index, one[0].members), (1, None, MEMBERS + 1));
        assert_eq!(one[0].waiting, [8.0, 16.0]);
    }

    #[test]
    fn what_is_not_finite_is_null() {
        let text = serde_json::to_string(&Numbers(&[0.1, f64::NAN])).unwrap();
        assert_eq!(text, "[0.1,null]");
    }
}
