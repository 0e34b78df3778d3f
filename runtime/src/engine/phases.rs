//! Who takes a block in which step of a cohort: that depends on the step modulo the block alone.

use crate::rare::rarely;

/// More steps than any run has.
const NEVER: usize = 1 << 30;
/// Bits of a word: longer blocks are searched.
const BITS: usize = 64;

/// Residents that take a block, by step modulo the block; empty while nobody grows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Phases {
    counts: Vec<u32>,
    /// A bit for each count above 0; of blocks of up to half a word twice over. 0 for blocks longer than
    /// a word.
    bits: u64,
}

impl Phases {
    /// Nobody grows.
    pub fn clear(&mut self) {
        self.counts.clear();
        self.bits = 0;
    }

    /// Units of a block; 0 while nobody grows.
    #[inline]
    pub fn block(&self) -> usize {
        self.counts.len()
    }

    /// A step modulo the block; 0 while nobody grows.
    #[inline]
    pub fn of(&self, step: u32) -> usize {
        match self.block() as u32 {
            0 => 0,
            // No division, which takes longer than all else here.
            block if block.is_power_of_two() => (step & (block - 1)) as usize,
            block => (step % block) as usize,
        }
    }

    /// How many take a block in `step`.
    #[inline]
    pub fn takers(&self, step: u32) -> u32 {
        if self.block() == 0 { 0 } else { self.counts[self.of(step)] }
    }

    /// How many do in a step that is `at` modulo the block.
    #[inline]
    pub fn count(&self, at: usize) -> u32 {
        self.counts[at]
    }

    /// One more, who first takes a block in step `first`: that step modulo the block.
    #[inline]
    pub fn join(&mut self, first: u32, block: usize) -> u32 {
        if rarely(self.block() != block) {
            self.counts.resize(block, 0);
        }
        let at = self.of(first);
        self.counts[at] += 1;
        self.bits |= self.bit(at);
        at as u32
    }

    /// Who takes a block in steps that are `at` modulo the block is gone.
    #[inline]
    pub fn leave(&mut self, at: u32) {
        let at = at as usize;
        self.counts[at] -= 1;
        if self.counts[at] == 0 {
            self.bits &= !self.bit(at);
        }
    }

    #[inline]
    fn bit(&self, at: usize) -> u64 {
        match self.block() {
            block if block <= BITS / 2 => 1 << at | 1 << (at + block),
            block if block <= BITS => 1 << at,
            _ => 0,
        }
    }

    /// Steps from one that is `at` modulo the block to the first, it included, in which somebody takes a
    /// block; more than any run has when nobody does. `at` may be the block itself, which is as 0.
    #[inline]
    pub fn ahead(&self, at: usize) -> usize {
        let later = self.bits.wrapping_shr(at as u32);
        if later != 0 {
            return later.trailing_zeros() as usize;
        }
        if self.counts.is_empty() { NEVER } else { self.search(at) }
    }

    #[cold]
    fn search(&self, at: usize) -> usize {
        let (before, after) = self.counts.split_at(at);
        after.iter().chain(before).position(|&n| n > 0).unwrap_or(NEVER)
    }
}

#[cfg(test)]
mod tests {
    use super::{NEVER, Phases};

    #[test]
    fn the_next_taker_is_found_in_blocks_of_any_length() {
        for block in [1, 2, 16, 31, 32, 33, 63, 64, 65, 100] {
            let mut phases = Phases::default();
            let mut inside: Vec<u32> = Vec::new();
            for round in 0..200u32 {
                let step = round * 7919 % 1000 + round;
                if round % 3 == 2 {
                    phases.leave(inside.swap_remove(step as usize % inside.len()));
                } else {
                    inside.push(phases.join(step, block as usize));
                }
                for at in 0..=block {
                    let takes =
                        |step: u32| inside.iter().filter(move |x| *x % block == step % block);
                    let ahead = (0..block).find(|ahead| takes(at + ahead).count() > 0);
                    let ahead = ahead.map_or(NEVER, |ahead| ahead as usize);
                    assert_eq!(phases.ahead(at as usize), ahead);
                    assert_eq!(phases.takers(at + 3 * block) as usize, takes(at).count());
                }
            }
        }
        assert_eq!((Phases::default().takers(5), Phases::default().ahead(0)), (0, NEVER));
    }
}
