//! The programs of `conformance/` and what they must answer.

use crate::driver::Job;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A program with its answer.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its path below the corpus' folder, without ending.
    pub name: String,
    /// The program's file.
    pub source: PathBuf,
    /// The answer file.
    pub want: Value,
}

impl Case {
    /// The run that the answer is of: its options in place of what the program says.
    pub fn job(&self, program: usize) -> Job {
        let options = &self.want["options"];
        let sets = options["sets"].as_object().into_iter().flatten();
        Job {
            program,
            sets: sets.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))).collect(),
            seed: options["seed"].as_u64(),
            horizon: options["horizon"].as_f64(),
            warmup: options["warmup"].as_f64(),
            arrivals: options["arrivals"].as_u64(),
            samples: true,
            limit: 20.0,
            ..Job::default()
        }
    }
}

/// Every case below `conformance/NAME`, by name.
///
/// # Errors
/// Which file could not be read.
pub fn load(name: &str) -> Result<Vec<Case>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance").join(name);
    let mut cases = Vec::new();
    collect(&root, &root, &mut cases)?;
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}

fn collect(root: &Path, folder: &Path, cases: &mut Vec<Case>) -> Result<(), String> {
    let fail = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    for entry in fs::read_dir(folder).map_err(|e| fail(folder, &e))? {
        let path = entry.map_err(|e| fail(folder, &e))?.path();
        if path.is_dir() {
            collect(root, &path, cases)?;
            continue;
        }
        let source = path.with_extension("sq");
        if path.extension().is_none_or(|ending| ending != "json") || !source.exists() {
            continue;
        }
        let text = fs::read_to_string(&path).map_err(|e| fail(&path, &e))?;
        let want = serde_json::from_str(&text).map_err(|e| fail(&path, &e))?;
        let name = source.strip_prefix(root).unwrap_or(&source).with_extension("");
        cases.push(Case { name: name.to_string_lossy().replace('\\', "/"), source, want });
    }
    Ok(())
}

/// Panics with every failure, one a line, unless there is none; `all` says how many there could have been.
pub fn assert_none(all: usize, failures: &[(String, String)]) {
    let lines: Vec<String> =
        failures.iter().map(|(name, why)| format!("  {name}: {why}")).collect();
    assert!(failures.is_empty(), "{} of {all} agree\n{}", all - failures.len(), lines.join("\n"));
}
