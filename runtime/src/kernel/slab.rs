//! Records with stable small numbers, their room used again.

use super::NONE;

/// A record with a number of another one in it, for which there is no use once its room is given back.
pub(crate) trait Linked {
    /// The place of that number.
    fn link(&mut self) -> &mut u32;
}

/// Records by number.
#[derive(Clone, Debug)]
pub(crate) struct Slab<T> {
    items: Vec<T>,
    /// The room that was given back last; where a record was, its link names the one before.
    free: u32,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { items: Vec::new(), free: NONE }
    }
}

impl<T> Slab<T> {
    /// The record of this number, if it is one.
    #[inline]
    pub fn get(&self, i: u32) -> Option<&T> {
        self.items.get(i as usize)
    }
}

impl<T: Linked + Default> Slab<T> {
    /// Stores a record.
    #[inline]
    pub fn add(&mut self, item: T) -> u32 {
        // The record is not handed on, so that it is made where it is stored.
        let Self { items, free } = self;
        let (i, room) = match *free as usize {
            at if at < items.len() => (*free, &mut items[at]),
            _ => Self::more_room(items),
        };
        *free = *room.link();
        *room = item;
        i
    }

    /// A record can be stored where one was.
    #[inline]
    pub fn has_room(&self) -> bool {
        (self.free as usize) < self.items.len()
    }

    /// As [`Slab::add`], where there [is room](Slab::has_room).
    #[inline]
    pub fn add_in_room(&mut self, item: T) -> u32 {
        let i = self.free;
        let room = &mut self.items[i as usize];
        self.free = *room.link();
        *room = item;
        i
    }

    /// Room at the end, none of which was given back, and its number.
    #[cold]
    fn more_room(items: &mut Vec<T>) -> (u32, &mut T) {
        let i = items.len();
        items.push(T::default());
        *items[i].link() = NONE;
        (i as u32, &mut items[i])
    }

    /// Gives a number's room back; the record.
    #[inline]
    pub fn free(&mut self, i: u32) -> &mut T {
        let before = std::mem::replace(&mut self.free, i);
        let item = &mut self.items[i as usize];
        *item.link() = before;
        item
    }
}

impl<T> std::ops::Index<u32> for Slab<T> {
    type Output = T;
    #[inline]
    fn index(&self, i: u32) -> &T {
        &self.items[i as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, i: u32) -> &mut T {
        &mut self.items[i as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::{Linked, Slab};

    #[derive(Default)]
    struct Record {
        value: u32,
        other: u32,
    }

    impl Linked for Record {
        fn link(&mut self) -> &mut u32 {
            &mut self.other
        }
    }

    #[test]
    fn the_room_that_was_given_back_last_is_used_first() {
        let mut slab = Slab::default();
        let add = |slab: &mut Slab<Record>, value| slab.add(Record { value, other: 7 });
        let ids: Vec<u32> = (0..4).map(|value| add(&mut slab, value)).collect();
        assert_eq!(ids, [0, 1, 2, 3]);
        slab.free(1);
        slab.free(3);
        assert_eq!([10, 11, 12].map(|value| add(&mut slab, value)), [3, 1, 4]);
        let values = [0, 1, 2, 3, 4].map(|id| (slab[id].value, slab[id].other));
        assert_eq!(values, [(0, 7), (11, 7), (2, 7), (10, 7), (12, 7)]);
    }
}
