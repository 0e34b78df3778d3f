//! Programs to Rust modules, in process; files are read here, as the compiler does no IO.

use serq_compiler::{
    diag::Severity,
    emit,
    ir::Program,
    resolve::{self, LoadError, Loader},
};
use std::{
    collections::HashMap,
    fs,
    path::{Component, Path, PathBuf},
};

/// The first error of a program that does not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its code.
    pub code: String,
    /// 1-based.
    pub line: u32,
    /// 1-based, in characters.
    pub col: u32,
    /// What is wrong.
    pub message: String,
    /// How many errors there are.
    pub errors: usize,
}

/// Reads from the file system, after the texts it was given.
#[derive(Clone, Debug, Default)]
pub struct Files {
    given: HashMap<String, String>,
    /// Traces are named from the project's folder, so that what is emitted names no other.
    portable: bool,
}

impl Files {
    /// With a text that stands for the file at `path`.
    pub fn with(mut self, path: &str, text: &str) -> Self {
        self.given.insert(path.to_owned(), text.to_owned());
        self
    }
}

impl Loader for Files {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        if let Some(text) = self.given.get(path) {
            return Ok(text.clone());
        }
        if Path::new(path).is_dir() {
            return Err(LoadError::NotAFile);
        }
        let bytes = fs::read(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => LoadError::NotFound,
            _ => LoadError::Other(error.to_string()),
        })?;
        String::from_utf8(bytes)
            .map_err(|error| LoadError::NotUtf8(error.utf8_error().valid_up_to()))
    }

    fn lasting(&self, path: &str) -> Option<String> {
        let within = || Path::new(path).strip_prefix(project()).ok()?.to_str().map(str::to_owned);
        match (self.given.contains_key(path), self.portable) {
            (true, _) => None,
            (false, true) => within(),
            (false, false) => Some(path.to_owned()),
        }
    }

    fn join(&self, base: &str, relative: &str) -> String {
        let folder = Path::new(base).parent().unwrap_or(Path::new(""));
        let mut path = PathBuf::new();
        for part in folder.join(relative).components() {
            match part {
                Component::ParentDir if path.file_name().is_some() => {
                    path.pop();
                }
                Component::CurDir => {}
                part => path.push(part),
            }
        }
        path.to_string_lossy().into_owned()
    }
}

/// Compiles the program at `path` to the items of a module.
///
/// # Errors
/// The first error.
pub fn module(path: &Path) -> Result<String, Problem> {
    module_from(&Files::default(), &path.to_string_lossy())
}

/// Compiles a text to the items of a module; what it uses is read relative to the project's folder.
///
/// # Errors
/// The first error.
pub fn module_of(name: &str, text: &str) -> Result<String, Problem> {
    let path = project().join(format!("{name}.sq")).to_string_lossy().into_owned();
    module_from(&Files::default().with(&path, text), &path)
}

/// Compiles the program at `path` to the main file of a crate.
///
/// # Errors
/// The first error.
pub fn main_file(path: &Path) -> Result<String, Problem> {
    let files = Files { portable: true, ..Files::default() };
    resolved(&files, &path.to_string_lossy()).map(|program| emit::emit_crate(&program).main_rs)
}

/// Compiles the program that `files` have at `path` to the items of a module.
///
/// # Errors
/// The first error.
pub fn module_from(files: &Files, path: &str) -> Result<String, Problem> {
    resolved(files, path).map(|program| emit::emit_module(&program))
}

fn resolved(loader: &Files, path: &str) -> Result<Program, Problem> {
    match resolve::resolve(loader, path, &[]) {
        Ok((program, _warnings)) => Ok(program),
        Err(failure) => {
            let errors = failure.diagnostics.iter().filter(|d| d.severity == Severity::Error);
            let first = errors.clone().next();
            let (line, col) = first.map_or((0, 0), |d| failure.sources.line_col(d.primary.span));
            Err(Problem {
                code: first.map(|d| d.code.to_owned()).unwrap_or_default(),
                line,
                col,
                message: first.map(|d| d.message.clone()).unwrap_or_default(),
                errors: errors.count(),
            })
        }
    }
}

/// The folder of the whole project.
pub fn project() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}
