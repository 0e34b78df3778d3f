//! Points and seeds that are wanted.
//!
//! A point is one value per swept setting, in the order of the program's `let`s; values go upwards, so
//! that the order of everything is that of the numbers, whatever the command line said first.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use crate::report::json::Number;

/// Values of one swept setting, upwards, each once.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The setting's name.
    pub name: String,
    /// Its values.
    pub values: Vec<f64>,
}

/// All combinations of some values, each with the same seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// One per swept setting; every grid of a folder has the same names.
    pub axes: Vec<Axis>,
    /// Upwards, each once.
    pub seeds: Vec<u64>,
}

/// A point and a seed, ordered as results are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The point's values, as [`rank`]s.
    pub(super) point: Vec<u64>,
    /// The seed.
    pub seed: u64,
}

/// A whole number in the order of the float; 0 and -0 are one.
fn rank(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn unrank(rank: u64) -> f64 {
    f64::from_bits(if rank >> 63 == 1 { rank ^ 1 << 63 } else { !rank })
}

impl Key {
    /// The key of a run.
    pub fn new(point: &[f64], seed: u64) -> Self {
        Self { point: point.iter().map(|x| rank(*x)).collect(), seed }
    }

    /// The point's values.
    pub fn values(&self) -> Vec<f64> {
        self.point.iter().map(|r| unrank(*r)).collect()
    }

    /// What stands for the run's point.
    pub fn point(&self) -> Key {
        Self { seed: 0, ..self.clone() }
    }

    /// Whether both are of one point.
    pub fn same_point(&self, other: &Key) -> bool {
        self.point == other.point
    }

    /// The value of setting number `axis`, and the point's other values: the line that it lies on.
    pub(super) fn along(&self, axis: usize) -> (Vec<u64>, u64) {
        let mut line = self.point.clone();
        let at = line.remove(axis);
        (line, at)
    }
}

/// Numbers upwards, each once.
pub(super) fn upwards(mut values: Vec<f64>) -> Vec<f64> {
    values.iter_mut().for_each(|x| *x += 0.0);
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

impl Grid {
    /// A grid in order.
    pub fn new(axes: Vec<Axis>, mut seeds: Vec<u64>) -> Self {
        seeds.sort_unstable();
        seeds.dedup();
        let axes =
            axes.into_iter().map(|a| Axis { values: upwards(a.values), ..a }).collect::<Vec<_>>();
        Self { axes, seeds }
    }

    /// Its points, the last setting's values going round fastest.
    pub fn points(&self) -> Vec<Vec<f64>> {
        self.axes.iter().fold(vec![Vec::new()], |points, axis| {
            let further = |p: &Vec<f64>| {
                let p = p.clone();
                axis.values.iter().map(move |x| [&p[..], &[*x]].concat()).collect::<Vec<_>>()
            };
            points.iter().flat_map(further).collect()
        })
    }

    /// How many runs it has.
    pub fn len(&self) -> usize {
        let points = self.axes.iter().fold(1usize, |n, axis| n.saturating_mul(axis.values.len()));
        points.saturating_mul(self.seeds.len())
    }

    /// Whether it has no run.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn covers(&self, other: &Grid) -> bool {
        let values = self.axes.iter().zip(&other.axes).all(|(mine, its)| {
            mine.name == its.name && its.values.iter().all(|x| mine.values.contains(x))
        });
        values && other.seeds.iter().all(|s| self.seeds.binary_search(s).is_ok())
    }

    /// The grid that has the runs of both and no other: they differ in one setting's values, or in seeds.
    fn joined(&self, other: &Grid) -> Option<Grid> {
        let differ: Vec<usize> = (0..self.axes.len())
            .filter(|i| self.axes[*i].values != other.axes[*i].values)
            .collect();
        match (&differ[..], self.seeds == other.seeds) {
            ([], _) => {
                let seeds = [&self.seeds[..], &other.seeds].concat();
                Some(Grid::new(self.axes.clone(), seeds))
            }
            ([i], true) => {
                let mut axes = self.axes.clone();
                axes[*i].values.extend(&other.axes[*i].values);
                Some(Grid::new(axes, self.seeds.clone()))
            }
            _ => None,
        }
    }
}

/// The runs that a folder is for: those of any of its grids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// None covers another; two that are one grid together are one.
    pub grids: Vec<Grid>,
}

impl Wanted {
    /// Adds a grid, and says whether it brought anything new.
    pub fn add(&mut self, grid: &Grid) -> bool {
        if self.grids.iter().any(|g| g.covers(grid)) {
            return false;
        }
        let mut grid = grid.clone();
        loop {
            self.grids.retain(|g| !grid.covers(g));
            let Some(i) = self.grids.iter().position(|g| g.joined(&grid).is_some()) else { break };
            if let Some(whole) = self.grids.remove(i).joined(&grid) {
                grid = whole;
            }
        }
        self.grids.push(grid);
        self.grids.sort_by_cached_key(|g| {
            let first = g.axes.iter().map(|a| a.values.first().map_or(0, |x| rank(*x)));
            (first.collect::<Vec<_>>(), g.seeds.first().copied(), g.len())
        });
        true
    }

