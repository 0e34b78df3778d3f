//! What is booked now and entered later.

use crate::seen;
use serq_runtime::serq;

#[test]
fn a_booking_joins_the_queue_now_and_is_entered_later() {
    serq! {
        name: program;
        pool p { cap 10; }
        stage d : delay;
        workload { arrive batch(3); }
        session {
          branch (serial < 2) {
            book p (6);
            run d (3);
            hold p { observe entered = now; run d (2); }
          } else {
            run d (1);
            hold p (1) { observe small = now; }
          }
        }
        gauge used = used(p);
        gauge queued = queued(p);
        run { horizon 20; }
    }
    // Session 0 is granted at 0 and enters at 3. Session 1 waits in the queue from 0 to 5, though it asks at 3, and keeps
    // the small one behind it.
    let report = report!(program);
    assert_eq!(seen(&report.observe.entered), [(3.0, 3.0), (5.0, 5.0)]);
    assert_eq!(report.observe.small.values(), [5.0]);
    assert_eq!(report.gauge.queued.points(), [(0.0, 1.0), (1.0, 2.0), (5.0, 0.0)]);
    assert_eq!(report.gauge.used.points(), [(0.0, 6.0), (7.0, 0.0)]);
}

#[test]
fn a_booking_is_a_leg_that_leases_what_it_gets() {
    // The same by hand: the leg takes the units and leaves them to its session.
    serq! {
        name: booked;
        pool p { cap 10; }
        stage d : delay;
        workload { arrive batch(4); }
        session {
          run d (serial);
          book p (6) reserve (7);
          run d (3);
          hold p { observe entered = now; run d (2); }
        }
        gauge used = used(p);
        gauge queued = queued(p);
        run { horizon 60; }
    }
    serq! {
        name: forked;
        pool p { cap 10; }
        stage d : delay;
        workload { arrive batch(4); }
        session {
          run d (serial);
          fork { hold p (6) reserve (7) { } lease p (inf); }
          run d (3);
          join;
          observe entered = now;
          run d (2);
          release p;
        }
        gauge used = used(p);
        gauge queued = queued(p);
        run { horizon 60; }
    }
    let (a, b) = (report!(booked), report!(forked));
    assert_eq!(a.observe.entered.samples(), b.observe.entered.samples());
    assert_eq!(a.observe.entered.values(), [3.0, 5.0, 7.0, 9.0]);
    assert_eq!(a.gauge.used.points(), b.gauge.used.points());
    assert_eq!(a.gauge.queued.points(), b.gauge.queued.points());
    assert_eq!((a.pool.p.mean_wait, a.pool.p.admissions), (b.pool.p.mean_wait, 4));
}

#[test]
fn a_booking_consumes_the_prefix_as_it_is_granted() {
    serq! {
        name: program;
        pool p { cap 16; block 4; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
          hold p (8) { run d (1); } cache (8)
          book p (12) reuse (5);
          run d (1);
          observe left = cachedin(p);
          hold p { observe cached = cached; load p (3); run d (1); } cache (12)
          observe left = cachedin(p);
        }
        run { horizon 9; }
    }
    // Of its 8 it consumes 4, whole blocks of the 5 that it may; the rest is dead. With 3 loaded it leaves 4.
    let report = report!(program);
    assert_eq!(report.observe.cached.values(), [4.0]);
    assert_eq!(report.observe.left.values(), [0.0, 4.0]);
}

#[test]
fn a_booking_that_is_not_entered_keeps_what_it_consumed() {
    serq! {
        name: program;
        pool p { cap 16; block 4; }
        pool q { cap 1; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
          hold p (8) { run d (1); } cache (8)
          book p (12);
          run d (1);
          hold q (serial + 2) { run d (1); }
          hold p { run d (1); } cache (12)
        }
        run { horizon 4; }
    }
    // The session is rejected at 2: its booking ends, and leaves the 8 units that were there before, nothing more.
    let report = report!(program);
    assert_eq!((report.run.ended, report.pool.q.rejected), (1, 1));
    assert_eq!(
        (report.pool.p.mean_used, report.pool.p.mean_cached),
        ((8.0 + 12.0) / 4.0, 8.0 * 2.0 / 4.0)
    );
}

#[test]
fn an_opened_booking_is_a_hold_like_any() {
    serq! {
        name: program;
        pool kv { cap 8; block 1; preempt lifo; }
        stage d : delay;
        stage E : step { cost 1; memory kv; }
        workload { arrive batch(2); }
        session {
          book kv (2);
          run d (1);
          hold kv {
            observe began = now + 100 * computed;
            run E decode (6) growing kv;
          } lease kv (1);
          observe done = now;
          run d (3);
        }
        gauge used = used(kv);
        run { horizon 40; }
    }
    // It grows, is preempted and leases: with 4 units each the pool is full, and at 5 session 1 gives way. It comes again
    // with its 2 at 6; its third token, in the iteration from 8 on, needs what session 0 has leased until then.
    let report = report!(program);
    assert_eq!(seen(&report.observe.began), [(1.0, 1.0), (1.0, 1.0), (6.0, 406.0)]);
    assert_eq!(report.observe.done.values(), [7.0, 12.0]);
    assert_eq!(report.pool.kv.preemptions, 1);
}

