//! Legs and sessions that wait for each other.

use serq_runtime::serq;

/// The error of a run: its line in the program, time, session and message.
macro_rules! deadlock {
    ($program:ident) => {{
        let run = $program::run(&$program::Params::default(), crate::kept());
        let error = run.err().unwrap_or_else(|| panic!("no deadlock"));
        let fault = error.fault().cloned().unwrap_or_else(|| panic!("{error}"));
        assert_eq!(fault.code, "S314");
        (fault.source.trim().to_owned(), fault.time, fault.session, places_left_out(&fault.message))
    }};
}

/// A message without ` at FILE:LINE:COLUMN`, which depend on where this file has the program.
fn places_left_out(message: &str) -> String {
    let mut parts = message.split(" at ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let (place, rest) = part.split_once(' ').unwrap_or((part, ""));
        assert!(place.split(':').count() == 3, "{place}");
        format!("{text} {rest}")
    })
}

#[test]
fn a_session_that_joins_a_leg_which_waits_for_its_units_is_an_error() {
    serq! {
        name: program;
        pool p { cap 4; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
          run d (1);
          hold p (3) {
            fork { run d (2); hold p (2) { run d (1); } }
            run d (1);
            join;
          }
        }
        run { horizon 30; }
    }
    // The session waits from 2 on, its leg from 3.
    let (source, time, session, message) = deadlock!(program);
    assert_eq!((&*source, time, session), ("join;", 3.0, Some(0)));
    assert_eq!(
        message,
        "legs wait for each other for ever: session 0 waits for a leg that it has forked; a leg of session 0 waits for \
         2 of `p`, of which session 0 has 3; and so on, round by session 0"
    );
}

#[test]
fn two_requests_may_block_each_other_across_pods() {
    // The first has decode units and waits for its prefill; the prefill pod is full of the second's lease, which waits for
    // decode units.
    serq! {
        name: program;
        pool P { cap 5; }
        pool D { cap 5; }
        stage d : delay;
        workload { arrive batch(2); }
        session {
          branch (serial == 0) {
            run d (1);
            fork { hold P (5) { run d (1); } lease P (inf); }
            hold D (5) { join; release P; run d (1); }
          } else {
            fork { hold P (5) { run d (2); } lease P (inf); }
            run d (4);
            hold D (5) { join; release P; run d (1); }
          }
        }
        run { horizon 30; }
    }
    let (source, time, session, message) = deadlock!(program);
    assert_eq!((source.contains("join;"), time, session), (true, 4.0, Some(0)));
    assert_eq!(
        message,
        "legs wait for each other for ever: session 0 waits for a leg that it has forked; a leg of session 0 waits for \
         5 of `P`, of which session 1 has 5; session 1 waits for 5 of `D`, of which session 0 has 5; and so on, round \
         by session 0"
    );
}

#[test]
fn it_is_found_while_others_go_on() {
    serq! {
        name: program;
        pool p { cap 4; }
        stage d : delay;
        workload { arrive renewal(1); }
        session {
          branch (serial == 2) {
            hold p (3) { fork { hold p (2) { run d (1); } } join; }
          } else {
            run d (1);
          }
        }
        run { horizon 1000; }
    }
    let run = program::run(&program::Params::default(), crate::kept());
    let error = run.err().unwrap_or_else(|| panic!("no deadlock"));
    let fault = error.fault().cloned().unwrap_or_default();
    assert_eq!((&*fault.code, fault.time, fault.session), ("S314", 3.0, Some(2)));
}

#[test]
fn an_opening_waits_for_its_booking_as_a_join_for_its_legs() {
    serq! {
        name: program;
        pool p { cap 4; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
          hold p (3) {
            book p (2);
            run d (1);
            hold p { run d (1); }
          }
        }
        run { horizon 30; }
    }
    let (source, time, _, message) = deadlock!(program);
    assert_eq!((&*source, time), ("hold p { run d (1); }", 1.0));
    assert!(
        message.contains("a leg of session 0 waits for 2 of `p`, of which session 0 has 3"),
        "{message}"
    );
}

#[test]
fn a_leg_behind_one_that_is_stuck_is_stuck_in_a_fifo_queue() {
    serq! {
        name: program;
        pool p { cap 4; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
          hold p (2) {
            fork { hold p (3) { run d (1); } }
            fork { hold p (1) { run d (1); } }
            run d (1);
            fork { run d (1); }
            join;
          }
        }
        run { horizon 30; }
    }
    let (_, time, _, message) = deadlock!(program);
    assert_eq!(time, 1.0);
    assert!(
        message.starts_with("legs wait for each other for ever: session 0 waits for a leg"),
        "{message}"
    );
}

#[test]
fn who_may_yet_go_on_is_not_stuck() {
    // In turn: a lease whose time ends, a leg that releases its session's lease, units that another gives back, and a
    // victim of a preemption.
    serq! {
        name: program;
        pool p { cap 4; }
        pool v { cap 4; preempt lifo; }
        stage d : delay;
        workload { arrive batch(4); }
        session {
          branch (serial == 0) {
            hold p (4) { } lease p (300);
            fork { hold p (2) { run d (1); } }
            join;
            observe done = now;
          }
          branch (serial == 1) {
            run d (400);
            hold p (4) { } lease p (inf);
            fork { hold p (2) { run d (1); } }
            fork { run d (200); release p; }
            join;
            observe done = now;
          }
          branch (serial == 2) {
            run d (700);
            fork { hold p (2) { run d (1); } }
            join;
            observe done = now;
          }
          branch (serial == 3) {
            run d (650);
            fork { run d (10); hold v (3) { run d (100); grow v (1); run d (100); } }
            hold p (3) { run d (150); }
            observe done = now;
          }
        }
        run { horizon 1000; }
    }
    let report = report!(program);
    assert_eq!(report.observe.done.values(), [301.0, 601.0, 800.0, 801.0]);
}
