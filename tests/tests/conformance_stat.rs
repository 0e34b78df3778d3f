//! Random programs of `conformance/stat` against theory, each within the tolerance that its answer file states.

use serq_tests::corpus;

#[test]
fn every_quantity_lies_within_its_tolerance() {
    corpus::assert_golden("stat");
}
