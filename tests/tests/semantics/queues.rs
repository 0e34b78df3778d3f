//! Who is admitted to a pool, and when.

use crate::seen;
use serq_runtime::serq;

#[test]
fn a_pool_admits_in_the_order_of_joining() {
    serq! {
        name: program;
        pool slot { cap 1; }
        stage nap : delay;
        workload { arrive batch(3); }
        session { hold slot (1) { observe admitted = serial; run nap (1); } }
        run { horizon 4; }
    }
    let report = report!(program);
    assert_eq!(seen(&report.observe.admitted), [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]);
    let slot = &report.pool.slot;
    assert_eq!((slot.admissions, slot.mean_wait), (3, (0.0 + 1.0 + 2.0) / 3.0));
    assert_eq!((slot.mean_queue, slot.mean_used), ((2.0 + 1.0) / 4.0, 3.0 / 4.0));
}

#[test]
fn queue_keys_admit_the_smallest_first_and_equal_ones_in_order() {
    serq! {
        name: program;
        pool slot { cap 1; queue by (class); }
        stage nap : delay;
        workload { arrive batch(4); }
        session {
            set class = serial > 1 ? 0 : 1;
            hold slot (1) { observe admitted = serial; run nap (1); }
        }
        run { horizon 5; }
    }
    // All four have joined before the first is chosen.
    let admitted = [(0.0, 2.0), (1.0, 3.0), (2.0, 0.0), (3.0, 1.0)];
    assert_eq!(seen(&report!(program).observe.admitted), admitted);
}

#[test]
fn queue_keys_are_read_anew_at_every_attempt() {
    serq! {
        name: program;
        pool slot { cap 1; queue by (waited > 1.5 ? 0 : 1, -serial); }
        stage nap : delay;
        workload { arrive batch(4); }
        session {
            run nap (serial == 3 ? 1.5 : 0);
            hold slot (1) { observe admitted = serial; run nap (1); }
        }
        run { horizon 5; }
    }
    // 2 at once and 3, which came at 1.5, at 1 is not there yet; from 2 on the others have waited long enough, and the
    // last of them goes first.
    let admitted = [(0.0, 2.0), (1.0, 1.0), (2.0, 0.0), (3.0, 3.0)];
    assert_eq!(seen(&report!(program).observe.admitted), admitted);
}

#[test]
fn only_the_head_of_a_queue_is_tried() {
    serq! {
        name: program;
        pool room { cap 10; }
        stage nap : delay;
        workload { arrive batch(3); }
        session { hold room (serial == 2 ? 2 : 6) { observe admitted = serial; run nap (2); } }
        run { horizon 5; }
    }
    // 2 would fit beside 6, but stands behind another 6.
    let report = report!(program);
    assert_eq!(seen(&report.observe.admitted), [(0.0, 0.0), (2.0, 1.0), (2.0, 2.0)]);
}

#[test]
fn a_hold_of_several_pools_waits_in_the_queue_of_the_first() {
    serq! {
        name: program;
        pool room { cap 10; }
        pool slot { cap 1; }
        stage nap : delay;
        workload { arrive batch(2); }
        session { hold room (3), slot (1) { observe admitted = serial; run nap (1); } }
        gauge at_room = queued(room);
        gauge at_slot = queued(slot);
        run { horizon 4; }
    }
    let report = report!(program);
    assert_eq!(seen(&report.observe.admitted), [(0.0, 0.0), (1.0, 1.0)]);
    assert_eq!((report.gauge.at_room.at(0.5), report.gauge.at_slot.max()), (1.0, 0.0));
    assert_eq!((report.pool.room.admissions, report.pool.slot.admissions), (2, 2));
    // Who waited, waited for the first.
    assert_eq!(report.pool.room.mean_wait, 0.5);
    assert!(report.pool.slot.mean_wait.is_nan());
}

#[test]
fn what_can_never_fit_is_rejected_and_its_session_ends() {
    serq! {
        name: program;
        pool room { cap 10; }
        stage nap : delay;
        workload { arrive batch(3); }
        session {
            hold room (serial == 1 ? 11 : 5) { run nap (1); }
            observe done = serial;
        }
        run { horizon 4; }
    }
    let report = report!(program);
    assert_eq!(seen(&report.observe.done), [(1.0, 0.0), (1.0, 2.0)]);
    assert_eq!((report.pool.room.rejected, report.pool.room.admissions), (1, 2));
    assert_eq!(report.run.ended, 3);
}
