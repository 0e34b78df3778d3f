//! Which scenarios the programs cannot answer: predicates over what a scenario asks for, with their reasons, as
//! `ref/oracle/excluded.toml` lists them.

use super::scenario::Scenario;
use serde::Deserialize;
use std::{fs, path::Path};

/// A predicate over scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Predicate {
    /// An engine processes its outputs one step later.
    AsyncScheduling,
}

impl Predicate {
    /// Its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Predicate::AsyncScheduling => "async_scheduling",
        }
    }

    /// Whether a scenario is such a one.
    pub fn holds(self, scenario: &Scenario) -> bool {
        match self {
            Predicate::AsyncScheduling => {
                scenario.engines().iter().any(|engine| engine.async_scheduling)
            }
        }
    }
}

/// A predicate that excludes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    /// It.
    pub predicate: Predicate,
    /// What the programs cannot say.
    pub reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    excluded: Vec<Exclusion>,
}

/// Reads the list.
///
/// # Errors
/// It cannot be read, names no predicate of these, or gives no reason.
pub fn read(path: &Path) -> Result<Vec<Exclusion>, String> {
    let said = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
    let text = fs::read_to_string(path).map_err(|error| said(&error))?;
    let file: File = toml::from_str(&text).map_err(|error| said(&error))?;
    match file.excluded.iter().find(|exclusion| exclusion.reason.trim().is_empty()) {
        Some(exclusion) => Err(said(&format!("no reason for `{}`", exclusion.predicate.name()))),
        None => Ok(file.excluded),
    }
}
