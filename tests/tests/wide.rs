//! What is kept of the members of wide families is what loops over all of them find: a program whose choices and
//! gauges are kept, and the same one with terms of 0 in them that cannot be, write the same answers to the last byte.

use serq_tests::{
    batch::{Batch, Build, Job},
    compare,
    compile::{self, Files},
};
use std::{path::Path, time::Duration};

/// Definitions that give back what they are given, and how they read what is not kept.
const LOOPS: [(&str, &str); 2] = [
    ("def of_session(x) = x;", "def of_session(x) = x + 0 * serial;"),
    ("def of_pods(x) = x;", "def of_pods(x) = x + 0 * used(other);"),
];

#[test]
fn what_is_kept_of_members_is_what_loops_find() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/wide/pods.sq");
    let kept = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{error}"));
    let loops = LOOPS.iter().fold(kept.clone(), |text, (plain, read_anew)| {
        assert!(text.contains(plain), "{plain}");
        text.replace(plain, read_anew)
    });
    let mut batch = Batch::new("wide", Build::Fast);
    for (text, is_kept) in [(&kept, true), (&loops, false)] {
        let module = compile::module_from(&Files::default().with("pods.sq", text), "pods.sq");
        let module = module.unwrap_or_else(|problem| panic!("{problem:?}"));
        assert_eq!(module.matches("kept_choice").count(), if is_kept { 7 } else { 0 });
        assert_eq!(module.contains("= kept(self"), is_kept);
        batch.add(module);
    }
    let built = batch.build().unwrap_or_else(|error| panic!("{error}"));
    // Narrow families, just wide ones, those of one word of bits and more; one with so little memory that sessions
    // are preempted and their prefixes evicted.
    for (n, blocks) in [(2.0, 300.0), (32.0, 300.0), (64.0, 90.0), (100.0, 300.0)] {
        let sets = [("N", n), ("blocks", blocks)].map(|(name, x)| (name.to_owned(), x));
        let job = |program| Job {
            program,
            sets: sets.to_vec(),
            samples: true,
            limit: Duration::from_secs(120),
            ..Job::default()
        };
        let answers = built.run(&[job(0), job(1)]);
        assert!(answers[0].contains("\"away\""), "{}", answers[0]);
        assert_eq!(compare::texts(&answers[0], &answers[1]), None, "N = {n}, blocks = {blocks}");
    }
}
