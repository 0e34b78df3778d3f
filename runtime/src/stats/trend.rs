//! Whether a queue grew through the whole measured time.
//!
//! In: the queue's mean over consecutive windows. A queue without a steady state rises from window
//! to window and ends with a length that a good part of the run's work went into; a stable one near
//! its limit wanders. Both signs are asked for, so that M/M/1 at a load of 0.9 is called unstable in
//! less than 1 % of runs of 1000 services or more, and at a load of 1.1 in most (95 % at 3000).

/// Windows of the measured time.
pub(crate) const WINDOWS: usize = 10;
/// Of the 45 pairs of windows, how many more rise than fall (Kendall's S, Biometrika 30, 1938).
const RISING: i32 = 33;
/// The least mean of the last window, in requests.
const LONG: f64 = 10.0;
/// The same, as a part of all requests served in the measured time.
const PART: f64 = 0.02;

/// Whether means over equal windows are those of a queue that never stops growing, where `served`
/// requests left it over the windows.
pub(crate) fn grows(means: &[f64; WINDOWS], served: u64) -> bool {
    let last = means[WINDOWS - 1];
    let pairs = (0..WINDOWS).flat_map(|i| (i + 1..WINDOWS).map(move |j| (i, j)));
    let rising: i32 =
        pairs.map(|(i, j)| i32::from(means[j] > means[i]) - i32::from(means[j] < means[i])).sum();
    rising >= RISING && last >= LONG && last >= PART * served as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_grows_and_a_plateau_does_not() {
        let ramp: [f64; WINDOWS] = std::array::from_fn(|i| 20.0 * (i + 1) as f64);
        assert!(grows(&ramp, 1000));
        assert!(!grows(&ramp, 100_000), "short for the work that was done");
        assert!(!grows(&ramp.map(|x| x / 100.0), 10), "short");
        let mut fallen = ramp;
        fallen.reverse();
        assert!(!grows(&fallen, 1000));
        assert!(!grows(&[200.0; WINDOWS], 1000));
        let mut filled = [200.0; WINDOWS];
        filled[..3].copy_from_slice(&[50.0, 120.0, 170.0]);
        assert!(!grows(&filled, 1000), "it fills up and stays");
    }

    #[test]
    fn one_window_out_of_line_changes_nothing() {
        let mut ramp: [f64; WINDOWS] = std::array::from_fn(|i| 20.0 * (i + 1) as f64);
        ramp.swap(4, 5);
        assert!(grows(&ramp, 1000));
    }
}
