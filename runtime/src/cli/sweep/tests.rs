//! Sweeps of the small made-up program.

use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use super::super::tests::{Outcome, small};
use crate::results::{Folder, Reader, Record, Shard, WRITTEN};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// A sweep into a folder.
fn sweep(args: &str, folder: &Path) -> Outcome {
    small(&format!("{args} --out {}", folder.display()))
}

fn ok(args: &str, folder: &Path) -> Outcome {
    let o = sweep(args, folder);
    assert_eq!(o.code, 0, "{args}: {}", o.err);
    o
}

/// All files of a folder, by name.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), fs::read(p).unwrap()))
        .collect();
    files.sort();
    files
}

fn assert_same(a: &Path, b: &Path) {
    for ((name, left), (other, right)) in files(a).iter().zip(&files(b)) {
        assert_eq!(name, other);
        assert!(left == right, "{name} differs");
    }
    assert_eq!(files(a).len(), files(b).len());
}

const SWEEP: &str = "--sweep thr=1,512,inf --sweep twice=2..4 --seeds 1..4";

/// A journal with these bytes, as a process leaves it that was stopped.
fn stopped(folder: &Path, journal: &[u8]) -> PathBuf {
    for name in WRITTEN {
        fs::remove_file(folder.join(name)).unwrap();
    }
    fs::create_dir_all(folder.join("journal")).unwrap();
    let path = folder.join("journal/1-of-1.jsonl");
    fs::write(&path, journal).unwrap();
    path
}

#[test]
fn the_folder_does_not_depend_on_threads_parts_or_order() {
    let dir = folder();
    let [one, many, parts, turned] = ["one", "many", "parts", "turned"].map(|n| dir.path().join(n));
    ok(&format!("{SWEEP} --jobs 1"), &one);
    ok(&format!("{SWEEP} --jobs 4"), &many);
    for part in [3, 1, 2] {
        ok(&format!("{SWEEP} --shard {part}/3"), &parts);
    }
    ok("--sweep twice=4,3,2 --sweep thr=inf,2*256,1 --seeds 4,3,2,1", &turned);
    for other in [many, parts, turned] {
        assert_same(&one, &other);
    }
    let names: Vec<String> = files(&one).into_iter().map(|f| f.0).collect();
    assert_eq!(names, ["lock", "points.csv", "runs.csv", "runs.jsonl", "sweep.json"]);
}

#[test]
fn parts_in_folders_of_their_own_join_to_the_whole() {
    let dir = folder();
    let path = |name: &str| dir.path().join(name);
    ok(SWEEP, &path("whole"));
    for part in 1..=3 {
        ok(&format!("{SWEEP} --shard {part}/3"), &path(&part.to_string()));
    }
    let mut all = Reader::open(&path("1")).unwrap();
    assert_eq!(all.missing().len(), 24);
    for part in ["2", "3", "2"] {
        all.join(&Reader::open(&path(part)).unwrap()).unwrap();
    }
    assert!(all.missing().is_empty());
    all.write(&path("joined")).unwrap();
    assert_same(&path("whole"), &path("joined"));
    assert_eq!(all.write(&path("joined")).unwrap_err().code, "S943", "it is not empty");
}

#[test]
fn what_was_stopped_goes_on_wherever_it_was_cut() {
    let dir = folder();
    let (whole, cut) = (dir.path().join("whole"), dir.path().join("cut"));
    ok(SWEEP, &whole);
    let runs = fs::read(whole.join("runs.jsonl")).unwrap();
    for part in [0.0, 0.01, 0.31, 0.77, 0.999, 1.0] {
        ok(SWEEP, &cut);
        stopped(&cut, &runs[..(part * runs.len() as f64) as usize]);
        let o = ok(SWEEP, &cut);
        let torn = (0.005..0.9995).contains(&part);
        assert_eq!(o.err.contains("was cut off: its run is made again"), torn, "{part}: {}", o.err);
        assert_same(&whole, &cut);
    }
    assert!(!cut.join("journal").exists());
}

#[test]
fn a_damaged_result_is_told_and_made_again() {
    let dir = folder();
    let (whole, hurt) = (dir.path().join("whole"), dir.path().join("hurt"));
    ok(SWEEP, &whole);
    ok(SWEEP, &hurt);
    let path = hurt.join("runs.jsonl");
    let text = fs::read(&path).unwrap();
    // Half of the file, one byte of a line in it changed.
    let mut half = text[..text.len() / 2].to_vec();
    half[500] ^= 1;
    fs::write(&path, half).unwrap();
    let o = ok(SWEEP, &hurt);
    assert!(o.err.contains("line 1 of `runs.jsonl` is damaged"), "{}", o.err);
    assert!(o.err.contains("was cut off"), "{}", o.err);
    assert_same(&whole, &hurt);
}

