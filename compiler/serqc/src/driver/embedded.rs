//! The runtime's source as it travels inside this command.
//!
//! In: the table that the build script made. Out: the same files in a folder of the cache. A folder
//! that is as it should be is left untouched, so that cargo sees nothing new; one that something
//! has damaged is repaired.

use std::borrow::Cow;
use std::path::Path;

use crate::failure::Outside;

mod table {
    include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
}

/// The source of the crate that simulations link.
#[derive(Clone, Debug)]
pub struct Runtime {
    /// Its files by path, `/` between parts.
    pub files: Vec<(Cow<'static, str>, Cow<'static, [u8]>)>,
    /// The lock file that pins its dependencies; empty if there is none.
    pub lock: Cow<'static, str>,
}

impl Runtime {
    /// The one inside this command.
    pub fn embedded() -> Self {
        Runtime {
            files: table::FILES
                .iter()
                .map(|(path, bytes)| ((*path).into(), (*bytes).into()))
                .collect(),
            lock: table::LOCK.into(),
        }
    }

    /// Makes `folder` hold exactly these contents under these names.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn unpack(&self, folder: &Path) -> Result<(), Outside> {
        super::cache::write_files(folder, &self.files)
            .map_err(|error| Outside::cache(folder, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_stands_alone() {
        let runtime = Runtime::embedded();
        let (_, manifest) = runtime.files.iter().find(|(path, _)| path == "Cargo.toml").unwrap();
        let manifest = std::str::from_utf8(manifest).unwrap();
        assert!(manifest.contains("name = \"serq-runtime\""));
        for forbidden in ["workspace", "path =", "dev-dependencies"] {
            assert!(!manifest.contains(forbidden), "{forbidden} in\n{manifest}");
        }
    }

    #[test]
    fn damage_is_repaired_and_the_rest_left_untouched() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime {
            files: vec![
                ("Cargo.toml".into(), b"a"[..].into()),
                ("src/x/lib.rs".into(), b"b"[..].into()),
            ],
            lock: "".into(),
        };
        runtime.unpack(folder.path()).unwrap();
        let manifest = folder.path().join("Cargo.toml");
        let before = manifest.metadata().unwrap().modified().unwrap();
        std::fs::write(folder.path().join("src/x/lib.rs"), "broken").unwrap();
        runtime.unpack(folder.path()).unwrap();
        assert_eq!(std::fs::read(folder.path().join("src/x/lib.rs")).unwrap(), b"b");
        assert_eq!(manifest.metadata().unwrap().modified().unwrap(), before);
    }
}
