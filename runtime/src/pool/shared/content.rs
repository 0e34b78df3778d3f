//! What sessions' prompts consist of, block by block.
//!
//! A prompt begins with segments that it shares with all sessions that say the same key at the same
//! place; what follows is the session's own. Two blocks are the same if they are cut from the same
//! stretches of the same segments and all blocks in front of them are: each is known by a number made
//! of its own pieces and of the block before it.

use crate::{rng::mix, world::Sid};

/// The number of a block's content; equal for equal contents, and different, as good as certainly
/// (128 bits), for others.
pub(crate) type Key = u128;

/// The prompt of a session.
#[derive(Clone, Debug, Default)]
struct Content {
    serial: u64,
    /// By [`Chain::block`].
    chains: Vec<Chain>,
}

/// A prompt's shared part in blocks of one size.
#[derive(Clone, Debug)]
struct Chain {
    /// The whole shared blocks.
    keys: Vec<Key>,
    /// All segments so far.
    state: Key,
    /// Tokens of them behind the last whole block.
    rest: f64,
}

/// The prompts of all sessions, by slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contents {
    /// Block sizes of the pools that share prefixes, tokens.
    blocks: Vec<f64>,
    sessions: Vec<Content>,
}

/// `state` and then `x`: both halves are stirred, each by the other.
fn stir(state: Key, x: u64) -> Key {
    let (high, low) = ((state >> 64) as u64, state as u64);
    let low = mix(low ^ mix(x.wrapping_add(0x9e37_79b9_7f4a_7c15)));
    let high = mix(high.rotate_left(23) ^ low ^ x.wrapping_mul(0xd6e8_feb8_6659_fd93));
    Key::from(high) << 64 | Key::from(low)
}

impl Chain {
    fn new() -> Self {
        Self { keys: Vec::new(), state: 0, rest: 0.0 }
    }

    fn clear(&mut self) {
        self.keys.clear();
        self.state = 0;
        self.rest = 0.0;
    }

    /// A segment follows, cut into blocks of `block` tokens.
    fn add(&mut self, block: f64, key: f64, tokens: f64) {
        let mut at = 0.0;
        while at < tokens {
            let room = block - self.rest;
            let piece = if tokens - at < room { tokens - at } else { room };
            for x in [key + 0.0, at, piece] {
                self.state = stir(self.state, x.to_bits());
            }
            at += piece;
            self.rest += piece;
            if self.rest >= block {
                self.keys.push(self.state);
                self.rest = 0.0;
            }
        }
    }
}

impl Contents {
    /// Some pool's blocks are cut from prompts.
    pub fn is_used(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// The number of a block size, for [`Contents::key`].
    pub fn size(&mut self, block: f64) -> usize {
        self.blocks.iter().position(|&x| x == block).unwrap_or_else(|| {
            self.blocks.push(block);
            self.blocks.len() - 1
        })
    }

    /// A session begins in slot `s`; nothing of its prompt is shared yet.
    pub fn open(&mut self, s: Sid, serial: u64) {
        let i = s as usize;
        if i >= self.sessions.len() {
            self.sessions.resize_with(i + 1, Content::default);
        }
        let content = &mut self.sessions[i];
        content.serial = serial;
        content.chains.iter_mut().for_each(Chain::clear);
        content.chains.resize_with(self.blocks.len(), Chain::new);
    }

    /// The next segment of the prompt of session `s`.
    pub fn add(&mut self, s: Sid, key: f64, tokens: f64) {
        for (chain, &block) in self.sessions[s as usize].chains.iter_mut().zip(&self.blocks) {
            chain.add(block, key, tokens);
        }
    }

    /// Whole blocks of size number `size` at the front of the prompt that are shared.
    #[inline]
    pub fn shared(&self, s: Sid, size: usize) -> usize {
        self.sessions[s as usize].chains[size].keys.len()
    }

    /// Block `i` of the prompt, and of what follows it.
    #[inline]
    pub fn key(&self, s: Sid, size: usize, i: usize) -> Key {
        let content = &self.sessions[s as usize];
        let chain = &content.chains[size];
        match chain.keys.get(i) {
            Some(&key) => key,
            None => stir(stir(chain.state, content.serial ^ 1 << 63), i as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first blocks of 16 of a session with these segments.
    fn blocks(serial: u64, segments: &[(f64, f64)], n: usize) -> (Vec<Key>, usize) {
        let mut all = Contents::default();
        let size = all.size(16.0);
        all.open(3, serial);
        segments.iter().for_each(|&(key, tokens)| all.add(3, key, tokens));
        ((0..n).map(|i| all.key(3, size, i)).collect(), all.shared(3, size))
    }

    fn common(a: &[Key], b: &[Key]) -> usize {
        a.iter().zip(b).take_while(|(a, b)| a == b).count()
    }

    #[test]
    fn blocks_are_shared_as_far_as_their_segments_agree() {
        let (a, shared) = blocks(1, &[(7.0, 40.0)], 6);
        assert_eq!(shared, 2);
        // A longer stretch of the same, another session.
        assert_eq!(common(&a, &blocks(2, &[(7.0, 100.0)], 6).0), 2);
        // The same length, but what is in the third block is its own.
        assert_eq!(common(&a, &blocks(2, &[(7.0, 40.0)], 6).0), 2);
        assert_eq!(common(&a, &blocks(1, &[(7.0, 40.0)], 6).0), 6);
        assert_eq!(common(&a, &blocks(2, &[(8.0, 40.0)], 6).0), 0);
    }

    #[test]
    fn a_block_counts_with_all_in_front_of_it() {
        let (a, shared) = blocks(1, &[(1.0, 32.0), (2.0, 32.0)], 5);
        assert_eq!(shared, 4);
        assert_eq!(common(&a, &blocks(2, &[(1.0, 32.0), (2.0, 48.0)], 5).0), 4);
        assert_eq!(common(&a, &blocks(2, &[(1.0, 16.0), (2.0, 48.0)], 5).0), 1);
        assert_eq!(common(&a[2..], &blocks(2, &[(2.0, 32.0)], 5).0), 0);
        // Blocks that two segments meet in.
        let (b, shared) = blocks(1, &[(1.0, 24.0), (2.0, 24.0)], 5);
        assert_eq!((shared, common(&b, &blocks(2, &[(1.0, 24.0), (2.0, 30.0)], 5).0)), (3, 3));
    }

    #[test]
    fn numbers_do_not_repeat() {
        let mut seen = std::collections::HashSet::new();
        for serial in 0..200 {
            for key in 0..20 {
                let (all, shared) = blocks(serial, &[(f64::from(key), 80.0)], 20);
                for (i, x) in all.iter().enumerate() {
                    assert_eq!(seen.insert(*x), i >= shared || serial == 0, "{serial} {key} {i}");
                }
            }
        }
    }
}
