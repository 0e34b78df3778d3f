//! `serqc report FOLDER -o FILE.html`: what runs came to, on one page.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::failure::{Failure, Outside};
use crate::report;

/// Show what runs came to on one page that needs nothing from elsewhere
#[derive(Debug, Args)]
pub struct Arguments {
    /// A folder that `--out` of a sweep wrote, or a file with lines of `--json` (`-`: standard input)
    #[arg(value_name = "RESULTS")]
    results: PathBuf,
    /// Where to write the page; standard output without it
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<PathBuf>,
}

/// Writes the page.
pub fn execute(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let page = report::page(&arguments.results)?;
    match &arguments.output {
        Some(path) => {
            std::fs::write(path, page).map_err(|error| Outside::unwritable(path, error))?;
        }
        None => super::print(&page)?,
    }
    Ok(ExitCode::SUCCESS)
}
