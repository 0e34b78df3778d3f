//! `serqc ir`: the program as text and as JSON.

mod common;

use common::{Folder, MM1};
use serde_json::{Value, json};

#[test]
fn the_text_is_the_program_with_nothing_left_to_look_up() {
    let folder = Folder::new();
    folder.write("mm1.sq", MM1);
    let ran = folder.run(&["ir", "mm1.sq", "--set", "lambda=0.25"]).expect(0, &[]);
    for line in ["let lambda = 0.25\n", "arrive poisson(lambda)\n", "  run server (~exp(1))\n"] {
        assert!(ran.out.contains(line), "no `{line}` in\n{}", ran.out);
    }
    folder.run(&["ir", "absent.sq"]).expect(1, &["S900"]);
}

#[test]
fn the_json_says_the_same() {
    let folder = Folder::new();
    folder.write("mm1.sq", MM1);
    let ran = folder.run(&["ir", "mm1.sq", "--json"]).expect(0, &[]);
    let ir: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(ir["lets"][0]["name"], "lambda");
    assert_eq!(ir["workload"]["arrive"], json!({"law": "poisson", "rate": {"let": "lambda"}}));
    assert_eq!(ir["stages"][0]["kind"], "fifo");
    assert_eq!(
        ir["session"][1],
        json!({
            "do": "run",
            "at": "4:25",
            "stages": [{"name": "server", "index": null}],
            "mode": null,
            "work": {"draw": "exp", "args": [1.0]},
            "growing": null,
        })
    );
}
