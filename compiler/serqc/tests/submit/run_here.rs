//! Jobs as their engines would start them, task by task, on this machine.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Folder, MM1, cache, ran};

const OPTIONS: &str = "--sweep lambda=0.25,0.5,0.75 --seeds 1..4 --horizon 2000";

/// A folder with the simulation, what one sweep makes of it, and a plan for `binary`.
fn prepared(binary: &str) -> Folder {
    let folder = Folder::new();
    folder.write("mm1.sq", MM1);
    folder.run(&["build", "mm1.sq", "-o", "sim"]).expect(0, &[]);
    let mut whole = Command::new(folder.path("sim"));
    whole.args(OPTIONS.split(' ')).args(["--out", "whole"]).current_dir(folder.dir.path());
    ran(&mut whole).expect(0, &[]);
    plan(&folder, binary, OPTIONS, 3);
    folder
}

fn plan(folder: &Folder, binary: &str, options: &str, shards: usize) {
    let keys = format!("binary = \"{binary}\"\noptions = \"{options}\"\nshards = {shards}\n");
    let mount = folder.dir.path().display();
    let kubernetes = format!("[kubernetes]\nimage = \"i\"\nclaim = \"c\"\nmount = \"{mount}\"\n");
    folder.write("p.toml", format!("{keys}out = \"the runs\"\n{kubernetes}"));
}

