//! Prints the two published tables of `llmd_nixl_pull.sq` beside what the published program and the example give, and
//! fails when a figure is off, a comparison does not hold, or the book shows other figures of the example. Runs in full: `cargo run --release -p serq-tests --bin seed_tables`.

use serq_tests::{
    compile::project,
    seed_tables::{
        DECIDER, MEMORY, Measured, PUBLISHED, SUBJECTS, Subject, broken_comparisons, deviations,
        measure,
    },
};
use std::{fs, process::ExitCode};

/// The page of the book that has the example's tables.
const PAGE: &str = "docs/pd-disaggregation.md";

fn main() -> ExitCode {
    let settings: Vec<_> = DECIDER.iter().chain(&MEMORY).copied().collect();
    let mut all_hold = true;
    for subject in SUBJECTS {
        match measure(subject, &settings, PUBLISHED) {
            Ok(rows) => {
                println!("{}\n", subject.file());
                all_hold &= hold(&rows);
                all_hold &= subject != Subject::Example || shown(&rows);
            }
            Err(error) => {
                eprintln!("{}: {error}", subject.file());
                return ExitCode::FAILURE;
            }
        }
    }
    if all_hold { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the tables; whether they hold.
fn hold(rows: &[Measured]) -> bool {
    let (decider, memory) = rows.split_at(DECIDER.len());
    println!(
        "When a prefill is remote (Lambda 0.6, 10,000 blocks), median over seeds 1..20; published in brackets"
    );
    println!(
        "{:>8} {:>16} {:>22} {:>24} {:>24}",
        "thr", "remote %", "TTFT ms", "range over seeds", "response ms"
    );
    for row in decider {
        let range = format!("{:.1} to {:.1}", row.ttft_range.0, row.ttft_range.1);
        let thr =
            if row.setting.thr > 1e9 { "never".to_owned() } else { row.setting.thr.to_string() };
        let (ttft, response) =
            (beside(row.ttft, row.setting.ttft), beside(row.response, row.setting.response));
        println!(
            "{thr:>8} {:>16} {ttft:>22} {range:>24} {response:>24}",
            beside(row.remote, &[row.setting.remote])
        );
    }
    println!("\nDecode pods of less memory (thr 512)");
    println!(
        "{:>8} {:>8} {:>16} {:>16} {:>20} {:>18}",
        "Lambda", "blocksD", "remote %", "lease ms", "prefill memory", "TTFT ms"
    );
    for row in memory {
        println!(
            "{:>8} {:>8} {:>16} {:>16} {:>20} {:>18}",
            row.setting.lambda,
            row.setting.blocks,
            beside(row.remote, &[row.setting.remote]),
            beside(row.lease, row.setting.lease.as_slice()),
            beside(row.prefill_memory, row.setting.prefill_memory.as_slice()),
            beside(row.ttft, row.setting.ttft),
        );
    }
    verdict(rows, decider, memory)
}

fn beside(got: f64, known: &[f64]) -> String {
    let known: Vec<String> = known.iter().map(f64::to_string).collect();
    format!("{got:.1} ({})", known.join(", "))
}

fn verdict(rows: &[Measured], decider: &[Measured], memory: &[Measured]) -> bool {
    let mut off = deviations(rows, 0.03, 1.0);
    off.extend(
        broken_comparisons(decider, memory)
            .into_iter()
            .map(|said| format!("does not hold: {said}")),
    );
    for line in &off {
        println!("{line}");
    }
    if off.is_empty() {
        println!("\nall within 3 % (shares within 1 point), and the comparisons hold\n");
    }
    off.is_empty()
}

/// Whether the page has a row for each measured one; prints those that it lacks.
fn shown(rows: &[Measured]) -> bool {
    let page = fs::read_to_string(project().join(PAGE)).unwrap_or_default();
    let (decider, memory) = rows.split_at(DECIDER.len());
    let wanted = decider.iter().map(decider_row).chain(memory.iter().map(memory_row));
    let lacking: Vec<String> =
        wanted.filter(|row| !page.lines().any(|line| line.ends_with(row))).collect();
    if !lacking.is_empty() {
        println!("{PAGE} lacks\n{}", lacking.join("\n"));
    }
    lacking.is_empty()
}

/// What the page's row of a setting of the first table ends with.
fn decider_row(row: &Measured) -> String {
    let Measured { remote, ttft, ttft_range: (least, greatest), response, .. } = row;
    format!("| {remote:.1} | {ttft:.2} | {least:.2} to {greatest:.2} | {response:.2} |")
}

/// The page's row of a setting of the second table.
fn memory_row(row: &Measured) -> String {
    let Measured { setting, remote, lease, prefill_memory, ttft, .. } = row;
    let (lambda, blocks) = (setting.lambda, setting.blocks);
    format!("| {lambda} | {blocks} | {remote:.1} | {lease:.2} | {prefill_memory:.0} | {ttft:.2} |")
}
