//! When a leg begins and ends, and who waits for it.

use crate::seen;
use serq_runtime::serq;

#[test]
fn a_leg_begins_at_its_forks_instant_after_its_session_has_gone_on() {
    serq! {
        name: program;
        stage d : delay;
        workload { arrive batch(2); }
        session {
          set order = 0;
          fork { set order = order + 10 * serial; observe did = order + 1; run d (1); observe did = order + 4; }
          observe did = order + 10 * serial;
          run d (1);
          observe did = order + 10 * serial + 3;
          join;
        }
        run { horizon 5; }
    }
    // Both sessions run up to their first wait, 0 and 10; then their legs begin, 1 and 11, in the order of their forks.
    // At 1 the sessions' runs end first, as they began first: 3, 13, then the legs' 4, 14.
    let report = report!(program);
    assert_eq!(report.observe.did.values(), [0.0, 10.0, 1.0, 11.0, 3.0, 13.0, 4.0, 14.0]);
    assert_eq!(report.observe.did.times(), [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
}

#[test]
fn a_leg_has_a_copy_of_the_attributes() {
    serq! {
        name: program;
        stage d : delay;
        workload { arrive batch(1); }
        session {
          set x = 1;
          fork { run d (2); observe leg = x; set x = 7; observe leg = x; }
          set x = 2;
          run d (3);
          observe session = x;
        }
        run { horizon 5; }
    }
    // The copy is made at the fork: neither sees what the other sets later.
    let report = report!(program);
    assert_eq!(report.observe.leg.values(), [1.0, 7.0]);
    assert_eq!(report.observe.session.values(), [2.0]);
}

#[test]
fn what_a_leg_observes_is_its_sessions() {
    serq! {
        name: program;
        stage d : delay;
        workload { arrive batch(2); }
        session {
          turn;
          fork { run d (3); observe leg = serial + 10 * turn_no; }
          run d (1);
          turn;
          observe turn = turn_no;
        }
        run { horizon 5; }
    }
    // It stays in the turn in which it was forked, though its session is in the next by then.
    let leg = report!(program).observe.leg.samples().to_vec();
    assert_eq!(leg, [(3.0, 0, 1, 10.0), (3.0, 1, 1, 11.0)]);
}

#[test]
fn a_join_waits_for_all_legs_forked_so_far() {
    serq! {
        name: program;
        stage d : delay;
        workload { arrive batch(1); }
        session {
          fork { run d (3); }
          fork { run d (2); }
          join;
          observe joined = now;
          fork { run d (4); }
          run d (5);
          join;
          observe joined = now;
          join;
          observe joined = now;
        }
        run { horizon 20; }
    }
    // At 3 both are over. The third is over at 7, before its session asks at 8; so is every leg at the last join.
    assert_eq!(report!(program).observe.joined.values(), [3.0, 8.0, 8.0]);
}

#[test]
fn a_join_at_the_forks_instant_waits_for_the_leg_to_have_run() {
    serq! {
        name: program;
        pool p { cap 5; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
          fork { hold p (2) { observe leg = now; } lease p (inf); }
          observe before = used(p);
          join;
          observe after = used(p);
          run d (1);
        }
        run { horizon 5; }
    }
    let report = report!(program);
    assert_eq!(
        (report.observe.before.values(), report.observe.after.values()),
        (vec![0.0], vec![2.0])
    );
    assert_eq!(report.observe.after.times(), [0.0]);
}

#[test]
fn a_session_that_ends_waits_for_its_legs() {
    serq! {
        name: program;
        pool p { cap 3; }
        stage d : delay;
        workload { arrive closed(1); }
        session {
          hold p (1) {
            fork { run d (5); hold p (2) { run d (1); } lease p (inf); }
            run d (2);
            end;
          }
        }
        gauge used = used(p);
        run { horizon 11; }
    }
    // What it holds itself is given back at 2, what its leg leases at once when that is over at 6: then the next comes.
    let report = report!(program);
    assert_eq!(
        report.gauge.used.points(),
        [(0.0, 1.0), (2.0, 0.0), (5.0, 2.0), (6.0, 1.0), (8.0, 0.0), (11.0, 2.0)]
    );
    assert_eq!((report.run.arrivals, report.run.ended, report.run.mean_live), (2, 1, 1.0));
}

#[test]
fn legs_fork_and_join_legs_of_their_own() {
    serq! {
        name: program;
        stage d : delay;
        workload { arrive batch(1); }
        session {
          fork {
            fork { run d (4); observe at = 10 * now + 1; }
            fork { run d (1); observe at = 10 * now + 2; }
            run d (2);
            observe at = 10 * now;
            join;
            observe at = 10 * now + 3;
          }
          fork { fork { run d (7); observe at = 10 * now + 4; } run d (1); }
          join;
          observe at = 10 * now + 5;
        }
        run { horizon 20; }
    }
    // The first leg joins its own two at 4. The second ends at 1, and is over when its own leg is, at 7.
    let report = report!(program);
    assert_eq!(report.observe.at.values(), [12.0, 20.0, 41.0, 43.0, 74.0, 75.0]);
}

#[test]
fn a_loop_forks_a_leg_in_each_round() {
    serq! {
        name: program;
        stage d : delay;
        workload { arrive batch(1); }
        session {
          set i = 0;
          loop {
            fork { run d (3 * (i + 1)); observe leg = 10 * i + now; }
            run d (1);
            set i = i + 1;
            branch (i == 3) { join; observe joined = now; end; }
          }
        }
        run { horizon 20; }
    }
    // Forked at 0, 1 and 2 for 3, 6 and 9 s.
    let report = report!(program);
    assert_eq!(report.observe.leg.values(), [3.0, 17.0, 31.0]);
    assert_eq!(report.observe.joined.values(), [11.0]);
}

#[test]
fn the_draws_of_a_session_do_not_depend_on_its_legs() {
    serq! {
        name: without;
        stage d : delay;
        workload { arrive batch(3); }
        session { observe own = ~exp(1); run d (1); observe own = ~exp(1); }
        run { horizon 5; seed 4; }
    }
    serq! {
        name: with;
        stage d : delay;
        workload { arrive batch(3); }
        session {
          fork { observe first = ~exp(1); run d (2); observe first = ~exp(1); }
          observe own = ~exp(1);
          fork { observe second = ~exp(1); fork { observe inner = ~exp(1); } }
          run d (1);
          observe own = ~exp(1);
        }
        run { horizon 5; seed 4; }
    }
    let (alone, beside) = (report!(without), report!(with));
    assert_eq!(alone.observe.own.values(), beside.observe.own.values());
    // And every leg has draws of its own.
    let observe = &beside.observe;
    let of = |o: &serq_runtime::inline::Observation| o.values();
    let mut all =
        [of(&observe.own), of(&observe.first), of(&observe.second), of(&observe.inner)].concat();
    assert_eq!(all.len(), 18);
    all.sort_by(f64::total_cmp);
    all.dedup();
    assert_eq!(all.len(), 18);
}

#[test]
fn legs_are_no_sessions_in_the_counts() {
    serq! {
        name: program;
        stage d : delay;
        workload { arrive batch(2); }
        session { turn; fork { run d (2); } fork { run d (4); } run d (1); }
        run { horizon 8; warmup 3; }
    }
    // Two sessions, live until their last legs are over at 4; of the runs that end from 3 on only the second legs' count.
    let report = report!(program);
    let run = &report.run;
    assert_eq!((run.arrivals, run.ended, run.turns, run.mean_live), (2, 2, 0, 2.0 / 5.0));
    assert_eq!(report.stage.d.completed, 2);
    assert_eq!(report.stage.d.mean_number, 2.0 / 5.0);
}

#[test]
fn at_the_horizon_legs_are_cut_off_as_sessions_are() {
    serq! {
        name: program;
        pool p { cap 9; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
          fork { hold p (4) { run d (6); observe late = now; } }
          fork { hold p (7) { observe never = now; } }
          run d (1);
          observe early = now;
        }
        run { horizon 5; }
    }
    let report = report!(program);
    assert_eq!(seen(&report.observe.early), [(1.0, 1.0)]);
    assert_eq!((report.observe.late.count(), report.observe.never.count()), (0, 0));
    assert_eq!((report.run.ended, report.run.live_at_end), (0, 1));
    assert_eq!((report.pool.p.mean_used, report.pool.p.waiting), (4.0, 1));
}

#[test]
fn a_limited_run_ends_with_the_last_leg() {
    serq! {
        name: program;
        stage d : delay;
        workload { arrive renewal(1); }
        session { fork { run d (5 - serial); } run d (1); }
        run { horizon 50; arrivals 3; }
    }
    // Sessions at 1, 2 and 3, with legs until 6, 6 and 6.
    let report = report!(program);
    assert_eq!((report.run.end, report.run.ended), (6.0, 3));
}

#[test]
fn a_request_may_be_made_by_a_leg() {
    serq! {
        name: program;
        stage s : fifo;
        workload {
          arrive batch(1);
          session {
            set n = 1;
            fork { set n = 2; request; }
            request;
            join;
            observe joined = now;
          }
        }
        server { run s (n); observe answered = 10 * n + now; }
        run { horizon 9; }
    }
    // The session's own request is first at the server: 1 s, then 2 s of the leg's.
    let report = report!(program);
    assert_eq!(report.observe.answered.values(), [11.0, 23.0]);
    assert_eq!(report.observe.joined.values(), [3.0]);
}
