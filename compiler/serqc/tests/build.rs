//! A program becomes a binary wherever it is built and whatever the environment says.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{Folder, MM1, cache, ran};

/// Asserts that a binary is a simulation: it tells its settings.
#[track_caller]
fn is_a_simulation(binary: &Path) {
    let help = ran(Command::new(binary).arg("--help")).expect(0, &[]);
    assert!(help.out.contains("--seeds") && help.out.contains("lambda"), "{}", help.out);
}

#[test]
fn the_binary_takes_the_programs_name() {
    let folder = Folder::new();
    folder.write("models/mm1.sq", MM1);
    let ran = folder.run(&["build", "models/mm1.sq"]).expect(0, &[]);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
    assert_eq!(folder.names(), ["mm1", "models"]);
    is_a_simulation(&folder.path("mm1"));
}

#[test]
fn the_environment_does_not_matter() {
    let folder = Folder::new();
    // A program that no other test builds, so that it is not in the cache.
    let once = format!("{MM1}let unused_{} = 1;\n", std::process::id());
    folder.write("inner/mm1.sq", once);
    folder.write("Cargo.toml", "[workspace]\nmembers = [\"absent\"]\n");
    folder.write("rust-toolchain.toml", "[toolchain]\nchannel = \"absent\"\n");
    folder.write(".cargo/config.toml", "[build]\nrustflags = [\"--nonsense\"]\n");
    let mut serqc = folder.serqc(&["build", "mm1.sq", "-o", "out"]);
    serqc
        .current_dir(folder.path("inner"))
        .env("CARGO_TARGET_DIR", folder.path("elsewhere"))
        .env("CARGO_BUILD_TARGET", "wasm32-unknown-unknown")
        .env("CARGO_PROFILE_RELEASE_LTO", "nonsense")
        .env("RUSTFLAGS", "--cfg nonsense -Dwarnings --nonsense")
        .env("CARGO_ENCODED_RUSTFLAGS", "--nonsense")
        .env("RUSTC_WRAPPER", "/absent")
        .env("RUSTC", "/absent");
    ran(&mut serqc).expect(0, &[]);
    assert!(!folder.path("elsewhere").exists());
    is_a_simulation(&folder.path("inner/out"));
}

#[test]
fn an_unchanged_program_is_not_built_again() {
    let folder = Folder::new();
    folder.write("mm1.sq", MM1);
    folder.run(&["build", "mm1.sq", "-o", "a"]).expect(0, &[]);
    // Where there is no cargo, only the cache can help.
    let tools = folder.path("tools");
    fs::create_dir(&tools).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(which("rustc"), tools.join("rustc")).unwrap();
    #[cfg(unix)]
    ran(folder.serqc(&["build", "mm1.sq", "-o", "b"]).env("PATH", &tools)).expect(0, &[]);
    #[cfg(unix)]
    assert_eq!(fs::read(folder.path("a")).unwrap(), fs::read(folder.path("b")).unwrap());
}

#[cfg(unix)]
fn which(tool: &str) -> std::path::PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path)
        .map(|folder| folder.join(tool))
        .find(|path| path.is_file())
        .unwrap()
}

#[test]
fn without_rust_the_error_says_so() {
    let folder = Folder::new();
    folder.write("mm1.sq", MM1);
    let mut serqc = folder.serqc(&["build", "mm1.sq", "-o", "out"]);
    ran(serqc.env("PATH", folder.dir.path()))
        .expect(1, &["error[S911]: cannot start `rustc`", "help: "]);
    assert_eq!(folder.names(), ["mm1.sq"]);
}

#[test]
fn a_cache_that_cannot_be_written() {
    let folder = Folder::new();
    folder.write("mm1.sq", MM1).write("taken", "");
    let mut serqc = folder.serqc(&["build", "mm1.sq", "-o", "out"]);
    ran(serqc.env("SERQC_CACHE", folder.path("taken")))
        .expect(1, &["error[S910]", "taken", "SERQC_CACHE"]);
    assert_eq!(folder.names(), ["mm1.sq", "taken"]);
}

