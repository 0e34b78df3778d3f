//! The files of a crate around an emitted `main.rs`.
//!
//! In: a crate's name, its text and where the runtime lies. Out: a manifest that is a workspace of
//! its own, so that whatever lies around it is ignored, and that states its whole profile.

use std::borrow::Cow;
use std::path::Path;

use super::cache::write_files;
use super::embedded::Runtime;
use crate::failure::Outside;

/// The folder of the runtime's source, in the cache and in a crate written by `--emit`.
pub const RUNTIME_FOLDER: &str = "serq-runtime";

/// How simulations are compiled: for speed, but for the parts that only read options and draw a
/// progress bar, which take half of the time of a first build otherwise. Optimizing across units
/// (`lto`) and unwinding take half of the time of a later build and make nothing faster. One unit of code
/// takes half as long again as two in a later build, on two cores, and executes 2 to 4 % fewer instructions; six share
/// the cores better than two, which takes a tenth off a later build for 1 to 3 % of speed. The runtime, which only a
/// first build compiles, is two units: one takes 10 s longer and executes 0.2 % fewer instructions.
pub const PROFILE: &str = "\
[profile.release]
opt-level = 3
codegen-units = 6
lto = \"off\"
panic = \"abort\"
debug = false
incremental = false

[profile.release.package]
clap_builder.opt-level = 0
console.opt-level = 0
indicatif.opt-level = 0
serq-runtime.codegen-units = 2
";

/// The first line of every manifest that is written here.
const HEADER: &str = "# Written by serqc around the program's emitted `src/main.rs`.\n";

/// A package name that cargo accepts beside the packages of a lock file: `name`, or that with `_sim`.
pub fn name(name: &str, lock: &str) -> String {
    let mut safe: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
        .collect();
    if !safe.starts_with(|c: char| c.is_ascii_lowercase()) {
        safe.insert_str(0, "sim_");
    }
    safe.truncate(60);
    let taken = |line: &str| {
        line.strip_prefix("name = \"")
            .is_some_and(|rest| rest.trim_end_matches('"').replace('-', "_") == safe)
    };
    if RESERVED.contains(&safe.as_str()) || lock.lines().any(taken) {
        safe.push_str("_sim");
    }
    safe
}

/// Names that cargo, rustc or a file system keeps for itself.
const RESERVED: &[&str] = &[
    "abstract",
    "alloc",
    "as",
    "async",
    "aux",
    "await",
    "become",
    "box",
    "break",
    "build",
    "com1",
    "con",
    "const",
    "continue",
    "core",
    "crate",
    "deps",
    "do",
    "dyn",
    "else",
    "enum",
    "examples",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "incremental",
    "let",
    "loop",
    "lpt1",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "nul",
    "override",
    "priv",
    "prn",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "std",
    "struct",
    "super",
    "test",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
];

/// The files of a crate, the runtime at `runtime` relative to it.
pub fn files(
    package: &str,
    main_rs: &str,
    runtime: &str,
    lock: &str,
) -> Vec<(Cow<'static, str>, Cow<'static, [u8]>)> {
    let manifest = format!(
        "{HEADER}[package]\nname = \"{package}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\nserq-runtime = {{ path = \"{runtime}\", features = [\"cli\"] }}\n\n\
         [workspace]\n\n{PROFILE}"
    );
    let mut files: Vec<(Cow<'static, str>, Cow<'static, [u8]>)> = vec![
        ("Cargo.toml".into(), manifest.into_bytes().into()),
        ("src/main.rs".into(), main_rs.as_bytes().to_vec().into()),
    ];
    if !lock.is_empty() {
        files.push(("Cargo.lock".into(), lock.as_bytes().to_vec().into()));
    }
    files
}

/// Writes a crate for the user to read and build, the runtime's source with it.
///
/// # Errors
/// If the folder holds another crate or cannot be written.
pub fn write(folder: &Path, crate_name: &str, main_rs: &str) -> Result<(), Outside> {
    let runtime = Runtime::embedded();
    let manifest = folder.join("Cargo.toml");
    if manifest.exists()
        && !std::fs::read_to_string(&manifest).is_ok_and(|text| text.starts_with(HEADER))
    {
        return Err(Outside::foreign_crate(&manifest));
    }
    let package = name(crate_name, &runtime.lock);
    let files = files(&package, main_rs, RUNTIME_FOLDER, &runtime.lock);
    write_files(folder, &files).map_err(|error| Outside::unwritable(folder, error))?;
    let beside = folder.join(RUNTIME_FOLDER);
    write_files(&beside, &runtime.files).map_err(|error| Outside::unwritable(&beside, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_cargo_accepts() {
        let lock = "[[package]]\nname = \"serq-runtime\"\n[[package]]\nname = \"clap\"\n";
        for (from, to) in [
            ("llmd_nixl_pull", "llmd_nixl_pull"),
            ("2-tier model", "sim_2_tier_model"),
            ("", "sim_"),
            ("日本", "sim___"),
            ("clap", "clap_sim"),
            ("serq_runtime", "serq_runtime_sim"),
            ("build", "build_sim"),
        ] {
            assert_eq!(name(from, lock), to);
        }
    }

    #[test]
    fn only_crates_of_its_own_are_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "a", "fn main() {}").unwrap();
        write(folder.path(), "a", "fn main() { }").unwrap();
        assert_eq!(
            std::fs::read_to_string(folder.path().join("src/main.rs")).unwrap(),
            "fn main() { }"
        );
        std::fs::write(folder.path().join("Cargo.toml"), "[package]").unwrap();
        assert_eq!(write(folder.path(), "a", "").unwrap_err().code, "S908");
        assert_eq!(
            std::fs::read_to_string(folder.path().join("src/main.rs")).unwrap(),
            "fn main() { }"
        );
    }
}
