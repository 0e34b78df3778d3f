//! `serqc calibrate STEPS`: the constants of an iteration's cost from measured iterations.

use std::fmt::Write;
use std::process::ExitCode;

use clap::Args;

use crate::calibrate::{self, Fit, TERMS};
use crate::failure::{Failure, Outside};
use crate::sources;

/// Fit an engine's step cost, `c0 + max(omega + beta * kv, a * tokens)`, to measured steps
///
/// With an `attention` column the second part is `a * tokens + attn * attention`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Measured steps: a CSV file with the columns `seconds`, `tokens`, `kv` and, if measured, `attention`
    file: String,
}

/// Prints the constants, how good they are, and the options that set them.
pub fn execute(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let text = sources::read_program(&arguments.file)?;
    let fit = calibrate::read(text.as_bytes()).and_then(|steps| calibrate::fit(&steps));
    let fit = fit.map_err(|why| Outside::bad_steps(&arguments.file, why))?;
    super::print(&said(&fit))?;
    Ok(ExitCode::SUCCESS)
}

fn said(fit: &Fit) -> String {
    let mut out = String::new();
    let [(fewest, most), (least, greatest)] = fit.range;
    let _ = writeln!(
        out,
        "{} steps, every fifth held out; {:.0} % bound by memory\n\
         mean error of the steps held out: {:.2} %\n\n\
         term          value   error without it",
        fit.steps,
        100.0 * fit.memory_bound,
        100.0 * fit.held_out,
    );
    let used = |term: usize| fit.constants[term] > 0.0;
    for (term, name) in TERMS.iter().enumerate().filter(|(term, _)| used(*term)) {
        let without = 100.0 * fit.without[term];
        let _ = writeln!(out, "{name:<5} {:>13.4e}   {without:>14.2} %", fit.constants[term]);
    }
    let none: Vec<&str> = (0..4).filter(|term| !used(*term)).map(|term| TERMS[term]).collect();
    if !none.is_empty() {
        let _ = writeln!(out, "not seen in these steps, and 0: {}", none.join(", "));
    }
    let _ = writeln!(
        out,
        "\nsteps of {fewest} to {most} tokens and {least} to {greatest} tokens of KV; what is outside is a guess\n"
    );
    let names = TERMS.iter().enumerate().filter(|(term, _)| *term < 4 || used(*term));
    let sets: Vec<String> =
        names.map(|(term, name)| format!("--set {name}={:e}", fit.constants[term])).collect();
    out + &sets.join(" ") + "\n"
}
