//! `serqc draw FILE [-o FILE.svg]`: a program as a picture.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::Source;
use crate::draw;
use crate::failure::{Failure, Outside};
use crate::render::Screen;

/// Draw a program: its stations with their pools, engines and links, and the way of a session over them
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Where to write the picture; standard output without it
    #[arg(short, long, value_name = "FILE.svg")]
    output: Option<PathBuf>,
}

/// Writes the picture, an SVG.
pub fn execute(arguments: &Arguments, screen: &Screen) -> Result<ExitCode, Failure> {
    let program = super::resolve(&arguments.source.file, &arguments.source.sets, screen)?;
    let picture = draw::svg(&program);
    match &arguments.output {
        Some(path) => {
            std::fs::write(path, picture).map_err(|error| Outside::unwritable(path, error))?
        }
        None => super::print(&picture)?,
    }
    Ok(ExitCode::SUCCESS)
}
