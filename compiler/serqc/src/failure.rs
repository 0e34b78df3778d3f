//! Why a command stopped: errors of the program, or of the world around it.
//!
//! Errors of the program come from the compiler as data with places. What goes wrong with files,
//! the cache, cargo or the started binary has no place in a source file; each kind has one
//! constructor here, so that its code is written once. Codes S900 to S919 are the command's own, S945 to S949 those of
//! commands about results, S951 to S953 those of `submit`.

use std::fmt::Display;
use std::path::Path;

use serde_json::{Value, json};
use serq_compiler::diag::{Diagnostic, Severity};
use serq_compiler::span::{SourceMap, Span};
use serq_runtime::results::Trouble;

/// Why a command stopped. `main` renders it and exits with 1.
#[derive(Debug)]
pub enum Failure {
    /// The program has errors.
    Program {
        /// The file as the user named it.
        file: String,
        /// What the spans point into.
        sources: SourceMap,
        /// Every error and warning.
        diagnostics: Vec<Diagnostic>,
    },
    /// Something else is in the way.
    Outside(Outside),
}

/// An error that has no place in a source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outside {
    /// Stable code, `S9` and two digits.
    pub code: &'static str,
    /// What is wrong, lower case, names in backticks.
    pub message: String,
    /// What another program said, line by line.
    pub output: Option<String>,
    /// What to do instead.
    pub help: Option<String>,
}

impl Failure {
    /// The first error as `{"error": {…}}`, with the fields that the error of a run has; null is what
    /// is not known or did not happen.
    pub fn json(&self) -> Value {
        let mut error = json!({
            "code": null, "message": null, "help": null, "file": null, "line": null,
            "column": null, "source": null, "station": null, "session": null, "turn": null,
            "time": null, "seed": null,
        });
        match self {
            Failure::Outside(outside) => {
                error["code"] = json!(outside.code);
                error["message"] = json!(outside.message);
                error["help"] = json!(outside.help);
            }
            Failure::Program { sources, diagnostics, .. } => {
                let mut errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
                if let Some(first) = errors.next() {
                    let span = first.primary.span;
                    let (line, column) = sources.line_col(span);
                    error["code"] = json!(first.code);
                    error["message"] = json!(first.message);
                    error["help"] = json!(first.help);
                    error["file"] = json!(sources.file(span.file).name);
                    error["line"] = json!(line);
                    error["column"] = json!(column);
                    error["source"] = json!(sources.line_text(span).trim_end());
                }
            }
        }
        json!({"error": error})
    }
}

impl From<Outside> for Failure {
    fn from(outside: Outside) -> Self {
        Failure::Outside(outside)
    }
}

impl Outside {
    fn new(code: &'static str, message: String) -> Self {
        Outside { code, message, output: None, help: None }
    }
    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
    fn output(mut self, output: impl Into<String>) -> Self {
        self.output = Some(output.into()).filter(|text| !text.trim().is_empty());
        self
    }

