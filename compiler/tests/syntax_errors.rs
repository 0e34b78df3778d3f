//! What syntax errors say: one line of wrong text each, with where, the code, and words of the
//! message and the help.

use serq_compiler::diag::{Diagnostic, Severity};
use serq_compiler::span::SourceMap;
use serq_compiler::syntax::{format, parse};

/// The errors of a text as `line:column code message | help`.
fn errors(text: &str) -> Vec<String> {
    let mut map = SourceMap::default();
    let file = map.add("test.sq", text);
    let line = |error: &Diagnostic| {
        assert_eq!(error.severity, Severity::Error);
        let (line, column) = map.line_col(error.primary.span);
        let help = error.help.as_deref().unwrap_or("");
        format!("{line}:{column} {} {} | {help}", error.code, error.message)
    };
    parse(file, text).err().unwrap_or_default().iter().map(line).collect()
}

/// The one error of a text begins and goes on like this.
#[track_caller]
fn check(text: &str, begin: &str, words: &str) {
    let found = errors(text);
    assert_eq!(found.len(), 1, "{text}: {found:#?}");
    assert!(found[0].starts_with(begin) && found[0].contains(words), "{text}: {}", found[0]);
}

/// As [`check`], of a statement in a session; columns count from the statement's.
#[track_caller]
fn check_stmt(stmt: &str, column: usize, code: &str, words: &str) {
    let text = format!("session {{ {stmt} }}");
    check(&text, &format!("1:{} {code} ", column + "session { ".len()), words);
}

#[test]
fn a_word_that_begins_nothing() {
    check("queueing x;", "1:1 S001", "expected a declaration, found `queueing`");
    check("pol p { }", "1:1 S001", "did you mean `pool`?");
    check("pool p { capp 3; }", "1:10 S001", "did you mean `cap`?");
    check("run { horzion 3; }", "1:7 S001", "did you mean `horizon`?");
    check("workload { arrive poison(1); }", "1:19 S001", "did you mean `poisson`?");
    check("stage E : step { cots 1; }", "1:18 S001", "did you mean `cost`?");
    check("queue Q { decode prompt { } }", "1:11 S001", "an entry is");
    check_stmt("observ x = 1;", 1, "S001", "did you mean `observe`?");
    check_stmt("x = 1;", 1, "S001", "expected a statement or `}`, found `x`");
}

#[test]
fn a_range_of_several_words() {
    let help = "expected `(`, found `+` | a range of more than one name or number stands in";
    check("gauge g = max k in N + 1 (used(p[k]));", "1:22 S001", help);
    check("gauge g = sum k in 2 * N (1);", "1:22 S001", "stands in parentheses");
    assert_eq!(errors("gauge g = max k in (N + 1) (used(p[k]));"), Vec::<String>::new());
    check_stmt("branch x > 1 { }", 8, "S001", "put it in parentheses");
}

#[test]
fn a_missing_end() {
    check("let a = 1\nlet b = 2;", "2:1 S010", "expected `;`, found `let` | end it with `;`");
    check("run { horizon 1 }", "1:17 S010", "expected `;`, found `}`");
    check("let a = 1", "1:10 S011", "expected `;`, found the end of the file");
    check("session { run d (1);", "1:21 S011", "close it with `}`");
    check("session { turn;\nstage d : delay;", "2:1 S001", "close the block before it");
    check_stmt("run d (1;", 9, "S001", "expected `)`, found `;`");
    check_stmt("set x = 1 ? 2;", 14, "S001", "expected `:`");
    check("}", "1:1 S001", "no block is open here");
}

#[test]
fn a_semicolon_too_many() {
    check("pool p { };", "1:11 S009", "nothing for this `;` to end");
    check("session { };", "1:12 S009", "");
    check_stmt("turn;;", 6, "S009", "");
    check_stmt("loop { turn; };", 15, "S009", "");
    check_stmt("branch (1) { } else { };", 24, "S009", "");
    for fine in [
        "stage E : step { cost 1; }",
        "stage E : step { cost 1; };",
        "queue E { serve step { cost 1; } }",
        "queue E { serve step { cost 1; }; nic step { cost 1; }; }",
        "session { hold p (1) { } }",
        "session { hold p (1) { }; }",
        "session { hold p (1) { } cache (1) lease p (2) turn; }",
    ] {
        assert_eq!(errors(fine), Vec::<String>::new(), "{fine}");
    }
}

