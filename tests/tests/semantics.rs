//! Deterministic programs of leases, reads and preemptions, small enough to be followed by hand: the instants at
//! which units change hands are known exactly. One batch has all of them; each test runs its own.

use serq_tests::{
    answer::Answer,
    batch::{Batch, Build, Built, Job},
    compile,
};
use std::{sync::LazyLock, time::Duration};

/// The programs, in the order of their numbers.
const PROGRAMS: &[(&str, &str)] = &[
    ("leased_until_read", LEASED_UNTIL_READ),
    ("untaken_lease", UNTAKEN_LEASE),
    ("released_lease_again", RELEASED_LEASE_AGAIN),
    ("released_hold_again", RELEASED_HOLD_AGAIN),
    ("store_and_forward", STORE_AND_FORWARD),
    ("pull", PULL),
    ("negative_work", NEGATIVE_WORK),
    ("served_by_class", SERVED_BY_CLASS),
    ("memory_of_residents", MEMORY_OF_RESIDENTS),
    ("long_chains", LONG_CHAINS),
    ("recorded_arrivals", RECORDED_ARRIVALS),
];

static BUILT: LazyLock<Built> = LazyLock::new(|| {
    let mut batch = Batch::new("semantics", Build::Quick);
    for (name, text) in PROGRAMS {
        let module =
            compile::module_of(name, text).unwrap_or_else(|problem| panic!("{name}: {problem:?}"));
        batch.add(module);
    }
    batch.build().unwrap_or_else(|error| panic!("{error}"))
});

fn run(name: &str) -> Answer {
    run_with(name, false)
}

fn run_with(name: &str, strict: bool) -> Answer {
    let program = PROGRAMS.iter().position(|(known, _)| *known == name);
    let job = Job {
        program: program.expect(name),
        samples: true,
        strict,
        limit: Duration::from_secs(20),
        ..Job::default()
    };
    Answer(BUILT.answers(&[job]).remove(0))
}

/// Two requests of 6 on a pool of 10, so the second waits for the lease of the first.
const LEASED_UNTIL_READ: &str = r"
pool p { cap 10; }
pool q { cap 10; }
stage d : delay;
stage link : fifo;
workload { arrive batch(2); }
session {
  hold p (6) { run d (2); } lease p (inf);
  observe scope_over = used(p);
  run d (1);
  hold q (5) {
    transfer on link (4) from p to q (5);
    observe read = used(q);
  }
}
gauge used = used(p);
gauge held = holders(p);
gauge waiting = queued(p);
run { horizon 30; }
";

#[test]
fn a_leased_pool_stays_allocated_until_the_read_ends() {
    let answer = run("leased_until_read");
    // The scope is over at 2, the read goes from 3 to 7; then the other takes the units within the same instant.
    assert_eq!(answer.times("scope_over"), [2.0, 9.0]);
    assert_eq!(answer.values("scope_over"), [6.0, 6.0]);
    assert_eq!(answer.times("read"), [7.0, 14.0]);
    for at in [0.0, 2.0, 2.5, 3.0, 6.99] {
        assert_eq!(
            (answer.gauge_at("used", at), answer.gauge_at("waiting", at)),
            (6.0, 1.0),
            "at {at}"
        );
    }
    assert_eq!((answer.gauge_at("used", 7.0), answer.gauge_at("waiting", 7.0)), (6.0, 0.0));
    // The last read ends at 14: free from that very moment.
    assert_eq!((answer.gauge_at("used", 13.99), answer.gauge_at("held", 13.99)), (6.0, 1.0));
    assert_eq!((answer.gauge_at("used", 14.0), answer.gauge_at("held", 14.0)), (0.0, 0.0));
    assert_eq!(answer.pool("p", None, "mean_wait"), 3.5);
}

/// Nobody comes for the lease.
const UNTAKEN_LEASE: &str = r"
pool p { cap 10; }
stage d : delay;
workload { arrive batch(1); }
session {
  hold p (6) { run d (2); } cache (4) lease p (3);
  observe own = cachedin(p);
  run d (2.5);
  observe own = cachedin(p);
  run d (2);
  observe own = cachedin(p);
  hold p (6) { observe again = cached; run d (1); } cache (4);
}
gauge used = used(p);
run { horizon 30; }
";

