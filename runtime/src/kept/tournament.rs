//! The least keys of all members and whose they are, found again after some have changed by playing
//! their matches anew.

use crate::world::less;

/// A winner tree over the members of a family; of equal keys the lower member's win.
#[derive(Clone, Debug)]
pub(super) struct Tournament<const N: usize> {
    /// By node, from 1: the keys of its two sides, the winners of nodes `2i` and `2i + 1`, or two members;
    /// infinite beyond the last.
    matches: Vec<[[f64; N]; 2]>,
}

impl<const N: usize> Tournament<N> {
    /// All keys of all members are infinite.
    pub fn new(members: usize) -> Self {
        let leaves = members.next_power_of_two().max(2);
        Self { matches: vec![[[f64::INFINITY; N]; 2]; leaves] }
    }

    /// A member's keys are these, none of them NaN.
    #[inline]
    pub fn set(&mut self, member: usize, mut keys: [f64; N]) {
        let mut node = self.matches.len() + member;
        while node > 1 {
            let sides = &mut self.matches[node / 2];
            let own = &mut sides[node % 2];
            if same(own, &keys) {
                return;
            }
            *own = keys;
            keys = winner(sides);
            node /= 2;
        }
    }

    /// The least keys.
    #[inline]
    pub fn least(&self) -> [f64; N] {
        winner(&self.matches[1])
    }

    /// The member with the least keys, the lowest of several.
    #[inline]
    pub fn first(&self) -> usize {
        let mut node = 1;
        while let Some([left, right]) = self.matches.get(node) {
            node = 2 * node + usize::from(less(right, left));
        }
        node - self.matches.len()
    }
}

/// The same bits: what has the same value may still have another sign.
#[inline]
fn same<const N: usize>(a: &[f64; N], b: &[f64; N]) -> bool {
    let mut i = 0;
    while i < N && a[i].to_bits() == b[i].to_bits() {
        i += 1;
    }
    i == N
}

/// The lesser keys of two sides.
#[inline]
fn winner<const N: usize>([left, right]: &[[f64; N]; 2]) -> [f64; N] {
    if less(right, left) { *right } else { *left }
}
