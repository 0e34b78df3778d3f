//! Verdicts of whole runs: what is said at the top of a report, and what is not said of a run that is in order.

use serq_runtime::{
    Settings,
    report::verdicts::{Verdict, VerdictKind},
    serq,
};

serq! { name: mm1;
    let lambda = 0.9;
    stage server : fifo;
    workload { arrive poisson(lambda); }
    session { set begin = now; run server (~exp(1)); observe response = now - begin; }
    run { horizon 3000; warmup 300; }
}

// Sessions that stay for a hundred seconds: their number takes as long to settle.
serq! { name: slow;
    stage d : delay;
    workload { arrive poisson(1); }
    session { set others = queue(d); observe others = others; run d (~uniform(90, 110)); }
    run { horizon 1000; }
}

// Two sessions take the two pools in opposite orders.
serq! { name: crossed;
    pool a { cap 1; }
    pool b { cap 1; }
    stage d : delay;
    workload { arrive closed(2); }
    session {
        branch (serial == 0) { run d (1); hold a (1) { run d (1); hold b (1) { run d (1); } } }
        else { run d (1); hold b (1) { run d (1); hold a (1) { run d (1); } } }
    }
    run { horizon 100; }
}

// The first session keeps most of the pool; the second is admitted with what is left and cannot grow.
serq! { name: ping_pong;
    pool kv { cap 10; preempt lifo; }
    stage e : step { budget 8; cost 1; memory kv; }
    stage d : delay;
    workload { arrive batch(2); }
    session {
        branch (serial == 0) { hold kv (8) { run d (10000); } }
        else { run d (400); hold kv (2) { run e prefill (4) growing kv; } }
    }
    run { horizon 1000; }
}

// Some sessions want more than there is.
serq! { name: too_large;
    pool kv { cap 10; }
    stage d : delay;
    workload { arrive renewal(1); }
    session { set want = serial >= 40 ? 11 : 9; hold kv (want) { run d (0.5); } }
    run { horizon 99.5; }
}

macro_rules! verdicts {
    ($program:ident, $params:expr, $settings:expr) => {
        $program::run(&$params, $settings)
            .unwrap_or_else(|error| panic!("{error}"))
            .rows()
            .verdicts
            .clone()
    };
    ($program:ident) => {
        verdicts!($program, $program::Params::default(), Settings::default())
    };
}

fn kinds(verdicts: &[Verdict]) -> Vec<(VerdictKind, &str)> {
    verdicts.iter().map(|v| (v.kind, v.at.as_str())).collect()
}

#[test]
fn a_queue_below_its_capacity_is_in_order() {
    for (horizon, warmup) in [(3000.0, 0.0), (3000.0, 300.0), (30_000.0, 1000.0)] {
        for seed in 1..=200 {
            let settings = Settings::default().seed(seed).horizon(horizon).warmup(warmup);
            let said = verdicts!(mm1, mm1::Params::default(), settings);
            assert!(said.is_empty(), "seed {seed}, horizon {horizon}: {said:?}");
        }
    }
}

#[test]
fn a_queue_above_its_capacity_is_unstable() {
    for seed in 1..=200 {
        let params = mm1::Params { lambda: 1.2 };
        let said = verdicts!(mm1, params, Settings::default().seed(seed));
        assert_eq!(kinds(&said), [(VerdictKind::Unstable, "server")], "seed {seed}");
        assert_eq!(said[0].since, 300.0);
    }
}

#[test]
fn a_measured_beginning_is_a_short_warm_up() {
    let settings = |warmup: f64| Settings::default().warmup(warmup);
    let said = verdicts!(slow, slow::Params::default(), settings(0.0));
    assert_eq!(kinds(&said), [(VerdictKind::ShortWarmup, "live sessions")]);
    assert!((60.0..=130.0).contains(&said[0].since), "{said:?}");
    let said = verdicts!(slow, slow::Params::default(), settings(150.0));
    assert!(said.is_empty(), "{said:?}");
}

#[test]
fn nobody_who_can_go_on_is_a_deadlock() {
    let said = verdicts!(crossed);
    assert_eq!(kinds(&said).len(), 1);
    assert_eq!((said[0].kind, said[0].since), (VerdictKind::Deadlock, 2.0), "{said:?}");
    assert!(said[0].message.contains("since t = 2 s"), "{}", said[0].message);
}

#[test]
fn preempted_as_often_as_admitted_is_a_livelock() {
    let said = verdicts!(ping_pong);
    assert_eq!(kinds(&said), [(VerdictKind::Livelock, "kv")]);
    assert!((390.0..=410.0).contains(&said[0].since), "{said:?}");
}

#[test]
fn sessions_that_want_more_than_there_is_are_told() {
    let said = verdicts!(too_large);
    assert_eq!(kinds(&said), [(VerdictKind::Rejects, "kv")]);
    assert!(said[0].message.contains("rejected 59 sessions"), "{}", said[0].message);
    assert!((41.0..=42.0).contains(&said[0].since), "{said:?}");
}

#[test]
fn the_top_of_both_reports_says_it() {
    let report = mm1::run(&mm1::Params { lambda: 1.2 }, Settings::default());
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    let text = report.to_string();
    let line = text.lines().position(|line| line.starts_with("! server is unstable"));
    assert!(line.is_some_and(|line| line < 4), "{text}");
    let json = report.json();
    let (verdicts, run) = (json.find("\"verdicts\":[{\"kind\":\"unstable\""), json.find("\"run\""));
    assert!(verdicts.is_some() && verdicts < run, "{json}");
    assert!(report.rows().saturated().is_some_and(|v| v.at == "server"));
}
