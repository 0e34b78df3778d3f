//! Iterations planned at once give what one event per iteration gives, to the last byte: programs in which that is
//! not a matter of course. The corpus and the examples are held alike elsewhere.

use serq_runtime::{RunError, Settings, serq};

// A prefix that is longer than the units that its session takes, so that a resident is short before its first step.
serq! { name: prefix_longer_than_hold; file "data/planned/prefix_longer_than_hold.sq" }
// Residents in an iteration whose last tokens are of different times, some of them preempted before.
serq! { name: gaps_of_several_lengths; file "data/planned/gaps_of_several_lengths.sq" }
// Last tokens that are whole and that are fractions, at times at which other events are due.
serq! { name: last_tokens; file "data/planned/last_tokens.sq" }
// A capacity that is no whole number of blocks.
serq! { name: odd_capacity; file "data/planned/odd_capacity.sq" }
serq! { name: two_engines_one_memory; file "data/planned/two_engines_one_memory.sq" }
// Others take units that a run's later iterations would have taken: it ends early.
serq! { name: taken_from_outside; file "data/planned/taken_from_outside.sq" }
// Iterations of two engines that end at the same times.
serq! { name: ends_at_one_time; file "data/planned/ends_at_one_time.sq" }
// Admissions that depend on what others compute.
serq! { name: shared_prefixes; file "data/planned/shared_prefixes.sq" }
serq! { name: shared_while_decoding; file "data/planned/shared_while_decoding.sq" }

serq! { name: fault; file "data/planned/fault.sq" }

macro_rules! holds {
    ($program:ident) => {
        #[test]
        fn $program() {
            for seed in 1..=3 {
                let run = |plain_engine| {
                    let settings = Settings { plain_engine, ..Settings::default() };
                    $program::run(&$program::Params::default(), settings.seed(seed).horizon(600.0))
                        .unwrap_or_else(|error| panic!("{error}"))
                        .json()
                };
                assert_eq!(run(false), run(true), "seed {seed}");
            }
        }
    };
}

holds!(prefix_longer_than_hold);
holds!(gaps_of_several_lengths);
holds!(last_tokens);
holds!(odd_capacity);
holds!(two_engines_one_memory);
holds!(taken_from_outside);
holds!(ends_at_one_time);
holds!(shared_prefixes);
holds!(shared_while_decoding);

#[test]
fn what_a_stopped_run_counts_is_the_same() {
    for seed in 1..=8 {
        let run = |plain_engine| {
            let settings = Settings { plain_engine, ..Settings::default() };
            match fault::run(&fault::Params::default(), settings.seed(seed)) {
                Err(RunError::Stopped { mut rows, .. }) => {
                    rows.run.wall_seconds = 0.0;
                    assert!(rows.stages[0].decode_tokens > 100.0, "seed {seed}: {rows:?}");
                    format!("{rows:#?}")
                }
                Err(other) => panic!("{other}"),
                Ok(_) => panic!("it divides by 0"),
            }
        };
        assert_eq!(run(false), run(true), "seed {seed}");
    }
}
