//! Recordings of others, measured steps and citations, as a user meets them.

mod common;

use common::Folder;

const AZURE: &str = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.68,10,20\n\
                     2023-11-16 18:15:47.18,x,2\n2023-11-16 18:15:48.18,30,4\n";

#[test]
fn a_recording_becomes_a_trace_and_says_what_is_in_it() {
    let folder = Folder::new();
    folder.write("azure.csv", AZURE);
    let import = ["trace", "import", "--from", "azure", "azure.csv"];
    let ran = folder.run(&import).expect(0, &["line 3: `x` is no number", "2 sessions, 2 turns"]);
    assert_eq!(ran.out, "session,turn,new,out,think,forced\n0,1,10,20,0,0\n1,1,30,4,0,1.5\n");
    folder.run(&[&import[..], &["-o", "x.csv"]].concat()).expect(0, &["rows left out: 1 damaged"]);
    assert_eq!(std::fs::read_to_string(folder.path("x.csv")).unwrap_or_default(), ran.out);
    folder.run(&[&import[..], &["--strict"]].concat()).expect(1, &["error[S918]", "line 3"]);
}

#[test]
fn what_is_no_recording() {
    let folder = Folder::new();
    folder.write("azure.csv", AZURE);
    let import = |from, file| folder.run(&["trace", "import", "--from", from, file]);
    import("azure", "none.csv").expect(1, &["error[S900]"]);
    import("azure", ".").expect(1, &["error[S901]"]);
    import("burstgpt", "azure.csv").expect(1, &["error[S918]", "no column `Request tokens`"]);
    import("sharegpt", "azure.csv").expect(1, &["error[S918]"]);
    import("mooncake", "azure.csv").expect(1, &["it has no request; line 1: "]);
}

#[test]
fn measured_steps_become_settings() {
    let folder = Folder::new();
    let mut steps = String::from("seconds,tokens,kv\n");
    for place in 0..400 {
        let (tokens, kv) = (f64::from(1 + place * 37 % 1000), f64::from(place * 911 % 100_000));
        let seconds = 0.001 + f64::max(0.008 + 4e-8 * kv, 2e-5 * tokens);
        steps += &format!("{seconds},{tokens},{kv}\n");
    }
    folder.write("steps.csv", steps);
    let ran = folder.run(&["calibrate", "steps.csv"]).expect(0, &[]);
    let sets: Vec<f64> = ran
        .out
        .split("--set ")
        .skip(1)
        .filter_map(|set| set.split('=').nth(1)?.trim().parse().ok())
        .collect();
    for (got, want) in sets.iter().zip([0.001, 0.008, 4e-8, 2e-5]) {
        assert!((got - want).abs() < 1e-4 * want, "{}", ran.out);
    }
    assert_eq!(sets.len(), 4, "{}", ran.out);
    assert!(ran.out.contains("steps of 1 to 1000 tokens"), "{}", ran.out);
    assert!(ran.out.contains("\nnot told by these steps: attn\n"), "{}", ran.out);
    assert!(ran.out.contains("\ngauge outside_fit = used(kv) > 99719;\n"), "{}", ran.out);
    folder.write("few.csv", "seconds,tokens,kv\n1,2,3\n");
    folder.run(&["calibrate", "few.csv"]).expect(1, &["error[S909]", "a fit takes 50"]);
}

#[test]
fn a_benchmark_of_decodes_sets_what_it_shows() {
    let folder = Folder::new();
    // One request at a time, so that nothing is bound by compute.
    let gaps: Vec<String> = (1..200)
        .map(|token| (0.009 + 4e-6 * f64::from((1006 + token) / 16 * 16)).to_string())
        .collect();
    let bench = format!(
        "{{\"duration\":9,\"input_lens\":[991],\"output_lens\":[200],\"ttfts\":[0.1],\"itls\":[[{}]],\
         \"start_times\":[5]}}",
        gaps.join(",")
    );
    folder.write("bench.json", &bench).write("bench.txt", &bench);
    let ran = folder.run(&["calibrate", "bench.json"]).expect(0, &[]);
    assert!(ran.out.contains("not told by these steps: c0, a, attn\n"), "{}", ran.out);
    let sets: Vec<(&str, f64)> = ran
        .out
        .split("--set ")
        .skip(1)
        .filter_map(|set| set.split_once('='))
        .map(|(name, value)| (name, value.trim().parse().unwrap_or(f64::NAN)))
        .collect();
    let want = [("c0", 0.0), ("omega", 0.009), ("beta", 4e-6)];
    assert_eq!(sets.len(), want.len(), "{}", ran.out);
    for ((name, got), (known, want)) in sets.iter().zip(want) {
        assert!(*name == known && (got - want).abs() <= 1e-6 * want, "{}", ran.out);
    }
    let named = folder.run(&["calibrate", "--from", "bench.json", "bench.txt"]).expect(0, &[]);
    assert_eq!(named.out, ran.out);
    folder.run(&["calibrate", "bench.txt"]).expect(1, &["error[S909]", "no column `seconds`"]);
    folder.run(&["calibrate", "--from", "steps.csv", "none"]).expect(1, &["error[S900]"]);
    folder.write("few.json", bench.replace("start_times", "starts"));
    folder.run(&["calibrate", "few.json"]).expect(1, &["error[S909]", "no `start_times`"]);
}

#[test]
fn citations_against_a_release() {
    let folder = Folder::new();
    let list = "vllm = \"1\"\n[[citation]]\nid = \"rule\"\nrule = \"x\"\nfile = \"a.py\"\nfunction = \"f\"\n\
                lines = [1, 2]\nsha256 = \"0\"\n";
    folder.write("list.toml", list).write("a.py", "def f():\n    return 1\n");
    let check = ["citations", "--vllm", ".", "list.toml"];
    let ran = folder.run(&check).expect(1, &[]);
    assert!(ran.out.contains("rule: a.py:1-2: changed: sha256 = "), "{}", ran.out);
    let hash = ran.out.split('"').nth(1).unwrap_or_default().to_owned();
    folder.write("list.toml", list.replace("\"0\"", &format!("\"{hash}\"")));
    let ran = folder.run(&check).expect(0, &[]);
    assert_eq!(ran.out, "1 of 1 citations of vLLM 1 stand\n");
    folder.write("a.py", "import os\ndef f():\n    return 1\n");
    let ran = folder.run(&check).expect(1, &[]);
    assert!(ran.out.contains("moved to lines 2 to 3"), "{}", ran.out);
    folder.write("list.toml", "x");
    folder.run(&check).expect(1, &["error[S917]"]);
}
