//! Every draw-free program of `conformance/det` gives its exact answer.

mod common;

#[test]
fn every_program_gives_its_answer() {
    common::assert_corpus("det");
}
