//! The program of a folder of results, built again and run for more points or seeds.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serq_compiler::emit::emit_crate;
use serq_compiler::ir::Program;
use serq_compiler::resolve::{self, LoadError, Loader};
use serq_runtime::results::{Manifest, ProgramText};

use crate::driver::Driver;
use crate::failure::{Failure, Outside};
use crate::render::Screen;

/// The files of a program as results keep them.
#[derive(Debug)]
struct Kept<'a>(&'a ProgramText);

/// What the name of a source begins with that is the value of a `let`, fixed when the binary was built.
const BAKED: &str = "--set ";

impl Loader for Kept<'_> {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        let file = self.0.sources.iter().find(|s| s.name == path);
        file.map(|s| s.text.clone()).ok_or(LoadError::NotFound)
    }

    // A library is kept under the name that a `use` says.
    fn join(&self, _: &str, relative: &str) -> String {
        relative.to_owned()
    }
}

/// Builds the program that a folder keeps.
///
/// # Errors
/// If the folder has no program, or it cannot be built.
pub fn build(program: &ProgramText, folder: &Path, screen: &Screen) -> Result<PathBuf, Failure> {
    if program.sources.is_empty() {
        return Err(Outside::no_program(folder).into());
    }
    let emitted = emit_crate(&resolved(program)?);
    Ok(Driver::new(screen)?.binary(&emitted.name, &emitted.main_rs)?)
}

/// The program that a folder keeps, with nothing left to look up.
///
/// # Errors
/// If its text has errors, or is not there.
pub fn resolved(program: &ProgramText) -> Result<Program, Failure> {
    let own = program.sources.first().map_or("", |s| s.name.as_str());
    let sets: Vec<(String, String)> = program
        .sources
        .iter()
        .filter_map(|s| Some((s.name.strip_prefix(BAKED)?.to_owned(), s.text.clone())))
        .collect();
    let (resolved, _) =
        resolve::resolve(&Kept(program), own, &sets).map_err(|found| Failure::Program {
            file: own.to_owned(),
            sources: found.sources,
            diagnostics: found.diagnostics,
        })?;
    Ok(resolved)
}

/// A binary that adds runs to a folder.
#[derive(Debug)]
pub struct Runner {
    /// The built program.
    pub binary: PathBuf,
    /// The folder.
    pub folder: PathBuf,
    /// Options that all its runs share.
    pub options: Vec<String>,
    /// Threads, where said.
    pub jobs: Option<usize>,
}

/// The options that made a folder's runs.
pub fn options(manifest: &Manifest) -> Vec<String> {
    let mut options = Vec::new();
    let o = &manifest.options;
    for (name, value) in &o.set {
        options.extend(["--set".to_owned(), format!("{name}={value}")]);
    }
    for (name, value) in
        [("--horizon", &o.horizon), ("--warmup", &o.warmup), ("--arrivals", &o.arrivals)]
    {
        if let Some(value) = value {
            options.extend([name.to_owned(), value.clone()]);
        }
    }
    for flag in &o.flags {
        match flag.split_once(' ') {
            Some((name, value)) => options.extend([name.to_owned(), value.to_owned()]),
            None => options.push(flag.clone()),
        }
    }
    if let Some(name) = &manifest.stop_at_saturation {
        options.push(format!("--stop-at-saturation={name}"));
    }
    options
}

impl Runner {
    /// Makes the runs of these points and seeds that the folder does not have.
    ///
    /// # Errors
    /// If the binary cannot be started or stops on an error; what it says is passed on.
    pub fn run(&self, names: &[String], points: &[Vec<f64>], seeds: &str) -> Result<(), Outside> {
        let mut command = Command::new(&self.binary);
        command.args(&self.options).args(["--seeds", seeds, "--out"]).arg(&self.folder);
        if let Some(jobs) = self.jobs {
            command.args(["--jobs", &jobs.to_string()]);
        }
        for point in points.iter().filter(|p| !p.is_empty()) {
            let set = |(name, x): (&String, &f64)| format!("{name}={x:?}");
            let text: Vec<String> = names.iter().zip(point).map(set).collect();
            command.args(["--point", &text.join(",")]);
        }
        let output = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .output()
            .map_err(|error| Outside::cannot_start(&self.binary, error))?;
        let said = String::from_utf8_lossy(&output.stderr);
        // Runs that stop on an error are in the folder, and told there.
        match output.status.success() || said.contains("of the runs stopped on an error") {
            true => Ok(()),
            false => Err(Outside::rerun_failed(&said)),
        }
    }
}
