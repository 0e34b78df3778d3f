//! What the tests of this crate share: a loader over files, and one over texts.
#![allow(dead_code)]

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use serq_compiler::diag::Diagnostic;
use serq_compiler::ir::Program;
use serq_compiler::resolve::{Failure, LoadError, Loader, resolve};

/// Reads files.
pub struct Files;

/// Takes `.` and `..` out of a path, as far as the text goes.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

fn joined(base: &str, relative: &str) -> String {
    let folder = Path::new(base).parent().unwrap_or(Path::new(""));
    normal(&folder.join(relative)).to_string_lossy().into_owned()
}

impl Loader for Files {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        if Path::new(path).is_dir() {
            return Err(LoadError::NotAFile);
        }
        let bytes = std::fs::read(path).map_err(|why| match why.kind() {
            std::io::ErrorKind::NotFound => LoadError::NotFound,
            _ => LoadError::Other(why.to_string()),
        })?;
        String::from_utf8(bytes).map_err(|why| LoadError::NotUtf8(why.utf8_error().valid_up_to()))
    }

    fn join(&self, base: &str, relative: &str) -> String {
        joined(base, relative)
    }
}

/// Files that are only texts.
#[derive(Default)]
pub struct Texts(pub HashMap<String, String>);

impl Loader for Texts {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        self.0.get(path).cloned().ok_or(LoadError::NotFound)
    }

    fn join(&self, base: &str, relative: &str) -> String {
        joined(base, relative)
    }
}

/// Resolves a program of one file.
pub fn compile(text: &str) -> Result<(Program, Vec<Diagnostic>), Failure> {
    compile_with(text, &[], &[])
}

/// Resolves a program with further files and overrides.
pub fn compile_with(
    text: &str,
    files: &[(&str, &str)],
    sets: &[(&str, &str)],
) -> Result<(Program, Vec<Diagnostic>), Failure> {
    let mut texts = Texts::default();
    texts.0.insert("p.sq".to_owned(), text.to_owned());
    for (path, text) in files {
        texts.0.insert((*path).to_owned(), (*text).to_owned());
    }
    let sets: Vec<(String, String)> =
        sets.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    resolve(&texts, "p.sq", &sets)
}

/// Every program below a folder.
pub fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        let path = entry.path();
        let is_attached = path.file_name().is_some_and(|n| n.to_string_lossy().ends_with("_files"));
        if path.is_dir() && !is_attached {
            found.extend(programs(&path));
        } else if path.extension().is_some_and(|e| e == "sq") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A diagnostic on one line: `file:line:col code message`.
pub fn shown(failure: &Failure) -> Vec<String> {
    failure
        .diagnostics
        .iter()
        .map(|d| {
            let (line, col) = failure.sources.line_col(d.primary.span);
            let file = &failure.sources.file(d.primary.span.file).name;
            format!("{file}:{line}:{col} {} {}", d.code, d.message)
        })
        .collect()
}
