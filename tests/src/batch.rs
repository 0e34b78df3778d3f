//! Many programs in few crates: written, built by cargo and run.
//!
//! Everything lies under the workspace's `target/serq-tests/`: a small workspace per batch, its files rewritten only
//! when they change, and one target folder for all, so that the runtime is compiled once per profile.

use crate::{compile::project, driver::Job};
use serde_json::{Value, json};
use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
};

/// The driver's source, a module of every crate of a batch.
const DRIVER: &str = include_str!("driver.rs");

/// How a batch is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// Quick to compile, with overflow checks: for short deterministic runs.
    Quick,
    /// Optimised: for long runs.
    Fast,
}

/// Programs to be built together.
#[derive(Clone, Debug)]
pub struct Batch {
    name: String,
    build: Build,
    per_crate: usize,
    modules: Vec<String>,
}

impl Batch {
    /// An empty batch; `name` is a folder's and must be its own.
    pub fn new(name: &str, build: Build) -> Batch {
        Batch { name: name.to_owned(), build, per_crate: 24, modules: Vec::new() }
    }

    /// Adds the items of a module, as [`compile`](crate::compile) makes them, and returns the program's number.
    pub fn add(&mut self, module: String) -> usize {
        self.modules.push(module);
        self.modules.len() - 1
    }

    /// Writes and builds the crates.
    ///
    /// # Errors
    /// What cargo says, when a crate does not build; or that a file could not be written.
    pub fn build(self) -> Result<Built, String> {
        let folder = scratch().join(&self.name);
        let crates: Vec<String> = (0..self.modules.len().div_ceil(self.per_crate))
            .map(|i| format!("{}-{i:02}", self.name))
            .collect();
        self.write(&folder, &crates).map_err(|error| format!("{}: {error}", folder.display()))?;
        let (profile, command): (_, &[&str]) = match self.build {
            Build::Quick => ("debug", &["build"]),
            Build::Fast => ("release", &["build", "--release"]),
        };
        cargo(&folder, command)?;
        let bins = crates.iter().map(|name| {
            target().join(profile).join(name).with_extension(env::consts::EXE_EXTENSION)
        });
        Ok(Built { bins: bins.collect(), per_crate: self.per_crate })
    }

    fn write(&self, folder: &Path, crates: &[String]) -> std::io::Result<()> {
        let members: Vec<String> = crates.iter().map(|name| format!("\"{name}\"")).collect();
        let manifest = format!(
            "[workspace]\nresolver = \"3\"\nmembers = [{}]\n\n\
             [profile.dev]\ndebug = false\nincremental = false\n\n\
             [profile.release]\nopt-level = 2\ncodegen-units = 4\nincremental = false\n",
            members.join(", ")
        );
        lock(folder)?;
        write(&folder.join("Cargo.toml"), &manifest)?;
        for (name, modules) in crates.iter().zip(self.modules.chunks(self.per_crate)) {
            let runtime = project().join("runtime");
            let manifest = format!(
                "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
                 serq-runtime = {{ path = {:?} }}\nserde_json = \"1\"\n",
                runtime.to_string_lossy()
            );
            let source = folder.join(name).join("src");
            let mut main =
                String::from("#![forbid(unsafe_code)]\n#![allow(warnings)]\nmod driver;\n");
            let mut table = String::new();
            for (i, module) in modules.iter().enumerate() {
                write(&source.join(format!("p{i:03}.rs")), module)?;
                main.push_str(&format!("mod p{i:03};\n"));
                table.push_str(&format!("    driver::run::<p{i:03}::Model>,\n"));
            }
            main.push_str(&format!("fn main() {{ driver::main(&[\n{table}]) }}\n"));
            write(&folder.join(name).join("Cargo.toml"), &manifest)?;
            write(&source.join("driver.rs"), DRIVER)?;
            write(&source.join("main.rs"), &main)?;
        }
        Ok(())
    }
}

/// Builds a program as a command of its own, as a user gets it, and returns its file.
///
/// # Errors
/// What cargo says, or that a file could not be written.
pub fn command(name: &str, main: &str) -> Result<PathBuf, String> {
    let folder = scratch().join(name);
    let manifest = format!(
        "[workspace]\n\n[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         serq-runtime = {{ path = {:?}, features = [\"cli\"] }}\n\n[profile.release]\nopt-level = 2\n",
        project().join("runtime").to_string_lossy()
    );
    let written = lock(&folder)
        .and_then(|()| write(&folder.join("Cargo.toml"), &manifest))
        .and_then(|()| write(&folder.join("src/main.rs"), main));
    written.map_err(|error| format!("{}: {error}", folder.display()))?;
    cargo(&folder, &["build", "--release"])?;
    Ok(target().join("release").join(name).with_extension(env::consts::EXE_EXTENSION))
}

