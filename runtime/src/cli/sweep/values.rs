//! `--sweep NAME=VALUES` and `--point NAME=EXPR,…`: settings that take several values.
//!
//! VALUES is a list of numbers, expressions over the program's `let`s, and ranges `a..b:step` with both
//! ends. A range of decimal numbers is counted in decimals, so that 0.3..1.5:0.3 has 0.9 in it.

use super::super::{Failure, Program, lets};

/// Most values of one setting.
const MOST: usize = 100_000;

/// One option.
pub(super) struct Given<'a> {
    /// The setting.
    pub name: &'a str,
    /// Its values, as said.
    pub values: Vec<f64>,
}

/// Reads `NAME=VALUES`.
pub(super) fn sweep<'a>(
    program: &Program,
    text: &'a str,
    base: &[f64],
) -> Result<Given<'a>, Failure> {
    let option = format!("--sweep {text}");
    let (name, items) = split(text, &option, "--sweep NAME=1,2,5 or --sweep NAME=0.3..1.5:0.3")?;
    lets::known(program, name, &option)?;
    let mut values = Vec::new();
    for item in parts(items) {
        match item.split_once("..") {
            Some((first, rest)) => values.extend(range(program, &option, first, rest, base)?),
            None => values.push(number(program, &option, item, base)?),
        }
        if values.len() > MOST {
            let what = format!("`{option}` is more than {MOST} values");
            return Err(Failure::usage(&what, None));
        }
    }
    Ok(Given { name, values })
}

/// Reads `NAME=EXPR,NAME=EXPR`.
pub(super) fn point<'a>(
    program: &Program,
    text: &'a str,
    base: &[f64],
) -> Result<Vec<Given<'a>>, Failure> {
    let option = format!("--point {text}");
    let one = |part: &'a str| {
        let (name, expr) = split(part, &option, "--point NAME=1,OTHER=2")?;
        lets::known(program, name, &option)?;
        Ok(Given { name, values: vec![number(program, &option, expr, base)?] })
    };
    parts(text).into_iter().map(one).collect()
}

fn split<'a>(text: &'a str, option: &str, help: &str) -> Result<(&'a str, &'a str), Failure> {
    match text.split_once('=') {
        Some((name, values)) if !name.trim().is_empty() && !values.trim().is_empty() => {
            Ok((name.trim(), values.trim()))
        }
        _ => {
            let what = format!("`{option}` has no name or no values");
            Err(Failure::usage(&what, Some(format!("write {help}"))))
        }
    }
}

/// What stands between commas that are in no parentheses.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth <= 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts
}

fn number(program: &Program, option: &str, text: &str, base: &[f64]) -> Result<f64, Failure> {
    let x = lets::parse(program, option, text)?.value(&mut |i| base[i]);
    match x.is_nan() {
        true => Err(Failure::usage(&format!("`{text}` in `{option}` is NaN"), None)),
        false => Ok(x),
    }
}

/// `first..last:step`, of which `rest` is what stands behind the dots.
fn range(
    program: &Program,
    option: &str,
    first: &str,
    rest: &str,
    base: &[f64],
) -> Result<Vec<f64>, Failure> {
    let rest = rest.strip_prefix('=').unwrap_or(rest);
    let (last, step) = rest.rsplit_once(':').unwrap_or((rest, "1"));
    let wrong = |what: &str| {
        let help = "write a range as first..last:step, upwards, such as 0.3..1.5:0.3";
        Failure::usage(&format!("`{first}..{rest}` in `{option}` {what}"), Some(help.into()))
    };
    let decimal = |text: &str| Decimal::parse(text.trim());
    if let (Some(a), Some(b), Some(s)) = (decimal(first), decimal(last), decimal(step)) {
        return a.up_to(b, s).map_err(wrong);
    }
    let of = |text: &str| number(program, option, text, base);
    let (a, b, s) = (of(first)?, of(last)?, of(step)?);
    let count = (b - a) / s;
    match count {
        _ if !(s > 0.0 && s.is_finite() && a.is_finite() && b.is_finite()) => {
            Err(wrong("has no finite ends and a step above 0"))
        }
        n if n < 0.0 => Err(wrong("is empty")),
        n if n >= MOST as f64 => Err(wrong("has too many values")),
        // Rounding must not lose the last value.
        n => Ok((0..=(n + 1e-9) as usize).map(|i| a + i as f64 * s).collect()),
    }
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
            Some(n) if n >= MOST as i128 => Err("has too many values"),
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

    fn decimals(first: &str, last: &str, step: &str) -> Result<Vec<f64>, &'static str> {
        let of = |text| Decimal::parse(text).unwrap();
        of(first).up_to(of(last), of(step))
    }

    #[test]
    fn a_range_has_the_numbers_that_one_would_write() {
        assert_eq!(decimals("0.3", "1.5", "0.3"), Ok(vec![0.3, 0.6, 0.9, 1.2, 1.5]));
        assert_eq!(decimals("1", "4", "1"), Ok(vec![1.0, 2.0, 3.0, 4.0]));
        assert_eq!(decimals("-0.1", "0.15", ".1"), Ok(vec![-0.1, 0.0, 0.1]));
        assert_eq!(decimals("1", "1", "5"), Ok(vec![1.0]));
        assert!(decimals("2", "1", "1").is_err() && decimals("1", "2", "0").is_err());
        assert!(decimals("0", "1", "0.000001").is_err());
        for odd in ["1e3", "", ".", "-", "x", "1.2.3", "inf"] {
            assert_eq!(Decimal::parse(odd), None, "{odd}");
        }
    }

    #[test]
    fn commas_in_calls_do_not_part() {
        assert_eq!(parts("1, min(2, 3),inf"), ["1", "min(2, 3)", "inf"]);
    }
}
