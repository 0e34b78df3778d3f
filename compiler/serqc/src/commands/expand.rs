//! `serqc expand FILE`: the emitted Rust, to read.

use std::process::ExitCode;

use clap::Args;

use super::Source;
use crate::failure::Failure;
use crate::render::Screen;

/// Print the Rust that a program becomes
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
}

/// Prints the emitted `main.rs` on standard output.
pub fn execute(arguments: &Arguments, screen: &Screen) -> Result<ExitCode, Failure> {
    let emitted = super::emit(&arguments.source.file, &arguments.source.sets, screen)?;
    super::print(&emitted.main_rs)?;
    Ok(ExitCode::SUCCESS)
}
