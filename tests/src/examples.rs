//! The programs of `examples/`.

use crate::compile::project;
use std::{fs, path::PathBuf};

/// Every example in the order of the names: its file's name without the ending, and its path.
pub fn all() -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for folder in fs::read_dir(project().join("examples")).into_iter().flatten().flatten() {
        for file in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
            let path = file.path();
            if path.extension().is_some_and(|ending| ending == "sq") {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                found.push((name, path));
            }
        }
    }
    found.sort();
    found
}
