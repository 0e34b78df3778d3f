//! `serqc lsp` through the protocol: what it answers, and that nothing an editor sends ends it.

mod client;
mod hostile;

use std::fs;
use std::process::Command;

use client::Editor;
use serde_json::{Value, json};

/// A library and a program that uses it, with letters that take more than one byte and more than
/// one UTF-16 unit.
const LIBRARY: &str = "// Twice a number, as 𝄞 says.\ndef ‸twice(x) = ‸x + x;\n";
const PROGRAM: &str = "\
use \"‸lib.sq\";
/* 𝄞é */ let ‸lambda = twice(0.25); // sessions per second
stage server : fifo;
stage engine : step { budget 64; cost ‸tokens * ‸lambda; }
workload { arrive poisson(lambda); turn { set n = ‸twice(3); set big = n > 2; } }
session {
  turn;
  set t0 = now;
  /* é𝄞 */ run server (~‸exp(n)); observe response = now - ‸t0; observe late = ‸big;
  run engine prefill (n);
}
run { horizon 100; }
";

fn both() -> Editor {
    let plain = |text: &str| text.replace('‸', "");
    let mut editor = Editor::with(&[("lib.sq", &plain(LIBRARY)), ("p.sq", &plain(PROGRAM))]);
    editor.open("p.sq", PROGRAM);
    editor
}

#[test]
fn a_talk_from_beginning_to_end() {
    let mut editor = Editor::unknown(&[]);
    let result = editor.initialize();
    assert_eq!(result["serverInfo"]["name"], "serqc");
    let can = &result["capabilities"];
    assert_eq!(can["positionEncoding"], "utf-16");
    for provider in ["hover", "definition", "references", "documentFormatting", "documentSymbol"] {
        assert_eq!(can[format!("{provider}Provider")], true, "{can}");
    }
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn leaving_without_a_word_is_a_failure() {
    let mut editor = Editor::with(&[]);
    editor.tell("exit", Value::Null);
    assert_eq!(editor.ended(), Some(1));
    assert_eq!(Editor::with(&[]).ended(), Some(1));
}

#[test]
fn diagnostics_follow_the_buffers() {
    let mut editor = both();
    editor.settle();
    assert_eq!(editor.said("p.sq"), []);
    // The library as it is on disk, then as it is typed.
    editor.open("lib.sq", LIBRARY);
    editor.change("lib.sq", "def twise(x) = x + x;\n");
    editor.settle();
    let said = editor.said("p.sq");
    let unknown = said.iter().filter(|(code, _)| code == "S041");
    assert_eq!(unknown.count(), 2, "{said:?}");
    assert!(said[0].1.contains("did you mean `twise`?"), "{said:?}");
    editor.change("lib.sq", "def twice(x) = x + ;\n");
    editor.settle();
    assert_eq!(editor.said("lib.sq")[0].0, "S001");
    assert_eq!(editor.said("p.sq"), []);
    let place = &editor.diagnostics["lib.sq"][0]["range"];
    assert_eq!(place["start"], json!({"line": 0, "character": 19}));
    editor.change("lib.sq", LIBRARY);
    editor.settle();
    assert_eq!((editor.said("p.sq"), editor.said("lib.sq")), (vec![], vec![]));
    // Closed, it is again as it is on disk.
    editor.change("lib.sq", "");
    editor.settle();
    assert_eq!(editor.said("lib.sq")[0].0, "S904");
    let document = json!({"textDocument": {"uri": editor.uri("lib.sq")}});
    editor.tell("textDocument/didClose", document);
    editor.settle();
    assert_eq!((editor.said("p.sq"), editor.said("lib.sq")), (vec![], vec![]));
}

/// On wrong programs the same codes, places and words as `serqc check`.
#[test]
fn diagnostics_are_those_of_check() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/err");
    let mut names: Vec<_> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "sq"))
        .filter(|path| {
            !path
                .with_file_name(format!("{}_files", path.file_stem().unwrap().to_str().unwrap()))
                .exists()
        })
        .collect();
    names.sort();
    assert!(names.len() > 100);
    let mut editor = Editor::with(&[]);
    let mut wrong = 0;
    for path in names.iter().step_by(9) {
        let text = fs::read_to_string(path).unwrap();
        fs::write(editor.path("p.sq"), &text).unwrap();
        editor.open("p.sq", &text);
        editor.settle();
        let mut check = Command::new(env!("CARGO_BIN_EXE_serqc"));
        let checked =
            check.args(["check", "p.sq"]).current_dir(editor.folder.path()).output().unwrap();
        let said = String::from_utf8(checked.stderr).unwrap();
        let found = &editor.diagnostics["p.sq"];
        wrong += found.len();
        for one in found {
            let (code, message) = (one["code"].as_str().unwrap(), one["message"].as_str().unwrap());
            let title = message.lines().next().unwrap();
            assert!(said.contains(&format!("[{code}]: {title}")), "{path:?}: {one}\n{said}");
            if let Some((_, help)) = message.split_once("\nhelp: ") {
                assert!(said.contains(&format!("help: {help}")), "{path:?}: {one}\n{said}");
            }
            let line = one["range"]["start"]["line"].as_i64().unwrap() + 1;
            assert!(said.contains(&format!("p.sq:{line}:")), "{path:?}: {one}\n{said}");
        }
        let errors = said.matches("error[S").count() + said.matches("warning[S").count();
        assert_eq!(found.len(), errors, "{path:?}\n{said}");
    }
    assert!(wrong > 15, "{wrong}");
}

