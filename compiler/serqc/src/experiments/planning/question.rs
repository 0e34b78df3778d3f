//! Objectives, targets and settings as a command line says them.
//!
//! A formula is the language's arithmetic over settings and metrics; a metric is written as a call,
//! `p99(ttft)`, or by its name where it is one word, `throughput`.

use std::cell::RefCell;

use serq_runtime::expr::{self, Expr, Wrong};
use serq_runtime::results::{MOST_VALUES, decimals};

use crate::failure::Outside;

/// The language's own functions, which are no metrics.
const FUNCTIONS: [&str; 8] = ["min", "max", "abs", "floor", "ceil", "sqrt", "exp", "ln"];
/// Metrics of the run as a whole.
const OF_RUN: [&str; 14] = [
    "throughput",
    "turn_rate",
    "arrivals",
    "ended",
    "turns",
    "mean_live",
    "live_at_end",
    "events",
    "end",
    "request_rate",
    "input_token_rate",
    "output_token_rate",
    "goodput",
    "slo_attained",
];
/// What stands for a metric while a formula is parsed.
const STAND_IN: &str = "metric__";

/// What a formula reads.
#[derive(Clone, Debug, PartialEq)]
enum Read {
    Setting(usize),
    Fixed(f64),
    Metric(String),
}

/// Arithmetic over settings and metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// As it was written.
    pub text: String,
    expr: Expr,
    reads: Vec<Read>,
}

impl Formula {
    /// Parses a formula over the settings `names`, and others with fixed values.
    ///
    /// # Errors
    /// If it is none, or reads what nobody knows.
    pub fn parse(text: &str, names: &[String], fixed: &[(String, f64)]) -> Result<Self, Outside> {
        let (plain, metrics) = without_metrics(text)?;
        let reads = RefCell::new(Vec::new());
        let find = |name: &str| {
            let read = match name.strip_prefix(STAND_IN).and_then(|i| i.parse::<usize>().ok()) {
                Some(i) => Read::Metric(metrics.get(i)?.clone()),
                None => named(name, names, fixed)?,
            };
            let mut reads = reads.borrow_mut();
            reads.push(read);
            Some(reads.len() - 1)
        };
        let expr = expr::parse(&plain, &find).map_err(|wrong| {
            let help = "write an expression such as `NP + 4 * ND`, with metrics as `p99(ttft)`";
            match wrong {
                Wrong::Syntax(what) => {
                    Outside::bad_question(&format!("`{text}` is not understood: {what}"), help)
                }
                Wrong::Unknown(name) => Outside::bad_question(
                    &format!("`{name}` in `{text}` is no setting of `--over` or `--set`"),
                    "give it values with `--over`, or one with `--set NAME=NUMBER`",
                ),
            }
        })?;
        Ok(Formula { text: text.trim().to_owned(), expr, reads: reads.into_inner() })
    }

    /// The metrics that it reads.
    pub fn metrics(&self) -> impl Iterator<Item = &String> {
        self.reads.iter().filter_map(|read| match read {
            Read::Metric(name) => Some(name),
            Read::Setting(_) | Read::Fixed(_) => None,
        })
    }

    /// Its value at a point; `None` when a metric has none.
    pub fn value(&self, point: &[f64], metric: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        let read = |read: &Read| match read {
            Read::Setting(i) => Some(point[*i]),
            Read::Fixed(x) => Some(*x),
            Read::Metric(name) => metric(name),
        };
        let values: Vec<f64> = self.reads.iter().map(read).collect::<Option<_>>()?;
        Some(self.expr.value(&mut |i| values[i])).filter(|x| !x.is_nan())
    }
}

fn named(name: &str, names: &[String], fixed: &[(String, f64)]) -> Option<Read> {
    let setting = names.iter().position(|n| n == name).map(Read::Setting);
    let fixed = || fixed.iter().find(|(n, _)| n == name).map(|(_, x)| Read::Fixed(*x));
    let metric = || OF_RUN.contains(&name).then(|| Read::Metric(name.to_owned()));
    setting.or_else(fixed).or_else(metric)
}

