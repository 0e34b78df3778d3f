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
//! - `shop`: cargo at work beside the unpacked runtime
//! - `toolchain`: how cargo and rustc are started, deaf to the user's environment
//! - `package`: the files of a crate around an emitted `main.rs`

pub mod cache;
pub mod embedded;
pub mod package;
pub mod shop;
pub mod toolchain;

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::failure::Outside;
use crate::render::Screen;
use cache::Cache;
use embedded::Runtime;
use shop::Shop;
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

    /// A driver whose cache is a folder of its own.
    ///
    /// # Errors
    /// If there is no Rust.
    pub fn at(screen: &'a Screen, cache: &Path) -> Result<Self, Outside> {
        Self::with(screen, Runtime::embedded(), Cache::at(cache))
    }

    fn with(screen: &'a Screen, runtime: Runtime, cache: Cache) -> Result<Self, Outside> {
        Ok(Driver { screen, runtime, toolchain: Toolchain::find()?, cache })
    }

    /// Its binaries run on every processor of the host's kind.
    pub fn portable(mut self) -> Self {
        self.toolchain.cpu = None;
        self
    }

    /// Where it says what goes on.
    pub fn screen(&self) -> &'a Screen {
        self.screen
    }

    /// The binary of a crate, from the cache or built now.
    ///
    /// # Errors
    /// If the cache cannot be written, packages cannot be had, or cargo fails.
    pub fn binary(&self, name: &str, main_rs: &str) -> Result<PathBuf, Outside> {
        let package = package::name(name, &self.runtime.lock);
        let shop_key = self.shop_key(package::PROFILE);
        let key = digest(&[shop_key.as_bytes(), package.as_bytes(), main_rs.as_bytes()]);
        if let Some(binary) = self.cache.lookup(&key, &package) {
            return Ok(binary);
        }
        let shop = Shop::enter(self, &shop_key)?;
        // Another command may have built it while this one waited.
        if let Some(binary) = self.cache.lookup(&key, &package) {
            return Ok(binary);
        }
        let binary = shop
            .build(&package, main_rs)
            .and_then(|built| self.cache.store(&key, &package, &built));
        self.screen.clear_status();
        shop.remove_package(&package);
        self.cache.prune(&shop_key);
        binary
    }

    /// A workshop for crates that are compiled as `profile` says (a manifest's section).
    ///
    /// # Errors
    /// If the cache cannot be written.
    pub fn shop(&self, profile: &str) -> Result<Shop<'_>, Outside> {
        let key = self.shop_key(profile);
        let shop = Shop::enter(self, &key)?;
        self.cache.prune(&key);
        Ok(shop)
    }

    /// What a simulation is built from besides its own text.
    fn shop_key(&self, profile: &str) -> String {
        let flags = self.toolchain.flags();
        let mut parts: Vec<&[u8]> = vec![
            self.toolchain.version.as_bytes(),
            flags.as_bytes(),
            profile.as_bytes(),
            self.runtime.lock.as_bytes(),
        ];
        for (path, bytes) in &self.runtime.files {
            parts.extend([path.as_bytes(), bytes.as_ref()]);
        }
        digest(&parts)
    }
}

/// 24 hexadecimal digits of the SHA-256 of parts, each with its length.
pub(crate) fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
