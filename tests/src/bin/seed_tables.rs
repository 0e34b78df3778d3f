//! Prints the two published tables of `llmd_nixl_pull.sq` beside what the published program and the example give, and
//! fails when a figure is off or a comparison does not hold. Runs in full: `cargo run --release -p serq-tests --bin seed_tables`.

use serq_tests::seed_tables::{
    DECIDER, MEMORY, Measured, PUBLISHED, SUBJECTS, broken_comparisons, deviations, measure,
};
use std::process::ExitCode;

fn main() -> ExitCode {
    let settings: Vec<_> = DECIDER.iter().chain(&MEMORY).copied().collect();
    let mut all_hold = true;
    for subject in SUBJECTS {
        match measure(subject, &settings, PUBLISHED) {
            Ok(rows) => {
                println!("{}\n", subject.file());
                all_hold &= hold(&rows);
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
