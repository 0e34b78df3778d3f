//! Runs over several stages at once, and how they share them.

use crate::seen;
use serq_runtime::serq;

#[test]
fn max_min_gives_a_flow_what_others_cannot_use() {
    serq! {
        name: program;
        stage wide : ps(10);
        stage narrow : ps(4);
        share maxmin;
        workload { arrive batch(2); }
        session {
            branch (serial == 0) { run wide, narrow (12); } else { run wide (12); }
            observe done = serial;
        }
        run { horizon 4; }
    }
    let report = report!(program);
    // The narrow stage holds the first to 4, so the second has 6.
    assert_eq!(seen(&report.observe.done), [(2.0, 1.0), (3.0, 0.0)]);
    assert_eq!(report.stage.wide.utilization, 24.0 / (10.0 * 4.0));
    assert_eq!(report.stage.narrow.utilization, 12.0 / (4.0 * 4.0));
}

#[test]
fn bottleneck_gives_a_flow_an_equal_part_of_each_stage() {
    serq! {
        name: program;
        stage wide : ps(10);
        stage narrow : ps(4);
        share bottleneck;
        workload { arrive batch(2); }
        session {
            branch (serial == 0) { run wide, narrow (12); } else { run wide (12); }
            observe done = serial;
        }
        run { horizon 4; }
    }
    // min(10 / 2, 4 / 1) for the first, 10 / 2 for the second.
    assert_eq!(seen(&report!(program).observe.done), [(12.0 / 5.0, 1.0), (3.0, 0.0)]);
}

#[test]
fn max_min_fills_up_in_turn() {
    serq! {
        name: program;
        stage wide : ps(6);
        stage narrow : ps(1);
        share maxmin;
        workload { arrive batch(3); }
        session {
            branch (serial == 0) { run wide, narrow (5); } else { run wide (5); }
            observe done = serial;
        }
        run { horizon 6; }
    }
    // 1 for the first, 2.5 for each of the others.
    assert_eq!(seen(&report!(program).observe.done), [(2.0, 1.0), (2.0, 2.0), (5.0, 0.0)]);
}

#[test]
fn rates_change_when_a_flow_begins_or_ends() {
    serq! {
        name: program;
        stage nap : delay;
        stage out : ps(2);
        stage in_ : ps(9);
        share maxmin;
        workload { arrive batch(2); }
        session {
            run nap (serial);
            run out, in_ (serial == 0 ? 4 : 1);
            observe done = serial;
        }
        run { horizon 4; }
    }
    // 2 of 4 are over at 1; then 1 each, so the second's 1 ends at 2 and the first's last 1 takes half a second.
    let report = report!(program);
    assert_eq!(seen(&report.observe.done), [(2.0, 1.0), (2.5, 0.0)]);
    assert_eq!(report.stage.in_.mean_number, (2.5 + 1.0) / 4.0);
}
