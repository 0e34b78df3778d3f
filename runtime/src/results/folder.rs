//! The folder while processes work on it.
//!
//! A process appends its runs to a journal of its own, `journal/I-of-N.jsonl`, which it holds a lock on.
//! What changes the folder's names happens under the lock of the file `lock`: making and removing
//! journals, writing the manifest and the canonical files. A journal is removed when its runs are in the
//! canonical files and whoever wrote it is gone, never before.

use std::{
    fmt,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use super::{
    grid::Key,
    index::Index,
    live::Live,
    manifest::{Difference, Manifest},
    points::{self, Above},
    record::Record,
    summary::Summary,
    table::{self, RUNS, beside},
    trouble::Trouble,
};

/// What the folder is for.
const MANIFEST: &str = "sweep.json";
/// Held while names change; it stays and is empty.
const LOCK: &str = "lock";
/// Where journals are.
const JOURNAL: &str = "journal";

/// Part `number` of `of` of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    pub number: usize,
    /// At least 1.
    pub of: usize,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} of {}", self.number, self.of)
    }
}

/// A folder that this process adds runs to.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// What the folder is for now.
    pub manifest: Manifest,
    /// The runs that were there when it was opened.
    pub index: Index,
    shard: Shard,
    journal: File,
    journal_path: PathBuf,
    /// The numbers of its runs, beside it.
    live: Live,
    /// Runs added by this process.
    added: usize,
}

/// What a folder came to.
#[derive(Debug)]
pub struct Written {
    /// What it is for.
    pub manifest: Manifest,
    /// Its runs.
    pub index: Index,
    /// What they say, point by point.
    pub summary: Summary,
    /// The runs that were not made because they are above saturation.
    pub above: Above,
}

/// Opens or makes a file and waits for its lock.
fn lock(path: &Path) -> Result<File, Trouble> {
    let open = OpenOptions::new().read(true).append(true).create(true).open(path);
    let file = open.map_err(|e| Trouble::unwritable(path, &e, 0))?;
    file.lock().map_err(|e| Trouble::no_locks(path, e))?;
    Ok(file)
}

impl Folder {
    /// Opens the folder at `path` for the runs that `want` has, making it if need be.
    ///
    /// # Errors
    /// It is of something else, is used for the same part by another process, or cannot be read, written
    /// or locked.
    pub fn open(path: &Path, want: &Manifest, shard: Shard) -> Result<Self, Trouble> {
        let fail = |path: &Path, e: &io::Error| Trouble::unwritable(path, e, 0);
        refuse_foreign(path)?;
        let journals = path.join(JOURNAL);
        fs::create_dir_all(path).map_err(|e| fail(path, &e))?;
        let _locked = lock(&path.join(LOCK))?;
        fs::create_dir_all(&journals).map_err(|e| fail(&journals, &e))?;
        let manifest = agree(path, want)?;
        let journal_path = journals.join(format!("{}-of-{}.jsonl", shard.number, shard.of));
        let mut journal = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&journal_path)
            .map_err(|e| fail(&journal_path, &e))?;
        match journal.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Trouble::in_use(path, &shard.to_string())),
            Err(TryLockError::Error(e)) => return Err(Trouble::no_locks(&journal_path, e)),
        }
        let index = index_of(path, &manifest)?;
        end_last_line(&mut journal).map_err(|e| fail(&journal_path, &e))?;
        let live = Live::begin(&journal_path, &manifest)
            .map_err(|e| fail(&Live::path(&journal_path), &e))?;
        let path = path.to_owned();
        Ok(Self { path, manifest, index, shard, journal, journal_path, live, added: 0 })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The part of the sweep that this process does.
    pub fn shard(&self) -> Shard {
        self.shard
    }

    /// How many runs are safe.
    pub fn kept(&self) -> usize {
        self.index.len() + self.added
    }

    /// Adds a run: its line, its end included, and its row.
    ///
    /// # Errors
    /// It cannot be written; what was added before stays.
    pub fn add(&mut self, record: &Record, line: &[u8]) -> Result<(), Trouble> {
        self.journal.write_all(line).map_err(|e| self.unwritable(&e))?;
        self.added += 1;
        let row = self.live.add(&self.manifest, record);
        row.map_err(|e| Trouble::unwritable(self.live.shown(), &e, self.kept()))
    }

    /// Brings what was added to the disk.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn sync(&self) -> Result<(), Trouble> {
        self.journal.sync_data().map_err(|e| self.unwritable(&e))
    }

    fn unwritable(&self, error: &io::Error) -> Trouble {
        Trouble::unwritable(&self.journal_path, error, self.kept())
    }

    /// Writes the canonical files with all runs of the folder, and removes journals that are done with.
    ///
    /// # Errors
    /// Something cannot be read or written; every run then is where it was.
    pub fn finish(self) -> Result<Written, Trouble> {
        self.sync()?;
        let locked = lock(&self.path.join(LOCK))?;
        // Another process may have added to what is wanted.
        let manifest = read_manifest(&self.path)?.unwrap_or_else(|| self.manifest.clone());
        let done_with = done_with(&self.path, &self.journal_path)?;
        let index = index_of(&self.path, &manifest)?;
        let (summary, above) = table::write(&self.path, &manifest, &index)?;
        for (journal, held) in done_with {
            // One that stays is read again, and its runs are known twice. Nobody opens it between the
            // two, as that is done under the folder's lock.
            drop(held);
            let _ = fs::remove_file(Live::path(&journal));
            let _ = fs::remove_file(journal);
        }
        let Self { path, journal, journal_path, .. } = self;
        drop(journal);
        let _ = fs::remove_file(Live::path(&journal_path));
        let _ = fs::remove_file(journal_path);
        let _ = fs::remove_dir(path.join(JOURNAL));
        drop(locked);
        Ok(Written { manifest, index, summary, above })
    }
}

