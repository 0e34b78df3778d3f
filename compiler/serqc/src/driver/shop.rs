//! Cargo at work in a workshop, the unpacked runtime beside it.
//!
//! In: crates as text. Out: what cargo built. Packages come from the network only when they are not
//! on this machine; after that every build is offline.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::cache::{self, Workshop};
use super::toolchain::Outcome;
use super::{Driver, package};
use crate::failure::Outside;

/// One workshop, locked.
#[derive(Debug)]
pub struct Shop<'a> {
    driver: &'a Driver<'a>,
    workshop: Workshop,
}

impl<'a> Shop<'a> {
    /// Waits for the workshop and puts the runtime into it.
    pub(super) fn enter(driver: &'a Driver<'a>, key: &str) -> Result<Self, Outside> {
        let wait = || driver.screen.status("waiting for another build");
        let workshop = driver.cache.workshop(key, wait)?;
        let shop = Shop { driver, workshop };
        driver.runtime.unpack(&shop.runtime())?;
        Ok(shop)
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        self.workshop.path()
    }

    /// Waits until nobody else uses what goes by that name in this workshop; it is free again when
    /// the file that this returns is closed.
    ///
    /// # Errors
    /// If the cache cannot be written.
    pub fn reserve(driver: &Driver, profile: &str, name: &str) -> Result<File, Outside> {
        let key = format!("{}-{name}", driver.shop_key(profile));
        driver.cache.reserve(&key, || driver.screen.status("waiting for another test"))
    }

    /// The lock file that pins the runtime's dependencies; empty if there is none.
    pub fn lock(&self) -> &str {
        &self.driver.runtime.lock
    }

    /// Where the runtime's source lies.
    pub fn runtime(&self) -> PathBuf {
        self.path().join(package::RUNTIME_FOLDER)
    }

    /// The binary that cargo leaves of a crate compiled with a profile of that name.
    pub fn built(&self, profile: &str, package: &str) -> PathBuf {
        self.workshop.built(&self.driver.toolchain.host, profile, package)
    }

    /// Starts cargo in a folder with `arguments` and says what it does, after `title`.
    ///
    /// # Errors
    /// If cargo cannot be started or packages cannot be had. That it fails is in the outcome.
    pub fn cargo(
        &self,
        folder: &Path,
        arguments: &[&str],
        title: &str,
    ) -> Result<Outcome, Outside> {
        if !self.marker().exists() {
            self.fetch(folder)?;
        }
        let outcome = self.compile(folder, arguments, title)?;
        if !outcome.lacks_packages() {
            return Ok(outcome);
        }
        // They were here once; someone has cleaned up since.
        self.fetch(folder)?;
        self.compile(folder, arguments, title)
    }

    /// Builds the crate of one simulation and returns its binary.
    pub(super) fn build(&self, package: &str, main_rs: &str) -> Result<PathBuf, Outside> {
        self.remove_package(package);
        let folder = self.workshop.package_folder(package);
        let files = package::files(package, main_rs, "../../serq-runtime", self.lock());
        cache::write_files(&folder, &files).map_err(|error| Outside::cache(&folder, error))?;
        let outcome =
            self.cargo(&folder, &["build", "--release"], &format!("building {package}"))?;
        if !outcome.success {
            return Err(Outside::build_failed(
                &outcome.tail(),
                self.keep(package, &folder, &outcome.output).as_deref(),
            ));
        }
        Ok(self.built("release", package))
    }

    /// Removes a simulation's crate and artefacts.
    pub(super) fn remove_package(&self, package: &str) {
        self.workshop.remove_package(package);
    }

    fn marker(&self) -> PathBuf {
        self.path().join("fetched")
    }

    /// Makes sure that every package is on this machine, from the network only if need be.
    fn fetch(&self, folder: &Path) -> Result<(), Outside> {
        let Driver { screen, toolchain, .. } = self.driver;
        let arguments = ["fetch", "--target", &toolchain.host];
        let cargo = |more: &[&str]| {
            toolchain.cargo(folder, &[&arguments, more].concat(), |line| screen.status(line))
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
        let marker = self.marker();
        fs::write(&marker, "").map_err(|error| Outside::cache(&marker, error))
    }

    fn compile(&self, folder: &Path, arguments: &[&str], title: &str) -> Result<Outcome, Outside> {
        let Driver { screen, toolchain, .. } = self.driver;
        let target = self.workshop.target();
        let target =
            target.to_str().ok_or_else(|| Outside::cache(&target, "its name is not UTF-8"))?;
        let say = |line: &str| {
            let what = line.split(" (").next().unwrap_or_default();
            screen.status(&format!("{title}: {what}"));
        };
        say("starting cargo");
        let always = ["--offline", "--target", &toolchain.host, "--target-dir", target];
        toolchain.cargo(folder, &[arguments, &always].concat(), say)
    }

    /// Keeps a crate that did not build, with what cargo said, for a look at it.
    fn keep(&self, package: &str, folder: &Path, output: &str) -> Option<PathBuf> {
        let failed = self.path().join("failed");
        let _ = fs::remove_dir_all(&failed);
        fs::create_dir_all(&failed).ok()?;
        // As deep as it was, so that its path to the runtime still holds.
        let kept = failed.join(package);
        fs::rename(folder, &kept).ok()?;
        fs::write(kept.join("cargo.log"), output).ok()?;
        Some(kept)
    }
}
