//! The numbers of a run by name: what tables have as columns and comparisons ask for.
//!
//! A name is `WHAT:OF`, such as `p99:ttft` or `utilization:D`, or one word about the run as a whole.
//! Members of a family count together, so that a program has the same names at every point. The page
//! on results has the list.

use serde_json::Value;

use crate::{
    report::{GaugeRow, ObserveRow, PoolRow, SeedReport, StageRow},
    stats::GapHistogram,
    world::StageType,
};

/// A number of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// Its name.
    pub name: String,
    /// Its value; `None` where the run has none that is finite.
    pub value: Option<f64>,
}

struct List(Vec<Metric>);

impl List {
    fn add(&mut self, name: impl Into<String>, value: impl Into<Option<f64>>) {
        let value: Option<f64> = value.into();
        self.0.push(Metric { name: name.into(), value: value.filter(|x| x.is_finite()) });
    }
    fn of(&mut self, what: &str, of: &str, value: impl Into<Option<f64>>) {
        self.add(format!("{what}:{of}"), value);
    }
}

/// All numbers of a run, in the order of its report.
pub fn metrics(report: &SeedReport) -> Vec<Metric> {
    let mut list = List(Vec::with_capacity(64));
    run(report, &mut list);
    report.observes.iter().for_each(|o| observe(o, &mut list));
    report.gauges.iter().for_each(|g| gauge(g, &mut list));
    families(&report.pools, |p| &p.name).for_each(|rows| pool(rows, &mut list));
    families(&report.stages, |s| &s.name).for_each(|rows| stage(rows, &mut list));
    list.0
}

fn run(report: &SeedReport, list: &mut List) {
    let r = &report.run;
    let measured = r.end - r.warmup;
    let rate = |n: u64| (measured > 0.0).then(|| n as f64 / measured);
    list.add("end", r.end);
    list.add("arrivals", r.arrivals as f64);
    list.add("ended", r.ended as f64);
    list.add("throughput", rate(r.ended));
    list.add("turns", r.turns as f64);
    list.add("turn_rate", rate(r.turns));
    list.add("mean_live", r.mean_live);
    list.add("live_at_end", r.live_at_end as f64);
    list.add("events", r.events as f64);
    if let Some(s) = &report.serving {
        let rate = |n: Option<f64>| n.filter(|_| measured > 0.0).map(|n| n / measured);
        list.add("request_rate", rate(Some(s.completed as f64)));
        list.add("input_token_rate", rate(s.input_tokens));
        list.add("output_token_rate", rate(s.output_tokens));
        if s.good.is_some() {
            list.add("goodput", s.goodput());
            list.add("slo_attained", s.attained());
        }
    }
}

fn observe(o: &ObserveRow, list: &mut List) {
    list.of("count", &o.name, o.count as f64);
    list.of("mean", &o.name, o.mean);
    list.of("cv2", &o.name, o.cv2);
    list.of("min", &o.name, o.min);
    list.of("p50", &o.name, o.p50);
    list.of("p90", &o.name, o.p90);
    list.of("p95", &o.name, o.p95);
    list.of("p99", &o.name, o.p99);
    list.of("max", &o.name, o.max);
    list.of("nonfinite", &o.name, o.nonfinite as f64);
}

fn gauge(g: &GaugeRow, list: &mut List) {
    list.of("gauge", &g.name, g.mean);
    list.of("gauge_min", &g.name, g.min);
    list.of("gauge_max", &g.name, g.max);
}

/// Rows of one name together; members of a family follow one another.
fn families<T>(rows: &[T], name: impl Fn(&T) -> &String) -> impl Iterator<Item = &[T]> {
    rows.chunk_by(move |a, b| name(a) == name(b))
}

/// The mean of what is there, each value as often as its weight says.
fn weighted(values: impl Iterator<Item = (Option<f64>, f64)>) -> Option<f64> {
    let (sum, weight) = values
        .filter_map(|(x, w)| Some((x? * w, w)))
        .fold((0.0, 0.0), |(s, n), (x, w)| (s + x, n + w));
    (weight > 0.0).then(|| sum / weight)
}

