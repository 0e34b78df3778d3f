//! Rounding to whole numbers without a library call, for amounts below 2^52; the same results. And
//! counts as numbers.

/// Beyond this every number is whole.
const LIMIT: f64 = (1u64 << 52) as f64;

/// The least whole number that is not below `x`.
#[inline]
pub(crate) fn ceil(x: f64) -> f64 {
    if x.abs() < LIMIT {
        let near = x as i64 as f64;
        if near < x { near + 1.0 } else { near }
    } else {
        x
    }
}

/// The greatest whole number that is not above `x`.
#[inline]
pub(crate) fn floor(x: f64) -> f64 {
    if x.abs() < LIMIT {
        let near = x as i64 as f64;
        if near > x { near - 1.0 } else { near }
    } else {
        x
    }
}

/// A count (below 2^63) as a number: of a signed one the machine does it in one step.
#[inline]
pub(crate) fn float(n: u64) -> f64 {
    n as i64 as f64
}

/// `x` is a whole number (infinity is none).
#[inline]
pub(crate) fn is_whole(x: f64) -> bool {
    x.abs() < LIMIT && x as i64 as f64 == x
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, ceil, float, floor, is_whole};

    #[test]
    fn the_same_as_the_library() {
        for x in
            [0.0, 0.5, -0.5, 1.0, -1.0, 2.75, -2.75, 1e15 + 0.5, -1e15 - 0.5, 1e300, f64::INFINITY]
        {
            assert_eq!((ceil(x), floor(x)), (x.ceil(), x.floor()), "{x}");
        }
        assert!(ceil(f64::NAN).is_nan());
        assert_eq!((float(0), float(1 << 52), float(3)), (0.0, LIMIT, 3.0));
        assert!(is_whole(-3.0) && !is_whole(2.5) && !is_whole(f64::INFINITY));
    }
}
