//! Sweeps of a built program as a user runs them: stopped at any moment, in parts, compared, planned.

mod common;

use common::{Folder, ran};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// M/M/c, so that a load, a capacity and a cost can be swept.
const MMC: &str = "\
let lambda = 1;
let c = 2;
stage server : fifo(c);
workload { arrive poisson(lambda); }
session { set t0 = now; run server (~exp(1)); observe response = now - t0; }
run { horizon 2000; warmup 200; }
";

fn built() -> Folder {
    let folder = Folder::new();
    folder.write("mmc.sq", MMC);
    folder.run(&["build", "mmc.sq", "-o", "sim"]).expect(0, &[]);
    folder
}

fn sim(folder: &Folder, arguments: &str) -> Command {
    let mut command = Command::new(folder.path("sim"));
    command.args(arguments.split_whitespace()).current_dir(folder.dir.path());
    command
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), fs::read(p).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn a_sweep_that_is_killed_goes_on_to_the_same_bytes() {
    const SWEEP: &str = "--sweep lambda=0.5..1.5:0.25 --sweep c=1,2 --seeds 1..6 --horizon 60000";
    let folder = built();
    ran(&mut sim(&folder, &format!("{SWEEP} --jobs 1 --out whole"))).expect(0, &[]);
    let mut killed = 0;
    for moment in [1, 15, 40, 60, 90, 130] {
        let mut command = sim(&folder, &format!("{SWEEP} --jobs 2 --out cut"));
        let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(moment));
        killed += usize::from(running.try_wait().unwrap().is_none());
        running.kill().unwrap();
        running.wait().unwrap();
    }
    assert!(killed > 0, "each sweep was over before it could be killed");
    ran(&mut sim(&folder, &format!("{SWEEP} --out cut"))).expect(0, &["has 60 of 60 runs"]);
    assert!(files(&folder.path("whole")) == files(&folder.path("cut")));
}

