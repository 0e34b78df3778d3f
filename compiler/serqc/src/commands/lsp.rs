//! `serqc lsp`: the language server, on standard input and output.

use std::process::ExitCode;

use clap::Args;

use crate::failure::Failure;
use crate::lsp;

/// Serve an editor: the Language Server Protocol on standard input and output
#[derive(Debug, Args)]
pub struct Arguments {
    /// Accepted because editors pass it; there is no other way to talk
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Serves until the editor says `exit` or closes the input.
pub fn execute(_: &Arguments) -> Result<ExitCode, Failure> {
    Ok(if lsp::serve() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
