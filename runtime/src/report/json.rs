//! JSON lines: one object per run, rows in declaration order, numbers in their shortest form that
//! reads back the same.
//!
//! A mean of nothing is null. Values that are data (samples, points, settings) may be infinite or
//! NaN: those are the strings "inf", "-inf" and "nan". Wall-clock times are left out, so that two
//! runs of one seed give the same bytes.

use super::{
    FaultRow, GaugeRow, ObserveRow, PoolCounts, PoolRow, RunRow, SeedReport, StageRow, notes,
    serving::Serving, verdicts::Verdict,
};
use serde::ser::{Serialize, SerializeMap, SerializeTuple, Serializer};
use std::io;

/// Writes one run as one line. `set` has the settings that were given from outside, by name.
///
/// # Errors
/// When `out` cannot be written to.
pub fn write_line(
    out: &mut dyn io::Write,
    report: &SeedReport,
    set: &[(String, f64)],
) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Line { report, set })?;
    out.write_all(b"\n")
}

/// Writes why program `name` does not run at all, as one line.
///
/// # Errors
/// When `out` cannot be written to.
pub fn write_refusal(out: &mut dyn io::Write, name: &str, error: &FaultRow) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Refused { program: name, error })?;
    out.write_all(b"\n")
}

struct Refused<'a> {
    program: &'a str,
    error: &'a FaultRow,
}

impl Serialize for Refused<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("program", self.program)?;
        m.serialize_entry("error", self.error)?;
        m.end()
    }
}

/// One run with the settings that were given from outside, by name.
pub(crate) struct Line<'a> {
    pub report: &'a SeedReport,
    pub set: &'a [(String, f64)],
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let r = self.report;
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("program", &r.program)?;
        m.serialize_entry("set", &named(self.set, |p| &p.0, |p| Number(p.1)))?;
        m.serialize_entry("verdicts", &r.verdicts)?;
        m.serialize_entry("run", &r.run)?;
        if let Some(serving) = &r.serving {
            m.serialize_entry("serving", serving)?;
        }
        m.serialize_entry("observes", &named(&r.observes, |o| &o.name, |o| o))?;
        m.serialize_entry("gauges", &named(&r.gauges, |g| &g.name, |g| g))?;
        m.serialize_entry("pools", &r.pools)?;
        m.serialize_entry("stages", &r.stages)?;
        if let Some(series) = &r.series {
            m.serialize_entry("series", series)?;
        }
        m.serialize_entry("notes", &notes::of_run(r))?;
        if let Some(fault) = &r.fault {
            m.serialize_entry("error", fault)?;
        }
        m.end()
    }
}

/// Rows as an object with their names as keys.
pub(crate) struct Named<'a, T, K, V>(&'a [T], K, V);

pub(crate) fn named<'a, T, R>(
    rows: &'a [T],
    name: impl Fn(&'a T) -> &'a String,
    value: impl Fn(&'a T) -> R,
) -> Named<'a, T, impl Fn(&'a T) -> &'a String, impl Fn(&'a T) -> R> {
    Named(rows, name, value)
}

impl<'a, T, K, V, R> Serialize for Named<'a, T, K, V>
where
    K: Fn(&'a T) -> &'a String,
    V: Fn(&'a T) -> R,
    R: Serialize,
{
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_map(self.0.iter().map(|row| ((self.1)(row), (self.2)(row))))
    }
}

/// A number that may be infinite or NaN.
pub(crate) struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            x if x.is_nan() => s.serialize_str("nan"),
            f64::INFINITY => s.serialize_str("inf"),
            f64::NEG_INFINITY => s.serialize_str("-inf"),
            x => s.serialize_f64(x),
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("kind", self.kind.word())?;
        m.serialize_entry("code", self.kind.code())?;
        m.serialize_entry("at", &self.at)?;
        m.serialize_entry("since", &self.since)?;
        m.serialize_entry("message", &self.message)?;
        m.end()
    }
}

