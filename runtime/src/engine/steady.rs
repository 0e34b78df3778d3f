//! A time that the same step is added to again and again, each sum rounded: where it is after so many
//! additions, and how many stay below a time, without making them all.
//!
//! Within a binade all sums are multiples of one unit, so that each addition of the same step adds the
//! same multiple of it, unless the step lies half way between two of them.

use crate::kernel::whole::{self, float};

/// Both numbers, positive, are multiples of the same unit in the last place.
#[inline]
fn same_binade(a: f64, b: f64) -> bool {
    (a.to_bits() ^ b.to_bits()) >> 52 == 0
}

/// What each addition of `step` adds to `time`, as long as the sum stays in its binade; `None` when that cannot be said.
#[inline]
fn stride(time: f64, step: f64) -> Option<f64> {
    let next = time + step;
    let stride = next - time;
    // What the second addition adds, all later ones add: if the step lies half way between two sums, they go to the
    // even one, and from an even sum to an even one by the same stride.
    (next + step - next == stride).then_some(stride)
}

/// `time` (above 0) after `n` additions of `step`, each rounded.
#[inline]
pub(super) fn after(time: f64, step: f64, n: usize) -> f64 {
    if let Some(stride) = stride(time, step) {
        let end = time + float(n as u64) * stride;
        if same_binade(time, end) {
            return end;
        }
    }
    one_by_one(time, step, n)
}

#[cold]
#[inline(never)]
fn one_by_one(time: f64, step: f64, n: usize) -> f64 {
    (0..n).fold(time, |time, _| time + step)
}

/// Of the `n` sums that follow `time` (above 0) as `step` is added, how many are below `limit`; and the sum after those.
pub(super) fn below(time: f64, step: f64, n: usize, limit: f64) -> (usize, f64) {
    let most = float(n as u64);
    let strides = stride(time, step).filter(|x| same_binade(time, time + most * x));
    let Some(stride) = strides.filter(|x| *x > 0.0) else {
        return below_one_by_one(time, step, n, limit);
    };
    let sum = |k: usize| time + float(k as u64) * stride;
    // Nearly so many: what division and rounding make of it is put right.
    let about = (limit - time) / stride;
    let about = if about < most { about } else { most };
    let mut k = whole::count(if about > 0.0 { about } else { 0.0 }) as usize;
    while k > 0 && sum(k) >= limit {
        k -= 1;
    }
    let mut next = sum(k + 1);
    while k < n && next < limit {
        k += 1;
        next = sum(k + 1);
    }
    // The one after all of them may be in the next binade.
    (k, if k < n { next } else { after(time, step, k + 1) })
}

#[cold]
#[inline(never)]
fn below_one_by_one(time: f64, step: f64, n: usize, limit: f64) -> (usize, f64) {
    let mut next = time + step;
    let mut k = 0;
    while k < n && next < limit {
        k += 1;
        next += step;
    }
    (k, next)
}

#[cfg(test)]
mod tests {
    use super::{after, below};
    use crate::rng::{Stream, StreamKind};

    #[test]
    fn sums_are_those_of_one_addition_after_the_other() {
        let mut draws = Stream::new(1, StreamKind::Machine, 0, 0);
        for round in 0..30_000 {
            let scale = [1e-9, 1e-3, 0.3, 1.0, 200.0, 1e6, 1e15][round % 7];
            let time = match round % 5 {
                // About to leave its binade.
                0 => (2.0f64.powi(round as i32 % 30 - 10)) * (1.0 - draws.uniform(0.0, 1e-3)),
                _ => draws.exp(scale) + f64::MIN_POSITIVE,
            };
            let step = match round % 11 {
                // Half a unit of some binade: ties.
                0 => 2.0f64.powi(-30) + time * f64::EPSILON / 2.0,
                1 => f64::from_bits(time.to_bits() >> 52 << 52) * f64::EPSILON * 1.5,
                2 => time * 1e-17,
                _ => draws.exp(scale * 1e-4),
            };
            let n = draws.uniform(0.0, [6.0, 300.0][round % 2]) as usize;
            let mut sums = vec![time];
            for k in 0..n {
                sums.push(sums[k] + step);
            }
            assert_eq!(after(time, step, n).to_bits(), sums[n].to_bits(), "{time} {step} {n}");
            let at = draws.uniform(0.0, n as f64) as usize;
            for limit in [sums[at], sums[at].next_up(), sums[n], sums[n] * 2.0, time / 2.0] {
                let count = sums[1..].iter().filter(|sum| **sum < limit).count();
                let next = sums.get(count + 1).copied().unwrap_or(sums[count] + step);
                assert_eq!(below(time, step, n, limit), (count, next), "{time} {step} {n} {limit}");
            }
        }
    }
}
