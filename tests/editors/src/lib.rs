//! What the tests of the editors' grammars share: the programs of the project, and where they are.

use std::fs;
use std::path::{Path, PathBuf};

/// The project's folder.
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of `docs/editors`.
///
/// # Panics
/// If it cannot be read.
pub fn editors(path: &str) -> String {
    let path = project().join("docs/editors").join(path);
    fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// Every program and library of the project that the compiler can parse: its path and its text.
pub fn programs() -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    for folder in ["examples", "lib", "tests/conformance", "tests/data", "tests/floors"] {
        collect(&project().join(folder), &mut paths);
    }
    paths.sort();
    let read = paths.into_iter().filter_map(|path| Some((fs::read_to_string(&path).ok()?, path)));
    // A byte order mark is no part of the text that an editor shows.
    let texts = read.map(|(text, path)| (path, text.trim_start_matches('\u{feff}').to_owned()));
    texts
        .filter(|(_, text)| serq_compiler::syntax::parse(Default::default(), text).is_ok())
        .collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "sq") {
            found.push(path);
        }
    }
}
