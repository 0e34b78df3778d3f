//! Time stamps as seconds.

/// The day, from 1970 on, and the seconds after its midnight of `2023-11-16 18:15:46.68`, with an offset such as
/// `+00:00` or `Z` if there is one. Apart, since together they would not keep the last digits. A plain number is seconds.
pub fn day_and_seconds(text: &str) -> Option<(i64, f64)> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Some((0, seconds));
    }
    let (date, clock) = text.split_once([' ', 'T'])?;
    let (clock, offset) = match clock.find(['+', '-', 'Z']) {
        Some(at) => (&clock[..at], offset(&clock[at..])?),
        None => (clock, 0.0),
    };
    let mut parts = date.splitn(3, '-').map(str::parse::<i64>);
    let (year, month, day) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || !(0..=9999).contains(&year) {
        return None;
    }
    let mut parts = clock.splitn(3, ':').map(str::parse::<f64>);
    let (hours, minutes) = (parts.next()?.ok()?, parts.next()?.ok()?);
    let seconds = parts.next().unwrap_or(Ok(0.0)).ok()?;
    Some((days(year, month, day), hours * 3600.0 + minutes * 60.0 + seconds - offset))
}

/// Seconds east of Greenwich.
fn offset(text: &str) -> Option<f64> {
    if text == "Z" {
        return Some(0.0);
    }
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    let east = hours.parse::<f64>().ok()? * 3600.0 + minutes.parse::<f64>().ok()? * 60.0;
    Some(if text.starts_with('-') { -east } else { east })
}

/// Days since 1970-01-01 in the Gregorian calendar, years counted from March so that a leap day is the last of its year
/// (E. G. Richards, *Mapping Time*, Oxford 1998, chapter 25).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let of_years = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    of_years + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_since_1970() {
        let seconds =
            |text| day_and_seconds(text).map(|(day, seconds)| day as f64 * 86_400.0 + seconds);
        assert_eq!(seconds("1970-01-01 00:00:00"), Some(0.0));
        assert_eq!(seconds("2000-03-01T00:00:01.5Z"), Some(951_868_801.5));
        assert_eq!(seconds("2024-02-29 12:00:00+00:00"), Some(1_709_208_000.0));
        assert_eq!(seconds("2024-02-29 12:00:00-01:30"), Some(1_709_213_400.0));
        assert_eq!(seconds(" 12.5 "), Some(12.5));
        for wrong in ["", "now", "2024-13-01 00:00:00", "2024-01-01", "2024-01-01 x:00:00"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }
}
