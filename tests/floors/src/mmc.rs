//! M/M/c: a slot for the arrivals and one for each server.

use crate::{Mean, Observed, Run, Values, observed, slots::Slots};
use std::collections::VecDeque;

/// The slot of the arrivals; the servers follow.
const ARRIVAL: usize = 0;

pub(crate) fn simulate(values: &Values, run: &Run) -> Result<Vec<Observed>, String> {
    let (gap, service) = (1.0 / values.get("lambda")?, values.get("s")?);
    let servers = values.get("c")? as usize;
    let mut arrivals = run.arrivals();
    let mut clock = Slots::new(1 + servers);
    let mut idle: Vec<usize> = (1..=servers).rev().collect();
    // When the request in each server arrived.
    let mut inside = vec![0.0; 1 + servers];
    let mut queue: VecDeque<(f64, f64)> = VecDeque::new();
    let mut response = Mean::default();
    let mut serial = 0;
    clock.set(ARRIVAL, 0.0);
    loop {
        let (now, slot) = clock.next();
        if now > run.horizon {
            return Ok(observed(&[("response", response)]));
        }
        if slot == ARRIVAL {
            clock.set(ARRIVAL, now + arrivals.exp(gap));
            let work = run.session(serial).exp(service);
            serial += 1;
            match idle.pop() {
                Some(server) => {
                    inside[server] = now;
                    clock.set(server, now + work);
                }
                None => queue.push_back((now, work)),
            }
        } else {
            response.add(run, now, now - inside[slot]);
            match queue.pop_front() {
                Some((arrived, work)) => {
                    inside[slot] = arrived;
                    clock.set(slot, now + work);
                }
                None => {
                    idle.push(slot);
                    clock.set(slot, f64::INFINITY);
                }
            }
        }
    }
}
