//! What iterations report: shares of time by their kind, and means over iterations.
//!
//! Iterations that follow one another without a gap and are alike count as one stretch, so that an
//! engine that iterates one by one and one that plans runs add up the same numbers.

use crate::kernel::whole::float;

/// Time by kind of iteration, measured from the warm-up on.
#[derive(Clone, Debug)]
pub(crate) struct Shares {
    warmup: f64,
    since: f64,
    kind: usize,
    decodes: u32,
    /// When the last iteration ended that did.
    ended: f64,
    /// By kind; that of idle time is in no average, and not kept up. More of them than there are kinds, so that a kind needs no check.
    areas: [f64; 8],
    decodes_area: f64,
}

/// Only preemptions.
const EMPTY: usize = 0;
const PREFILL: usize = 1;
const DECODE: usize = 2;
const MIXED: usize = PREFILL + DECODE;
const IDLE: usize = 4;

impl Shares {
    pub fn new(warmup: f64) -> Self {
        Self {
            warmup,
            since: warmup,
            kind: IDLE,
            decodes: 0,
            ended: f64::NAN,
            areas: [0.0; 8],
            decodes_area: 0.0,
        }
    }

    /// An iteration with so many prefills and decodes starts.
    #[inline]
    pub fn start(&mut self, now: f64, prefills: usize, decodes: usize) {
        let kind = usize::from(prefills > 0) * PREFILL + usize::from(decodes > 0) * DECODE;
        let decodes = decodes as u32;
        if self.ended < now {
            self.pass(self.ended);
            // What is idle after that is in no average.
            self.since = if now > self.since { now } else { self.since };
            (self.kind, self.decodes) = (kind, decodes);
        } else {
            self.change(now, kind, decodes);
        }
    }

    /// The iteration ends.
    #[inline]
    pub fn end(&mut self, now: f64) {
        self.ended = now;
    }

    #[inline]
    fn change(&mut self, now: f64, kind: usize, decodes: u32) {
        if kind == self.kind && decodes == self.decodes {
            return;
        }
        self.pass(now);
        self.kind = kind;
        self.decodes = decodes;
    }

    /// Nothing has changed until `now`.
    #[inline]
    fn pass(&mut self, now: f64) {
        let span = now - self.since;
        if span > 0.0 {
            self.areas[self.kind % self.areas.len()] += span;
            self.decodes_area += f64::from(self.decodes) * span;
            self.since = now;
        }
    }

    /// Averages until `end`, at which it is `iterating` or not: iterating, prefill only, decode only, mixed, decodes.
    pub fn means(&self, end: f64, iterating: bool) -> [f64; 5] {
        let mut at_end = self.clone();
        if !iterating && at_end.ended <= end {
            let ended = at_end.ended;
            at_end.change(ended, IDLE, 0);
        }
        at_end.pass(end);
        let measured = end - self.warmup;
        let a = &at_end.areas;
        let iterating = a[PREFILL] + a[DECODE] + a[MIXED] + a[EMPTY];
        let sums = [iterating, a[PREFILL], a[DECODE], a[MIXED], at_end.decodes_area];
        sums.map(|x| if measured > 0.0 { x / measured } else { 0.0 })
    }
}

/// Count and sum of whole numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    count: u64,
    sum: u64,
}

impl Counted {
    /// `times` more of `value`.
    #[inline]
    pub fn add(&mut self, value: usize, times: u64) {
        self.count += times;
        self.sum += value as u64 * times;
    }

    /// Their mean; `None` of nothing.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }
}

/// Count and sum of values of which many in a row are equal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Repeated {
    /// The last ones, which are in neither count nor sum yet.
    value: f64,
    times: u64,
    count: u64,
    sum: f64,
}

impl Repeated {
    /// `times` more of `value`.
    #[inline]
    pub fn add(&mut self, value: f64, times: u64) {
        if value == self.value {
            self.times += times;
        } else {
            self.sum += self.value * float(self.times);
            self.count += self.times;
            (self.value, self.times) = (value, times);
        }
    }

    /// Their mean; `None` of nothing.
    pub fn mean(&self) -> Option<f64> {
        let sum = self.sum + self.value * self.times as f64;
        let count = self.count + self.times;
        (count > 0).then(|| sum / count as f64)
    }
}