#[test]
fn an_untaken_lease_ends_at_its_bound_and_leaves_its_prefix() {
    let answer = run("untaken_lease");
    // The scope ends at 2, the lease at 5. Only then is there a prefix: not at 2, not at 4.5, but at 6.5.
    assert_eq!((answer.gauge_at("used", 4.99), answer.gauge_at("used", 5.0)), (6.0, 0.0));
    assert_eq!(answer.times("own"), [2.0, 4.5, 6.5]);
    assert_eq!(answer.values("own"), [0.0, 0.0, 4.0]);
    assert_eq!(answer.values("again"), [4.0]);
    // Cached from 5 to 6.5, and again from 7.5 to the end at 30.
    assert!((answer.pool("p", None, "mean_cached") - (1.5 + 22.5) * 4.0 / 30.0).abs() < 1e-12);
}

/// Session 1 is preempted after it released its lease and executes its hold anew, `release` and all, while session 2
/// holds 4 of the same pool.
const RELEASED_LEASE_AGAIN: &str = r"
pool p { cap 10; }
pool kv { cap 8; block 1; preempt lifo; }
stage d : delay;
stage E : step { cost 1; memory kv; }
workload { arrive batch(3); }
session {
  branch (serial < 2) {
    hold p (3) { run d (1); } lease p (inf);
    hold kv (2) {
      release p;
      observe left = used(p);
      set c = cached;
      run E prefill (max(0, 2 - c)) growing kv;
      run E decode (6 - max(2, c)) growing kv;
    } cache (6)
    observe done = now;
  } else {
    run d (0.5);
    hold p (4) { run d (50); }
  }
}
gauge used = used(p);
run { horizon 40; }
";

#[test]
fn a_lease_is_released_once_however_often_its_hold_runs() {
    let answer = run("released_lease_again");
    assert_eq!(answer.times("left"), [1.0, 1.0, 5.0, 6.0]);
    assert_eq!(answer.values("left"), [7.0, 4.0, 4.0, 4.0]);
    assert_eq!(answer.pool("kv", None, "preemptions"), 2.0);
    assert_eq!(answer.gauge("used", "min"), 4.0);
    assert_eq!(answer.values("done"), [6.0, 9.0]);
}

/// The same with an enclosing hold in place of the lease: its scope's end must not give it back a second time either.
const RELEASED_HOLD_AGAIN: &str = r"
pool p { cap 10; }
pool kv { cap 8; block 1; preempt lifo; }
stage d : delay;
stage E : step { cost 1; memory kv; }
workload { arrive batch(3); }
session {
  branch (serial < 2) {
    hold p (3) {
      hold kv (2) {
        release p;
        observe left = used(p);
        set c = cached;
        run E prefill (max(0, 2 - c)) growing kv;
        run E decode (6 - max(2, c)) growing kv;
      } cache (6)
    }
    observe done = now;
  } else {
    hold p (4) { run d (50); }
  }
}
gauge used = used(p);
gauge held = holders(p);
run { horizon 40; }
";

#[test]
fn a_hold_is_released_once_however_often_an_inner_one_runs() {
    let answer = run("released_hold_again");
    assert_eq!(answer.values("left"), [7.0, 4.0, 4.0, 4.0]);
    assert_eq!(answer.values("done"), [5.0, 8.0]);
    assert_eq!((answer.gauge("used", "min"), answer.gauge("used", "max")), (4.0, 4.0));
    assert_eq!((answer.gauge("held", "min"), answer.gauge("held", "max")), (1.0, 1.0));
}

/// Six requests; the decode pod has room for one, which it keeps for 400 s, the prefill pod for two. The copy out of
/// the prefill pod needs no room on the other side.
const STORE_AND_FORWARD: &str = r"
queue P[1] : prefill {
  pool kv { cap 20; block 1; }
  serve step { cost 1; memory kv; }
  prefill (prompt) { hold kv (prompt) { prefill (prompt) growing kv; run wire[0] (prompt); } }
}
queue wire[1] : link { serve fifo; }
queue D[1] : decode {
  pool kv { cap 500; block 1; }
  serve step { cost 1; memory kv; }
  decode (prompt) { hold kv (500) { load kv (prompt); decode (400) growing kv; } }
}
queue gw : gateway {
  route { P[0].prefill (10); observe prefilled = serial; D[0].decode (10); }
}
workload { arrive batch(6); session { request gw; } }
gauge held = used(P[0].kv);
gauge waiting = queued(P[0].kv);
run { horizon 200; }
";