#[test]
fn more_seeds_and_values_extend_a_folder_to_what_one_sweep_makes() {
    let dir = folder();
    let (grown, whole) = (dir.path().join("grown"), dir.path().join("whole"));
    ok("--sweep thr=1,3 --seeds 1..2", &grown);
    ok("--sweep thr=1,3 --seeds 1..5", &grown);
    ok("--sweep thr=2,4 --seeds 1..5", &grown);
    ok("--sweep thr=3 --seeds 2..3", &grown);
    ok("--sweep thr=1..4 --seeds 1..5", &whole);
    assert_same(&whole, &grown);
}

#[test]
fn points_are_run_one_by_one() {
    let dir = folder();
    let (points, grid) = (dir.path().join("points"), dir.path().join("grid"));
    ok("--point twice=2,thr=1 --point thr=1,twice=3 --seeds 1..2", &points);
    ok("--sweep thr=1 --sweep twice=2,3 --seeds 1..2", &grid);
    assert_same(&points, &grid);
    let o = small("--point thr=1 --point twice=2");
    assert!(o.code == 2 && o.err.contains("not every --point"), "{}", o.err);
}

#[test]
fn something_else_in_a_folder_is_an_error_that_says_what_differs() {
    let dir = folder();
    let path = dir.path().join("a");
    ok("--sweep thr=1,2", &path);
    let before = files(&path);
    for (args, said) in [
        ("--sweep thr=1,2 --horizon 500", "--horizon was not given, now `500`"),
        ("--sweep thr=1,2 --set fail=1", "--set fail was not given, now `1`"),
        ("--sweep twice=1,2", "--sweep of was `thr`, now `twice`"),
        ("--sweep thr=1,2 --strict", "the options was not given, now `--strict`"),
    ] {
        let o = sweep(args, &path);
        assert!(o.code == 1 && o.err.contains("S940") && o.err.contains(said), "{args}: {}", o.err);
    }
    ok("--sweep thr=2e0,1", &path);
    assert_eq!(files(&path), before);
}

#[test]
fn folders_of_others_and_files_are_left_alone() {
    let dir = folder();
    fs::write(dir.path().join("thesis.tex"), "x").unwrap();
    let o = sweep(SWEEP, dir.path());
    assert!(o.code == 1 && o.err.contains("S943") && o.err.contains("thesis.tex"), "{}", o.err);
    assert_eq!(files(dir.path()).len(), 1);
    let o = sweep(SWEEP, &dir.path().join("thesis.tex"));
    assert!(o.code == 1 && o.err.contains("S943"), "{}", o.err);
    let o = sweep(SWEEP, &dir.path().join("thesis.tex/below"));
    assert!(o.code == 1 && o.err.contains("S94"), "{}", o.err);
}

#[test]
fn two_processes_at_one_part_are_an_error_and_at_two_are_not() {
    let dir = folder();
    let path = dir.path().join("a");
    ok(&format!("{SWEEP} --shard 1/2"), &path);
    fs::create_dir_all(path.join("journal")).unwrap();
    let busy: File = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path.join("journal/2-of-2.jsonl"))
        .unwrap();
    busy.lock().unwrap();
    let o = sweep(&format!("{SWEEP} --shard 2/2"), &path);
    assert!(o.code == 75 && o.err.contains("S941"), "{}", o.err);
    // Another part of it is no matter, and leaves the other's journal.
    ok(&format!("{SWEEP} --shard 1/2"), &path);
    assert!(path.join("journal/2-of-2.jsonl").exists());
    drop(busy);
    ok(&format!("{SWEEP} --shard 2/2"), &path);
    ok(SWEEP, &dir.path().join("b"));
    assert_same(&path, &dir.path().join("b"));
}

#[test]
fn a_journal_of_another_process_counts_and_goes_when_that_is_gone() {
    let dir = folder();
    let (whole, path) = (dir.path().join("whole"), dir.path().join("a"));
    ok(SWEEP, &whole);
    ok(SWEEP, &path);
    let runs = fs::read_to_string(path.join("runs.jsonl")).unwrap();
    let journal = stopped(&path, b"");
    let other = journal.with_file_name("2-of-5.jsonl");
    let half: Vec<&str> = runs.lines().take(20).collect();
    writeln!(File::create(&other).unwrap(), "{}", half.join("\n")).unwrap();
    ok(SWEEP, &path);
    assert!(!other.exists());
    assert_same(&whole, &path);
}

#[test]
fn the_numbers_stand_beside_a_journal_as_its_runs_come() {
    let dir = folder();
    let [whole, halfway] = ["whole", "halfway"].map(|name| dir.path().join(name));
    ok(SWEEP, &whole);
    ok(SWEEP, &halfway);
    let table = fs::read_to_string(whole.join("runs.csv")).unwrap();
    let lines = fs::read(whole.join("runs.jsonl")).unwrap();
    let whole_lines: Vec<&[u8]> = lines.split_inclusive(|&byte| byte == b'\n').collect();
    stopped(&halfway, &[whole_lines[..10].concat(), whole_lines[10][..50].to_vec()].concat());
    let manifest = Reader::open(&halfway).unwrap().manifest;
    let mut folder = Folder::open(&halfway, &manifest, Shard { number: 1, of: 1 }).unwrap();
    let rows = || fs::read_to_string(halfway.join("journal/1-of-1.csv")).unwrap();
    let upto =
        |n: usize| table.lines().take(n + 1).map(|line| format!("{line}\n")).collect::<String>();
    assert_eq!(rows(), upto(10));
    let record = Record::parse(whole_lines[10].trim_ascii_end(), &manifest.swept).unwrap();
    folder.add(&record, whole_lines[10]).unwrap();
    assert_eq!(rows(), upto(11));
    folder.finish().unwrap();
    ok(SWEEP, &halfway);
    assert_same(&whole, &halfway);
}

