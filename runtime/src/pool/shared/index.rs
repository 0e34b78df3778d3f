//! Which block has a content: a table of numbers, probed one place after the other.

use super::content::Key;
use crate::kernel::NONE;

/// Numbers of records by the key of each; the keys themselves are in the records.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// Numbers, or [`NONE`]; as many places as a power of two.
    places: Vec<u32>,
    used: usize,
}

/// Places at first.
const FEWEST: usize = 64;

impl Index {
    /// Where the search for a key begins: its bits are as good as drawn.
    #[inline]
    fn home(&self, key: Key) -> usize {
        key as usize & (self.places.len() - 1)
    }

    #[inline]
    fn next(&self, place: usize) -> usize {
        (place + 1) & (self.places.len() - 1)
    }

    /// The place of a key, or the empty one where it would be put.
    #[inline]
    fn place(&self, key: Key, key_of: impl Fn(u32) -> Key) -> usize {
        let mut place = self.home(key);
        while self.places[place] != NONE && key_of(self.places[place]) != key {
            place = self.next(place);
        }
        place
    }

    /// The number with this key.
    #[inline]
    pub fn find(&self, key: Key, key_of: impl Fn(u32) -> Key) -> Option<u32> {
        if self.places.is_empty() {
            return None;
        }
        let found = self.places[self.place(key, key_of)];
        (found != NONE).then_some(found)
    }

    /// Puts a number in, in the place of the one that has its key.
    pub fn put(&mut self, id: u32, key: Key, key_of: impl Fn(u32) -> Key) {
        if 4 * (self.used + 1) > 3 * self.places.len() {
            self.grow(&key_of);
        }
        let place = self.place(key, key_of);
        self.used += usize::from(self.places[place] == NONE);
        self.places[place] = id;
    }

    fn grow(&mut self, key_of: impl Fn(u32) -> Key) {
        let places = FEWEST.max(2 * self.places.len());
        let before = std::mem::replace(&mut self.places, vec![NONE; places]);
        for id in before.into_iter().filter(|&id| id != NONE) {
            let place = self.place(key_of(id), &key_of);
            self.places[place] = id;
        }
    }

    /// Takes the number with this key out; those behind it that began their search in front of it or
    /// there move up.
    pub fn remove(&mut self, key: Key, key_of: impl Fn(u32) -> Key) {
        let mut hole = self.place(key, &key_of);
        if self.places[hole] == NONE {
            return;
        }
        self.used -= 1;
        let mut at = self.next(hole);
        while self.places[at] != NONE {
            let home = self.home(key_of(self.places[at]));
            let last = self.places.len() - 1;
            if at.wrapping_sub(home) & last >= at.wrapping_sub(hole) & last {
                self.places[hole] = self.places[at];
                hole = at;
            }
            at = self.next(at);
        }
        self.places[hole] = NONE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Stream, StreamKind};
    use std::collections::HashMap;

    #[test]
    fn it_finds_what_a_map_finds() {
        let mut draws = Stream::new(5, StreamKind::Machine, 0, 0);
        // Few homes, so that searches run into each other.
        let keys: Vec<Key> = (0..600).map(|i| (i << 64) | (i * i % 50)).collect();
        let (mut index, mut map) = (Index::default(), HashMap::new());
        for _ in 0..20_000 {
            let id = draws.below(keys.len() as u64) as u32;
            let (key, key_of) = (keys[id as usize], |id: u32| keys[id as usize]);
            assert_eq!(index.find(key, key_of), map.get(&key).copied());
            if draws.u01() < 0.5 {
                index.put(id, key, key_of);
                map.insert(key, id);
            } else {
                if !map.is_empty() {
                    index.remove(key, key_of);
                }
                map.remove(&key);
            }
            assert_eq!(index.used, map.len());
        }
    }
}
