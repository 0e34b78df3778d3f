//! M/M/1//N: a slot for the server and one for each user who thinks.

use crate::{Mean, Observed, Run, Values, observed, slots::Slots};
use serq_runtime::rng::Stream;
use std::collections::VecDeque;

pub(crate) fn simulate(values: &Values, run: &Run) -> Result<Vec<Observed>, String> {
    let (users, service, think) = (values.get("N")? as usize, values.get("s")?, values.get("Z")?);
    let mut streams: Vec<Stream> = (0..users as u64).map(|user| run.session(user)).collect();
    // The slot of the server; the users' have their numbers.
    let server = users;
    let mut clock = Slots::new(users + 1);
    for (user, stream) in streams.iter_mut().enumerate() {
        clock.set(user, stream.exp(think));
    }
    let mut queue: VecDeque<(usize, f64, f64)> = VecDeque::new();
    let mut response = Mean::default();
    loop {
        let (now, slot) = clock.next();
        if now > run.horizon {
            return Ok(observed(&[("response", response)]));
        }
        if slot == server {
            if let Some((user, arrived, _)) = queue.pop_front() {
                response.add(run, now, now - arrived);
                clock.set(user, now + streams[user].exp(think));
            }
            let next = queue.front().map_or(f64::INFINITY, |(_, _, work)| now + work);
            clock.set(server, next);
        } else {
            clock.set(slot, f64::INFINITY);
            let work = streams[slot].exp(service);
            if queue.is_empty() {
                clock.set(server, now + work);
            }
            queue.push_back((slot, now, work));
        }
    }
}
