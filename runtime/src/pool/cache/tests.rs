//! What is owed is paid late: the same comes of it as when every eviction is made at once.

use super::*;
use crate::settings::Settings;

const BLOCK: f64 = 16.0;
const SESSIONS: u32 = 6;

/// A pool whose evictions are made at once: entries of a session, with their units, the oldest first.
#[derive(Default)]
struct Plain {
    entries: Vec<(Sid, f64, bool)>,
    evicted: (u64, f64),
}

impl Plain {
    fn own(&self, s: Sid) -> Option<usize> {
        self.entries.iter().position(|e| e.0 == s && e.2)
    }

    fn units(&self, s: Sid) -> f64 {
        self.own(s).map_or(0.0, |at| self.entries[at].1)
    }

    fn cached(&self) -> f64 {
        self.entries.iter().map(|e| e.1).sum()
    }

    fn evict(&mut self, mut units: f64) {
        self.evicted.1 += units;
        while units > 0.0 {
            let gone = units.min(self.entries[0].1);
            self.entries[0].1 -= gone;
            units -= gone;
            if self.entries[0].1 == 0.0 {
                self.entries.remove(0);
                self.evicted.0 += 1;
            }
        }
    }

    fn consume(&mut self, s: Sid, most: f64) -> f64 {
        let Some(at) = self.own(s) else { return 0.0 };
        let taken = self.entries[at].1.min(most);
        self.entries[at].1 -= taken;
        self.entries[at].2 = false;
        self.entries.retain(|e| e.1 > 0.0);
        taken
    }

    fn store(&mut self, s: Sid, units: f64) {
        if let Some(at) = self.own(s) {
            self.entries.remove(at);
        }
        self.entries.push((s, units, true));
    }
}

fn settings() -> Settings {
    Settings {
        seed: 1,
        horizon: 1.0,
        warmup: 0.0,
        arrivals: None,
        samples: false,
        strict: false,
        trace: None,
        plain_engine: false,
        look: Default::default(),
    }
}

fn same(capacity: f64) {
    let settings = settings();
    let (mut k, mut p) =
        (Kernel::new(&settings, None), Pool::<()>::new(capacity, BLOCK, &settings));
    (0..SESSIONS).for_each(|_| _ = k.open_leg(0, 0, 0));
    let mut plain = Plain::default();
    let mut x = 7_u32;
    let mut random = |n: u32| {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (x >> 12) % n
    };
    for _ in 0..20_000 {
        let (s, units) = (random(SESSIONS), BLOCK * f64::from(1 + random(4)));
        match random(5) {
            0 if p.used + p.cached + units <= p.cap => {
                p.store_own(&mut k, s, units);
                plain.store(s, units);
            }
            1 => {
                let most = if random(2) == 0 { f64::INFINITY } else { units };
                let taken = p.consume(&mut k, Reuse { owner: s, most });
                assert_eq!(taken, plain.consume(s, most));
            }
            2 if p.used + units <= p.cap => {
                p.used += units;
                let over = p.used + p.cached - p.cap;
                assert_eq!(p.short(0.0), over > 0.0);
                if over > 0.0 {
                    assert!(p.evict_later(0.0));
                    plain.evict((over / BLOCK).ceil() * BLOCK);
                }
            }
            3 if p.used >= units => p.used -= units,
            _ => assert_eq!(p.own_units(&mut k, s), plain.units(s)),
        }
        assert_eq!(p.cached, plain.cached());
    }
    p.settle(&mut k);
    assert_eq!((p.counts.evicted_entries, p.counts.evicted_units), plain.evicted);
    assert!(plain.evicted.0 > 100, "{:?}", plain.evicted);
}

#[test]
fn late_evictions_are_those_made_at_once() {
    same(40.0 * BLOCK);
    // The last block of the capacity is not whole.
    same(30.0 * BLOCK + 5.0);
}
