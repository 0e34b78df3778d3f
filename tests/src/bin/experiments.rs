//! Heavier checks of sweeps and of the statistics behind them; `--help` says how it is used.

use clap::{Parser, Subcommand};
use serq_tests::{
    batch,
    compile::{self, project},
};
use serqc::experiments::{
    intervals::{self, Runs},
    ranking::{self, Better},
    samples::{Point, Samples},
};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

type Check = Result<bool, String>;

/// Checks of sweeps and of the statistics behind them that take minutes.
///
/// Exit code: 0 all holds, 1 something does not, 2 it could not be done.
#[derive(Parser)]
#[command(name = "experiments", version)]
struct Options {
    #[command(subcommand)]
    check: Kind,
}

#[derive(Subcommand)]
enum Kind {
    /// A sweep of 200 points is killed at 20 moments and goes on to the same bytes
    Kill,
    /// 1,000 intervals of M/M/1 at 0.8, over seeds and by batch means, hold its theory
    Coverage {
        /// Intervals of each kind
        #[arg(long, default_value_t = 1000)]
        repetitions: usize,
    },
    /// Equal settings cannot be told apart, and those of the P/D example can
    Honesty,
    /// What a sweep costs beside its runs
    Overhead,
    /// A folder on a file system that is too small, such as a tmpfs of 300 kB
    Full {
        /// Where that is mounted
        folder: PathBuf,
    },
}

