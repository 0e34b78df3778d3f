//! Ranges of numbers as one writes them: counted in decimals, so that 0.3, 0.6, … comes to 0.9.

/// Most values of one setting.
pub const MOST_VALUES: usize = 100_000;

/// The numbers from `first` to `last`, both included, `step` apart; `None` when one of the three is not
/// written in plain decimals.
///
/// # Errors
/// What is wrong with the range.
pub fn decimals(first: &str, last: &str, step: &str) -> Option<Result<Vec<f64>, &'static str>> {
    let decimal = |text: &str| Decimal::parse(text.trim());
    Some(decimal(first)?.up_to(decimal(last)?, decimal(step)?))
}

/// A number as it is written: `digits` / 10^`places`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Decimal {
    digits: i128,
    places: u32,
}

impl Decimal {
    /// Plain decimals with at most 18 digits; anything else is no such.
    fn parse(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (whole, part) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let all = format!("{whole}{part}");
        if all.is_empty() || all.len() > 18 || !all.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let digits: i128 = all.parse().ok()?;
        let sign = if unsigned.len() < text.len() { -1 } else { 1 };
        Some(Self { digits: sign * digits, places: part.len() as u32 })
    }

    fn at(self, places: u32) -> i128 {
        self.digits * 10i128.pow(places - self.places)
    }

    fn up_to(self, last: Self, step: Self) -> Result<Vec<f64>, &'static str> {
        let places = self.places.max(last.places).max(step.places);
        let (a, b, s) = (self.at(places), last.at(places), step.at(places));
        match (s > 0).then(|| (b - a) / s) {
            None => Err("has no step above 0"),
            Some(_) if b < a => Err("is empty"),
            Some(n) if n >= MOST_VALUES as i128 => Err("has too many values"),
            // The nearest float to the decimal, as if it had been written out.
            Some(n) => Ok((0..=n)
                .filter_map(|i| format!("{}e-{places}", a + i * s).parse().ok())
                .collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(first: &str, last: &str, step: &str) -> Result<Vec<f64>, &'static str> {
        decimals(first, last, step).unwrap()
    }

    #[test]
    fn a_range_has_the_numbers_that_one_would_write() {
        assert_eq!(range("0.3", "1.5", "0.3"), Ok(vec![0.3, 0.6, 0.9, 1.2, 1.5]));
        assert_eq!(range("1", "4", "1"), Ok(vec![1.0, 2.0, 3.0, 4.0]));
        assert_eq!(range("-0.1", "0.15", ".1"), Ok(vec![-0.1, 0.0, 0.1]));
        assert_eq!(range("1", "1", "5"), Ok(vec![1.0]));
        assert!(range("2", "1", "1").is_err() && range("1", "2", "0").is_err());
        assert!(range("0", "1", "0.000001").is_err());
        for odd in ["1e3", "", ".", "-", "x", "1.2.3", "inf"] {
            assert_eq!(decimals(odd, "2", "1"), None, "{odd}");
        }
    }
}
