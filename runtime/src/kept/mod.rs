//! What choices and gauges read of each member of a wide family, kept from one reading to the next.
//!
//! In: which members' counters have changed, noted where they change. Out: the member with the least
//! keys, and the greatest, the least and the sum of values, the same to the last bit as from a loop over
//! all members. Only those members are read again whose counters have changed. A narrow family is not
//! kept: the loop over it costs less than keeping it does. How wide it is, is known when a run starts.

mod total;
mod tournament;

use crate::{
    kernel::NONE,
    legs, pool,
    world::{Keys, MAX_KEYS, PoolKey, Sid, World, keys, less},
};
use total::Total;
use tournament::Tournament;

/// Members from which on a family is kept: with fewer a loop over them takes fewer instructions.
const WIDE: usize = 28;

/// The family that keys or values are read of.
#[derive(Clone, Copy, Debug)]
pub enum KeptOf {
    /// A pool family.
    Pool(u16),
    /// A stage family.
    Stage(u16),
}

/// What is kept of a family, as it is known when the program is compiled.
#[derive(Clone, Copy, Debug)]
pub struct KeptSpec {
    /// A family that has the members.
    pub of: KeptOf,
    /// Keys of a member; of values one.
    pub keys: usize,
    /// Somebody asks for the least.
    pub least: bool,
    /// Somebody asks for the greatest value.
    pub greatest: bool,
    /// Somebody asks for the sum of the values.
    pub total: bool,
}

/// All that a run keeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    /// Which of [`World::KEPT`] are kept in this run, a bit each.
    wide: u64,
    /// By number in [`World::KEPT`].
    tables: Vec<KeptTable>,
    /// By session slot: the pools that it may have a prefix in, of those that choices ask.
    cached: Vec<Vec<PoolKey>>,
}

impl Kept {
    /// What `readers` keep of a member has changed.
    #[inline]
    pub fn note(&mut self, readers: u64, member: u32) {
        if self.wide & readers != 0 {
            self.mark(readers, member);
        }
    }

    #[cold]
    #[inline(never)]
    fn mark(&mut self, readers: u64, member: u32) {
        let mut readers = self.wide & readers;
        while readers != 0 {
            let table = &mut self.tables[readers.trailing_zeros() as usize];
            table.marked[member as usize / 64] |= 1 << (member % 64);
            readers &= readers - 1;
        }
    }

    /// Session `s` has a prefix in a pool where `readers` look for it.
    #[inline]
    pub fn note_entry(&mut self, readers: u64, s: Sid, pool: PoolKey) {
        if self.wide & readers != 0 {
            self.add_entry(s, pool);
        }
    }

    fn add_entry(&mut self, s: Sid, pool: PoolKey) {
        let i = s as usize;
        if i >= self.cached.len() {
            self.cached.resize(i + 1, Vec::new());
        }
        if !self.cached[i].contains(&pool) {
            self.cached[i].push(pool);
        }
    }

    /// Anything may have changed.
    pub fn note_all(&mut self) {
        self.tables.iter_mut().for_each(|table| table.marked = all(table.members));
    }

    fn add(&mut self, spec: &KeptSpec, members: usize) {
        self.wide |= u64::from(members >= WIDE) << self.tables.len();
        self.tables.push(KeptTable::new(spec, members));
    }
}

/// A bit for each member.
fn all(members: usize) -> Vec<u64> {
    let word = |i: usize| match members - i * 64 {
        rest if rest < 64 => (1 << rest) - 1,
        _ => !0,
    };
    (0..members.div_ceil(64)).map(word).collect()
}

/// What is kept of one family.
#[derive(Clone, Debug)]
pub struct KeptTable {
    members: usize,
    /// Members whose counters have changed since they were read, a bit each.
    marked: Vec<u64>,
    /// Members with a NaN among their keys.
    nan: Vec<usize>,
    /// Of members with one key.
    least: Option<Tournament<1>>,
    /// Of members with several.
    first: Option<Tournament<MAX_KEYS>>,
    /// The values negated.
    greatest: Option<Tournament<1>>,
    total: Option<Total>,
}

