//! The invariants of `docs/architecture.md`, each by reading the sources.

use serq_tests::compile::{self, project};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A source file: its path below the project, and its text.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// Its lines that are code, numbered from 1: comments are dropped, and tests at the end of the file.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines =
            self.text.lines().enumerate().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
        lines.map(|(i, line)| (i + 1, line.split("//").next().unwrap_or(line)))
    }
}

fn files(folder: &str, ending: &str) -> Vec<Source> {
    fn walk(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            let hidden = path
                .file_name()
                .is_some_and(|name| name == "target" || name.to_string_lossy().starts_with('.'));
            if hidden {
                continue;
            }
            if path.is_dir() {
                walk(&path, ending, found);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&project().join(folder), ending, &mut found);
    found.sort();
    let source = |path: PathBuf| Source {
        path: path.strip_prefix(project()).unwrap_or(&path).to_string_lossy().replace('\\', "/"),
        text: fs::read_to_string(&path).unwrap_or_default(),
    };
    found.into_iter().map(source).collect()
}

fn rust(folder: &str) -> Vec<Source> {
    let sources = files(folder, ".rs");
    assert!(!sources.is_empty(), "no sources in {folder}");
    sources
}

/// Fails with every line of `sources` that has one of `words`, as whole words.
fn assert_absent(sources: &[Source], words: &[&str]) {
    let mut found = Vec::new();
    for source in sources {
        for (number, line) in source.code() {
            found.extend(
                words
                    .iter()
                    .filter(|word| has_word(line, word))
                    .map(|word| format!("{}:{number}: `{word}`", source.path)),
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Whether `word` stands in `line` with no letter, digit or `_` before or after it.
fn has_word(line: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let starts_with_name = part(word.chars().next());
    let ends_with_name = part(word.chars().last());
    line.match_indices(word).any(|(at, _)| {
        let glued_before = starts_with_name && part(line[..at].chars().last());
        let glued_after = ends_with_name && part(line[at + word.len()..].chars().next());
        !glued_before && !glued_after
    })
}

/// The names in one section of a manifest that is written one entry a line.
fn entries(manifest: &str, section: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(project().join(manifest)).unwrap_or_default();
    let lines = text.lines().skip_while(|line| line.trim() != format!("[{section}]")).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    lines
        .filter_map(|line| line.split_once('='))
        .map(|(name, rest)| (name.trim().to_owned(), rest.trim().to_owned()))
        .collect()
}

const MANIFESTS: &[&str] = &[
    "compiler/Cargo.toml",
    "compiler/serqc/Cargo.toml",
    "runtime/Cargo.toml",
    "macros/Cargo.toml",
    "tests/Cargo.toml",
    "tests/floors/Cargo.toml",
    "tests/bench/Cargo.toml",
    "tests/editors/Cargo.toml",
];

#[test]
fn the_compilers_library_does_no_io() {
    let words = [
        "std::fs",
        "std::net",
        "process::Command",
        "std::env",
        "std::io",
        "println!",
        "eprintln!",
        "print!",
        "dbg!",
        "File::open",
    ];
    assert_absent(&rust("compiler/src"), &words);
}

#[test]
fn only_the_syntax_folder_knows_pest() {
    let mut sources = rust("compiler/src");
    sources.retain(|source| !source.path.starts_with("compiler/src/syntax/"));
    sources.extend(rust("compiler/serqc"));
    sources.extend(rust("macros"));
    assert_absent(&sources, &["pest", "pest_derive"]);
}

#[test]
fn only_macros_knows_proc_macro_and_only_emission_holds_tokens() {
    let mut sources = rust("compiler/src");
    sources.extend(rust("compiler/serqc"));
    sources.extend(rust("runtime"));
    assert_absent(&sources, &["proc_macro"]);
    sources.retain(|source| !source.path.starts_with("compiler/src/emit/"));
    assert_absent(&sources, &["proc_macro2", "quote", "syn", "prettyplease"]);
}

#[test]
fn the_library_and_the_macro_know_no_options_and_no_renderer() {
    for manifest in ["compiler/Cargo.toml", "macros/Cargo.toml"] {
        let names: Vec<String> =
            entries(manifest, "dependencies").into_iter().map(|(name, _)| name).collect();
        for unwanted in ["clap", "annotate-snippets", "indicatif", "serq-runtime"] {
            assert!(!names.iter().any(|name| name == unwanted), "{manifest} has {unwanted}");
        }
    }
}

#[test]
fn lowering_and_emission_cannot_fail() {
    let folders = ["compiler/src/machine", "compiler/src/plan", "compiler/src/emit"];
    let sources: Vec<Source> = folders.into_iter().flat_map(rust).collect();
    assert_absent(&sources, &["panic!", "todo!", "unimplemented!", "Diagnostic"]);
    for source in &sources {
        // What is emitted may fail: `new` refuses constants.
        let failing = source
            .code()
            .find(|(_, line)| line.contains("-> Result<") && !line.contains("Vec<Refusal>"));
        assert_eq!(failing, None, "{}", source.path);
    }
}

#[test]
fn nothing_is_left_undone() {
    let sources: Vec<Source> =
        ["compiler", "runtime", "macros"].into_iter().flat_map(rust).collect();
    assert_absent(&sources, &["todo!", "unimplemented!", "dbg!"]);
}

#[test]
fn the_ir_owns_its_nodes() {
    let mut sources = rust("compiler/src/ir");
    assert_absent(&sources, &["Rc<", "RefCell", "Arc<"]);
    sources.retain(|s| s.path.ends_with("ir/mod.rs") || s.path.ends_with("ir/expr.rs"));
    assert_eq!(sources.len(), 2);
    assert_absent(&sources, &["&'a", "<'a>"]);
}

#[test]
fn the_runtime_has_next_to_no_dependencies() {
    let always: Vec<String> = entries("runtime/Cargo.toml", "dependencies")
        .into_iter()
        .filter(|(_, value)| !value.contains("optional = true"))
        .map(|(name, _)| name)
        .collect();
    let expected = ["serde", "serde_json"];
    assert!(always.iter().all(|name| expected.contains(&name.as_str())), "{always:?}");
    let default = entries("runtime/Cargo.toml", "features");
    assert!(default.contains(&("default".to_owned(), "[]".to_owned())), "{default:?}");
    // A test with `serq!` compiles no options.
    let macros = ("macros".to_owned(), "[\"dep:serq-macros\"]".to_owned());
    assert!(default.contains(&macros), "{default:?}");
}

#[test]
fn the_runtime_knows_no_hash_maps() {
    let mut sources = rust("runtime/src");
    sources.retain(|source| !source.path.starts_with("runtime/src/cli"));
    assert_absent(&sources, &["HashMap", "HashSet", "SystemTime"]);
}

#[test]
fn there_is_no_unsafe_code() {
    let lints = entries("Cargo.toml", "workspace.lints.rust");
    assert!(lints.contains(&("unsafe_code".to_owned(), "\"forbid\"".to_owned())), "{lints:?}");
    for manifest in MANIFESTS {
        let lints = entries(manifest, "lints");
        assert_eq!(lints, [("workspace".to_owned(), "true".to_owned())], "{manifest}");
    }
    for source in files("generated", "main.rs") {
        assert!(source.text.contains("#![forbid(unsafe_code)]"), "{}", source.path);
    }
    for path in examples() {
        assert!(emitted(&path).contains("#![forbid(unsafe_code)]"), "{}", path.display());
    }
}

#[test]
fn a_generated_crate_stands_alone() {
    let home = project().to_string_lossy().into_owned();
    for path in examples() {
        let text = emitted(&path);
        assert!(!text.contains(&home), "{} names the folder it was compiled in", path.display());
        // Behind the code stands the program's own text, with `use`s of its own.
        let code = text.split("\nconst SOURCES").next().unwrap_or_default();
        for line in code
            .lines()
            .map(str::trim_start)
            .filter(|line| line.starts_with("use ") || line.starts_with("extern "))
            // Of the program's own text, which the crate keeps: no Rust begins so.
            .filter(|line| !line.starts_with("use \""))
        {
            let own = ["use serq_runtime", "use std::", "use super::", "use self::", "use crate::"];
            assert!(own.iter().any(|start| line.starts_with(start)), "{}: {line}", path.display());
        }
    }
}

#[test]
fn the_same_program_gives_the_same_text() {
    for path in examples() {
        assert_eq!(emitted(&path), emitted(&path), "{}", path.display());
    }
}

#[test]
fn every_source_file_opens_by_saying_what_it_is() {
    let mut sources = rust("compiler");
    sources.extend(rust("runtime"));
    sources.extend(rust("macros"));
    sources.extend(rust("tests"));
    let bare: Vec<&str> =
        sources.iter().filter(|s| !s.text.starts_with("//!")).map(|s| s.path.as_str()).collect();
    assert!(bare.is_empty(), "no header: {}", bare.join(", "));
}

#[test]
fn every_example_says_what_it_models() {
    for path in examples() {
        let text = fs::read_to_string(&path).unwrap_or_default();
        assert!(text.starts_with("//"), "{} has no header", path.display());
        assert!(text.contains("run {"), "{} has no run block", path.display());
    }
}

fn examples() -> Vec<PathBuf> {
    let found: Vec<PathBuf> =
        files("examples", ".sq").into_iter().map(|source| project().join(source.path)).collect();
    assert!(!found.is_empty(), "no examples");
    found
}

fn emitted(path: &Path) -> String {
    compile::main_file(path).unwrap_or_else(|problem| panic!("{}: {problem:?}", path.display()))
}

#[test]
fn words_are_found_whole() {
    assert!(has_word("use pest::Parser;", "pest"));
    assert!(!has_word("the tempest", "pest"));
    assert!(!has_word("use proc_macro2::Ident;", "proc_macro"));
    assert!(has_word("fn f() -> Result<(), ()>", "-> Result<"));
}
