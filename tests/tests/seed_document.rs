//! A shortened form of the tables that the example was published with; `--bin seed_tables` runs all of it.

use serq_tests::seed_tables::{
    DECIDER, Length, MEMORY, Subject, broken_comparisons, deviations, measure,
};

/// A quarter of the published length: bounds are wider than the published ones, and the comparisons between settings
/// hold all the same, as all settings of a seed are asked for the same work.
const SHORT: Length = Length { horizon: 3_000.0, warmup: 500.0, seeds: 20 };

#[test]
fn the_published_figures_come_out_of_the_published_program() {
    tables_hold(Subject::Published);
}

#[test]
fn the_published_figures_come_out_of_the_example() {
    tables_hold(Subject::Example);
}

#[track_caller]
fn tables_hold(subject: Subject) {
    let settings: Vec<_> = DECIDER.iter().chain(&MEMORY).copied().collect();
    let rows = measure(subject, &settings, SHORT).unwrap_or_else(|error| panic!("{error}"));
    let (decider, memory) = rows.split_at(DECIDER.len());
    let mut off = deviations(&rows, 0.08, 3.0);
    off.extend(broken_comparisons(decider, memory));
    assert!(off.is_empty(), "{}", off.join("\n"));
}
