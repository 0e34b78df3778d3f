//! Growth that does not fit: who waits, who gives way, and what is computed again.

use crate::seen;
use serq_runtime::serq;

#[test]
fn the_resident_admitted_last_gives_way_and_goes_on_from_its_prefix() {
    serq! {
        name: program;
        pool kv { cap 6; block 1; preempt lifo; }
        stage E : step { cost 1; memory kv; }
        workload { arrive batch(2); }
        session {
            hold kv (1) {
                observe found = cached;
                observe had_computed = computed;
                run E decode (4 - cached) growing kv;
            } cache (4)
            observe done = serial;
        }
        gauge used = used(kv);
        run { horizon 10; }
    }
    let report = report!(program);
    // 1, 2, 3 units each; at 3 the first needs a fourth. The second leaves, 3 computed, of which 2 stay cached beside
    // the first's 4. At 4 it comes back, finds those 2, and decodes 2 more.
    assert_eq!(report.gauge.used.points()[..4], [(0.0, 2.0), (1.0, 4.0), (2.0, 6.0), (3.0, 4.0)]);
    assert_eq!(seen(&report.observe.found), [(0.0, 0.0), (0.0, 0.0), (4.0, 2.0)]);
    assert_eq!(report.observe.had_computed.values(), [0.0, 0.0, 3.0]);
    assert_eq!(seen(&report.observe.done), [(4.0, 0.0), (6.0, 1.0)]);
    let kv = &report.pool.kv;
    assert_eq!((kv.preemptions, kv.admissions, kv.stuck), (1, 3, 0));
    // One of its own 3; and of the 4 that the first left one for each of its last tokens.
    assert_eq!((kv.evicted_units, kv.evicted_entries), (3.0, 0));
}

#[test]
fn without_preemption_a_grower_waits_and_is_not_served() {
    serq! {
        name: program;
        pool kv { cap 4; block 1; preempt none; }
        stage E : step { cost 1; memory kv; }
        workload { arrive batch(2); }
        session {
            branch (serial == 0) { hold kv (1) { run E decode (4) growing kv; } }
            else { hold kv (2) { run E decode (3); } }
            observe done = serial;
        }
        run { horizon 10; }
    }
    let report = report!(program);
    // At 2 the first needs a third unit, beside the other's 2; it has it at 3, and its fourth at 4.
    assert_eq!(seen(&report.observe.done), [(3.0, 1.0), (5.0, 0.0)]);
    assert_eq!((report.pool.kv.mean_stalled, report.pool.kv.preemptions), (0.1, 0));
    assert_eq!(report.stage.e.iterations, 5);
}

#[test]
fn a_preempted_session_goes_before_every_key() {
    serq! {
        name: program;
        pool kv { cap 6; block 1; preempt lifo; queue by (-serial); }
        stage nap : delay;
        stage E : step { cost 1; memory kv; }
        workload { arrive batch(3); }
        session {
            run nap (serial == 2 ? 2.5 : 0);
            hold kv (1) { observe admitted = serial; run E decode (4) growing kv; }
            observe done = serial;
        }
        run { horizon 20; }
    }
    let report = report!(program);
    // Keys admit 1 before 0, so 0 gives way at 3; 2 came at 2.5, when nothing was free, and has the smaller key. At 4
    // both fit, 0 first. Then 2, the later of the two, gives way at 7 and begins anew at 8.
    let admitted = [(0.0, 1.0), (0.0, 0.0), (4.0, 0.0), (4.0, 2.0), (8.0, 2.0)];
    assert_eq!(seen(&report.observe.admitted), admitted);
    assert_eq!(seen(&report.observe.done), [(4.0, 1.0), (8.0, 0.0), (12.0, 2.0)]);
}

#[test]
fn who_is_away_from_the_engine_is_no_victim() {
    serq! {
        name: program;
        pool kv { cap 6; block 1; preempt lifo; }
        stage nap : delay;
        stage E : step { cost 1; memory kv; }
        workload { arrive batch(2); }
        session {
            hold kv (3) {
                branch (serial == 0) { run E decode (4) growing kv; } else { run nap (3.5); }
            }
            observe done = serial;
        }
        run { horizon 20; }
    }
    let report = report!(program);
    // At 3 the first needs a fourth unit. The second, admitted later, is not there, so the first itself gives way, in an
    // iteration without tokens. At 3.5 there is room for it, from 4 on it decodes anew.
    assert_eq!(seen(&report.observe.done), [(3.5, 1.0), (8.0, 0.0)]);
    assert_eq!((report.pool.kv.preemptions, report.stage.e.iterations), (1, 3 + 1 + 4));
}

#[test]
fn a_preemption_ends_the_admissions_of_its_iteration() {
    serq! {
        name: program;
        pool kv { cap 6; block 1; preempt lifo; }
        pool slot { cap 9; admit via E; }
        stage nap : delay;
        stage E : step { cost 1; memory kv; }
        workload { arrive batch(3); }
        session {
            branch (serial == 2) { run nap (2.5); hold slot (1) { observe admitted = now; run E prefill (1); } }
            else { hold kv (1) { run E decode (4) growing kv; } }
        }
        run { horizon 20; }
    }
    // It would be admitted at 3, when the iteration preempts.
    assert_eq!(report!(program).observe.admitted.values(), [4.0]);
}
