//! Texts that are no programs: huge, deep, broken off, or random. Each gets an answer, soon, on the
//! small stack of a test thread; none gets a panic.

use std::time::{Duration, Instant};

use serq_compiler::span::FileId;
use serq_compiler::syntax::{format, parse, parse_expr, print};

/// The codes of the errors found, in order.
fn codes(text: &str) -> Vec<&'static str> {
    match parse(FileId(0), text) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(|e| e.code).collect(),
    }
}

/// In a debug build on a slow machine; the point is that it is not minutes.
const SOON: Duration = Duration::from_secs(20);

#[track_caller]
fn soon(text: &str, want: &[&str]) {
    let begin = Instant::now();
    assert_eq!(codes(text), want);
    assert!(begin.elapsed() < SOON, "took {:?}", begin.elapsed());
}

#[test]
fn deep_nesting_is_refused_before_it_is_parsed() {
    let n = 10_000;
    let nested = |open: &str, close: &str| format!("{}1{}", open.repeat(n), close.repeat(n));
    soon(&format!("let x = {};", nested("(", ")")), &["S004"]);
    soon(&format!("let x = {};", nested("f(", ")")), &["S004"]);
    soon(&format!("let x = {};", nested("a[", "]")), &["S004"]);
    soon(&format!("let x = {};", nested("(", "")), &["S004"]);
    soon(&format!("let x = {}1;", "!".repeat(n)), &["S004"]);
    soon(&format!("let x = {}1;", "-".repeat(n)), &["S004"]);
    soon(&format!("let x = {}1;", "1 ^ ".repeat(n)), &["S004"]);
    soon(&format!("let x = {}1;", "1 + -".repeat(n)), &["S004"]);
    soon(&format!("let x = {}1{};", "1 ? ".repeat(n), " : 1".repeat(n)), &["S004"]);
    soon(&format!("let x = {}1;", "0 ? 1 : ".repeat(n)), &["S004"]);
    let blocks = format!("session {{ {}{} }}", "loop { ".repeat(n), "} ".repeat(n));
    soon(&blocks, &["S004"]);
    soon(&format!("session {{ {}", "loop { ".repeat(n)), &["S004"]);
    soon(&"(".repeat(n), &["S004"]);
    soon(&"{".repeat(n), &["S004"]);
}

#[test]
fn what_is_just_within_the_limit_parses_on_a_small_stack() {
    let n = 100;
    let nested = |open: &str, close: &str| format!("{}1{}", open.repeat(n), close.repeat(n));
    soon(&format!("let x = {};", nested("(", ")")), &[]);
    soon(&format!("let x = {};", nested("f(", ")")), &[]);
    soon(&format!("let x = {};", nested("~f(", ")")), &[]);
    soon(&format!("let x = {};", nested("max k in 2 (", ")")), &[]);
    soon(&format!("let x = {};", nested("kv[", "]")), &[]);
    let n = 200;
    soon(&format!("let x = {}1;", "!".repeat(n)), &[]);
    soon(&format!("let x = {}1;", "1 ^ ".repeat(n)), &[]);
    soon(&format!("let x = {}1;", "0 ? 1 : ".repeat(n)), &[]);
    let n = 49; // and the session
    for open in ["loop { ", "hold p (1) { ", "branch (1) { } else { "] {
        soon(&format!("session {{ {}{} }}", open.repeat(n), "} ".repeat(n)), &[]);
    }
}

/// Operators that are applied from the left.
const CHAINS: [&str; 6] = [" + ", " - ", " * ", " / ", " && ", " || "];

#[test]
fn a_chain_of_thousands_is_not_deep() {
    for sign in CHAINS {
        let text = format!("let x = {}1;\n", format!("a{sign}").repeat(5_000));
        soon(&text, &[]);
        let tree = parse(FileId(0), &text).unwrap();
        assert!(tree == tree.clone());
        let printed = print(&tree);
        assert!(parse(FileId(0), &printed).unwrap() == tree, "{sign}");
        let laid_out = format(&text).unwrap();
        assert_eq!(format(&laid_out).unwrap(), laid_out, "{sign}");
    }
    soon(&format!("let x = {}1;", "f(a + 1) - a / 2 * 3 + ".repeat(2_000)), &[]);
}

