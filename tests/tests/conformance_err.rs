//! Every wrong program of `conformance/err` is refused at its place: when it is compiled, by its first error, or when
//! it runs.

use serq_tests::corpus;

#[test]
fn every_error_stands_at_its_place() {
    corpus::assert_golden("err");
}
