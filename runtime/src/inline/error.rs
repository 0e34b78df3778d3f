//! Why there is no report.

use crate::{
    report::{FaultRow, Place, SeedReport, render_error},
    settings::Unusable,
    trace::TraceError,
    world::{Refusal, SourceSite},
};
use std::{fmt, path::PathBuf};

/// Why a run has no report. `Debug` reads as `Display` does, since `unwrap` shows it.
#[derive(Clone)]
#[non_exhaustive]
pub enum RunError {
    /// The settings are none.
    Settings(Unusable),
    /// Recorded sessions are given to a program that replays none.
    NoTrace,
    /// The recorded sessions that the settings name cannot be had.
    Trace {
        /// Their file.
        path: PathBuf,
        /// Why.
        why: TraceError,
    },
    /// Constants that the program's checks do not let pass.
    Refused(Vec<FaultRow>),
    /// An error stopped the run.
    Stopped {
        /// What it was.
        fault: Box<FaultRow>,
        /// What happened until then.
        rows: Box<SeedReport>,
    },
}

impl RunError {
    /// The code that `serqc explain` has a page for; of settings it is the command's for its options.
    pub fn code(&self) -> &str {
        match self {
            Self::Settings(_) | Self::NoTrace | Self::Trace { .. } => "S920",
            Self::Refused(checks) => checks.first().map_or("", |check| &check.code),
            Self::Stopped { fault, .. } => &fault.code,
        }
    }

    /// The place and time of the error that stopped the run, if one did.
    pub fn fault(&self) -> Option<&FaultRow> {
        match self {
            Self::Stopped { fault, .. } => Some(fault),
            Self::Settings(_) | Self::NoTrace | Self::Trace { .. } | Self::Refused(_) => None,
        }
    }

    pub(super) fn refused(refusals: &[Refusal], sites: &[SourceSite]) -> Self {
        let row = |refusal: &Refusal| {
            let row = FaultRow {
                code: refusal.code.to_owned(),
                message: refusal.message.clone(),
                ..FaultRow::default()
            };
            match sites.get(refusal.site as usize) {
                Some(site) => FaultRow {
                    file: site.file.to_owned(),
                    line: site.line,
                    col: site.col,
                    source: site.text.to_owned(),
                    ..row
                },
                None => row,
            }
        };
        Self::Refused(refusals.iter().map(row).collect())
    }
}

impl From<Unusable> for RunError {
    fn from(why: Unusable) -> Self {
        Self::Settings(why)
    }
}

fn shown(row: &FaultRow, notes: &[String]) -> String {
    let place = Place { file: &row.file, line: row.line, col: row.col, source: &row.source };
    render_error(Some(&row.code), &row.message, Some(place), notes)
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let text = match self {
            Self::Settings(why) => why.to_string(),
            Self::NoTrace => "the program replays no trace that another could replace".to_owned(),
            Self::Trace { path, why } => format!("{}: {why}", path.display()),
            Self::Refused(checks) => {
                let texts: Vec<String> = checks.iter().map(|check| shown(check, &[])).collect();
                texts.join("\n")
            }
            Self::Stopped { fault, .. } => {
                let help = Some(&fault.help).filter(|help| !help.is_empty());
                let notes = std::iter::once(format!("note: {}", fault.context()));
                let notes: Vec<String> =
                    notes.chain(help.map(|help| format!("help: {help}"))).collect();
                shown(fault, &notes)
            }
        };
        f.write_str(text.trim_end())
    }
}

impl fmt::Debug for RunError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for RunError {}