#[test]
fn slips_from_other_languages() {
    check_stmt("set x = 1 = 2;", 11, "S001", "equality is written `==`");
    check_stmt("set x == 1;", 7, "S001", "a value is given with one `=`");
    check_stmt("set x = a and b;", 11, "S001", "`and` is written `&&`");
    check_stmt("set x = a or b;", 11, "S001", "`or` is written `||`");
    check_stmt("set x = not a;", 13, "S001", "`not` is written `!`");
    check_stmt("set x = a & b;", 11, "S008", "write `&&`");
    check_stmt("set x = a % b;", 11, "S008", "remainder");
    check_stmt("set x = +1;", 9, "S001", "no leading `+`");
    check_stmt("set x = 0x10;", 9, "S007", "numbers are decimal");
    check_stmt("set x = 1_;", 9, "S007", "between digits");
    check_stmt("set x' = 1;", 6, "S008", "`'` is not part of the language");
    check_stmt("set a² = 1;", 5, "S008", "`a²` is not a name");
    check_stmt("branch x { }", 8, "S001", "put it in parentheses");
    check_stmt("run d 1;", 7, "S001", "put it in parentheses");
    check_stmt("branch (1) { } else branch (2) { }", 21, "S001", "write `else {");
    check_stmt("hold p (1) reuse (1) reserve (1) { }", 22, "S001", "before `reuse`");
    check_stmt("run d ();", 8, "S001", "an expression is missing here");
    check_stmt("if (now > 1) { end; }", 14, "S001", "write `branch (…) { … } else { … }`");
    check_stmt("while (1) { end; }", 11, "S001", "write `loop { … }`");
    check_stmt("for i in 3 { end; }", 1, "S001", "`choose i in n by (…);`");
    check_stmt("return;", 1, "S001", "`end;` ends the session");
    check_stmt("break;", 1, "S001", "`end;` ends the session");
    check_stmt("x = 3;", 1, "S001", "`set x = …;`");
    check_stmt("wait;", 1, "S001", "with its arguments: `wait(…);`");
    check_stmt("trun;", 1, "S001", "did you mean `turn`?");
    check_stmt("run d (0,5);", 9, "S001", "written with a point");
    check_stmt("run d (1, 2);", 9, "S001", "expected `)`, found `,`");
    check_stmt("run d (10%);", 10, "S008", "a share is a fraction");
    check_stmt("run d (5ms);", 8, "S007", "a number has no unit");
    check_stmt("run d (5x5);", 8, "S007", "numbers look like");
    check("pool p { cap: 3; }", "1:13 S001", "side by side");
    check("run { horizon = 3; }", "1:15 S001", "side by side");
}

#[test]
fn comparisons_do_not_chain() {
    check_stmt("set x = 1 < 2 < 3;", 15, "S006", "comparisons do not chain");
    check_stmt("set x = a == b != c;", 16, "S006", "join two comparisons by `&&`");
    assert_eq!(
        errors("let x = (1 < 2) < 3; let y = 1 < (2 < 3); let z = 1 < 2 && 3 < 4;"),
        [""; 0]
    );
}

#[test]
fn every_error_of_a_file_is_found_in_order() {
    let text = "let a = ;\n\
                pool p { cap 1; limit 2; block; evict mru; }\n\
                session {\n  hold p, q { run d (1); }\n  set x == 1;\n  loop { set y = 1 < 2 < 3; turn }\n\
                \u{20} branch (1) { run d 1; } else { foo; }\n}\n\
                let b = %;\n\
                }\n\
                use 3;\n";
    let places: Vec<String> =
        errors(text).iter().map(|e| e.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect();
    let want = [
        "1:9 S001",
        "2:17 S001",
        "2:31 S001",
        "2:39 S001",
        "4:9 S001",
        "5:9 S001",
        "6:24 S006",
        "6:34 S010",
        "7:22 S001",
        "7:34 S001",
        "9:9 S008",
        "10:1 S001",
        "11:5 S001",
    ];
    assert_eq!(places, want, "{:#?}", errors(text));
}

#[test]
fn columns_count_characters() {
    check("/* größe */ let é = ß %;", "1:23 S008", "");
    check("let a = 1;\r\nlet b = ;\r\n", "2:9 S001", "");
    check("\u{FEFF}let = 1;", "1:6 S001", "");
}

#[test]
fn a_program_that_does_not_parse_is_not_laid_out() {
    assert!(format("let a = ;").is_err());
    assert_eq!(format("\u{FEFF}let  a=1 ;").as_deref(), Ok("let a = 1;\n"));
}
