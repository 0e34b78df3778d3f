//! `serqc submit`: the jobs of four engines as text, held against what the engines take, and run here.
//!
//! `UPDATE_EXPECT=1` writes the files of `golden`.

#[path = "../common/mod.rs"]
mod common;
mod run_here;
mod schema;

use std::fs;
use std::path::{Path, PathBuf};

use common::Folder;

/// Every engine, and what its files end in.
const ENGINES: [(&str, &str); 4] = [
    ("hyperqueue", "hyperqueue.toml"),
    ("slurm", "slurm.sh"),
    ("kubernetes", "kubernetes.yaml"),
    ("ray", "ray.py"),
];

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/submit/golden").join(name)
}

/// The plans of `golden`: `plain` with what every plan must say, `full` with all else, and with texts that
/// a shell, Python, YAML or Kubernetes would read as something of theirs.
const PLANS: [&str; 2] = ["plain", "full"];

/// The job of a plan of `golden`.
fn job(plan: &str, engine: &str, ending: &str) -> String {
    let folder = Folder::new();
    folder.write(&format!("{plan}.toml"), fs::read(golden(&format!("{plan}.toml"))).unwrap());
    folder.run(&["submit", &format!("{plan}.toml"), "--to", engine]).expect(0, &[]);
    fs::read_to_string(folder.path(&format!("{plan}.{ending}"))).unwrap()
}

#[test]
fn jobs_are_as_before() {
    for plan in PLANS {
        for (engine, ending) in ENGINES {
            let (file, made) = (golden(&format!("{plan}.{ending}")), job(plan, engine, ending));
            if std::env::var_os("UPDATE_EXPECT").is_some() {
                fs::write(&file, &made).unwrap();
            }
            let expected = fs::read_to_string(&file).unwrap();
            assert_eq!(made, expected, "{}", file.display());
        }
    }
}

#[test]
fn jobs_are_what_engines_take() {
    for plan in PLANS {
        let toml: toml::Value =
            toml::from_str(&job(plan, "hyperqueue", "hyperqueue.toml")).unwrap();
        assert_eq!(schema::hyperqueue(&serde_json::to_value(toml).unwrap()), [""; 0], "{plan}");
        let yaml = job(plan, "kubernetes", "kubernetes.yaml");
        let manifest: serde_json::Value = serde_saphyr::from_str(&yaml).unwrap();
        assert_eq!(schema::kubernetes(&manifest), [""; 0], "{plan}");
    }
}

#[test]
fn the_last_line_merges_the_parts() {
    let folder = Folder::new();
    folder.write("full.toml", fs::read(golden("full.toml")).unwrap());
    for (engine, ending) in ENGINES {
        let ran = folder.run(&["submit", "full.toml", "--to", engine, "-o", "job"]).expect(0, &[]);
        let last = ran.out.lines().last().unwrap().trim();
        assert_eq!(
            last,
            "serqc collect \"/shared/it's here/all runs\"/part-*-of-12 --out \"/shared/it's here/all runs/all\""
        );
        assert!(ran.out.starts_with("wrote `job`: 12 shards\n"), "{ending}: {}", ran.out);
        fs::remove_file(folder.path("job")).unwrap();
    }
}

/// A plan with a line changed.
fn plan_with(line: &str) -> String {
    let plain = fs::read_to_string(golden("plain.toml")).unwrap();
    let key = line.split('=').next().unwrap();
    let is = |there: &&str| there.split('=').next() != Some(key);
    let (keys, tables) = plain.split_once("\n[").unwrap();
    let keys: String = keys.lines().filter(is).map(|l| format!("{l}\n")).collect();
    format!("{line}\n{keys}[{tables}")
}

#[test]
fn what_is_wrong_is_said_where_it_is() {
    let cases = [
        ("shards = 0", "`shards` is 0", "from 1 to 100000"),
        ("shards = -3", "`shards` is -3", "from 1 to"),
        ("shards = \"8\"", "invalid type", "explain S951"),
        ("shard = 8", "unknown field `shard`", "explain S951"),
        ("jobs = 0", "`jobs` is 0", "from 1 to"),
        ("retries = -1", "`retries` is -1", "from 0 to"),
        ("at_once = 0", "`at_once` is 0", "from 1 to"),
        ("binary = \"\"", "`binary` is empty", "give it a value"),
        ("binary = \"-x\"", "`binary` would be read as an option", "`./-x`"),
        ("out = \"~/r\"", "no shell reads `out`", "as it is on the machines"),
        ("out = \"a\\nb\"", "`out` has a line break", "on one line"),
        ("options = \"--seeds 1..2 'x\"", "a quotation mark without its partner", "as in a shell"),
        ("options = \"--horizon 5\"", "ask for a single run", "--seeds 1..20"),
        ("options = \"--seeds 1..2 --out=r\"", "`--out` among the options", "comes from `out`"),
        ("options = \"--seeds 1..2 --jobs 2\"", "`--jobs` among", "comes from `jobs`"),
        ("options = \"--seeds 1..2 --shard 1/2\"", "`--shard` among", "comes from `shards`"),
        ("name = \"a b\"", "`name` is no name", "letters, digits"),
        ("shards = ", "error[S951]", "explain S951"),
        ("slurm = { options = \"cpu\" }", "`cpu` is no option of `sbatch`", "--partition=cpu"),
        ("slurm = { options = \"-a 1-3\" }", "`-a` is not for `[slurm]`", "from `shards`"),
        ("slurm = { options = \"--chdir=x\" }", "`--chdir` is not", "from `directory`"),
    ];
    for (line, what, help) in cases {
        let folder = Folder::new();
        folder.write("p.toml", plan_with(line));
        let ran = folder.run(&["submit", "p.toml", "--to", "slurm"]);
        let ran = ran.expect(1, &["error[S951]", what, help, "--> p.toml:1:"]);
        assert_eq!(folder.names(), ["p.toml"], "{line}: {}", ran.out);
    }
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let folder = Folder::new();
    folder.write("p.toml", plan_with("shards = 0\njobs = 0\nname = \"a b\""));
    folder
        .run(&["submit", "p.toml", "--to", "ray"])
        .expect(1, &["`shards` is 0", "`jobs` is 0", "`name` is no", "`p.toml` has 3 errors"]);
    folder.write("p.toml", "shards = 3\nshards = 4\n");
    folder
        .run(&["submit", "p.toml", "--to", "ray"])
        .expect(1, &["duplicate key", "--> p.toml:2:1"]);
    folder.write("p.toml", "shards = 3\n");
    folder.run(&["submit", "p.toml", "--to", "ray"]).expect(1, &["missing field", "S951"]);
}

