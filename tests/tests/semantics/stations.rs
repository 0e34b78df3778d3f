//! Stages without tokens: `fifo`, `ps`, `delay`.

use crate::seen;
use serq_runtime::serq;

#[test]
fn a_fifo_stage_serves_in_arrival_order() {
    serq! {
        name: program;
        stage clerk : fifo(2);
        workload { arrive batch(3); }
        session { run clerk (serial == 0 ? 3 : 1); observe done = serial; }
        run { horizon 4; }
    }
    let report = report!(program);
    // Two begin at once; the third when the shorter of them is done, at 1.
    assert_eq!(seen(&report.observe.done), [(1.0, 1.0), (2.0, 2.0), (3.0, 0.0)]);
    let clerk = &report.stage.clerk;
    assert_eq!((clerk.completed, clerk.mean_wait), (3, 1.0 / 3.0));
    assert_eq!(clerk.mean_service, (3.0 + 1.0 + 1.0) / 3.0);
    assert_eq!(clerk.utilization, 5.0 / (2.0 * 4.0));
    // Three are there for a second, then two, then one.
    assert_eq!(clerk.mean_number, (3.0 + 2.0 + 1.0) / 4.0);
}

#[test]
fn jobs_of_a_ps_stage_share_its_capacity_equally() {
    serq! {
        name: program;
        stage shared : ps(1);
        workload { arrive batch(2); }
        session { run shared (1 + serial); observe done = serial; }
        run { horizon 4; }
    }
    let report = report!(program);
    // Half speed each until the first has its 1 at time 2; the other's last 1 takes 1.
    assert_eq!(seen(&report.observe.done), [(2.0, 0.0), (3.0, 1.0)]);
    assert_eq!(report.stage.shared.utilization, 0.75);
}

#[test]
fn a_ps_capacity_may_read_how_many_are_present() {
    serq! {
        name: program;
        stage each : ps(min(present, 2));
        workload { arrive batch(3); }
        session { run each (2); observe done = now; }
        run { horizon 4; }
    }
    // Three share 2: 2 of work takes 3.
    assert_eq!(report!(program).observe.done.times(), [3.0, 3.0, 3.0]);
}

#[test]
fn nobody_waits_at_a_delay() {
    serq! {
        name: program;
        stage nap : delay;
        workload { arrive batch(3); }
        session { run nap (2); observe done = serial; }
        run { horizon 4; }
    }
    let report = report!(program);
    assert_eq!(seen(&report.observe.done), [(2.0, 0.0), (2.0, 1.0), (2.0, 2.0)]);
    assert_eq!(report.stage.nap.mean_number, 1.5);
    assert!(report.stage.nap.utilization.is_nan());
}

#[test]
fn a_run_of_nothing_takes_no_server() {
    serq! {
        name: program;
        stage clerk : fifo;
        workload { arrive batch(2); }
        session {
            run clerk (serial == 0 ? 5 : 0);
            observe done = serial;
        }
        run { horizon 10; }
    }
    let report = report!(program);
    assert_eq!(seen(&report.observe.done), [(0.0, 1.0), (5.0, 0.0)]);
    assert_eq!((report.stage.clerk.completed, report.stage.clerk.mean_wait), (1, 0.0));
}

#[test]
fn negative_work_counts_as_none_and_is_said() {
    serq! {
        name: program;
        stage nap : delay;
        workload { arrive batch(2); }
        session {
            set x = 1 - serial;
            run nap (x - 1);
            observe done = now;
            run nap (x - 0.5);
            run nap (x - 3); // serqc: allow S211
        }
        run { horizon 10; }
    }
    let report = report!(program);
    assert_eq!(report.observe.done.values(), [0.0, 0.0]);
    assert_eq!(report.run.ended, 2);
    let notes = report.notes.join("\n");
    assert!(notes.contains("run nap (x - 1);") && notes.contains("run nap (x - 0.5);"), "{notes}");
    // Unless the program says that it means it.
    assert!(!notes.contains("run nap (x - 3);"), "{notes}");
    // Session 1 is the first to come out below 0, and is said to be.
    let strict = program::run(&program::Params::default(), crate::kept().strict());
    let Err(error) = strict else { panic!("it is not refused") };
    let fault = error.fault().unwrap_or_else(|| panic!("{error}"));
    assert_eq!((fault.session, fault.time), (Some(1), 0.0));
    assert_eq!((fault.source.trim(), error.code()), ("run nap (x - 1);", fault.code.as_str()));
}
