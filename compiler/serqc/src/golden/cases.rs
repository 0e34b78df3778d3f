//! Programs and their answers on disk.
//!
//! In: paths of programs, answers and folders. Out: the programs, sorted by path, each with its
//! answer if there is one. A folder `NAME_files` holds what a program reads, not programs; a file
//! without an answer that only defines things for others to use is no program either.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use serq_compiler::span::FileId;
use serq_compiler::syntax::{self, ast::ItemKind};

use super::batch::Job;
use crate::failure::Outside;

/// The ending of folders that hold what a program reads.
const ATTACHED: &str = "_files";

/// A program and what is expected of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its path as it was come by, without ending, `/` between parts.
    pub name: String,
    /// The program's file.
    pub source: PathBuf,
    /// Where its answer lies, or would.
    pub answer: PathBuf,
    /// The answer, or why it cannot be read; `None` if there is no file.
    pub want: Option<Result<Value, String>>,
}

impl Case {
    /// The case of a program's file.
    ///
    /// # Errors
    /// If the answer is there but cannot be read.
    pub fn of(source: &Path) -> Result<Case, Outside> {
        let answer = super::answer_path(source);
        let want = match fs::read(&answer) {
            Ok(bytes) => Some(serde_json::from_slice(&bytes).map_err(|error| error.to_string())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(Outside::unreadable(&answer.to_string_lossy(), error)),
        };
        let name = source.strip_prefix(".").unwrap_or(source).with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        Ok(Case { name, source: source.to_owned(), answer, want })
    }

    /// Whether there is an answer file.
    pub fn answered(&self) -> bool {
        self.want.is_some()
    }

    /// The answer, if it can be read.
    pub fn wanted(&self) -> Option<&Value> {
        self.want.as_ref()?.as_ref().ok()
    }

    /// Values of `let`s that the answer is for, as text.
    pub fn sets(&self) -> Vec<(String, String)> {
        let options = self.wanted().and_then(|want| want["options"]["sets"].as_object());
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        options.into_iter().flatten().map(|(name, value)| (name.clone(), text(value))).collect()
    }

    /// The run that the answer is of; the `let`s' values are compiled in.
    pub fn job(&self, program: usize) -> Job {
        let none = Value::Null;
        let want = self.wanted().unwrap_or(&none);
        let options = &want["options"];
        Job {
            program,
            seed: options["seed"].as_u64(),
            horizon: options["horizon"].as_f64(),
            warmup: options["warmup"].as_f64(),
            arrivals: options["arrivals"].as_u64(),
            samples: want.get("quantities").is_none(),
            // What is expected to be wrong is looked at closely.
            strict: want.get("where").is_some() || options["strict"] == true,
            ..Job::default()
        }
    }
}

/// All cases of these paths, each once, sorted.
///
/// # Errors
/// If a path is not there or cannot be read, or there is no program in any.
pub fn find(paths: &[String]) -> Result<Vec<Case>, Outside> {
    let mut found = BTreeMap::new();
    for said in paths {
        let path = Path::new(said);
        if path.is_dir() {
            collect(path, &mut found)?;
            continue;
        }
        let source = path.with_extension("sq");
        if !source.exists() {
            return Err(Outside::missing(&source.to_string_lossy()));
        }
        found.insert(canonical(&source), Case::of(&source)?);
    }
    if found.is_empty() {
        return Err(Outside::no_programs(&paths.join("`, `")));
    }
    let mut cases: Vec<Case> = found.into_values().collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}

fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn collect(folder: &Path, found: &mut BTreeMap<PathBuf, Case>) -> Result<(), Outside> {
    let unreadable = |error| Outside::unreadable(&folder.to_string_lossy(), error);
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // A link to a folder is not followed: it may lead back here.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if !name.ends_with(ATTACHED) && !name.starts_with('.') {
                collect(&path, found)?;
            }
        } else if path.extension().is_some_and(|ending| ending == "sq") && path.is_file() {
            let case = Case::of(&path)?;
            if case.answered() || !is_library(&path) {
                found.insert(canonical(&path), case);
            }
        }
    }
    Ok(())
}

/// Whether a file only has definitions.
fn is_library(path: &Path) -> bool {
    let Ok(text) = fs::read_to_string(path) else { return false };
    syntax::parse(FileId(0), &text).is_ok_and(|file| {
        file.items.iter().all(|item| {
            matches!(
                item.kind,
                ItemKind::Use { .. } | ItemKind::DefExpr { .. } | ItemKind::DefBlock { .. }
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn names(folder: &Path, paths: &[&str]) -> Vec<String> {
        let paths: Vec<String> =
            paths.iter().map(|path| folder.join(path).to_str().unwrap().to_owned()).collect();
        let prefix = format!("{}/", folder.display());
        let name = |case: &Case| case.name.replace(&prefix, "").trim_start_matches('/').to_owned();
        find(&paths).unwrap().iter().map(name).collect()
    }

    #[test]
    fn programs_are_found_once_and_libraries_not_at_all() {
        let folder = folder(&[
            ("b/x.sq", "run { horizon 1; }"),
            ("a.sq", "let a = 1;"),
            ("a.json", "{}"),
            ("a_files/inner.sq", "let a = 1;"),
            ("lib/defs.sq", "def f(x) = x;"),
            ("wrong.sq", "?"),
        ]);
        assert_eq!(names(folder.path(), &["", "a.json", "b"]), ["a", "b/x", "wrong"]);
        assert_eq!(names(folder.path(), &["b/x.sq"]), ["b/x"]);
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let folder = folder(&[("lib.sq", "def f(x) = x;")]);
        let path = |name: &str| vec![folder.path().join(name).to_str().unwrap().to_owned()];
        assert_eq!(find(&path("absent.sq")).unwrap_err().code, "S900");
        assert_eq!(find(&path("")).unwrap_err().code, "S915");
    }

    #[test]
    fn options_of_an_answer_are_those_of_the_run() {
        let folder = folder(&[
            ("a.sq", "let B = 1;"),
            (
                "a.json",
                r#"{"options": {"sets": {"B": 9, "c": "B + 1"}, "seed": 5, "horizon": 80}}"#,
            ),
        ]);
        let case = Case::of(&folder.path().join("a.sq")).unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(case.sets(), [pair("B", "9"), pair("c", "B + 1")]);
        let job = case.job(3);
        assert_eq!((job.program, job.seed, job.horizon), (3, Some(5), Some(80.0)));
        assert!(job.samples && !job.strict);
    }
}
