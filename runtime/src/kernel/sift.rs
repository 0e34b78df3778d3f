//! How entries of a binary heap find their room; who has moved where is told.

/// An entry of a heap, the least key first.
pub(super) trait Keyed: Copy {
    /// Time and order in one number.
    fn key(&self) -> u128;
}

/// What comes first by time and then by order, as one number; times are not negative.
#[inline]
pub(super) fn key(time: f64, order: u64) -> u128 {
    u128::from(time.to_bits()) << 64 | u128::from(order)
}

/// The time of a key.
#[inline]
pub(super) fn time_of(key: u128) -> f64 {
    f64::from_bits((key >> 64) as u64)
}

/// An entry takes the room at `hole`, or one above it, which is returned.
#[inline]
pub(super) fn up<E: Keyed>(
    entries: &mut [E],
    mut hole: usize,
    entry: E,
    mut moved: impl FnMut(&E, usize),
) -> usize {
    while hole > 0 {
        let above = (hole - 1) / 2;
        if entries[above].key() <= entry.key() {
            break;
        }
        entries[hole] = entries[above];
        moved(&entries[hole], hole);
        hole = above;
    }
    entries[hole] = entry;
    moved(&entry, hole);
    hole
}

/// An entry takes the room at `hole`, or one below or above it. It was a leaf, so the hole goes
/// down to a leaf at once, and the entry up from there.
#[inline]
pub(super) fn down<E: Keyed>(
    entries: &mut [E],
    mut hole: usize,
    entry: E,
    mut moved: impl FnMut(&E, usize),
) {
    let mut child = 2 * hole + 1;
    while child + 1 < entries.len() {
        child += usize::from(entries[child + 1].key() < entries[child].key());
        entries[hole] = entries[child];
        moved(&entries[hole], hole);
        hole = child;
        child = 2 * hole + 1;
    }
    if child < entries.len() {
        entries[hole] = entries[child];
        moved(&entries[hole], hole);
        hole = child;
    }
    up(entries, hole, entry, moved);
}
