//! The target `parse`: `serq_tests::fuzz::check::syntax` holds of every input.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use serq_tests::fuzz::check;

fuzz_target!(|data: &[u8]| {
    if let Err(why) = check::syntax(data) {
        panic!("{why}");
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    serq_fuzz::change(data, size, max_size, seed)
});
