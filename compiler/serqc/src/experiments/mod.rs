//! From runs to a decision: folders of results read, settings compared, the cheapest one found.
//!
//! In: folders that sweeps wrote, metrics by name. Out: what they say, with intervals that hold for all
//! that is said at once. `docs/experiments` has the definitions.
//!
//! - `samples`: a metric of every point, by seed
//! - `intervals`: means and differences, and how sure they are
//! - `ranking`: settings in order, and which cannot be told apart
//! - `rerun`: the program of a folder, built and run again
//! - `planning`: objectives, targets, and the search for the cheapest setting
//! - `columns`: a table in Parquet

pub mod columns;
pub mod intervals;
pub mod planning;

pub mod ranking;
pub mod rerun;
pub mod samples;

/// Four significant digits; all of a whole number below 10^9.
pub fn digits(x: f64) -> String {
    if !x.is_finite() || (x.fract() == 0.0 && x.abs() < 1e9) {
        return x.to_string();
    }
    let size = x.abs().log10().floor();
    if !(-5.0..9.0).contains(&size) {
        return format!("{x:.3e}");
    }
    format!("{x:.*}", (3.0 - size).max(0.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits() {
        for (x, text) in [
            (0.0123456, "0.01235"),
            (12345.6, "12346"),
            (0.0, "0"),
            (1e-7, "1.000e-7"),
            (14.0, "14"),
        ] {
            assert_eq!(digits(x), text);
        }
    }
}
