//! Steps made from known constants.

use super::*;

/// Uniform over 0 to 1, by a fixed sequence (G. Marsaglia, Xorshift RNGs, *J. Stat. Softw.* 8, 2003).
struct Uniform(u64);

impl Uniform {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Of mean 0 and standard deviation 1, nearly normal.
    fn noise(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

/// Decode steps of some requests, and steps with chunks of prompts.
fn made(constants: [f64; COUNT], noise: f64, seed: u64) -> Vec<Step> {
    let mut random = Uniform(seed);
    let step = |place: usize| {
        let requests = (random.next() * 128.0).ceil();
        let kv = requests * (200.0 + 4_000.0 * random.next());
        let chunk = if place.is_multiple_of(2) { 0.0 } else { (random.next() * 4_000.0).ceil() };
        let attention = chunk * (8_000.0 * random.next() + chunk / 2.0);
        let mut step = Step { seconds: 1.0, tokens: requests + chunk, kv, attention };
        step.seconds = cost(&step, &constants) * (1.0 + noise * random.noise());
        step
    };
    (0..10_000).map(step).collect()
}

#[test]
fn known_constants_come_out_of_noisy_steps() {
    let attention = 4e-9;
    for (seed, attention) in [(1, 0.0), (2, attention), (3, 0.0), (4, attention)] {
        let known = [2e-3, 8e-3, 4e-8, 2e-5, attention];
        let mut steps = made(known, 0.03, seed);
        if attention == 0.0 {
            steps.iter_mut().for_each(|step| step.attention = 0.0);
        }
        let fit = fit(&steps).unwrap_or_else(|why| panic!("{why}"));
        for (term, (got, want)) in TERMS.iter().zip(fit.constants.iter().zip(known)) {
            assert!((got - want).abs() <= 0.02 * want, "seed {seed}, {term}: {got}, not {want}");
        }
        assert!(fit.held_out < 0.026, "{}", fit.held_out);
        let needed = fit.without.iter().zip(known).filter(|(_, known)| *known > 0.0);
        assert!(needed.clone().all(|(error, _)| *error > fit.held_out), "{fit:?}");
    }
}

#[test]
fn exact_steps_give_exact_constants() {
    let known = [1e-3, 5e-3, 2e-8, 3e-5, 0.0];
    let steps: Vec<Step> =
        made(known, 0.0, 7).into_iter().map(|step| Step { attention: 0.0, ..step }).collect();
    let fit = fit(&steps).unwrap_or_else(|why| panic!("{why}"));
    for (got, want) in fit.constants.iter().zip(known) {
        assert!((got - want).abs() <= 1e-6 * want, "{:?}", fit.constants);
    }
    assert!(fit.memory_bound > 0.3 && fit.memory_bound < 0.9, "{}", fit.memory_bound);
}

#[test]
fn steps_of_decodes_alone_leave_the_common_part_to_the_weights() {
    let decode = |place: u32| {
        let (tokens, kv) = (f64::from(1 + place % 64), f64::from(place * 911 % 100_000));
        Step { seconds: 1e-3 + 8e-3 + 4e-8 * kv, tokens, kv, attention: 0.0 }
    };
    let fit = fit(&(0..400).map(decode).collect::<Vec<_>>()).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(fit.memory_bound, 1.0);
    let [c0, omega, beta, a, _] = fit.constants;
    assert_eq!((c0, a), (0.0, 0.0));
    assert!((omega - 9e-3).abs() < 1e-8 && (beta - 4e-8).abs() < 1e-13, "{:?}", fit.constants);
}

#[test]
fn too_little_to_fit() {
    let step = Step { seconds: 0.01, tokens: 8.0, kv: 100.0, attention: 0.0 };
    assert!(fit(&[step; 10]).is_err());
    assert!(fit(&[step; 100]).is_err());
}

#[test]
fn a_table_of_steps_by_its_header() {
    let text = "# made up\nkv,seconds,tokens\n100, 0.5,8\n";
    let want = Step { seconds: 0.5, tokens: 8.0, kv: 100.0, attention: 0.0 };
    assert_eq!(read(text.as_bytes()), Ok(vec![want]));
    for wrong in
        ["", "kv,tokens\n1,2\n", "kv,seconds,tokens\n1,0,2\n", "kv,seconds,tokens\n1,x,2\n"]
    {
        assert!(read(wrong.as_bytes()).is_err(), "{wrong}");
    }
}
