//! What is kept against loops over all members, after random changes.

use super::{KeptOf, KeptSpec, KeptTable, total::Total, tournament::Tournament};
use crate::{
    rng::{Stream, StreamKind},
    world::less,
};

/// A value of few, so that equal ones are frequent; signed zeros, infinities and, if asked for, NaN.
fn value(rng: &mut Stream, with_nan: bool) -> f64 {
    match (rng.uniform(0.0, 16.0)) as u32 {
        0..4 => 0.0,
        4 => -0.0,
        5 => f64::INFINITY,
        6 => f64::NEG_INFINITY,
        7 if with_nan => f64::NAN,
        8 => rng.uniform(-1.0, 1.0),
        n => f64::from(n) / 10.0,
    }
}

fn member(rng: &mut Stream, members: usize) -> usize {
    rng.uniform(0.0, members as f64) as usize
}

/// As the emitted loop chooses.
fn first<const N: usize>(all: &[[f64; N]]) -> usize {
    let (mut best, mut least) = (0, [0.0; N]);
    for (i, keys) in all.iter().enumerate() {
        if i == 0 || less(keys, &least) {
            (best, least) = (i, *keys);
        }
    }
    best
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

const SIZES: [usize; 9] = [1, 2, 3, 16, 63, 64, 65, 100, 200];

#[test]
fn the_winner_is_who_a_loop_would_choose() {
    let mut rng = Stream::new(1, StreamKind::Machine, 0, 0);
    for members in SIZES {
        let mut all = vec![[f64::INFINITY; 2]; members];
        let mut tree = Tournament::<2>::new(members);
        for step in 0..2_000 {
            let least = tree.least().map(f64::to_bits);
            assert_eq!(least, all[first(&all)].map(f64::to_bits), "{members} members, step {step}");
            assert_eq!(tree.first(), first(&all), "{members} members, step {step}");
            let (i, keys) =
                (member(&mut rng, members), [value(&mut rng, false), value(&mut rng, false)]);
            all[i] = keys;
            tree.set(i, keys);
        }
    }
}

#[test]
fn a_sum_is_that_of_all_values_in_their_order() {
    let mut rng = Stream::new(2, StreamKind::Machine, 0, 0);
    for members in SIZES {
        let mut all = vec![0.0; members];
        let mut total = Total::new(members);
        for step in 0..2_000 {
            // Several changes between readings; infinities leave again.
            for _ in 0..1 + step % 3 {
                let i = member(&mut rng, members);
                let x = if step % 50 < 5 { value(&mut rng, true) } else { rng.uniform(-1.0, 1.0) };
                let x = if step % 50 == 5 { 0.0 } else { x };
                all[i] = x;
                total.set(i, x);
            }
            if step % 50 == 5 {
                all.fill(0.0);
                (0..members).for_each(|i| total.set(i, 0.0));
            }
            let mut sum = 0.0;
            all.iter().for_each(|x| sum += x);
            assert!(same(total.value(), sum), "{members} members, step {step}");
        }
    }
}

#[test]
fn a_table_says_what_loops_say() {
    let mut rng = Stream::new(3, StreamKind::Machine, 0, 0);
    let spec = KeptSpec { of: KeptOf::Pool(0), keys: 1, least: true, greatest: true, total: true };
    for (members, with_nan) in SIZES.into_iter().flat_map(|n| [(n, false), (n, true)]) {
        let mut all: Vec<f64> = (0..members).map(|_| value(&mut rng, with_nan)).collect();
        let mut table = KeptTable::new(&spec, members);
        all.iter().enumerate().for_each(|(i, x)| table.put(i, [*x]));
        for step in 0..2_000 {
            let (mut greatest, mut least, mut sum) = (f64::NEG_INFINITY, f64::INFINITY, 0.0);
            for &x in &all {
                if x > greatest {
                    greatest = x;
                }
                if x < least {
                    least = x;
                }
                sum += x;
            }
            assert!(same(table.greatest(), greatest), "{members} members, step {step}");
            assert!(same(table.least(), least), "{members} members, step {step}");
            assert!(same(table.total(), sum), "{members} members, step {step}");
            let keys: Vec<[f64; 1]> = all.iter().map(|x| [*x]).collect();
            let ordered = !all.iter().any(|x| x.is_nan());
            assert_eq!(table.first(), ordered.then(|| first(&keys)), "{members} members");
            let (i, x) = (member(&mut rng, members), value(&mut rng, with_nan));
            all[i] = x;
            table.put(i, [x]);
        }
    }
}

#[test]
fn all_members_are_read_first() {
    for members in SIZES {
        let marked: u32 = super::all(members).iter().map(|word| word.count_ones()).sum();
        assert_eq!(marked as usize, members);
    }
}
