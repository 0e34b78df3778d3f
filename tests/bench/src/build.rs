//! Binaries of compiled programs, as a user gets them, and the command lines that run them.

use crate::measure::Line;
use serq_tests::{batch, compile};
use std::{collections::BTreeMap, path::PathBuf};

/// Programs that were built, by file.
#[derive(Default)]
pub(crate) struct Programs(BTreeMap<&'static str, PathBuf>);

/// The length of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Length {
    /// Simulated seconds.
    pub horizon: f64,
    /// Of them before anything counts.
    pub warmup: f64,
}

impl Length {
    /// A tenth of it is warm-up.
    pub fn of(horizon: f64) -> Self {
        Self { horizon, warmup: horizon / 10.0 }
    }

    /// As options.
    pub fn options(self) -> [String; 4] {
        ["--horizon".into(), self.horizon.to_string(), "--warmup".into(), self.warmup.to_string()]
    }
}

/// Values of constants as options.
pub(crate) fn sets(values: &[(&str, f64)]) -> Vec<String> {
    values.iter().flat_map(|(name, value)| ["--set".into(), format!("{name}={value}")]).collect()
}

impl Programs {
    /// The command line that runs the program at `path`, from the folder of the project, but for its seed.
    ///
    /// # Errors
    /// It does not compile, or the crate does not build.
    pub fn line(
        &mut self,
        path: &'static str,
        values: &[(&str, f64)],
        length: Length,
    ) -> Result<Line, String> {
        let binary = match self.0.get(path) {
            Some(binary) => binary.clone(),
            None => {
                let main = compile::main_file(&compile::project().join(path));
                let main = main.map_err(|why| format!("{path}:{}: {}", why.line, why.message))?;
                let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".sq");
                let binary = batch::command(&format!("bench_{name}"), &main)?;
                self.0.insert(path, binary.clone());
                binary
            }
        };
        let mut line = Line::new(binary).with(["--json", "--jobs", "1"]);
        line = line.with(length.options()).with(sets(values));
        Ok(line.seeded("--seed"))
    }
}