#[test]
fn store_and_forward_prefills_everything_with_a_full_decoder() {
    let answer = run("store_and_forward");
    // An iteration of 1 s prefills two; the copies of 10 s follow one another and each lets the next request in.
    assert_eq!(answer.times("prefilled"), [11.0, 21.0, 31.0, 41.0, 51.0, 61.0]);
    assert_eq!(answer.gauge_at("held", 61.0), 0.0);
    assert_eq!(answer.pool("D.kv", Some(0), "admissions"), 1.0);
    assert_eq!(answer.pool("D.kv", Some(0), "waiting"), 5.0);
}

/// The same deployment with the decode pod reading: the prefill pod's units are leased until it does.
const PULL: &str = r"
queue P[1] : prefill {
  pool kv { cap 20; block 1; }
  serve step { cost 1; memory kv; }
  nic ps(1);
  prefill (prompt) { hold kv (prompt) { prefill (prompt) growing kv; } lease kv (inf); }
}
queue D[1] : decode {
  pool kv { cap 500; block 1; }
  serve step { cost 1; memory kv; }
  nic ps(1);
  decode (prompt) { hold kv (500) { prefill (prompt) growing kv; decode (400) growing kv; } }
  decode (prompt) from src {
    hold kv (500) { transfer (prompt) from src to kv (prompt); decode (400) growing kv; }
  }
}
D pull P share maxmin;
queue gw : gateway {
  route { P[0].prefill (10); observe prefilled = serial; D[0].decode (10) from P[0]; }
}
workload { arrive batch(6); session { request gw; } }
gauge held = used(P[0].kv);
gauge waiting = queued(P[0].kv);
run { horizon 200; }
";

#[test]
fn a_pull_stops_the_prefill_pod_when_the_decoder_is_full() {
    let answer = run("pull");
    // Two are prefilled at 1. One is read by 11, which lets a third in; after that two leases fill the prefill pod,
    // and three requests wait for it as long as the decode pod is busy.
    assert_eq!(answer.times("prefilled"), [1.0, 1.0, 12.0]);
    assert_eq!((answer.gauge_at("held", 10.99), answer.gauge_at("waiting", 10.99)), (20.0, 4.0));
    assert_eq!((answer.gauge_at("held", 200.0), answer.gauge_at("waiting", 200.0)), (20.0, 3.0));
    assert_eq!(answer.pool("D.kv", Some(0), "admissions"), 1.0);
}

/// Work that is computed to be below 0, twice at one place.
const NEGATIVE_WORK: &str = r"stage d : delay;
workload { arrive batch(2); }
session {
  set x = 1 - serial;
  run d (x - 1);
  observe done = now;
  run d (x - 0.5);
}
run { horizon 10; }
";

#[test]
fn negative_work_counts_as_none_and_is_said() {
    let answer = run("negative_work");
    assert_eq!(answer.values("done"), [0.0, 0.0]);
    assert_eq!(answer.run("ended"), 2.0);
    let notes = answer.0["notes"].to_string();
    assert!(notes.contains(":5") && notes.contains(":7"), "{notes}");
}

#[test]
fn negative_work_stops_a_strict_run_at_its_place() {
    let answer = run_with("negative_work", true);
    assert_eq!((&answer.0["where"], &answer.0["line"]), (&"run".into(), &5.into()), "{}", answer.0);
    assert_eq!((&answer.0["session"], &answer.0["time"]), (&1.into(), &0.0.into()), "{}", answer.0);
}

/// Four decodes of two tokens, two of them served at a time: the later classes, then who came last. Serve orders
/// alone read `class`, so nothing else keeps it for them.
const SERVED_BY_CLASS: &str = r"
stage E : step { budget 2; cost 1; serve only (class < 9) by (-class, -serial); }
workload { arrive batch(5); }
session {
  set class = serial == 4 ? 9 : serial > 1 ? 1 : 0;
  run E decode (2);
  observe served = now * 10 + serial;
}
run { horizon 20; }
";

#[test]
fn serve_orders_read_the_residents_attributes() {
    let answer = run("served_by_class");
    assert_eq!(answer.values("served"), [23.0, 22.0, 41.0, 40.0]);
}