impl KeptTable {
    fn new(spec: &KeptSpec, members: usize) -> Self {
        Self {
            members,
            marked: all(members),
            nan: Vec::new(),
            least: (spec.least && spec.keys == 1).then(|| Tournament::new(members)),
            first: (spec.least && spec.keys > 1).then(|| Tournament::new(members)),
            greatest: spec.greatest.then(|| Tournament::new(members)),
            total: spec.total.then(|| Total::new(members)),
        }
    }

    /// Takes the keys of a member in.
    #[inline]
    fn put<const N: usize>(&mut self, member: usize, given: [f64; N]) {
        let mut nan = false;
        let mut i = 0;
        while i < N {
            nan |= given[i].is_nan();
            i += 1;
        }
        if nan || !self.nan.is_empty() {
            self.put_with_nan(member, nan, keys(given));
        } else if N > 1 {
            self.rank(member, keys(given));
        } else {
            self.order(member, given[0], -given[0]);
        }
        if N == 1
            && let Some(total) = &mut self.total
        {
            total.set(member, given[0]);
        }
    }

    /// As `put`, where a NaN is or was: it is neither the least nor the greatest of values.
    #[cold]
    fn put_with_nan(&mut self, member: usize, nan: bool, given: Keys) {
        self.nan.retain(|other| *other != member);
        if nan {
            self.nan.push(member);
        }
        let last = |x: f64| if x.is_nan() { f64::INFINITY } else { x };
        self.rank(member, given.map(last));
        self.order(member, last(given[0]), last(-given[0]));
    }

    /// Takes several keys in.
    #[inline]
    fn rank(&mut self, member: usize, keys: Keys) {
        if let Some(first) = &mut self.first {
            first.set(member, keys);
        }
    }

    /// Takes one key in, and what it is negated.
    #[inline]
    fn order(&mut self, member: usize, value: f64, negated: f64) {
        if let Some(least) = &mut self.least {
            least.set(member, [value]);
        }
        if let Some(greatest) = &mut self.greatest {
            greatest.set(member, [negated]);
        }
    }

    /// The member with the least keys, the first one of equals; none when a NaN is among them, which
    /// does not order them.
    #[inline]
    fn first(&self) -> Option<usize> {
        if !self.nan.is_empty() {
            return None;
        }
        let of_one = self.least.as_ref().map(Tournament::first);
        of_one.or_else(|| self.first.as_ref().map(Tournament::first))
    }

    /// The greatest value; what a loop over all begins with when none is a number.
    #[inline]
    pub fn greatest(&self) -> f64 {
        self.greatest.as_ref().map_or(f64::NEG_INFINITY, |tree| -tree.least()[0])
    }

    /// The least value.
    #[inline]
    pub fn least(&self) -> f64 {
        self.least.as_ref().map_or(f64::INFINITY, |tree| tree.least()[0])
    }

    /// The sum of all values.
    #[inline]
    pub fn total(&mut self) -> f64 {
        self.total.as_mut().map_or(0.0, Total::value)
    }
}

/// Makes the tables of the families that are wide in this run.
pub(crate) fn set_up<W: World>(w: &mut W) {
    for spec in W::KEPT {
        let members = match spec.of {
            KeptOf::Pool(family) => w.pool_count(family as usize),
            KeptOf::Stage(family) => w.stage_count(family as usize),
        };
        w.kernel_mut().kept.add(spec, members);
    }
}

/// Nothing is kept for these tables, a bit each: their families are narrow in this run.
#[inline]
pub fn narrow<W: World>(w: &W, tables: u64) -> bool {
    w.kernel().kept.wide & tables == 0
}

/// Table `i`, with the `keys` of all members as they are now; none of a narrow family.
#[inline]
pub fn kept<W: World, const N: usize>(
    w: &mut W,
    i: usize,
    keys: impl Fn(&W, usize) -> [f64; N],
) -> Option<&mut KeptTable> {
    (w.kernel().kept.wide >> i & 1 == 1).then(|| up_to_date(w, i, keys))
}

