//! `serq!` gives what the command gives: the same runs, to the last byte, and the same refusals.

use serq_runtime::{Settings, serq};
use serq_tests::{
    batch,
    compile::{self, project},
};
use std::process::Command;

serq! { name: pd; file "../examples/pd-disaggregation/llmd_nixl_pull.sq" }

// examples/single-turn/mm1.sq
serq! {
    name: mm1;
    let lambda = 0.8;  // arrivals per second
    let s = 1;         // mean service time, s

    stage server : fifo;

    workload { arrive poisson(lambda); }

    session {
      set t0 = now;
      run server (~exp(s));
      observe response = now - t0;
    }

    gauge present = queue(server);
    run { horizon 100000; warmup 1000; }
}

/// What the binary of an example prints with these options and `--json`, without its end.
fn printed(example: &str, name: &str, options: &[&str]) -> String {
    let path = project().join("examples").join(example);
    let main = compile::main_file(&path).unwrap_or_else(|problem| panic!("{problem:?}"));
    let sim = batch::command(name, &main).unwrap_or_else(|error| panic!("{error}"));
    let output = Command::new(&sim).arg("--json").args(options).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", sim.display()));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

#[test]
fn a_file_runs_as_the_command_runs_it() {
    let example = "pd-disaggregation/llmd_nixl_pull.sq";
    let short = Settings::default().horizon(300.0).warmup(30.0);
    let options = ["--horizon", "300", "--warmup", "30"];
    let said = |params: &pd::Params, settings: Settings| {
        pd::run(params, settings).unwrap_or_else(|error| panic!("{error}")).json()
    };
    let own = pd::Params::default();
    assert_eq!(said(&own, short.clone()), printed(example, "llmd_nixl_pull", &options));

    let remote = pd::Params { thr: 1.0, blocks_d: 1100.0, ..own };
    let more = ["--seed", "7", "--samples", "--set", "thr=1", "--set", "blocksD=1100"];
    let more = [&options[..], &more].concat();
    assert_eq!(said(&remote, short.seed(7).samples()), printed(example, "llmd_nixl_pull", &more));
}

#[test]
fn a_program_in_the_text_runs_as_the_command_runs_it() {
    let example = "single-turn/mm1.sq";
    let report = mm1::run(&mm1::Params::default(), Settings::default());
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.json(), printed(example, "mm1", &[]));
    let limited =
        mm1::run(&mm1::Params::default(), Settings::default().seed(3).arrivals(50).warmup(0.0));
    let limited = limited.unwrap_or_else(|error| panic!("{error}"));
    let options = ["--seed", "3", "--arrivals", "50", "--warmup", "0"];
    assert_eq!(limited.json(), printed(example, "mm1", &options));
    assert_eq!((limited.run.arrivals, limited.observe.response.count()), (50, 50));
}

#[test]
fn what_the_command_refuses_is_refused_with_its_words() {
    let example = "single-turn/mm1.sq";
    let message = |options: &[&str]| {
        let line: serde_json::Value =
            serde_json::from_str(&printed(example, "mm1", options)).unwrap_or_default();
        let text = |key: &str| line["error"][key].as_str().unwrap_or_default().to_owned();
        (text("code"), text("message"))
    };
    let refused = |params: mm1::Params, settings: Settings, (code, message): (String, String)| {
        let Err(error) = mm1::run(&params, settings) else { panic!("it runs: {message}") };
        assert_eq!(error.code(), code);
        assert!(error.to_string().contains(&message) && !message.is_empty(), "{error}\n{message}");
    };
    let own = mm1::Params::default();
    let settings = Settings::default();
    refused(own.clone(), settings.clone().horizon(-1.0), message(&["--horizon", "-1"]));
    refused(own.clone(), settings.clone().warmup(1e6), message(&["--warmup", "1e6"]));
    refused(own.clone(), settings.clone().arrivals(0), message(&["--arrivals", "0"]));
    refused(own.clone(), settings.clone().horizon(f64::INFINITY), message(&["--horizon", "inf"]));
    let still = mm1::Params { lambda: 0.0, ..own };
    refused(still, settings.clone(), message(&["--set", "lambda=0"]));
    // The end of the run comes before that of its sessions.
    let cut = settings.horizon(10.0).warmup(0.0).arrivals(100);
    let options = ["--horizon", "10", "--warmup", "0", "--arrivals", "100"];
    refused(mm1::Params::default(), cut, message(&options));
}
