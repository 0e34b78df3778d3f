//! One engine of continuous batching. Between arrivals, completions and prompts nothing changes: those iterations are
//! run in a loop of one addition each.

use crate::{Mean, Observed, Run, Values, observed};
use std::collections::VecDeque;

/// A request with a slot, in the order of admission.
struct Resident {
    arrived: f64,
    /// Tokens of the prompt that are left, and those in the iteration.
    prompt: f64,
    chunk: f64,
    /// It decodes: the number of its last iteration.
    last: u64,
    output: u64,
}

struct Waiting {
    arrived: f64,
    prompt: f64,
    output: u64,
}

pub(crate) fn simulate(values: &Values, run: &Run) -> Result<Vec<Observed>, String> {
    let gap = 1.0 / values.get("Lambda")?;
    let (slots, budget) = (values.get("slots")? as usize, values.get("B")?);
    let (fixed, token) = (values.get("c0")?, values.get("a")?);
    let (shortest, longest) = (values.get("shortest")?, values.get("longest")?);
    let output = values.get("output")?;
    let mut arrivals = run.arrivals();
    let mut queue: VecDeque<Waiting> = VecDeque::new();
    let mut residents: Vec<Resident> = Vec::new();
    let (mut ttft, mut response) = (Mean::default(), Mean::default());
    let (mut arrival, mut serial) = (0.0, 0);
    // Iterations that began, and the end of the one under way; infinite when the engine is idle.
    let (mut iteration, mut end) = (0, f64::INFINITY);
    loop {
        let now = f64::min(arrival, end);
        if now > run.horizon {
            return Ok(observed(&[("ttft", ttft), ("response", response)]));
        }
        if now == arrival {
            arrival = now + arrivals.exp(gap);
            let mut stream = run.session(serial);
            serial += 1;
            let prompt = stream.uniform(shortest, longest).floor();
            let output = stream.exp(output).floor() as u64 + 1;
            queue.push_back(Waiting { arrived: now, prompt, output });
            if end < f64::INFINITY {
                continue;
            }
        } else {
            residents.retain_mut(|r| {
                if r.prompt > 0.0 {
                    r.prompt -= r.chunk;
                    if r.chunk > 0.0 && r.prompt == 0.0 {
                        ttft.add(run, now, now - r.arrived);
                        r.last = iteration + r.output;
                    }
                    return true;
                }
                let stays = r.last > iteration;
                if !stays {
                    response.add(run, now, now - r.arrived);
                }
                stays
            });
        }
        // The next iteration: residents in the order of admission, then those that wait.
        let mut left = budget;
        let (mut prefills, mut first) = (false, u64::MAX);
        for r in &mut residents {
            if r.prompt > 0.0 {
                r.chunk = r.prompt.min(left);
                left -= r.chunk;
                prefills = true;
            } else {
                left -= 1.0;
                first = first.min(r.last);
            }
        }
        while left > 0.0 && residents.len() < slots {
            let Some(Waiting { arrived, prompt, output }) = queue.pop_front() else { break };
            let chunk = prompt.min(left);
            left -= chunk;
            prefills = true;
            residents.push(Resident { arrived, prompt, chunk, last: 0, output });
        }
        if residents.is_empty() {
            end = f64::INFINITY;
            continue;
        }
        let cost = fixed + token * (budget - left);
        iteration += 1;
        end = now + cost;
        if !prefills {
            // Nobody completes before iteration `first`, and who arrives is admitted when the iteration under way
            // then ends; when no slot is free, not before one is given up.
            let until = if residents.len() < slots { arrival } else { f64::INFINITY };
            while iteration < first && end < until && end <= run.horizon {
                iteration += 1;
                end += cost;
            }
        }
    }
}