/// The member with the least keys; none when a loop over all must find it.
#[inline]
pub fn kept_choice<W: World, const N: usize>(
    w: &mut W,
    i: usize,
    keys: impl Fn(&W, usize) -> [f64; N],
) -> Option<usize> {
    kept(w, i, keys)?.first()
}

/// The member with the least keys for session `s`; none when a loop over all must find it.
///
/// `without` are the keys of a member for a session that has nothing cached there, `keys` those for `s`.
/// They differ at the few members that the session has a prefix at: these are read, and the best of all
/// others is the kept one.
#[inline]
pub fn kept_choice_for<W: World, const N: usize>(
    w: &mut W,
    i: usize,
    s: Sid,
    without: impl Fn(&W, usize) -> [f64; N],
    keys: impl Fn(&mut W, usize, Sid) -> [f64; N],
) -> Option<usize> {
    (w.kernel().kept.wide >> i & 1 == 1).then(|| choose_for(w, i, s, without, keys)).flatten()
}

#[inline(never)]
fn choose_for<W: World, const N: usize>(
    w: &mut W,
    i: usize,
    s: Sid,
    without: impl Fn(&W, usize) -> [f64; N],
    keys: impl Fn(&mut W, usize, Sid) -> [f64; N],
) -> Option<usize> {
    let first = up_to_date(w, i, &without).first()?;
    let least = without(w, first);
    let (mut best, mut replaced) = (None, false);
    let owner = legs::owner(w, s);
    let pools = cached_pools(w, owner);
    let readers = |pool: &PoolKey| pool::spec::<W>(*pool).kept[pool::ENTRIES];
    for pool in pools.iter().filter(|pool| readers(pool) >> i & 1 == 1) {
        let member = pool.member as usize;
        let keys = keys(w, member, s);
        // Where the one that was the best is worse for its prefix, the kept keys do not tell the next.
        let lost = member == first && less(&least, &keys);
        if lost || keys.iter().any(|x| x.is_nan()) {
            w.kernel_mut().kept.cached[owner as usize] = pools;
            return None;
        }
        replaced |= member == first;
        take_better(&mut best, (member, keys));
    }
    if !pools.is_empty() {
        w.kernel_mut().kept.cached[owner as usize] = pools;
    }
    if !replaced {
        take_better(&mut best, (first, least));
    }
    best.map(|(member, _)| member)
}

/// Takes a candidate that comes before the best one so far.
fn take_better<const N: usize>(best: &mut Option<(usize, [f64; N])>, one: (usize, [f64; N])) {
    let better = best
        .as_ref()
        .is_none_or(|best| less(&one.1, &best.1) || !less(&best.1, &one.1) && one.0 < best.0);
    if better {
        *best = Some(one);
    }
}

/// Takes the list of the pools that the session may have a prefix in, without those that it has none in.
fn cached_pools<W: World>(w: &mut W, s: Sid) -> Vec<PoolKey> {
    let list = w.kernel_mut().kept.cached.get_mut(s as usize);
    let mut pools = list.map(std::mem::take).unwrap_or_default();
    pools.retain(|&pool| w.pool(pool).share(s).entry != NONE);
    pools
}

#[inline(never)]
fn up_to_date<W: World, const N: usize>(
    w: &mut W,
    i: usize,
    keys: impl Fn(&W, usize) -> [f64; N],
) -> &mut KeptTable {
    let mut word = 0;
    while let Some(marked) = w.kernel_mut().kept.tables[i].marked.get_mut(word) {
        let mut bits = std::mem::take(marked);
        while bits != 0 {
            let member = word * 64 + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let keys = keys(w, member);
            w.kernel_mut().kept.tables[i].put(member, keys);
        }
        word += 1;
    }
    &mut w.kernel_mut().kept.tables[i]
}

#[cfg(test)]
mod tests;
