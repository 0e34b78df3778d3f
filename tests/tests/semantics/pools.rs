//! Units of a pool: what is taken, what must fit, and who sees it when.

use crate::seen;
use serq_runtime::{Settings, serq};

#[test]
fn units_are_taken_in_whole_blocks() {
    serq! {
        name: program;
        pool kv { cap 12; block 4; }
        stage nap : delay;
        workload { arrive batch(2); }
        session { hold kv (5) { observe taken = used(kv); run nap (1); } }
        run { horizon 3; }
    }
    // 5 are 8, and two 8 are more than 12.
    assert_eq!(seen(&report!(program).observe.taken), [(0.0, 8.0), (1.0, 8.0)]);
}

#[test]
fn growth_is_rounded_up_to_blocks_each_time() {
    serq! {
        name: program;
        pool kv { cap 20; block 4; }
        workload { arrive batch(1); }
        session {
            hold kv (4) {
                grow kv (5); observe five = used(kv);
                grow kv (1); observe one = used(kv);
            }
        }
        run { horizon 1; }
    }
    let report = report!(program);
    assert_eq!((report.observe.five.mean(), report.observe.one.mean()), (12.0, 16.0));
}

#[test]
fn a_reserve_must_fit_but_is_not_taken() {
    serq! {
        name: program;
        pool room { cap 10; }
        stage nap : delay;
        workload { arrive batch(3); }
        session { hold room (2) reserve (8) { observe admitted = used(room); run nap (1); } }
        gauge used = used(room);
        run { horizon 3; }
    }
    // 0 + 8 and 2 + 8 fit, 4 + 8 do not.
    let report = report!(program);
    assert_eq!(report.observe.admitted.times(), [0.0, 0.0, 1.0]);
    assert_eq!((report.gauge.used.at(0.5), report.gauge.used.at(1.5)), (4.0, 2.0));
}

#[test]
fn the_statement_behind_a_release_sees_who_it_let_in() {
    serq! {
        name: program;
        pool room { cap 10; }
        stage nap : delay;
        workload { arrive batch(2); }
        session {
            hold room (6) {
                observe admitted = serial;
                run nap (1);
                release room;
                observe inside = holders(room);
                observe units = used(room);
            }
        }
        run { horizon 3; }
    }
    let report = report!(program);
    assert_eq!(seen(&report.observe.inside), [(1.0, 1.0), (2.0, 0.0)]);
    assert_eq!(report.observe.units.values(), [6.0, 0.0]);
    // The other's body runs later, though within the same instant.
    assert_eq!(seen(&report.observe.admitted), [(0.0, 0.0), (1.0, 1.0)]);
}

#[test]
fn a_grower_that_waits_keeps_nobody_out_and_goes_first_when_there_is_room() {
    serq! {
        name: program;
        pool room { cap 10; preempt none; }
        stage nap : delay;
        workload { arrive batch(4); }
        session {
            run nap (serial == 2 ? 2 : serial == 3 ? 2.5 : 0);
            hold room (serial < 2 ? 4 : serial == 2 ? 2 : 3) {
                observe admitted = serial;
                branch (serial == 0) { run nap (1); grow room (4); observe grown = now; run nap (10); }
                run nap (serial == 1 ? 3 : 20);
            }
        }
        gauge used = used(room);
        run { horizon 10; }
    }
    let report = report!(program);
    // 4 + 4 from 0; 4 more do not fit at 1; 2 do at 2, 3 more do not at 2.5; at 3 the grower takes the 4 of session 1.
    assert_eq!(seen(&report.observe.admitted), [(0.0, 0.0), (0.0, 1.0), (2.0, 2.0)]);
    assert_eq!(report.observe.grown.values(), [3.0]);
    assert_eq!(report.gauge.used.points(), [(0.0, 8.0), (2.0, 10.0)]);
    assert_eq!((report.pool.room.mean_stalled, report.pool.room.waiting), (0.2, 1));
}

#[test]
fn a_session_that_holds_a_pool_twice_is_one_holder() {
    serq! {
        name: program;
        pool room { cap 10; }
        stage nap : delay;
        workload { arrive batch(1); }
        session { hold room (3) { hold room (4) { run nap (1); } run nap (1); } }
        gauge held = holders(room);
        gauge used = used(room);
        run { horizon 4; }
    }
    let report = report!(program);
    assert_eq!((report.gauge.held.at(0.5), report.gauge.held.at(1.5)), (1.0, 1.0));
    assert_eq!((report.gauge.used.at(0.5), report.gauge.used.at(1.5)), (7.0, 3.0));
    assert_eq!(report.pool.room.mean_holders, 0.5);
}

#[test]
fn the_first_instant_is_measured_when_there_is_no_warm_up() {
    serq! {
        name: program;
        pool room { cap 2; }
        stage nap : delay;
        workload { arrive batch(3); }
        session { hold room (1) { run nap (1); } }
        run { horizon 4; }
    }
    // Two are admitted at 0 and one at 1.
    let whole = &report!(program).pool.room;
    assert_eq!((whole.admissions, whole.measured.admissions), (3, 3));
    let settings = Settings::default().warmup(0.5);
    let later = program::run(&program::Params::default(), settings).unwrap();
    assert_eq!(later.pool.room.measured.admissions, 1);
    // What happens at the very end of the warm-up is measured.
    let settings = Settings::default().warmup(1.0);
    let last = program::run(&program::Params::default(), settings).unwrap();
    assert_eq!(last.pool.room.measured.admissions, 1);
}
