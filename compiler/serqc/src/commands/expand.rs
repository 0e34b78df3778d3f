//! `serqc expand FILE`: the emitted Rust, to read.

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use super::Source;
use crate::failure::{Failure, Outside};
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
    let mut out = io::stdout().lock();
    match out.write_all(emitted.main_rs.as_bytes()).and_then(|()| out.flush()) {
        // Whoever reads has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(error) => Err(Outside::unwritable(Path::new("standard output"), error).into()),
        Ok(()) => Ok(ExitCode::SUCCESS),
    }
}
