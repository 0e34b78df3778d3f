//! Random trees and random damage. A tree printed and read is the same tree, whatever it holds; a
//! program with random changes is read or refused, never a panic.

mod generator;

use std::path::Path;

use generator::{Generator, Random};
use serq_compiler::diag::Diagnostic;
use serq_compiler::span::FileId;
use serq_compiler::syntax::{format, parse, print};

/// Printing and laying out keep the tree, and are stable.
fn check(text: &str) {
    let Ok(first) = parse(FileId(0), text) else { return };
    let printed = print(&first);
    let second = parse(FileId(0), &printed).unwrap_or_else(|e| panic!("{e:#?}\n{text}\n{printed}"));
    assert!(first == second, "printing changed the program:\n{text}\n{printed}");
    let laid_out = format(text).expect("it parses");
    let third =
        parse(FileId(0), &laid_out).unwrap_or_else(|e| panic!("{e:#?}\n{text}\n{laid_out}"));
    assert!(first == third, "the layout changed the program:\n{text}\n{laid_out}");
    assert_eq!(first.comments.len(), third.comments.len(), "comments of\n{text}\n{laid_out}");
    assert_eq!(
        laid_out,
        format(&laid_out).expect("it parses"),
        "laying out twice differs:\n{text}"
    );
}

#[test]
fn a_printed_tree_reads_back_as_itself() {
    for seed in 0..300 {
        let tree = Generator::new(seed).file();
        let printed = print(&tree);
        let read = parse(FileId(0), &printed)
            .unwrap_or_else(|errors| panic!("seed {seed}: {errors:#?}\n{printed}"));
        assert!(tree == read, "seed {seed}:\n{printed}\n{tree:#?}\n{read:#?}");
        assert_eq!(printed, print(&read), "seed {seed}");
    }
}

#[test]
fn a_generated_program_with_comments_anywhere_keeps_them() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let text = print(&Generator::new(seed).file());
        // Comments and line ends go where a space is, outside file names.
        let mut commented = String::new();
        let mut in_string = false;
        for c in text.chars() {
            in_string ^= c == '"';
            commented.push(c);
            if c == ' ' && !in_string {
                commented.push_str(match random.below(30) {
                    0 => "/* c */ ",
                    1 => "// to the end { ;\n",
                    2 => "\n",
                    3 => "/* two\n   lines */",
                    4 => "\n\n\n",
                    _ => "",
                });
            }
        }
        assert!(parse(FileId(0), &commented).is_ok(), "seed {seed}:\n{commented}");
        check(&commented);
    }
}

/// Some programs of every folder, short ones first to last.
fn programs() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/conformance");
    let mut paths = Vec::new();
    for folder in
        ["det/syntax", "det/queue", "det/spill", "det/deploy", "det/workload", "err", "fuzz"]
    {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder of programs") {
            paths.push(entry.expect("an entry").path());
        }
    }
    paths.retain(|path| path.extension().is_some_and(|end| end == "sq"));
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).expect("a program")).collect()
}

/// Bits of text that make the most of a wrong place.
const BITS: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "\"",
    "/*",
    "*/",
    "//",
    "=",
    "==",
    "<",
    "!",
    "-",
    "^",
    "?",
    ":",
    ".",
    "~",
    "..",
    "1e",
    "0x",
    "_",
    "\u{e9}",
    "\u{1f600}",
    "\u{feff}",
    "\0",
    "\r\n",
    "\n",
    "max k in",
    "self",
    "inf",
    "else",
    "growing kv",
    "run",
    "turn",
    "prefill",
    "from",
    "step {",
];

#[test]
fn damaged_programs_are_read_or_refused() {
    let programs = programs();
    let mut random = Random::new(7);
    for case in 0..3000 {
        let mut bytes = programs[random.below(programs.len())].clone().into_bytes();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len() + 1);
            let end = (at + random.below(6)).min(bytes.len());
            match random.below(5) {
                0 => drop(bytes.drain(at..end)),
                1 => bytes.truncate(at),
                2 => bytes.insert(at, random.below(256) as u8),
                3 => drop(bytes.splice(at..end, BITS[random.below(BITS.len())].bytes())),
                _ => {
                    let copy = bytes[at..end].to_vec();
                    let to = random.below(bytes.len() + 1);
                    drop(bytes.splice(to..to, copy));
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match parse(FileId(0), &text) {
            Ok(_) if case % 4 == 0 => check(&text),
            Ok(_) => {}
            Err(errors) => check_errors(&errors, &text),
        }
    }
}

/// Errors are of this text and not the compiler's own.
fn check_errors(errors: &[Diagnostic], text: &str) {
    assert!(!errors.is_empty());
    for error in errors {
        let span = error.primary.span;
        assert!(span.start <= span.end && span.end as usize <= text.len(), "{error:?}\n{text}");
        assert_ne!(error.code, "S019", "{error:?}\n{text}");
    }
}

#[test]
fn nonsense_is_refused() {
    let mut random = Random::new(11);
    for _ in 0..500 {
        let text: String = (0..random.below(60))
            .map(|_| BITS[random.below(BITS.len())].to_string() + " ")
            .collect();
        check(&text);
    }
}
