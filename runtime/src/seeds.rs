//! `--seeds`: `1..20` (both ends included) or a list such as `1,2,5..8`.

/// Most seeds of one call.
const MOST: u64 = 1_000_000;

/// Seeds in the order given.
///
/// # Errors
/// Says what is wrong with the text.
pub(crate) fn parse(text: &str) -> Result<Vec<u64>, String> {
    let mut seeds = Vec::new();
    for part in text.split(',') {
        let (first, last) = range(part.trim())?;
        let count = last - first;
        if count >= MOST || seeds.len() as u64 + count >= MOST {
            return Err(format!("`{text}` is more than {MOST} seeds"));
        }
        seeds.extend(first..=last);
    }
    let mut sorted = seeds.clone();
    sorted.sort_unstable();
    match sorted.windows(2).find(|w| w[0] == w[1]) {
        Some(twice) => Err(format!("seed {} is given twice", twice[0])),
        None => Ok(seeds),
    }
}

fn range(part: &str) -> Result<(u64, u64), String> {
    if part.is_empty() {
        return Err("a seed is missing".into());
    }
    let Some((first, last)) = part.split_once("..") else {
        let seed = number(part)?;
        return Ok((seed, seed));
    };
    let last = last.strip_prefix('=').unwrap_or(last);
    let (first, last) = (number(first)?, number(last)?);
    if first > last {
        return Err(format!("`{part}` is empty: write `{last}..{first}`"));
    }
    Ok((first, last))
}

fn number(text: &str) -> Result<u64, String> {
    let text = text.trim();
    // `parse` takes a leading `+`, which nobody means here.
    let digits = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    text.parse().ok().filter(|_| digits).ok_or_else(|| {
        format!("`{text}` is not a seed: a whole number from 0 to 2^64 - 1, in digits")
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn ranges_include_both_ends_and_lists_mix() {
        assert_eq!(parse("1..4"), Ok(vec![1, 2, 3, 4]));
        assert_eq!(parse("7"), Ok(vec![7]));
        assert_eq!(parse("1,2,5..8, 3"), Ok(vec![1, 2, 5, 6, 7, 8, 3]));
        assert_eq!(parse("3..3"), Ok(vec![3]));
        assert_eq!(parse("18446744073709551615"), Ok(vec![u64::MAX]));
        assert_eq!(parse("18446744073709551614..18446744073709551615").map(|s| s.len()), Ok(2));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "5..1",
            "1,,2",
            "a",
            "1..",
            "..3",
            "1.5",
            "-1",
            "+1",
            "1..2..3",
            "1e3",
            "18446744073709551616",
            "1 2",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse("5..1").unwrap_err().contains("empty"));
        assert!(parse("1..3,2").unwrap_err().contains("twice"));
        assert!(parse("0..18446744073709551615").unwrap_err().contains("more than"));
    }
}
