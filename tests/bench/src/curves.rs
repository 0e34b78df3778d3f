//! How time per request and memory grow with horizon, load, pods and live sessions.
//!
//! Each point is the median of a few runs of a compiled program on one core; the start of the process is part of it.

use crate::{
    build::{Length, Programs},
    measure::Machine,
    plot::{Chart, Series},
    ratio::Quartiles,
    write,
};
use serq_floors::floor;
use std::{fs, path::PathBuf};

/// Draws curves of time per request and memory.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder for the plots and their numbers
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Short runs and few points: to see that it works
    #[arg(long)]
    quick: bool,
}

/// Programs by what is said of them.
const PULL: &str = "examples/pd-disaggregation/llmd_nixl_pull.sq";
const CLOSED: &str = "examples/single-turn/closed_mmn1.sq";

/// What a point costs.
pub(crate) struct Point {
    /// CPU microseconds per request that ended, or turn.
    pub time: f64,
    /// Most memory at once, MB.
    pub memory: f64,
}

/// Measures points.
pub(crate) struct Meter {
    pub programs: Programs,
    /// Runs of each.
    pub runs: u64,
}

impl Meter {
    pub fn point(
        &mut self,
        program: &'static str,
        values: &[(&str, f64)],
        length: Length,
        observed: &str,
    ) -> Result<Point, String> {
        let line = self.programs.line(program, values, length)?;
        let (mut times, mut memories) = (Vec::new(), Vec::new());
        for seed in 1..=self.runs {
            let cost = line.run(seed)?;
            let requests = requests(&cost.output, observed)?;
            // Those before the warm-up, a tenth of the run, cost as much.
            times.push(1e6 * cost.cpu / (requests / 0.9));
            memories.push(cost.peak / 1e6);
        }
        Ok(Point { time: Quartiles::of(&times).median, memory: Quartiles::of(&memories).median })
    }
}

/// How often a run observed something, which it does once per request.
fn requests(output: &str, observed: &str) -> Result<f64, String> {
    let line = output.lines().next().unwrap_or_default();
    let answer: serde_json::Value =
        serde_json::from_str(line).map_err(|error| format!("{error} in {line}"))?;
    let count = answer["observes"][observed]["count"].as_f64();
    count.filter(|&n| n > 0.0).ok_or_else(|| format!("no `{observed}` in {line}"))
}

/// The numbers up to `most`.
fn up_to(most: f64, numbers: &[f64]) -> impl Iterator<Item = f64> {
    numbers.iter().copied().filter(move |x| *x <= most)
}

/// Draws all curves.
///
/// # Errors
/// A program does not build, a run fails or a file cannot be written.
pub(crate) fn draw(options: &Options, core: Option<usize>) -> Result<(), String> {
    let machine = Machine::here(core);
    println!("{machine}");
    let runs = if options.quick { 1 } else { 3 };
    let mut meter = Meter { programs: Programs::default(), runs };
    fs::create_dir_all(&options.out)
        .map_err(|error| format!("{}: {error}", options.out.display()))?;
    let mut charts = horizon(&mut meter, options.quick)?;
    charts.push(load(&mut meter, options.quick)?);
    charts.push(pods(&mut meter, options.quick)?);
    charts.extend(sessions(&mut meter, options.quick)?);
    for chart in &charts {
        chart.draw(&options.out)?;
        println!("{}.svg: {}", chart.file, chart.title);
    }
    let all = serde_json::json!({ "machine": machine, "quick": options.quick, "charts": charts });
    write(&options.out.join("curves.json"), &format!("{all:#}\n"))
}

