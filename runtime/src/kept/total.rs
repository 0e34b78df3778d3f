//! The sum over the members of a family in their order, the same to the last bit as if all were added
//! anew: added anew are those from the first one that changed. Zeros are passed over, as they change no
//! sum that began as `0.0`.

/// Values of members, and sums up to each.
#[derive(Clone, Debug)]
pub(super) struct Total {
    values: Vec<f64>,
    /// By member whose value is not zero: the sum up to it, its own value included.
    through: Vec<f64>,
    /// Members whose value is not zero, a bit each.
    counted: Vec<u64>,
    /// Sums from this member on are of earlier values.
    stale: usize,
    total: f64,
}

impl Total {
    /// All values are zero.
    pub fn new(members: usize) -> Self {
        Self {
            values: vec![0.0; members],
            through: vec![0.0; members],
            counted: vec![0; members.div_ceil(64)],
            stale: members,
            total: 0.0,
        }
    }

    /// A member's value is this.
    #[inline]
    pub fn set(&mut self, member: usize, value: f64) {
        let was = std::mem::replace(&mut self.values[member], value);
        if was == value {
            return;
        }
        let (word, bit) = (&mut self.counted[member / 64], member % 64);
        *word = *word & !(1 << bit) | u64::from(value != 0.0) << bit;
        self.stale = self.stale.min(member);
    }

    /// The sum of all values.
    #[inline]
    pub fn value(&mut self) -> f64 {
        if self.stale < self.values.len() {
            self.add();
        }
        self.total
    }

    /// Adds from the first member that changed.
    fn add(&mut self) {
        let from = std::mem::replace(&mut self.stale, self.values.len());
        let mut total = self.before(from).map_or(0.0, |member| self.through[member]);
        let first = from / 64;
        let mut mask = !0 << (from % 64);
        for (i, &word) in self.counted[first..].iter().enumerate() {
            let mut bits = word & mask;
            mask = !0;
            while bits != 0 {
                let member = (first + i) * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                total += self.values[member];
                self.through[member] = total;
            }
        }
        self.total = total;
    }

    /// The last member before `end` whose value is not zero.
    #[inline]
    fn before(&self, end: usize) -> Option<usize> {
        let (mut word, bit) = (end / 64, end % 64);
        let mut bits = self.counted[word] & !(!0 << bit);
        while bits == 0 {
            word = word.checked_sub(1)?;
            bits = self.counted[word];
        }
        Some(word * 64 + 63 - bits.leading_zeros() as usize)
    }
}
