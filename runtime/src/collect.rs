//! What a run that has ended has to report.

use crate::{
    fault,
    parts::{Parts, PoolPart, StagePart, Tables},
    report::{CONSTANT, PoolCounts, PoolRow, RunRow, SeedReport, StageRow, serving},
    settings::Settings,
    station::{Link, Measures},
    stats::GapHistogram,
    world::{PoolKey, PoolSpec, StageKey, StageSpec},
};

/// The code of the note about negative work.
const NEGATIVE: &str = "S211";

/// The report of a run that ended at `end`, and that took so many seconds.
pub(crate) fn collect(
    parts: &mut dyn Parts,
    settings: &Settings,
    end: f64,
    wall_seconds: f64,
) -> SeedReport {
    let tables = parts.tables();
    let pools = (0..parts.kernel().pools.len()).map(|i| {
        let key = parts.kernel().pools[i];
        pool_row(&tables.pools[key.family as usize], key, &parts.pool(key), end)
    });
    let pools = pools.collect();
    let stages = (0..parts.kernel().stages.len()).map(|i| {
        let key = parts.kernel().stages[i];
        let spec = &tables.stages[key.family as usize];
        let measures = parts.measures(key).clone();
        let mut row = stage_row(spec, key, (&measures, &parts.stage(key)), settings, end);
        if let StagePart::Link(&mut Link { number, .. }) = parts.stage(key) {
            row.utilization = Some(parts.kernel().flows.mean_carried(number, end));
        }
        StageRow { of_several: tables.nics.contains(&key.family), ..row }
    });
    let stages = stages.collect();
    let k = parts.kernel();
    let observes = tables.observes.iter().zip(&k.observations).map(|(name, o)| {
        let mut row = o.row(name, end);
        row.steady = tables.quiet(CONSTANT, name);
        row
    });
    let arrived = k.arrived - k.arrived_before;
    let mut report = SeedReport {
        program: tables.name.into(),
        run: RunRow {
            horizon: settings.horizon,
            end,
            warmup: settings.warmup,
            seed: settings.seed,
            arrivals: k.arrived,
            ended: k.ended,
            turns: k.turns,
            mean_live: k.mean_live.mean(end),
            events: k.events,
            live_at_end: k.live,
            wall_seconds,
        },
        verdicts: Vec::new(),
        observes: observes.collect(),
        gauges: tables.gauges.iter().zip(&k.gauges).map(|(name, g)| g.row(name, end)).collect(),
        pools,
        stages,
        serving: None,
        series: None,
        timeline: None,
        notes: notes(&tables, &k.negative),
        fault: fault::row(k, &tables),
    };
    report.serving = serving::of_run(&report, arrived, &settings.look.slo);
    report
}

fn pool_row(spec: &PoolSpec, key: PoolKey, p: &PoolPart, end: f64) -> PoolRow {
    let waiting = p.queue.len() as u64;
    let so_far: f64 = p.queue.iter().map(|x| end - x.since).sum();
    let (c, b) = (p.counts, p.before);
    PoolRow {
        name: spec.name.into(),
        index: (!spec.single).then_some(key.member as usize),
        mean_used: p.averages.used.mean(end),
        mean_cached: p.averages.cached.mean(end),
        mean_queue: p.averages.queued.mean(end),
        mean_holders: p.averages.holders.mean(end),
        mean_stalled: p.averages.stalled.mean(end),
        mean_wait: p.waits.mean(),
        waiting,
        waiting_mean_so_far: (waiting > 0).then(|| so_far / waiting as f64),
        counts: c,
        measured: PoolCounts {
            admissions: c.admissions - b.admissions,
            evicted_entries: c.evicted_entries - b.evicted_entries,
            evicted_units: c.evicted_units - b.evicted_units,
            preemptions: c.preemptions - b.preemptions,
            spills: c.spills - b.spills,
            rejected: c.rejected - b.rejected,
            stuck: c.stuck - b.stuck,
        },
    }
}

fn stage_row(
    spec: &StageSpec,
    key: StageKey,
    (m, stage): (&Measures, &StagePart),
    settings: &Settings,
    end: f64,
) -> StageRow {
    let measured = end - settings.warmup;
    let each = |sum: f64| (m.completed > 0).then(|| sum / m.completed as f64);
    let mut row = StageRow {
        name: spec.name.into(),
        index: (!spec.single).then_some(key.member as usize),
        of_several: false,
        kind: spec.kind,
        mean_number: m.present.mean(end),
        utilization: None,
        completed: m.completed,
        throughput: if measured > 0.0 { m.completed as f64 / measured } else { 0.0 },
        mean_wait: each(m.waits),
        mean_service: each(m.services),
        iterations: 0,
        prefill_only: 0.0,
        decode_only: 0.0,
        mixed: 0.0,
        mean_decodes: 0.0,
        mean_decode_batch: None,
        mean_decode_step: None,
        gaps: GapHistogram::new(),
        prefill_tokens: 0.0,
        decode_tokens: 0.0,
    };
    match stage {
        StagePart::Fifo(fifo) => row.utilization = Some(fifo.utilization(end)),
        StagePart::Ps(ps) => row.utilization = Some(ps.serving.mean(end)),
        StagePart::Delay(_) | StagePart::Link(_) => {}
        StagePart::Step(e) => {
            let [iterating, prefill, decode, mixed, decodes] = e.shares.means(end, e.iterating());
            row.utilization = Some(iterating);
            (row.prefill_only, row.decode_only, row.mixed) = (prefill, decode, mixed);
            row.mean_decodes = decodes;
            row.iterations = e.iterations;
            row.mean_decode_batch = e.batch.mean();
            row.mean_decode_step = e.step.mean();
            row.gaps = e.gaps.clone();
            (row.prefill_tokens, row.decode_tokens) = (e.prefill_tokens, e.decode_tokens);
        }
    }
    row
}

fn notes(tables: &Tables, negative: &[u64]) -> Vec<String> {
    let seen = tables.sites.iter().zip(negative).filter(|(_, n)| **n > 0);
    let loud =
        seen.filter(|(site, _)| !tables.quiet(NEGATIVE, &format!("{}:{}", site.file, site.line)));
    loud.map(|(site, n)| {
        format!(
            "{}:{}:{}: work below 0 counted as 0, {n} times: `{}` [{NEGATIVE}]",
            site.file, site.line, site.col, site.text
        )
    })
    .collect()
}
