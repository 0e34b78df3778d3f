//! What a leg shares with its session: prefixes, leases, the rejection of a request; and what it does not: holds.

use crate::seen;
use serq_runtime::serq;

#[test]
fn what_a_leg_leases_is_its_sessions_when_it_is_over() {
    serq! {
        name: program;
        pool p { cap 10; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
          fork { hold p (3) { run d (1); } lease p (inf); run d (2); }
          hold p (2) {
            observe held = used(p) + 100 * holders(p);
            run d (2);
            observe held = used(p) + 100 * holders(p);
            join;
            observe held = used(p) + 100 * holders(p);
          }
          release p;
          observe held = used(p) + 100 * holders(p);
        }
        run { horizon 9; }
    }
    // Beside each other they are two holders. From 3 on all is one session's.
    let report = report!(program);
    let held = [(0.0, 205.0), (2.0, 205.0), (3.0, 105.0), (3.0, 0.0)];
    assert_eq!(seen(&report.observe.held), held);
}

#[test]
fn a_bound_of_a_lease_goes_on_when_it_changes_hands() {
    serq! {
        name: program;
        pool p { cap 10; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
          fork { hold p (3) { run d (1); } lease p (4); run d (2); }
          join;
          run d (5);
        }
        gauge used = used(p);
        run { horizon 9; }
    }
    // Leased at 1 for 4 s, its session's at 3, ended at 5.
    assert_eq!(report!(program).gauge.used.points(), [(0.0, 3.0), (5.0, 0.0)]);
}

#[test]
fn leases_of_legs_end_oldest_first_in_the_order_in_which_the_legs_were_over() {
    serq! {
        name: program;
        pool p { cap 10; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
          fork { hold p (1) { } lease p (inf); run d (3); }
          fork { hold p (2) { } lease p (inf); run d (1); }
          hold p (4) { run d (2); } lease p (inf);
          join;
          release p; observe left = used(p);
          release p; observe left = used(p);
          release p; observe left = used(p);
        }
        run { horizon 9; }
    }
    assert_eq!(report!(program).observe.left.values(), [5.0, 1.0, 0.0]);
}

#[test]
fn a_leg_releases_its_own_lease_else_that_of_who_forked_it() {
    serq! {
        name: program;
        pool p { cap 10; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
          hold p (1) { } lease p (inf);
          fork {
            hold p (2) { } lease p (inf);
            fork { run d (1); release p; observe left = used(p); release p; observe left = used(p); }
            run d (2);
          }
          join;
          observe left = used(p);
        }
        run { horizon 9; }
    }
    assert_eq!(report!(program).observe.left.values(), [1.0, 0.0, 0.0]);
}

#[test]
fn a_leg_has_its_sessions_prefix() {
    serq! {
        name: program;
        pool p { cap 20; block 4; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
          hold p (8) { run d (1); } cache (8)
          fork {
            observe leg = cachedin(p);
            hold p (12) { observe leg = cached; run d (2); } cache (12)
          }
          run d (1);
          observe own = cachedin(p);
          join;
          observe own = cachedin(p);
          hold p (12) { observe own = cached; } cache (12)
        }
        run { horizon 9; }
    }
    // The leg consumes the session's 8 at 1 and leaves 12 at 3, which are the session's.
    let report = report!(program);
    assert_eq!(report.observe.leg.values(), [8.0, 8.0]);
    assert_eq!(seen(&report.observe.own), [(2.0, 0.0), (3.0, 12.0), (3.0, 12.0)]);
}

#[test]
fn a_session_that_ends_leaves_the_prefix_of_its_leg() {
    serq! {
        name: program;
        pool p { cap 20; }
        stage d : delay;
        workload { arrive batch(2); }
        session {
          fork { hold p (6) { run d (1); } cache (5); }
          run d (0.5);
        }
        run { horizon 2; }
    }
    // Two prefixes of 5 from 1 on, of two sessions that are gone.
    let report = report!(program);
    assert_eq!((report.pool.p.mean_cached, report.run.ended), (5.0, 2));
}

#[test]
fn a_rejected_leg_is_over_and_its_session_ends_where_it_joins() {
    serq! {
        name: program;
        pool p { cap 10; }
        pool q { cap 10; }
        stage d : delay;
        workload { arrive batch(2); }
        session {
          hold q (5) {
            fork { hold p (serial == 0 ? 11 : 4) { run d (4); observe leg = serial; } }
            run d (1);
            observe beside = serial;
            join;
            observe joined = serial;
          }
        }
        gauge used = used(q);
        run { horizon 9; }
    }
    // Session 0 still runs for its second, then ends as a rejection ends it: what it holds is given back at 1.
    let report = report!(program);
    assert_eq!((report.pool.p.rejected, report.run.ended), (1, 2));
    assert_eq!(report.observe.beside.values(), [0.0, 1.0]);
    assert_eq!(
        (report.observe.leg.values(), report.observe.joined.values()),
        (vec![1.0], vec![1.0])
    );
    assert_eq!(report.gauge.used.points(), [(0.0, 10.0), (1.0, 5.0), (4.0, 0.0)]);
}

