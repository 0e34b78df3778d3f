//! The harness with a small made-up program.

use super::*;
use crate::{
    report::serving::Limit,
    report::{
        FaultRow,
        verdicts::{Verdict, VerdictKind},
    },
    trace::{Trace, TraceOrder},
};

const LETS: [ParamSpec; 3] = [
    ParamSpec { name: "thr", default: "512", comment: "decider's threshold" },
    ParamSpec { name: "twice", default: "2 * thr", comment: "" },
    ParamSpec {
        name: "fail",
        default: "0",
        comment: "1: runs of odd seeds stop on an error; 2: a load",
    },
];
const TRACE: TraceSpec = TraceSpec::Text { text: "0,1,1,1,1\n", order: TraceOrder::InOrder };
const SITES: [SourceSite; 1] =
    [SourceSite { file: "small.sq", line: 12, col: 7, text: "pool kv { cap thr; }" }];

pub(super) struct Outcome {
    pub code: u8,
    pub out: String,
    pub err: String,
}

fn settings_seen() -> std::sync::MutexGuard<'static, Vec<(Vec<f64>, Settings)>> {
    static SEEN: std::sync::Mutex<Vec<(Vec<f64>, Settings)>> = std::sync::Mutex::new(Vec::new());
    SEEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn run_small(args: &str, defaults: RunDefaults) -> Outcome {
    let program = Program {
        name: "small",
        sources: &[("small.sq", "pool kv { cap thr; }\n")],
        lets: &LETS,
        sites: &SITES,
        observes: &["ttft", "lease"],
        trace: TRACE,
        param: &|i, value| match i {
            0 => 512.0,
            1 => 2.0 * value(0),
            _ => 0.0,
        },
        run_defaults: &|_| defaults,
        check: &|values, _| {
            if values[0] >= 0.0 {
                return Ok(());
            }
            Err(vec![Refusal {
                code: "E0412",
                message: format!("`cap` is {}", values[0]),
                site: 0,
            }])
        },
        run: &|values, settings, progress| {
            progress(0.5);
            settings_seen().push((values.to_vec(), settings.clone()));
            let mut report = report::sample::report(settings.seed, settings.samples);
            if values[2] == 2.0 && values[0] >= 100.0 {
                report.verdicts.push(Verdict {
                    kind: VerdictKind::Unstable,
                    at: "kv".into(),
                    since: 0.0,
                    message: "kv is unstable [S212]".into(),
                });
            }
            if values[2] == 1.0 && settings.seed % 2 == 1 {
                report.fault = Some(FaultRow {
                    code: "S302".into(),
                    message: "index 4 is outside 0..4".into(),
                    help: "members are numbered from 0".into(),
                    file: "small.sq".into(),
                    line: 3,
                    col: 1,
                    source: "run E[j] (x);".into(),
                    session: Some(17),
                    turn: 2,
                    time: 12.5,
                    station: None,
                    seed: Some(settings.seed),
                });
            }
            Ok(report)
        },
    };
    let args: Vec<OsString> =
        std::iter::once("small").chain(args.split_whitespace()).map(OsString::from).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code =
        code_of(&program, args, &mut Streams { out: &mut out, err: &mut err, terminal: false });
    Outcome { code, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

const HORIZON: RunDefaults =
    RunDefaults { horizon: Some(1000.0), warmup: Some(100.0), seed: None, arrivals: None };

pub(super) fn small(args: &str) -> Outcome {
    run_small(args, HORIZON)
}

/// It is a usage error that says `part`.
fn usage(args: &str, part: &str) {
    let o = small(args);
    assert_eq!(o.code, 2, "{args}: {}", o.err);
    assert!(o.err.contains(part), "{args}: {}", o.err);
    assert_eq!(o.out, "", "{args}: nothing is printed");
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_threads() {
    for form in ["--json --samples", "--json", ""] {
        let one = small(&format!("{form} --seeds 1..9 --jobs 1"));
        let many = small(&format!("{form} --seeds 1..9 --jobs 4"));
        assert_eq!((one.code, many.code), (0, 0));
        assert_eq!(one.out, many.out);
    }
}

#[test]
fn json_has_one_line_per_seed_in_the_order_given() {
    let o = small("--json --seeds 5,2..3");
    let seeds: Vec<u64> = o
        .out
        .lines()
        .map(|l| {
            serde_json::from_str::<serde_json::Value>(l).unwrap()["run"]["seed"].as_u64().unwrap()
        })
        .collect();
    assert_eq!(seeds, [5, 2, 3]);
    assert_eq!(o.err, "");
}

#[test]
fn settings_reach_the_run_and_defaults_follow_them() {
    let o = small(
        "--set thr=3*2 --set fail=twice-12 --seed 991 --strict --plain-engine --samples --horizon thr*1000 --arrivals 10",
    );
    assert_eq!((o.code, o.err.as_str()), (0, ""));
    let seen = settings_seen();
    let (values, settings) = seen.iter().find(|s| s.1.seed == 991).unwrap();
    assert_eq!(values[..], [6.0, 12.0, 0.0]);
    let want = Settings {
        seed: 991,
        horizon: 6000.0,
        warmup: 100.0,
        arrivals: Some(10),
        trace: Some(Trace::of(TRACE).unwrap()),
        samples: true,
        strict: true,
        plain_engine: true,
        look: Default::default(),
    };
    assert_eq!(*settings, want);
    assert!(o.out.contains("with thr = 6, fail = 0"));
}

#[test]
fn another_trace_is_read_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, "0,1,2,3,4\n1,1,5,6,7\n").unwrap();
    let o = small(&format!("--trace-in {} --seed 992", path.display()));
    assert_eq!((o.code, o.err.as_str()), (0, ""));
    let seen = settings_seen();
    let (_, settings) = seen.iter().find(|s| s.1.seed == 992).unwrap();
    assert_eq!(settings.trace, Some(Trace::open(&path, TraceOrder::InOrder).unwrap()));
    drop(seen);
    std::fs::write(&path, "0,1,2,3,4\n1,1,5,6\n").unwrap();
    usage(
        &format!("--trace-in {}", path.display()),
        "line 2 of the trace is no turn: it has 4 columns",
    );
    usage("--trace-in /nowhere/at/all", "the trace cannot be read");
}

#[test]
fn bad_settings() {
    usage("--set tr=1", "did you mean `thr`?");
    usage("--set thr", "has no value");
    usage("--set thr=", "not understood");
    usage("--set thr=1+*2", "not understood");
    usage("--set thr=thx+1", "did you mean `thr`?");
    usage("--set thr=twice", "thr needs twice needs thr");
    usage("--set thr=thr", "circle");
    usage("--set thr=0/0", "NaN");
    usage("--set thr=1 --set thr=2", "set twice");
    usage("--set =1", "`--set =1` has no name");
    usage("--set thr=nan", "write a number or `inf`");
    usage("--set --strict", "`--set` has no value before `--strict`");
    usage("--set fail=1e999", "too large");
}

#[test]
fn a_refused_value_shows_its_source_line_before_anything_runs() {
    let o = small("--set thr=-5 --seed 992");
    assert_eq!(o.code, 2);
    for part in [
        "error[E0412]: `cap` is -5",
        "--> small.sq:12:7",
        "12 | pool kv { cap thr; }",
        "with thr = -5",
    ] {
        assert!(o.err.contains(part), "{part}: {}", o.err);
    }
    assert!(!settings_seen().iter().any(|s| s.1.seed == 992));
}

#[test]
fn limits_are_of_what_the_program_observes() {
    let o = small("--slo ttft:0.2,lease:3 --seed 993");
    assert_eq!((o.code, o.err.as_str()), (0, ""));
    let limit = |name: &str, most| Limit { observe: name.into(), most };
    let seen = settings_seen();
    let (_, settings) = seen.iter().find(|s| s.1.seed == 993).unwrap();
    assert_eq!(settings.look.slo, [limit("ttft", 0.2), limit("lease", 3.0)]);
    drop(seen);
    usage("--slo tpot:0.05", "the program observes no `tpot`");
    usage("--slo tpot:0.05", "it observes ttft, lease");
    usage("--slo ttft", "no limit of at least 0");
    usage("--slo ttft:-1", "no limit of at least 0");
    usage("--slo ttft:nan", "no limit of at least 0");
    usage("--slo ttft:1,ttft:2", "`ttft` is limited twice");
    usage("--slo --samples", "`--slo` has no value before `--samples`");
    assert_eq!(small("--vllm-json --json").code, 2);
}

#[test]
fn bad_numbers() {
    usage("--seeds 5..1", "write `1..5`");
    usage("--seeds 1,1", "twice");
    usage("--seeds x", "not a seed");
    usage("--seed 1..2", "one seed");
    usage("--seed 1 --seeds 1..2", "cannot be used with");
    usage("--seed -1", "not a seed");
    usage("--horizon -1", "above 0");
    usage("--horizon 0/0", "above 0");
    usage("--horizon nan", "write a number or `inf`");
    usage("--horizon -1e308", "is -1e308:");
    usage("--warmup 1e308", "(1e308 s)");
    usage("--horizon --samples", "`--horizon` has no value before `--samples`");
    usage("--seeds --set=thr=1", "`--seeds` has no value before `--set=thr=1`");
    usage("--seed 1e3", "in digits");
    usage("--arrivals 1e308", "from 1 to 2^53");
    usage("--horizon 1 --horizon 2", "multiple times");
    usage("--horizon inf", "would not end");
    usage("--horizon abc", "abc");
    usage("--warmup 1000", "nothing to measure");
    usage("--warmup -1", "at least 0");
    usage("--warmup 0/0", "at least 0");
    usage("--arrivals 0", "from 1 to");
    usage("--arrivals 1.5", "whole number");
    usage("--jobs 0", "at least 1");
    usage("--jobs many", "at least 1");
    usage("--sed 1", "--seed");
    usage("extra", "unexpected");
}

#[test]
fn without_a_horizon_the_error_says_how_to_give_one() {
    let o = run_small("", RunDefaults::default());
    assert_eq!(o.code, 2);
    assert!(o.err.contains("--horizon SECONDS") && o.err.contains("run { horizon"));
    assert_eq!(run_small("--horizon 10", RunDefaults::default()).code, 0);
    assert_eq!(run_small("--horizon inf --arrivals 10", RunDefaults::default()).code, 0);
}

#[test]
fn a_fault_prints_partial_results_and_the_error() {
    let o = small("--set fail=1 --seed 3");
    assert_eq!(o.code, 1);
    assert!(o.out.contains("partial results") && o.out.contains("ttft"), "{}", o.out);
    for part in [
        "error[S302]: index 4 is outside 0..4",
        "--> small.sq:3:1",
        "3 | run E[j] (x);",
        "note: session 17, turn 2, at t = 12.5 s, seed 3",
        "help: members are numbered from 0",
    ] {
        assert!(o.err.contains(part), "{part}: {}", o.err);
    }
    let o = small("--set fail=1 --seeds 1..10 --json");
    assert_eq!((o.code, o.out.lines().count()), (1, 10));
    assert!(o.err.contains("2 more runs stopped"), "{}", o.err);
}

#[test]
fn help_lists_the_programs_settings() {
    let o = small("--help");
    assert_eq!((o.code, o.err.as_str()), (0, ""));
    for part in
        ["thr   = 512", "decider's threshold", "twice = 2 * thr", "--seeds", "--plain-engine"]
    {
        assert!(o.out.contains(part), "{part}: {}", o.out);
    }
    let o = small("--version");
    assert_eq!((o.code, o.out.trim()), (0, concat!("small ", env!("CARGO_PKG_VERSION"))));
}

/// The only line of the output, which is JSON.
#[track_caller]
fn only_line(o: &Outcome) -> serde_json::Value {
    assert_eq!(o.out.matches('\n').count(), 1, "{}", o.out);
    serde_json::from_str(&o.out).unwrap()
}

#[test]
fn json_is_one_object_even_when_nothing_runs() {
    for (args, code, saying) in [
        ("--json --horizon -1", 2, "above 0"),
        ("--horizon abc --json", 2, "abc"),
        ("--json --set tr=1", 2, "tr"),
        ("--json --set thr", 2, "no value"),
        ("--json --nonsense", 2, "--nonsense"),
        ("--json --seed", 2, "--seed"),
        ("--seed --json", 2, "has no value"),
        ("--json --seeds 5..1", 2, "empty"),
        ("--json extra", 2, "extra"),
    ] {
        let o = small(args);
        assert_eq!(o.code, code, "{args}: {}", o.err);
        let v = only_line(&o);
        assert_eq!(v["error"]["code"], USAGE, "{args}");
        let message = v["error"]["message"].as_str().unwrap();
        assert!(
            message.contains(saying) && o.err.contains(message),
            "{args}: {message}\n{}",
            o.err
        );
        assert_eq!(v["error"]["line"], serde_json::Value::Null);
    }
    let o = small("--set thr=-5 --json");
    let v = only_line(&o);
    assert_eq!((o.code, &v["error"]["code"]), (2, &"E0412".into()));
    assert_eq!((&v["error"]["line"], &v["error"]["column"]), (&12.into(), &7.into()));
    assert_eq!(v["error"]["source"], "pool kv { cap thr; }");
}

#[test]
fn json_of_runs_that_stop_is_the_same_for_any_number_of_threads() {
    let of = |jobs| small(&format!("--json --set fail=1 --seeds 1..9 --jobs {jobs}"));
    let (one, many) = (of(1), of(5));
    assert_eq!((&one.out, &one.err, one.code), (&many.out, &many.err, many.code));
    assert_eq!(one.code, 1);
    for (i, line) in one.out.lines().enumerate() {
        let v: serde_json::Value = serde_json::from_str(line).unwrap();
        let seed = i as u64 + 1;
        assert_eq!((&v["run"]["seed"], v["observes"].is_object()), (&seed.into(), true));
        match seed % 2 {
            0 => assert_eq!(v.get("error"), None),
            _ => assert_eq!((&v["error"]["seed"], &v["error"]["turn"]), (&seed.into(), &2.into())),
        }
    }
}

/// A reader that goes away.
struct Broken(io::ErrorKind);

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(self.0.into())
    }
}