#[test]
fn above_the_first_saturated_load_nothing_is_run() {
    const LOAD: &str = "--sweep thr=1,50,100,200,300 --sweep twice=1,2 --set fail=2 --seeds 1..3 \
                        --stop-at-saturation=thr";
    let dir = folder();
    let [one, many, parts, resumed] = ["one", "many", "parts", "res"].map(|n| dir.path().join(n));
    let o = ok(&format!("{LOAD} --jobs 1"), &one);
    assert_eq!(o.out.matches("not run: above saturation").count(), 4, "{}", o.out);
    assert!(o.err.contains("has 18 of 30 runs; 12 are above saturation"), "{}", o.err);
    ok(&format!("{LOAD} --jobs 7"), &many);
    for part in [2, 3, 1] {
        ok(&format!("{LOAD} --shard {part}/3"), &parts);
    }
    let runs = fs::read(one.join("runs.jsonl")).unwrap();
    ok(LOAD, &resumed);
    stopped(&resumed, &runs[..runs.len() / 3]);
    ok(LOAD, &resumed);
    for other in [&many, &parts, &resumed] {
        assert_same(&one, other);
    }
    let points = fs::read_to_string(one.join("points.csv")).unwrap();
    assert_eq!(points.matches("above saturation").count(), 4);
    let o = small("--sweep thr=1,2 --sweep twice=1,2 --stop-at-saturation");
    assert!(o.code == 2 && o.err.contains("does not say which"), "{}", o.err);
}

#[test]
fn runs_that_stop_on_an_error_are_kept_and_told() {
    let dir = folder();
    let o = sweep("--sweep thr=1,2 --set fail=1 --seeds 1..4", dir.path());
    assert!(o.code == 1 && o.err.contains("4 of the runs stopped on an error"), "{}", o.err);
    assert!(o.out.contains("stopped on an error: 2"), "{}", o.out);
    // They are finished: nothing is run again, and what is wrong is said again.
    let o = sweep("--sweep thr=1,2 --set fail=1 --seeds 1..4 --json", dir.path());
    assert!(o.code == 1 && o.err.contains("4 of the runs stopped on an error"), "{}", o.err);
    assert_eq!(o.out, fs::read_to_string(dir.path().join("runs.jsonl")).unwrap());
    let table = fs::read_to_string(dir.path().join("runs.csv")).unwrap();
    assert_eq!(table.matches("S302").count(), 4);
}

#[test]
fn without_a_folder_the_lines_come_in_order() {
    let one = small(&format!("{SWEEP} --json --jobs 1"));
    let many = small(&format!("{SWEEP} --json --jobs 5"));
    assert_eq!((one.code, &one.out), (0, &many.out));
    let key = |line: &str| {
        let v: serde_json::Value = serde_json::from_str(line).unwrap();
        let number = |v: &serde_json::Value| v.as_f64().unwrap_or(f64::INFINITY);
        [number(&v["set"]["thr"]), number(&v["set"]["twice"]), number(&v["run"]["seed"])]
    };
    let keys: Vec<[f64; 3]> = one.out.lines().map(key).collect();
    assert_eq!(keys.len(), 36);
    assert!(keys.is_sorted());
}

#[test]
fn nonsense_is_refused() {
    for (args, said) in [
        ("--sweep thr", "has no name or no values"),
        ("--sweep tr=1", "did you mean `thr`?"),
        ("--sweep thr=3..1", "is empty"),
        ("--sweep thr=1..2:0", "has no step above 0"),
        ("--sweep thr=1 --sweep thr=2", "swept twice"),
        ("--sweep thr=1 --set thr=2", "both set and swept"),
        ("--sweep thr=1,,2", "is not understood"),
        ("--sweep thr=0/0", "is NaN"),
        ("--sweep thr=-1,1", "`cap` is -1"),
        ("--sweep thr=1 --shard 1/2", "has no --out"),
        ("--sweep thr=1 --out x --shard 3/2", "is no part of a whole"),
        ("--sweep thr=1 --stop-at-saturation=B", "is not swept"),
        ("--sweep --json", "has no value before"),
    ] {
        let o = small(args);
        assert!(o.code == 2 && o.err.contains(said), "{args}: {} {}", o.code, o.err);
    }
    assert!(!Path::new("x").exists());
}
