//! The driver with a runtime of one line and no dependencies, so that a build takes a moment.

use std::fs;
use std::process::Command;
use std::thread;

use super::*;

const MANIFEST: &str = "\
[package]
name = \"serq-runtime\"
version = \"0.1.0\"
edition = \"2024\"
[features]
cli = []
";

fn runtime() -> Runtime {
    let library =
        "#[cfg(feature = \"cli\")] pub fn greet(name: &str) { println!(\"hello {name}\"); }";
    Runtime {
        files: vec![
            ("Cargo.toml".into(), MANIFEST.as_bytes().into()),
            ("src/lib.rs".into(), library.as_bytes().into()),
        ],
        lock: "".into(),
    }
}

fn greeting(name: &str) -> String {
    format!("fn main() {{ serq_runtime::greet({name:?}); }}")
}

fn said(binary: &Path) -> String {
    String::from_utf8(Command::new(binary).output().unwrap().stdout).unwrap()
}

#[test]
fn a_binary_is_built_once_and_leaves_no_artefacts() {
    let folder = tempfile::tempdir().unwrap();
    let screen = Screen::new();
    let driver = Driver::with(&screen, runtime(), Cache::at(folder.path())).unwrap();
    let binary = driver.binary("mm1", &greeting("world")).unwrap();
    assert_eq!(said(&binary), "hello world\n");
    assert_eq!(binary.file_stem().unwrap(), "mm1");

    let shop = folder.path().join("shop").join(driver.shop_key(package::PROFILE));
    assert_eq!(fs::read_dir(shop.join("sim")).unwrap().count(), 0);
    let release = shop.join("target").join(&driver.toolchain.host).join("release");
    for kept in ["", "deps", ".fingerprint"] {
        for entry in fs::read_dir(release.join(kept)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(!name.starts_with("mm1"), "{kept}/{name}");
        }
    }

    // Had it to build again, it could not.
    fs::remove_dir_all(&shop).unwrap();
    fs::write(&shop, "").unwrap();
    assert_eq!(driver.binary("mm1", &greeting("world")).unwrap(), binary);
    assert_eq!(driver.binary("mm1", &greeting("all")).unwrap_err().code, "S910");
}

#[test]
fn what_lies_around_the_cache_is_ignored() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Cargo.toml"), "[workspace]\nmembers = [\"absent\"]\n").unwrap();
    fs::create_dir(folder.path().join(".cargo")).unwrap();
    let configuration = "[build]\nrustflags = [\"--nonsense\"]\ntarget-dir = \"/nowhere\"\nrustc-wrapper = \"absent\"\ntarget = \"wasm32-unknown-unknown\"\n";
    fs::write(folder.path().join(".cargo/config.toml"), configuration).unwrap();
    let screen = Screen::new();
    let driver = Driver::with(&screen, runtime(), Cache::at(&folder.path().join("cache"))).unwrap();
    assert_eq!(said(&driver.binary("mm1", &greeting("world")).unwrap()), "hello world\n");
}

#[test]
fn rust_that_does_not_compile_is_kept_to_be_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let screen = Screen::new();
    let driver = Driver::with(&screen, runtime(), Cache::at(folder.path())).unwrap();
    let failure = driver.binary("mm1", "fn main() { absent() }").unwrap_err();
    assert_eq!(failure.code, "S913");
    assert!(failure.output.unwrap().contains("cannot find function `absent`"));
    let kept =
        folder.path().join("shop").join(driver.shop_key(package::PROFILE)).join("failed/mm1");
    assert!(failure.help.unwrap().contains(kept.to_str().unwrap()));
    assert_eq!(fs::read_to_string(kept.join("src/main.rs")).unwrap(), "fn main() { absent() }");
    assert!(fs::read_to_string(kept.join("cargo.log")).unwrap().contains("absent"));
    // And the next program builds.
    assert_eq!(said(&driver.binary("mm1", &greeting("world")).unwrap()), "hello world\n");
}

#[test]
fn builds_at_once_do_not_meet() {
    let folder = tempfile::tempdir().unwrap();
    let screen = Screen::new();
    let names = ["a", "b", "a", "b", "c"];
    thread::scope(|scope| {
        for (n, name) in names.into_iter().enumerate() {
            let (folder, screen) = (folder.path(), &screen);
            scope.spawn(move || {
                let driver = Driver::with(screen, runtime(), Cache::at(folder)).unwrap();
                let package = if n % 2 == 0 { "same" } else { "other" };
                assert_eq!(
                    said(&driver.binary(package, &greeting(name)).unwrap()),
                    format!("hello {name}\n")
                );
            });
        }
    });
    assert_eq!(fs::read_dir(folder.path().join("bin")).unwrap().count(), 3);
}

#[test]
fn a_new_runtime_is_another_workshop() {
    let folder = tempfile::tempdir().unwrap();
    let screen = Screen::new();
    let old = Driver::with(&screen, runtime(), Cache::at(folder.path())).unwrap();
    let mut changed = runtime();
    changed.files[1].1.to_mut().extend(b"\n// changed\n");
    let new = Driver::with(&screen, changed, Cache::at(folder.path())).unwrap();
    assert_ne!(old.shop_key(package::PROFILE), new.shop_key(package::PROFILE));
}