fn horizon(meter: &mut Meter, quick: bool) -> Result<Vec<Chart>, String> {
    let most = if quick { 3e3 } else { 1e5 };
    let (mut times, mut memories) = (Vec::new(), Vec::new());
    for horizon in up_to(most, &[1e3, 3e3, 1e4, 3e4, 1e5]) {
        let point = meter.point(PULL, &[], Length::of(horizon), "response")?;
        times.push((horizon, point.time));
        memories.push((horizon, point.memory));
    }
    let one = |points| vec![Series { name: "llmd_nixl_pull".into(), points }];
    Ok(vec![
        Chart {
            file: "time_horizon",
            title: "Time per request against the horizon",
            x: "simulated seconds",
            y: "CPU microseconds per request",
            series: one(times),
        },
        Chart {
            file: "memory_horizon",
            title: "Memory against the horizon",
            x: "simulated seconds",
            y: "MB",
            series: one(memories),
        },
    ])
}

/// The arrival rate's name, and what it is at a load of 1.
fn saturation(name: &str) -> (&'static str, f64) {
    match name {
        "mm16" => ("lambda", 16.0),
        // All slots taken: 64 requests share the fixed time of 251 iterations, on average, and pay for 1351 tokens.
        "batching" => ("Lambda", 1.0 / (5e-3 * 251.5 / 64.0 + 2e-5 * 1351.0)),
        _ => ("lambda", 1.0),
    }
}

fn load(meter: &mut Meter, quick: bool) -> Result<Chart, String> {
    let least = if quick { 0.8 } else { 0.0 };
    let loads = [0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95];
    let mut series = Vec::new();
    for name in ["mm1", "mm16", "tandem10", "batching"] {
        let floor = floor(name).ok_or("no such floor")?;
        let (rate, full) = saturation(name);
        let mut points = Vec::new();
        for load in loads.into_iter().filter(|&load| load >= least) {
            let mut values = floor.values.to_vec();
            values.iter_mut().filter(|x| x.0 == rate).for_each(|x| x.1 = load * full);
            let length = Length::of(floor.second / if quick { 100.0 } else { 10.0 } / load);
            let point = meter.point(floor.program, &values, length, "response")?;
            points.push((load, point.time));
        }
        series.push(Series { name: name.into(), points });
    }
    Ok(Chart {
        file: "time_load",
        title: "Time per request against the load",
        x: "load, 1 = saturation",
        y: "CPU microseconds per request",
        series,
    })
}

fn pods(meter: &mut Meter, quick: bool) -> Result<Chart, String> {
    let requests = if quick { 2e3 } else { 4e4 };
    let mut points = Vec::new();
    for pods in up_to(if quick { 4.0 } else { 64.0 }, &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]) {
        let rate = 0.3 * pods;
        let values = [("NP", pods), ("ND", pods), ("Lambda", rate)];
        // A session has about eight requests.
        let point = meter.point(PULL, &values, Length::of(requests / 8.0 / rate), "response")?;
        points.push((pods, point.time));
    }
    Ok(Chart {
        file: "time_pods",
        title: "Time per request against NP = ND, load in proportion",
        x: "prefill pods and decode pods",
        y: "CPU microseconds per request",
        series: vec![Series { name: "llmd_nixl_pull".into(), points }],
    })
}

fn sessions(meter: &mut Meter, quick: bool) -> Result<Vec<Chart>, String> {
    let (mut times, mut memories) = (Vec::new(), Vec::new());
    let most = if quick { 1e3 } else { 2e5 };
    for users in up_to(most, &[1e2, 1e3, 1e4, 5e4, 1e5, 2e5]) {
        // The server is used to 0.8 whatever their number.
        let values = [("N", users), ("s", 1.0), ("Z", users / 0.8)];
        let length = Length::of(if quick { 1e4 } else { 2e6 });
        let point = meter.point(CLOSED, &values, length, "response")?;
        times.push((users, point.time));
        memories.push((users, point.memory));
    }
    let one = |points| vec![Series { name: "closed_mmn1".into(), points }];
    Ok(vec![
        Chart {
            file: "time_sessions",
            title: "Time per request against live sessions",
            x: "live sessions",
            y: "CPU microseconds per request",
            series: one(times),
        },
        Chart {
            file: "memory_sessions",
            title: "Memory against live sessions",
            x: "live sessions",
            y: "MB",
            series: one(memories),
        },
    ])
}
