//! A small report for tests, made through the statistics themselves.

use super::{PoolCounts, PoolRow, RunRow, SeedReport, StageRow};
use crate::{
    settings::Settings,
    stats::{GapHistogram, GaugeSignal, Observation},
    world::StageType,
};

/// A run of an engine with two paged pools, a slot pool, a link and a delay; numbers vary by seed.
pub fn report(seed: u64, samples: bool) -> SeedReport {
    let settings = Settings {
        seed,
        horizon: 1000.0,
        warmup: 100.0,
        arrivals: None,
        samples,
        strict: false,
        trace: None,
        plain_engine: false,
        look: Default::default(),
    };
    let mut ttft = Observation::new(&settings);
    let mut remote = Observation::new(&settings);
    let mut depth = GaugeSignal::new(&settings);
    let mut gaps = GapHistogram::new();
    for i in 0..2000u64 {
        let t = i as f64 * 0.5;
        let noise = ((i + 31 * seed) * 7919 % 997) as f64 / 997.0;
        ttft.add(t, i, 1, 0.02 + 0.02 * noise * noise + 0.0005 * seed as f64);
        remote.add(t, i, 1, f64::from(noise < 0.59));
        depth.set(t, (i % 5) as f64);
        gaps.add(0.001 + noise * 0.001, 3);
    }
    let pool = |name: &str, index, used: f64| PoolRow {
        name: name.into(),
        index,
        mean_used: used + seed as f64,
        mean_cached: if index.is_some() { 1234.5 } else { 0.0 },
        mean_queue: 0.25,
        mean_holders: 3.5,
        mean_wait: Some(0.0123),
        counts: PoolCounts { admissions: 4321, ..PoolCounts::default() },
        measured: PoolCounts { admissions: 4000, ..PoolCounts::default() },
        ..PoolRow::default()
    };
    let stage = |name: &str, kind, index| StageRow {
        name: name.into(),
        index,
        of_several: false,
        kind,
        mean_number: 1.5,
        utilization: (kind != StageType::Delay).then_some(0.437),
        completed: 1800,
        throughput: 2.0,
        mean_wait: (kind == StageType::Fifo).then_some(0.001),
        mean_service: Some(0.25),
        iterations: if kind == StageType::Step { 54_321 } else { 0 },
        prefill_only: 0.1,
        decode_only: 0.3,
        mixed: 0.037,
        mean_decodes: 0.9,
        mean_decode_batch: (kind == StageType::Step).then_some(2.5),
        mean_decode_step: (kind == StageType::Step).then_some(0.00042),
        gaps: if kind == StageType::Step { gaps.clone() } else { GapHistogram::new() },
        prefill_tokens: if kind == StageType::Step { 1e6 } else { 0.0 },
        decode_tokens: if kind == StageType::Step { 2e5 } else { 0.0 },
    };
    SeedReport {
        program: "small".into(),
        run: RunRow {
            horizon: 1000.0,
            end: 1000.0,
            warmup: 100.0,
            seed,
            arrivals: 2000,
            ended: 1790,
            turns: 1800,
            mean_live: 4.25,
            events: 123_456,
            live_at_end: 6,
            wall_seconds: 0.1 * seed as f64,
        },
        verdicts: Vec::new(),
        observes: vec![ttft.row("ttft", 1000.0), remote.row("remote", 1000.0)],
        gauges: vec![depth.row("depth", 1000.0)],
        pools: vec![
            pool("D.kv", Some(0), 1000.0),
            pool("D.kv", Some(1), 2000.0),
            pool("slots", None, 10.0),
        ],
        stages: vec![
            stage("D", StageType::Step, Some(0)),
            stage("D", StageType::Step, Some(1)),
            stage("D.nic", StageType::Link, None),
            stage("tool", StageType::Delay, None),
        ],
        serving: None,
        series: None,
        timeline: None,
        notes: Vec::new(),
        fault: None,
    }
}
