//! `serqc run FILE [OPTIONS OF THE SIMULATION]`: builds a program and runs it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;

use crate::driver::Driver;
use crate::failure::{Failure, Outside};
use crate::render::Screen;

/// Build a program and run it
#[derive(Debug, Args)]
#[command(override_usage = "serqc run <FILE> [OPTIONS OF THE SIMULATION]...")]
#[command(
    after_help = "`serqc run FILE --help` lists the options of the simulation, the program's settings among them."
)]
pub struct Arguments {
    /// The program, a `.sq` file, then options of the simulation, such as `--seeds 1..20`
    // One list, since what follows the file is the simulation's, `--help` included.
    #[arg(
        value_name = "FILE",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    words: Vec<OsString>,
}

/// Builds the program, or finds its binary, and becomes it.
pub fn execute(arguments: &Arguments, screen: &Screen) -> Result<ExitCode, Failure> {
    let Some((file, options)) = arguments.words.split_first() else {
        return Err(Outside::missing("").into());
    };
    let file = file.to_str().ok_or_else(|| Outside::missing(&file.to_string_lossy()))?;
    let built = binary(file, screen);
    if let Err(failure) = &built
        && options.iter().any(|option| option == "--json")
    {
        // What the simulation would have printed, had there been one. Should that fail, the failure is
        // said in words all the same.
        let _ = super::print(&format!("{}\n", failure.json()));
    }
    become_(&built?, options)
}

/// Builds a program, or finds its binary.
pub(super) fn binary(file: &str, screen: &Screen) -> Result<PathBuf, Failure> {
    let emitted = super::emit(file, &[], screen)?;
    Ok(Driver::new(screen)?.binary(&emitted.name, &emitted.main_rs)?)
}

/// The simulation takes this process's place, so that signals and its exit code need no passing on.
#[cfg(unix)]
fn become_(binary: &Path, options: &[OsString]) -> Result<ExitCode, Failure> {
    use std::os::unix::process::CommandExt;
    Err(Outside::cannot_start(binary, Command::new(binary).args(options).exec()).into())
}

/// Starts the simulation and passes on its exit code.
#[cfg(not(unix))]
fn become_(binary: &Path, options: &[OsString]) -> Result<ExitCode, Failure> {
    let status = Command::new(binary)
        .args(options)
        .status()
        .map_err(|error| Outside::cannot_start(binary, error))?;
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .map_or(ExitCode::FAILURE, ExitCode::from))
}
