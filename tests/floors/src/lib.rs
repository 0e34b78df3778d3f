//! Floors: what a simulator of one program costs when it is written by hand in plain Rust.
//!
//! In: the values of a program's constants and the length of a run. Out: the mean of each observation. A floor draws
//! from the runtime's random streams in the program's order, so it must give the compiled program's means; it keeps
//! nothing else: no quantiles, no intervals, no tables. The programs are those of `examples/single-turn`, or stand
//! under `programs/`.

mod batching;
mod cli;
mod closed;
mod mm1;
mod mmc;
mod ps;
mod slots;
mod tandem;

pub use cli::Options;

use serde::Serialize;
use serq_runtime::rng::{Stream, StreamKind};

/// How long a run is and which draws it has.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Simulated seconds.
    pub horizon: f64,
    /// Seconds before observations count.
    pub warmup: f64,
    /// Names the draws.
    pub seed: u64,
}

impl Run {
    /// The stream of gaps between arrivals.
    fn arrivals(&self) -> Stream {
        Stream::new(self.seed, StreamKind::Arrival, 0, 0)
    }

    /// The stream of a session's statements.
    fn session(&self, serial: u64) -> Stream {
        Stream::new(self.seed, StreamKind::Session, serial, 0)
    }
}

/// A running mean of what is observed after the warm-up.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    count: u64,
    sum: f64,
}

impl Mean {
    fn add(&mut self, run: &Run, now: f64, value: f64) {
        if now >= run.warmup {
            self.count += 1;
            self.sum += value;
        }
    }
}

/// One observation of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Observed {
    /// Its name in the program.
    pub name: &'static str,
    /// How often it was made after the warm-up.
    pub count: u64,
    /// Its mean.
    pub mean: f64,
}

/// What [`Mean`]s came to.
fn observed(means: &[(&'static str, Mean)]) -> Vec<Observed> {
    let one = |&(name, m): &(&'static str, Mean)| Observed {
        name,
        count: m.count,
        mean: m.sum / m.count as f64,
    };
    means.iter().map(one).collect()
}

/// The constants of a program by name.
#[derive(Clone, Debug)]
pub struct Values(Vec<(String, f64)>);

impl Values {
    /// These; of two that have one name the later stands.
    pub fn new(values: impl IntoIterator<Item = (String, f64)>) -> Self {
        Self(values.into_iter().collect())
    }

    /// # Errors
    /// There is none of this name.
    fn get(&self, name: &str) -> Result<f64, String> {
        let found = self.0.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, value)| *value).ok_or_else(|| format!("no value for `{name}`"))
    }
}

/// A simulator and the program that it simulates.
#[derive(Clone, Copy, Debug)]
pub struct Floor {
    /// Its name.
    pub name: &'static str,
    /// The program's file, from the folder of the project.
    pub program: &'static str,
    /// The constants that it is measured at: all that it has.
    pub values: &'static [(&'static str, f64)],
    /// Simulated seconds that take about a second of the floor's time.
    pub second: f64,
    simulate: fn(&Values, &Run) -> Result<Vec<Observed>, String>,
}

impl Floor {
    /// Its constants, `changed` where they differ.
    pub fn values(&self, changed: &[(&str, f64)]) -> Values {
        let all = self.values.iter().chain(changed);
        Values::new(all.map(|&(name, value)| (name.to_owned(), value)))
    }

    /// The means of one run.
    ///
    /// # Errors
    /// A constant has no value.
    pub fn simulate(&self, values: &Values, run: &Run) -> Result<Vec<Observed>, String> {
        (self.simulate)(values, run)
    }
}

/// All floors.
pub const FLOORS: [Floor; 6] = [
    Floor {
        name: "mm1",
        program: "examples/single-turn/mm1.sq",
        values: &[("lambda", 0.8), ("s", 1.0)],
        second: 2e7,
        simulate: mm1::simulate,
    },
    Floor {
        name: "mm16",
        program: "examples/single-turn/mmc.sq",
        values: &[("lambda", 12.8), ("s", 1.0), ("c", 16.0)],
        second: 1e6,
        simulate: mmc::simulate,
    },
    Floor {
        name: "closed64",
        program: "examples/single-turn/closed_mmn1.sq",
        values: &[("N", 64.0), ("s", 0.1), ("Z", 8.0)],
        second: 2e6,
        simulate: closed::simulate,
    },
    Floor {
        name: "ps",
        program: "examples/single-turn/ps.sq",
        values: &[("lambda", 0.8), ("s", 1.0), ("cv2", 4.0)],
        second: 1e7,
        simulate: ps::simulate,
    },
    Floor {
        name: "tandem10",
        program: "tests/floors/programs/tandem10.sq",
        values: &[("lambda", 0.5), ("s", 1.0), ("n", 10.0)],
        second: 3e6,
        simulate: tandem::simulate,
    },
    Floor {
        name: "batching",
        program: "tests/floors/programs/batching.sq",
        values: &[
            ("Lambda", 12.0),
            ("slots", 64.0),
            ("B", 4096.0),
            ("c0", 5e-3),
            ("a", 2e-5),
            ("shortest", 200.0),
            ("longest", 2000.0),
            ("output", 250.0),
        ],
        second: 4e5,
        simulate: batching::simulate,
    },
];

/// The floor of this name.
pub fn floor(name: &str) -> Option<&'static Floor> {
    FLOORS.iter().find(|floor| floor.name == name)
}