/// The text with a name in place of every metric, and the metrics as results call them.
fn without_metrics(text: &str) -> Result<(String, Vec<String>), Outside> {
    let (mut out, mut metrics) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(open) = rest.find('(') {
        let (before, after) = rest.split_at(open);
        let begin = before
            .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let what = &before[begin..];
        if what.is_empty() || FUNCTIONS.contains(&what) {
            out += &rest[..=open];
            rest = &after[1..];
            continue;
        }
        let Some(close) = after.find(')') else {
            let wrong = format!("`{text}` is not understood: `{what}(` is not closed");
            return Err(Outside::bad_question(&wrong, "write a metric as `p99(ttft)`"));
        };
        out += &before[..begin];
        out += &format!("{STAND_IN}{}", metrics.len());
        metrics.push(format!("{what}:{}", after[1..close].trim()));
        rest = &after[close + 1..];
    }
    Ok((out + rest, metrics))
}

/// A bound on a formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// As it was written.
    pub text: String,
    left: Formula,
    right: Formula,
    /// The left side must be at most the right one; otherwise at least.
    at_most: bool,
}

impl Target {
    /// Parses `LEFT <= RIGHT`, or with `>=`, `<`, `>`.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(text: &str, names: &[String], fixed: &[(String, f64)]) -> Result<Self, Outside> {
        let sign =
            ["<=", ">=", "<", ">"].into_iter().find_map(|sign| Some((sign, text.find(sign)?)));
        let Some((sign, at)) = sign else {
            let what = format!("`{text}` has no bound");
            return Err(Outside::bad_question(&what, "write a target such as `p99(ttft) <= 0.2`"));
        };
        let bound = &text[at + sign.len()..];
        if text[..at].contains(['<', '>']) || bound.contains(['<', '>']) {
            let what = format!("`{text}` compares more than once");
            return Err(Outside::bad_question(&what, "write two targets, each with its bound"));
        }
        Ok(Target {
            text: text.trim().to_owned(),
            left: Formula::parse(&text[..at], names, fixed)?,
            right: Formula::parse(&text[at + sign.len()..], names, fixed)?,
            at_most: sign.starts_with('<'),
        })
    }

    /// The metrics that it reads.
    pub fn metrics(&self) -> impl Iterator<Item = &String> {
        self.left.metrics().chain(self.right.metrics())
    }

    /// By how much a run misses it; below 0 when it does not.
    pub fn excess(&self, point: &[f64], metric: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        let (left, right) = (self.left.value(point, metric)?, self.right.value(point, metric)?);
        Some(if self.at_most { left - right } else { right - left })
    }

    /// The side that was written first, at a point where the target is missed by `excess`; `None` when
    /// the bound is not a number known beforehand.
    pub fn left_at(&self, point: &[f64], excess: f64) -> Option<f64> {
        let bound = self.right.value(point, &|_| None)?;
        Some(if self.at_most { bound + excess } else { bound - excess })
    }

    /// What an excess is measured by, so that targets in different units compare.
    pub fn scale(&self, point: &[f64]) -> f64 {
        let bound = self.right.value(point, &|_| None).unwrap_or(1.0).abs();
        if bound > 0.0 && bound.is_finite() { bound } else { 1.0 }
    }
}

/// Reads `NP=1..8,ND=1..8` and `thr=1,512,2048`.
///
/// # Errors
/// If a part is none, or a setting is given twice.
pub fn over(texts: &[String]) -> Result<Vec<(String, Vec<f64>)>, Outside> {
    let mut settings: Vec<(String, Vec<f64>)> = Vec::new();
    for text in texts {
        let mut open = false;
        for part in text.split(',') {
            let value = match part.split_once('=') {
                Some((name, value)) => {
                    let name = name.trim().to_owned();
                    if settings.iter().any(|(n, _)| *n == name) {
                        let what = format!("`--over` gives `{name}` values twice");
                        return Err(Outside::bad_question(&what, "write them in one list"));
                    }
                    settings.push((name, Vec::new()));
                    open = true;
                    value
                }
                None => part,
            };
            let wrong = |why: &str| {
                Outside::bad_question(
                    &format!("`{}` in `--over {text}` {why}", part.trim()),
                    "write `--over NP=1..8,thr=1,512`, a range with a step as 0.1..0.5:0.1",
                )
            };
            let Some((_, values)) = settings.last_mut().filter(|_| open) else {
                return Err(wrong("has no name"));
            };
            values.extend(numbers(value.trim()).map_err(|why| wrong(&why))?);
            if values.len() > MOST_VALUES {
                return Err(wrong("has too many values"));
            }
        }
    }
    for (_, values) in &mut settings {
        values.sort_by(f64::total_cmp);
        values.dedup();
    }
    Ok(settings)
}

