//! Sets of small numbers, by bits: pools and stages that something is to be done for.

/// A set of small numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
    members: usize,
}

impl Bits {
    pub fn new(n: usize) -> Self {
        Self { words: vec![0; n.div_ceil(64)], members: 0 }
    }

    #[inline]
    pub fn put(&mut self, i: usize, on: bool) {
        let (word, bit) = (&mut self.words[i / 64], i % 64);
        let was = *word >> bit & 1 == 1;
        *word = *word & !(1 << bit) | u64::from(on) << bit;
        self.members = self.members + usize::from(on) - usize::from(was);
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.members == 0
    }

    /// Takes the least member out.
    #[inline]
    pub fn take_first(&mut self) -> Option<usize> {
        if self.members == 0 {
            return None;
        }
        let (i, word) = self.words.iter_mut().enumerate().find(|(_, word)| **word != 0)?;
        let bit = word.trailing_zeros() as usize;
        *word &= *word - 1;
        self.members -= 1;
        Some(i * 64 + bit)
    }

    /// The first member from `i` on.
    #[inline]
    pub fn next(&self, i: usize) -> Option<usize> {
        if self.members == 0 {
            return None;
        }
        let (mut word, bit) = (i / 64, i % 64);
        let mut bits = self.words.get(word)? & (!0 << bit);
        while bits == 0 {
            word += 1;
            bits = *self.words.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }
}
