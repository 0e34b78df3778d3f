//! What a program observes, and its gauges' values.

use super::Kernel;
use crate::world::Sid;

impl Kernel {
    /// Session `s` observes `value` under observation `i`.
    pub fn observe(&mut self, i: usize, s: Sid, value: f64) {
        let Self { observations, sessions, .. } = self;
        // There is one for each in the program.
        debug_assert!(i < observations.len());
        let Some(observation) = observations.get_mut(i) else { return };
        observation.add_by(self.now, value, move || {
            let c = &sessions[s as usize];
            (c.serial, c.b.turn_no as u32)
        });
    }

    /// Gauge `i` has this value from now on.
    #[inline]
    pub fn set_gauge(&mut self, i: usize, value: f64) {
        self.set_gauges(i, [value]);
    }

    /// Gauges from number `first` on have these values from now on.
    #[inline]
    pub fn set_gauges<const N: usize>(&mut self, first: usize, values: [f64; N]) {
        let Self { gauges, now, .. } = self;
        let signals = gauges.get_mut(first..).and_then(|from| from.first_chunk_mut::<N>());
        // There is one for each in the program.
        debug_assert!(signals.is_some());
        let Some(signals) = signals else { return };
        for i in 0..N {
            signals[i].set(*now, values[i]);
        }
    }
}
