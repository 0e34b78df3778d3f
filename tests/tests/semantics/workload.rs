//! How sessions arrive, what they bring, and what a run measures.

use crate::seen;
use serq_runtime::serq;
use std::io::Write;

#[test]
fn recorded_sessions_arrive_when_they_say_and_the_run_ends_with_the_last() {
    // Three recorded sessions; two of them arrive at one time.
    serq! {
        name: program;
        stage nap : delay;
        workload { trace "data/arrivals.csv" at arrival; }
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
    }
    let report = report!(program);
    assert_eq!(report.observe.arrived.values(), [0.5, 0.5, 4.0]);
    assert_eq!(report.observe.prompt.values(), [10.0, 20.0, 11.0, 30.0]);
    assert_eq!(report.run.end, 4.0);
    // Others in their place.
    let mut other = tempfile::NamedTempFile::new().unwrap_or_else(|error| panic!("{error}"));
    let written = writeln!(other, "7,1,100,5,0,2.5\n8,1,200,5,0,3.5");
    written.unwrap_or_else(|error| panic!("{error}"));
    let report = program::run(&program::Params::default(), crate::kept().trace(other.path()));
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(seen(&report.observe.prompt), [(2.5, 100.0), (3.5, 200.0)]);
    let lost = program::run(&program::Params::default(), crate::kept().trace("data/none.csv"));
    let Err(error) = lost else { panic!("it is not refused") };
    assert!(error.to_string().starts_with("data/none.csv: "), "{error}");
}

#[test]
fn a_closed_workload_replaces_who_ends() {
    serq! {
        name: program;
        stage nap : delay;
        workload { arrive closed(2); }
        session { run nap (1); observe done = serial; }
        run { horizon 3.5; }
    }
    let report = report!(program);
    assert_eq!(report.observe.done.values(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!((report.run.arrivals, report.run.ended, report.run.live_at_end), (8, 6, 2));
    assert_eq!(report.run.mean_live, 2.0);
}

#[test]
fn a_renewal_begins_after_its_first_gap() {
    serq! {
        name: program;
        workload { arrive renewal(1.5); }
        session { observe arrived = now; }
        run { horizon 4.5; }
    }
    // What happens at exactly the horizon still happens.
    assert_eq!(report!(program).observe.arrived.values(), [1.5, 3.0, 4.5]);
}

#[test]
fn a_number_of_arrivals_ends_the_run_when_they_have_ended() {
    serq! {
        name: program;
        stage nap : delay;
        workload { arrive renewal(1); }
        session { run nap (10); }
        run { horizon 100; arrivals 3; }
    }
    let report = report!(program);
    assert_eq!((report.run.arrivals, report.run.ended, report.run.end), (3, 3, 13.0));
    // Who has not ended by the horizon is an error.
    let short = program::run(&program::Params::default(), crate::kept().horizon(12.5));
    let Err(error) = short else { panic!("it is not refused") };
    assert!(error.fault().is_some(), "{error}");
}

#[test]
fn what_happens_before_the_warm_up_is_not_measured() {
    serq! {
        name: program;
        pool slot { cap 9; }
        stage nap : delay;
        workload { arrive renewal(1); }
        session { hold slot (1) { run nap (1); } observe done = serial; }
        gauge held = holders(slot);
        run { horizon 10; warmup 4; }
    }
    let report = report!(program);
    // Ends at 2, 3, … 10, of which the one at 4 counts.
    assert_eq!(report.observe.done.times(), [4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]);
    assert_eq!((report.run.ended, report.stage.nap.completed), (7, 7));
    assert_eq!(report.stage.nap.throughput, 7.0 / 6.0);
    // Arrivals and admissions count from 0.
    assert_eq!((report.run.arrivals, report.pool.slot.admissions), (10, 10));
    assert_eq!(report.gauge.held.mean(), 1.0);
}

#[test]
fn a_turn_asks_anew_and_a_session_counts_its_turns() {
    serq! {
        name: program;
        stage nap : delay;
        workload {
            arrive batch(1);
            init { set asked = 10; }
            turn { set asked = asked + turn_no; }
        }
        session {
            loop {
                turn;
                observe asked = asked;
                run nap (1);
                branch (turn_no == 3) { end; }
            }
        }
        run { horizon 10; }
    }
    let report = report!(program);
    assert_eq!(seen(&report.observe.asked), [(0.0, 11.0), (1.0, 13.0), (2.0, 16.0)]);
    assert_eq!((report.run.turns, report.run.ended), (3, 1));
}
