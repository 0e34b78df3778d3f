//! Time average of a piecewise constant signal over the measured time.

/// Integral of a piecewise constant signal from [`begin_measuring`](TimeAverage::begin_measuring) on.
///
/// Times must not decrease. Before the first [`set`](TimeAverage::set) the signal is 0.
#[derive(Clone, Debug)]
pub struct TimeAverage {
    /// Up to where `area` is accounted for.
    from: f64,
    value: f64,
    area: f64,
    warmup: f64,
}

impl TimeAverage {
    /// A signal that is 0 at first; `warmup` in seconds.
    pub fn new(warmup: f64) -> Self {
        Self { from: 0.0, value: 0.0, area: 0.0, warmup }
    }

    /// The warm-up ends before the next change: the integral begins with it. So nobody has to ask at a change whether
    /// the warm-up is over.
    pub fn begin_measuring(&mut self) {
        (self.from, self.area) = (self.warmup, 0.0);
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

    /// The signal, which was 0, is `value` from time `now` on.
    #[inline]
    pub fn set_first(&mut self, now: f64, value: f64) {
        debug_assert!(self.value == 0.0);
        (self.from, self.value) = (now, value);
    }

    /// A signal that is always finite is `value` from time `now` on.
    #[inline]
    pub fn set_finite(&mut self, now: f64, value: f64) {
        self.pass(now);
        self.value = value;
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
        self.area += self.value * (now - self.from);
        self.from = now;
    }

    /// The signal's present value.
    #[inline]
    pub fn value(&self) -> f64 {
        self.value
    }

    /// When it was last set, if that is after the warm-up; the warm-up's end otherwise, once that is over.
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
        a.set(0.0, 7.0);
        a.set(2.0, 4.0);
        a.begin_measuring();
        a.set(12.0, 1.0);
        a.set(16.0, 3.0);
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
        let mut signals = [(); 3].map(|()| TimeAverage::new(3.0));
        for (i, time) in [0.0, 1.0, 1.0, 3.5, 4.1, 4.1, 9.7].into_iter().enumerate() {
            if time == 3.5 {
                signals.iter_mut().for_each(TimeAverage::begin_measuring);
            }
            let [steps, changes, finite] = &mut signals;
            let delta = if i % 3 == 0 { 2.0 } else { -1.0 };
            steps.step(time, delta);
            changes.set(time, changes.value() + delta);
            finite.set_finite(time, finite.value() + delta);
            for other in [changes, finite] {
                assert_eq!((steps.value(), steps.changed()), (other.value(), other.changed()));
                assert_eq!(steps.mean(12.0).to_bits(), other.mean(12.0).to_bits());
            }
        }
    }

    #[test]
    fn what_was_nothing_adds_nothing() {
        let (mut first, mut any) = (TimeAverage::new(3.0), TimeAverage::new(3.0));
        for (i, time) in [1.0, 2.5, 3.7, 5.1, 5.1, 7.3].into_iter().enumerate() {
            let value = if i % 2 == 0 { 0.7 } else { 0.0 };
            any.set(time, value);
            if i % 2 == 0 {
                first.set_first(time, value);
            } else {
                first.set(time, value);
            }
            assert_eq!((first.value(), first.changed()), (any.value(), any.changed()));
            assert_eq!(first.mean(9.1).to_bits(), any.mean(9.1).to_bits());
        }
    }

    #[test]
    fn nothing_is_measured_before_the_warmup() {
        let mut a = TimeAverage::new(5.0);
        a.set(1.0, 7.0);
        a.set(3.0, 9.0);
        assert_eq!(a.mean(4.0), 0.0);
        assert_eq!(a.mean(5.0), 0.0);
        a.begin_measuring();
        assert_eq!((a.mean(5.0), a.mean(8.0)), (0.0, 9.0));
    }
}
