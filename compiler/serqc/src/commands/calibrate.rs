//! `serqc calibrate FILE`: the constants of an iteration's cost from measured iterations or a benchmark of requests.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::calibrate::{self, Fit, Step, TERMS, bench};
use crate::failure::{Failure, Outside};
use crate::sources;

/// Fit an engine's step cost, `c0 + max(omega + beta * kv, a * tokens)`, to measurements
///
/// With an `attention` column the second part is `a * tokens + attn * attention`. A constant that the measurements do
/// not tell is left out, and said so.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The measurements
    file: String,
    /// What they are [default: by the file's ending, `.json` or `.csv`]
    #[arg(long, value_enum)]
    from: Option<Kind>,
    /// Tokens that the engine may schedule in an iteration, of a benchmark
    #[arg(long, value_name = "TOKENS", default_value_t = 8192.0)]
    budget: f64,
    /// Tokens in a block of its KV memory, of a benchmark
    #[arg(long, value_name = "TOKENS", default_value_t = 16.0)]
    block: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// The detailed result of `vllm bench serve`: JSON `input_lens`, `output_lens`, `ttfts`, `itls`, `start_times`
    #[value(name = "bench.json", alias = "bench", alias = "vllm-bench")]
    Bench,
    /// Measured steps: CSV `seconds`, `tokens`, `kv` and, if measured, `attention`
    #[value(name = "steps.csv", alias = "steps")]
    Steps,
}

/// Prints the constants, how good they are, and the options that set them.
pub fn execute(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let file = &arguments.file;
    let bad = |why| Outside::bad_steps(file, why);
    let (steps, mut out) = measured(arguments)?;
    let fit = calibrate::fit(&steps).map_err(bad)?;
    out += &said(&fit);
    super::print(&out)?;
    Ok(ExitCode::SUCCESS)
}

/// The steps, and what is to be said of where they come from.
fn measured(arguments: &Arguments) -> Result<(Vec<Step>, String), Failure> {
    let file = &arguments.file;
    let bad = |why| Outside::bad_steps(file, why);
    let json =
        Path::new(file).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    let kind = arguments.from.unwrap_or(if json { Kind::Bench } else { Kind::Steps });
    let opened = sources::open_recording(file)?;
    if kind == Kind::Steps {
        return Ok((calibrate::read(opened).map_err(bad)?, String::new()));
    }
    let engine = bench::Engine { budget: arguments.budget, block: arguments.block };
    let bench::Rebuilt { steps, gaps, used } = bench::read(opened, engine).map_err(bad)?;
    let told = format!(
        "{used} of {gaps} gaps between tokens are iterations of which it is known what they computed\n"
    );
    if steps.is_empty() {
        return Err(bad(told.trim_end().to_owned()).into());
    }
    Ok((steps, told))
}

fn said(fit: &Fit) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{} steps, every fifth held out; {:.0} % bound by memory\n\
         mean error of the steps held out: {:.2} %\n\n\
         term          value   error without it",
        fit.steps,
        100.0 * fit.memory_bound,
        100.0 * fit.held_out,
    );
    for (term, name) in TERMS.iter().enumerate().filter(|(term, _)| fit.seen[*term]) {
        let without = 100.0 * fit.without[term];
        let _ = writeln!(out, "{name:<5} {:>13.4e}   {without:>14.2} %", fit.constants[term]);
    }
    let none: Vec<&str> =
        (0..TERMS.len()).filter(|term| !fit.seen[*term]).map(|t| TERMS[t]).collect();
    if !none.is_empty() {
        let _ = writeln!(out, "not told by these steps: {}", none.join(", "));
    }
    let [(fewest, most), (least, greatest)] = fit.range;
    let _ = writeln!(
        out,
        "\nsteps of {fewest} to {most} tokens and {least:.0} to {greatest:.0} tokens of KV; what is outside is a \
         guess.\nHow much of a run is outside, with `kv` for the engine's memory:\n\
         gauge outside_fit = used(kv) > {greatest:.0};\n"
    );
    out + &sets(fit) + "\n"
}

/// Options for what was fitted. Of a side that no step is bound by nothing is set: the program's own values stay. On a side
/// that is, a constant that is not told is 0, as the others were fitted without it.
fn sets(fit: &Fit) -> String {
    let [memory, compute] = [fit.memory_bound > 0.0, fit.memory_bound < 1.0];
    let set = [true, memory, memory, compute, fit.seen[4]];
    let names = TERMS.iter().enumerate().filter(|(term, _)| set[*term]);
    let options = names.map(|(term, name)| format!("--set {name}={:e}", fit.constants[term]));
    options.collect::<Vec<_>>().join(" ")
}
