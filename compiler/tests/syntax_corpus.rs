//! Every program of the conformance folders: it parses, printing it gives the same tree, laying it
//! out again changes nothing; and what does not parse says so at the line that its answer names.

use std::path::{Path, PathBuf};

use serq_compiler::diag::Diagnostic;
use serq_compiler::span::{FileId, SourceMap};
use serq_compiler::syntax::{ast, format, parse, print};

/// The `.sq` files below the named folder of `tests/conformance` or of the project.
fn programs(folder: &str) -> Vec<(PathBuf, String)> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder of programs") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|end| end == "sq") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let mut found = Vec::new();
    collect(&root, &mut found);
    assert!(!found.is_empty(), "no programs below {}", root.display());
    found.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a program");
        (path, text)
    };
    found.into_iter().map(read).collect()
}

/// Every program that is there to be compiled.
fn all_right() -> Vec<(PathBuf, String)> {
    let folders = ["det", "fuzz", "stat"].map(|name| format!("tests/conformance/{name}"));
    let folders = folders.iter().map(String::as_str).chain(["examples", "lib"]);
    folders.flat_map(programs).collect()
}

fn tree(path: &Path, text: &str) -> ast::File {
    parse(FileId(0), text)
        .unwrap_or_else(|errors| panic!("{}: {errors:#?}\n{text}", path.display()))
}

/// What printing and laying out must keep, of any program that parses.
fn check_printing(path: &Path, text: &str) {
    let first = tree(path, text);
    let printed = print(&first);
    let second = tree(path, &printed);
    assert!(first == second, "{}: printing changed the program:\n{printed}", path.display());
    assert_eq!(printed, print(&second), "{}: printing twice differs", path.display());

    let laid_out = format(text).expect("a program that parses");
    let third = tree(path, &laid_out);
    assert!(first == third, "{}: the layout changed the program:\n{laid_out}", path.display());
    let comments = |file: &ast::File| -> Vec<String> {
        file.comments.iter().map(|c| c.text.clone()).collect()
    };
    assert_eq!(comments(&first), comments(&third), "{}: comments", path.display());
    let again = format(&laid_out).expect("a program that parses");
    assert_eq!(laid_out, again, "{}: laying out twice differs", path.display());
}

#[test]
fn right_programs_parse_and_print_back() {
    for (path, text) in all_right() {
        check_printing(&path, &text);
    }
}

/// The name of each wrong program that is wrong in its syntax, where, and the code.
const SYNTAX_ERRORS: &[(&str, u32, u32, &str)] = &[
    ("pull_no_share", 14, 19, "S001"),
    ("syn2_and_word", 8, 17, "S001"),
    ("syn2_branch_no_parens", 8, 10, "S001"),
    ("syn2_choose_no_by", 8, 16, "S001"),
    ("syn2_def_braces_expr", 5, 12, "S001"),
    ("syn2_delay_parens", 5, 16, "S001"),
    ("syn2_double_semicolon", 8, 13, "S009"),
    ("syn2_ident_prime", 8, 8, "S008"),
    ("syn2_number_0x10", 8, 10, "S007"),
    ("syn2_percent", 8, 17, "S008"),
    ("syn2_reuse_before_reserve", 8, 24, "S001"),
    ("syn2_run_no_semicolon", 10, 18, "S010"),
    ("syn2_run_without_parens", 8, 9, "S001"),
    ("syn2_serve_by_empty", 5, 36, "S001"),
    ("syn2_single", 8, 17, "S001"),
    ("syn2_string_expr", 8, 15, "S001"),
    ("syn_at_without_admission", 8, 17, "S001"),
    ("syn_bad_char", 8, 13, "S008"),
    ("syn_choose_no_key", 8, 21, "S001"),
    ("syn_empty_expr", 8, 10, "S001"),
    ("syn_hold_without_block", 8, 13, "S001"),
    ("syn_missing_brace", 4, 5, "S001"),
    ("syn_missing_paren", 8, 11, "S001"),
    ("syn_missing_semicolon", 9, 3, "S010"),
    ("syn_only_exclusive", 3, 69, "S001"),
    ("syn_prefix_unknown", 1, 35, "S001"),
    ("syn_serve_unknown", 3, 53, "S001"),
    ("syn_share_unknown", 3, 7, "S001"),
    ("syn_string_unclosed", 2, 35, "S002"),
    ("syn_ternary_no_colon", 8, 16, "S001"),
    ("syn_unary_plus", 8, 10, "S001"),
    ("syn_unknown_item", 2, 1, "S001"),
    ("syn_unknown_pool_option", 1, 17, "S001"),
    ("syn_unknown_run_option", 4, 18, "S001"),
    ("syn_unknown_step_option", 1, 36, "S001"),
    ("syn_unknown_workload_item", 2, 29, "S001"),
    ("use_library_syntax_files/lib", 1, 16, "S001"),
];

/// The line that the answer beside a wrong program names, if there is one and it names one.
fn line_in_answer(program: &Path) -> Option<u32> {
    let answer = std::fs::read_to_string(program.with_extension("json")).ok()?;
    let (_, rest) = answer.split_once("\"line\":")?;
    rest.split([',', '}']).next()?.trim().parse().ok()
}

#[test]
fn wrong_programs_are_wrong_where_their_answers_say() {
    let mut seen = 0;
    for (path, text) in programs("tests/conformance/err") {
        let known = SYNTAX_ERRORS.iter().find(|(name, ..)| {
            path.ends_with(format!("{name}.sq")) || path.with_extension("").ends_with(name)
        });
        let Some((name, line, column, code)) = known else {
            check_printing(&path, &text);
            continue;
        };
        seen += 1;
        let mut map = SourceMap::default();
        let file = map.add(path.display().to_string(), text.clone());
        let errors = parse(file, &text).expect_err(name);
        let first: &Diagnostic = &errors[0];
        assert_eq!(map.line_col(first.primary.span), (*line, *column), "{name}: {first:?}");
        assert_eq!(first.code, *code, "{name}: {first:?}");
        if let Some(want) = line_in_answer(&path) {
            assert_eq!(*line, want, "{name}");
        }
    }
    assert_eq!(seen, SYNTAX_ERRORS.len());
}