/// The same versions as the project's, which are here already: nothing is fetched.
fn lock(folder: &Path) -> std::io::Result<()> {
    let (ours, theirs) = (project().join("Cargo.lock"), folder.join("Cargo.lock"));
    fs::create_dir_all(folder)?;
    if ours.exists() && !theirs.exists() {
        fs::copy(ours, theirs)?;
    }
    Ok(())
}

/// Checks that the crate in `folder` compiles as it stands.
///
/// # Errors
/// What cargo says.
pub fn check(folder: &Path) -> Result<(), String> {
    lock(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    cargo(folder, &["check"])
}

/// Builds, or whatever `command` says, all that a folder holds.
fn cargo(folder: &Path, command: &[&str]) -> Result<(), String> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.current_dir(folder).env("CARGO_TARGET_DIR", target()).env_remove("RUSTFLAGS");
    cargo.args(command).args(["--quiet", "--workspace", "--keep-going"]);
    let output = cargo.output().map_err(|error| format!("cargo does not start: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let errors: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(60).collect();
    Err(format!("the crates in {} do not build:\n{}", folder.display(), errors.join("\n")))
}

/// A batch that was built.
#[derive(Clone, Debug)]
pub struct Built {
    bins: Vec<PathBuf>,
    per_crate: usize,
}

impl Built {
    /// Runs jobs, `job.program` being the number that [`Batch::add`] gave, and returns their answers as text.
    pub fn run(&self, jobs: &[Job]) -> Vec<String> {
        let mut answers = vec![String::new(); jobs.len()];
        // One process per crate, as many at once as there are cores; each has a single thread then, otherwise all.
        let mut work: Vec<(&PathBuf, Vec<usize>)> =
            self.bins.iter().map(|bin| (bin, Vec::new())).collect();
        for (at, job) in jobs.iter().enumerate() {
            work[job.program / self.per_crate].1.push(at);
        }
        work.retain(|(_, places)| !places.is_empty());
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = if work.len() >= cores { 1 } else { cores };
        let (send, receive) = mpsc::channel();
        let work = std::sync::Mutex::new(work.into_iter());
        thread::scope(|scope| {
            for _ in 0..cores {
                let (send, work) = (send.clone(), &work);
                scope.spawn(move || {
                    loop {
                        let Some((bin, places)) = work.lock().ok().and_then(|mut rest| rest.next())
                        else {
                            return;
                        };
                        let lines = places.iter().map(|at| {
                            let job = &jobs[*at];
                            Job { program: job.program % self.per_crate, ..job.clone() }
                                .to_json()
                                .to_string()
                        });
                        let input = lines.collect::<Vec<_>>().join("\n");
                        let found = process(bin, &input, threads);
                        for (i, at) in places.into_iter().enumerate() {
                            let line = found
                                .get(i)
                                .cloned()
                                .unwrap_or_else(|| json!({"lost": true}).to_string());
                            let _ = send.send((at, line));
                        }
                    }
                });
            }
            drop(send);
            for (at, line) in receive {
                answers[at] = line;
            }
        });
        answers
    }

    /// [`Built::run`], each answer parsed.
    pub fn answers(&self, jobs: &[Job]) -> Vec<Value> {
        let parsed = self.run(jobs).into_iter();
        parsed
            .map(|line| {
                serde_json::from_str(&line).unwrap_or_else(|e| json!({"no_json": e.to_string()}))
            })
            .collect()
    }
}

/// One process of the driver: its lines of output.
fn process(bin: &Path, input: &str, threads: usize) -> Vec<String> {
    let mut command = Command::new(bin);
    command.env("SERQ_TEST_JOBS", threads.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut child) = command.spawn() else { return Vec::new() };
    if let Some(mut stdin) = child.stdin.take() {
        // The driver reads all of it before it writes.
        let _ = stdin.write_all(input.as_bytes());
    }
    match child.wait_with_output() {
        Ok(output) => String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect(),
        Err(_) => Vec::new(),
    }
}

/// Writes a file unless it says so already, so that cargo sees what changed.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

/// Where the crates of all batches are written.
fn scratch() -> PathBuf {
    workspace_target().join("serq-tests")
}

/// Where they are built.
fn target() -> PathBuf {
    scratch().join("target")
}

/// The workspace's own target folder: the one that this test lies in, wherever it was put.
fn workspace_target() -> PathBuf {
    let exe = env::current_exe().unwrap_or_default();
    let profile = exe.ancestors().find(|folder| folder.join("deps").is_dir());
    profile.and_then(Path::parent).map_or_else(|| project().join("target"), Path::to_path_buf)
}
