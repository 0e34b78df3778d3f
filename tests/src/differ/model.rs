//! The rules model, asked through a process of its own: an interpreter that reads programs by the reference's front end
//! and runs them by the rules.
//!
//! The process is started anew when it takes too long over a program.

use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

/// The script that the interpreter runs.
const BRIDGE: &str = include_str!("bridge.py");

/// For one program.
const LIMIT: Duration = Duration::from_secs(60);

/// Where the model is.
#[derive(Clone, Debug)]
pub struct Model {
    /// The interpreter, of an environment that has the front end.
    pub python: PathBuf,
    /// The folder of `model.py`.
    pub folder: PathBuf,
}

/// A running process of the model.
pub struct Asked {
    model: Model,
    process: Option<(Child, ChildStdin, Receiver<String>)>,
}

impl Asked {
    /// Nothing is started yet.
    pub fn new(model: Model) -> Asked {
        Asked { model, process: None }
    }

    /// The answer to the program in `path` under `sets`, or an object with `where` if there is none.
    pub fn ask(&mut self, path: &Path, sets: &[(&str, f64)]) -> Value {
        let sets: serde_json::Map<String, Value> =
            sets.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        let job = json!({"path": path.to_string_lossy(), "sets": sets});
        match self.exchange(&job.to_string()) {
            Some(line) => serde_json::from_str(&line)
                .unwrap_or_else(|error| json!({"where": "model", "message": error.to_string()})),
            None => {
                self.stop();
                json!({"where": "model", "message": "no answer, or none in time"})
            }
        }
    }

    fn exchange(&mut self, job: &str) -> Option<String> {
        if self.process.is_none() {
            self.process = self.start();
        }
        let (_, input, output) = self.process.as_mut()?;
        writeln!(input, "{job}").ok()?;
        output.recv_timeout(LIMIT).ok()
    }

    fn start(&self) -> Option<(Child, ChildStdin, Receiver<String>)> {
        let mut command = Command::new(&self.model.python);
        command.arg("-c").arg(BRIDGE).arg(&self.model.folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().ok()?;
        let (input, output) = (child.stdin.take()?, child.stdout.take()?);
        let (send, receive) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Some((child, input, receive))
    }

    fn stop(&mut self) {
        if let Some((mut child, ..)) = self.process.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.stop();
    }
}