#[test]
fn hovering() {
    let mut editor = both();
    let lambda = editor.hover("p.sq", 1);
    for part in ["let lambda = twice(0.25)", "constant: number, = 0.5", "sessions per second"] {
        assert!(lambda.contains(part), "{lambda}");
    }
    let tokens = editor.hover("p.sq", 2);
    for part in ["Tokens of the iteration", "Exists in a step's `cost`", "Read at: *step*"] {
        assert!(tokens.contains(part), "{tokens}");
    }
    assert!(editor.hover("p.sq", 3).contains("*step*, a step's `cost`"));
    let twice = editor.hover("p.sq", 4);
    for part in ["def twice(x) = x + x", "Twice a number, as 𝄞 says.", "Read at: *session*"] {
        assert!(twice.contains(part), "{twice}");
    }
    assert!(editor.hover("p.sq", 5).contains("~exp(mean)"));
    let t0 = editor.hover("p.sq", 6);
    assert!(t0.contains("attribute: number") && t0.contains("t0"), "{t0}");
    assert!(editor.hover("p.sq", 7).contains("attribute: 0 or 1"));
    editor.open("lib.sq", LIBRARY);
    assert!(editor.hover("lib.sq", 1).contains("parameter"));
}

#[test]
fn definitions_and_uses_across_files() {
    let mut editor = both();
    let at = editor.at("p.sq", 4);
    let found = editor.ask("textDocument/definition", at.clone());
    assert_eq!(editor.places(&found), ["lib.sq:2:5"]);
    let link = editor.at("p.sq", 0);
    let found = editor.ask("textDocument/definition", link);
    assert_eq!(editor.places(&found), ["lib.sq:1:1"]);
    let mut params = at;
    params["context"] = json!({"includeDeclaration": true});
    let found = editor.ask("textDocument/references", params.clone());
    assert_eq!(editor.places(&found), ["lib.sq:2:5", "p.sq:2:24", "p.sq:5:51"]);
    params["context"] = json!({"includeDeclaration": false});
    let found = editor.ask("textDocument/references", params);
    assert_eq!(editor.places(&found), ["p.sq:2:24", "p.sq:5:51"]);
    // From the other side, and of a program that is not open.
    fs::write(editor.path("q.sq"), "use \"lib.sq\";\nlet z = twice(1);\n").unwrap();
    editor.open("lib.sq", LIBRARY);
    let mut params = editor.at("lib.sq", 0);
    params["context"] = json!({"includeDeclaration": true});
    let found = editor.ask("textDocument/references", params);
    assert_eq!(editor.places(&found), ["lib.sq:2:5", "p.sq:2:24", "p.sq:5:51", "q.sq:2:9"]);
    let at = editor.at("p.sq", 6);
    let found = editor.ask("textDocument/documentHighlight", at);
    assert_eq!(found.as_array().unwrap().len(), 2, "{found}");
}

