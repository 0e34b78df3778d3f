//! Pages about diagnostics, and where the other commands point to them.

mod common;

use common::{Folder, MM1};

#[test]
fn a_page_by_its_code() {
    let folder = Folder::new();
    for code in ["S040", "s040"] {
        let ran = folder.run(&["explain", code]).expect(0, &[]);
        assert!(ran.out.starts_with("S040: ") && ran.out.contains("Right"), "{}", ran.out);
        assert_eq!(ran.err, "");
    }
}

#[test]
fn all_codes_with_their_titles() {
    let ran = Folder::new().run(&["explain"]).expect(0, &[]);
    for code in ["S001", "S199", "S200", "S212", "S900"] {
        assert!(ran.out.lines().any(|line| line.starts_with(&format!("{code}  "))), "{}", ran.out);
    }
}

#[test]
fn a_code_that_is_none() {
    let folder = Folder::new();
    let ran = folder.run(&["explain", "S067"]).expect(2, &["error[S916]", "S066, S068"]);
    assert_eq!(ran.out, "");
    folder.run(&["explain", "E0308"]).expect(2, &["`E0308`", "lists all"]);
}

#[test]
fn errors_point_to_their_page_once() {
    let folder = Folder::new();
    folder.write("one.sq", "let a = absent;").write("two.sq", "let a = absent; let b = cosh(1);");
    folder.run(&["check", "one.sq"]).expect(1, &["`serqc explain S040` says more.\n"]);
    let ran = folder.run(&["check", "two.sq"]).expect(1, &["`serqc explain S040` says more, and"]);
    assert_eq!(ran.err.matches("serqc explain").count(), 1, "{}", ran.err);
    folder.write("bad.sq", "let").write("worse.sq", "pool");
    let ran = folder.run(&["fmt", "bad.sq", "worse.sq"]).expect(1, &[]);
    assert_eq!(ran.err.matches("serqc explain").count(), 1, "{}", ran.err);
}

#[test]
fn warnings_go_to_standard_error_and_change_no_exit_code() {
    let folder = Folder::new();
    let text = MM1.replace("set t0", "set extra = 1; set t0");
    folder.write("mm1.sq", &text);
    let saying = ["warning[S200]: nothing reads the attribute `extra`", "`serqc explain S200`"];
    let ran = folder.run(&["check", "mm1.sq"]).expect(0, &saying);
    assert_eq!(ran.out, "");
    let ran = folder.run(&["expand", "mm1.sq"]).expect(0, &saying);
    assert!(ran.out.starts_with("//!"), "{}", ran.out);
    folder.write("mm1.sq", format!("// serqc: allow S200\n{text}"));
    assert_eq!(folder.run(&["check", "mm1.sq"]).expect(0, &[]).err, "");
}
