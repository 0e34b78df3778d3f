//! The main function of a crate of a batch: runs one of its programs.
//!
//! In: the program's number and the options of the run, as arguments. Out, on standard output: the
//! run's report as one line of JSON, or an object that says which check refused the run and where.
//! What else goes wrong ends the process, and nobody but it.

use serde_json::json;
use serq_runtime::prelude::*;
use std::io::Write;

/// The options of a run, read by name.
#[derive(Debug)]
pub struct Options(Vec<String>);

impl Options {
    /// The value of `NAME=VALUE`.
    fn value(&self, name: &str) -> Option<&str> {
        self.0.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }

    /// As [`Self::value`], a number.
    fn number(&self, name: &str) -> Option<f64> {
        self.value(name)?.parse().ok()
    }

    /// Whether the word is there.
    fn says(&self, name: &str) -> bool {
        self.0.iter().any(|word| word == name)
    }
}

/// Runs the program that the first argument names, if there is one; `find` gives what runs it.
pub fn main(find: impl Fn(usize) -> Option<fn(&Options) -> String>) {
    let mut words = std::env::args().skip(1);
    let run = words.next().and_then(|number| find(number.parse().ok()?));
    let Some(run) = run else { std::process::exit(2) };
    let line = run(&Options(words.collect()));
    let mut out = std::io::stdout().lock();
    let written = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    std::process::exit(i32::from(written.is_err()));
}

/// Runs program `W` and returns its answer, a line of JSON.
pub fn run<W: World>(options: &Options) -> String {
    let refused = |message: &str| json!({"where": "link", "message": message}).to_string();
    let values = match values::<W>(options) {
        Ok(values) => values,
        Err(unknown) => return refused(&format!("no `let` is named `{unknown}`")),
    };
    let defaults = W::run_defaults(&values);
    let arrivals = options.value("arrivals").and_then(|n| n.parse().ok());
    let arrivals: Option<u64> = arrivals.or(defaults.arrivals.map(|n| n as u64));
    let horizon = options.number("horizon").or(defaults.horizon);
    let Some(horizon) = horizon else { return refused("the run has no horizon") };
    let settings = Settings {
        seed: options
            .value("seed")
            .and_then(|n| n.parse().ok())
            .or(defaults.seed.map(|n| n as u64))
            .unwrap_or(1),
        horizon,
        warmup: options.number("warmup").or(defaults.warmup).unwrap_or(0.0),
        arrivals,
        trace: None,
        samples: options.says("samples"),
        strict: options.says("strict"),
        plain_engine: options.says("plain"),
        look: Default::default(),
    };
    let report = match simulate::<W>(&values, &settings) {
        Ok(report) => report,
        Err(refusals) => {
            let Some(first) = refusals.first() else { return refused("it is refused") };
            let site = W::SITES.get(first.site as usize);
            return json!({
                "where": "link",
                "line": site.map(|site| site.line),
                "col": site.map(|site| site.col),
                "code": first.code,
                "message": first.message,
            })
            .to_string();
        }
    };
    let mut bytes = Vec::new();
    match serq_runtime::report::json::write_line(&mut bytes, &report, &[]) {
        Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => refused(&error.to_string()),
    }
}

/// The value of every `let`, with those of the options in place of what the program says.
fn values<W: World>(options: &Options) -> Result<Vec<f64>, String> {
    let mut known = vec![None; W::PARAMS.len()];
    for word in &options.0 {
        let set = word.strip_prefix("set:").and_then(|word| word.split_once('='));
        let Some((name, value)) = set else { continue };
        match W::PARAMS.iter().position(|param| param.name == name) {
            Some(at) => known[at] = value.parse().ok(),
            None => return Err(name.to_owned()),
        }
    }
    Ok((0..known.len()).map(|at| value::<W>(at, &mut known)).collect())
}

fn value<W: World>(at: usize, known: &mut Vec<Option<f64>>) -> f64 {
    if let Some(value) = known[at] {
        return value;
    }
    let found = W::param(at, &mut |other| value::<W>(other, known));
    known[at] = Some(found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_by_name() {
        let words = ["seed=7", "horizon=1e3", "set:horizon=4", "samples"];
        let options = Options(words.map(str::to_owned).to_vec());
        assert_eq!((options.value("seed"), options.number("horizon")), (Some("7"), Some(1000.0)));
        assert!(options.says("samples") && !options.says("strict"));
        assert_eq!(options.number("warmup"), None);
    }
}