#[test]
fn renaming() {
    let mut editor = both();
    let at = editor.at("p.sq", 4);
    let found = editor.ask("textDocument/prepareRename", at.clone());
    assert_eq!(found["placeholder"], "twice");
    let mut params = at;
    params["newName"] = json!("dopp\u{e9}l");
    let found = editor.ask("textDocument/rename", params.clone());
    let changes = &found["changes"];
    assert_eq!(changes.as_object().unwrap().len(), 2, "{found}");
    let plain = PROGRAM.replace('‸', "");
    let new = editor.edited(&plain, &changes[editor.uri("p.sq")]);
    assert_eq!(new, plain.replace("twice", "doppél"));
    let plain = LIBRARY.replace('‸', "");
    let new = editor.edited(&plain, &changes[editor.uri("lib.sq")]);
    assert_eq!(new, plain.replace("def twice", "def doppél"));
    // What it may not be called.
    for (name, why) in [
        ("lambda", "would be wrong"),
        ("min", "would be wrong"),
        ("a b", "is not a name"),
        ("self", "is not a name"),
    ] {
        params["newName"] = json!(name);
        let (_, message) = editor.refused("textDocument/rename", params.clone());
        assert!(message.contains(why), "{name}: {message}");
    }
    let mut params = editor.at("p.sq", 6);
    params["newName"] = json!("n");
    let (_, message) = editor.refused("textDocument/rename", params);
    assert!(message.contains("`n` means something else"), "{message}");
    let at = editor.at("p.sq", 5);
    let (_, message) = editor.refused("textDocument/prepareRename", at);
    assert!(message.contains("language"), "{message}");
}

#[test]
fn renaming_changes_no_word_of_the_language() {
    let text =
        "stage ‸decode : step { budget 9; cost 1; }\nsession { decode (3); run ‸decode (1); }\n";
    let mut editor = Editor::with(&[]);
    editor.open("p.sq", text);
    let mut params = editor.at("p.sq", 1);
    params["newName"] = json!("gpu");
    let found = editor.ask("textDocument/rename", params);
    let plain = text.replace('‸', "");
    let new = editor.edited(&plain, &found["changes"][editor.uri("p.sq")]);
    assert_eq!(
        new,
        "stage gpu : step { budget 9; cost 1; }\nsession { decode (3); run gpu (1); }\n"
    );
}

#[test]
fn completing() {
    let mut editor = Editor::with(&[("lib.sq", &LIBRARY.replace('‸', ""))]);
    editor.open(
        "p.sq",
        "use \"lib.sq\"; /* 𝄞 */ let aa = 1;\nstage e : step { cost to‸k; }\n\
         session { set mine = 1; /* 𝄞 */ set x = ‸ }\n",
    );
    let offered = editor.offered("p.sq", 0);
    for name in ["tokens", "attention", "aa", "twice", "max"] {
        assert!(offered.iter().any(|one| one == name), "{name}: {offered:?}");
    }
    assert!(!offered.iter().any(|one| one == "mine" || one == "serial"), "{offered:?}");
    let offered = editor.offered("p.sq", 1);
    for name in ["mine", "now", "serial", "aa", "twice"] {
        assert!(offered.iter().any(|one| one == name), "{name}: {offered:?}");
    }
    assert!(!offered.iter().any(|one| one == "tokens"), "{offered:?}");
    let at = editor.at("p.sq", 0);
    let items = editor.ask("textDocument/completion", at);
    let item = items.as_array().unwrap().iter().find(|item| item["label"] == "used").unwrap();
    assert_eq!(item["labelDetails"]["detail"], "(pool)");
    assert!(item["documentation"]["value"].as_str().unwrap().contains("allocated"));
}