    /// The source file does not exist.
    pub fn missing(path: &str) -> Self {
        Self::new("S900", format!("there is no file `{path}`"))
            .help("a path is read from the folder that the command runs in")
    }
    /// The source path is a folder.
    pub fn folder(path: &str) -> Self {
        Self::new("S901", format!("`{path}` is a directory"))
            .help("name a serQ program, a file that ends in `.sq`")
    }
    /// The source file cannot be read.
    pub fn unreadable(path: &str, why: impl Display) -> Self {
        Self::new("S902", format!("cannot read `{path}`: {why}"))
    }
    /// The source file is not text; `line` (from 1) and `offset` (in bytes, from 0) say where.
    pub fn not_utf8(path: &str, line: usize, offset: usize) -> Self {
        Self::new(
            "S903",
            format!(
                "`{path}` is not UTF-8 text: line {line} is broken at byte {offset} of the file"
            ),
        )
        .help("save the file as UTF-8")
    }
    /// The source file says nothing.
    pub fn empty(path: &str) -> Self {
        Self::new("S904", format!("`{path}` is empty"))
            .help("a program needs at least a workload, a session and a `run` block")
    }
    /// The source file is larger than `limit` bytes.
    pub fn too_large(path: &str, limit: u64) -> Self {
        Self::new("S905", format!("`{path}` is larger than {} MiB", limit >> 20))
            .help("this is not likely to be a serQ program")
    }
    /// The output cannot be put where it was asked for.
    pub fn bad_output(path: &Path, why: &str) -> Self {
        Self::new("S906", format!("cannot write the binary to `{}`: {why}", path.display()))
            .help("name another file with `-o`")
    }
    /// Writing a result failed.
    pub fn unwritable(path: &Path, why: impl Display) -> Self {
        Self::new("S907", format!("cannot write `{}`: {why}", path.display()))
    }
    /// `--emit` would overwrite a crate that `serqc` did not write.
    pub fn foreign_crate(manifest: &Path) -> Self {
        Self::new(
            "S908",
            format!("`{}` was not written by serqc, so it is left alone", manifest.display()),
        )
        .help("give `--emit` a folder of its own")
    }
    /// The cache cannot be used.
    pub fn cache(path: &Path, why: impl Display) -> Self {
        Self::new("S910", format!("cannot use the cache `{}`: {why}", path.display()))
            .help("set SERQC_CACHE to a folder that can be written")
    }
    /// Nothing says where the cache is.
    pub fn no_cache() -> Self {
        Self::new(
            "S910",
            "there is no place for the cache: neither SERQC_CACHE nor HOME is set".to_owned(),
        )
        .help("set SERQC_CACHE to a folder that can be written")
    }
    /// A tool of the Rust toolchain cannot be started.
    pub fn no_toolchain(tool: &str, why: impl Display) -> Self {
        Self::new("S911", format!("cannot start `{tool}`: {why}"))
            .help("serqc compiles through Rust: install its toolchain and have `cargo` and `rustc` on the PATH")
    }
    /// The runtime's dependencies are not on this machine and cannot be had.
    pub fn no_packages(output: &str) -> Self {
        Self::new("S912", "cannot fetch the packages that a simulation is built with".to_owned())
            .output(output)
            .help("the first build on a machine needs the network once; later ones do not")
    }
    /// Cargo did not produce a binary. `kept` is where the crate and the whole output lie.
    pub fn build_failed(output: &str, kept: Option<&Path>) -> Self {
        let failure =
            Self::new("S913", "cargo could not build the simulation".to_owned()).output(output);
        if output.contains("linker `") && output.contains("not found") {
            return failure
                .help("Rust needs a linker: install a C compiler, such as `cc` from gcc or clang");
        }
        match kept {
            Some(folder) => failure.help(format!(
                "if this is not about your machine, it is a bug in serqc; the crate and all of cargo's output are in `{}`",
                folder.display()
            )),
            None => failure,
        }
    }
    /// The built simulation does not start.
    pub fn cannot_start(binary: &Path, why: impl Display) -> Self {
        Self::new("S914", format!("cannot start `{}`: {why}", binary.display()))
            .help("set SERQC_CACHE to a folder from which programs may be run")
    }
    /// No path that a test was given holds a program.
    pub fn no_programs(paths: &str) -> Self {
        Self::new("S915", format!("there is no program in `{paths}`"))
            .help("name programs, or folders with files that end in `.sq`")
    }
    /// A code was asked for that nothing has; `near` are some that are like it.
    pub fn unknown_code(code: &str, near: &[&str]) -> Self {
        let failure = Self::new("S916", format!("no diagnostic has the code `{code}`"));
        match near {
            [] => failure.help("a code is `S` and three digits; `serqc explain` lists all"),
            near => {
                failure.help(format!("near it: {}; `serqc explain` lists all", near.join(", ")))
            }
        }
    }
    /// A list of citations that is none.
    pub fn bad_list(path: &str, why: impl Display) -> Self {
        Self::new("S917", format!("`{path}` is no list of citations: {why}"))
            .help("`ref/citations.toml` of the project is one")
    }
    /// A recording that is not of the format said.
    pub fn bad_recording(path: &str, why: impl Display) -> Self {
        Self::new("S918", format!("cannot import `{path}`: {why}"))
            .help("`serqc trace import --help` lists the formats")
    }
    /// Measured steps that nothing can be fitted to.
    pub fn bad_steps(path: &str, why: impl Display) -> Self {
        Self::new("S909", format!("cannot fit to `{path}`: {why}"))
            .help("`serqc calibrate --help` says what is read")
    }
    /// What is wrong with a folder of results.
    pub fn results(trouble: Trouble) -> Self {
        Self::new(trouble.code, trouble.message).help(trouble.help)
    }
    /// A folder of results has no run yet.
    pub fn no_runs(folder: &Path) -> Self {
        Self::new("S945", format!("`{}` has no runs", folder.display()))
            .help("give the command that makes its runs, which goes on where it stopped")
    }
    /// A line is no report of a run.
    pub fn no_report(path: &Path, line: usize) -> Self {
        Self::new("S950", format!("line {line} of `{}` is no report of a run", path.display()))
            .help("give a folder that `--out` of a sweep wrote, or lines that `--json` wrote")
    }
    /// A line is of a run of something else than the first one.
    pub fn mixed_reports(path: &Path, line: usize, what: &str) -> Self {
        let message = format!("line {line} of `{}` is a run of another {what}", path.display());
        Self::new("S950", message).help("give the runs of one program, over one time, at once")
    }
    /// Results have no such metric; `known` are those to choose from.
    pub fn unknown_metric(metric: &str, known: &[&str]) -> Self {
        Self::new("S946", format!("the runs have no metric `{metric}`"))
            .help(format!("there is {}", known.join(", ")))
    }
    /// A setting was named that is not swept; `swept` are those that are.
    pub fn not_swept(name: &str, swept: &[String]) -> Self {
        let help = match swept {
            [] => "the results are of one point".to_owned(),
            names => format!("swept are {}", names.join(", ")),
        };
        Self::new("S947", format!("`{name}` is not swept")).help(help)
    }
    /// There are not two settings to compare.
    pub fn nothing_to_compare() -> Self {
        Self::new("S947", "there are no two settings to compare".to_owned())
            .help("sweep a setting, such as `--sweep thr=1,512`")
    }
    /// A part of an option's text is not understood.
    pub fn bad_question(what: &str, help: &str) -> Self {
        Self::new("S948", what.to_owned()).help(help)
    }
    /// Results do not keep the program that made them.
    pub fn no_program(folder: &Path) -> Self {
        Self::new("S949", format!("`{}` does not keep its program", folder.display()))
            .help("name the program with `--program FILE`")
    }
    /// The simulation did not make the runs that it was asked for; `said` is what it wrote.
    pub fn rerun_failed(said: &str) -> Self {
        Self::new("S949", "the simulation stopped before its runs were made".to_owned())
            .output(said)
            .help("runs that were finished in a folder of results are kept: the same command goes on there")
    }
    /// A job's file would be written over one that is none of serqc's.
    pub fn foreign_job(path: &Path) -> Self {
        Self::new(
            "S952",
            format!("`{}` was not written by serqc, so it is left alone", path.display()),
        )
        .help("name another file with `-o`")
    }
    /// The engine's command is not here; `file` is the job.
    pub fn no_engine(program: &str, file: &Path, why: impl Display) -> Self {
        Self::new("S953", format!("cannot start `{program}`: {why}"))
            .help(format!("`{}` is written: submit it where `{program}` is", file.display()))
    }
    /// The engine did not take the job.
    pub fn not_submitted(program: &str, file: &Path, how: impl Display) -> Self {
        Self::new("S953", format!("`{program}` did not do `{}`: {how}", file.display()))
            .help("what it says stands above; parts of the sweep that are made are kept")
    }
    /// A defect of serqc itself.
    pub fn internal(what: &str) -> Self {
        Self::new("S919", format!("internal error: {what}"))
            .help("this is a bug in serqc: please report it with the program that caused it")
    }
}

/// Something is wrong with the plan of a sweep's shards.
pub fn bad_plan(at: Span, what: &str) -> Diagnostic {
    Diagnostic::error("S951", at, what)
}
