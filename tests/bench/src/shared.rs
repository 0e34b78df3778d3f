//! What a request costs in a pool that shares prefixes: with the blocks that it touches, not with the sessions there are.
//!
//! In: `tests/data/shared_blocks.sq`. Out: a table, CPU time per request by blocks of a prompt and live sessions.

use crate::{
    build::{Length, Programs},
    curves::Meter,
    measure::Machine,
};

/// Measures a pool with shared prefixes.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Short runs: to see that it works
    #[arg(long)]
    quick: bool,
}

const PROGRAM: &str = "tests/data/shared_blocks.sq";

impl Options {
    /// Prints the table.
    ///
    /// # Errors
    /// The program does not build, or a run fails.
    pub fn run(&self, core: Option<usize>) -> Result<(), String> {
        println!("{}", Machine::here(core));
        let mut meter =
            Meter { programs: Programs::default(), runs: if self.quick { 1 } else { 3 } };
        let sessions: &[f64] = if self.quick { &[1e2, 1e3] } else { &[1e2, 1e3, 1e4, 1e5] };
        let heads: Vec<String> = sessions.iter().map(|n| format!("{n} sessions")).collect();
        println!("| blocks | {} |\n|---|{}", heads.join(" | "), "---|".repeat(heads.len()));
        for blocks in [8.0, 32.0, 128.0, 512.0] {
            let mut cells = Vec::new();
            for &n in sessions {
                let values = [("N", n), ("blocks", blocks)];
                let length = Length::of(if self.quick { 2e4 } else { 1e6 });
                let point = meter.point(PROGRAM, &values, length, "response")?;
                cells.push(format!("{:.2} µs, {:.1} MB", point.time, point.memory));
            }
            println!("| {blocks} | {} |", cells.join(" | "));
        }
        Ok(())
    }
}