/// A simulation that is killed the first time that it is asked for a part.
const FLAKY: &str = "\
#!/bin/sh
mark=\"tried $(printf %s \"$*\" | cksum)\"
[ -e \"$mark\" ] && exec ./sim \"$@\"
: > \"$mark\"
kill -9 $$
";

/// The task of a shard: a command, and the number that its engine gives to it.
fn task(folder: &Folder, engine: &str, number: usize) -> Command {
    let mut command = Command::new("/bin/sh");
    command.current_dir(folder.dir.path());
    match engine {
        "slurm" => {
            command.arg("p.slurm.sh").env("SLURM_ARRAY_TASK_ID", number.to_string());
        }
        "hyperqueue" => {
            let text = fs::read_to_string(folder.path("p.hyperqueue.toml")).unwrap();
            let job: toml::Value = toml::from_str(&text).unwrap();
            let script = job["array"]["command"][2].as_str().unwrap();
            command.args(["-c", script]).env("HQ_TASK_ID", number.to_string());
        }
        "kubernetes" => {
            let text = fs::read_to_string(folder.path("p.kubernetes.yaml")).unwrap();
            let job: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
            let container = &job["spec"]["template"]["spec"]["containers"][0];
            // What Kubernetes makes of a command.
            let script = container["command"][2].as_str().unwrap().replace("$$", "$");
            command.args(["-c", &script]).env("JOB_COMPLETION_INDEX", (number - 1).to_string());
        }
        other => panic!("no {other}"),
    }
    command
}

/// Runs the command that `submit` said last, and compares the result with that of one sweep.
fn assert_merged(folder: &Folder, said: &str) {
    let merge = said.lines().last().unwrap();
    let serqc = Path::new(env!("CARGO_BIN_EXE_serqc")).parent().unwrap();
    let path = format!("{}:{}", serqc.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("/bin/sh");
    command.args(["-c", merge]).env("PATH", path).env("SERQC_CACHE", cache());
    let merged = ran(command.current_dir(folder.dir.path())).expect(0, &[]);
    assert_eq!(merged.out, "12 of 12 runs of mm1\n");
    for file in ["sweep.json", "runs.jsonl", "runs.csv", "points.csv"] {
        let read = |of: &str| fs::read(folder.path(of).join(file)).unwrap();
        assert!(read("whole") == read("the runs/all"), "{file}");
    }
}

#[test]
fn parts_of_every_job_come_to_one_sweep() {
    let folder = prepared("sim");
    for engine in ["slurm", "hyperqueue", "kubernetes"] {
        let said = folder.run(&["submit", "p.toml", "--to", engine]).expect(0, &[]);
        assert_eq!(said.err, "");
        // In any order, and one of them twice.
        for number in [3, 1, 2, 1] {
            ran(&mut task(&folder, engine, number)).expect(0, &[]);
        }
        assert_merged(&folder, &said.out);
        fs::remove_dir_all(folder.path("the runs")).unwrap();
    }
}

#[test]
fn a_part_that_is_killed_is_tried_again() {
    let folder = prepared("flaky");
    // Before the simulation is there.
    for engine in ["slurm", "hyperqueue"] {
        let said = folder.run(&["submit", "p.toml", "--to", engine]);
        let said = said.expect(0, &["note: `flaky` does not start here"]);
        folder.write("flaky", FLAKY);
        ran(Command::new("chmod").args(["+x", "flaky"]).current_dir(folder.dir.path()))
            .expect(0, &[]);
        for number in 1..=3 {
            ran(&mut task(&folder, engine, number)).expect(0, &[]);
        }
        let tried = folder.names().iter().filter(|name| name.starts_with("tried")).count();
        assert_eq!(tried, 3, "every part was killed once");
        assert_merged(&folder, &said.out);
        fs::remove_dir_all(folder.path("the runs")).unwrap();
        for name in folder.names().iter().filter(|n| n.starts_with("tried") || *n == "flaky") {
            fs::remove_file(folder.path(name)).unwrap();
        }
    }
}

#[test]
fn options_are_asked_of_the_simulation() {
    let folder = prepared("sim");
    plan(&folder, "./sim", "--sweep lambd=1,2", 3);
    folder.run(&["submit", "p.toml", "--to", "ray"]).expect(
        1,
        &[
            "error[S951]",
            "--> p.toml:2:11",
            "options: the program has no `let lambd`",
            "did you mean `lambda`",
        ],
    );
    assert!(!folder.names().contains(&"p.ray.py".to_owned()));
    plan(&folder, "./sim", "--seeds 1..5", 8);
    folder
        .run(&["submit", "p.toml", "--to", "ray"])
        .expect(0, &["note: the sweep has 5 runs, so some of 8 shards have none"]);
    // Parts without runs are collected all the same.
    folder.run(&["submit", "p.toml", "--to", "slurm"]).expect(0, &[]);
    for number in 1..=8 {
        ran(&mut task(&folder, "slurm", number)).expect(0, &[]);
    }
    let parts: Vec<String> = (1..=8).map(|n| format!("the runs/part-{n}-of-8")).collect();
    let mut collect = vec!["collect"];
    collect.extend(parts.iter().map(String::as_str));
    assert_eq!(folder.run(&collect).expect(0, &[]).out, "5 of 5 runs of mm1\n");
}

#[test]
fn a_job_that_cannot_be_submitted_is_written() {
    let folder = prepared("sim");
    let mut nowhere = folder.serqc(&["submit", "p.toml", "--to", "slurm", "--go"]);
    ran(nowhere.env("PATH", folder.path("nowhere")))
        .expect(1, &["error[S953]", "cannot start `sbatch`", "`p.slurm.sh` is written"]);
    folder.write("bin/sbatch", "#!/bin/sh\necho \"got $1\"\n[ ! -e refuse ]\n");
    ran(Command::new("chmod").arg("+x").arg(folder.path("bin/sbatch"))).expect(0, &[]);
    let go = || {
        let path = format!("{}:{}", folder.path("bin").display(), std::env::var("PATH").unwrap());
        ran(folder.serqc(&["submit", "p.toml", "--to", "slurm", "--go"]).env("PATH", path))
    };
    let said = go().expect(0, &[]);
    assert!(said.out.starts_with("got p.slurm.sh\nwrote `p.slurm.sh`: 3 shards\n"), "{}", said.out);
    assert!(!said.out.contains("submit it"), "{}", said.out);
    folder.write("refuse", "");
    go().expect(1, &["error[S953]", "`sbatch` did not do `p.slurm.sh`"]);
}
