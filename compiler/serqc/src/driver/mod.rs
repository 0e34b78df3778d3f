//! From an emitted crate to a binary, by way of cargo.
//!
//! In: a crate's name and its `main.rs`. Out: the path of a finished binary in the cache. The same
//! text, runtime and compiler give the same binary, so an unchanged program costs a look-up.
//!
//! One build at a time per runtime: the lock of [`Cache`] is held from unpacking to the renamed
//! result, so that concurrent commands neither see half a tree nor each other's artefacts.
//!
//! - `embedded`: the runtime's source as it travels inside this command
//! - `cache`: where things lie, locks, atomic writes, pruning
//! - `toolchain`: how cargo and rustc are started, deaf to the user's environment
//! - `package`: the files of a crate around an emitted `main.rs`

pub mod cache;
pub mod embedded;
pub mod package;
pub mod toolchain;

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::failure::Outside;
use crate::render::Screen;
use cache::{Cache, Workshop};
use embedded::Runtime;
use toolchain::Toolchain;

/// Builds simulations against one runtime.
#[derive(Debug)]
pub struct Driver<'a> {
    screen: &'a Screen,
    runtime: Runtime,
    toolchain: Toolchain,
    cache: Cache,
}

impl<'a> Driver<'a> {
    /// Finds the cache and the toolchain.
    ///
    /// # Errors
    /// If there is no place for a cache, or no Rust.
    pub fn new(screen: &'a Screen) -> Result<Self, Outside> {
        Self::with(screen, Runtime::embedded(), Cache::find()?)
    }

    fn with(screen: &'a Screen, runtime: Runtime, cache: Cache) -> Result<Self, Outside> {
        Ok(Driver { screen, runtime, toolchain: Toolchain::find()?, cache })
    }

    /// The binary of a crate, from the cache or built now.
    ///
    /// # Errors
    /// If the cache cannot be written, packages cannot be had, or cargo fails.
    pub fn binary(&self, name: &str, main_rs: &str) -> Result<PathBuf, Outside> {
        let package = package::name(name, &self.runtime.lock);
        let shop_key = self.shop_key();
        let key = digest(&[shop_key.as_bytes(), package.as_bytes(), main_rs.as_bytes()]);
        if let Some(binary) = self.cache.lookup(&key, &package) {
            return Ok(binary);
        }
        let shop =
            self.cache.workshop(&shop_key, || self.screen.status("waiting for another build"))?;
        // Another command may have built it while this one waited.
        if let Some(binary) = self.cache.lookup(&key, &package) {
            return Ok(binary);
        }
        let binary = Build { driver: self, shop: &shop, package: &package }
            .run(main_rs)
            .and_then(|built| self.cache.store(&key, &package, &built));
        self.screen.clear_status();
        shop.remove_package(&package);
        self.cache.prune(&shop_key);
        binary
    }

    /// What a simulation is built from besides its own text.
    fn shop_key(&self) -> String {
        let mut parts: Vec<&[u8]> = vec![
            self.toolchain.version.as_bytes(),
            package::PROFILE.as_bytes(),
            self.runtime.lock.as_bytes(),
        ];
        for (path, bytes) in &self.runtime.files {
            parts.extend([path.as_bytes(), bytes.as_ref()]);
        }
        digest(&parts)
    }
}

/// One build, the workshop's lock held.
struct Build<'a> {
    driver: &'a Driver<'a>,
    shop: &'a Workshop,
    package: &'a str,
}

impl Build<'_> {
    fn run(&self, main_rs: &str) -> Result<PathBuf, Outside> {
        let runtime = self.shop.path().join(package::RUNTIME_FOLDER);
        self.driver.runtime.unpack(&runtime)?;
        self.shop.remove_package(self.package);
        let folder = self.shop.package_folder(self.package);
        let files =
            package::files(self.package, main_rs, "../../serq-runtime", &self.driver.runtime.lock);
        cache::write_files(&folder, &files).map_err(|error| Outside::cache(&folder, error))?;

        let marker = self.shop.path().join("fetched");
        if !marker.exists() {
            self.fetch(&folder)?;
        }
        let mut outcome = self.compile(&folder)?;
        if outcome.lacks_packages() {
            // They were here once; someone has cleaned up since.
            self.fetch(&folder)?;
            outcome = self.compile(&folder)?;
        }
        if !outcome.success {
            return Err(Outside::build_failed(
                &outcome.tail(),
                self.keep(&folder, &outcome.output).as_deref(),
            ));
        }
        Ok(self.shop.built(&self.driver.toolchain.host, self.package))
    }

    /// Makes sure that every package is on this machine, from the network only if need be.
    fn fetch(&self, folder: &Path) -> Result<(), Outside> {
        let screen = self.driver.screen;
        let arguments = ["fetch", "--target", &self.driver.toolchain.host];
        let cargo = |more: &[&str]| {
            self.driver
                .toolchain
                .cargo(folder, &[&arguments, more].concat(), |line| screen.status(line))
        };
        screen.status("fetching the packages of the runtime");
        let mut outcome = cargo(&["--offline"])?;
        if !outcome.success {
            outcome = cargo(&[])?;
        }
        if !outcome.success {
            screen.clear_status();
            return Err(Outside::no_packages(&outcome.tail()));
        }
        let marker = self.shop.path().join("fetched");
        fs::write(&marker, "").map_err(|error| Outside::cache(&marker, error))
    }

    fn compile(&self, folder: &Path) -> Result<toolchain::Outcome, Outside> {
        let screen = self.driver.screen;
        let target = self.shop.target();
        let target =
            target.to_str().ok_or_else(|| Outside::cache(&target, "its name is not UTF-8"))?;
        let say = |line: &str| {
            let what = line.split(" (").next().unwrap_or_default();
            screen.status(&format!("building {}: {what}", self.package));
        };
        say("starting cargo");
        let arguments = [
            "build",
            "--release",
            "--offline",
            "--target",
            &self.driver.toolchain.host,
            "--target-dir",
            target,
        ];
        self.driver.toolchain.cargo(folder, &arguments, say)
    }

    /// Keeps a crate that did not build, with what cargo said, for a look at it.
    fn keep(&self, folder: &Path, output: &str) -> Option<PathBuf> {
        let failed = self.shop.path().join("failed");
        let _ = fs::remove_dir_all(&failed);
        fs::create_dir_all(&failed).ok()?;
        // As deep as it was, so that its path to the runtime still holds.
        let kept = failed.join(self.package);
        fs::rename(folder, &kept).ok()?;
        fs::write(kept.join("cargo.log"), output).ok()?;
        Some(kept)
    }
}

/// 24 hexadecimal digits of the SHA-256 of parts, each with its length.
fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
