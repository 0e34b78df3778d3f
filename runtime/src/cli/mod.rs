//! The harness of a simulation binary: options in, seeds over threads, JSON lines or a text report out.
//!
//! Everything here works on a [`Program`], a plain description of what was compiled;
//! [`main`] makes one of a [`World`]. Exit codes: 0; 1 when the program, a run or the output is at
//! fault; 2 when the options are; 75 when another process has the same part of a
//! sweep. With `--json` every run is one object on a line of its own, and so is
//! the reason why nothing runs.

mod lets;
mod look;
mod options;
mod progress;
mod runs;
mod sweep;

use crate::{
    report::{self, FaultRow, Place, SeedReport},
    settings::Settings,
    trace::TraceSpec,
    world::{ParamSpec, Refusal, RunDefaults, SourceSite, World},
};
use std::{
    ffi::OsString,
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

/// Computes a `let` by its number from others, asked for by number.
type Param<'a> = &'a dyn Fn(usize, &mut dyn FnMut(usize) -> f64) -> f64;
/// Checks constants under the `let`s' values.
type Check<'a> = &'a dyn Fn(&[f64], &Settings) -> Result<(), Vec<Refusal>>;
/// Runs one seed; the last argument is told the fraction of the run that is done, now and then.
type Run<'a> =
    &'a (dyn Fn(&[f64], &Settings, &mut dyn FnMut(f64)) -> Result<SeedReport, Vec<Refusal>> + Sync);

/// A compiled program as the harness sees it.
pub struct Program<'a> {
    /// Its name.
    pub name: &'static str,
    /// Its text: file names without folders and their contents, its own file first.
    pub sources: &'a [(&'a str, &'a str)],
    /// Its `let`s.
    pub lets: &'a [ParamSpec],
    /// Source places that refusals point at.
    pub sites: &'a [SourceSite],
    /// Its observations.
    pub observes: &'static [&'static str],
    /// The trace that it names.
    pub trace: TraceSpec,
    /// Values of `let`s.
    pub param: Param<'a>,
    /// The `run` block.
    pub run_defaults: &'a dyn Fn(&[f64]) -> RunDefaults,
    /// Checks of constants.
    pub check: Check<'a>,
    /// One run.
    pub run: Run<'a>,
}

/// Where the harness writes to.
pub struct Streams<'a> {
    /// Reports.
    pub out: &'a mut dyn Write,
    /// Errors and the wall-clock line.
    pub err: &'a mut dyn Write,
    /// Standard error is a terminal: a long run shows its progress there.
    pub terminal: bool,
}

/// Why nothing, or not everything, was reported.
enum Failure {
    /// Nothing is simulated.
    Refused(Box<Refused>),
    /// Runs were reported as far as they got: text for standard error.
    Stopped(String),
    /// Standard output cannot be written to.
    Output(io::Error),
}

/// Why nothing is simulated.
struct Refused {
    /// The first thing that is wrong, for a JSON object.
    error: FaultRow,
    /// All of it, for standard error.
    text: String,
    /// The exit code.
    code: u8,
}

/// The code of options that cannot be followed.
const USAGE: &str = "S920";
/// The code of a defect of the simulator.
const DEFECT: &str = "S921";

impl Failure {
    /// The options are at fault.
    fn usage(message: &str, help: Option<String>) -> Self {
        Self::refused(USAGE, message, help, 2)
    }

    /// Something that has no place in the source is at fault.
    fn refused(code: &str, message: &str, help: Option<String>, exit: u8) -> Self {
        let notes: Vec<String> = help.iter().map(|h| format!("help: {h}")).collect();
        Self::Refused(Box::new(Refused {
            error: FaultRow {
                code: code.into(),
                message: message.into(),
                help: help.unwrap_or_default(),
                ..FaultRow::default()
            },
            text: report::render_error(Some(code), message, None, &notes),
            code: exit,
        }))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Runs the simulation binary of program `W` with the process's arguments. `sources` are the program's
/// files, which results name as what made them.
pub fn main<W: World>(sources: &[(&str, &str)]) -> ExitCode {
    process(&Program {
        name: W::NAME,
        sources,
        lets: W::PARAMS,
        sites: W::SITES,
        observes: W::OBSERVES,
        trace: W::TRACE,
        param: &W::param,
        run_defaults: &W::run_defaults,
        check: &|values, settings| W::new(values, settings).map(drop),
        run: &|values, settings, progress| {
            crate::simulate::simulate_with::<W>(values, settings, progress)
        },
    })
}

/// Runs `program` with the process's arguments and streams.
fn process(program: &Program) -> ExitCode {
    // Simulations are compiled to stop at a panic, so the last word is said here.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|at| format!(" at {at}")).unwrap_or_default();
        tell(
            &mut io::stderr(),
            &format!("error: the run met a defect of the simulator{place}\n"),
            1,
        );
        std::process::exit(1);
    }));
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut err = io::stderr();
    let terminal = err.is_terminal();
    run(program, std::env::args_os(), &mut Streams { out: &mut out, err: &mut err, terminal })
}

