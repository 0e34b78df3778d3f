//! Numbers as a person reads them: four significant digits, thousands separated.

/// All digits, as a program would have the number: `0.25`, `inf`, `1e308`.
pub(crate) fn exact(x: f64) -> String {
    const LONG: usize = 21;
    let plain = x.to_string();
    if plain.len() > LONG { format!("{x:e}") } else { plain }
}

/// Decimals that show `x` with four significant digits.
pub(crate) fn decimals_of(x: f64) -> usize {
    decimals(x, 4)
}

/// Decimals that show `x` with so many significant digits; at most 9.
fn decimals(x: f64, digits: i32) -> usize {
    let x = x.abs();
    if x == 0.0 || !x.is_finite() {
        return 0;
    }
    // Powers of ten up to 1e9 are exact, so this is log10 rounded down without its rounding.
    let mut left = digits - 1;
    let mut bound = 1.0;
    if x >= 1.0 {
        while x >= bound * 10.0 && left > 0 {
            bound *= 10.0;
            left -= 1;
        }
    } else {
        while x < bound && left < 9 {
            bound /= 10.0;
            left += 1;
        }
    }
    left as usize
}

/// Four significant digits; whole numbers without decimals; `1.235 M` from ten million on, `1.23e-5`
/// below 1e-4.
pub(crate) fn number(x: f64) -> String {
    if x == x.trunc() { whole(x) } else { fixed(x, decimals_of(x)) }
}

/// So many decimals, thousands separated; switches to the short forms of [`number`] where it must.
pub(super) fn fixed(x: f64, decimals: usize) -> String {
    let size = x.abs();
    if !x.is_finite() {
        return if x.is_nan() {
            "nan".into()
        } else if x > 0.0 {
            "inf".into()
        } else {
            "-inf".into()
        };
    }
    if size >= 1e7 {
        return scaled(x);
    }
    if size > 0.0 && size < 1e-4 {
        return format!("{x:.2e}");
    }
    let text = format!("{size:.decimals$}");
    let (int, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let sign = if x < 0.0 { "-" } else { "" };
    format!("{sign}{}{fraction}", grouped(int))
}

/// The half width of an interval beside a number shown with `decimals`: with as many, but at least
/// one significant digit.
pub(crate) fn half_width(x: f64, decimals: usize) -> String {
    let decimals = decimals.max(self::decimals(x, 1));
    match x {
        0.0 => "0".into(),
        // Beside such a number the exponent's form would be harder to compare than the zeros.
        x if x < 1e-4 && decimals <= 8 => format!("{x:.decimals$}"),
        x => fixed(x, decimals),
    }
}

/// A whole number.
pub(super) fn whole(x: f64) -> String {
    fixed(x, 0)
}

/// A count.
pub(super) fn count(n: u64) -> String {
    if n < 10_000_000 { grouped(&n.to_string()) } else { scaled(n as f64) }
}

/// A share as a percentage.
pub(super) fn percent(share: f64) -> String {
    let p = 100.0 * share;
    if p == 0.0 {
        "0".into()
    } else if p < 0.05 {
        "<0.1".into()
    } else {
        format!("{p:.1}")
    }
}

/// `number`, or a dash.
pub(super) fn or_dash(x: Option<f64>, show: impl Fn(f64) -> String) -> String {
    x.map_or_else(|| "–".to_owned(), show)
}

/// Seconds for a sentence.
pub(super) fn seconds(x: f64) -> String {
    format!("{} s", number(x))
}

fn scaled(x: f64) -> String {
    for (unit, name) in [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M")] {
        if x.abs() >= unit && x.abs() < unit * 1e4 {
            let value = x / unit;
            return format!("{value:.*} {name}", decimals_of(value));
        }
    }
    format!("{x:.3e}")
}

fn grouped(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_significant_digits() {
        let cases = [
            (0.0, "0"),
            (5.0, "5"),
            (0.029_412_3, "0.02941"),
            (72.314_9, "72.31"),
            (999.94, "999.9"),
            (1234.5, "1,234"),
            (1234.6, "1,235"),
            (-0.5, "-0.5000"),
            (123_456.0, "123,456"),
            (12_345_678.0, "12.35 M"),
            (3.2e-5, "3.20e-5"),
            (f64::INFINITY, "inf"),
            (1e18, "1000 P"),
            (1e30, "1.000e30"),
            (0.1, "0.1000"),
            (0.001, "0.001000"),
            (1.5e9, "1.500 G"),
        ];
        for (x, want) in cases {
            assert_eq!(number(x), want, "{x}");
        }
        assert_eq!((count(1_234_567), count(123_456_789)), ("1,234,567".into(), "123.5 M".into()));
        assert_eq!(
            (percent(0.5926), percent(0.0), percent(0.0001)),
            ("59.3".into(), "0".into(), "<0.1".into())
        );
    }

    #[test]
    fn a_half_width_keeps_a_digit() {
        assert_eq!(half_width(0.000_321, 5), "0.00032");
        assert_eq!(half_width(0.000_321, 2), "0.0003");
        assert_eq!(half_width(0.000_088, 5), "0.00009");
        assert_eq!(half_width(12.6, 0), "13");
    }
}