fn pool(rows: &[PoolRow], list: &mut List) {
    let name = &rows[0].name;
    let sum = |f: fn(&PoolRow) -> f64| rows.iter().map(f).sum::<f64>();
    list.of("mean_used", name, sum(|p| p.mean_used));
    list.of("mean_cached", name, sum(|p| p.mean_cached));
    list.of("mean_queue", name, sum(|p| p.mean_queue));
    list.of("mean_holders", name, sum(|p| p.mean_holders));
    list.of("mean_stalled", name, sum(|p| p.mean_stalled));
    let waits = rows.iter().map(|p| (p.mean_wait, p.measured.admissions as f64));
    list.of("mean_wait", name, weighted(waits));
    list.of("admissions", name, sum(|p| p.measured.admissions as f64));
    list.of("evicted_units", name, sum(|p| p.measured.evicted_units));
    list.of("preemptions", name, sum(|p| p.measured.preemptions as f64));
    list.of("spills", name, sum(|p| p.measured.spills as f64));
    list.of("rejected", name, sum(|p| p.measured.rejected as f64));
}

fn stage(rows: &[StageRow], list: &mut List) {
    let (name, kind) = (&rows[0].name, rows[0].kind);
    let sum = |f: fn(&StageRow) -> f64| rows.iter().map(f).sum::<f64>();
    let per_run =
        |f: fn(&StageRow) -> Option<f64>| weighted(rows.iter().map(|s| (f(s), s.completed as f64)));
    list.of("mean_number", name, sum(|s| s.mean_number));
    if kind != StageType::Delay {
        list.of("utilization", name, weighted(rows.iter().map(|s| (s.utilization, 1.0))));
    }
    list.of("completed", name, sum(|s| s.completed as f64));
    list.of("throughput", name, sum(|s| s.throughput));
    if kind == StageType::Fifo {
        list.of("mean_wait", name, per_run(|s| s.mean_wait));
    }
    list.of("mean_service", name, per_run(|s| s.mean_service));
    if kind == StageType::Step {
        list.of("iterations", name, sum(|s| s.iterations as f64));
        list.of("prefill_tokens", name, sum(|s| s.prefill_tokens));
        list.of("decode_tokens", name, sum(|s| s.decode_tokens));
        let mut gaps = GapHistogram::new();
        rows.iter().for_each(|s| gaps.merge(&s.gaps));
        list.of("mean_itl", name, gaps.mean());
        list.of("itl_p50", name, gaps.quantile(0.50));
        list.of("itl_p99", name, gaps.quantile(0.99));
    }
}

/// What was written as an object of numbers.
pub(super) fn read(text: &str) -> Option<Vec<Metric>> {
    // The object's own order is that of the report, which a map of values may not keep.
    let names = text.strip_prefix('{')?.strip_suffix('}')?;
    let value: Value = serde_json::from_str(text).ok()?;
    let object = value.as_object()?;
    let mut list = Vec::with_capacity(object.len());
    for pair in names.split(',').filter(|pair| !pair.is_empty()) {
        let name = pair.strip_prefix('"')?.rsplit_once("\":")?.0;
        list.push(Metric { name: name.to_owned(), value: object.get(name)?.as_f64() });
    }
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::report;

    fn get(list: &[Metric], name: &str) -> Option<f64> {
        list.iter().find(|m| m.name == name).unwrap_or_else(|| panic!("{name}")).value
    }

    #[test]
    fn names_are_unique_and_families_are_one() {
        let r = report(3, false);
        let list = metrics(&r);
        let mut names: Vec<&str> = list.iter().map(|m| m.name.as_str()).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
        assert_eq!(get(&list, "mean:ttft"), r.observes[0].mean);
        assert_eq!(get(&list, "p99:ttft"), r.observes[0].p99);
        assert_eq!(get(&list, "gauge:depth"), r.gauges[0].mean);
        assert_eq!(get(&list, "mean_used:D.kv"), Some(1003.0 + 2003.0));
        assert_eq!(get(&list, "admissions:D.kv"), Some(8000.0));
        assert_eq!(get(&list, "throughput:D"), Some(4.0));
        assert_eq!(get(&list, "utilization:D"), Some(0.437));
        assert_eq!(get(&list, "throughput"), Some(1790.0 / 900.0));
        assert_eq!(get(&list, "itl_p99:D"), r.stages[0].gaps.quantile(0.99));
    }

    #[test]
    fn nothing_and_infinity_have_no_value() {
        let mut r = report(1, false);
        r.observes[0].mean = None;
        r.observes[0].max = Some(f64::INFINITY);
        let list = metrics(&r);
        assert_eq!((get(&list, "mean:ttft"), get(&list, "max:ttft")), (None, None));
    }

    #[test]
    fn a_mean_weighs_each_member() {
        let waits = [(Some(1.0), 3.0), (None, 100.0), (Some(5.0), 1.0)];
        assert_eq!(weighted(waits.into_iter()), Some(2.0));
        assert_eq!(weighted([(None, 1.0)].into_iter()), None);
    }
}