/// Runs `program` with these arguments, the first being the binary's name.
pub fn run(
    program: &Program,
    args: impl IntoIterator<Item = OsString>,
    to: &mut Streams,
) -> ExitCode {
    ExitCode::from(code_of(program, args.into_iter().collect(), to))
}

/// The exit code as a number.
fn code_of(program: &Program, args: Vec<OsString>, to: &mut Streams) -> u8 {
    // Also where the options cannot be read: whoever asked for JSON gets JSON.
    let json = args.iter().any(|arg| arg == "--json");
    let done = execute(program, args, to).and_then(|code| {
        to.out.flush()?;
        Ok(code)
    });
    match done {
        Ok(code) => code,
        // Whoever read the output has seen enough of it.
        Err(Failure::Output(e)) if e.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(Failure::Output(e)) => {
            tell(to.err, &format!("error: the output cannot be written: {e}\n"), 1)
        }
        Err(Failure::Stopped(text)) => tell(to.err, &text, 1),
        Err(Failure::Refused(refused)) => {
            let Refused { error, text, code } = *refused;
            if json {
                // Should the output be broken as well, the text says why nothing runs.
                let _ = report::json::write_refusal(to.out, program.name, &error)
                    .and_then(|()| to.out.flush());
            }
            tell(to.err, &text, code)
        }
    }
}

/// Writes to standard error; when even that fails there is nobody to tell.
fn tell(err: &mut dyn Write, text: &str, code: u8) -> u8 {
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    code
}

fn execute(program: &Program, args: Vec<OsString>, to: &mut Streams) -> Result<u8, Failure> {
    let parsed = options::command(program).try_get_matches_from(args);
    let matches = match parsed {
        Ok(matches) => matches,
        Err(e) if e.use_stderr() => return Err(misread(&e)),
        Err(help) => {
            write!(to.out, "{}", help.render())?;
            return Ok(0);
        }
    };
    let plan = options::plan(program, &matches)?;
    if sweep::options::asked(&matches) {
        return sweep::all(program, &matches, &plan, to);
    }
    if let Err(refusals) = (program.check)(&plan.values, &plan.settings(plan.seeds[0])) {
        return Err(refused(program.sites, &refusals, &plan.set));
    }
    runs::all(program, &plan, to)
}

/// Options that are none.
fn misread(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    let text = text.replacen("error:", &format!("error[{USAGE}]:"), 1);
    let error = FaultRow { code: USAGE.into(), message, ..FaultRow::default() };
    Failure::Refused(Box::new(Refused { error, text, code: 2 }))
}

/// Values that the program's own checks do not accept.
fn refused(sites: &[SourceSite], refusals: &[Refusal], set: &[(String, f64)]) -> Failure {
    let with: Vec<String> =
        set.iter().map(|(name, value)| format!("{name} = {}", report::exact(*value))).collect();
    let notes =
        if with.is_empty() { Vec::new() } else { vec![format!("note: with {}", with.join(", "))] };
    let texts = refusals.iter().map(|r| {
        let place = sites.get(r.site as usize).map(|s| Place {
            file: s.file,
            line: s.line,
            col: s.col,
            source: s.text,
        });
        report::render_error(Some(r.code), &r.message, place, &notes)
    });
    let first = refusals.first();
    let site = first.and_then(|r| sites.get(r.site as usize));
    Failure::Refused(Box::new(Refused {
        error: FaultRow {
            code: first.map_or_else(String::new, |r| r.code.into()),
            message: first.map_or_else(String::new, |r| r.message.clone()),
            file: site.map_or_else(String::new, |s| s.file.into()),
            line: site.map_or(0, |s| s.line),
            col: site.map_or(0, |s| s.col),
            source: site.map_or_else(String::new, |s| s.text.into()),
            ..FaultRow::default()
        },
        text: texts.collect::<Vec<_>>().join("\n"),
        code: if set.is_empty() { 1 } else { 2 },
    }))
}

#[cfg(test)]
mod tests;
