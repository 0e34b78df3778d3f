//! Every bad input is a clear error with its exit code, and leaves no file behind.

mod common;

use common::{Folder, MM1};

/// Checks and builds `bad.sq`; both must end with 1 and say each of `saying`.
#[track_caller]
fn refused(folder: &Folder, saying: &[&str]) {
    let before = folder.names();
    folder.run(&["check", "bad.sq"]).expect(1, saying);
    folder.run(&["build", "bad.sq", "-o", "out", "--emit", "crate"]).expect(1, saying);
    let expanded = folder.run(&["expand", "bad.sq"]).expect(1, saying);
    assert_eq!(expanded.out, "");
    folder.run(&["run", "bad.sq", "--seeds", "1..3"]).expect(1, saying);
    assert_eq!(folder.names(), before);
}

#[track_caller]
fn refused_text(text: impl AsRef<[u8]>, saying: &[&str]) {
    let folder = Folder::new();
    folder.write("bad.sq", text);
    refused(&folder, saying);
}

#[test]
fn a_file_that_is_not_there() {
    refused(&Folder::new(), &["error[S900]: there is no file `bad.sq`"]);
}

#[test]
fn a_directory() {
    let folder = Folder::new();
    folder.write("bad.sq/inner", "");
    refused(&folder, &["error[S901]: `bad.sq` is a directory", "help: "]);
}

#[cfg(unix)]
#[test]
fn a_broken_link() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("absent", folder.path("bad.sq")).unwrap();
    refused(&folder, &["error[S900]"]);
}

#[test]
fn an_empty_file() {
    refused_text("", &["error[S904]: `bad.sq` is empty"]);
}

#[test]
fn bytes_that_are_not_utf8() {
    refused_text(b"let a = 1;\nlet b\xff = 2;\n", &["error[S903]", "line 2 is broken at byte 16"]);
    refused_text(b"\0\x01\x02\xfe", &["error[S903]"]);
}

#[test]
fn text_that_is_no_program() {
    refused_text("\0\0\0", &["error"]);
    refused_text("\u{1b}[31mred\u{1b}[0m", &["error"]);
    refused_text("%PDF-1.7 { ( [", &["error", "bad.sq"]);
}

#[test]
fn a_line_of_ten_megabytes_prints_little() {
    for text in ["x".repeat(10 << 20), format!("let a = {};", "1 + ".repeat(2_500_000))] {
        let folder = Folder::new();
        folder.write("bad.sq", text);
        let ran = folder.run(&["check", "bad.sq"]).expect(1, &["error", "bad.sq:1:"]);
        assert!(ran.err.len() < 20_000, "{} bytes", ran.err.len());
    }
}

#[test]
fn deep_nesting() {
    let deep = format!("let a = {}1{};\n{MM1}", "(".repeat(10_000), ")".repeat(10_000));
    refused_text(deep, &["error", "deep"]);
    refused_text(format!("session {}", "{ ".repeat(10_000)), &["error"]);
}

#[test]
fn a_run_that_is_asked_for_json_says_why_there_is_none_in_json() {
    let folder = Folder::new();
    folder.write("bad.sq", format!("{MM1}gauge a = absent_one;\n"));
    for (file, code, line) in [("bad.sq", "S040", 6), ("absent.sq", "S900", 0)] {
        let ran = folder.run(&["run", file, "--json"]).expect(1, &[code]);
        let said: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((&said["error"]["code"], ran.out.matches('\n').count()), (&code.into(), 1));
        assert_eq!(said["error"]["line"].as_u64().unwrap_or(0), line);
    }
}

#[test]
fn all_errors_of_a_file_at_once() {
    let text = format!("{MM1}gauge a = absent_one;\ngauge b = absent_two;\n");
    refused_text(text, &["absent_one", "absent_two", "error: `bad.sq` has 2 errors"]);
}

#[test]
fn a_library_that_is_not_there() {
    refused_text(format!("use \"absent.sq\";\n{MM1}"), &["absent.sq", "bad.sq:1:"]);
}

#[test]
fn no_control_sequences_reach_a_file_or_pipe() {
    let folder = Folder::new();
    folder.write("bad.sq", "let a = absent;");
    assert!(!folder.run(&["check", "bad.sq"]).expect(1, &["absent"]).err.contains('\u{1b}'));
}

#[test]
fn a_wrong_command_line_ends_with_2() {
    let folder = Folder::new();
    folder.write("mm1.sq", MM1);
    for arguments in [
        &[][..],
        &["nonsense"],
        &["check"],
        &["build"],
        &["run"],
        &["check", "mm1.sq", "--nonsense"],
        &["build", "mm1.sq", "--set", "lambda"],
        &["build", "mm1.sq", "--set", "=1"],
    ] {
        folder.run(arguments).expect(2, &[]);
    }
    assert_eq!(folder.names(), ["mm1.sq"]);
}

#[test]
fn a_wrong_setting() {
    let folder = Folder::new();
    folder.write("mm1.sq", MM1);
    for (setting, saying) in
        [("absent=1", "absent"), ("lambda=(", "error"), ("lambda=0/0", "error")]
    {
        folder.run(&["build", "mm1.sq", "--set", setting, "-o", "out"]).expect(1, &[saying]);
    }
    assert_eq!(folder.names(), ["mm1.sq"]);
}

#[test]
fn an_output_that_cannot_be_written() {
    let folder = Folder::new();
    folder.write("mm1.sq", MM1).write("mm1", MM1).write("folder/inner", "");
    for (arguments, saying) in [
        (
            &["build", "mm1.sq", "-o", "folder"][..],
            "error[S906]: cannot write the binary to `folder`: it is a directory",
        ),
        (&["build", "mm1.sq", "-o", "absent/out"], "its folder does not exist"),
        (&["build", "mm1.sq", "-o", "mm1.sq"], "that is the program itself"),
        (&["build", "mm1"], "that is the program itself"),
    ] {
        folder.run(arguments).expect(1, &[saying]);
    }
    assert_eq!(folder.names(), ["folder", "mm1", "mm1.sq"]);
    assert_eq!(std::fs::read_to_string(folder.path("mm1")).unwrap(), MM1);
}
