//! What both targets do around their check. In: the bytes of an input and a seed. Out: other bytes, three times in four
//! a program made of programs, else libfuzzer's own changes, which know the dictionary.

use libfuzzer_sys::fuzzer_mutate;
use serq_tests::{
    fuzz::{corpus, mutate::mutate},
    generate::Dice,
};
use std::sync::OnceLock;

/// How many of a hundred changes are ours.
const OURS: u64 = 75;

/// Changes the first `size` bytes of `data` in place to at most `most`, and returns how many they are now.
pub fn change(data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    static DONORS: OnceLock<Vec<String>> = OnceLock::new();
    let donors = DONORS.get_or_init(corpus::seeds);
    let mut dice = Dice::new(u64::from(seed));
    if dice.chance(OURS)
        && let Ok(text) = std::str::from_utf8(&data[..size])
    {
        let made = mutate(text, donors, &mut dice);
        if made.len() <= most && made.as_bytes() != &data[..size] {
            data[..made.len()].copy_from_slice(made.as_bytes());
            return made.len();
        }
    }
    fuzzer_mutate(data, size, most)
}