fn main() -> ExitCode {
    let done = match Options::parse().check {
        Kind::Kill => kill(),
        Kind::Coverage { repetitions } => coverage(repetitions),
        Kind::Honesty => honesty(),
        Kind::Overhead => overhead(),
        Kind::Full { folder } => full(&folder),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

/// The binary of an example.
fn example(path: &str) -> Result<PathBuf, String> {
    let main = compile::main_file(&project().join(path)).map_err(|p| format!("{path}: {p:?}"))?;
    let name = Path::new(path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    batch::command(&name, &main)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
}

fn run(binary: &Path, arguments: &str) -> Result<String, String> {
    let output = Command::new(binary).args(words(arguments)).output();
    let output = output.map_err(|e| format!("{}: {e}", binary.display()))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// An empty folder for a check.
fn scratch(name: &str) -> Result<PathBuf, String> {
    let folder = batch::scratch().join("experiments").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

fn files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.insert(name, fs::read(&path).map_err(failed)?);
    }
    Ok(files)
}

fn kill() -> Check {
    const SWEEP: &str = "--sweep lambda=0.05..2:0.05 --seeds 1..5 --horizon 200000";
    const TIMES: usize = 20;
    let binary = example("examples/single-turn/mm1.sq")?;
    let folder = scratch("kill")?;
    let (whole, cut) = (folder.join("whole"), folder.join("cut"));
    let begun = Instant::now();
    run(&binary, &format!("{SWEEP} --jobs 1 --out {}", whole.display()))?;
    let took = begun.elapsed();
    let mut killed = 0;
    // Moments all over what a sweep takes, irregular and the same each time.
    for i in 0..TIMES {
        let part = ((i * 7919 + 13) % 101) as f64 / 101.0;
        let mut running = Command::new(&binary)
            .args(words(SWEEP))
            .args(["--jobs", "2", "--out"])
            .arg(&cut)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| e.to_string())?;
        std::thread::sleep(Duration::from_secs_f64(took.as_secs_f64() * part / 12.0));
        killed += usize::from(running.try_wait().map_err(|e| e.to_string())?.is_none());
        running.kill().and_then(|()| running.wait().map(drop)).map_err(|e| e.to_string())?;
    }
    let journal = fs::read_to_string(cut.join("journal/1-of-1.jsonl")).unwrap_or_default();
    let mut heads: Vec<&str> =
        journal.lines().filter_map(|l| l.split(",\"metrics\"").next()).collect();
    let lines = heads.len();
    heads.sort_unstable();
    heads.dedup();
    run(&binary, &format!("{SWEEP} --out {}", cut.display()))?;
    let same = files(&whole)? == files(&cut)?;
    println!(
        "killed {killed} of {TIMES} times; {lines} runs kept, {} of them different; same files: {same}",
        heads.len()
    );
    Ok(same && killed >= TIMES / 2 && heads.len() + killed >= lines)
}

/// The reports of a program's runs, from its JSON lines.
fn reports(binary: &Path, arguments: &str) -> Result<Vec<serde_json::Value>, String> {
    let text = run(binary, &format!("{arguments} --json"))?;
    text.lines().map(|l| serde_json::from_str(l).map_err(|e| e.to_string())).collect()
}

/// The mean, the half width of its interval by batch means if there is one, and whether the report calls it too narrow.
fn batch_interval(report: &serde_json::Value) -> Option<(f64, f64, bool)> {
    let response = &report["observes"]["response"];
    let notes = report["notes"].as_array()?.iter().filter_map(|n| n.as_str());
    let flagged =
        notes.into_iter().any(|note| note.contains("response") && note.contains("narrow"));
    Some((response["mean"].as_f64()?, response["ci"].as_f64()?, flagged))
}

/// The part of the intervals that hold `theory`.
fn covered<'a>(intervals: impl Iterator<Item = &'a (f64, f64, bool)>, theory: f64) -> (usize, f64) {
    let held: Vec<bool> = intervals.map(|(m, h, _)| (m - theory).abs() <= *h).collect();
    (held.len(), held.iter().filter(|x| **x).count() as f64 / held.len().max(1) as f64)
}

fn coverage(repetitions: usize) -> Check {
    const THEORY: f64 = 5.0;
    const SEEDS: usize = 10;
    let binary = example("examples/single-turn/mm1.sq")?;
    // 100,000 customers at 0.8 a second.
    let long =
        reports(&binary, &format!("--seeds 1..{repetitions} --horizon 126000 --warmup 1000"))?;
    let long: Vec<_> = long.iter().filter_map(batch_interval).collect();
    let (n, by_batches) = covered(long.iter(), THEORY);
    let flagged = long.iter().filter(|l| l.2).count() as f64 / n as f64;
    println!(
        "batch means, 100,000 customers: {n} intervals hold {:.1} %, {:.1} % flagged",
        100.0 * by_batches,
        100.0 * flagged
    );
    let all = repetitions * SEEDS;
    let runs = reports(&binary, &format!("--seeds 1..{all} --horizon 21000 --warmup 1000"))?;
    let means: Vec<f64> =
        runs.iter().filter_map(|r| r["observes"]["response"]["mean"].as_f64()).collect();
    let over_seeds: Vec<(f64, f64, bool)> = means
        .chunks_exact(SEEDS)
        .filter_map(|m| intervals::mean(m, 0.05))
        .map(|e| (e.mean, e.half_width, false))
        .collect();
    let (n, over) = covered(over_seeds.iter(), THEORY);
    println!("over {SEEDS} seeds: {n} intervals hold {:.1} %", 100.0 * over);
    let mut told = true;
    for horizon in [60, 600, 2_600, 6_000] {
        let short =
            reports(&binary, &format!("--seeds 1..{repetitions} --horizon {horizon} --warmup 0"))?;
        let short: Vec<_> = short.iter().filter_map(batch_interval).collect();
        let (n, held) = covered(short.iter(), THEORY);
        let part = short.iter().filter(|s| s.2).count() as f64 / n.max(1) as f64;
        println!("horizon {horizon}: {:.1} % held, {:.1} % flagged", 100.0 * held, 100.0 * part);
        told &= part >= 0.8 || held >= 0.8;
    }
    let good = |x: f64| (0.92..=0.97).contains(&x);
    Ok(good(by_batches) && good(over) && told)
}

/// A metric of two points.
fn two(a: Runs, b: Runs) -> Samples {
    let point = |x: f64, runs: Runs| Point {
        values: vec![x],
        count: runs.len(),
        runs: vec![runs],
        ..Point::default()
    };
    Samples {
        swept: vec!["setting".to_owned()],
        metrics: vec!["mean:response".to_owned()],
        points: vec![point(1.0, a), point(2.0, b)],
    }
}

fn honesty() -> Check {
    const TIMES: u64 = 200;
    const SEEDS: u64 = 20;
    let binary = example("examples/single-turn/mm1.sq")?;
    let all = 2 * TIMES * SEEDS;
    let runs = reports(&binary, &format!("--seeds 1..{all} --horizon 5000 --warmup 500"))?;
    let value = |r: &serde_json::Value| {
        Some((r["run"]["seed"].as_u64()?, r["observes"]["response"]["mean"].as_f64()?))
    };
    let values: Vec<(u64, f64)> = runs.iter().filter_map(value).collect();
    let groups: Vec<Runs> =
        values.chunks_exact(SEEDS as usize).map(|c| c.iter().copied().collect()).collect();
    let alike = groups.chunks_exact(2).filter(|pair| {
        let r = ranking::rank(&two(pair[0].clone(), pair[1].clone()), &[0], 0, Better::Lower, 0.05);
        !r.tables[0].rows[0].alike.is_empty()
    });
    let part = alike.count() as f64 / TIMES as f64;
    println!("equal settings, other seeds: not told apart {:.1} % of {TIMES} times", 100.0 * part);
    let pd = example("examples/pd-disaggregation/llmd_nixl_pull.sq")?;
    let of = |thr: u32| -> Result<Runs, String> {
        let runs = reports(&pd, &format!("--seeds 1..{SEEDS} --set thr={thr}"))?;
        let mean = |r: &serde_json::Value| {
            Some((r["run"]["seed"].as_u64()?, r["observes"]["ttft"]["mean"].as_f64()?))
        };
        Ok(runs.iter().filter_map(mean).collect())
    };
    let (low, high) = (of(1)?, of(512)?);
    let (difference, how) =
        intervals::difference(&high, &low, 0.05).ok_or("the P/D example has no runs")?;
    println!(
        "P/D: thr = 512 less thr = 1: {:.3e} ± {:.1e} ({how:?})",
        difference.mean, difference.half_width
    );
    Ok(part >= 0.92 && difference.high() < 0.0)
}

/// CPU seconds of the processes that this one started and that have ended (`proc(5)`, cutime and cstime).
fn cpu() -> Result<f64, String> {
    let stat =
        fs::read_to_string("/proc/self/stat").map_err(|e| format!("/proc/self/stat: {e}"))?;
    let fields: Vec<&str> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok());
    let both = ticks(13).zip(ticks(14)).map(|(user, system)| (user + system) / 100.0);
    both.ok_or_else(|| "/proc/self/stat has no times".to_owned())
}

