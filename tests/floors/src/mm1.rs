//! M/M/1: the next arrival, the next departure, and a queue between them.

use crate::{Mean, Observed, Run, Values, observed};
use std::collections::VecDeque;

pub(crate) fn simulate(values: &Values, run: &Run) -> Result<Vec<Observed>, String> {
    let (gap, service) = (1.0 / values.get("lambda")?, values.get("s")?);
    let mut arrivals = run.arrivals();
    let mut queue: VecDeque<(f64, f64)> = VecDeque::new();
    let mut response = Mean::default();
    let (mut arrival, mut departure, mut serial) = (0.0, f64::INFINITY, 0);
    loop {
        let now = f64::min(arrival, departure);
        if now > run.horizon {
            return Ok(observed(&[("response", response)]));
        }
        if arrival <= departure {
            arrival = now + arrivals.exp(gap);
            let work = run.session(serial).exp(service);
            serial += 1;
            if queue.is_empty() {
                departure = now + work;
            }
            queue.push_back((now, work));
        } else {
            if let Some((arrived, _)) = queue.pop_front() {
                response.add(run, now, now - arrived);
            }
            departure = queue.front().map_or(f64::INFINITY, |(_, work)| now + work);
        }
    }
}
