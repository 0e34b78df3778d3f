//! The committed inputs of the fuzz targets: each is read, and compiled as far as it goes, and no rule is broken.

use serq_tests::fuzz::{Reach, check, corpus};

/// Runs a target's check on its inputs, and returns how far they got.
fn replay(target: &str, check: fn(&[u8]) -> Result<Reach, String>) -> Vec<Reach> {
    let inputs = corpus::committed(target);
    assert!(!inputs.is_empty(), "no inputs of {target}");
    let run = |(name, bytes): (String, Vec<u8>)| {
        println!("{target}/{name}"); // what a panic was about
        check(&bytes).unwrap_or_else(|why| panic!("{target}/{name}: {why}"))
    };
    inputs.into_iter().map(run).collect()
}

#[test]
fn inputs_of_the_parser_are_read_or_refused() {
    let reached = replay("parse", check::syntax);
    for reach in [Reach::NoText, Reach::Refused, Reach::Parsed] {
        assert!(reached.contains(&reach), "no input gets as far as {reach:?}");
    }
}

#[test]
fn inputs_of_the_compiler_become_rust_or_are_refused() {
    let reached = replay("compile", check::compile);
    let emitted = reached.iter().filter(|reach| **reach == Reach::Emitted).count();
    assert!(emitted * 4 > reached.len(), "{emitted} of {} are emitted", reached.len());
}
