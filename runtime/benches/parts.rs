//! The runtime's parts one by one: clock, random streams, statistics; and stations, pools and engines in programs as
//! the compiler emits them, where nothing else takes much time.
//!
//! `cargo bench -p serq-runtime`; a part's name after `--` runs that part alone.

use criterion::{BenchmarkId, Criterion, Throughput};
use serq_runtime::{
    kernel::Clock,
    rng::{Stream, StreamKind},
    settings::Settings,
    simulate::simulate,
    stats::{GapHistogram, LogHistogram, Observation},
    world::World,
};
use std::hint::black_box;

/// Emitted for the examples; each has a `main` of its own.
#[rustfmt::skip]
#[allow(dead_code, missing_docs)]
#[path = "../../generated/closed_mmn1/src/main.rs"]
mod closed_mmn1;
#[rustfmt::skip]
#[allow(dead_code, missing_docs)]
#[path = "../../generated/mm1/src/main.rs"]
mod mm1;
#[rustfmt::skip]
#[allow(dead_code, missing_docs)]
#[path = "../../generated/mmc/src/main.rs"]
mod mmc;
#[rustfmt::skip]
#[allow(dead_code, missing_docs)]
#[path = "../../generated/ps/src/main.rs"]
mod ps;
#[rustfmt::skip]
#[allow(dead_code, missing_docs)]
#[path = "../../generated/vllm/src/main.rs"]
mod vllm;

/// Operations per measurement, where one alone is too short.
const MANY: u64 = 1000;

fn clock(c: &mut Criterion) {
    let mut group = c.benchmark_group("clock");
    group.throughput(Throughput::Elements(MANY));
    for slots in [2, 16, 128, 1024] {
        let mut draws = Stream::new(1, StreamKind::Machine, 0, 0);
        let mut clock = Clock::new(slots);
        for slot in 0..slots {
            clock.set(slot, draws.exp(1.0));
        }
        // The earliest event is taken and its slot set again, as in a simulation.
        group.bench_function(BenchmarkId::new("hold", slots), |b| {
            b.iter(|| {
                for _ in 0..MANY {
                    let (now, slot) = clock.next();
                    clock.set(slot, now + draws.exp(1.0));
                }
            });
        });
    }
    group.finish();
}

fn streams(c: &mut Criterion) {
    let mut group = c.benchmark_group("streams");
    group.bench_function("new", |b| {
        let mut session = 0;
        b.iter(|| {
            session += 1;
            Stream::new(1, StreamKind::Session, black_box(session), 0)
        });
    });
    let mut s = Stream::new(1, StreamKind::Session, 0, 0);
    group.bench_function("u01", |b| b.iter(|| s.u01()));
    group.bench_function("exp", |b| b.iter(|| s.exp(black_box(2.0))));
    group.bench_function("h2", |b| b.iter(|| s.h2(black_box(2.0), black_box(4.0))));
    group.bench_function("erlang 4", |b| b.iter(|| s.erlang(black_box(4.0), black_box(2.0))));
    group.finish();
}

fn statistics(c: &mut Criterion) {
    let mut draws = Stream::new(1, StreamKind::Machine, 0, 0);
    let values: Vec<f64> = (0..MANY).map(|_| draws.exp(0.05)).collect();
    let mut group = c.benchmark_group("statistics");
    group.throughput(Throughput::Elements(MANY));
    let mut histogram = LogHistogram::new();
    group.bench_function("histogram", |b| b.iter(|| values.iter().for_each(|&x| histogram.add(x))));
    let mut gaps = GapHistogram::new();
    group.bench_function("gaps", |b| b.iter(|| values.iter().for_each(|&x| gaps.add(x, 7))));
    let mut observation = Observation::new(&settings(1.0));
    group.bench_function("observation", |b| {
        b.iter(|| values.iter().for_each(|&x| observation.add(2.0, 1, 1, x)));
    });
    group.finish();
}

/// A run of so many seconds.
fn settings(horizon: f64) -> Settings {
    Settings {
        seed: 1,
        horizon,
        warmup: 0.0,
        arrivals: None,
        trace: None,
        samples: false,
        strict: false,
        plain_engine: false,
        look: Default::default(),
    }
}

/// A program's constants, some of them changed.
fn values<W: World>(changed: &[(&str, f64)]) -> Vec<f64> {
    let mut values: Vec<f64> = Vec::new();
    for (i, param) in W::PARAMS.iter().enumerate() {
        let set = changed.iter().find(|(name, _)| *name == param.name);
        // A default reads only those before it.
        let value = set.map_or_else(|| W::param(i, &mut |j| values[j]), |&(_, value)| value);
        values.push(value);
    }
    values
}

/// One run per measurement, for as many requests as it says.
fn program<W: World>(c: &mut Criterion, name: &str, changed: &[(&str, f64)], horizon: f64) {
    let (values, settings) = (values::<W>(changed), settings(horizon));
    let run = || simulate::<W>(&values, &settings).map(|report| report.run.events);
    let Ok(events) = run() else { panic!("{name}: its constants are refused") };
    let mut group = c.benchmark_group("programs");
    group.throughput(Throughput::Elements(events)).sample_size(20);
    group.bench_function(name, |b| b.iter(run));
    group.finish();
}

fn stations(c: &mut Criterion) {
    program::<mm1::Model>(c, "fifo", &[], 2e4);
    program::<mmc::Model>(c, "fifo of 16", &[("c", 16.0), ("lambda", 12.8)], 2e3);
    program::<ps::Model>(c, "ps", &[], 1e4);
    // Few of the requests wait: what is measured is the delay stage, its heap grown by the number of users.
    for users in [64.0, 4096.0] {
        let changed = [("N", users), ("s", 0.1), ("Z", users / 4.0)];
        program::<closed_mmn1::Model>(c, &format!("delay of {users}"), &changed, 5e3);
    }
}

fn pools(c: &mut Criterion) {
    program::<vllm::Model>(c, "pool with room", &[], 300.0);
    // So few blocks that prefixes are evicted at nearly every admission, and requests preempted.
    program::<vllm::Model>(c, "pool with eviction", &[("blocks", 1100.0)], 300.0);
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for part in [clock, streams, statistics, stations, pools] {
        part(&mut criterion);
    }
    criterion.final_summary();
}
