//! Every random draw-free program of `conformance/fuzz` gives its exact answer, with decode runs planned at once and
//! with one event per iteration.

mod common;

#[test]
fn every_program_gives_its_answer() {
    common::assert_corpus("fuzz");
}