#[test]
fn parts_are_collected_to_the_whole_and_written_as_tables() {
    const SWEEP: &str = "--sweep lambda=0.5,1 --sweep c=1..3 --seeds 1..4";
    let folder = built();
    folder
        .run(&[&["run", "mmc.sq"][..], &words(&format!("{SWEEP} --out whole"))].concat())
        .expect(0, &[]);
    for part in ["1", "2"] {
        ran(&mut sim(&folder, &format!("{SWEEP} --shard {part}/2 --out part{part}")))
            .expect(0, &[]);
    }
    let part = folder.run(&["collect", "part1"]).expect(0, &[]);
    assert_eq!(
        part.out,
        "12 of 24 runs of mmc; 12 are missing, the first at lambda = 0.5, c = 1, seed 2\n"
    );
    let all =
        ["collect", "part1", "part2", "--out", "all", "--csv", "t.csv", "--parquet", "t.parquet"];
    assert_eq!(folder.run(&all).expect(0, &[]).out, "24 of 24 runs of mmc\n");
    assert!(files(&folder.path("whole")) == files(&folder.path("all")));
    let table = fs::read(folder.path("t.csv")).unwrap();
    assert_eq!(table, fs::read(folder.path("whole/runs.csv")).unwrap());
    let parquet = fs::read(folder.path("t.parquet")).unwrap();
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    folder.run(&["collect", "nothing"]).expect(1, &["error[S942]", "nothing"]);
    folder.run(&["collect", "."]).expect(1, &["error[S943]", "sweep.json"]);
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[test]
fn settings_are_ranked_and_seeds_added_until_they_are_told_apart() {
    let folder = built();
    let sweep = "--sweep c=1..3 --set lambda=0.8 --seeds 1..4 --out r";
    ran(&mut sim(&folder, sweep)).expect(0, &[]);
    let json = |more: &str| -> serde_json::Value {
        let command = format!("compare r --metric mean:response --by c --json {more}");
        serde_json::from_str(&folder.run(&words(&command)).expect(0, &[]).out).unwrap()
    };
    let first = json("");
    let settings = &first["tables"][0]["settings"];
    assert_eq!((&first["differences"], &settings[0]["setting"]["c"]), (&3.into(), &3.0.into()));
    assert_eq!(settings[2]["from_first"]["paired"], true);
    let wide = settings[2]["from_first"]["half_width"].as_f64().unwrap();
    let best = settings[0]["mean"].as_f64().unwrap();
    let target = wide / best * 100.0 / 1.8;
    let narrow = json(&format!("--until {target}%"));
    assert_eq!(narrow["until_reached"], true);
    let last = &narrow["tables"][0]["settings"][2];
    assert!(last["runs"].as_u64() > Some(4), "{narrow}");
    assert!(last["from_first"]["half_width"].as_f64().unwrap() <= wide / 1.79);
    // The added seeds are those that a sweep would have run.
    let runs = last["runs"].to_string();
    ran(&mut sim(
        &folder,
        &format!("--sweep c=1..3 --set lambda=0.8 --seeds 1..{runs} --out direct"),
    ))
    .expect(0, &[]);
    assert!(files(&folder.path("r")) == files(&folder.path("direct")));
    let text = folder.run(&words("compare r --metric mean:response")).expect(0, &[]).out;
    assert!(text.contains("c = 3 is best"), "{text}");
    folder
        .run(&words("compare r --metric mean:respons"))
        .expect(1, &["error[S946]", "mean:response"]);
    folder
        .run(&words("compare r --metric mean:response --by lambda"))
        .expect(1, &["error[S947]", "swept are c"]);
}

#[test]
fn the_cheapest_setting_is_found() {
    let folder = built();
    // M/M/c at 4 Erlang: a mean of 1.25 needs six servers (1.554 with five, 1.142 with six).
    let plan = [
        &words("plan mmc.sq --over c=2..12 --set lambda=4 --horizon 4000")[..],
        &["--minimise", "c", "--subject", "mean(response) <= 1.25"],
    ]
    .concat();
    let json: serde_json::Value =
        serde_json::from_str(&folder.run(&[&plan[..], &["--json"]].concat()).expect(0, &[]).out)
            .unwrap();
    let best = &json["cheapest"];
    assert_eq!((&best["setting"]["c"], &best["meets"]), (&6.0.into(), &true.into()), "{json}");
    assert_eq!(json["undecided"].as_array().unwrap().len(), 0);
    let text = folder.run(&plan).expect(0, &[]).out;
    for part in ["cheapest: c = 6, at 6", "every cheaper setting misses a target", "frontier:"] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
    folder
        .run(&[
            "plan",
            "mmc.sq",
            "--over",
            "c=1..3",
            "--minimise",
            "cc",
            "--subject",
            "mean(response) <= 1",
        ])
        .expect(1, &["error[S948]", "`cc`"]);
}

/// From 100 s on it names a member that there is not, unless k is 0.
const BREAKS: &str = "\
let k = 0;
stage a[3] : delay;
workload { arrive poisson(1); }
session { set t = now; run a[(now > 100 && k > 0) * 7] (1); observe r = now - t; }
run { horizon 300; warmup 20; }
";

#[test]
fn settings_whose_runs_stop_on_an_error_are_named() {
    let folder = Folder::new();
    folder.write("breaks.sq", BREAKS);
    let plan = |minimise: &'static str, subject: &'static str| {
        let over = ["plan", "breaks.sq", "--over", "k=0,1,2", "--minimise", minimise];
        folder.run(&[&over[..], &["--subject", subject]].concat())
    };
    let text = plan("3 - k", "mean(r) <= 2").expect(0, &[]).out;
    for part in [
        "cheapest: k = 0, at 3",
        "every cheaper setting that could be judged misses a target",
        "not judged: k = 1 stops on an error; k = 2 stops on an error",
    ] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
    plan("3 - k", "mean(r) <= 2 <= 3").expect(1, &["error[S948]", "compares more than once"]);
    plan("k / k", "mean(r) <= 2").expect(1, &["error[S948]", "no number at k = 0"]);

    let sweep = words("run breaks.sq --sweep k=0,0.5,1 --seeds 1..3 --out e");
    folder.run(&sweep).expect(1, &["6 of the runs stopped on an error"]);
    let again = words("run breaks.sq --sweep k=0,-1,0.5,1 --seeds 1..3 --out e");
    folder.run(&again).expect(1, &["6 of the runs stopped on an error"]);
    let compare = words("compare e --metric mean:r");
    let text = folder.run(&compare).expect(0, &[]).out;
    assert!(text.contains("not ranked: k = 1: 3 of its 3 runs stopped on an error"), "{text}");
    assert!(!text.contains("with 0 runs"), "{text}");
    let json: serde_json::Value =
        serde_json::from_str(&folder.run(&[&compare[..], &["--json"]].concat()).expect(0, &[]).out)
            .unwrap();
    assert_eq!(json["not_ranked"][1]["errors"], 3, "{json}");
}
