//! One run as a line: `{"point":{…},"seed":…,"stationary":…,"metrics":{…},"report":{…},"crc":"…"}`.
//!
//! `crc` is the CRC-32 of all that stands before it on the line, so that a line that is not whole, or
//! was changed, is known as such. `report` is the object that `--json` prints.

use std::io;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use super::{
    grid::{Key, number},
    metrics::{Metric, metrics},
};
use crate::report::{
    SeedReport,
    json::{Line, Number, named},
};

/// The end of a line before its checksum, and behind it.
const MARK: &[u8] = b",\"crc\":\"";
const END: &[u8] = b"\"}";
/// Hexadecimal digits of a checksum.
const DIGITS: usize = 8;
/// What follows the part of a line that tells its run.
const METRICS: &str = ",\"metrics\":";
const REPORT: &str = ",\"report\":";

/// What a line says but for its report.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Which run it is.
    pub key: Key,
    /// Whether the run shows no sign of a queue that only grows.
    pub stationary: bool,
    /// Whether an error ended it early: the error's code.
    pub error: Option<String>,
    /// Its numbers, by name.
    pub metrics: Vec<Metric>,
}

/// Whether a run shows no sign of a load above what the deployment can serve.
pub fn stationary(report: &SeedReport) -> bool {
    report.saturated().is_none()
}

struct Whole<'a> {
    names: &'a [String],
    record: &'a Record,
    report: &'a SeedReport,
    set: &'a [(String, f64)],
}

impl Serialize for Whole<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let Self { names, record, report, set } = *self;
        let point: Vec<(&String, f64)> = names.iter().zip(record.key.values()).collect();
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("point", &Pairs(&point))?;
        m.serialize_entry("seed", &record.key.seed)?;
        m.serialize_entry("stationary", &record.stationary)?;
        m.serialize_entry("error", &record.error)?;
        m.serialize_entry("metrics", &named(&record.metrics, |m| &m.name, |m| m.value))?;
        m.serialize_entry("report", &Line { report, set })?;
        m.end()
    }
}

/// Settings as an object.
struct Pairs<'a>(&'a [(&'a String, f64)]);

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_map(self.0.iter().map(|(name, x)| (name, Number(*x))))
    }
}

impl Record {
    /// What a run at a point says.
    pub fn of(point: &[f64], report: &SeedReport) -> Self {
        Self {
            key: Key::new(point, report.run.seed),
            stationary: stationary(report),
            error: report.fault.as_ref().map(|fault| fault.code.clone()),
            metrics: metrics(report),
        }
    }

    /// The run's line, its end included. `names` are the swept settings, `set` all that were given from
    /// outside.
    ///
    /// # Errors
    /// None that is not a defect: it is written to memory.
    pub fn line(
        &self,
        names: &[String],
        report: &SeedReport,
        set: &[(String, f64)],
    ) -> io::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(&Whole { names, record: self, report, set })?;
        // The closing brace comes behind the checksum.
        line.pop();
        let crc = crc32fast::hash(&line);
        line.extend_from_slice(MARK);
        line.extend(format!("{crc:08x}").bytes());
        line.extend_from_slice(END);
        line.push(b'\n');
        Ok(line)
    }

    /// Whether a line, without its end, is as it was written.
    pub fn whole(line: &[u8]) -> bool {
        let Some(rest) = line.strip_suffix(END) else { return false };
        let Some(at) = rest.len().checked_sub(DIGITS + MARK.len()) else { return false };
        let (said, tail) = rest.split_at(at);
        let Some(digits) = tail.strip_prefix(MARK) else { return false };
        digits == format!("{:08x}", crc32fast::hash(said)).as_bytes()
    }

    /// Which run a whole line is of, and whether it was stationary.
    pub fn key_of(line: &[u8], names: &[String]) -> Option<(Key, bool)> {
        let text = std::str::from_utf8(line).ok()?;
        let head = format!("{}}}", &text[..text.find(METRICS)?]);
        let head: Value = serde_json::from_str(&head).ok()?;
        Some((key(&head, names)?, head.get("stationary")?.as_bool()?))
    }

    /// What a whole line says.
    pub fn parse(line: &[u8], names: &[String]) -> Option<Record> {
        let text = std::str::from_utf8(line).ok()?;
        let (head, rest) = text.split_at(text.find(METRICS)?);
        let numbers = &rest[METRICS.len()..rest.find(REPORT)?];
        let head: Value = serde_json::from_str(&format!("{head}}}")).ok()?;
        Some(Record {
            key: key(&head, names)?,
            stationary: head.get("stationary")?.as_bool()?,
            error: head.get("error")?.as_str().map(str::to_owned),
            metrics: super::metrics::read(numbers)?,
        })
    }

    /// The report of a whole line, as `--json` prints it.
    pub fn report(line: &[u8]) -> Option<&str> {
        let text = std::str::from_utf8(line).ok()?;
        let end = text.len().checked_sub(END.len() + DIGITS + MARK.len())?;
        text.get(text.find(REPORT)? + REPORT.len()..end)
    }
}

fn key(head: &Value, names: &[String]) -> Option<Key> {
    let point = head.get("point")?;
    let values: Vec<f64> = names.iter().map(|n| number(point.get(n)?)).collect::<Option<_>>()?;
    (point.as_object()?.len() == names.len())
        .then(|| Some(Key::new(&values, head.get("seed")?.as_u64()?)))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{
        sample::report,
        verdicts::{Verdict, VerdictKind},
    };

    fn names() -> Vec<String> {
        vec!["thr".into(), "load".into()]
    }

    fn line() -> Vec<u8> {
        let set = [("thr".to_owned(), f64::INFINITY)];
        let report = report(7, false);
        Record::of(&[f64::INFINITY, 0.1 + 0.2], &report).line(&names(), &report, &set).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let line = line();
        let line = line.strip_suffix(b"\n").unwrap();
        assert!(Record::whole(line));
        let record = Record::parse(line, &names()).unwrap();
        assert_eq!(record.key, Key::new(&[f64::INFINITY, 0.1 + 0.2], 7));
        assert_eq!(Record::key_of(line, &names()), Some((record.key.clone(), true)));
        assert!(record.stationary && record.error.is_none());
        assert_eq!(record.metrics, metrics(&report(7, false)));
        assert_eq!(Record::key_of(line, &names()[..1]), None, "other settings");
        let all: Value = serde_json::from_slice(line).unwrap();
        let inner: Value = serde_json::from_str(Record::report(line).unwrap()).unwrap();
        assert_eq!(all["report"], inner);
        assert_eq!(inner["set"], serde_json::json!({"thr": "inf"}));
    }

    #[test]
    fn a_line_that_was_cut_or_changed_is_known() {
        let line = line();
        let line = line.strip_suffix(b"\n").unwrap();
        for cut in 0..line.len() {
            assert!(!Record::whole(&line[..cut]), "{cut}");
        }
        for at in (0..line.len()).step_by(7) {
            let mut changed = line.to_vec();
            changed[at] ^= 1;
            assert!(!Record::whole(&changed), "{at}");
        }
    }

    #[test]
    fn a_queue_that_grows_is_not_stationary() {
        let mut r = report(1, false);
        assert!(stationary(&r));
        r.verdicts.push(Verdict {
            kind: VerdictKind::Unstable,
            at: "D".into(),
            since: 0.0,
            message: String::new(),
        });
        assert!(!stationary(&r));
        r.verdicts[0].kind = VerdictKind::ShortWarmup;
        assert!(stationary(&r), "a short warm-up is another matter");
    }
}
