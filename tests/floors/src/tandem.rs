//! Queues in tandem: a slot for the arrivals and one for each stage.

use crate::{Mean, Observed, Run, Values, observed, slots::Slots};
use serq_runtime::rng::Stream;
use std::collections::VecDeque;

/// The slot of the arrivals; the stages follow.
const ARRIVAL: usize = 0;

struct Request {
    arrived: f64,
    stream: Stream,
    /// Its service at the stage where it is, s.
    work: f64,
}

pub(crate) fn simulate(values: &Values, run: &Run) -> Result<Vec<Observed>, String> {
    let (gap, service) = (1.0 / values.get("lambda")?, values.get("s")?);
    let stages = values.get("n")? as usize;
    let mut arrivals = run.arrivals();
    let mut clock = Slots::new(1 + stages);
    let mut queues: Vec<VecDeque<Request>> = (0..=stages).map(|_| VecDeque::new()).collect();
    let mut response = Mean::default();
    let mut serial = 0;
    clock.set(ARRIVAL, 0.0);
    loop {
        let (now, slot) = clock.next();
        if now > run.horizon {
            return Ok(observed(&[("response", response)]));
        }
        let moving = if slot == ARRIVAL {
            clock.set(ARRIVAL, now + arrivals.exp(gap));
            serial += 1;
            Some(Request { arrived: now, stream: run.session(serial - 1), work: 0.0 })
        } else {
            let done = queues[slot].pop_front();
            let next = queues[slot].front().map_or(f64::INFINITY, |next| now + next.work);
            clock.set(slot, next);
            done
        };
        let Some(mut request) = moving else { continue };
        if slot == stages {
            response.add(run, now, now - request.arrived);
            continue;
        }
        request.work = request.stream.exp(service);
        if queues[slot + 1].is_empty() {
            clock.set(slot + 1, now + request.work);
        }
        queues[slot + 1].push_back(request);
    }
}
