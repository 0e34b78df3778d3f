//! The cost of an engine's iteration fitted to measured ones.
//!
//! In: measured iterations ([`Step`]), from a table or rebuilt from a benchmark of requests. Out: constants of
//!
//! ```text
//! seconds = c0 + max(omega + beta * kv, a * tokens + attn * attention)
//! ```
//!
//! the cost of the examples: an iteration reads the weights and the KV of its requests, or computes its tokens, whichever
//! takes longer. Errors are relative, so that a step of 5 ms counts as much as one of 500. Which of the two a step is
//! bound by is not measured: steps are assigned, both sides fitted at once, steps assigned anew by what the fit says,
//! until nothing changes (least squares for a maximum of planes: A. Magnani and S. Boyd, Convex piecewise-linear fitting,
//! *Optimization and Engineering* 10, 2009), from several beginnings.

pub mod bench;
mod solve;
mod steps;

pub use steps::read;

/// A measured iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// How long it took, s.
    pub seconds: f64,
    /// Tokens scheduled.
    pub tokens: f64,
    /// Tokens in the KV memory of the requests scheduled.
    pub kv: f64,
    /// Sum over prefill chunks of n (K + n/2), K the position before; 0 where it was not measured.
    pub attention: f64,
}

/// The terms of the cost, in the order of [`Fit::constants`].
pub const TERMS: [&str; 5] = ["c0", "omega", "beta", "a", "attn"];
const COUNT: usize = TERMS.len();

/// Constants, and how good they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// c0 (s), omega (s), beta (s a token), a (s a token), attn (s a token squared); 0 of a term that is left out.
    pub constants: [f64; COUNT],
    /// Terms that the steps tell; another is left out.
    pub seen: [bool; COUNT],
    /// Mean relative error over the steps held out.
    pub held_out: f64,
    /// The same when the term is left out and the others fitted again.
    pub without: [f64; COUNT],
    /// Share of steps that are bound by memory.
    pub memory_bound: f64,
    /// Least and greatest tokens and KV of a step.
    pub range: [(f64, f64); 2],
    /// Steps, of which every fifth was held out.
    pub steps: usize,
}

/// Every so many steps one is held out.
const HELD_OUT: usize = 5;

/// Fits the constants.
///
/// # Errors
/// There are too few steps, or they do not tell the constants apart.
pub fn fit(steps: &[Step]) -> Result<Fit, String> {
    const LEAST: usize = 50;
    if steps.len() < LEAST {
        return Err(format!("it has {} steps, and a fit takes {LEAST}", steps.len()));
    }
    let (mut kept, mut held) = (Vec::new(), Vec::new());
    for (place, step) in steps.iter().enumerate() {
        if place % HELD_OUT == HELD_OUT - 1 { held.push(*step) } else { kept.push(*step) }
    }
    let mut terms = [true; COUNT];
    terms[4] = steps.iter().any(|step| step.attention > 0.0);
    let (constants, less) = loop {
        let constants = planes(&kept, terms).ok_or("its steps do not tell the constants apart")?;
        let less: [_; COUNT] = std::array::from_fn(|term| {
            terms[term].then(|| planes(&kept, but(terms, term))).flatten()
        });
        match unseen(&kept, &constants, &less) {
            Some(term) => terms[term] = false,
            None => break (constants, less),
        }
    };
    let seen = constants.map(|constant| constant > 0.0);
    let held_out = mean_error(&held, &constants);
    let without = std::array::from_fn(|term| match (seen[term], &less[term]) {
        (false, _) => held_out,
        (true, None) => f64::INFINITY,
        (true, Some(less)) => mean_error(&held, less),
    });
    let bound = steps.iter().filter(|step| memory(step, &constants) >= compute(step, &constants));
    let range = |of: fn(&Step) -> f64| {
        let values = steps.iter().map(of);
        values
            .fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), x| (least.min(x), most.max(x)))
    };
    Ok(Fit {
        constants,
        seen,
        held_out,
        without,
        memory_bound: bound.count() as f64 / steps.len() as f64,
        range: [range(|step| step.tokens), range(|step| step.kv)],
        steps: steps.len(),
    })
}