#[test]
fn a_program_that_does_not_parse_is_helped_all_the_same() {
    let mut editor = both();
    editor.settle();
    // All of the session is lost until its brace is closed.
    let broken =
        PROGRAM.replace("session {", "session { hold (").replace("/* 𝄞é */", "/* 𝄞é */ let");
    editor.change("p.sq", &broken);
    editor.settle();
    assert!(!editor.said("p.sq").is_empty());
    let t0 = editor.hover("p.sq", 6);
    assert!(t0.contains("attribute: number"), "{t0}");
    let lambda = editor.hover("p.sq", 1);
    assert!(lambda.contains("= 0.5"), "{lambda}");
    let twice = editor.hover("p.sq", 4);
    assert!(twice.contains("Twice a number"), "{twice}");
    editor.change("p.sq", "stage s : delay;\nlet k = 4;\nsession { set a = 1; run s (‸");
    let offered = editor.offered("p.sq", 0);
    for name in ["a", "k", "now"] {
        assert!(offered.iter().any(|one| one == name), "{name}: {offered:?}");
    }
}

#[test]
fn formatting_is_that_of_fmt() {
    let text = "let   é=1;// 𝄞\nsession{set x=é;\n\n\n end;}\n";
    let mut editor = Editor::with(&[("p.sq", text)]);
    editor.open("p.sq", text);
    let params = json!({
        "textDocument": {"uri": editor.uri("p.sq")},
        "options": {"tabSize": 4, "insertSpaces": true},
    });
    let edits = editor.ask("textDocument/formatting", params.clone());
    let formatted = editor.edited(text, &edits);
    let mut fmt = Command::new(env!("CARGO_BIN_EXE_serqc"));
    assert!(
        fmt.args(["fmt", "p.sq"]).current_dir(editor.folder.path()).status().unwrap().success()
    );
    assert_eq!(formatted, fs::read_to_string(editor.path("p.sq")).unwrap());
    editor.change("p.sq", &formatted);
    assert_eq!(editor.ask("textDocument/formatting", params.clone()), json!([]));
    editor.change("p.sq", "let = ;");
    assert_eq!(editor.ask("textDocument/formatting", params), Value::Null);
}

#[test]
fn hints_of_moments_and_values() {
    let mut editor = both();
    let range = json!({
        "start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0},
    });
    let params = json!({"textDocument": {"uri": editor.uri("p.sq")}, "range": range});
    let hints = editor.ask("textDocument/inlayHint", params);
    let told: Vec<String> = hints
        .as_array()
        .unwrap()
        .iter()
        .map(|hint| {
            let at = &hint["position"];
            format!("{}:{} {}", at["line"], at["character"], hint["label"].as_str().unwrap())
        })
        .collect();
    assert_eq!(told, ["1:34 = 0.5", "3:29 plan:", "3:38 step:"]);
    editor.open("lib.sq", LIBRARY);
    let params = json!({"textDocument": {"uri": editor.uri("lib.sq")}, "range": range});
    let hints = editor.ask("textDocument/inlayHint", params);
    assert_eq!(hints[0]["label"], "constant, session:", "{hints}");
}

#[test]
fn an_outline() {
    let mut editor = Editor::with(&[]);
    editor.open(
        "p.sq",
        "let a = 1;\nqueue Q : decode { pool kv { } decode (p) { } }\nsession { set ; }\n",
    );
    let params = json!({"textDocument": {"uri": editor.uri("p.sq")}});
    let symbols = editor.ask("textDocument/documentSymbol", params);
    let name = |one: &Value| one["name"].as_str().unwrap().to_owned();
    let names: Vec<String> = symbols.as_array().unwrap().iter().map(name).collect();
    assert_eq!(names, ["a", "Q", "session"]);
    let inner: Vec<String> = symbols[1]["children"].as_array().unwrap().iter().map(name).collect();
    assert_eq!(inner, ["kv", "decode"]);
}
