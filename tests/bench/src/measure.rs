//! What a process costs: CPU time and the most memory that it had at once, on one core.
//!
//! A helper process, this program once more, runs each command as its only child, so that the numbers that the system
//! keeps of children are those of one run.

use nix::{
    sched::{CpuSet, sched_getaffinity, sched_setaffinity},
    sys::{
        resource::{UsageWho, getrusage},
        time::TimeValLike,
    },
    unistd::Pid,
};
use serde::{Deserialize, Serialize};
use std::{env, ffi::OsString, fmt, fs, path::PathBuf, process::Command};

/// A command line; a run of it names its seed.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    words: Vec<OsString>,
    seed: Option<OsString>,
}

impl Line {
    pub fn new(program: PathBuf) -> Self {
        Self { words: vec![program.into()], seed: None }
    }

    /// With more arguments.
    pub fn with<T: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = T>) -> Self {
        self.words.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// The seed is given by this option.
    pub fn seeded(mut self, option: &str) -> Self {
        self.seed = Some(option.into());
        self
    }

    /// Runs it.
    ///
    /// # Errors
    /// It did not start, or failed.
    pub fn run(&self, seed: u64) -> Result<Cost, String> {
        let here = env::current_exe().map_err(|error| format!("this program: {error}"))?;
        let mut command = Command::new(here);
        command.arg("measure").arg("--").args(&self.words);
        if let Some(option) = &self.seed {
            command.arg(option).arg(seed.to_string());
        }
        let output = command.output().map_err(|error| format!("{:?}: {error}", self.words))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{:?} failed:\n{said}", self.words));
        }
        serde_json::from_slice(&output.stdout).map_err(|error| format!("{:?}: {error}", self.words))
    }
}

/// What a run cost, and what it wrote.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cost {
    /// CPU seconds of the run, the system's share included: of short runs the system knows the sum well and the shares
    /// by ticks only.
    pub cpu: f64,
    /// The most memory that it had at once, bytes.
    pub peak: f64,
    /// What it wrote.
    pub output: String,
}

/// The helper: runs a command and prints its [`Cost`].
///
/// # Errors
/// It did not start, or failed.
pub(crate) fn child(command: &[String]) -> Result<(), String> {
    let (program, arguments) = command.split_first().ok_or("no command")?;
    let output = Command::new(program).args(arguments).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| error.to_string())?;
    let cpu = (usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6;
    let peak = usage.max_rss() as f64 * 1024.0;
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let cost = Cost { cpu, peak, output };
    println!("{}", serde_json::to_string(&cost).map_err(|error| error.to_string())?);
    Ok(())
}

/// Keeps this process and all that it starts on one core, the last that it may use, and returns which; `None` where
/// the system does not offer it.
///
/// # Errors
/// The system refuses.
pub(crate) fn pin() -> Result<Option<usize>, String> {
    let here = Pid::from_raw(0);
    let Ok(allowed) = sched_getaffinity(here) else { return Ok(None) };
    let last = (0..CpuSet::count()).rev().find(|&core| allowed.is_set(core) == Ok(true));
    let Some(core) = last else { return Ok(None) };
    let mut one = CpuSet::new();
    let set = one.set(core).and_then(|()| sched_setaffinity(here, &one));
    set.map(|()| Some(core)).map_err(|error| format!("core {core}: {error}"))
}

/// Where a measurement was made.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Machine {
    /// Its processor.
    processor: String,
    /// How many of them.
    cores: usize,
    /// The one that is used.
    core: Option<usize>,
    /// Processes that wanted to run, on average over the last minute before the start.
    load: f64,
}

impl Machine {
    pub fn here(core: Option<usize>) -> Self {
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let named = info.lines().filter(|line| line.starts_with("model name"));
        let names: Vec<&str> =
            named.filter_map(|line| line.split_once(':')).map(|(_, name)| name.trim()).collect();
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let load = load.split(' ').next().and_then(|x| x.parse().ok()).unwrap_or(f64::NAN);
        let processor = names.first().map_or("unknown", |name| name).to_owned();
        Self { processor, cores: names.len(), core, load }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cores ({}), ", self.cores, self.processor)?;
        match self.core {
            Some(core) => write!(f, "pinned to core {core}, ")?,
            None => write!(f, "not pinned, ")?,
        }
        let idle = if self.load < 0.5 { "idle" } else { "not idle" };
        write!(f, "load before {:.2}: {idle}", self.load)
    }
}