/// One decodes from step 1, one comes to prefill 12 tokens by 4 from step 2 on; the third looks in mid-step.
const MEMORY_OF_RESIDENTS: &str = r"
pool kv { cap 40; block 4; preempt lifo; }
stage E : step { budget 8; chunk 4; cost 1; memory kv; }
stage d : delay;
workload { arrive batch(3); }
session {
  branch (serial == 2) {
    run d (0.5);
    loop {
      observe decoding = kv_decode(E);
      observe prefilling = kv_prefill(E);
      run d (1);
    }
  }
  branch (serial == 1) { run d (2); }
  hold kv (4) {
    run E prefill (serial == 0 ? 4 : 12) growing kv;
    run E decode (serial == 0 ? 6 : 2) growing kv;
  }
}
run { horizon 8; }
";

#[test]
fn the_memory_of_an_engines_residents_is_read_from_outside() {
    let answer = run("memory_of_residents");
    assert_eq!(answer.values("decoding"), [0.0, 8.0, 8.0, 8.0, 8.0, 28.0, 28.0, 0.0]);
    assert_eq!(answer.values("prefilling"), [4.0, 0.0, 4.0, 8.0, 12.0, 0.0, 0.0, 0.0]);
}

/// Chains that are emitted over several lines.
const LONG_CHAINS: &str = r"
workload { arrive batch(2); }
session {
  set a = serial + 0.1;
  set b = 0.3;
  set n = serial;
  observe sum = a + a - b + a + a - b + a + a + a - b
    + a + a - b + a + a - b + a + a + a - b
    + a + a - b + a + a - b + a + a + a - b
    + a + a - b + a + a - b + a + a + a - b
    + a + a - b + a + a - b + a + a + a - b
    + a + a - b + a + a - b + a + a + a - b
    + a + a - b + a + a - b + a + a + a - b;
  observe product = a * a / b * a * b / a * b / a / b * a
    * a * a / b * a * b / a * b / a / b * a
    * a * a / b * a * b / a * b / a / b * a
    * a * a / b * a * b / a * b / a / b * a
    * a * a / b * a * b / a * b / a / b * a
    * a * a / b * a * b / a * b / a / b * a;
  observe any = n || n || n || n || n || n || n || n || n || n
    || n || n || n || n || n || n || n || n || n || n
    || n || n || n || n || n || n || n || n || n || n
    || n || n || n || n || n || n || n || n || n || n
    || n || n || n || n || n || n || n || n || n || n
    || n || n || n || n || n || n || n || n || n || n
    || ~bernoulli(1);
}
run { horizon 1; }
";

#[test]
fn a_long_chain_is_applied_from_the_left() {
    let answer = run("long_chains");
    let b = 0.3;
    let sum = |a: f64| {
        let row = [a, a, -b, a, a, -b, a, a, a, -b];
        (0..7).flat_map(|_| row).fold(0.0, |so_far, term| so_far + term)
    };
    let product = |a: f64| {
        let row = [(a, false), (a, false), (b, true), (a, false), (b, false)];
        let tail = [(a, true), (b, false), (a, true), (b, true), (a, false)];
        let all = (0..6).flat_map(|_| row.into_iter().chain(tail));
        all.fold(1.0, |so_far, (x, divides)| if divides { so_far / x } else { so_far * x })
    };
    // To the last bit.
    assert_eq!(answer.values("sum"), [sum(0.1), sum(1.1)]);
    assert_eq!(answer.values("product"), [product(0.1), product(1.1)]);
    assert_eq!(answer.values("any"), [1.0, 1.0]);
}

/// Three recorded sessions; two of them arrive at one time.
const RECORDED_ARRIVALS: &str = r#"
stage nap : delay;
workload { trace "tests/data/arrivals.csv" at arrival; }
session {
  observe arrived = now;
  loop {
    turn;
    observe prompt = new;
    branch (!more) { end; }
    run nap (think);
  }
}
run { horizon inf; }
"#;

#[test]
fn recorded_sessions_arrive_when_they_say_and_the_run_ends_with_the_last() {
    let answer = run("recorded_arrivals");
    assert_eq!(answer.values("arrived"), [0.5, 0.5, 4.0]);
    assert_eq!(answer.values("prompt"), [10.0, 20.0, 11.0, 30.0]);
    assert_eq!(answer.0["run"]["end"], 4.0);
}