#[test]
fn a_rejection_in_a_leg_of_a_leg_reaches_the_session() {
    serq! {
        name: program;
        pool p { cap 10; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
          fork { fork { hold p (11 + serial) { run d (1); } } run d (2); observe leg = now; }
          fork { run d (5); observe other = now; }
          join;
          observe joined = now;
        }
        run { horizon 9; }
    }
    // The outer leg never joins, and is over at 2; the session joins the other one too, and ends at 5.
    let report = report!(program);
    assert_eq!(
        (report.observe.leg.values(), report.observe.other.values()),
        (vec![2.0], vec![5.0])
    );
    assert_eq!((report.observe.joined.count(), report.run.ended), (0, 1));
    assert_eq!(report.run.mean_live, 5.0 / 9.0);
}

#[test]
fn a_preempted_hold_executes_its_forks_again() {
    serq! {
        name: program;
        pool kv { cap 8; block 1; preempt lifo; }
        stage d : delay;
        stage E : step { cost 1; memory kv; }
        workload { arrive batch(2); }
        session {
          hold kv (2) {
            fork { run d (3); observe leg = now + 100 * serial; }
            run E decode (6) growing kv;
          }
          observe done = now;
          join;
        }
        run { horizon 40; }
    }
    // With 4 units each the pool is full, and at 4 session 1 gives way; it is let in again as that iteration ends, at 5, and
    // forks again. The leg of its first attempt goes on.
    let report = report!(program);
    assert_eq!(seen(&report.observe.leg), [(3.0, 3.0), (3.0, 103.0), (8.0, 108.0)]);
    assert_eq!((report.observe.done.values(), report.pool.kv.preemptions), (vec![6.0, 11.0], 1));
}

#[test]
fn one_who_joins_in_a_hold_may_be_preempted_and_joins_again() {
    serq! {
        name: program;
        pool p { cap 4; preempt lifo; }
        stage d : delay;
        workload { arrive batch(2); }
        session {
          branch (serial == 1) {
            fork { run d (10); }
            hold p (2) { observe joins = now; join; observe joined = now; }
          } else {
            hold p (2) { run d (3); grow p (2); run d (4); }
          }
        }
        run { horizon 40; }
    }
    // At 3 session 0 grows, and the other loses its hold as it waits for its leg; it is let in again at 7.
    let report = report!(program);
    assert_eq!(report.observe.joins.values(), [0.0, 7.0]);
    assert_eq!(report.observe.joined.values(), [10.0]);
}

#[test]
fn a_leg_is_a_victim_of_its_own() {
    serq! {
        name: program;
        pool p { cap 4; preempt lifo; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
          fork { hold p (2) { observe leg = computed; run d (5); observe leg = now; } }
          hold p (2) { run d (1); grow p (1); run d (3); }
          join;
          observe joined = now;
        }
        run { horizon 40; }
    }
    // The session's own growth at 1 takes the leg's units; the leg is let in again at 4, and runs until 9.
    let report = report!(program);
    assert_eq!(seen(&report.observe.leg), [(0.0, 0.0), (4.0, 0.0), (9.0, 9.0)]);
    assert_eq!(report.observe.joined.values(), [9.0]);
}

#[test]
fn evicted_prefixes_know_that_a_leg_of_their_session_waits() {
    serq! {
        name: program;
        pool p { cap 10; evict by (waiting, -last); }
        stage d : delay;
        workload { arrive batch(3); }
        session {
          branch (serial < 2) {
            hold p (3) { run d (1 + serial); } cache (3)
            branch (serial == 0) { fork { hold p (8) { observe leg = cached; } cache (0); } }
            run d (5 - serial);
            observe own = cachedin(p);
          } else {
            hold p (3) { run d (4); }
          }
        }
        run { horizon 9; }
    }
    // Prefixes of 3: session 0's at 1 and session 1's at 2. Session 0's leg waits for 8 from 1 to 4; then it consumes its
    // session's 3 units, and the other one's 3 have to go.
    let report = report!(program);
    assert_eq!(report.observe.leg.values(), [3.0]);
    assert_eq!(report.observe.own.values(), [0.0, 0.0]);
    assert_eq!(report.pool.p.evicted_units, 3.0);
}

#[test]
fn an_engine_counts_the_units_of_a_leg_with_its_session_once_it_has_them() {
    serq! {
        name: program;
        pool kv { cap 20; block 1; }
        stage d : delay;
        stage E : step { cost kv_decode; memory kv; }
        workload { arrive batch(1); }
        session {
          fork { hold kv (3) { run d (1); } lease kv (inf); run d (4); }
          hold kv (2) { run E decode (3); observe done = now; }
          join;
        }
        run { horizon 40; }
    }
    // Iterations of 2 s while the leg has its 3 units to itself. It is over at 5, within the third, which keeps its length.
    assert_eq!(report!(program).observe.done.values(), [6.0]);
}

#[test]
fn units_that_come_to_a_resident_count_from_the_next_iteration_on() {
    serq! {
        name: program;
        pool kv { cap 20; block 1; }
        stage d : delay;
        stage E : step { cost kv_decode; memory kv; }
        workload { arrive batch(1); }
        session {
          fork { hold kv (3) { run d (1); } lease kv (inf); run d (2); }
          hold kv (2) { run E decode (4); observe done = now; }
          join;
        }
        run { horizon 40; }
    }
    // Two iterations of 2 s, until 4; the leg is over at 3, so that the others take 5 s each.
    assert_eq!(report!(program).observe.done.values(), [14.0]);
}