impl Serialize for Serving {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        let per = |x: f64| x / self.duration;
        m.serialize_entry("offered", &self.offered)?;
        m.serialize_entry("completed", &self.completed)?;
        m.serialize_entry("request_throughput", &per(self.completed as f64))?;
        m.serialize_entry("input_tokens", &self.input_tokens)?;
        m.serialize_entry("output_tokens", &self.output_tokens)?;
        m.serialize_entry("input_throughput", &self.input_tokens.map(per))?;
        m.serialize_entry("output_throughput", &self.output_tokens.map(per))?;
        if self.good.is_some() {
            m.serialize_entry("good", &self.good)?;
            m.serialize_entry("unanswered", &self.unanswered)?;
            m.serialize_entry("goodput", &self.goodput())?;
            m.serialize_entry("attained", &self.attained())?;
        }
        m.end()
    }
}

impl Serialize for RunRow {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("horizon", &Number(self.horizon))?;
        m.serialize_entry("end", &self.end)?;
        m.serialize_entry("warmup", &self.warmup)?;
        m.serialize_entry("seed", &self.seed)?;
        m.serialize_entry("arrivals", &self.arrivals)?;
        m.serialize_entry("ended", &self.ended)?;
        m.serialize_entry("turns", &self.turns)?;
        m.serialize_entry("mean_live", &self.mean_live)?;
        m.serialize_entry("events", &self.events)?;
        m.serialize_entry("live_at_end", &self.live_at_end)?;
        m.end()
    }
}

/// Time, session, turn, value.
struct SampleItem(f64, u64, u32, f64);

impl Serialize for SampleItem {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut t = s.serialize_tuple(4)?;
        t.serialize_element(&self.0)?;
        t.serialize_element(&self.1)?;
        t.serialize_element(&self.2)?;
        t.serialize_element(&Number(self.3))?;
        t.end()
    }
}

/// A list made of items by a function.
struct List<'a, T, F>(&'a [T], F);

fn list<'a, T, R, F: Fn(&'a T) -> R>(items: &'a [T], f: F) -> List<'a, T, F> {
    List(items, f)
}

impl<'a, T, F, R> Serialize for List<'a, T, F>
where
    F: Fn(&'a T) -> R,
    R: Serialize,
{
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(self.0.iter().map(&self.1))
    }
}

impl Serialize for ObserveRow {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("count", &self.count)?;
        m.serialize_entry("mean", &self.mean)?;
        m.serialize_entry("ci", &self.ci)?;
        m.serialize_entry("cv2", &self.cv2)?;
        m.serialize_entry("p99", &self.p99)?;
        if let Some(samples) = &self.samples {
            m.serialize_entry("samples", &list(samples, |x| SampleItem(x.0, x.1, x.2, x.3)))?;
        }
        m.serialize_entry("min", &self.min)?;
        m.serialize_entry("max", &self.max)?;
        m.serialize_entry("p50", &self.p50)?;
        m.serialize_entry("p90", &self.p90)?;
        m.serialize_entry("p95", &self.p95)?;
        m.serialize_entry("nonfinite", &self.nonfinite)?;
        m.serialize_entry("ci_correlation", &self.correlation)?;
        m.end()
    }
}

impl Serialize for GaugeRow {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("mean", &self.mean)?;
        m.serialize_entry("ci", &self.ci)?;
        m.serialize_entry("min", &self.min)?;
        m.serialize_entry("max", &self.max)?;
        if let Some(points) = &self.points {
            m.serialize_entry("points", &list(points, |p| (p.0, Number(p.1))))?;
        }
        m.serialize_entry("ci_correlation", &self.correlation)?;
        m.end()
    }
}

fn counts<M: SerializeMap>(m: &mut M, c: &PoolCounts) -> Result<(), M::Error> {
    m.serialize_entry("admissions", &c.admissions)?;
    m.serialize_entry("evicted_entries", &c.evicted_entries)?;
    m.serialize_entry("evicted_units", &c.evicted_units)?;
    m.serialize_entry("preemptions", &c.preemptions)?;
    m.serialize_entry("spills", &c.spills)?;
    m.serialize_entry("rejected", &c.rejected)?;
    m.serialize_entry("stuck", &c.stuck)
}

