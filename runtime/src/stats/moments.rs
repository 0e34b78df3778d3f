//! Count and sum of plain values.

/// Count and sum; values are added in the order they come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// How many.
    pub count: u64,
    /// Their sum.
    pub sum: f64,
}

impl Moments {
    /// One more value.
    #[inline]
    pub fn add(&mut self, x: f64) {
        self.count += 1;
        self.sum += x;
    }

    /// Their mean; `None` of nothing, or when it is not finite.
    pub fn mean(&self) -> Option<f64> {
        if self.count == 0 {
            return None;
        }
        Some(self.sum / self.count as f64).filter(|m| m.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::Moments;

    #[test]
    fn the_mean_of_nothing_is_none() {
        let mut m = Moments::default();
        assert_eq!(m.mean(), None);
        m.add(1.0);
        m.add(2.0);
        assert_eq!((m.count, m.mean()), (2, Some(1.5)));
    }
}
