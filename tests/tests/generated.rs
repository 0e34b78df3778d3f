//! `generated/` is what the compiler emits for the examples today, and neither rustc nor clippy
//! objects to it.
//!
//! After a change of the emitter, `UPDATE_EXPECT=1 cargo test -p serq-tests --test generated` writes it anew; read the
//! difference before it is committed.

use serq_tests::{
    batch,
    compile::{self, project},
    corpus, examples,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

fn manifest(name: &str) -> String {
    format!(
        "# Emitted by serqc beside src/main.rs.\n[package]\nname = \"{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [workspace]\n\n[dependencies]\nserq-runtime = {{ path = \"../../runtime\", features = [\"cli\"] }}\n",
        name.replace('_', "-")
    )
}

#[test]
fn it_is_what_the_compiler_emits_and_nothing_objects_to_it() {
    let update = corpus::updating();
    let mut stale = Vec::new();
    for (name, path) in examples::all() {
        let main =
            compile::main_file(&path).unwrap_or_else(|problem| panic!("{name}: {problem:?}"));
        let folder = project().join("generated").join(&name);
        for (file, text) in [("Cargo.toml", manifest(&name)), ("src/main.rs", main)] {
            let file = folder.join(file);
            // A checkout may have turned line ends.
            let old = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
            if old == text {
                continue;
            }
            if update {
                write(&file, &text);
            } else {
                stale.push(file.display().to_string());
            }
        }
    }
    assert!(stale.is_empty(), "run with UPDATE_EXPECT=1: {}", stale.join(", "));
    let folders: Vec<PathBuf> = examples::all()
        .into_iter()
        .map(|(name, _)| project().join("generated").join(name))
        .collect();
    for folder in folders {
        batch::lint(&folder).unwrap_or_else(|error| panic!("{error}"));
    }
}

fn write(file: &Path, text: &str) {
    let written =
        file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(file, text));
    written.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}
