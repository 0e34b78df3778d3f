//! Time average of a piecewise constant signal over the measured time.

/// Integral of a piecewise constant signal, clipped to `[warmup, …)`.
///
/// Times must not decrease. Before the first [`set`](TimeAverage::set) the signal is 0.
#[derive(Clone, Debug)]
pub struct TimeAverage {
    /// Up to where `area` is accounted for; `warmup` until the clock has passed it.
    from: f64,
    value: f64,
    area: f64,
    warmup: f64,
}

impl TimeAverage {
    /// A signal that is 0 at first; `warmup` in seconds.
    pub fn new(warmup: f64) -> Self {
        Self { from: warmup, value: 0.0, area: 0.0, warmup }
    }

    /// The signal is `value` from time `now` on.
    #[inline]
    pub fn set(&mut self, now: f64, value: f64) {
        let span = now - self.from;
        // An infinite value held for no time adds nothing.
        if span > 0.0 {
            self.area += self.value * span;
            self.from = now;
        }
        self.value = value;
    }

    /// The signal changes by `delta` at time `now`.
    #[inline]
    pub fn add(&mut self, now: f64, delta: f64) {
        self.set(now, self.value + delta);
    }

    /// A signal that is always finite changes by `delta` at time `now`.
    #[inline]
    pub fn step(&mut self, now: f64, delta: f64) {
        self.pass(now);
        self.value += delta;
    }

    /// A signal that is always finite has been what it is until `now`.
    #[inline]
    pub fn pass(&mut self, now: f64) {
        // A finite value held for no time adds 0, so nothing has to be asked.
        let until = if now > self.from { now } else { self.from };
        self.area += self.value * (until - self.from);
        self.from = until;
    }

    /// The signal's present value.
    #[inline]
    pub fn value(&self) -> f64 {
        self.value
    }

    /// When it was last set, if that is after the warm-up; the warm-up's end otherwise.
    pub fn changed(&self) -> f64 {
        self.from
    }

    /// Average over `[warmup, end]`; 0 when that is empty.
    pub fn mean(&self, end: f64) -> f64 {
        let measured = end - self.warmup;
        if measured > 0.0 { (self.area + self.piece(end)) / measured } else { 0.0 }
    }

    /// What the present value adds until `now`.
    fn piece(&self, now: f64) -> f64 {
        let span = now - self.from;
        if span > 0.0 { self.value * span } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::TimeAverage;

    #[test]
    fn counts_from_the_warmup_to_the_end() {
        let mut a = TimeAverage::new(10.0);
        a.set(0.0, 4.0);
        a.set(12.0, 1.0);
        a.add(16.0, 2.0);
        assert_eq!(a.value(), 3.0);
        assert_eq!(a.mean(20.0), (2.0 * 4.0 + 4.0 * 1.0 + 4.0 * 3.0) / 10.0);
        assert_eq!(a.mean(20.0), a.mean(20.0), "asking changes nothing");
    }

    #[test]
    fn an_infinite_value_of_no_duration_leaves_no_trace() {
        let mut a = TimeAverage::new(0.0);
        a.set(1.0, f64::INFINITY);
        a.set(1.0, 2.0);
        assert_eq!(a.mean(2.0), 1.0);
    }

    #[test]
    fn a_step_is_a_change_of_a_finite_signal() {
        let (mut steps, mut changes) = (TimeAverage::new(3.0), TimeAverage::new(3.0));
        for (i, time) in [0.0, 1.0, 1.0, 3.5, 4.1, 4.1, 9.7].into_iter().enumerate() {
            let delta = if i % 3 == 0 { 2.0 } else { -1.0 };
            steps.step(time, delta);
            changes.add(time, delta);
            assert_eq!((steps.value(), steps.changed()), (changes.value(), changes.changed()));
            assert_eq!(steps.mean(12.0).to_bits(), changes.mean(12.0).to_bits());
        }
    }

    #[test]
    fn nothing_is_measured_before_the_warmup() {
        let mut a = TimeAverage::new(5.0);
        a.set(1.0, 7.0);
        assert_eq!(a.mean(4.0), 0.0);
        assert_eq!(a.mean(5.0), 0.0);
    }
}