/// Refuses a folder with things in it that no sweep wrote.
fn refuse_foreign(path: &Path) -> Result<(), Trouble> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) if e.kind() == io::ErrorKind::NotADirectory => {
            return Err(Trouble::foreign(path, "it is a file"));
        }
        Err(e) => return Err(Trouble::unreadable(path, e)),
    };
    if path.join(MANIFEST).exists() {
        return Ok(());
    }
    let ours = [LOCK, JOURNAL, "sweep.json.tmp"];
    for entry in entries.flatten() {
        let name = entry.file_name();
        if !ours.iter().any(|ours| name == *ours) {
            let what = format!("it has `{}` and no `{MANIFEST}`", name.to_string_lossy());
            return Err(Trouble::foreign(path, what));
        }
    }
    Ok(())
}

/// Reads the manifest, if there is one.
fn read_manifest(path: &Path) -> Result<Option<Manifest>, Trouble> {
    let file = path.join(MANIFEST);
    match fs::read_to_string(&file) {
        Ok(text) => {
            let read = Manifest::parse(&text);
            read.map(Some).map_err(|why| Trouble::foreign(path, format!("`{MANIFEST}`: {why}")))
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Trouble::unreadable(&file, e)),
    }
}

/// The folder's manifest, with what is wanted now; it is written when that is new.
fn agree(path: &Path, want: &Manifest) -> Result<Manifest, Trouble> {
    let manifest = match read_manifest(path)? {
        None => want.clone(),
        Some(mut there) => match there.extend(want) {
            Ok(true) => there,
            Ok(false) => return Ok(there),
            Err(what) => {
                let what: Vec<String> = what.iter().map(Difference::to_string).collect();
                return Err(Trouble::different(path, &what));
            }
        },
    };
    write_manifest(path, &manifest)?;
    Ok(manifest)
}

fn write_manifest(path: &Path, manifest: &Manifest) -> Result<(), Trouble> {
    let file = path.join(MANIFEST);
    let write = || {
        fs::write(beside(&file), manifest.text()?)?;
        File::open(beside(&file))?.sync_all()?;
        fs::rename(beside(&file), &file)?;
        table::sync(path)
    };
    write().map_err(|e: io::Error| Trouble::unwritable(&file, &e, 0))
}

/// What follows on a line that a stopped process left without its end would be lost with it.
fn end_last_line(journal: &mut File) -> io::Result<()> {
    if journal.seek(SeekFrom::End(0))? == 0 {
        return Ok(());
    }
    journal.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    journal.read_exact(&mut last)?;
    if last == *b"\n" { Ok(()) } else { journal.write_all(b"\n") }
}

