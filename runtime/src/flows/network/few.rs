//! Rates where flows are few: all are found anew when one comes or goes. Those that it does not touch come out as they
//! were, in fewer steps than it takes to find out which these are.

use super::{Flows, Share};

/// So few flows.
pub(super) const FEW: usize = 8;

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
        for f in flows.iter() {
            f.route.each(|i| {
                let link = &mut links[i as usize];
                if link.open == 0 {
                    link.open = link.flows;
                    link.left = link.capacity;
                    link.part = link.left / f64::from(link.open);
                    link.rate = 0.0;
                    met.push(i);
                }
            });
        }
        match self.share {
            Share::Bottleneck => self.rate_all_by_bottleneck(),
            Share::Maxmin => self.fill_all(),
        }
    }

    fn rate_all_by_bottleneck(&mut self) {
        let Self { flows, links, .. } = self;
        for f in flows {
            f.rate = f.route.least(|i| links[i as usize].part);
        }
    }

    /// As [`fill`](Flows::fill), of all flows.
    fn fill_all(&mut self) {
        let Self { flows, links, met, .. } = self;
        // A bit for each flow that has no rate yet.
        let mut open = (1u32 << flows.len()) - 1;
        loop {
            let mut least = (u32::MAX, f64::INFINITY);
            for &i in met.iter() {
                let link = &links[i as usize];
                if link.open > 0 && (link.part < least.1 || least.0 == u32::MAX) {
                    least = (i, link.part);
                }
            }
            let (full, part) = least;
            let mut ends = 0;
            for (at, f) in flows.iter_mut().enumerate() {
                if open >> at & 1 != 0 && f.route.some(|i| i == full) {
                    f.rate = part;
                    ends |= 1 << at;
                }
            }
            open &= !ends;
            // Mostly at once: nobody asks what is left then.
            if open == 0 || ends == 0 {
                return;
            }
            links[full as usize].open = 0;
            for (at, f) in flows.iter().enumerate() {
                if ends >> at & 1 != 0 {
                    f.route.each(|i| {
                        if i != full {
                            links[i as usize].give(part);
                        }
                    });
                }
            }
        }
    }

    /// As [`settle`](Flows::settle), after the rates of all flows were found.
    fn carry_all(&mut self, now: f64) {
        let Self { flows, links, met, .. } = self;
        for f in flows.iter() {
            f.route.each(|i| links[i as usize].rate += f.rate);
        }
        for &i in met.iter() {
            let link = &mut links[i as usize];
            link.open = 0;
            link.load = link.rate / link.capacity;
            link.carried.set(now, link.load);
        }
    }
}
