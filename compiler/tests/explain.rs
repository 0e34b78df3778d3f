//! Every code has a page, every page a code, and the examples do what the pages say.

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use common::compile_with;
use serq_compiler::diag::{Diagnostic, Severity};
use serq_compiler::explain::{Example, Frame, nearest, page, pages};

/// Everything said about an example, errors first.
fn diagnostics(example: &Example) -> Vec<Diagnostic> {
    let (text, _) = example.program();
    let files: Vec<_> = example.files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    match compile_with(&text, &files, &example.sets) {
        Ok((_, warnings)) => warnings,
        Err(failure) => failure.diagnostics,
    }
}

fn said(found: &[Diagnostic]) -> Vec<String> {
    found.iter().map(|d| format!("{} {}", d.code, d.message)).collect()
}

#[test]
fn a_wrong_example_gives_its_code_first() {
    let mut wrong = Vec::new();
    for page in pages() {
        let Some(example) = page.wrong.as_ref().filter(|e| e.frame != Frame::Report) else {
            continue;
        };
        let found = diagnostics(example);
        let (text, place) = example.program();
        let Some(first) = found.first().filter(|first| first.code == page.code) else {
            wrong.push(format!("{}: {:?}\n{text}", page.code, said(&found)));
            continue;
        };
        let at = (first.primary.span.start as usize, first.primary.span.end as usize);
        if place.is_some_and(|place| place != at) {
            wrong.push(format!("{}: points at {at:?}, marked is {place:?}\n{text}", page.code));
        }
        let is_warning = first.severity == Severity::Warning;
        if page.title.contains("(warning)") != is_warning {
            wrong.push(format!("{}: is a warning: {is_warning}", page.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_right_example_compiles_without_it() {
    let mut wrong = Vec::new();
    for page in pages() {
        let Some(example) = &page.right else { continue };
        let found = diagnostics(example);
        let bad = |d: &Diagnostic| d.severity == Severity::Error || d.code == page.code;
        if found.iter().any(bad) {
            wrong.push(format!("{}: {:?}\n{}", page.code, said(&found), example.program().0));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn programs_with_a_note_compile_without_a_warning() {
    for page in pages() {
        let Some(example) = page.wrong.as_ref().filter(|e| e.frame == Frame::Report) else {
            continue;
        };
        assert_eq!(said(&diagnostics(example)), [""; 0], "{}", page.code);
    }
}

/// Adds every code in quotes that the Rust files below a folder write.
fn codes(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            codes(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let is_code = |word: &&str| {
                let digits = word.strip_prefix('S').unwrap_or("");
                digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit())
            };
            found.extend(text.split('"').filter(is_code).map(str::to_owned));
        }
    }
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut written = BTreeSet::new();
    for folder in ["src", "serqc/src", "../runtime/src"] {
        codes(&here.join(folder), &mut written);
    }
    let paged: Vec<String> = pages().iter().map(|page| page.code.to_owned()).collect();
    let unique: BTreeSet<String> = paged.iter().cloned().collect();
    assert_eq!(paged.len(), unique.len(), "a code has two pages");
    let missing: Vec<_> = written.difference(&unique).collect();
    let idle: Vec<_> = unique.difference(&written).collect();
    assert!(missing.is_empty() && idle.is_empty(), "no page: {missing:?}; no code: {idle:?}");
}

#[test]
fn every_page_is_whole() {
    for page in pages() {
        assert!(!page.title.is_empty() && page.title.len() <= 80, "{}", page.code);
        // What no program shows by itself.
        let prose_only = ["S019", "S312"].contains(&page.code) || page.code.starts_with("S9");
        assert_eq!(page.wrong.is_none(), prose_only, "{}", page.code);
        assert_eq!(page.right.is_none(), prose_only, "{}", page.code);
        assert!(!(prose_only && page.text.is_empty()), "{}", page.code);
        let shown = page.render();
        assert!(shown.lines().all(|line| line.chars().count() <= 120), "{shown}");
        assert!(!shown.contains(['⟦', '⟧']), "{shown}");
    }
}

#[test]
fn a_page_shows_its_examples() {
    let shown = page("s040").unwrap().render();
    for part in ["S040: a name", "Wrong, in a session:\n\n    set x = lenght;", "Here `d` is"] {
        assert!(shown.contains(part), "{shown}");
    }
    let shown = page("S022").unwrap().render();
    assert!(shown.contains("    // with --set th=2\n"), "{shown}");
}

#[test]
fn what_is_no_code_has_neighbours() {
    let of = |code: &str| nearest(code).iter().map(|page| page.code).collect::<Vec<_>>();
    assert_eq!(of("40"), ["S040"]);
    assert_eq!(of("s0040"), ["S040"]);
    assert_eq!(of("S067"), ["S066", "S068"]);
    assert_eq!(of("S999"), ["S953"]);
    assert_eq!(of("E0308"), [""; 0]);
}
