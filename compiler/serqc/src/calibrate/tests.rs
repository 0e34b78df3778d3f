//! Steps and benchmarks made from known constants.

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

/// Requests of a vLLM engine as a benchmark lists them: first come, first served, `budget` tokens an iteration, the
/// prompts in chunks, `seats` requests at a time.
struct Served {
    constants: [f64; COUNT],
    budget: f64,
    seats: usize,
    /// Seconds between requests on average.
    apart: f64,
    requests: usize,
    /// Of an iteration, relative.
    noise: f64,
    /// Of when the client sees a token, s.
    jitter: f64,
}

struct Job {
    sent: f64,
    prompt: f64,
    output: usize,
    computed: f64,
    seen: Vec<f64>,
}

impl Served {
    fn result(&self, seed: u64) -> String {
        let mut random = Uniform(seed);
        let mut clock = 0.0;
        let mut jobs: Vec<Job> = (0..self.requests)
            .map(|_| {
                clock -= self.apart * (1.0 - random.next()).ln();
                let prompt = 200.0 + (1800.0 * random.next()).floor();
                let output = 1 + (-250.0 * (1.0 - random.next()).ln()) as usize;
                Job { sent: clock, prompt, output, computed: 0.0, seen: Vec::new() }
            })
            .collect();
        clock = 0.0;
        let (mut running, mut next): (Vec<usize>, usize) = (Vec::new(), 0);
        while next < jobs.len() || !running.is_empty() {
            if running.is_empty() {
                clock = f64::max(clock, jobs[next].sent);
            }
            let (mut left, mut step) =
                (self.budget, Step { seconds: 1.0, tokens: 0.0, kv: 0.0, attention: 0.0 });
            let mut take = |job: &mut Job| {
                let known = job.prompt + job.seen.len() as f64;
                let chunk = f64::min(known - job.computed, left);
                left -= chunk;
                if job.seen.is_empty() {
                    step.attention += chunk * (job.computed + chunk / 2.0);
                }
                job.computed += chunk;
                step.tokens += chunk;
                step.kv += if chunk > 0.0 { (job.computed / 16.0).ceil() * 16.0 } else { 0.0 };
                left > 0.0
            };
            let mut more = running.iter().fold(true, |_, &number| take(&mut jobs[number]));
            while more
                && next < jobs.len()
                && jobs[next].sent <= clock
                && running.len() < self.seats
            {
                more = take(&mut jobs[next]);
                running.push(next);
                next += 1;
            }
            clock += cost(&step, &self.constants) * (1.0 + self.noise * random.noise());
            running.retain(|&number| {
                let job = &mut jobs[number];
                if job.computed == job.prompt + job.seen.len() as f64 {
                    job.seen.push(clock + self.jitter * random.next());
                }
                job.seen.len() < job.output
            });
        }
        let column = |of: &dyn Fn(&Job) -> String| {
            format!("[{}]", jobs.iter().map(of).collect::<Vec<_>>().join(","))
        };
        let gaps = |job: &Job| {
            let gaps = job.seen.windows(2).map(|pair| (pair[1] - pair[0]).to_string());
            format!("[{}]", gaps.collect::<Vec<_>>().join(","))
        };
        format!(
            "{{\"input_lens\":{},\"output_lens\":{},\"ttfts\":{},\"itls\":{},\"start_times\":{}}}",
            column(&|job| job.prompt.to_string()),
            column(&|job| job.output.to_string()),
            column(&|job| (job.seen[0] - job.sent).to_string()),
            column(&gaps),
            column(&|job| job.sent.to_string()),
        )
    }

    fn fit(&self, seed: u64) -> Fit {
        let engine = bench::Engine { budget: self.budget, block: 16.0 };
        let rebuilt = bench::read(self.result(seed).as_bytes(), engine);
        let rebuilt = rebuilt.unwrap_or_else(|why| panic!("{why}"));
        fit(&rebuilt.steps).unwrap_or_else(|why| panic!("{why}"))
    }
}

const ENGINE: Served = Served {
    constants: [2e-3, 8e-3, 4e-8, 2e-5, 0.0],
    budget: 8192.0,
    seats: 128,
    apart: 0.1,
    requests: 3000,
    noise: 0.03,
    jitter: 2e-4,
};

/// `c0` is how far that one may be off: only steps bound by compute tell it from `omega`, and they are few.
#[track_caller]
fn comes_out(engine: &Served, seed: u64, c0: f64) {
    let fit = engine.fit(seed);
    let bounds = [c0, 0.02, 0.02, 0.02, 0.02];
    for (term, bound) in bounds.into_iter().enumerate() {
        let (name, got, want) = (TERMS[term], fit.constants[term], engine.constants[term]);
        assert!((got - want).abs() <= bound * want, "{name}: {got}, not {want}\n{fit:?}");
    }
    assert!(fit.held_out < 0.03, "{fit:?}");
}

#[test]
fn known_constants_come_out_of_a_benchmark() {
    comes_out(&ENGINE, 1, 0.02);
}

#[test]
fn chunks_of_prompts_are_not_taken_for_whole_ones() {
    comes_out(&Served { budget: 2048.0, apart: 0.12, requests: 1500, ..ENGINE }, 2, 0.06);
}

#[test]
fn a_benchmark_that_sends_everything_at_once() {
    comes_out(&Served { apart: 0.0, seats: 64, requests: 1500, ..ENGINE }, 3, 0.06);
}

#[test]
fn a_benchmark_shows_attention_where_there_is_some() {
    let constants = [2e-3, 8e-3, 4e-8, 2e-5, 1e-8];
    comes_out(&Served { constants, ..ENGINE }, 4, 0.02);
}

#[test]
fn what_is_no_benchmark_to_fit_to() {
    let engine = bench::Engine { budget: 8192.0, block: 16.0 };
    let read = |text: &str| bench::read(text.as_bytes(), engine).map(|rebuilt| rebuilt.steps.len());
    let whole = r#"{"input_lens":[9],"output_lens":[5],"ttfts":[0.5],"itls":[[1,1,1,1]],"start_times":[0]}"#;
    assert_eq!(read(whole), Ok(2));
    let failed = whole.replace("0.5", "0").replace("1,1,1,1", "");
    assert_eq!(read(&failed), Ok(0));
    for (part, other, why) in [
        ("start_times", "starts", "no `start_times`"),
        ("[9]", "[9, 9]", "not of one length"),
        ("1,1,1,1", "2,2", "2.0 tokens at a time"),
        ("1,1,1,1", "1,-9,1,1", "a time of request 1"),
        ("itls", "itl", "no detailed result"),
    ] {
        let said = read(&whole.replace(part, other));
        assert!(matches!(&said, Err(what) if what.contains(why)), "{said:?}");
    }
}
