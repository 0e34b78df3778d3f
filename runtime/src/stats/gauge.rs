//! One `gauge` of a program: a signal read at the end of every instant.
//!
//! The average, the interval over 20 equal windows of the measured time, and the least and greatest
//! value held for a positive time. When samples are kept, also every change.
//!
//! The run may end before its horizon, so the windows are not known beforehand: the integral is
//! noted at equally spaced times, at most [`ROOM`] of them; when these run out, every second is
//! forgotten. The 20 windows' integrals are read off at the end. A run that ends at its horizon has
//! marks exactly at its windows' ends.

use super::batch::{BATCHES, BatchMeans, FINEST, with_finer};
use crate::rare::rarely;
use crate::{kernel::whole::float, report::GaugeRow, settings::Settings};

/// Most marks kept.
const ROOM: usize = 128 * BATCHES;
/// Marks per window of a run that ends at its horizon.
const PER_WINDOW: f64 = 64.0;

/// Windows that tell how the 20 correlate.
const FINE: usize = FINEST * BATCHES;

/// A piecewise constant signal.
#[derive(Clone, Debug)]
pub struct GaugeSignal {
    warmup: f64,
    /// The value that stands; NaN before the first reading.
    value: f64,
    started: bool,
    /// Up to where it is accounted for: `warmup` until the clock has passed it, infinite before the first reading.
    from: f64,
    area: f64,
    /// Value, `from` and area before the change at `from`. A value that goes and comes back at one time was never
    /// gone: it is accounted for in one piece, whatever else happened at that time and in which order.
    before: (f64, f64, f64),
    least: f64,
    greatest: f64,
    /// `marks[i]` is the integral from the warm-up to `warmup + (i + 1) width`.
    marks: Vec<f64>,
    width: f64,
    next_mark: f64,
    /// Changes from this time on need more than their area: `next_mark`; always until time is measured, where points
    /// are kept, and when it was infinite.
    careful: f64,
    points: Option<Vec<(f64, f64)>>,
}

impl GaugeSignal {
    /// Nothing read yet.
    pub fn new(settings: &Settings) -> Self {
        let measured = settings.horizon - settings.warmup;
        // With a number of arrivals the run may end at any fraction of its horizon.
        let fine = 1.0 / (1u64 << 40) as f64;
        let width = match (measured.is_finite(), settings.arrivals) {
            (true, None) => measured / (PER_WINDOW * BATCHES as f64),
            (true, Some(_)) => measured / (PER_WINDOW * BATCHES as f64) * fine,
            (false, _) => fine,
        };
        let next_mark = if width > 0.0 { settings.warmup + width } else { f64::INFINITY };
        Self {
            warmup: settings.warmup,
            value: f64::NAN,
            started: false,
            from: f64::INFINITY,
            area: 0.0,
            before: (f64::NAN, f64::NAN, f64::NAN),
            least: f64::INFINITY,
            greatest: f64::NEG_INFINITY,
            marks: Vec::new(),
            width,
            next_mark,
            careful: f64::NEG_INFINITY,
            points: settings.samples.then(Vec::new),
        }
    }

    /// The gauge reads `value` at time `now`. A second reading at one time replaces the first; the
    /// first of all stands from time 0.
    #[expect(clippy::neg_cmp_op_on_partial_ord, reason = "a value that is NaN was not held before")]
    #[inline]
    pub fn set(&mut self, now: f64, value: f64) {
        if value == self.value {
            return;
        }
        // One after the other, as the compiler works out all three together otherwise, which takes longer.
        if !(self.least <= self.value) {
            return self.set_carefully(now, value);
        }
        if now >= self.careful {
            return self.set_after_marks(now, value);
        }
        if self.value > self.greatest {
            return self.set_carefully(now, value);
        }
        if rarely(now <= self.from) {
            return self.set_again(value);
        }
        self.pass(now);
        self.value = value;
    }

    /// A value replaces another that was set at the same time, or before time is measured.
    #[cold]
    #[inline(never)]
    fn set_again(&mut self, value: f64) {
        self.value = value;
        if value == self.before.0 {
            (_, self.from, self.area) = self.before;
        }
    }

    /// The value was held until `now`.
    #[inline]
    fn pass(&mut self, now: f64) {
        self.before = (self.value, self.from, self.area);
        self.area += self.value * (now - self.from);
        self.from = now;
    }

    /// Where there may be marks since the last change.
    #[cold]
    fn set_after_marks(&mut self, now: f64, value: f64) {
        if self.careful != self.next_mark || !self.value.is_finite() {
            return self.set_carefully(now, value);
        }
        // The value was held: it was set before the mark.
        self.account(now);
        self.value = value;
        self.careful = self.next_mark;
    }

