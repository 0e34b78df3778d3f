//! The VS Code extension: what its manifest names is there, and is what the other files say.

use serde_json::Value;
use serq_editors::editors;

fn json(path: &str) -> Value {
    serde_json::from_str(&editors(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

#[test]
fn the_manifest_and_the_files_agree() {
    let manifest = json("vscode/package.json");
    let gives = &manifest["contributes"];
    let path =
        |value: &Value| format!("vscode/{}", value.as_str().unwrap().trim_start_matches("./"));
    let (language, grammar) = (&gives["languages"][0], &gives["grammars"][0]);
    assert_eq!(language["id"], grammar["language"]);
    assert_eq!(json(&path(&grammar["path"]))["scopeName"], grammar["scopeName"]);
    assert_eq!(json(&path(&language["configuration"]))["comments"]["lineComment"], "//");
    assert_eq!(language["extensions"][0], ".sq");

    let script = editors(&path(&manifest["main"]));
    for command in gives["commands"].as_array().unwrap() {
        let said = format!("registerCommand({}", command["command"]).replace('"', "'");
        assert!(script.contains(&said), "{said}");
    }
    assert!(script.contains(&format!("language: '{}'", language["id"].as_str().unwrap())));
    let settings = &gives["configuration"]["properties"];
    let default = settings["serq.command"]["default"].as_str().unwrap();
    assert!(script.contains(&format!("get('command', '{default}')")));
    assert!(script.contains("args: ['lsp']"));
}

#[test]
fn the_tree_sitter_manifest_names_what_is_there() {
    let manifest = json("tree-sitter-serq/tree-sitter.json");
    let grammar = &manifest["grammars"][0];
    assert_eq!(json("tree-sitter-serq/src/grammar.json")["name"], grammar["name"]);
    assert_eq!(grammar["file-types"][0], "sq");
    let query = grammar["highlights"].as_str().unwrap();
    assert!(!editors(&format!("tree-sitter-serq/{query}")).is_empty());
}