impl Serialize for PoolCounts {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        counts(&mut m, self)?;
        m.end()
    }
}

impl Serialize for PoolRow {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("name", &self.name)?;
        m.serialize_entry("index", &self.index)?;
        m.serialize_entry("mean_used", &self.mean_used)?;
        m.serialize_entry("mean_cached", &self.mean_cached)?;
        m.serialize_entry("mean_queue", &self.mean_queue)?;
        m.serialize_entry("mean_holders", &self.mean_holders)?;
        m.serialize_entry("mean_wait", &self.mean_wait)?;
        counts(&mut m, &self.counts)?;
        m.serialize_entry("mean_stalled", &self.mean_stalled)?;
        m.serialize_entry("waiting", &self.waiting)?;
        m.serialize_entry("waiting_mean_so_far", &self.waiting_mean_so_far)?;
        m.serialize_entry("measured", &self.measured)?;
        m.end()
    }
}

impl Serialize for StageRow {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("name", &self.name)?;
        m.serialize_entry("index", &self.index)?;
        m.serialize_entry("mean_number", &self.mean_number)?;
        m.serialize_entry("utilization", &self.utilization)?;
        m.serialize_entry("completed", &self.completed)?;
        m.serialize_entry("throughput", &self.throughput)?;
        m.serialize_entry("mean_wait", &self.mean_wait)?;
        m.serialize_entry("mean_service", &self.mean_service)?;
        m.serialize_entry("iterations", &self.iterations)?;
        m.serialize_entry("prefill_only", &self.prefill_only)?;
        m.serialize_entry("decode_only", &self.decode_only)?;
        m.serialize_entry("mixed", &self.mixed)?;
        m.serialize_entry("mean_decodes", &self.mean_decodes)?;
        m.serialize_entry("mean_decode_batch", &self.mean_decode_batch)?;
        m.serialize_entry("mean_decode_step", &self.mean_decode_step)?;
        m.serialize_entry("mean_itl", &self.gaps.mean())?;
        m.serialize_entry("itl_p50", &self.gaps.quantile(0.50))?;
        m.serialize_entry("itl_p99", &self.gaps.quantile(0.99))?;
        m.serialize_entry("kind", self.kind_name())?;
        m.serialize_entry("prefill_tokens", &self.prefill_tokens)?;
        m.serialize_entry("decode_tokens", &self.decode_tokens)?;
        m.end()
    }
}

