//! The target `compile`: `serq_tests::fuzz::check::compile` holds of every input.
//!
//! Only programs that are emitted are kept: two in three that are made of them are refused, by every rule there is, while
//! of what is made of refused ones hardly any is emitted.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target};
use serq_tests::fuzz::{Reach, check};

fuzz_target!(|data: &[u8]| -> Corpus {
    match check::compile(data) {
        Ok(Reach::Emitted) => Corpus::Keep,
        Ok(Reach::NoText | Reach::Refused | Reach::Parsed) => Corpus::Reject,
        Err(why) => panic!("{why}"),
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    serq_fuzz::change(data, size, max_size, seed)
});
