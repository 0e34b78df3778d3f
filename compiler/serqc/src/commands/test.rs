//! `serqc test PATH... [--bless] [--jobs N]`: programs held against their expected answers.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;

use crate::driver::Driver;
use crate::failure::Failure;
use crate::golden::{self, Plan, Verdict};
use crate::render::Screen;

/// Hold programs against their expected answers
#[derive(Debug, Args)]
#[command(
    after_help = "The answer of NAME.sq is NAME.json beside it: what `--json --samples` reports, or where a wrong\nprogram is refused (\"where\": \"link\" or \"run\", \"line\", \"col\"), or \"quantities\" within a tolerance.\nIts \"options\" (\"sets\", \"seed\", \"horizon\", \"warmup\", \"arrivals\") stand in for the program's own."
)]
pub struct Arguments {
    /// Programs, or folders that are searched for them
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// Write what came out to the answers that are missing or say otherwise
    #[arg(long)]
    bless: bool,
    /// How many programs are compiled or run at a time [default: all cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Seconds after which a run is given up
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    limit: u64,
}

/// Tests the programs and says what came of them.
pub fn execute(arguments: &Arguments, screen: &Screen) -> Result<ExitCode, Failure> {
    let begun = Instant::now();
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let plan = Plan {
        paths: arguments.paths.clone(),
        bless: arguments.bless,
        jobs: arguments.jobs.map_or_else(cores, NonZeroUsize::get),
        limit: Duration::from_secs(arguments.limit),
    };
    let driver = Driver::new(screen)?;
    let verdicts = golden::test(&plan, &driver)?;

    let mut lines = String::new();
    let [mut agree, mut differ, mut unanswered, mut blessed] = [0_usize; 4];
    for (case, verdict) in &verdicts {
        let name = &case.name;
        match verdict {
            Verdict::Agrees => agree += 1,
            Verdict::Differs(difference) => {
                differ += 1;
                lines += &format!("FAIL {name}: {difference}\n");
            }
            Verdict::NoAnswer => {
                unanswered += 1;
                lines += &format!("     {name}: no answer (--bless writes one)\n");
            }
            Verdict::Blessed => {
                blessed += 1;
                lines += &format!("     {name}: answer written\n");
            }
        }
    }
    let mut summary =
        format!("{agree} of {} programs agree", agree + differ + unanswered + blessed);
    for (count, what) in
        [(differ, "differ"), (unanswered, "without an answer"), (blessed, "answers written")]
    {
        if count > 0 {
            summary += &format!(", {count} {what}");
        }
    }
    lines += &format!("{summary} ({:.1} s)\n", begun.elapsed().as_secs_f64());
    // Whoever reads may have seen enough; the exit code says the rest.
    let _ = io::stdout().lock().write_all(lines.as_bytes());
    Ok(if differ > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
