//! What no editor should send: the server says so, or nothing, and goes on.

use std::time::Instant;

use serde_json::{Value, json};

use crate::client::Editor;

/// The server still answers.
#[track_caller]
fn alive(editor: &mut Editor) {
    editor.open("alive.sq", "let ‸a = 6 * 7;\n");
    assert!(editor.hover("alive.sq", 0).contains("= 42"));
}

#[test]
fn messages_that_are_none() {
    let mut editor = Editor::with(&[]);
    let long = format!("X: {}\r\n", "y".repeat(10_000));
    for bytes in [
        "\r\n\r\n",
        "garbage\r\n",
        "Content-Length: nonsense\r\n\r\n",
        "Content-Length: 2\r\n\r\n{]",
        "Content-Length: 2\r\n\r\n{}",
        "Content-Length: 4\r\n\r\nnull",
        "Content-Length: 18446744073709551616\r\n\r\n",
        &long,
    ] {
        editor.raw(bytes.as_bytes());
    }
    editor.raw(b"Content-Length: 3\r\n\r\n\xff\xfe\x00");
    alive(&mut editor);
    assert!(editor.logged.iter().any(|line| line.starts_with("not a message")));
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn requests_out_of_turn_and_of_no_sense() {
    let mut editor = Editor::unknown(&[]);
    let (code, _) = editor.refused("textDocument/hover", json!({}));
    assert_eq!(code, -32002);
    editor.tell("textDocument/didOpen", json!({}));
    editor.initialize();
    assert_eq!(editor.refused("initialize", json!({"capabilities": {}})).0, -32600);
    assert_eq!(editor.refused("textDocument/hover", json!({"a": 1})).0, -32602);
    assert_eq!(editor.refused("textDocument/hover", Value::Null).0, -32602);
    assert_eq!(editor.refused("serq/unknown", json!([])).0, -32601);
    editor.tell("textDocument/didChange", json!({"textDocument": 3}));
    editor.tell("serq/unknown", json!({}));
    editor.send(&json!({"jsonrpc": "2.0", "id": 99, "result": null}));
    for uri in ["file:///nowhere/x.sq", "untitled:One", "http://example.invalid/%41", "file://"] {
        let at = json!({"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}});
        for method in ["hover", "definition", "completion", "documentHighlight", "prepareRename"] {
            let found = editor.ask(&format!("textDocument/{method}"), at.clone());
            assert_eq!(found, Value::Null, "{uri}: {method}");
        }
    }
    alive(&mut editor);
    editor.ask("shutdown", Value::Null);
    assert_eq!(editor.refused("textDocument/hover", json!({})).0, -32600);
    editor.tell("exit", Value::Null);
    assert_eq!(editor.ended(), Some(0));
}

#[test]
fn a_document_of_no_file() {
    let mut editor = Editor::with(&[]);
    let document = json!({
        "uri": "untitled:Untitled-1", "languageId": "serq", "version": 1, "text": "let a = ;\n",
    });
    editor.tell("textDocument/didOpen", json!({"textDocument": document}));
    editor.settle();
    assert_eq!(editor.said("untitled:Untitled-1")[0].0, "S001");
}

#[test]
fn places_that_are_not_there() {
    let mut editor = Editor::with(&[]);
    editor.open("p.sq", "// 𝄞\nlet a = 1;");
    for (line, character) in [(0, 4), (0, u32::MAX), (1, 99), (7, 0), (u32::MAX, u32::MAX)] {
        let mut params = json!({
            "textDocument": {"uri": editor.uri("p.sq")},
            "position": {"line": line, "character": character},
        });
        editor.ask("textDocument/hover", params.clone());
        editor.ask("textDocument/completion", params.clone());
        params["context"] = json!({"includeDeclaration": true});
        editor.ask("textDocument/references", params);
        let place = json!({"line": line, "character": character});
        let range = json!({"start": place, "end": {"line": 0, "character": 4}});
        editor.edit("p.sq", json!([{"range": range, "text": "é"}]));
    }
    alive(&mut editor);
}

#[test]
fn an_edit_for_every_letter_and_no_time_between_them() {
    let text = "let lam = 0.5; // 𝄞\nstage s : fifo;\nworkload { arrive poisson(lam); }\n\
                session { set t = now; run s (~exp(1)); observe r = now - t; }\n";
    let mut editor = Editor::with(&[]);
    editor.open("p.sq", "");
    let (mut line, mut column) = (0, 0);
    let mut asked = Vec::new();
    for (number, letter) in text.chars().enumerate() {
        let place = json!({"line": line, "character": column});
        let range = json!({"start": place, "end": place});
        editor.edit("p.sq", json!([{"range": range, "text": letter.to_string()}]));
        (line, column) = match letter {
            '\n' => (line + 1, 0),
            _ => (line, column + letter.len_utf16()),
        };
        if number % 20 == 0 {
            let at = json!({
                "textDocument": {"uri": editor.uri("p.sq")},
                "position": {"line": line, "character": column},
            });
            asked.push(editor.request("textDocument/completion", at));
        }
    }
    for id in asked {
        editor.answer(id).unwrap();
    }
    editor.settle();
    assert_eq!(editor.said("p.sq"), []);
    editor.change("p.sq", "let lam = 0.5;");
    for number in 0..2000 {
        editor.change("p.sq", &format!("let ‸lam = {number};"));
    }
    assert!(editor.hover("p.sq", 0).contains("= 1999"));
}

#[test]
fn a_request_that_is_taken_back() {
    let mut editor = Editor::with(&[]);
    editor.open("big.sq", &definitions(20_000));
    let at = json!({
        "textDocument": {"uri": editor.uri("big.sq")}, "position": {"line": 3, "character": 5},
    });
    // The first keeps the server busy while the second is taken back.
    let first = editor.request("textDocument/hover", at.clone());
    let second = editor.request("textDocument/hover", at);
    editor.tell("$/cancelRequest", json!({"id": second}));
    editor.answer(first).unwrap();
    // It came too late only if the second was answered already.
    if let Err(error) = editor.answer(second) {
        assert_eq!(error["code"], -32800);
    }
    alive(&mut editor);
}

/// A program of many constants, each of which reads the one before.
fn definitions(count: usize) -> String {
    let mut text = String::from("let a0 = 1;\n");
    for number in 1..count {
        text.push_str(&format!("let a{number} = a{} + 1;\n", number - 1));
    }
    text
}

#[test]
fn a_huge_file() {
    let mut editor = Editor::with(&[]);
    let begun = Instant::now();
    editor.open("big.sq", &format!("{}let ‸total = a29999;\n", definitions(30_000)));
    assert!(editor.hover("big.sq", 0).contains("= 30000"));
    editor.settle();
    assert_eq!(editor.said("big.sq"), []);
    // Longer than the language allows.
    editor.open("huge.sq", &"// filler\n".repeat(2_000_000));
    editor.settle();
    assert_eq!(editor.said("huge.sq")[0].0, "S005");
    let deep = format!("let a = {}1{};", "(".repeat(50_000), ")".repeat(50_000));
    editor.open("deep.sq", &deep);
    editor.settle();
    assert_eq!(editor.said("deep.sq")[0].0, "S004");
    alive(&mut editor);
    assert!(begun.elapsed().as_secs() < 100, "{:?}", begun.elapsed());
}
