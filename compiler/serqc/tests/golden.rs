//! `serqc test` from the outside: answers are written, held and found to differ.

mod common;

use std::fs;

use common::{Folder, MM1};

/// Puts an amount of work on a stage, which must not be negative.
const NEGATIVE: &str = "\
let least = -1;
stage d : delay;
workload { arrive batch(2); }
session { run d (~uniform(least, -0.5)); end; }
run { horizon 10; }
";

/// Runs longer than anyone waits.
const ENDLESS: &str = "\
stage d : delay;
workload { arrive poisson(1000); }
session { run d (1); end; }
run { horizon 1e12; }
";

#[test]
fn answers_are_written_and_then_held() {
    let folder = Folder::new();
    folder
        .write("models/mm1.sq", MM1)
        .write("models/inner/wrong.sq", MM1.replace("server (", "severs ("))
        .write("models/lib.sq", "def twice(x) = 2 * x;\n");
    let ran = folder.run(&["test", "models"]).expect(0, &[]);
    assert!(ran.out.contains("models/mm1: no answer"), "{}", ran.out);
    assert!(ran.out.contains("0 of 2 programs agree, 2 without an answer"), "{}", ran.out);

    let ran = folder.run(&["test", "models", "--bless"]).expect(0, &[]);
    assert!(ran.out.contains("2 answers written"), "{}", ran.out);
    let answer = fs::read_to_string(folder.path("models/mm1.json")).unwrap();
    assert!(answer.starts_with("{\n\"options\": {},\n\"run\": {\"horizon\": 100.0"), "{answer}");
    let refused = fs::read_to_string(folder.path("models/inner/wrong.json")).unwrap();
    assert!(refused.starts_with("{\"where\": \"link\", \"line\": 4, \"col\": "), "{refused}");

    let ran = folder.run(&["test", "models", "--jobs", "1"]).expect(0, &[]);
    assert!(ran.out.contains("2 of 2 programs agree ("), "{}", ran.out);

    // An answer's options stand in for the program's own, and what agrees is not written again.
    let seeded = answer.replacen("{}", "{\"sets\": {\"lambda\": 0.25}, \"horizon\": 50}", 1);
    folder.write("models/mm1.json", &seeded);
    let ran = folder.run(&["test", "models/mm1.sq"]).expect(1, &[]);
    assert!(ran.out.contains("FAIL models/mm1: run/horizon: got 50.0, want 100.0"), "{}", ran.out);
    folder.run(&["test", "models", "--bless"]).expect(0, &[]);
    let blessed = fs::read_to_string(folder.path("models/mm1.json")).unwrap();
    assert!(blessed.contains("\"horizon\": 50}") && blessed.contains("\"horizon\": 50.0"));
    assert_eq!(fs::read_to_string(folder.path("models/inner/wrong.json")).unwrap(), refused);
}

#[test]
fn what_goes_wrong_is_a_failure_of_its_program_alone() {
    let folder = Folder::new();
    folder
        .write("endless.sq", ENDLESS)
        .write("endless.json", "{\"run\": {}}")
        .write("fault.sq", NEGATIVE)
        .write("fault.json", "{\"where\": \"run\", \"line\": 4, \"col\": null, \"about\": \"x\"}")
        .write("fine.sq", MM1)
        .write("fine.json", "{\"where\": \"link\", \"line\": 4, \"about\": \"an error\"}")
        .write("quantity.sq", MM1)
        .write(
            "quantity.json",
            "{\"quantities\": [{\"kind\": \"run\", \"name\": \"\", \"stat\": \"seed\", \"value\": 1.5, \"tolerance\": 0.5}]}",
        )
        .write("torn.sq", MM1)
        .write("torn.json", "{");
    let ran = folder.run(&["test", ".", "--limit", "3"]).expect(1, &[]);
    for line in [
        "FAIL endless: the run hangs: given up after 3",
        "FAIL fine: no error where one is due (due: an error)",
        "FAIL torn: the answer file is no JSON",
        "2 of 5 programs agree, 3 differ",
    ] {
        assert!(ran.out.contains(line), "no `{line}` in\n{}", ran.out);
    }
}

#[test]
fn a_path_without_programs_is_an_error() {
    let folder = Folder::new();
    folder.write("empty/README", "");
    folder.run(&["test", "absent"]).expect(1, &["S900"]);
    folder.run(&["test", "empty"]).expect(1, &["S915"]);
    folder.run(&["test"]).expect(2, &[]);
}
