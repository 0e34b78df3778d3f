//! `--sweep NAME=VALUES` and `--point NAME=EXPR,…`: settings that take several values.
//!
//! VALUES is a list of numbers, expressions over the program's `let`s, and ranges `a..b:step` with both
//! ends. A range of decimal numbers is counted in decimals, so that 0.3..1.5:0.3 has 0.9 in it.

use super::super::{Failure, Program, lets};
use crate::results::{MOST_VALUES as MOST, decimals};

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
    if let Some(counted) = decimals(first, last, step) {
        return counted.map_err(wrong);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_calls_do_not_part() {
        assert_eq!(parts("1, min(2, 3),inf"), ["1", "min(2, 3)", "inf"]);
    }
}
