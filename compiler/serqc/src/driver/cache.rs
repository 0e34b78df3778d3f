//! Where the driver keeps things, and how several commands at once stay out of each other's way.
//!
//! ```text
//! $SERQC_CACHE, or $XDG_CACHE_HOME/serqc, or ~/.cache/serqc
//!   bin/KEY/NAME         finished binaries, by the content that they were built from
//!   shop/KEY/            one workshop per runtime and compiler: its source, cargo's target folder
//!   locks/KEY            held while a workshop is in use; never removed
//! ```
//!
//! A file appears under its name only when it is whole (written beside it, then renamed). Old
//! binaries and workshops are removed after a build, so that the cache stays bounded.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::failure::Outside;

/// The most binaries that are kept.
const BINARIES: usize = 100;
/// The most bytes of binaries that are kept.
const BYTES: u64 = 512 << 20;
/// The most workshops that are kept.
const WORKSHOPS: usize = 4;

/// The cache's root.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// The cache of this user.
    ///
    /// # Errors
    /// If nothing says where it is.
    pub fn find() -> Result<Self, Outside> {
        let given =
            |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(path) = given("SERQC_CACHE") {
            let root = std::path::absolute(&path).map_err(|error| Outside::cache(&path, error))?;
            return Ok(Cache { root });
        }
        // The base directory specification says to ignore a relative path.
        let xdg = given("XDG_CACHE_HOME").filter(|path| path.is_absolute());
        let base = xdg
            .or_else(|| given("LOCALAPPDATA"))
            .or_else(|| Some(std::env::home_dir()?.join(".cache")));
        match base {
            Some(base) if base.is_absolute() => Ok(Cache { root: base.join("serqc") }),
            _ => Err(Outside::no_cache()),
        }
    }

    /// A cache in a folder of its own.
    pub fn at(root: &Path) -> Self {
        Cache { root: root.to_owned() }
    }

    fn binary_path(&self, key: &str, name: &str) -> PathBuf {
        self.root.join("bin").join(key).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// A finished binary, marked as used now.
    pub fn lookup(&self, key: &str, name: &str) -> Option<PathBuf> {
        let path = self.binary_path(key, name);
        let file = File::open(&path).ok()?;
        // Only pruning reads it, and a read-only cache is as good.
        let _ = file.set_modified(SystemTime::now());
        Some(path)
    }

    /// Puts a binary into the cache.
    ///
    /// # Errors
    /// If the cache cannot be written.
    pub fn store(&self, key: &str, name: &str, built: &Path) -> Result<PathBuf, Outside> {
        let path = self.binary_path(key, name);
        copy_file(built, &path).map_err(|error| Outside::cache(&path, error))?;
        Ok(path)
    }

    /// Enters the workshop of a runtime, waiting until it is free (after a call of `wait`).
    ///
    /// # Errors
    /// If the cache cannot be written.
    pub fn workshop(&self, key: &str, wait: impl FnOnce()) -> Result<Workshop, Outside> {
        let failed = |error| Outside::cache(&self.root, error);
        let path = self.root.join("shop").join(key);
        fs::create_dir_all(&self.root).map_err(failed)?;
        let tag = self.root.join("CACHEDIR.TAG");
        if !tag.exists() {
            write_file(&tag, b"Signature: 8a477f597d28d172789f06886806bc55\n# Compiled simulations of serqc; safe to delete.\n").map_err(failed)?;
        }
        let lock = self.reserve(key, wait)?;
        fs::create_dir_all(&path).map_err(failed)?;
        write_file(&path.join("used"), b"").map_err(failed)?;
        Ok(Workshop { path, _lock: lock })
    }

    /// Waits until nobody holds the lock of that name (after a call of `wait`), and holds it.
    ///
    /// # Errors
    /// If the cache cannot be written.
    pub fn reserve(&self, key: &str, wait: impl FnOnce()) -> Result<File, Outside> {
        let failed = |error| Outside::cache(&self.root, error);
        let lock = self.lock_file(key).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                wait();
                lock.lock().map_err(failed)?;
            }
            // A file system without locks: cargo's own care has to do.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        Ok(lock)
    }

    fn lock_file(&self, key: &str) -> io::Result<File> {
        let folder = self.root.join("locks");
        fs::create_dir_all(&folder)?;
        OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(key))
    }

    /// Removes the binaries and workshops that were used least recently, but not the workshop `own`.
    pub fn prune(&self, own: &str) {
        let mut bytes = 0;
        for (index, (folder, _, size)) in
            by_last_use(&self.root.join("bin"), None).into_iter().enumerate()
        {
            bytes += size;
            if index >= BINARIES || (bytes > BYTES && index > 0) {
                let _ = fs::remove_dir_all(folder);
            }
        }
        for (folder, key, _) in
            by_last_use(&self.root.join("shop"), Some("used")).into_iter().skip(WORKSHOPS)
        {
            let free = key != own
                && self.lock_file(&key).is_ok_and(|lock| {
                    // The lock goes with its file, at the end of this block.
                    lock.try_lock().is_ok() && fs::remove_dir_all(&folder).is_ok()
                });
            let _ = free;
        }
    }
}

