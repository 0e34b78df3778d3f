//! The rules of the language, one small program each, without draws: what must come out follows by hand from the
//! program, and each test says how. Its name is the rule.

use serq_runtime::Settings;

/// What a run of the program in a module reports, every value and every change of a gauge kept.
macro_rules! report {
    ($program:ident) => {
        $program::run(&$program::Params::default(), crate::kept())
            .unwrap_or_else(|error| panic!("{error}"))
    };
}

mod caches;
mod engines;
mod expressions;
mod failures;
mod flows;
mod gauges;
mod leases;
mod legs;
mod pools;
mod preemption;
mod prefixes;
mod queues;
mod ranks;
mod stations;
mod transfers;
mod workload;

/// As the program says, every value kept.
fn kept() -> Settings {
    Settings::default().samples()
}

/// Times and values of an observation.
fn seen(observed: &serq_runtime::inline::Observation) -> Vec<(f64, f64)> {
    observed.samples().iter().map(|sample| (sample.0, sample.3)).collect()
}