    #[cold]
    fn set_carefully(&mut self, now: f64, value: f64) {
        if now > self.from {
            self.account(now);
            self.value = value;
        } else if now == self.from {
            self.set_again(value);
        } else {
            self.value = value;
        }
        if !self.started {
            self.started = true;
            self.from = self.warmup;
        }
        if self.points.is_some() {
            self.keep_point(now);
        }
        let finite = self.least > f64::NEG_INFINITY && self.greatest < f64::INFINITY;
        let measured = now >= self.from;
        self.careful = match self.points.is_none() && finite && measured {
            true => self.next_mark,
            false => f64::NEG_INFINITY,
        };
    }

    /// The row of the report for a run that ended at `end`.
    pub fn row(&self, name: &str, end: f64) -> GaugeRow {
        let mut done = self.clone();
        if end > done.from {
            done.account(end);
        }
        let measured = end - self.warmup;
        let batches = (self.started && measured > 0.0).then(|| match &self.points {
            Some(points) => with_finer(
                &windows_of_points::<BATCHES>(points, self.warmup, end),
                &windows_of_points::<FINE>(points, self.warmup, end),
            ),
            None => with_finer(&done.windows::<BATCHES>(end), &done.windows::<FINE>(end)),
        });
        let batches = batches.flatten();
        self.finish(name, done, measured, batches)
    }

    /// Averages over so many equal windows of the measured time of a run that ended at `end`; none without
    /// a reading.
    pub fn over(&self, windows: usize, end: f64) -> Vec<f64> {
        let mut done = self.clone();
        if end > done.from {
            done.account(end);
        }
        let measured = end - self.warmup;
        if !self.started || measured <= 0.0 || !done.area.is_finite() {
            return Vec::new();
        }
        let window = measured / windows as f64;
        let ends = (0..=windows).map(|i| match i {
            i if i == windows => done.area,
            i => done.integral_at(i as f64 * window, measured),
        });
        let ends: Vec<f64> = ends.collect();
        ends.windows(2).map(|two| (two[1] - two[0]) / window).collect()
    }

    fn finish(
        &self,
        name: &str,
        done: GaugeSignal,
        measured: f64,
        batches: Option<BatchMeans>,
    ) -> GaugeRow {
        let finite = |x: f64| Some(x).filter(|x| x.is_finite());
        GaugeRow {
            name: name.to_owned(),
            mean: if self.started && measured > 0.0 { finite(done.area / measured) } else { None },
            ci: batches.map(|b| b.half_width),
            min: finite(done.least),
            max: finite(done.greatest),
            points: done.points,
            correlation: batches.map(|b| b.correlation),
        }
    }

    /// Accounts for the present value until `now`, later than what is accounted for.
    fn account(&mut self, now: f64) {
        if now >= self.next_mark {
            self.mark_until(now);
        }
        // The value was held. These leave out NaN.
        if self.value < self.least {
            self.least = self.value;
        }
        if self.value > self.greatest {
            self.greatest = self.value;
        }
        if now > self.from {
            self.pass(now);
        } else {
            self.before = (self.value, self.from, self.area);
        }
    }

    /// Notes the integral at every mark up to `now`.
    #[inline]
    fn mark_until(&mut self, now: f64) {
        while self.next_mark <= now {
            if self.next_mark > self.from {
                self.area += self.value * (self.next_mark - self.from);
                self.from = self.next_mark;
            }
            self.marks.push(self.area);
            if self.marks.len() == ROOM {
                self.forget_every_second();
            }
            self.next_mark = self.warmup + float(self.marks.len() as u64 + 1) * self.width;
        }
    }

    #[cold]
    #[inline(never)]
    fn forget_every_second(&mut self) {
        self.marks = self.marks.chunks_exact(2).map(|pair| pair[1]).collect();
        self.width *= 2.0;
    }

    /// Averages over N equal windows of `[warmup, end]`; everything is accounted for until `end`.
    fn windows<const N: usize>(&self, end: f64) -> [f64; N] {
        let measured = end - self.warmup;
        let window = measured / N as f64;
        let integral = |i: usize| {
            if i == N { self.area } else { self.integral_at(i as f64 * window, measured) }
        };
        std::array::from_fn(|i| (integral(i + 1) - integral(i)) / window)
    }

    /// The integral over `span` seconds from the warm-up, linear between marks.
    fn integral_at(&self, span: f64, measured: f64) -> f64 {
        let at = |k: usize| match k {
            0 => (0.0, 0.0),
            k if k <= self.marks.len() => (k as f64 * self.width, self.marks[k - 1]),
            _ => (measured, self.area),
        };
        let k = ((span / self.width) as usize).min(self.marks.len());
        let ((t0, a0), (t1, a1)) = (at(k), at(k + 1));
        if span > t0 && t1 > t0 { a0 + (a1 - a0) * ((span - t0) / (t1 - t0)) } else { a0 }
    }