#[test]
fn an_output_that_breaks_is_no_panic() {
    let program = Program {
        name: "small",
        sources: &[("small.sq", "pool kv { cap thr; }\n")],
        lets: &[],
        sites: &[],
        observes: &[],
        trace: TraceSpec::None,
        param: &|_, _| 0.0,
        run_defaults: &|_| HORIZON,
        check: &|_, _| Ok(()),
        run: &|_, settings, _| Ok(report::sample::report(settings.seed, false)),
    };
    for (kind, want) in [(io::ErrorKind::BrokenPipe, 0), (io::ErrorKind::StorageFull, 1)] {
        for args in
            [vec!["small"], vec!["small", "--json", "--seeds", "1..50"], vec!["small", "--help"]]
        {
            let mut err = Vec::new();
            let args = args.iter().map(OsString::from).collect();
            let code = code_of(
                &program,
                args,
                &mut Streams { out: &mut Broken(kind), err: &mut err, terminal: false },
            );
            assert_eq!((code, err.is_empty()), (want, want == 0));
        }
        let mut err = Vec::new();
        let code = code_of(
            &program,
            ["small", "--json", "--horizon", "-1"].map(OsString::from).to_vec(),
            &mut Streams { out: &mut Broken(kind), err: &mut err, terminal: false },
        );
        assert_eq!((code, err.is_empty()), (2, false), "why nothing runs is said all the same");
    }
}

#[test]
fn a_defect_in_a_run_is_an_error_of_its_own() {
    let program = Program {
        name: "small",
        sources: &[("small.sq", "pool kv { cap thr; }\n")],
        lets: &[],
        sites: &[],
        observes: &[],
        trace: TraceSpec::None,
        param: &|_, _| 0.0,
        run_defaults: &|_| HORIZON,
        check: &|_, _| Ok(()),
        run: &|_, _, _| std::panic::resume_unwind(Box::new("a defect")),
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = code_of(
        &program,
        vec!["small".into()],
        &mut Streams { out: &mut out, err: &mut err, terminal: false },
    );
    assert_eq!(code, 1);
    assert!(String::from_utf8(err).unwrap().contains("defect of the simulator"));
}
