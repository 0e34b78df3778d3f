//! Many programs in few crates, as `serqc test` builds them, and whole commands, as a user gets them.
//!
//! Everything lies under the workspace's `target/serq-tests/`, in a cache of the tests' own, so that the runtime is
//! compiled once per profile.

use crate::compile::project;
use serde_json::Value;
use serqc::{
    driver::Driver,
    failure::Outside,
    golden::{answer, batch, runs},
    render::Screen,
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

pub use serqc::golden::batch::{Build, Job};

/// Programs to be built together.
#[derive(Clone, Debug)]
pub struct Batch {
    programs: batch::Batch,
    count: usize,
}

impl Batch {
    /// An empty batch; `name` must be its own.
    pub fn new(name: &str, build: Build) -> Batch {
        Batch { programs: batch::Batch::new(&name.replace('-', "_"), build), count: 0 }
    }

    /// Adds the items of a module, as [`compile`](crate::compile) makes them, and returns the program's number.
    pub fn add(&mut self, module: String) -> usize {
        self.count += 1;
        self.programs.add(&self.count.to_string(), module)
    }

    /// Writes and builds the crates.
    ///
    /// # Errors
    /// What cargo says, when a crate does not build; or that a file could not be written.
    pub fn build(self) -> Result<Built, String> {
        with_driver(|driver| self.programs.build(driver, cores())).map(Built)
    }
}

/// A batch that was built.
#[derive(Debug)]
pub struct Built(batch::Built);

impl Built {
    /// Runs jobs, `job.program` being the number that [`Batch::add`] gave, and returns what each run wrote.
    pub fn run(&self, jobs: &[Job]) -> Vec<String> {
        let text = |said| match said {
            runs::Said::Line(line) => line,
            failed => answer::of_run(&failed).to_string(),
        };
        runs::collect(&self.0, jobs, cores()).into_iter().map(text).collect()
    }

    /// [`Built::run`], each answer read.
    pub fn answers(&self, jobs: &[Job]) -> Vec<Value> {
        runs::collect(&self.0, jobs, cores()).iter().map(answer::of_run).collect()
    }
}

/// Builds a program as a command of its own, as a user gets it, and returns its file.
///
/// # Errors
/// What cargo says, or that a file could not be written.
pub fn command(name: &str, main: &str) -> Result<PathBuf, String> {
    with_driver(|driver| driver.binary(name, main))
}

/// Checks that neither rustc nor clippy has anything to say about the crate in `folder`; without clippy on this machine
/// that it compiles.
///
/// # Errors
/// What they say.
pub fn lint(folder: &Path) -> Result<(), String> {
    let (ours, theirs) = (project().join("Cargo.lock"), folder.join("Cargo.lock"));
    if ours.exists() && !theirs.exists() {
        // The same versions as the project's, which are here already: nothing is fetched.
        fs::copy(ours, theirs).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let program = env::var_os("CARGO").unwrap_or("cargo".into());
    let clippy = Command::new(&program).args(["clippy", "--version"]).output();
    let command: &[&str] = match clippy.is_ok_and(|output| output.status.success()) {
        true => &["clippy", "--quiet", "--workspace", "--", "-D", "warnings"],
        false => &["check", "--quiet", "--workspace"],
    };
    let mut cargo = Command::new(program);
    cargo.current_dir(folder).env("CARGO_TARGET_DIR", scratch().join("target"));
    cargo.env_remove("RUSTFLAGS").args(command);
    let output = cargo.output().map_err(|error| format!("cargo does not start: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let errors: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(60).collect();
    Err(format!("the crate in {} does not pass:\n{}", folder.display(), errors.join("\n")))
}

/// Lends the driver of the tests.
///
/// # Errors
/// What it says.
pub fn with_driver<T>(use_it: impl FnOnce(&Driver) -> Result<T, Outside>) -> Result<T, String> {
    let screen = Screen::new();
    let driver = Driver::at(&screen, &scratch().join("cache"));
    driver.and_then(|driver| use_it(&driver)).map_err(|error| {
        format!("{} {}\n{}", error.code, error.message, error.output.unwrap_or_default())
    })
}

/// How much is done at a time.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Where everything of these tests lies.
pub fn scratch() -> PathBuf {
    workspace_target().join("serq-tests")
}

/// The workspace's own target folder: the one that this test lies in, wherever it was put.
fn workspace_target() -> PathBuf {
    let exe = env::current_exe().unwrap_or_default();
    let profile = exe.ancestors().find(|folder| folder.join("deps").is_dir());
    profile.and_then(Path::parent).map_or_else(|| project().join("target"), Path::to_path_buf)
}