    /// Keeps changes only: equal neighbours are one point.
    fn keep_point(&mut self, now: f64) {
        let Some(points) = &mut self.points else {
            return;
        };
        match points.last_mut() {
            None => points.push((0.0, self.value)),
            Some(last) if last.0 == now => last.1 = self.value,
            Some(last) if last.1 == self.value => {}
            Some(_) => points.push((now, self.value)),
        }
        while let [.., before, last] = points[..] {
            if before.1 != last.1 {
                break;
            }
            points.pop();
        }
    }
}

/// Averages over N equal windows of `[warmup, end]`, from every change.
fn windows_of_points<const N: usize>(points: &[(f64, f64)], warmup: f64, end: f64) -> [f64; N] {
    let window = (end - warmup) / N as f64;
    let mut areas = [0.0; N];
    for (i, &(start, value)) in points.iter().enumerate() {
        let stop = points.get(i + 1).map_or(end, |p| p.0).min(end);
        let start = start.max(warmup);
        if stop <= start {
            continue;
        }
        let first = (((start - warmup) / window) as usize).saturating_sub(1);
        for (k, area) in areas.iter_mut().enumerate().skip(first) {
            let (low, high) = (warmup + k as f64 * window, warmup + (k + 1) as f64 * window);
            if low >= stop {
                break;
            }
            if stop.min(high) > start.max(low) {
                *area += value * (stop.min(high) - start.max(low));
            }
        }
    }
    areas.map(|a| a / window)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(warmup: f64, horizon: f64, arrivals: Option<u64>, samples: bool) -> Settings {
        Settings {
            seed: 1,
            horizon,
            warmup,
            arrivals,
            samples,
            strict: false,
            trace: None,
            plain_engine: false,
            look: Default::default(),
        }
    }

    /// A signal that changes often and irregularly.
    fn drive(s: &Settings, end: f64) -> GaugeRow {
        let mut g = GaugeSignal::new(s);
        let mut t = 0.0;
        let mut i = 0u64;
        while t <= end {
            g.set(t, (i * 37 % 11) as f64);
            i += 1;
            t += 0.01 * (1 + i * 13 % 7) as f64;
        }
        g.row("g", end)
    }

    fn close(a: Option<f64>, b: Option<f64>, tolerance: f64) -> bool {
        matches!((a, b), (Some(a), Some(b)) if (a - b).abs() <= tolerance * b.abs())
    }

    #[test]
    fn mean_least_and_greatest_are_of_values_held_after_the_warmup() {
        let mut g = GaugeSignal::new(&settings(10.0, 20.0, None, true));
        for (t, v) in [(0.0, 99.0), (10.0, 2.0), (12.0, -50.0), (12.0, 4.0), (20.0, 77.0)] {
            g.set(t, v);
        }
        let r = g.row("g", 20.0);
        assert_eq!(
            (r.mean, r.min, r.max),
            (Some((2.0 * 2.0 + 8.0 * 4.0) / 10.0), Some(2.0), Some(4.0))
        );
        assert_eq!(r.points.unwrap(), [(0.0, 99.0), (10.0, 2.0), (12.0, 4.0), (20.0, 77.0)]);
    }

    #[test]
    fn points_replace_at_one_time_and_merge_with_equal_neighbours() {
        let mut g = GaugeSignal::new(&settings(0.0, 20.0, None, true));
        for (t, v) in [(0.0, 1.0), (1.0, 1.0), (2.0, 5.0), (2.0, 1.0), (3.0, 2.0), (4.0, 2.0)] {
            g.set(t, v);
        }
        assert_eq!(g.row("g", 20.0).points.unwrap(), [(0.0, 1.0), (3.0, 2.0)]);
        let mut late = GaugeSignal::new(&settings(0.0, 20.0, None, true));
        late.set(4.0, 3.0);
        assert_eq!(late.row("g", 20.0).points.unwrap(), [(0.0, 3.0)]);
        assert_eq!(late.row("g", 20.0).mean, Some(3.0), "the first stands from 0");
    }

    /// All that is read of a gauge whose value goes to others at some times and comes back at once, or does not.
    fn there_and_back(s: &Settings, others: &[f64]) -> String {
        let mut g = GaugeSignal::new(s);
        let mut t = 0.0;
        let mut value = 7.0;
        for i in 0..5000u64 {
            if i % 3 == 0 {
                value = (i * 37 % 11) as f64 / 3.0;
            }
            let there = if i % 3 == 1 { others } else { &[] };
            for x in there.iter().chain([&value]) {
                g.set(t, *x);
            }
            // Some of these times are those of marks.
            t += if i % 2 == 0 { 1.0 / 64.0 } else { 0.1 * (1 + i % 7) as f64 };
        }
        format!("{:?} {:?}", g.row("g", t), g.over(9, t))
    }

    #[test]
    fn a_value_that_comes_back_at_once_was_never_gone() {
        for samples in [false, true] {
            for (warmup, horizon) in [(0.0, 4000.0), (100.0, 1060.0), (64.0, 1e9)] {
                let s = settings(warmup, horizon, None, samples);
                let never = there_and_back(&s, &[]);
                for others in
                    [&[3.0][..], &[-80.0], &[1.0, 2.0, 1e6], &[f64::INFINITY], &[f64::NAN, 2.0]]
                {
                    assert_eq!(there_and_back(&s, others), never, "{warmup} {others:?} {samples}");
                }
            }
        }
    }

    #[test]
    fn averages_over_windows_add_up_to_the_whole() {
        let mut g = GaugeSignal::new(&settings(10.0, 20.0, None, false));
        for (t, v) in [(0.0, 9.0), (12.5, 1.0), (17.5, 3.0)] {
            g.set(t, v);
        }
        assert_eq!(g.over(4, 20.0), [9.0, 1.0, 1.0, 3.0]);
        assert_eq!(g.over(2, 20.0), [5.0, 2.0]);
        assert!(GaugeSignal::new(&settings(0.0, 1.0, None, false)).over(4, 1.0).is_empty());
    }

    #[test]
    fn windows_without_points_are_those_with_points() {
        let (with, without) = (
            drive(&settings(3.0, 40.0, None, true), 40.0),
            drive(&settings(3.0, 40.0, None, false), 40.0),
        );
        assert!(close(without.mean, with.mean, 1e-12) && close(without.ci, with.ci, 1e-9));
        assert_eq!((without.min, without.max), (with.min, with.max));
    }

    #[test]
    fn windows_are_near_when_the_end_was_not_known() {
        for (horizon, end) in [(40.0, 40.0), (1e9, 40.0), (f64::INFINITY, 40.0), (1e6, 17.3)] {
            let with = drive(&settings(3.0, horizon, Some(5), true), end);
            let without = drive(&settings(3.0, horizon, Some(5), false), end);
            assert!(close(without.mean, with.mean, 1e-9), "{horizon} {end}");
            assert!(
                close(without.ci, with.ci, 0.1),
                "{horizon} {end}: {:?} {:?}",
                without.ci,
                with.ci
            );
        }
    }

    #[test]
    fn a_constant_has_an_interval_of_nothing() {
        let mut g = GaugeSignal::new(&settings(0.0, 20.0, None, false));
        g.set(0.0, 3.0);
        let r = g.row("g", 20.0);
        assert_eq!((r.mean, r.min, r.max), (Some(3.0), Some(3.0), Some(3.0)));
        assert!(r.ci.unwrap() < 1e-12);
    }

    #[test]
    fn what_is_not_held_leaves_no_trace() {
        // Each value at a time of its own, and with others at the same time before and after it.
        let values = [3.0, 4.0, 7.0, 1.0, -2.0, 7.0, 3.0, 0.5, 9.0, 3.0];
        let times = [0.0, 4.0, 5.0, 5.0, 6.0, 9.0, 9.0, 12.0, 13.0, 14.0];
        let (mut alone, mut among) = (
            GaugeSignal::new(&settings(5.0, 20.0, None, false)),
            GaugeSignal::new(&settings(5.0, 20.0, None, false)),
        );
        for (i, (&time, &value)) in times.iter().zip(&values).enumerate() {
            let last = times.get(i + 1) != Some(&time);
            if last {
                alone.set(time, value);
            }
            for other in [f64::INFINITY, 1e9, -1e9, value] {
                among.set(time, other);
            }
        }
        let (alone, among) = (alone.row("g", 20.0), among.row("g", 20.0));
        assert_eq!((alone.mean, alone.ci), (among.mean, among.ci));
        assert_eq!((alone.min, alone.max), (Some(-2.0), Some(9.0)));
        assert_eq!((among.min, among.max), (Some(-2.0), Some(9.0)));
    }

    #[test]
    fn infinite_values_give_no_mean() {
        let mut g = GaugeSignal::new(&settings(0.0, 20.0, None, false));
        g.set(0.0, 3.0);
        g.set(5.0, f64::INFINITY);
        g.set(6.0, 1.0);
        let r = g.row("g", 20.0);
        assert_eq!((r.mean, r.ci, r.min, r.max), (None, None, Some(1.0), None));
    }
}
