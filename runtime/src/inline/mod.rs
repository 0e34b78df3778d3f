//! Runs of a program that stands in Rust code (`serq!`).
//!
//! In: the `Model` that the macro emits, values of its `let`s, and [`Settings`] over the program's own `run` block. Out:
//! a [`Report`] whose parts have the program's names as fields, or a [`RunError`]. The run is the one that the
//! command's binary makes of the same values and settings, to the last bit.

mod error;
mod rows;
mod settings;

pub use error::RunError;
pub use rows::{Gauge, Observation, Pool, Stage};
pub use settings::Settings;

use crate::{
    report::{RunRow, SeedReport, json, text},
    simulate::simulate,
    world::World,
};
use std::fmt;

/// Values that have the program's names as fields: one of the four parts of a [`Report`].
pub trait Named {
    /// Takes them out of the rows of a report of this program.
    fn of(report: &SeedReport) -> Self;
}

/// What one run of a program reports, by the program's names. `Display` writes the text that the command prints, and so
/// does `Debug`, since `unwrap_err` shows it.
#[derive(Clone)]
#[non_exhaustive]
pub struct Report<O, G, P, S> {
    /// What sessions observed.
    pub observe: O,
    /// Gauges.
    pub gauge: G,
    /// Pools; of a family every member.
    pub pool: P,
    /// Stages; of a family every member.
    pub stage: S,
    /// The run as a whole.
    pub run: RunRow,
    /// What a reader should know before believing a number.
    pub notes: Vec<String>,
    rows: SeedReport,
    /// `let`s that have another value than the program gives them.
    set: Vec<(String, f64)>,
}

impl<O, G, P, S> Report<O, G, P, S> {
    /// The report as the command's `--json` writes it, one line without its end.
    pub fn json(&self) -> String {
        let mut line = Vec::new();
        // Writing to memory cannot fail, and JSON is UTF-8.
        let _ = json::write_line(&mut line, &self.rows, &self.set);
        String::from_utf8_lossy(&line).trim_end().to_owned()
    }

    /// Every row, as the runtime has them.
    pub fn rows(&self) -> &SeedReport {
        &self.rows
    }
}

impl<O, G, P, S> fmt::Display for Report<O, G, P, S> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&text::render(std::slice::from_ref(&self.rows), &self.set))
    }
}

impl<O, G, P, S> fmt::Debug for Report<O, G, P, S> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Runs program `W` under one value for each of its `let`s.
///
/// # Errors
/// Settings that no run can have, constants that the program refuses, or an error that the run met.
pub fn run<W: World, O: Named, G: Named, P: Named, S: Named>(
    values: &[f64],
    settings: &Settings,
) -> Result<Report<O, G, P, S>, RunError> {
    let settings = settings.over(&W::run_defaults(values), W::TRACE)?;
    let rows = simulate::<W>(values, &settings)
        .map_err(|refusals| RunError::refused(&refusals, W::SITES))?;
    if let Some(fault) = rows.fault.clone() {
        return Err(RunError::Stopped { fault: Box::new(fault), rows: Box::new(rows) });
    }
    let own = lets::<W>(&vec![None; values.len()]);
    let changed = (0..values.len()).filter(|&i| values[i].to_bits() != own[i].to_bits());
    let set = changed.map(|i| (W::PARAMS[i].name.to_owned(), values[i])).collect();
    Ok(Report {
        observe: O::of(&rows),
        gauge: G::of(&rows),
        pool: P::of(&rows),
        stage: S::of(&rows),
        run: rows.run.clone(),
        notes: rows.notes.clone(),
        rows,
        set,
    })
}

/// A value for each `let` of program `W`: the given one, else what the program says, which may follow given ones.
pub fn lets<W: World>(given: &[Option<f64>]) -> Vec<f64> {
    let mut values: Vec<f64> = Vec::with_capacity(given.len());
    for (i, one) in given.iter().enumerate() {
        // A `let` reads earlier ones only.
        let own = W::param(i, &mut |j| values.get(j).copied().unwrap_or(f64::NAN));
        values.push(one.unwrap_or(own));
    }
    values
}