fn numbers(text: &str) -> Result<Vec<f64>, String> {
    if let Some((first, rest)) = text.split_once("..") {
        let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
        let counted = decimals(first, last, step);
        return counted
            .unwrap_or(Err("has ends or a step that are no decimals"))
            .map_err(str::to_owned);
    }
    let number = text.parse::<f64>().ok().filter(|x| !x.is_nan());
    number.map(|x| vec![x]).ok_or_else(|| "is no number".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        vec!["NP".into(), "ND".into()]
    }

    fn metric(name: &str) -> Option<f64> {
        match name {
            "p99:ttft" => Some(0.25),
            "utilization:D.kv" => Some(0.5),
            "throughput" => Some(7.0),
            _ => None,
        }
    }

    #[test]
    fn formulas_read_settings_and_metrics() {
        let fixed = [("price".to_owned(), 3.0)];
        let f = Formula::parse("NP + 4*ND + max(price, 2)", &names(), &fixed).unwrap();
        assert_eq!((f.metrics().count(), f.value(&[1.0, 2.0], &metric)), (0, Some(12.0)));
        let f = Formula::parse("(p99(ttft) + utilization( D.kv )) * throughput", &names(), &fixed);
        let f = f.unwrap();
        assert_eq!(f.metrics().collect::<Vec<_>>(), ["p99:ttft", "utilization:D.kv", "throughput"]);
        assert_eq!(f.value(&[1.0, 2.0], &metric), Some(5.25));
        let f = Formula::parse("mean(nothing)", &names(), &fixed).unwrap();
        assert_eq!(f.value(&[1.0, 2.0], &metric), None);
        for wrong in ["NX + 1", "NP +", "p99(ttft", ""] {
            assert_eq!(
                Formula::parse(wrong, &names(), &fixed).unwrap_err().code,
                "S948",
                "{wrong}"
            );
        }
    }

    #[test]
    fn targets_say_by_how_much_they_are_missed() {
        let t = Target::parse("p99(ttft) <= 0.1 * ND", &names(), &[]).unwrap();
        assert!((t.excess(&[1.0, 2.0], &metric).unwrap() - 0.05).abs() < 1e-12);
        assert!((t.left_at(&[1.0, 2.0], 0.05).unwrap() - 0.25).abs() < 1e-12);
        let t = Target::parse("throughput >= 10", &names(), &[]).unwrap();
        assert_eq!(t.excess(&[1.0, 2.0], &metric), Some(3.0));
        assert_eq!(t.left_at(&[1.0, 2.0], 3.0), Some(7.0));
        assert_eq!(Target::parse("p99(ttft)", &names(), &[]).unwrap_err().code, "S948");
    }

    #[test]
    fn settings_to_choose_from() {
        let texts = ["NP=1..3,ND=2".to_owned(), "thr=512,1,inf".to_owned()];
        let read = over(&texts).unwrap();
        assert_eq!(read[0], ("NP".to_owned(), vec![1.0, 2.0, 3.0]));
        assert_eq!(read[2], ("thr".to_owned(), vec![1.0, 512.0, f64::INFINITY]));
        for wrong in ["1..3", "NP=x", "NP=1,NP=2", "NP=3..1", "NP="] {
            assert_eq!(over(&[wrong.to_owned()]).unwrap_err().code, "S948", "{wrong}");
        }
    }
}
