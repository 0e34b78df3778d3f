//! The cached blocks of a pool that shares prefixes: which contents there are, who holds each block,
//! and in which order those that nobody holds are evicted.
//!
//! This is the block pool of vLLM's scheduler as far as contents matter (`ref/oracle` has recordings of
//! it): blocks without a content are only counted, by the pool's units.

use super::{content::Key, index::Index};
use crate::kernel::{Linked, NONE, Slab};

/// A block whose content can be hit.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    key: Key,
    /// Allocations that hold it.
    holders: u32,
    /// Neighbours among those that nobody holds.
    previous: u32,
    next: u32,
    /// Neighbours among those of the same content, and, in the oldest of them, the newest.
    older: u32,
    newer: u32,
    newest: u32,
}

impl Linked for Block {
    #[inline]
    fn link(&mut self) -> &mut u32 {
        &mut self.next
    }
}

/// All blocks with a content.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    /// Number of the pool's block size among the sessions' contents.
    pub size: usize,
    all: Slab<Block>,
    /// The oldest block of each content.
    oldest: Index,
    /// What is evicted first, and last.
    first: u32,
    last: u32,
}

impl Blocks {
    /// None yet; `size` is the number of the block size.
    pub fn new(size: usize) -> Self {
        Self { size, first: NONE, last: NONE, ..Self::default() }
    }

    /// A block of this content: the oldest of them.
    #[inline]
    pub fn find(&self, key: Key) -> Option<u32> {
        self.oldest.find(key, |id| self.all[id].key)
    }

    /// Somebody holds the block.
    #[inline]
    pub fn is_held(&self, id: u32) -> bool {
        self.all[id].holders > 0
    }

    /// More than one allocation holds the block.
    #[inline]
    pub fn is_shared(&self, id: u32) -> bool {
        self.all[id].holders > 1
    }

    /// Some block can be evicted.
    #[inline]
    pub fn any_idle(&self) -> bool {
        self.first != NONE
    }

    /// A held block gets its content, and can be hit from now on.
    pub fn add(&mut self, key: Key) -> u32 {
        let none = Block {
            key,
            holders: 1,
            previous: NONE,
            next: NONE,
            older: NONE,
            newer: NONE,
            newest: NONE,
        };
        let id = self.all.add(none);
        match self.find(key) {
            None => {
                self.all[id].newest = id;
                self.oldest.put(id, key, |id| self.all[id].key);
            }
            Some(oldest) => {
                let newest = std::mem::replace(&mut self.all[oldest].newest, id);
                self.all[newest].newer = id;
                self.all[id].older = newest;
            }
        }
        id
    }

    /// One more holds the block.
    pub fn hold(&mut self, id: u32) {
        if self.all[id].holders == 0 {
            self.unlink(id);
        }
        self.all[id].holders += 1;
    }

    /// One holds the block no more; true when nobody does.
    pub fn let_go(&mut self, id: u32) -> bool {
        self.all[id].holders -= 1;
        self.all[id].holders == 0
    }

    /// A block that nobody holds will be evicted after all others.
    pub fn retire(&mut self, id: u32) {
        let last = std::mem::replace(&mut self.last, id);
        (self.all[id].previous, self.all[id].next) = (last, NONE);
        match last {
            NONE => self.first = id,
            last => self.all[last].next = id,
        }
    }

    /// Evicts the block whose turn it is.
    pub fn evict(&mut self) {
        let id = self.first;
        self.unlink(id);
        self.forget(id);
    }

    /// Evicts this one, which nobody holds.
    pub fn evict_one(&mut self, id: u32) {
        self.unlink(id);
        self.forget(id);
    }

    /// The block's content is gone; it is in no list of blocks to evict.
    pub fn forget(&mut self, id: u32) {
        let Block { key, older, newer, newest, .. } = self.all[id];
        match (older, newer) {
            (NONE, NONE) => self.oldest.remove(key, |id| self.all[id].key),
            (NONE, newer) => {
                self.all[newer].older = NONE;
                self.all[newer].newest = newest;
                self.oldest.put(newer, key, |id| self.all[id].key);
            }
            (older, newer) => {
                self.all[older].newer = newer;
                match newer {
                    NONE => {
                        if let Some(oldest) = self.find(key) {
                            self.all[oldest].newest = older;
                        }
                    }
                    newer => self.all[newer].older = older,
                }
            }
        }
        self.all.free(id);
    }

    fn unlink(&mut self, id: u32) {
        let Block { previous, next, .. } = self.all[id];
        match previous {
            NONE => self.first = next,
            previous => self.all[previous].next = next,
        }
        match next {
            NONE => self.last = previous,
            next => self.all[next].previous = previous,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_copy_is_found_until_it_is_gone() {
        let mut blocks = Blocks::new(0);
        let ids: Vec<u32> = (0..3).map(|_| blocks.add(9)).collect();
        for &id in &ids {
            assert!(blocks.let_go(id));
            blocks.retire(id);
        }
        blocks.evict_one(ids[1]);
        assert_eq!(blocks.find(9), Some(ids[0]));
        blocks.evict();
        assert_eq!(blocks.find(9), Some(ids[2]));
        blocks.evict();
        assert_eq!((blocks.find(9), blocks.any_idle()), (None, false));
    }

    #[test]
    fn who_is_held_is_not_evicted() {
        let mut blocks = Blocks::new(0);
        let (a, b) = (blocks.add(1), blocks.add(2));
        blocks.hold(a);
        assert!(!blocks.let_go(a) && blocks.let_go(a) && blocks.let_go(b));
        blocks.retire(b);
        blocks.retire(a);
        blocks.hold(b);
        assert!(blocks.is_held(b) && !blocks.is_shared(b));
        blocks.evict();
        assert_eq!((blocks.find(1), blocks.find(2), blocks.any_idle()), (None, Some(b), false));
    }
}
