//! The conformance programs: the right ones resolve, the wrong ones fail where they are wrong.

mod common;

use std::path::{Path, PathBuf};

use common::{Files, programs, shown};
use serq_compiler::resolve::resolve;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/conformance")
}

/// A field of a small JSON object: its text, without quotes.
fn field(json: &str, name: &str) -> Option<String> {
    let at = json.find(&format!("\"{name}\":"))? + name.len() + 3;
    let rest = json[at..].trim_start();
    let end = match rest.strip_prefix('"') {
        Some(text) => return Some(text[..text.find('"')?].to_owned()),
        None => rest.find([',', '}', '\n'])?,
    };
    let value = rest[..end].trim();
    (value != "null").then(|| value.to_owned())
}

#[test]
fn every_right_program_resolves() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for topic in ["det", "fuzz", "stat"] {
        for path in programs(&corpus().join(topic)) {
            count += 1;
            if let Err(failure) = resolve(&Files, &path.to_string_lossy(), &[]) {
                wrong.push(format!("{}\n    {}", path.display(), shown(&failure).join("\n    ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_wrong_program_fails_where_it_is_wrong() {
    let mut wrong = Vec::new();
    for path in programs(&corpus().join("err")) {
        let json = std::fs::read_to_string(path.with_extension("json")).unwrap_or_default();
        let name = path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let outcome = resolve(&Files, &path.to_string_lossy(), &[]);
        match (field(&json, "where").as_deref(), outcome) {
            (Some("run"), Err(failure)) => {
                wrong.push(format!("{name} fails early: {}", shown(&failure).join("; ")));
            }
            (Some("link"), Ok(_)) => wrong.push(format!("{name} resolves")),
            (Some("link"), Err(failure)) => {
                let Some(first) = failure.diagnostics.first() else {
                    wrong.push(format!("{name} fails without a word"));
                    continue;
                };
                let (line, col) = failure.sources.line_col(first.primary.span);
                for (what, is) in [("line", line), ("col", col)] {
                    if field(&json, what).is_some_and(|want| want != is.to_string()) {
                        wrong.push(format!(
                            "{name} at another {what}: {}",
                            shown(&failure).join("; ")
                        ));
                    }
                }
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
