//! `serqc build FILE -o OUT`: a program as a native binary.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::Source;
use crate::driver::{Driver, cache, package};
use crate::failure::{Failure, Outside};
use crate::render::Screen;

/// Build a program into a native simulation
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// The binary to write [default: the program's name, in the current directory]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Also write the emitted crate to this folder, to read or to build
    #[arg(long, value_name = "DIR")]
    emit: Option<PathBuf>,
    /// A binary for every processor of this kind, not only for those as new as this one; some 7 % slower
    #[arg(long)]
    portable: bool,
}

/// Builds the program, or finds its binary, and copies it to where it is wanted.
pub fn execute(arguments: &Arguments, screen: &Screen) -> Result<ExitCode, Failure> {
    let file = Path::new(&arguments.source.file);
    let emitted = super::emit(&arguments.source.file, &arguments.source.sets, screen)?;
    let output = match &arguments.output {
        Some(output) => output.clone(),
        None => default_output(file)?,
    };
    check_output(&output, file)?;
    if let Some(folder) = &arguments.emit {
        package::write(folder, &emitted.name, &emitted.main_rs)?;
    }
    let driver = Driver::new(screen)?;
    let driver = if arguments.portable { driver.portable() } else { driver };
    let binary = driver.binary(&emitted.name, &emitted.main_rs)?;
    cache::copy_file(&binary, &output).map_err(|error| Outside::unwritable(&output, error))?;
    Ok(ExitCode::SUCCESS)
}

/// The program's stem in the current directory.
fn default_output(file: &Path) -> Result<PathBuf, Outside> {
    match file.file_stem() {
        Some(stem) => {
            let mut name = stem.to_owned();
            name.push(std::env::consts::EXE_SUFFIX);
            Ok(PathBuf::from(name))
        }
        None => Err(Outside::bad_output(file, "the program has no name to take")),
    }
}

/// Refuses what could not be written, before anything is built, and what must not be overwritten.
fn check_output(output: &Path, source: &Path) -> Result<(), Outside> {
    if output.is_dir() {
        return Err(Outside::bad_output(output, "it is a directory"));
    }
    // The binary takes the place of what has its name, which a device or a pipe must keep.
    if fs::metadata(output).is_ok_and(|found| !found.is_file()) {
        return Err(Outside::bad_output(output, "it is a device or a pipe"));
    }
    let folder = output.parent().filter(|folder| *folder != Path::new(""));
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(Outside::bad_output(output, "its folder does not exist"));
    }
    let canonical = |path: &Path| fs::canonicalize(path).ok();
    if canonical(output).is_some_and(|output| Some(output) == canonical(source)) {
        return Err(Outside::bad_output(output, "that is the program itself"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_device_is_not_replaced() {
        let refused = check_output(Path::new("/dev/null"), Path::new("a.sq")).unwrap_err();
        assert_eq!(refused.code, "S906");
    }
}