/// The journals, in order.
fn journals(path: &Path) -> Result<Vec<PathBuf>, Trouble> {
    let folder = path.join(JOURNAL);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Trouble::unreadable(&folder, e)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(|e| Trouble::unreadable(&folder, e))?.path();
        if path.extension().is_some_and(|e| e == "jsonl") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn index_of(path: &Path, manifest: &Manifest) -> Result<Index, Trouble> {
    let mut index = Index::default();
    index.add(&path.join(RUNS), &manifest.swept)?;
    for journal in journals(path)? {
        index.add(&journal, &manifest.swept)?;
    }
    Ok(index)
}

/// The journals of processes that are gone, with the locks that now keep others away.
fn done_with(path: &Path, own: &Path) -> Result<Vec<(PathBuf, File)>, Trouble> {
    let held = |journal: PathBuf| {
        let file = File::open(&journal).ok().filter(|file| file.try_lock().is_ok())?;
        Some((journal, file))
    };
    let others = journals(path)?.into_iter().filter(|journal| journal != own);
    Ok(others.filter_map(held).collect())
}

/// A folder that is only read.
#[derive(Debug)]
pub struct Reader {
    /// Where it is.
    pub path: PathBuf,
    /// What it is for.
    pub manifest: Manifest,
    /// Its runs, those of unfinished sweeps too.
    pub index: Index,
}

impl Reader {
    /// Opens a folder to read it.
    ///
    /// # Errors
    /// It is none, or cannot be read.
    pub fn open(path: &Path) -> Result<Self, Trouble> {
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(Trouble::foreign(path, "it is a file")),
            Err(e) => return Err(Trouble::unreadable(path, e)),
        }
        let manifest = read_manifest(path)?
            .ok_or_else(|| Trouble::foreign(path, format!("it has no `{MANIFEST}`")))?;
        Self::with(path.to_owned(), manifest)
    }

    fn with(path: PathBuf, manifest: Manifest) -> Result<Self, Trouble> {
        let index = index_of(&path, &manifest)?;
        Ok(Self { path, manifest, index })
    }

    /// Adds what another folder of the same sweep has.
    ///
    /// # Errors
    /// It is of something else, or has another result of a run.
    pub fn join(&mut self, other: &Reader) -> Result<(), Trouble> {
        self.manifest.extend(&other.manifest).map_err(|what| {
            let what: Vec<String> = what.iter().map(Difference::to_string).collect();
            Trouble::different(&other.path, &what)
        })?;
        self.index.add(&other.path.join(RUNS), &self.manifest.swept)?;
        for journal in journals(&other.path)? {
            self.index.add(&journal, &self.manifest.swept)?;
        }
        Ok(())
    }

    /// The runs that are above saturation.
    pub fn above(&self) -> Above {
        points::above(&self.manifest, &self.manifest.wanted.keys(), &self.index)
    }

    /// The runs that are wanted, not above saturation, and not there.
    pub fn missing(&self) -> Vec<Key> {
        let above = self.above();
        let keys = self.manifest.wanted.keys();
        keys.into_iter().filter(|k| !self.index.has(k) && !above.contains(k)).collect()
    }

    /// Calls `each` with every run that is not above saturation, in order.
    ///
    /// # Errors
    /// Something cannot be read, or `each` fails.
    pub fn records(
        &self,
        each: &mut dyn FnMut(Record) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let above = self.above();
        self.index.lines(&mut |key, line| {
            if !above.contains(key) {
                let record = Record::parse(line, &self.manifest.swept);
                each(record.ok_or_else(|| Trouble::foreign(&self.path, "a line is no run"))?)?;
            }
            Ok(true)
        })?;
        Ok(())
    }

    /// Writes all of it as a folder, which must be empty or not there.
    ///
    /// # Errors
    /// It has something in it, or cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Trouble> {
        if fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(Trouble::foreign(path, "it is not empty"));
        }
        fs::create_dir_all(path).map_err(|e| Trouble::unwritable(path, &e, 0))?;
        let _locked = lock(&path.join(LOCK))?;
        write_manifest(path, &self.manifest)?;
        table::write(path, &self.manifest, &self.index).map(drop)
    }
}