impl Serialize for FaultRow {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        let placed = self.line > 0;
        m.serialize_entry("code", &self.code)?;
        m.serialize_entry("message", &self.message)?;
        m.serialize_entry("help", &self.help)?;
        m.serialize_entry("file", &placed.then_some(&self.file))?;
        m.serialize_entry("line", &placed.then_some(self.line))?;
        m.serialize_entry("column", &placed.then_some(self.col))?;
        m.serialize_entry("source", &placed.then_some(&self.source))?;
        m.serialize_entry("station", &self.station)?;
        m.serialize_entry("session", &self.session)?;
        m.serialize_entry("turn", &self.session.map(|_| self.turn))?;
        m.serialize_entry("time", &self.seed.map(|_| self.time))?;
        m.serialize_entry("seed", &self.seed)?;
        m.end()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::sample::report, *};
    use serde_json::{Value, json};

    fn line(r: &SeedReport) -> String {
        let mut out = Vec::new();
        write_line(&mut out, r, &[("thr".into(), f64::INFINITY), ("B".into(), 2.0)]).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn one_object_on_one_line_that_reads_back_the_same() {
        let r = report(3, true);
        let text = line(&r);
        assert_eq!(text.matches('\n').count(), 1);
        let v: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(v["run"]["seed"], json!(3));
        assert_eq!(v["set"], json!({"thr": "inf", "B": 2.0}));
        let ttft = &v["observes"]["ttft"];
        assert_eq!(ttft["mean"].as_f64(), r.observes[0].mean);
        assert_eq!(
            ttft["samples"][0][3].as_f64(),
            Some(r.observes[0].samples.as_ref().unwrap()[0].3)
        );
        assert_eq!(v["pools"][0]["index"], json!(0));
        assert_eq!(v["pools"][2]["index"], Value::Null);
        assert_eq!(v["stages"][0]["itl_p99"].as_f64(), r.stages[0].gaps.quantile(0.99));
        assert!(!text.contains("wall"));
    }

    #[test]
    fn values_that_are_not_finite_are_strings_and_their_means_null() {
        let mut r = report(1, true);
        r.observes[0].mean = None;
        r.observes[0].samples = Some(vec![
            (1.0, 0, 1, f64::NAN),
            (2.0, 0, 1, f64::INFINITY),
            (3.0, 1, 1, f64::NEG_INFINITY),
        ]);
        r.gauges[0].points = Some(vec![(0.0, f64::NAN)]);
        let v: Value = serde_json::from_str(&line(&r)).unwrap();
        assert_eq!(v["observes"]["ttft"]["mean"], Value::Null);
        assert_eq!(
            v["observes"]["ttft"]["samples"],
            json!([[1.0, 0, 1, "nan"], [2.0, 0, 1, "inf"], [3.0, 1, 1, "-inf"]])
        );
        assert_eq!(v["gauges"]["depth"]["points"], json!([[0.0, "nan"]]));
    }

    #[test]
    fn without_samples_there_are_neither_samples_nor_points() {
        let v: Value = serde_json::from_str(&line(&report(1, false))).unwrap();
        assert!(v["observes"]["ttft"].get("samples").is_none());
        assert!(v["gauges"]["depth"].get("points").is_none());
    }

    #[test]
    fn keys_stand_in_the_documented_order() {
        let text = line(&report(1, true));
        let order = [
            "\"run\"",
            "\"horizon\"",
            "\"end\"",
            "\"warmup\"",
            "\"seed\"",
            "\"arrivals\"",
            "\"ended\"",
            "\"turns\"",
            "\"mean_live\"",
            "\"events\"",
            "\"observes\"",
            "\"count\"",
            "\"mean\"",
            "\"ci\"",
            "\"cv2\"",
            "\"p99\"",
            "\"samples\"",
            "\"gauges\"",
            "\"points\"",
            "\"pools\"",
            "\"mean_used\"",
            "\"mean_cached\"",
            "\"mean_queue\"",
            "\"mean_holders\"",
            "\"mean_wait\"",
            "\"admissions\"",
            "\"stuck\"",
            "\"stages\"",
            "\"mean_number\"",
            "\"utilization\"",
            "\"completed\"",
            "\"throughput\"",
            "\"iterations\"",
            "\"itl_p50\"",
            "\"itl_p99\"",
        ];
        let mut from = 0;
        for key in order {
            from += text[from..].find(key).unwrap_or_else(|| panic!("{key} in its place"));
        }
    }

    #[test]
    fn what_does_not_run_is_told() {
        let mut out = Vec::new();
        let error = FaultRow { code: "S920".into(), message: "no".into(), ..FaultRow::default() };
        write_refusal(&mut out, "p", &error).unwrap();
        let v: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!((&v["program"], &v["error"]["code"]), (&json!("p"), &json!("S920")));
        for key in ["line", "column", "file", "time", "session", "turn", "seed"] {
            assert_eq!(v["error"][key], Value::Null, "{key}");
        }
    }

    #[test]
    fn a_fault_is_told() {
        let mut r = report(1, false);
        r.fault = Some(FaultRow {
            message: "index 4 of 4".into(),
            line: 7,
            col: 3,
            session: Some(9),
            turn: 2,
            time: 1.5,
            seed: Some(4),
            ..FaultRow::default()
        });
        let v: Value = serde_json::from_str(&line(&r)).unwrap();
        let error = |key: &str| v["error"][key].clone();
        assert_eq!([error("line"), error("column")], [7, 3]);
        assert_eq!([error("session"), error("turn"), error("seed")], [9, 2, 4]);
        assert_eq!((error("time"), error("station")), (json!(1.5), Value::Null));
        assert!(v["notes"][0].as_str().unwrap().contains("partial"));
    }
}
