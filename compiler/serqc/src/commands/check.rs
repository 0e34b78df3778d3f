//! `serqc check FILE`: says what is wrong with a program, or nothing.

use std::process::ExitCode;

use clap::Args;

use super::Source;
use crate::failure::Failure;
use crate::render::Screen;

/// Say what is wrong with a program
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
}

/// Checks the program without building it.
pub fn execute(arguments: &Arguments, screen: &Screen) -> Result<ExitCode, Failure> {
    super::resolve(&arguments.source.file, &arguments.source.sets, screen)?;
    Ok(ExitCode::SUCCESS)
}