#[test]
fn kubernetes_has_rules_of_its_own() {
    let table = "[kubernetes]\nimage = \"i\"\nclaim = \"c\"\n";
    let (keys, _) = fs::read_to_string(golden("plain.toml"))
        .map(|text| text.split_once("\n[").map(|(k, t)| (k.to_owned(), t.to_owned())).unwrap())
        .unwrap();
    let cases = [
        (String::new(), "the plan has no `[kubernetes]`", "persistent volume `claim`"),
        (table.replace("\"c\"", "\"C_1\""), "`claim` is `C_1`", "small letters"),
        (table.replace("\"i\"", "\"a b\""), "`image` has a blank", "registry/name:tag"),
        (format!("{table}mount = \"data\"\n"), "`mount` is `data`", "such as `/data`"),
        (format!("{table}memory = \"2GB\"\n"), "`memory` is `2GB`", "such as `2Gi`"),
        (format!("{table}namespace = \"A\"\n"), "`namespace` is `A`", "small letters"),
    ];
    for (table, what, help) in cases {
        let folder = Folder::new();
        folder.write("p.toml", format!("{keys}\n{table}"));
        folder.run(&["submit", "p.toml", "--to", "kubernetes"]).expect(1, &["S951", what, help]);
    }
    let folder = Folder::new();
    folder.write("p.toml", format!("name = \"Load.1\"\n{keys}\n{table}"));
    folder.run(&["submit", "p.toml", "--to", "slurm"]).expect(0, &[]);
    folder
        .run(&["submit", "p.toml", "--to", "kubernetes"])
        .expect(1, &["name is `Load.1`", "--> p.toml:1:8", "at most 61"]);
}

#[test]
fn files_of_others_are_left_alone_and_plans_lie_in_folders() {
    let folder = Folder::new();
    folder.write("Load 1/plan.toml", fs::read(golden("plain.toml")).unwrap());
    folder.write("mine.sh", "#!/bin/sh\n");
    folder
        .run(&["submit", "Load 1", "--to", "slurm", "-o", "mine.sh"])
        .expect(1, &["error[S952]", "`mine.sh`", "-o"]);
    assert_eq!(fs::read(folder.path("mine.sh")).unwrap(), b"#!/bin/sh\n");
    for _ in 0..2 {
        let ran = folder.run(&["submit", "Load 1", "--to", "slurm"]).expect(0, &[]);
        assert!(ran.out.contains("sbatch 'Load 1/Load 1.slurm.sh'"), "{}", ran.out);
    }
    let text = fs::read_to_string(folder.path("Load 1/Load 1.slurm.sh")).unwrap();
    assert!(text.contains("--job-name=load-1\n"), "{text}");
    folder.run(&["submit", "none.toml", "--to", "slurm"]).expect(1, &["error[S900]"]);
    folder.run(&["submit", ".", "--to", "slurm"]).expect(1, &["error[S900]", "plan.toml"]);
}

#[test]
fn what_an_engine_does_otherwise_is_said() {
    let folder = Folder::new();
    folder.write("p.toml", plan_with("shards = 1001\nat_once = 9"));
    let notes = |engine: &str| folder.run(&["submit", "p.toml", "--to", engine]).expect(0, &[]).err;
    assert!(notes("slurm").contains("note: Slurm takes arrays of up to 1000 tasks"));
    assert!(notes("hyperqueue").contains("so `at_once` is not used"));
    assert_eq!(notes("kubernetes"), "");
}

#[test]
fn the_plan_that_is_explained_is_one() {
    let folder = Folder::new();
    let page = folder.run(&["explain", "S951"]).expect(0, &[]).out;
    let lines = page.lines().filter_map(|line| line.strip_prefix("    "));
    let plan: Vec<&str> = lines.collect();
    assert!(plan.len() > 15, "{page}");
    folder.write("p.toml", plan.join("\n"));
    for (engine, _) in ENGINES {
        folder.run(&["submit", "p.toml", "--to", engine]).expect(0, &[]);
    }
}
