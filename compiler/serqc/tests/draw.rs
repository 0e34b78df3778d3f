//! `serqc draw`: pictures of programs, held against those that were looked at.
//!
//! `UPDATE_EXPECT=1` writes what is drawn now; look at it before it is committed.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Folder, MM1, Ran, ran};

/// Pictures and their programs. The first one is shown in the book.
const PICTURES: [(&str, &str); 4] = [
    (
        "docs/experiments/pictures/llmd_nixl_pull.svg",
        "examples/pd-disaggregation/llmd_nixl_pull.sq",
    ),
    ("compiler/serqc/tests/pictures/offload.svg", "examples/tiers/offload.sq"),
    ("compiler/serqc/tests/pictures/routing.svg", "examples/multi-turn/routing.sq"),
    ("compiler/serqc/tests/pictures/mm1.svg", "examples/single-turn/mm1.sq"),
];

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn drawn(program: &str, more: &[&str]) -> Ran {
    let folder = Folder::new();
    let path = project().join(program).to_string_lossy().into_owned();
    ran(&mut folder.serqc(&[&["draw", &path], more].concat()))
}

#[test]
fn pictures_are_as_they_were_looked_at() {
    for (picture, program) in PICTURES {
        let now = drawn(program, &[]).expect(0, &[]).out;
        let path = project().join(picture);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&path, &now).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(now == kept, "{picture} is another picture now; UPDATE_EXPECT=1 writes it");
    }
}

#[test]
fn the_same_program_gives_the_same_picture() {
    // Hashes differ from process to process.
    let first = drawn(PICTURES[1].1, &[]).expect(0, &[]).out;
    for _ in 0..8 {
        assert_eq!(drawn(PICTURES[1].1, &[]).out, first);
    }
}

/// Numbers behind `name="` in the order in which they stand.
fn numbers(svg: &str, name: &str) -> Vec<f64> {
    let pattern = format!(" {name}=\"");
    svg.split(&pattern).skip(1).filter_map(|rest| rest.split('"').next()?.parse().ok()).collect()
}

#[test]
fn every_example_has_a_picture_that_is_whole() {
    let mut folders = vec![project().join("examples")];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|e| e != "sq") {
                continue;
            }
            count += 1;
            let out = Folder::new();
            let program = path.to_string_lossy().into_owned();
            out.run(&["draw", &program, "-o", "x.svg"]).expect(0, &[]);
            let svg = fs::read_to_string(out.path("x.svg")).unwrap();
            assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{program}");
            for word in ["href", "http:", "https:", "<script", "NaN", "inf"] {
                let own = svg.replace("http://www.w3.org/2000/svg", "");
                assert!(!own.contains(word), "{program}: {word}");
            }
            let (width, height) = (numbers(&svg, "width")[0], numbers(&svg, "height")[0]);
            assert!(numbers(&svg, "x").iter().all(|x| (0.0..width).contains(x)), "{program}");
            assert!(numbers(&svg, "y").iter().all(|y| (0.0..height).contains(y)), "{program}");
            assert!(svg.contains(">clients<"), "{program}");
        }
    }
    assert!(count >= 15, "{count} examples");
}

#[test]
fn boxes_do_not_overlap() {
    for (_, program) in PICTURES {
        let svg = drawn(program, &[]).expect(0, &[]).out;
        let boxes: Vec<[f64; 4]> = svg
            .lines()
            .filter(|line| line.starts_with("<rect x=") && line.contains("stroke-width=\"1.3\""))
            .map(|line| ["x", "y", "width", "height"].map(|name| numbers(line, name)[0]))
            .collect();
        for (i, a) in boxes.iter().enumerate() {
            for b in &boxes[..i] {
                let apart = a[0] >= b[0] + b[2]
                    || b[0] >= a[0] + a[2]
                    || a[1] >= b[1] + b[3]
                    || b[1] >= a[1] + a[3];
                assert!(apart, "{program}: {a:?} and {b:?}");
            }
        }
        assert!(boxes.len() >= 2, "{program}");
    }
}

#[test]
fn settings_show_and_errors_are_told() {
    let folder = Folder::new();
    folder.write("mm1.sq", MM1);
    let svg = folder.run(&["draw", "mm1.sq", "--set", "lambda=0.25"]).expect(0, &[]).out;
    assert!(svg.contains("poisson, 0.25 a second"), "{svg}");
    folder.run(&["draw", "mm1.sq", "-o", "absent/x.svg"]).expect(1, &["S907"]);
    folder.run(&["draw", "absent.sq"]).expect(1, &["S900"]);
}
