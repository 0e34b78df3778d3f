//! Points on lines of rising load: what may run now, and what is above saturation.
//!
//! A point is saturated when at least half of its runs are not stationary. Nothing above the first
//! saturated point of a line is run, and results of such points that are there anyway do not count, so
//! that what is reported does not depend on what ran first.

use std::collections::{BTreeMap, BTreeSet};

use super::{grid::Key, index::Index, manifest::Manifest};

/// The runs that are above saturation.
pub type Above = BTreeSet<Key>;

/// What is known of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointState {
    /// All its runs are there.
    Complete,
    /// Some are not.
    Missing,
    /// It lies above the first saturated point of its line.
    Above,
}

impl PointState {
    /// As the tables have it.
    pub fn word(self) -> &'static str {
        match self {
            PointState::Complete => "complete",
            PointState::Missing => "missing",
            PointState::Above => "above saturation",
        }
    }
}

/// Points that differ in the load alone, upwards.
#[derive(Debug)]
struct Line {
    levels: Vec<Vec<Key>>,
    /// The first level that is not decided.
    at: usize,
}

/// What is decided of every line so far.
#[derive(Debug)]
pub struct Verdicts {
    lines: Vec<Line>,
    /// The line of each point's other values; without a load axis there is one line with one level.
    of: BTreeMap<Vec<u64>, usize>,
    axis: Option<usize>,
    known: BTreeMap<Key, bool>,
    /// Runs on the lines' first undecided levels that are not known.
    open: Vec<usize>,
}

impl Verdicts {
    /// Nothing decided, for runs in order.
    pub fn new(keys: &[Key], axis: Option<usize>) -> Self {
        let mut lines: BTreeMap<Vec<u64>, BTreeMap<u64, Vec<Key>>> = BTreeMap::new();
        for key in keys {
            let (line, level) = axis.map_or((Vec::new(), 0), |axis| key.along(axis));
            lines.entry(line).or_default().entry(level).or_default().push(key.clone());
        }
        let of = lines.keys().cloned().enumerate().map(|(i, line)| (line, i)).collect();
        let lines: Vec<Line> = lines
            .into_values()
            .map(|levels| Line { levels: levels.into_values().collect(), at: 0 })
            .collect();
        let open = vec![0; lines.len()];
        Self { lines, of, axis, known: BTreeMap::new(), open }
    }

    /// How many lines there are.
    pub fn lines(&self) -> usize {
        self.lines.len()
    }

    /// The line that a run is on.
    pub fn line_of(&self, key: &Key) -> usize {
        let line = self.axis.map_or_else(Vec::new, |axis| key.along(axis).0);
        self.of.get(&line).copied().unwrap_or(0)
    }

    /// A run is there.
    pub fn know(&mut self, key: Key, stationary: bool) {
        self.known.insert(key, stationary);
    }

    /// Goes up a line as far as it is decided, and returns the runs that it needs next: none when it is
    /// decided to its end.
    pub fn needs(&mut self, line: usize) -> Vec<Key> {
        let (known, line_state) = (&self.known, &mut self.lines[line]);
        while let Some(level) = line_state.levels.get(line_state.at) {
            let missing: Vec<Key> =
                level.iter().filter(|k| !known.contains_key(k)).cloned().collect();
            if !missing.is_empty() {
                self.open[line] = missing.len();
                return missing;
            }
            let bad = level.iter().filter(|k| known.get(k) == Some(&false)).count();
            let saturated = self.axis.is_some() && 2 * bad >= level.len();
            line_state.at = if saturated { usize::MAX } else { line_state.at + 1 };
            if saturated {
                let top = level.first().cloned();
                line_state.levels.retain(|l| l.first() <= top.as_ref());
            }
        }
        Vec::new()
    }

    /// A run of those that a line needs has come; the runs that are needed then.
    pub fn came(&mut self, key: Key, stationary: bool) -> Vec<Key> {
        let line = self.line_of(&key);
        self.know(key, stationary);
        self.open[line] = self.open[line].saturating_sub(1);
        if self.open[line] == 0 { self.needs(line) } else { Vec::new() }
    }

    /// The runs of these that are above saturation.
    pub fn above(&self, keys: &[Key]) -> Above {
        let Some(axis) = self.axis else { return Above::new() };
        let above = |key: &&Key| {
            let line = &self.lines[self.line_of(key)];
            let top = line.levels.last().and_then(|l| l.first()).map(|k| k.along(axis).1);
            line.at == usize::MAX && top.is_some_and(|top| key.along(axis).1 > top)
        };
        keys.iter().filter(above).cloned().collect()
    }
}

/// The runs of a folder that are above saturation, as far as it is decided.
pub(super) fn above(manifest: &Manifest, keys: &[Key], index: &Index) -> Above {
    let axis = manifest.stop_axis();
    if axis.is_none() {
        return Above::new();
    }
    let mut verdicts = Verdicts::new(keys, axis);
    for key in index.keys() {
        if let Some(stationary) = index.stationary(key) {
            verdicts.know(key.clone(), stationary);
        }
    }
    for line in 0..verdicts.lines() {
        verdicts.needs(line);
    }
    verdicts.above(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two lines (`a` is 1 or 2), loads 1 to 4, two seeds.
    fn keys() -> Vec<Key> {
        let mut keys = Vec::new();
        for a in [1.0, 2.0] {
            for load in [1.0, 2.0, 3.0, 4.0] {
                keys.extend([1, 2].map(|seed| Key::new(&[a, load], seed)));
            }
        }
        keys
    }

    #[test]
    fn a_line_goes_up_to_its_first_saturated_point() {
        let keys = keys();
        let mut v = Verdicts::new(&keys, Some(1));
        assert_eq!(
            (v.lines(), v.needs(0), v.needs(1)),
            (2, keys[..2].to_vec(), keys[8..10].to_vec())
        );
        assert!(v.came(keys[0].clone(), true).is_empty(), "the other seed decides with it");
        assert_eq!(v.came(keys[1].clone(), true), keys[2..4]);
        assert!(v.came(keys[2].clone(), true).is_empty());
        // Half of the runs: saturated.
        assert!(v.came(keys[3].clone(), false).is_empty());
        assert_eq!(v.above(&keys), keys[4..8].iter().cloned().collect());
        assert!(v.needs(0).is_empty());
        assert_eq!(v.needs(1), keys[8..10]);
    }

    #[test]
    fn what_ran_above_counts_as_above() {
        let keys = keys();
        let mut v = Verdicts::new(&keys, Some(1));
        for (i, key) in keys[..8].iter().enumerate() {
            v.know(key.clone(), i < 2);
        }
        assert!(v.needs(0).is_empty());
        assert_eq!(v.above(&keys), keys[4..8].iter().cloned().collect());
    }

    #[test]
    fn without_a_load_all_may_run_at_once() {
        let keys = keys();
        let mut v = Verdicts::new(&keys, None);
        v.know(keys[3].clone(), false);
        assert_eq!(v.needs(0).len(), keys.len() - 1);
        assert!(v.above(&keys).is_empty());
    }
}
