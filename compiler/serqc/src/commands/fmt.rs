//! `serqc fmt [--check] FILE...`: programs laid out the one way there is.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serq_compiler::span::SourceMap;
use serq_compiler::syntax;

use crate::driver::cache;
use crate::failure::{Failure, Outside};
use crate::render::Screen;
use crate::sources;

/// Lay out programs in the standard way
#[derive(Debug, Args)]
pub struct Arguments {
    /// Change nothing: name the files that are laid out otherwise, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
    /// Programs and libraries, `.sq` files
    #[arg(required = true)]
    files: Vec<String>,
}

/// Rewrites the files, all or, if one of them is wrong, those that are right.
pub fn execute(arguments: &Arguments, screen: &Screen) -> Result<ExitCode, Failure> {
    let mut worst = ExitCode::SUCCESS;
    for file in &arguments.files {
        match format(file) {
            Ok((before, after)) if before == after => {}
            Ok(_) if arguments.check => {
                screen.say(&format!("{file} is not laid out in the standard way"));
                worst = ExitCode::FAILURE;
            }
            Ok((_, after)) => {
                let path = Path::new(file);
                cache::write_file(path, after.as_bytes())
                    .map_err(|error| Outside::unwritable(path, error))?;
            }
            Err(failure) => {
                screen.failure(&failure);
                worst = ExitCode::FAILURE;
            }
        }
    }
    Ok(worst)
}

/// A file's text, as it is and as it should be.
fn format(file: &str) -> Result<(String, String), Failure> {
    let text = sources::read_program(file)?;
    match syntax::format(&text) {
        Ok(formatted) => Ok((text, formatted)),
        Err(diagnostics) => {
            let mut sources = SourceMap::default();
            sources.add(file, text);
            Err(Failure::Program { file: file.to_owned(), sources, diagnostics })
        }
    }
}
