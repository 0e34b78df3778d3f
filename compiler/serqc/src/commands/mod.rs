//! The commands, a file each: its arguments and what it does with them.
//!
//! A new command is a file, a variant of [`Command`] and an arm of [`execute`].

mod build;
mod calibrate;
mod check;
mod citations;
mod collect;
mod compare;
mod draw;
mod expand;
mod explain;
mod fmt;
mod ir;
mod lsp;
mod plan;
mod report;
mod run;
mod submit;
mod test;
mod trace;

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use serq_compiler::emit::{EmittedCrate, emit_crate};
use serq_compiler::ir::Program;
use serq_compiler::resolve;

use crate::failure::{Failure, Outside};
use crate::render::Screen;
use crate::sources::Disk;

/// The serQ compiler: turns an LLM serving deployment, written as a queueing program, into native
/// simulation code.
#[derive(Debug, Parser)]
#[command(name = "serqc", version, propagate_version = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Arguments),
    Build(build::Arguments),
    Run(run::Arguments),
    Expand(expand::Arguments),
    Explain(explain::Arguments),
    Fmt(fmt::Arguments),
    Test(test::Arguments),
    Ir(ir::Arguments),
    Lsp(lsp::Arguments),
    Trace(trace::Arguments),
    Collect(collect::Arguments),
    Compare(compare::Arguments),
    Submit(submit::Arguments),
    Plan(plan::Arguments),
    Calibrate(calibrate::Arguments),
    Citations(citations::Arguments),
    Draw(draw::Arguments),
    Report(report::Arguments),
}

/// Runs a command.
///
/// # Errors
/// Whatever stopped it, not yet said to the user.
pub fn execute(cli: &Cli, screen: &Screen) -> Result<ExitCode, Failure> {
    match &cli.command {
        Command::Check(arguments) => check::execute(arguments, screen),
        Command::Build(arguments) => build::execute(arguments, screen),
        Command::Run(arguments) => run::execute(arguments, screen),
        Command::Expand(arguments) => expand::execute(arguments, screen),
        Command::Explain(arguments) => explain::execute(arguments, screen),
        Command::Fmt(arguments) => fmt::execute(arguments, screen),
        Command::Test(arguments) => test::execute(arguments, screen),
        Command::Ir(arguments) => ir::execute(arguments, screen),
        Command::Lsp(arguments) => lsp::execute(arguments),
        Command::Trace(arguments) => trace::execute(arguments),
        Command::Collect(arguments) => collect::execute(arguments, screen),
        Command::Compare(arguments) => compare::execute(arguments, screen),
        Command::Submit(arguments) => submit::execute(arguments, screen),
        Command::Plan(arguments) => plan::execute(arguments, screen),
        Command::Calibrate(arguments) => calibrate::execute(arguments),
        Command::Citations(arguments) => citations::execute(arguments),
        Command::Draw(arguments) => draw::execute(arguments, screen),
        Command::Report(arguments) => report::execute(arguments),
    }
}

/// The program that most commands take.
#[derive(Debug, Args)]
struct Source {
    /// The program, a `.sq` file
    file: String,
    /// Give a `let` another value, such as `--set thr=1`
    #[arg(long = "set", value_name = "NAME=EXPR", value_parser = setting)]
    sets: Vec<(String, String)>,
}

/// Splits `NAME=EXPR`.
fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write it as NAME=EXPR, such as `thr=1`".to_owned()),
    }
}

/// Compiles a program, saying its warnings.
fn resolve(file: &str, sets: &[(String, String)], screen: &Screen) -> Result<Program, Failure> {
    let disk = Disk::open(file)?;
    let (program, warnings) =
        resolve::resolve(&disk, file, sets).map_err(|found| Failure::Program {
            file: file.to_owned(),
            sources: found.sources,
            diagnostics: found.diagnostics,
        })?;
    screen.diagnostics(&program.sources, &warnings);
    screen.point_to_pages(&warnings);
    Ok(program)
}

/// Compiles a program down to Rust, saying its warnings.
fn emit(file: &str, sets: &[(String, String)], screen: &Screen) -> Result<EmittedCrate, Failure> {
    Ok(emit_crate(&resolve(file, sets, screen)?))
}

/// Prints a result on standard output.
fn print(text: &str) -> Result<(), Outside> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // Whoever reads has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Outside::unwritable(Path::new("standard output"), error)),
        Ok(()) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn settings_split_at_the_first_equals_sign() {
        assert_eq!(setting("a = b == 1"), Ok(("a".to_owned(), "b == 1".to_owned())));
        for wrong in ["a", "=1", "a=", ""] {
            assert!(setting(wrong).is_err(), "{wrong}");
        }
    }
}
