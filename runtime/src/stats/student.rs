//! Student's t: the interval for a mean over independent runs.

use std::f64::consts::FRAC_2_PI;

/// 97.5 % point of Student's t with `degrees` degrees of freedom (at least 1): half of a two-sided
/// 95 % interval.
///
/// Inverts by bisection the two finite sums for P(|T| < t) with a whole number of degrees
/// (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4).
pub fn student_t_975(degrees: u64) -> f64 {
    // Beyond this the value is the normal's to five digits.
    let degrees = degrees.clamp(1, 100_000);
    let (mut low, mut high) = (1.95, 13.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if within(middle, degrees) < 0.95 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// P(|T| < t).
fn within(t: f64, degrees: u64) -> f64 {
    let nu = degrees as f64;
    let tangent = t / nu.sqrt();
    let cos2 = 1.0 / (1.0 + tangent * tangent);
    let (cosine, sine) = (cos2.sqrt(), tangent * cos2.sqrt());
    if degrees.is_multiple_of(2) {
        sine * terms(1.0, 1, degrees / 2, cos2)
    } else {
        FRAC_2_PI
            * (tangent.atan()
                + if degrees > 1 { sine * terms(cosine, 2, degrees / 2, cos2) } else { 0.0 })
    }
}

/// `count` terms, the first as given, each next one by the factor k/(k+1) cos^2, k going up by 2.
fn terms(first: f64, k: u64, count: u64, cos2: f64) -> f64 {
    let (mut term, mut sum) = (first, first);
    for i in 1..count {
        let k = (k + 2 * (i - 1)) as f64;
        term *= k / (k + 1.0) * cos2;
        sum += term;
    }
    sum
}

/// Half width of the 95 % interval for the mean of independent values: t s / sqrt(n); `None` below two.
pub fn t_interval(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
    Some(student_t_975(values.len() as u64 - 1) * (variance / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_values() {
        // The 0.975 column of any printed table.
        let known = [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (4, 2.776),
            (5, 2.571),
            (9, 2.262),
            (10, 2.228),
            (19, 2.093),
            (20, 2.086),
            (29, 2.045),
            (30, 2.042),
            (60, 2.000),
            (120, 1.980),
            (1_000_000, 1.960),
        ];
        for (degrees, t) in known {
            assert!(
                (student_t_975(degrees) - t).abs() < 5.1e-4,
                "{degrees}: {}",
                student_t_975(degrees)
            );
        }
        // One and two degrees have closed forms: tan(0.475 pi), and 2a sqrt(2 / (1 - 4a^2)) with a = 0.475.
        assert!((student_t_975(1) - (0.475 * std::f64::consts::PI).tan()).abs() < 1e-9);
        assert!((student_t_975(2) - 0.95 * (2.0f64 / (1.0 - 0.9025)).sqrt()).abs() < 1e-9);
    }

    #[test]
    fn the_interval_of_a_known_sample() {
        // 1, 2, 3: s = 1, t(2) = 4.3027, half width 4.3027 / sqrt(3).
        assert!((t_interval(&[1.0, 2.0, 3.0]).unwrap() - 2.484_138).abs() < 1e-5);
        assert_eq!(t_interval(&[1.0]), None);
    }
}
