//! What a result may not depend on: the program's comments and layout, the number of threads, and whether an engine
//! plans its decode iterations at once. More random programs than here: `cargo run -p serq-tests --bin differ`.

use serq_compiler::syntax;
use serq_tests::{
    batch::{self, Batch, Build, Job},
    compare,
    compile::{self, Files},
    differ::{self, Differ, Outcome, Program},
    generate,
};
use std::{path::Path, process::Command, time::Duration};

/// How many random programs.
const GENERATED: u64 = 40;

#[test]
fn comments_and_layout_change_nothing() {
    let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/seed");
    let files = ["examples/pd-disaggregation/llmd_nixl_pull.sq", "lib/vllm.sq"].map(|file| {
        let path = seed.join(file);
        let text = std::fs::read_to_string(&path);
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path.to_string_lossy().into_owned(), text)
    });
    let layouts: [fn(&str) -> String; 4] = [str::to_owned, formatted, with_remarks, on_one_line];
    let texts = layouts.map(|lay_out| lay_out(&files[0].1));
    assert!((1..4).all(|other| texts[..other].iter().all(|text| *text != texts[other])));
    let mut batch = Batch::new("published", Build::Fast);
    for lay_out in layouts {
        let laid_out =
            |given: Files, (path, text): &(String, String)| given.with(path, &lay_out(text));
        let module =
            compile::module_from(&files.iter().fold(Files::default(), laid_out), &files[0].0);
        batch.add(module.unwrap_or_else(|problem| panic!("{}: {problem:?}", files[0].0)));
    }
    let built = batch.build().unwrap_or_else(|error| panic!("{error}"));
    for (seed, thr, blocks) in [(1, 512.0, 10_000.0), (2, 1.0, 1_100.0), (3, 1e18, 2_000.0)] {
        let sets = vec![("thr".to_owned(), thr), ("blocksD".to_owned(), blocks)];
        let job = |program| Job {
            program,
            sets: sets.clone(),
            seed: Some(seed),
            samples: true,
            limit: Duration::from_secs(120),
            ..Job::default()
        };
        let answers = built.run(&[job(0), job(1), job(2), job(3)]);
        assert!(answers[0].contains("\"ttft\""), "{}", answers[0]);
        for other in &answers[1..] {
            assert_eq!(compare::texts(&answers[0], other), None);
        }
    }
}

/// As `serqc fmt` lays out what has no layout at all.
fn formatted(text: &str) -> String {
    syntax::format(&on_one_line(text)).unwrap_or_else(|wrong| panic!("{wrong:?}"))
}

/// With a comment at the end of every line and one between any two.
fn with_remarks(text: &str) -> String {
    text.lines().map(|line| format!("{line} // set n = 0; }}\n\n\t// {{ \"\n")).collect()
}

/// Without its comments, and without line ends. No text of the published program has two slashes in it.
fn on_one_line(text: &str) -> String {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
    code.collect::<Vec<_>>().join(" ")
}

#[test]
fn planned_decode_runs_give_the_bytes_of_single_iterations() {
    let mut batch = Batch::new("generated", Build::Quick);
    for seed in 0..GENERATED {
        let text = generate::program(seed);
        let module = compile::module_of(&format!("generated{seed}"), &text);
        batch.add(module.unwrap_or_else(|problem| panic!("program {seed}: {problem:?}\n{text}")));
    }
    let built = batch.build().unwrap_or_else(|error| panic!("{error}"));
    let planned: Vec<Job> = (0..GENERATED as usize)
        .map(|program| Job {
            program,
            samples: true,
            limit: Duration::from_secs(120),
            ..Job::default()
        })
        .collect();
    let plain: Vec<Job> = planned.iter().map(|job| Job { plain: true, ..job.clone() }).collect();
    let mut off = Vec::new();
    for (program, (planned, plain)) in
        built.run(&planned).into_iter().zip(built.run(&plain)).enumerate()
    {
        if !planned.contains("\"observes\"") {
            off.push(format!(
                "program {program}: {}",
                planned.chars().take(300).collect::<String>()
            ));
        } else if let Some(difference) = compare::texts(&planned, &plain) {
            off.push(format!("program {program}: {difference}"));
        }
    }
    assert!(off.is_empty(), "{} of {GENERATED} differ\n{}", off.len(), off.join("\n"));
}

#[test]
fn programs_of_the_whole_language_run_alike_in_every_way() {
    let programs: Vec<Program> = (0..GENERATED).map(differ::program).collect();
    let folder = compile::project().join("target/serq-tests/whole-language");
    let outcomes = Differ::new(None, folder).outcomes(&programs);
    let outcomes = outcomes.unwrap_or_else(|error| panic!("{error}"));
    let off: Vec<String> = outcomes
        .iter()
        .zip(&programs)
        .filter(|(outcome, _)| **outcome != Outcome::Same)
        .map(|(outcome, program)| format!("{outcome}\n{program}"))
        .collect();
    assert!(off.is_empty(), "{} of {GENERATED} differ\n{}", off.len(), off.join("\n"));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let path = compile::project().join("examples/pd-disaggregation/llmd_nixl_pull.sq");
    let main = compile::main_file(&path).unwrap_or_else(|problem| panic!("{problem:?}"));
    let sim = batch::command("threads", &main).unwrap_or_else(|error| panic!("{error}"));
    for form in [&["--json"][..], &["--json", "--samples"], &[]] {
        let outputs = ["1", "4"].map(|jobs| {
            let mut command = Command::new(&sim);
            command
                .args(["--seeds", "1..6", "--horizon", "300", "--warmup", "30", "--jobs", jobs])
                .args(form);
            let output =
                command.output().unwrap_or_else(|error| panic!("{}: {error}", sim.display()));
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8_lossy(&output.stdout).into_owned()
        });
        assert!(outputs[0].contains("ttft"), "{}", outputs[0]);
        assert_eq!(compare::texts(&outputs[0], &outputs[1]), None, "{form:?}");
    }
}