#[test]
fn who_opens_a_booking_is_admitted_then_in_the_order_of_service() {
    serq! {
        name: program;
        pool kv { cap 20; block 1; }
        stage d : delay;
        stage E : step { budget 4; cost 1; memory kv; }
        workload { arrive batch(2); }
        session {
          branch (serial == 0) {
            book kv (8);
            run d (1);
            hold kv { run E prefill (8) growing kv; observe done = serial; }
          } else {
            run d (0.5);
            hold kv (8) { run d (0.5); run E prefill (8) growing kv; observe done = serial; }
          }
        }
        run { horizon 9; }
    }
    // Granted at 0 and opened at 1, after session 1 was admitted at 0.5: that one has the budget until 3.
    let report = report!(program);
    assert_eq!(seen(&report.observe.done), [(3.0, 1.0), (5.0, 0.0)]);
}

#[test]
fn a_booking_is_no_victim_until_it_is_opened() {
    serq! {
        name: program;
        pool p { cap 6; preempt lifo; }
        stage d : delay;
        workload { arrive batch(2); }
        session {
          branch (serial == 0) {
            hold p (2) { run d (1); grow p (1); observe grown = now; run d (9); }
          } else {
            book p (4);
            run d (3);
            hold p { observe entered = now; run d (2); observe left = now; }
          }
        }
        run { horizon 30; }
    }
    // The growth at 1 finds nobody to take from but itself: it gives its own 2 units up and begins anew, again and again,
    // until the other leaves at 5.
    let report = report!(program);
    assert_eq!(
        (report.observe.entered.values(), report.observe.left.values()),
        (vec![3.0], vec![5.0])
    );
    assert_eq!((report.observe.grown.values(), report.pool.p.preemptions), (vec![5.0], 4));
}

#[test]
fn a_rejected_booking_ends_its_session_where_it_would_be_opened() {
    serq! {
        name: program;
        pool p { cap 10; }
        stage d : delay;
        workload { arrive batch(2); }
        session {
          book p (serial == 0 ? 11 : 3);
          run d (2);
          observe before = serial;
          hold p { observe entered = serial; }
        }
        run { horizon 9; }
    }
    let report = report!(program);
    assert_eq!(report.observe.before.values(), [0.0, 1.0]);
    assert_eq!(report.observe.entered.values(), [1.0]);
    assert_eq!((report.pool.p.rejected, report.run.ended, report.run.live_at_end), (1, 2, 0));
}

#[test]
fn a_release_leaves_a_booking_alone() {
    serq! {
        name: program;
        pool p { cap 10; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
          hold p (1) { } lease p (inf);
          book p (4);
          run d (1);
          release p;
          observe used = used(p);
          release p;
          observe used = used(p);
          hold p { run d (1); }
          observe used = used(p);
        }
        run { horizon 9; }
    }
    assert_eq!(report!(program).observe.used.values(), [4.0, 4.0, 0.0]);
}

#[test]
fn each_round_of_a_loop_books_anew() {
    serq! {
        name: program;
        pool p { cap 5; }
        stage d : delay;
        workload { arrive batch(2); }
        session {
          set i = 0;
          loop {
            book p (3);
            run d (1);
            hold p { observe entered = now; run d (1); }
            set i = i + 1;
            branch (i == 2) { end; }
          }
        }
        run { horizon 20; }
    }
    // Session 0 has the pool from 0 to 2, session 1 from then to 3; each books its second time as it leaves, for a second
    // later, when the other one's is over.
    assert_eq!(report!(program).observe.entered.values(), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn a_preempted_hold_does_not_book_twice() {
    serq! {
        name: program;
        pool kv { cap 8; block 1; preempt lifo; }
        pool p { cap 10; }
        stage E : step { cost 1; memory kv; }
        workload { arrive batch(2); }
        session {
          hold kv (2) {
            book p (3);
            run E decode (6) growing kv;
            hold p { observe held = used(p); run E decode (1); }
          }
          observe done = now;
        }
        gauge used = used(p);
        run { horizon 40; }
    }
    // Session 1 gives way at 4 and comes again as the iteration ends, at 5; what it booked at 0 stands. Its 6 tokens and
    // one more take until 12.
    let report = report!(program);
    assert_eq!((report.pool.kv.preemptions, report.pool.p.admissions), (1, 2));
    assert_eq!(report.observe.held.values(), [6.0, 3.0]);
    assert_eq!(report.gauge.used.points(), [(0.0, 6.0), (7.0, 3.0), (12.0, 0.0)]);
}

#[test]
fn a_leg_books_and_opens_what_is_its_own() {
    serq! {
        name: program;
        pool p { cap 10; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
          fork {
            book p (4);
            run d (2);
            hold p { observe leg = now + 100 * used(p); run d (2); } lease p (inf);
          }
          join;
          observe session = now + 100 * used(p);
        }
        run { horizon 9; }
    }
    let report = report!(program);
    assert_eq!(report.observe.leg.values(), [402.0]);
    assert_eq!(report.observe.session.values(), [404.0]);
}

#[test]
fn both_ways_of_a_branch_may_open_what_was_booked_before() {
    serq! {
        name: program;
        pool p { cap 10; }
        stage d : delay;
        workload { arrive batch(2); }
        session {
          book p (4);
          run d (1);
          branch (serial == 0) { hold p { run d (1); observe left = now; } }
          else { hold p { run d (2); observe left = now; } }
        }
        run { horizon 9; }
    }
    assert_eq!(report!(program).observe.left.values(), [2.0, 3.0]);
}