/// The CPU seconds of some calls, of which other work on the machine takes none.
fn least(times: usize, call: &mut dyn FnMut() -> Result<(), String>) -> Result<f64, String> {
    let mut best = f64::INFINITY;
    for _ in 0..times {
        let begun = cpu()?;
        call()?;
        best = best.min(cpu()? - begun);
    }
    Ok(best)
}

fn overhead() -> Check {
    let binary = example("examples/single-turn/mm1.sq")?;
    let folder = scratch("overhead")?;
    let mut good = true;
    // 400 runs of some 4 ms, and 60 of some 40 ms.
    for (horizon, seeds) in [(100_000, 200), (1_000_000, 30)] {
        let common = format!("--seeds 1..{seeds} --horizon {horizon} --jobs 1");
        // The same runs without a sweep, whose reports go nowhere.
        let mut plain = || {
            for lambda in ["0.5", "0.8"] {
                let mut command = Command::new(&binary);
                command.args(words(&common)).args(["--set", &format!("lambda={lambda}")]);
                let status = command.stdout(Stdio::null()).status().map_err(|e| e.to_string())?;
                if !status.success() {
                    return Err("a run failed".to_owned());
                }
            }
            Ok(())
        };
        let mut swept = || {
            let out = folder.join("r");
            let _ = fs::remove_dir_all(&out);
            run(&binary, &format!("{common} --sweep lambda=0.5,0.8 --out {}", out.display()))
                .map(drop)
        };
        let (plain, swept) = (least(7, &mut plain)?, least(7, &mut swept)?);
        let part = swept / plain - 1.0;
        println!(
            "{} runs in {plain:.2} CPU s; swept {swept:.2} CPU s: {:+.1} %",
            2 * seeds,
            100.0 * part
        );
        good &= part < 0.02;
    }
    Ok(good)
}

fn full(folder: &Path) -> Check {
    let binary = example("examples/single-turn/mm1.sq")?;
    let out = folder.join("results");
    let _ = fs::remove_dir_all(&out);
    let sweep = "--sweep lambda=0.1..0.9:0.05 --seeds 1..40 --horizon 2000";
    let first = run(&binary, &format!("{sweep} --out {}", out.display()));
    let Err(said) = first else { return Err("the file system is not too small".to_owned()) };
    println!("{said}");
    let told = said.contains("S942") && said.contains("finished runs are kept");
    // What is there is whole, and nothing that was kept is lost when the rest fits elsewhere.
    let elsewhere = scratch("full")?.join("copy");
    let copied = Command::new("cp").arg("-r").arg(&out).arg(&elsewhere).status();
    copied.map_err(|e| e.to_string())?;
    run(&binary, &format!("{sweep} --out {}", elsewhere.display()))?;
    let whole = scratch("full-whole")?.join("r");
    run(&binary, &format!("{sweep} --out {}", whole.display()))?;
    let same = files(&whole)? == files(&elsewhere)?;
    let _ = fs::remove_dir_all(&out);
    println!("told: {told}; the same files when there is room: {same}");
    Ok(told && same)
}
