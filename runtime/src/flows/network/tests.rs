//! A part of the network divided alone, against the whole.

use super::{Flows, Owner, Route, Share};
use crate::{
    rng::{Stream, StreamKind},
    settings::Settings,
    world::{Sid, StageKey, StageSpec, StageType},
};

/// A stage that nobody reads.
const NIC: StageSpec = StageSpec {
    name: "nic",
    single: false,
    kind: StageType::Link,
    exclusive: false,
    only: false,
    serve_keys: 0,
    memory: None,
    serves: &[],
    plannable: false,
    cost_site: 0,
    dirty: 0,
    kept: 0,
};

fn settings() -> Settings {
    Settings {
        seed: 1,
        horizon: 100.0,
        warmup: 0.0,
        arrivals: None,
        samples: false,
        strict: false,
        trace: None,
        plain_engine: false,
        look: Default::default(),
    }
}

/// Rates of all flows and of all links, found for the whole network at once.
fn whole(network: &Flows) -> (Vec<u64>, Vec<u64>) {
    let routes: Vec<&[u32]> = network.flows.iter().map(|f| f.route.links()).collect();
    let capacity = |i: u32| network.links[i as usize].capacity;
    let mut met: Vec<u32> = Vec::new();
    routes.iter().copied().flatten().for_each(|i| {
        if !met.contains(i) {
            met.push(*i);
        }
    });
    let over = |i: u32, open: &dyn Fn(usize) -> bool| {
        (0..routes.len()).filter(|&f| open(f) && routes[f].contains(&i)).count() as f64
    };
    let mut rates = vec![f64::NAN; routes.len()];
    if network.share == Share::Bottleneck {
        for (rate, route) in rates.iter_mut().zip(&routes) {
            let parts = route.iter().map(|&i| capacity(i) / over(i, &|_| true));
            *rate = parts.fold(f64::INFINITY, f64::min);
        }
    }
    let mut left: Vec<f64> = network.links.iter().map(|link| link.capacity).collect();
    while rates.iter().any(|r| r.is_nan()) {
        let part = |&i: &u32| match over(i, &|f| rates[f].is_nan()) {
            0.0 => None,
            open => Some((left[i as usize] / open, i)),
        };
        // The first of the least.
        let least = met.iter().filter_map(part).reduce(|a, b| if b.0 < a.0 { b } else { a });
        let (part, full) = least.unwrap_or_default();
        for f in (0..routes.len()).filter(|&f| routes[f].contains(&full)) {
            if rates[f].is_nan() {
                rates[f] = part;
                routes[f].iter().for_each(|&i| {
                    left[i as usize] = (left[i as usize] - part).max(0.0);
                });
            }
        }
    }
    let mut carried = vec![0.0_f64; network.links.len()];
    for (rate, route) in rates.iter().zip(&routes) {
        route.iter().for_each(|&i| carried[i as usize] += rate);
    }
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect();
    (bits(&rates), bits(&carried))
}

fn route(links: &[u32]) -> Route {
    let route = match *links {
        [a] => [a].into(),
        [a, b] => [a, b].into(),
        [a, b, c] => [a, b, c].into(),
        [a, b, c, d] => [a, b, c, d].into(),
        _ => Route::default(),
    };
    assert_eq!(Route::links(&route), links);
    route
}

/// So many links, all different.
fn draw_links(draws: &mut Stream, count: usize, of: u32) -> Vec<u32> {
    let mut links: Vec<u32> = Vec::new();
    while links.len() < count {
        let i = (draws.uniform(0.0, f64::from(of)) as u32).min(of - 1);
        if !links.contains(&i) {
            links.push(i);
        }
    }
    links
}

#[test]
fn a_part_divided_alone_has_the_rates_of_the_whole() {
    let mut draws = Stream::new(7, StreamKind::Machine, 0, 0);
    let (mut apart, mut several, mut alone) = (0, 0, 0);
    for round in 0..60 {
        let share = [Share::Maxmin, Share::Bottleneck][round % 2];
        let mut network = Flows::new(Some(share));
        let links = 4 + round as u32;
        for i in 0..links {
            // Some are equal, so that there are ties.
            let capacity = 1.0 + draws.uniform(0.0, 8.0).floor() / 3.0;
            network.add_link(StageKey::new(0, i as usize), &NIC, capacity, &settings());
        }
        let mut now = 0.0;
        for step in 0..200 {
            now += draws.exp(1.0);
            let present = network.flows.len();
            if present > 0 && draws.bernoulli(if present > 24 { 0.9 } else { 0.4 }) == 1.0 {
                let at = draws.uniform(0.0, present as f64) as usize;
                if network.is_alone() {
                    network.take::<true>(now, 0, |_, _| ());
                    alone += 1;
                } else {
                    network.take::<false>(now, at.min(present - 1), |_, _| ());
                }
            } else {
                let count = [1, 2, 2, 2, 3, 4][step % 6];
                let on = draw_links(&mut draws, count, links);
                let work = 1.0 + draws.exp(5.0);
                let order = step as u64;
                let of = Owner { session: step as Sid, order, part: false };
                let route = route(&on);
                if network.is_idle_for(&route) {
                    network.begin::<true>(now, of, route, work, |_| ());
                } else {
                    network.begin::<false>(now, of, route, work, |_| ());
                }
            }
            let reached = network.clone().reach();
            apart += usize::from(reached < network.flows.len());
            several += usize::from(reached > 1);
            let end = network.solve(now);
            let (rates, carried) = whole(&network);
            let found: Vec<u64> = network.flows.iter().map(|f| f.rate.to_bits()).collect();
            assert_eq!(found, rates, "round {round}, step {step}");
            let found: Vec<u64> = network.links.iter().map(|l| l.rate.to_bits()).collect();
            assert_eq!(found, carried, "round {round}, step {step}");
            // What is measured of a link is what it carries, also where it was not divided anew.
            let measured = network.links.iter().map(|l| (l.carried.value(), l.rate / l.capacity));
            measured.for_each(|(measured, load)| {
                assert_eq!(measured.to_bits(), load.to_bits(), "round {round}, step {step}");
            });
            let ends = network.flows.iter().map(|f| f.end(now));
            assert_eq!(end, ends.reduce(f64::min));
            assert_eq!(network.scheduled(), end.map(|_| network.next));
            assert!(!network.changed() && network.links.iter().all(|l| !l.reached));
        }
    }
    assert!(apart > 1000 && several > 1000 && alone > 10, "{apart} {several} {alone}");
}
