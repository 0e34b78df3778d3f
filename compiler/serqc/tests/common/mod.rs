//! Runs the built command in a folder of its own, as a user would.

#![allow(dead_code, reason = "each test file uses its part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder with programs, in which the command is run.
pub struct Folder {
    /// The folder; it goes with this value.
    pub dir: TempDir,
}

/// What a run of the command came to.
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// The smallest program: one session's life is one exponential delay in a queue.
pub const MM1: &str = "\
let lambda = 0.5;
stage server : fifo;
workload { arrive poisson(lambda); }
session { set t0 = now; run server (~exp(1)); observe response = now - t0; }
run { horizon 100; }
";

impl Folder {
    pub fn new() -> Self {
        Folder { dir: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file, its folders too.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
        self
    }

    /// The names of all that lies in the folder.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The command, to be run in the folder. Its cache is one for all tests, so that the runtime
    /// is compiled once.
    pub fn serqc(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_serqc"));
        command.args(arguments).current_dir(self.dir.path()).env("SERQC_CACHE", cache());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        ran(&mut self.serqc(arguments))
    }
}

/// The cache that tests share.
pub fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("serqc-cache")
}

/// Runs a command to its end.
pub fn ran(command: &mut Command) -> Ran {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    Ran { code: status.code(), out: text(stdout), err: text(stderr) }
}

impl Ran {
    /// Asserts how it ended and that standard error says each of `saying`, and shows it all if not.
    #[track_caller]
    pub fn expect(self, code: i32, saying: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
        for what in saying {
            assert!(self.err.contains(what), "no `{what}` in\n{}", self.err);
        }
        assert!(!self.err.contains("panicked") && !self.err.contains("S919"), "{}", self.err);
        self
    }
}
