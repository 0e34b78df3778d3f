//! The folder in which a page's commands run: `examples` and `lib` are there, and what the page wrote before.

use serq_tests::{batch, compile::project};
use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// A fresh folder.
pub struct Folder {
    root: TempDir,
}

/// How a command ended.
pub struct Ran {
    /// Standard output and standard error, as a terminal shows them.
    pub written: String,
    /// `None` if a signal ended it.
    pub code: Option<i32>,
}

impl Folder {
    /// Copies `examples` and `lib`, so that nothing that a page does reaches the project's own.
    ///
    /// # Errors
    /// If they cannot be copied.
    pub fn new() -> io::Result<Folder> {
        let folder = Folder { root: tempfile::tempdir()? };
        for name in ["examples", "lib"] {
            copy(&project().join(name), &folder.path(name))?;
        }
        let tools = folder.root.path().join("bin");
        fs::create_dir(&tools)?;
        link(Path::new(env!("CARGO_BIN_EXE_serqc_here")), &tools.join("serqc"))?;
        Ok(folder)
    }

    /// Where a file of the page lies.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("page").join(name)
    }

    /// Writes a file of the page.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
        fs::write(path, text)
    }

    /// Runs a command as a shell does, with this workspace's `serqc` and the tests' cache.
    ///
    /// # Errors
    /// If there is no shell.
    pub fn run(&self, command: &str) -> io::Result<Ran> {
        let tools = self.root.path().join("bin");
        let others = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths(std::iter::once(tools).chain(env::split_paths(&others)))
            .map_err(io::Error::other)?;
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec 2>&1\n{command}")]).current_dir(self.path(""));
        shell.env("PATH", path).env("SERQC_CACHE", batch::scratch().join("cache"));
        shell.env("LC_ALL", "C").env_remove("UPDATE_EXPECT").stdin(Stdio::null());
        let output = shell.output()?;
        let written = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(Ran { written, code: output.status.code() })
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn link(program: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(program, at)
}

#[cfg(not(unix))]
fn link(program: &Path, at: &Path) -> io::Result<()> {
    fs::copy(program, at.with_extension("exe")).map(drop)
}
