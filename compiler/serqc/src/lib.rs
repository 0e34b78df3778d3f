//! `serqc`: the command around the compiler, and what other programs may use of it.
//!
//! In: arguments, source files, the environment. Out: diagnostics on standard error, binaries and
//! crates on disk. All knowledge of the language is in `serq-compiler`; here are the command line
//! (`commands`, a file each), files (`sources`), rendering (`render`, `excerpt`, `failure`), the
//! way from emitted text to a binary (`driver`), programs held against expected answers (`golden`),
//! the IR as JSON (`ir_json`) and as a picture (`draw`), the language server (`lsp`), what is cited of
//! vLLM (`citations`), results of sweeps (`experiments`, `report`), sweeps on many machines (`submit`), recordings of others (`trace`) and measured
//! steps (`calibrate`).
//!
//! Exit codes: 0, or 1 if the program or something around it is at fault, or 2 if the command line
//! is. `run` passes on the simulation's.

mod calibrate;
mod citations;
mod commands;
mod draw;
pub mod driver;
mod excerpt;
pub mod experiments;
pub mod failure;
pub mod golden;
mod ir_json;
mod lsp;
pub mod render;
mod report;
pub mod sources;
mod submit;
pub mod trace;

use std::panic;
use std::process::ExitCode;
use std::thread;

use clap::Parser;

use commands::Cli;
use failure::{Failure, Outside};
use render::Screen;

/// Stack for the compiler, which recurses as deep as the syntax allows. Only touched pages count.
const STACK: usize = 256 << 20;

/// Runs the command with the process's arguments.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let screen = Screen::new();
    panic::set_hook(Box::new(|defect| {
        let place = defect
            .location()
            .map(|at| format!(" ({}:{})", at.file(), at.line()))
            .unwrap_or_default();
        let said = defect.payload();
        let what = said.downcast_ref::<&str>().copied();
        let what =
            what.or(said.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        let outside = Outside::internal(&format!("{what}{place}"));
        Screen::new().failure(&Failure::Outside(outside));
    }));
    let outcome = thread::scope(|scope| {
        let work = || commands::execute(&cli, &screen);
        match thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
            Ok(worker) => worker.join(),
            // No room for such a stack: this thread's will do for all but the deepest programs.
            Err(_) => {
                panic::catch_unwind(panic::AssertUnwindSafe(|| commands::execute(&cli, &screen)))
            }
        }
    });
    match outcome {
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => {
            screen.failure(&failure);
            ExitCode::from(1)
        }
        // The hook has said it.
        Err(_) => ExitCode::from(101),
    }
}