    /// Every run, in order.
    pub fn keys(&self) -> Vec<Key> {
        let mut keys: Vec<Key> = Vec::new();
        for grid in &self.grids {
            for point in grid.points() {
                keys.extend(grid.seeds.iter().map(|seed| Key::new(&point, *seed)));
            }
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

/// `1..20`, or `1..3,7`: seeds in order, as `--seeds` reads them.
pub(super) fn seeds_text(seeds: &[u64]) -> String {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &seed in seeds {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(seed) => *last = seed,
            _ => runs.push((seed, seed)),
        }
    }
    let text = |(a, b): &(u64, u64)| if a == b { a.to_string() } else { format!("{a}..{b}") };
    runs.iter().map(text).collect::<Vec<_>>().join(",")
}

/// Axes as an object of lists.
struct Values<'a>(&'a [Axis]);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let list = |a: &Axis| a.values.iter().map(|x| Number(*x)).collect::<Vec<_>>();
        s.collect_map(self.0.iter().map(|axis| (&axis.name, list(axis))))
    }
}

impl Serialize for Grid {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("values", &Values(&self.axes))?;
        m.serialize_entry("seeds", &seeds_text(&self.seeds))?;
        m.end()
    }
}

/// A number that [`Number`] wrote.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value.as_str() {
        None => value.as_f64(),
        Some("inf") => Some(f64::INFINITY),
        Some("-inf") => Some(f64::NEG_INFINITY),
        Some(_) => None,
    }
}

impl Grid {
    /// What was written, for these settings.
    pub(super) fn read(value: &Value, names: &[String]) -> Option<Grid> {
        let axis = |name: &String| {
            let values = value
                .get("values")?
                .get(name)?
                .as_array()?
                .iter()
                .map(number)
                .collect::<Option<_>>()?;
            Some(Axis { name: name.clone(), values })
        };
        let seeds = crate::seeds::parse(value.get("seeds")?.as_str()?).ok()?;
        Some(Grid::new(names.iter().map(axis).collect::<Option<_>>()?, seeds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(thr: &[f64], seeds: std::ops::RangeInclusive<u64>) -> Grid {
        let axis = |name: &str, values: &[f64]| Axis { name: name.into(), values: values.into() };
        Grid::new(vec![axis("thr", thr), axis("load", &[0.5, 0.3])], seeds.collect())
    }

    #[test]
    fn keys_are_in_the_order_of_numbers() {
        let mut wanted = Wanted::default();
        wanted.add(&grid(&[f64::INFINITY, -1.0, 2.0, -0.0], 1..=2));
        let points: Vec<Vec<f64>> = wanted.keys().iter().map(Key::values).collect();
        assert_eq!(points.len(), 16);
        assert_eq!(points[0], [-1.0, 0.3]);
        assert_eq!(points[15], [f64::INFINITY, 0.5]);
        assert_eq!(Key::new(&[-0.0], 1), Key::new(&[0.0], 1));
    }

    #[test]
    fn grids_join_where_the_whole_is_a_grid() {
        let mut wanted = Wanted::default();
        assert!(wanted.add(&grid(&[1.0, 2.0], 1..=5)));
        assert!(!wanted.add(&grid(&[2.0], 2..=3)), "it is wanted already");
        assert!(wanted.add(&grid(&[1.0, 2.0], 6..=9)));
        assert!(wanted.add(&grid(&[3.0], 1..=9)));
        assert_eq!(wanted.grids, [grid(&[1.0, 2.0, 3.0], 1..=9)]);
        assert!(wanted.add(&grid(&[1.0, 4.0], 1..=20)));
        assert_eq!(wanted.grids.len(), 2);
        assert_eq!(wanted.keys().len(), 2 * (2 * 20 + 2 * 9));
        assert!(wanted.add(&grid(&[1.0, 2.0, 3.0, 4.0], 1..=20)));
        assert_eq!(wanted.grids.len(), 1);
    }

    #[test]
    fn what_is_written_is_read() {
        let g = grid(&[0.1 + 0.2, f64::INFINITY, 1e300], 7..=9);
        let text = serde_json::to_string(&g).unwrap();
        let names = ["thr".to_owned(), "load".to_owned()];
        assert_eq!(Grid::read(&serde_json::from_str(&text).unwrap(), &names), Some(g));
        assert_eq!(seeds_text(&[1, 2, 3, 7, 9, 10]), "1..3,7,9..10");
    }
}