#[test]
fn a_chain_inside_another_is_deep() {
    // Each level of operators around a place costs, however many brackets are between.
    let levels = "(1 || 1 && 1 < 1 + 1 * ";
    let nested = |n: usize| format!("let x = {}1{};", levels.repeat(n), ")".repeat(n));
    soon(&nested(28), &[]);
    soon(&nested(29), &["S004"]);
    soon(&nested(5_000), &["S004"]);
    soon(&format!("let x = {}1;", "1 - - ".repeat(5_000)), &["S004"]);
}

#[test]
fn depth_counts_what_is_open_not_what_is_past() {
    let flat = "let x = (1 + (2 - 3)) * f(4, -5);\n".repeat(300);
    soon(&flat, &[]);
    soon(
        &format!("session {{ {} }}", "set x = 1 + 2; loop { f(a + b, c + d); } ".repeat(300)),
        &[],
    );
    soon(&format!("let x = f({}1);", "1 + 2, ".repeat(300)), &[]);
}

#[test]
fn a_line_of_ten_megabytes_has_a_clean_answer() {
    let size = 10 << 20;
    soon(&format!("// {}", "x".repeat(size)), &[]);
    soon(&" ".repeat(size), &[]);
    soon(&format!("let {} = 1;", "a".repeat(size)), &["S005"]);
    soon(&"é".repeat(size / 2), &["S005"]);
    soon(&format!("let x = {};", "9".repeat(size)), &["S005"]);
    soon(&format!("use \"{}\";", "x".repeat(size)), &["S005"]);
    soon(&format!("let x = 1;{}", "/".repeat(size)), &[]);
    soon(&format!("/* {}", "*".repeat(size)), &["S003"]);
    soon(&format!("use \"{}", "x".repeat(size)), &["S005"]);
    soon(&"%".repeat(size), &["S005"]);
    soon(&"let a=1;".repeat(size / 8), &["S005"]);
    soon(&format!("hidden {}b;", "a,".repeat(size / 2)), &["S005"]);
    soon(&format!("workload {{ hidden {}b; }}", "abcd,".repeat(40_000)), &[]);
    soon(&"x".repeat(17 << 20), &["S005"]);
}

#[test]
fn a_file_may_be_empty_or_only_a_comment() {
    for text in
        ["", " ", "\n\n", "// x", "/* x */", "\u{FEFF}", "\u{FEFF}let x = 1;", "/**/let x=1;"]
    {
        assert_eq!(codes(text), Vec::<&str>::new(), "{text:?}");
    }
}

#[test]
fn what_is_broken_off_says_so() {
    for (text, want) in [
        ("let x = 1", "S011"),
        ("let x =", "S011"),
        ("let", "S011"),
        ("session {", "S011"),
        ("session { run d (", "S011"),
        ("session { run d (1) // no more", "S011"),
        ("use \"x", "S002"),
        ("let x = 1; /* no end", "S003"),
        ("let x = 1; /*/", "S003"),
        ("session { run d (1); /* no end", "S003"),
        ("}", "S001"),
        (")", "S001"),
        (";", "S009"),
        ("\0", "S008"),
    ] {
        assert_eq!(codes(text), vec![want], "{text:?}");
    }
}

#[test]
fn an_expression_stands_alone() {
    for text in ["1", "a + 2 * NP", " (1) ", "inf", "max(1, 2) /* c */", "1_000"] {
        assert!(parse_expr(FileId(0), text).is_ok(), "{text:?}");
    }
    for text in
        ["", "1 2", "1;", "a = 1", "(1", "1)", "{", "1 +", "\"x\"", "1 < 2 < 3", "nonsense!", "é'"]
    {
        let errors = parse_expr(FileId(0), text).expect_err(text);
        assert_eq!(errors.len(), 1, "{text:?}: {errors:?}");
    }
    assert!(parse_expr(FileId(0), &"(".repeat(10_000)).is_err());
    assert!(parse_expr(FileId(0), &"-".repeat(10_000)).is_err());
}
