//! Natural logarithm from IEEE additions, multiplications and one division at compile time only, so
//! that it gives the same bytes everywhere (a platform's own `ln` may differ in the last bit).
//!
//! Method: table-driven argument reduction (P. T. P. Tang, "Table-driven implementation of the
//! logarithm function in IEEE floating-point arithmetic", ACM TOMS 16(4), 1990): with
//! x = 2^e m, m in about [0.7, 1.4), and c the table point in the middle of m's cell,
//! ln x = e ln 2 + ln c + ln(1 + (m - c)/c), m - c exact and the last term a short Taylor series.

/// Cells of m: seven bits of mantissa.
const CELLS: usize = 128;
const CELL_BITS: u32 = 45;
/// Bits of the number where the first cell begins, about 0.7. It ends in half a cell, so that 1 is
/// the middle of its cell and logarithms near 0 keep their digits.
const FIRST: u64 = 0x3fe6_7000_0000_0000;

/// ln 2, the leading part with trailing zeros (so that e times it is exact) and the rest.
const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fefa_3800);
const LN2_LOW: f64 = f64::from_bits(0x3d2e_f357_93c7_6730);

#[derive(Clone, Copy)]
struct Cell {
    middle: f64,
    inverse: f64,
    ln: f64,
}

static TABLE: [Cell; CELLS] = table();

const fn table() -> [Cell; CELLS] {
    let mut t = [Cell { middle: 1.0, inverse: 1.0, ln: 0.0 }; CELLS];
    let mut i = 0;
    while i < CELLS {
        let middle = f64::from_bits(FIRST + ((i as u64) << CELL_BITS) + (1 << (CELL_BITS - 1)));
        t[i] = Cell { middle, inverse: 1.0 / middle, ln: ln_by_atanh(middle) };
        i += 1;
    }
    t
}

/// ln f = 2 atanh s with s = (f-1)/(f+1), |s| < 0.18 here; summed from the smallest term
/// (Abramowitz and Stegun, Handbook of Mathematical Functions, 4.1.27).
const fn ln_by_atanh(f: f64) -> f64 {
    let s = (f - 1.0) / (f + 1.0);
    let s2 = s * s;
    let mut sum = 0.0;
    let mut k = 14;
    while k >= 1 {
        sum = s2 * (1.0 / (2 * k + 1) as f64 + sum);
        k -= 1;
    }
    2.0 * s + 2.0 * s * sum
}

/// Natural logarithm of `x`, within two units in the last place.
///
/// 0 gives `-inf`, a negative number or NaN gives NaN, `inf` gives `inf`.
#[inline]
pub fn ln(x: f64) -> f64 {
    const LEAST: u64 = f64::MIN_POSITIVE.to_bits();
    const NORMAL: u64 = f64::INFINITY.to_bits() - LEAST;
    // One comparison for all of zero, subnormal, negative, infinite and NaN.
    if x.to_bits().wrapping_sub(LEAST) >= NORMAL {
        return ln_of_odd(x);
    }
    ln_of_normal(x)
}

/// The logarithm of a positive normal finite number; of others, nothing that means anything.
#[inline]
pub(crate) fn ln_of_normal(x: f64) -> f64 {
    let bits = x.to_bits();
    // Counted from the first cell, the exponent changes there, so that m is around 1.
    let shifted = bits.wrapping_sub(FIRST);
    let e = (shifted as i64) >> 52;
    let m = f64::from_bits(bits.wrapping_sub((e as u64) << 52));
    let cell = &TABLE[(shifted >> CELL_BITS) as usize & (CELLS - 1)];
    let u = (m - cell.middle) * cell.inverse;
    let u2 = u * u;
    let series = (-1.0 / 2.0 + u * (1.0 / 3.0))
        + u2 * ((-1.0 / 4.0 + u * (1.0 / 5.0)) + u2 * (-1.0 / 6.0 + u * (1.0 / 7.0)));
    let e = e as f64;
    (e * LN2_HIGH + cell.ln) + (u + (u2 * series + e * LN2_LOW))
}

#[cold]
fn ln_of_odd(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x > 0.0 && x < f64::MIN_POSITIVE {
        const SCALE: f64 = (1u64 << 54) as f64;
        ln_of_normal(x * SCALE) - 54.0 * std::f64::consts::LN_2
    } else if x == f64::INFINITY {
        x
    } else {
        f64::NAN
    }
}

#[cfg(test)]
mod tests {
    use super::ln;

    /// Distance in units of the last place of `want`.
    fn ulps(got: f64, want: f64) -> f64 {
        let spacing = f64::from_bits(want.abs().to_bits() + 1) - want.abs();
        ((got - want) / spacing).abs()
    }

    #[test]
    fn agrees_with_the_platform_to_two_units_in_the_last_place() {
        let mut worst: f64 = 0.0;
        let mut check =
            |x: f64| worst = worst.max(if x == 1.0 { ln(x).abs() } else { ulps(ln(x), x.ln()) });
        for i in 1..200_000 {
            check(i as f64 / 100_000.0);
            check(1.0 + (i as f64 - 100_000.0) * 1e-9);
            check((i as f64 - 100_000.0).abs().max(0.5) * 1e3);
        }
        for e in -1070..1020 {
            check(1.37 * 2f64.powi(e));
            check(2f64.powi(e));
        }
        assert!(worst <= 2.0, "{worst} ulps");
    }

    #[test]
    fn odd_arguments() {
        assert_eq!(ln(0.0), f64::NEG_INFINITY);
        assert_eq!(ln(1.0), 0.0);
        assert_eq!(ln(f64::INFINITY), f64::INFINITY);
        assert!(ln(-1.0).is_nan() && ln(f64::NAN).is_nan() && ln(f64::NEG_INFINITY).is_nan());
    }
}
