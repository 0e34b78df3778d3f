//! The inputs. Out: those that are committed under `fuzz/corpus`, and the programs of the project from which a corpus
//! can be grown anew.

use super::bundle::Bundle;
use crate::{compile::project, examples};
use serqc::golden::cases;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// One case in so many of the conformance programs is a seed.
const ONE_IN: usize = 5;
/// The longest attached file of a seed, in bytes.
const LONGEST: u64 = 4096;

/// The files of a folder, by name: name and bytes.
pub fn inputs(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<(String, Vec<u8>)> = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if let Ok(bytes) = fs::read(entry.path()) {
            found.push((entry.file_name().to_string_lossy().into_owned(), bytes));
        }
    }
    found.sort();
    found
}

/// The committed inputs of a target.
pub fn committed(target: &str) -> Vec<(String, Vec<u8>)> {
    inputs(&project().join("fuzz/corpus").join(target))
}

/// The examples and some of the conformance programs, each with the files that it names.
pub fn seeds() -> Vec<String> {
    let mut paths: Vec<PathBuf> = examples::all().into_iter().map(|(_, path)| path).collect();
    let folder = project().join("tests/conformance").to_string_lossy().into_owned();
    let cases = cases::find(&[folder]).unwrap_or_default();
    paths.extend(cases.into_iter().step_by(ONE_IN).map(|case| case.source));
    paths.iter().filter_map(|path| bundled(path)).collect()
}

/// A program and what it says in quotes.
fn bundled(path: &Path) -> Option<String> {
    let program = fs::read_to_string(path).ok()?;
    let folder = path.parent()?;
    let files: Vec<(String, String)> = program
        .split('"')
        .skip(1)
        .step_by(2)
        .filter(|name| !name.contains('\n'))
        .filter_map(|name| {
            let path = folder.join(name);
            let short =
                path.is_file() && fs::metadata(&path).is_ok_and(|file| file.len() <= LONGEST);
            if short { Some((name.to_owned(), fs::read_to_string(path).ok()?)) } else { None }
        })
        .collect();
    Some(Bundle::join(&program, &files))
}