/// The folders of `parent` with their names and the sizes of the file that tells their last use
/// (`mark`, or whatever file they hold), most recent first.
fn by_last_use(parent: &Path, mark: Option<&str>) -> Vec<(PathBuf, String, u64)> {
    let mut found: Vec<(SystemTime, PathBuf, String, u64)> = Vec::new();
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let folder = entry.path();
        let file = match mark {
            Some(name) => Some(folder.join(name)),
            None => {
                fs::read_dir(&folder).into_iter().flatten().flatten().next().map(|file| file.path())
            }
        };
        let meta = file.and_then(|file| file.metadata().ok());
        let used =
            meta.as_ref().and_then(|meta| meta.modified().ok()).unwrap_or(SystemTime::UNIX_EPOCH);
        found.push((
            used,
            folder,
            entry.file_name().to_string_lossy().into_owned(),
            meta.map_or(0, |meta| meta.len()),
        ));
    }
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, folder, key, size)| (folder, key, size)).collect()
}

/// One runtime's source and build artefacts, while this command alone may touch them.
#[derive(Debug)]
pub struct Workshop {
    path: PathBuf,
    _lock: File,
}

impl Workshop {
    /// Its folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// Where the crate of a simulation lies while it is built.
    pub fn package_folder(&self, package: &str) -> PathBuf {
        self.path.join("sim").join(package)
    }
    /// Cargo's target folder, which keeps the compiled runtime.
    pub fn target(&self) -> PathBuf {
        self.path.join("target")
    }
    /// The binary that cargo leaves, compiled with a profile of that name.
    pub fn built(&self, host: &str, profile: &str, package: &str) -> PathBuf {
        self.target()
            .join(host)
            .join(profile)
            .join(format!("{package}{}", std::env::consts::EXE_SUFFIX))
    }
    /// Removes a simulation's crate and artefacts, whole or half made; the runtime's stay.
    pub fn remove_package(&self, package: &str) {
        let _ = fs::remove_dir_all(self.package_folder(package));
        for host in fs::read_dir(self.target()).into_iter().flatten().flatten() {
            let release = host.path().join("release");
            for folder in ["", "deps", ".fingerprint"] {
                for entry in fs::read_dir(release.join(folder)).into_iter().flatten().flatten() {
                    if belongs(&entry.file_name(), package) {
                        let path = entry.path();
                        let _ = if path.is_dir() {
                            fs::remove_dir_all(path)
                        } else {
                            fs::remove_file(path)
                        };
                    }
                }
            }
        }
    }
}

/// Whether an artefact is of a package: its name, then a hash or an extension.
fn belongs(file: &OsStr, package: &str) -> bool {
    let Some(rest) = file.to_str().and_then(|file| file.strip_prefix(package)) else {
        return false;
    };
    rest.is_empty() || rest.starts_with(['-', '.'])
}

/// Writes files below a folder, each at once, leaving alone those that are as they should be.
///
/// # Errors
/// If a file or folder cannot be written.
pub fn write_files(
    folder: &Path,
    files: &[(Cow<'static, str>, Cow<'static, [u8]>)],
) -> io::Result<()> {
    for (path, bytes) in files {
        let path = path.split('/').fold(folder.to_owned(), |path, part| path.join(part));
        if fs::read(&path).is_ok_and(|there| there == bytes.as_ref()) {
            continue;
        }
        write_file(&path, bytes)?;
    }
    Ok(())
}

/// Writes a file so that it is there whole or not at all.
///
/// # Errors
/// If it cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = beside(path)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

/// Copies a file with its permissions so that it is there whole or not at all.
///
/// # Errors
/// If it cannot be read or written.
pub fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let file = beside(to)?.into_temp_path();
    fs::copy(from, &file)?;
    file.persist(to)?;
    Ok(())
}

/// A file that is gone unless it is renamed to `path`, in the same folder, made if need be.
fn beside(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(".serq-tmp");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artefacts_of_other_packages_are_left_alone() {
        for mine in ["mm1", "mm1.d", "mm1-0123abcd", "mm1-0123abcd.d"] {
            assert!(belongs(OsStr::new(mine), "mm1"), "{mine}");
        }
        for other in ["mm1_fast-0123abcd", "mm12", "libmm1.rlib", "serq_runtime-0123.d"] {
            assert!(!belongs(OsStr::new(other), "mm1"), "{other}");
        }
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("taken");
        fs::create_dir(&taken).unwrap();
        assert!(write_file(&taken, b"x").is_err());
        assert!(copy_file(&folder.path().join("absent"), &folder.path().join("to")).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn pruning_keeps_the_most_recently_used() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let built = folder.path().join("built");
        fs::write(&built, "binary").unwrap();
        for n in 0..BINARIES + 5 {
            let path = cache.store(&format!("{n}"), "sim", &built).unwrap();
            let then = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(n as u64);
            File::open(path).unwrap().set_modified(then).unwrap();
        }
        assert!(cache.lookup("0", "sim").is_some());
        for n in 0..WORKSHOPS + 2 {
            let shop = cache.workshop(&format!("{n}"), || {}).unwrap();
            let then = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(n as u64);
            File::open(shop.path().join("used")).unwrap().set_modified(then).unwrap();
        }
        let busy = cache.workshop("1", || {}).unwrap();
        File::open(busy.path().join("used")).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        cache.prune("4");
        let names = |of: &str| {
            let mut names: Vec<_> = fs::read_dir(folder.path().join(of))
                .unwrap()
                .map(|e| e.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        };
        assert_eq!(names("bin").len(), BINARIES);
        assert!(cache.lookup("0", "sim").is_some(), "looked up, so used just now");
        assert!(cache.lookup("1", "sim").is_none());
        assert_eq!(names("shop"), ["1", "2", "3", "4", "5"], "0 is gone, 1 is in use");
    }
}
