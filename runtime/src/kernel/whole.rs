//! Rounding to whole numbers without a library call, for amounts below 2^52; the same results. And
//! counts as numbers.

/// Beyond this every number is whole.
const LIMIT: f64 = (1u64 << 52) as f64;

/// Below this, sums and multiples that are whole numbers are exact.
pub(crate) const EXACT: f64 = LIMIT / 2.0;

/// A whole number next to `x`, which is below 2^51: the nearest.
#[inline]
fn nearest(x: f64) -> f64 {
    // Beside this number no fraction has room.
    const NO_FRACTION: f64 = 1.5 * LIMIT;
    (x + NO_FRACTION) - NO_FRACTION
}

/// The machine rounds in one instruction, which always takes the same time.
const ROUNDS: bool = cfg!(target_feature = "sse4.1") || cfg!(target_arch = "aarch64");

/// The least whole number that is not below `x`; of no sign when it is 0.
#[inline]
pub(crate) fn ceil(x: f64) -> f64 {
    if ROUNDS {
        return x.ceil() + 0.0;
    }
    if x.abs() < LIMIT / 2.0 {
        let near = nearest(x);
        if near < x { near + 1.0 } else { near }
    } else {
        x.ceil()
    }
}

/// The greatest whole number that is not above `x`; of no sign when it is 0.
#[inline]
pub(crate) fn floor(x: f64) -> f64 {
    if ROUNDS {
        return x.floor() + 0.0;
    }
    if x.abs() < LIMIT / 2.0 {
        let near = nearest(x);
        if near > x { near - 1.0 } else { near }
    } else {
        x.floor()
    }
}

/// A count (below 2^63) as a number: of a signed one the machine does it in one step.
#[inline]
pub(crate) fn float(n: u64) -> f64 {
    n as i64 as f64
}

/// The count nearest to `x`, which is from 0 to below 2^52: `x` itself where it is whole.
#[inline]
pub(crate) fn count(x: f64) -> u64 {
    // Added to 2^52, the last bits of the sum are the number.
    (x + LIMIT).to_bits() & (LIMIT as u64 - 1)
}

/// `x` as a whole number, if it is one from 0 to 2^52.
#[inline]
pub(crate) fn natural(x: f64) -> Option<u64> {
    let n = count(x);
    (float(n) == x).then_some(n)
}

/// `x` is a whole number (infinity is none).
#[inline]
pub(crate) fn is_whole(x: f64) -> bool {
    if ROUNDS {
        return x.trunc() == x && x.abs() < LIMIT;
    }
    match x.abs() < LIMIT / 2.0 {
        true => nearest(x) == x,
        false => x.abs() < LIMIT && x.floor() == x,
    }
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, ceil, count, float, floor, is_whole, natural};

    #[test]
    fn the_same_as_the_library() {
        let some = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.5, 2.75, 1e15 + 0.5, 3e15 + 0.5, 1e300];
        let edges = [LIMIT / 2.0, LIMIT / 2.0 - 0.25, LIMIT / 2.0 + 0.5, LIMIT, f64::INFINITY];
        for x in some.into_iter().chain(edges).flat_map(|x| [x, -x, x.next_up(), -x.next_up()]) {
            assert_eq!((ceil(x), floor(x)), (x.ceil(), x.floor()), "{x}");
            let zeros = [ceil(x), floor(x)].into_iter().filter(|zero| *zero == 0.0);
            assert!(zeros.into_iter().all(f64::is_sign_positive), "{x}");
            assert_eq!(is_whole(x), x.abs() < LIMIT && x.fract() == 0.0, "{x}");
        }
        assert!(ceil(f64::NAN).is_nan());
        assert_eq!((float(0), float(1 << 52), float(3)), (0.0, LIMIT, 3.0));
        let none =
            [-1.0, 0.5, -0.25, 1e300, -1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, LIMIT];
        assert!(none.iter().all(|x| natural(*x).is_none()));
        for n in [0, 1, 2, 1000, u64::from(u32::MAX), (1 << 52) - 1] {
            assert_eq!((natural(float(n)), count(float(n))), (Some(n), n));
        }
        assert_eq!(natural(-0.0), Some(0));
        assert!(is_whole(-3.0) && !is_whole(2.5) && !is_whole(f64::INFINITY));
    }
}