#[test]
fn run_passes_on_options_and_the_exit_code() {
    let folder = Folder::new();
    folder.write("mm1.sq", MM1);
    let help = folder.run(&["run", "mm1.sq", "--help"]).expect(0, &[]);
    assert!(help.out.contains("lambda"), "{}", help.out);
    folder.run(&["run", "mm1.sq", "--nonsense"]).expect(2, &["--nonsense"]);
    folder.run(&["run", "mm1.sq", "--seeds", "5..1"]).expect(2, &["5..1"]);
    let table =
        folder.run(&["run", "mm1.sq", "--seeds", "1..2", "--set", "lambda=0.25"]).expect(0, &[]);
    assert!(table.out.contains("response"), "{}", table.out);
}

#[test]
fn a_baked_setting_is_as_good_as_one_given_to_the_binary() {
    let folder = Folder::new();
    folder.write("mm1.sq", MM1);
    folder.run(&["build", "mm1.sq", "--set", "lambda=0.125", "-o", "baked"]).expect(0, &[]);
    folder.run(&["build", "mm1.sq", "-o", "plain"]).expect(0, &[]);
    let answer = |binary: &str, arguments: &[&str]| {
        let json = ran(Command::new(folder.path(binary)).args(arguments)).expect(0, &[]).out;
        // What comes before tells the settings that were given.
        json.split_once("\"run\":").expect("the part of a run").1.to_owned()
    };
    let given = answer("plain", &["--json", "--set", "lambda=0.125"]);
    assert_eq!(answer("baked", &["--json"]), given);
    assert_ne!(answer("plain", &["--json"]), given);
}

#[test]
fn the_emitted_crate_stands_alone() {
    let folder = Folder::new();
    folder.write("mm1.sq", MM1);
    folder.run(&["build", "mm1.sq", "--emit", "crate", "-o", "out"]).expect(0, &[]);
    let emitted = fs::read_to_string(folder.path("crate/src/main.rs")).unwrap();
    assert_eq!(folder.run(&["expand", "mm1.sq"]).expect(0, &[]).out, emitted);
    let manifest = fs::read_to_string(folder.path("crate/Cargo.toml")).unwrap();
    assert!(manifest.contains("name = \"mm1\""), "{manifest}");
    // Checked in the cache's target folder, which nothing else uses under this name.
    let mut cargo = Command::new("cargo");
    cargo.args(["check", "--offline", "--quiet", "--target-dir"]).arg(cache().join("check"));
    ran(cargo.current_dir(folder.path("crate"))).expect(0, &[]);
}

/// Some seeds draw a third member of a family of two, or work below 0.
const FAULTY: &str = "\
let most = 2.2; let members = 2;
stage d[members] : delay;
workload { arrive batch(3); turn { set j = floor(~uniform(0, most)); } }
session { turn; run d[j] (1); observe member = j; run d[0] (0.5 - j); }
run { horizon 10; }
";

#[test]
fn runs_that_stop_are_reported_in_json_whatever_the_number_of_threads() {
    let folder = Folder::new();
    folder.write("faulty.sq", FAULTY);
    let of = |options: &[&str]| {
        folder.run(&[&["run", "faulty.sq", "--json", "--seeds", "1..20"], options].concat())
    };
    let one = of(&["--jobs", "1"]).expect(1, &["error[S302]: the index is 2", "faulty.sq:4:23"]);
    let many = of(&["--jobs", "4"]);
    assert_eq!((&one.out, &one.err), (&many.out, &many.err));
    let lines: Vec<serde_json::Value> =
        one.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let stopped = lines.iter().filter(|line| line.get("error").is_some()).count();
    assert!(lines.len() == 20 && (1..20).contains(&stopped), "{stopped} of {}", lines.len());
    for (line, seed) in lines.iter().zip(1_u64..) {
        assert_eq!(line["run"]["seed"], seed);
        if let Some(error) = line.get("error") {
            assert_eq!((&error["line"], &error["column"]), (&4.into(), &23.into()));
            assert_eq!((&error["turn"], &error["seed"]), (&1.into(), &seed.into()));
            assert!(error["session"].is_u64() && error["time"] == 0.0, "{error}");
        }
    }
    of(&["--set", "most=1.9"]).expect(0, &[]);
    of(&["--set", "most=1.9", "--strict"]).expect(1, &["error[S301]: this work is -0.5"]);
    let refused = of(&["--set", "members=0.5"]).expect(2, &["faulty.sq:2:9"]);
    let refused: serde_json::Value = serde_json::from_str(&refused.out).unwrap();
    assert_eq!((&refused["error"]["line"], &refused["error"]["seed"]), (&2.into(), &().into()));
}