fn but(mut terms: [bool; COUNT], term: usize) -> [bool; COUNT] {
    terms[term] = false;
    terms
}

/// A term of which the steps do not tell that it is not 0: without it the sum of squares is not greater by more than
/// chance makes it (an F test of one term at four standard errors). `less` are the constants without each term. The least
/// certain come first: what is left out goes to those that stay.
fn unseen(
    steps: &[Step],
    constants: &[f64; COUNT],
    less: &[Option<[f64; COUNT]>; COUNT],
) -> Option<usize> {
    const LEAST: f64 = 16.0;
    const ROUNDING: f64 = 1e-18;
    let with = squares(steps, constants);
    let by_chance = (LEAST * with / steps.len() as f64).max(ROUNDING * steps.len() as f64);
    [4, 0, 3, 2, 1].into_iter().find(|&term| {
        less[term]
            .is_some_and(|less| constants[term] == 0.0 || squares(steps, &less) - with < by_chance)
    })
}

fn squares(steps: &[Step], constants: &[f64; COUNT]) -> f64 {
    steps.iter().map(|step| error(step, constants).powi(2)).sum()
}

fn memory(step: &Step, constants: &[f64; COUNT]) -> f64 {
    constants[1] + constants[2] * step.kv
}

fn compute(step: &Step, constants: &[f64; COUNT]) -> f64 {
    constants[3] * step.tokens + constants[4] * step.attention
}

fn cost(step: &Step, constants: &[f64; COUNT]) -> f64 {
    constants[0] + memory(step, constants).max(compute(step, constants))
}

fn error(step: &Step, constants: &[f64; COUNT]) -> f64 {
    (cost(step, constants) - step.seconds) / step.seconds
}

fn mean_error(steps: &[Step], constants: &[f64; COUNT]) -> f64 {
    steps.iter().map(|step| error(step, constants).abs()).sum::<f64>() / steps.len() as f64
}

/// The best of several fits, by the sum of squares.
fn planes(steps: &[Step], terms: [bool; COUNT]) -> Option<[f64; COUNT]> {
    let mut by_tokens: Vec<f64> = steps.iter().map(|step| step.tokens).collect();
    by_tokens.sort_by(f64::total_cmp);
    let splits = [1, 3, 5, 7, 9].map(|tenth| by_tokens[by_tokens.len() * tenth / 10]);
    // The simplest comes first: another must be better by more than rounding, or than a few constants are by chance.
    let mut best: Option<([f64; COUNT], f64)> = None;
    for split in [f64::INFINITY].into_iter().chain(splits) {
        let Some(found) = from(steps, terms, split) else { continue };
        let squares = squares(steps, &found);
        let least = |least: f64| 0.999 * least - 1e-18 * steps.len() as f64;
        if best.as_ref().is_none_or(|(_, known)| squares < least(*known)) {
            best = Some((found, squares));
        }
    }
    best.map(|(found, _)| found)
}

/// A fit that begins with all steps of more than `split` tokens bound by compute.
fn from(steps: &[Step], terms: [bool; COUNT], split: f64) -> Option<[f64; COUNT]> {
    const ROUNDS: usize = 100;
    let mut bound: Vec<bool> = steps.iter().map(|step| step.tokens > split).collect();
    let mut constants = None;
    for _ in 0..ROUNDS {
        let rows = steps.iter().zip(&bound).map(|(step, &by_compute)| {
            let row = match by_compute {
                false => [1.0, 1.0, step.kv, 0.0, 0.0],
                true => [1.0, 0.0, 0.0, step.tokens, step.attention],
            };
            row.map(|x| x / step.seconds)
        });
        let found = solve::positive(rows.clone(), terms)
            // Where all steps are bound by one side, nothing tells what is common to both.
            .or_else(|| solve::positive(rows, but(terms, 0)))?;
        let next: Vec<bool> =
            steps.iter().map(|step| compute(step, &found) > memory(step, &found)).collect();
        constants = Some(found);
        if next == bound {
            break;
        }
        bound = next;
    }
    constants
}

#[cfg(test)]
mod tests;
