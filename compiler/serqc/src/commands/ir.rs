//! `serqc ir FILE [--json]`: the program with nothing left to look up, to read or to process.

use std::process::ExitCode;

use clap::Args;
use serq_compiler::ir::print;

use super::Source;
use crate::failure::Failure;
use crate::ir_json;
use crate::render::Screen;

/// Print what a program means, names resolved and definitions expanded
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// As one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the IR on standard output.
pub fn execute(arguments: &Arguments, screen: &Screen) -> Result<ExitCode, Failure> {
    let program = super::resolve(&arguments.source.file, &arguments.source.sets, screen)?;
    let text = match arguments.json {
        true => format!("{:#}\n", ir_json::program(&program)),
        false => print::text(&program),
    };
    super::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
