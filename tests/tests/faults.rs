//! Errors that only a run finds: each shows its source line with the simulated time, and the session and its turn, or
//! the pool or stage where no session ran; and the run reports what it has.

use serde_json::{Value, json};
use serq_compiler::explain::pages;
use serq_tests::{
    batch::{Batch, Build, Job},
    compile,
};

/// One error: a program in which `⟦…⟧` marks the place, its code, and who is to blame (a session's serial number and
/// turn, or a station) when.
struct Case {
    name: &'static str,
    text: &'static str,
    code: &'static str,
    who: Who,
    time: f64,
}

#[derive(Clone, Copy)]
enum Who {
    Session(u64, u64),
    Station(&'static str),
    Nobody,
}

const CASES: &[Case] = &[
    Case {
        name: "an empty hold in a loop",
        text: "pool p { cap 1; }\nstage d : delay;\nworkload { arrive batch(2); }\n\
               session { turn; run d (3); loop {\n  ⟦hold p (1) { }⟧\n} }\nrun { horizon 10; }",
        code: "S309",
        who: Who::Session(0, 1),
        time: 3.0,
    },
    Case {
        name: "arrivals without gaps",
        text: "workload { arrive renewal(⟦~exp(1) * 0⟧); }\nstage d : delay;\n\
               session { turn; observe a = 1; }\nrun { horizon 10; }",
        code: "S310",
        who: Who::Nobody,
        time: 0.0,
    },
    Case {
        name: "iterations too short for the clock, planned at once",
        text: "stage E[2] : step { cost ⟦1e-300⟧; }\nstage d : delay;\nworkload { arrive batch(1); }\n\
               session { turn; run d (5); run E[1] decode (1e15); }\nrun { horizon 10; }",
        code: "S310",
        who: Who::Station("E[1]"),
        time: 5.0,
    },
    Case {
        name: "a cost that is not a number",
        text: "stage E[2] : step { cost ⟦(tokens - 1) / (tokens - 1)⟧; }\nworkload { arrive batch(1); }\n\
               session { turn; run E[1] decode (3); }\nrun { horizon 10; }",
        code: "S306",
        who: Who::Station("E[1]"),
        time: 0.0,
    },
    Case {
        name: "an amount that is at most the reserve, at the queue of a busy engine",
        text: "pool kv { cap 100; admit via E; }\nstage E : step { budget 4; cost 2; memory kv; }\n\
               stage d : delay;\nworkload { arrive batch(2); }\n\
               session { turn; set x = 8; set y = 1 - 2 * serial; run d (serial);\n\
               hold kv (⟦min(x, cachedin(kv) + y)⟧) reserve (x) { run E prefill (1); } cache (4) }\n\
               run { horizon 10; }",
        code: "S300",
        who: Who::Session(1, 1),
        time: 1.0,
    },
    Case {
        name: "an index in a cost",
        text: "pool k[2] { cap 4; }\nstage E : step { cost 1 + used(k[⟦residents * 2⟧]); }\n\
               workload { arrive batch(1); }\n\
               session { turn; hold k[0] (1) { run E decode (2); run E decode (1.5); }\n\
               hold k[1] (1) { run E decode (1); } }\nrun { horizon 10; }",
        code: "S302",
        who: Who::Station("E"),
        time: 0.0,
    },
    Case {
        name: "an index in an eviction key",
        text: "pool k[2] { cap 4; evict by (used(k[⟦size⟧])); }\nstage d : delay;\n\
               workload { arrive batch(2); }\n\
               session { turn; hold k[1] (3) { run d (1); } cache (3) }\nrun { horizon 10; }",
        code: "S302",
        who: Who::Station("k[1]"),
        time: 1.0,
    },
    Case {
        name: "an index in a capacity",
        text: "pool k[2] { cap 4; }\nstage s : ps(1 + used(k[⟦present⟧]));\nworkload { arrive batch(2); }\n\
               session { turn; hold k[serial] (1) { run s (1); } }\nrun { horizon 10; }",
        code: "S302",
        who: Who::Station("s"),
        time: 0.0,
    },
    Case {
        name: "a growth in a later turn",
        text: "pool k { cap 4; }\nstage d : delay;\nworkload { arrive batch(1); }\n\
               session { turn; run d (1); turn; run d (1); turn;\n\
               hold k (1) { grow k (⟦2 - turn_no⟧); run d (1); } }\nrun { horizon 10; }",
        code: "S300",
        who: Who::Session(0, 3),
        time: 2.0,
    },
];

/// The program without marks, and where they are: line and column, from 1.
fn unmarked(text: &str) -> (String, Option<(usize, usize)>) {
    let place = text.find('⟦').map(|open| {
        let before = &text[..open];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (1 + before.matches('\n').count(), 1 + before[start..].chars().count())
    });
    (text.replace(['⟦', '⟧'], ""), place)
}

/// What the error of each program says. A run that stopped is reported all the same.
fn errors(name: &str, texts: &[String]) -> Vec<Value> {
    let mut batch = Batch::new(name, Build::Fast);
    let jobs: Vec<Job> = texts
        .iter()
        .map(|text| {
            let module = compile::module_of("program", text);
            let program = batch.add(module.unwrap_or_else(|problem| panic!("{problem:?}\n{text}")));
            Job { program, seed: Some(7), ..Job::default() }
        })
        .collect();
    let built = batch.build().unwrap_or_else(|error| panic!("{error}"));
    let lines = built.run(&jobs).into_iter().zip(texts);
    lines
        .map(|(line, text)| {
            let report: Value = serde_json::from_str(&line).unwrap_or_default();
            assert!(report["run"]["end"].is_number(), "no report: {line}\n{text}");
            report["error"].clone()
        })
        .collect()
}

/// The error stands at the mark and has what every error has.
#[track_caller]
fn assert_placed(error: &Value, code: &str, text: &str, place: Option<(usize, usize)>) {
    assert_eq!(error["code"], code, "{error:#}\n{text}");
    if let Some((line, column)) = place {
        assert_eq!((&error["line"], &error["column"]), (&json!(line), &json!(column)), "{error:#}");
        let source = text.lines().nth(line - 1).unwrap_or_default();
        assert_eq!(error["source"], source.trim_end());
    }
    assert!(error["time"].is_number() && error["seed"] == 7, "{error:#}");
    assert!(error["message"].is_string() && error["help"].is_string(), "{error:#}");
    assert_eq!(error["session"].is_number(), error["turn"].is_number());
}

#[test]
fn every_page_of_an_error_of_a_run_gives_it_at_its_mark() {
    // One has no example: a trace that another process cuts short while it is replayed.
    let of_a_run = pages().iter().filter(|page| page.code.starts_with("S3"));
    let pages: Vec<_> = of_a_run.filter(|page| page.wrong.is_some()).collect();
    assert!(pages.len() >= 12);
    let (texts, places): (Vec<_>, Vec<_>) =
        pages.iter().map(|page| unmarked(&page.wrong.as_ref().unwrap().source)).unzip();
    let errors = errors("fault_pages", &texts);
    for (((page, text), place), error) in pages.iter().zip(&texts).zip(&places).zip(&errors) {
        assert!(place.is_some(), "{}", page.code);
        assert_placed(error, page.code, text, *place);
    }
}

#[test]
fn an_error_names_its_session_or_its_station_and_the_time() {
    let (texts, places): (Vec<_>, Vec<_>) = CASES.iter().map(|case| unmarked(case.text)).unzip();
    let errors = errors("fault_places", &texts);
    for (((case, text), place), error) in CASES.iter().zip(&texts).zip(&places).zip(&errors) {
        assert_placed(error, case.code, text, *place);
        let (session, turn, station) = match case.who {
            Who::Session(serial, turn) => (json!(serial), json!(turn), Value::Null),
            Who::Station(name) => (Value::Null, Value::Null, json!(name)),
            Who::Nobody => (Value::Null, Value::Null, Value::Null),
        };
        let told = (&error["session"], &error["turn"], &error["station"], &error["time"]);
        assert_eq!(told, (&session, &turn, &station, &json!(case.time)), "{}", case.name);
    }
}
