//! Rates where flows are few: all are found anew when one comes or goes. Those that it does not touch come out as they
//! were, in fewer steps than it takes to find out which these are.

use super::{Flows, Share};

/// So few flows.
pub(super) const FEW: usize = 8;
/// Of a flow whose rate is to be found.
const NO_RATE: f64 = -1.0;

impl Flows {
    /// Finds the rates of all flows, and what the links carry from now on.
    #[inline]
    pub(super) fn solve_few(&mut self, now: f64) {
        self.rate_all();
        self.carry_all(now);
    }

    fn rate_all(&mut self) {
        let Self { flows, links, met, .. } = self;
        met.clear();
        for f in flows.iter_mut() {
            f.rate = NO_RATE;
            for &i in f.route.links() {
                let link = &mut links[i as usize];
                if link.open == 0 {
                    link.open = link.flows;
                    link.left = link.capacity;
                    link.part = link.left / f64::from(link.open);
                    link.rate = 0.0;
                    met.push(i);
                }
            }
        }
        match self.share {
            Share::Bottleneck => self.rate_all_by_bottleneck(),
            Share::Maxmin => self.fill_all(),
        }
    }

    fn rate_all_by_bottleneck(&mut self) {
        let Self { flows, links, met, .. } = self;
        for f in flows {
            f.rate = f.route.least(|i| links[i as usize].part);
        }
        for &i in met.iter() {
            links[i as usize].open = 0;
        }
    }

    /// As [`fill`](Flows::fill), of all flows.
    fn fill_all(&mut self) {
        let Self { flows, links, met, .. } = self;
        let mut open = flows.len();
        while open > 0 {
            let mut least = (u32::MAX, f64::INFINITY);
            for &i in met.iter() {
                let link = &links[i as usize];
                if link.open > 0 && (link.part < least.1 || least.0 == u32::MAX) {
                    least = (i, link.part);
                }
            }
            let (full, part) = least;
            if full == u32::MAX {
                return;
            }
            for f in flows.iter_mut() {
                if f.rate == NO_RATE && f.route.some(|i| i == full) {
                    open -= 1;
                    f.rate = part;
                    f.route.links().iter().for_each(|&i| links[i as usize].give(part));
                }
            }
        }
    }

    /// As [`settle`](Flows::settle), after the rates of all flows were found.
    fn carry_all(&mut self, now: f64) {
        let Self { flows, links, met, .. } = self;
        for f in flows.iter() {
            f.route.links().iter().for_each(|&i| links[i as usize].rate += f.rate);
        }
        for &i in met.iter() {
            let link = &mut links[i as usize];
            link.load = link.rate / link.capacity;
            link.carried.set(now, link.load);
        }
    }
}
