//! Puts the runtime's source into the command's binary.
//!
//! In: `../../runtime`, the workspace's manifest and its lock file. Out, in `OUT_DIR`: a copy of
//! the runtime that stands alone (nothing inherited from a workspace, no path to a crate that does
//! not come along, nothing only tests need) and `embedded.rs`, a table of its files. The lock file
//! pins the versions of the runtime's dependencies.

use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

fn main() {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    let workspace =
        here.parent().and_then(Path::parent).expect("compiler/serqc lies in the workspace");
    let runtime = workspace.join("runtime");
    for watched in [runtime.join("src"), runtime.join("Cargo.toml"), workspace.join("Cargo.toml")] {
        println!("cargo::rerun-if-changed={}", watched.display());
    }

    let copy = out.join("runtime");
    if copy.exists() {
        fs::remove_dir_all(&copy).expect("OUT_DIR can be written");
    }
    let mut files = Vec::new();
    copy_tree(&runtime, Path::new("src"), &copy, &mut files);
    let manifest = standalone(
        &read_toml(&runtime.join("Cargo.toml")),
        &read_toml(&workspace.join("Cargo.toml")),
    );
    write(&copy.join("Cargo.toml"), manifest.as_bytes());
    files.push("Cargo.toml".to_owned());
    files.sort();

    // A checkout without a lock file still builds: cargo then picks the versions.
    let lock_path = workspace.join("Cargo.lock");
    if lock_path.exists() {
        println!("cargo::rerun-if-changed={}", lock_path.display());
    }
    write(&out.join("runtime.lock"), &fs::read(&lock_path).unwrap_or_default());

    let mut table = String::from(
        "/// The files of the runtime, by path, sorted.\npub const FILES: &[(&str, &[u8])] = &[\n",
    );
    for file in &files {
        table += &format!(
            "    ({file:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), {:?}))),\n",
            format!("/runtime/{file}")
        );
    }
    table += "];\n/// The lock file that pins its dependencies; empty if there was none.\n";
    table +=
        "pub const LOCK: &str = include_str!(concat!(env!(\"OUT_DIR\"), \"/runtime.lock\"));\n";
    write(&out.join("embedded.rs"), table.as_bytes());
}

/// Copies a folder of `from` to the same place below `to` and lists its files with `/` between parts.
fn copy_tree(from: &Path, folder: &Path, to: &Path, files: &mut Vec<String>) {
    let entries =
        fs::read_dir(from.join(folder)).expect("the runtime's source lies beside the compiler's");
    for entry in entries {
        let entry = entry.expect("a readable folder");
        let path = folder.join(entry.file_name());
        if entry.file_type().expect("a readable folder").is_dir() {
            copy_tree(from, &path, to, files);
        } else {
            write(&to.join(&path), &fs::read(from.join(&path)).expect("a readable file"));
            let parts: Vec<_> =
                path.iter().map(|part| part.to_str().expect("a UTF-8 file name")).collect();
            files.push(parts.join("/"));
        }
    }
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("a file lies in a folder"))
        .expect("OUT_DIR can be written");
    fs::write(path, bytes).expect("OUT_DIR can be written");
}

fn read_toml(path: &Path) -> Table {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.parse().unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The manifest of `member` as it reads with no workspace around it.
fn standalone(member: &Table, workspace: &Table) -> String {
    let shared = workspace["workspace"].as_table().expect("a workspace manifest");
    let mut manifest = member.clone();
    for unneeded in ["dev-dependencies", "bench", "test", "example", "bin"] {
        manifest.remove(unneeded);
    }
    let package = manifest["package"].as_table_mut().expect("a package");
    for unneeded in ["readme", "include", "exclude", "default-run"] {
        package.remove(unneeded);
    }
    for (key, value) in package.iter_mut() {
        if inherits(value) {
            *value = shared["package"][key].clone();
        }
    }
    if manifest.get("lints").is_some_and(inherits) {
        manifest.insert("lints".to_owned(), shared["lints"].clone());
    }
    let dropped = dependencies_that_stay_behind(&mut manifest, shared);
    if let Some(features) = manifest.get_mut("features").and_then(Value::as_table_mut) {
        for enables in features.iter_mut().filter_map(|(_, list)| list.as_array_mut()) {
            enables.retain(|item| {
                let item = item.as_str().unwrap_or_default().trim_start_matches("dep:");
                let package = item.split(['/', '?']).next().unwrap_or_default();
                !dropped.iter().any(|name| name == package)
            });
        }
    }
    toml::to_string(&manifest).expect("a manifest is plain TOML")
}

/// Removes dependencies on neighbouring folders and resolves inherited ones; gives the removed names.
fn dependencies_that_stay_behind(manifest: &mut Table, shared: &Table) -> Vec<String> {
    let mut dropped = Vec::new();
    let Some(dependencies) = manifest.get_mut("dependencies").and_then(Value::as_table_mut) else {
        return dropped;
    };
    for (name, dependency) in dependencies.iter_mut() {
        if inherits(dependency) {
            let mut whole = match &shared["dependencies"][name] {
                Value::Table(table) => table.clone(),
                version => Table::from_iter([("version".to_owned(), version.clone())]),
            };
            whole.extend(dependency.as_table().cloned().unwrap_or_default());
            whole.remove("workspace");
            *dependency = Value::Table(whole);
        }
    }
    dependencies.retain(|name, dependency| {
        let neighbour = dependency.get("path").is_some();
        if neighbour {
            let optional = dependency.get("optional").and_then(Value::as_bool).unwrap_or(false);
            assert!(
                optional,
                "the runtime travels alone, but needs `{name}` from a neighbouring folder"
            );
            dropped.push(name.to_string());
        }
        !neighbour
    });
    dropped
}

/// Whether a value says `workspace = true`.
fn inherits(value: &Value) -> bool {
    value.get("workspace").and_then(Value::as_bool) == Some(true)
}
