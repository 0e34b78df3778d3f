//! Sets of small numbers, by bits: pools and stages that something is to be done for.

/// Numbers of a word.
const WORD: usize = 64;

/// A set of small numbers.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct Bits {
    /// The numbers below [`WORD`], which are mostly all there are.
    first: u64,
    /// The others, and how many are in.
    others: usize,
    more: Vec<u64>,
}

impl Bits {
    /// None of the numbers below `n`.
    pub fn new(n: usize) -> Self {
        Self { first: 0, more: vec![0; n.saturating_sub(1) / WORD], others: 0 }
    }

    #[inline]
    pub fn put(&mut self, i: usize, on: bool) {
        if i >= WORD {
            return self.put_other(i, on);
        }
        self.first = self.first & !(1 << i) | u64::from(on) << i;
    }

    #[cold]
    #[inline(never)]
    fn put_other(&mut self, i: usize, on: bool) {
        let (word, bit) = (&mut self.more[i / WORD - 1], i % WORD);
        let was = *word >> bit & 1;
        *word = *word & !(1 << bit) | u64::from(on) << bit;
        self.others = self.others + usize::from(on) - was as usize;
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.first | self.others as u64 == 0
    }

    /// Takes the least member out.
    #[inline]
    pub fn take_first(&mut self) -> Option<usize> {
        let i = self.next(0)?;
        self.put(i, false);
        Some(i)
    }

    /// The first member from `i` on.
    #[inline]
    pub fn next(&self, i: usize) -> Option<usize> {
        if i < WORD {
            let later = self.first >> i;
            if later != 0 {
                return Some(i + later.trailing_zeros() as usize);
            }
        }
        if self.others == 0 { None } else { self.next_other(i.max(WORD)) }
    }

    #[cold]
    #[inline(never)]
    fn next_other(&self, i: usize) -> Option<usize> {
        let (mut word, bit) = (i / WORD - 1, i % WORD);
        let mut bits = self.more.get(word)? & (!0 << bit);
        while bits == 0 {
            word += 1;
            bits = *self.more.get(word)?;
        }
        Some((word + 1) * WORD + bits.trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn members_are_found_upwards_whatever_their_word() {
        for n in [1, 63, 64, 65, 128, 129, 300] {
            let mut bits = Bits::new(n);
            let mut inside = vec![false; n];
            for round in 0..2000 {
                let i = round * 7919 % n;
                let on = round * round % 5 < 2;
                bits.put(i, on);
                inside[i] = on;
                assert_eq!(bits.is_empty(), !inside.contains(&true));
                let from = round * 31 % (n + 2);
                let next = (from..n).find(|i| inside[*i]);
                assert_eq!(bits.next(from), next, "from {from} of {n}");
            }
            while let Some(i) = bits.take_first() {
                assert_eq!(Some(i), inside.iter().position(|x| *x));
                inside[i] = false;
            }
            assert!(!inside.contains(&true));
        }
    }
}
