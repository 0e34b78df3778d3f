//! What can be wrong with a results folder, as data.

use std::{fmt::Display, io, path::Path};

/// Why a results folder cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The code, which `serqc explain` has a page for.
    pub code: &'static str,
    /// What is wrong, lower case, names in backticks.
    pub message: String,
    /// What to do instead.
    pub help: String,
    /// It passes by itself: the same may work later.
    pub passes: bool,
}

impl Trouble {
    fn new(code: &'static str, message: String, help: impl Into<String>) -> Self {
        Self { code, message, help: help.into(), passes: false }
    }

    /// The folder is of another program or of other settings; what differs, a line each.
    pub fn different(folder: &Path, what: &[String]) -> Self {
        Self::new(
            "S940",
            format!("`{}` has results of something else: {}", folder.display(), what.join("; ")),
            "give the same program and settings as before, or another folder with `--out`; values of `--sweep` \
             and seeds may be added",
        )
    }

    /// Another process does the same part of the sweep.
    pub fn in_use(folder: &Path, shard: &str) -> Self {
        let trouble = Self::new(
            "S941",
            format!(
                "another process is at work on `{}` with the same part of the sweep ({shard})",
                folder.display()
            ),
            "wait for it, or give each process its own `--shard I/N`",
        );
        Self { passes: true, ..trouble }
    }

    /// The file system has no locks, so two processes could not be told from one.
    pub fn no_locks(path: &Path, why: impl Display) -> Self {
        Self::new(
            "S942",
            format!("`{}` cannot be locked: {why}", path.display()),
            "put the results on a file system with locks, and use one folder a machine with `--shard`",
        )
    }

    /// Something cannot be written; `kept` runs are safe.
    pub fn unwritable(path: &Path, why: &io::Error, kept: usize) -> Self {
        let kept = match kept {
            0 => String::new(),
            1 => "; 1 finished run is kept".to_owned(),
            n => format!("; {n} finished runs are kept"),
        };
        let help = match why.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "make room, then give the same command again: it goes on where it stopped"
            }
            _ => "give a folder that can be written with `--out`, or the same command again",
        };
        Self::new("S942", format!("cannot write `{}`: {why}{kept}", path.display()), help)
    }

    /// Something cannot be read.
    pub fn unreadable(path: &Path, why: impl Display) -> Self {
        Self::new(
            "S942",
            format!("cannot read `{}`: {why}", path.display()),
            "name a folder that a sweep wrote with `--out`",
        )
    }

    /// The folder is not one of results.
    pub fn foreign(folder: &Path, why: impl Display) -> Self {
        Self::new(
            "S943",
            format!("`{}` is no folder of results: {why}", folder.display()),
            "name a new folder, or one that a sweep wrote with `--out`",
        )
    }

    /// Two files say different things about one run.
    pub fn contradiction(one: &Path, other: &Path, seed: u64) -> Self {
        Self::new(
            "S944",
            format!(
                "`{}` and `{}` have different results of one run of seed {seed}",
                one.display(),
                other.display()
            ),
            "a seed gives the same bytes everywhere: one of the two comes from another version or was changed; \
             do that sweep again",
        )
    }
}
