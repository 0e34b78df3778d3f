//! Allocations that outlive their scope.

use crate::seen;
use serq_runtime::serq;

#[test]
fn a_leased_pool_stays_allocated_until_the_read_ends() {
    serq! {
        name: program;
        pool p { cap 10; }
        pool q { cap 10; }
        stage d : delay;
        stage link : fifo;
        workload { arrive batch(2); }
        session {
          hold p (6) { run d (2); } lease p (inf);
          observe scope_over = used(p);
          run d (1);
          hold q (5) {
            transfer on link (4) from p to q (5);
            observe read = used(q);
          }
        }
        gauge used = used(p);
        gauge held = holders(p);
        gauge waiting = queued(p);
        run { horizon 30; }
    }
    let report = report!(program);
    // The scope is over at 2, the read goes from 3 to 7; then the other takes the units within the same instant.
    assert_eq!(seen(&report.observe.scope_over), [(2.0, 6.0), (9.0, 6.0)]);
    assert_eq!(report.observe.read.times(), [7.0, 14.0]);
    let (used, waiting) = (&report.gauge.used, &report.gauge.waiting);
    for at in [0.0, 2.0, 2.5, 3.0, 6.99] {
        assert_eq!((used.at(at), waiting.at(at)), (6.0, 1.0), "at {at}");
    }
    assert_eq!((used.at(7.0), waiting.at(7.0)), (6.0, 0.0));
    // The last read ends at 14: free from that very moment.
    assert_eq!((used.at(13.99), report.gauge.held.at(13.99)), (6.0, 1.0));
    assert_eq!((used.at(14.0), report.gauge.held.at(14.0)), (0.0, 0.0));
    assert_eq!(report.pool.p.mean_wait, 3.5);
}

#[test]
fn an_untaken_lease_ends_at_its_bound_and_leaves_its_prefix() {
    serq! {
        name: program;
        pool p { cap 10; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
          hold p (6) { run d (2); } cache (4) lease p (3);
          observe own = cachedin(p);
          run d (2.5);
          observe own = cachedin(p);
          run d (2);
          observe own = cachedin(p);
          hold p (6) { observe again = cached; run d (1); } cache (4);
        }
        gauge used = used(p);
        run { horizon 30; }
    }
    let report = report!(program);
    // The scope ends at 2, the lease at 5. Only then is there a prefix: not at 2, not at 4.5, but at 6.5.
    assert_eq!((report.gauge.used.at(4.99), report.gauge.used.at(5.0)), (6.0, 0.0));
    assert_eq!(seen(&report.observe.own), [(2.0, 0.0), (4.5, 0.0), (6.5, 4.0)]);
    assert_eq!(report.observe.again.values(), [4.0]);
    // Cached from 5 to 6.5, and again from 7.5 to the end at 30.
    assert!((report.pool.p.mean_cached - (1.5 + 22.5) * 4.0 / 30.0).abs() < 1e-12);
}

#[test]
fn several_leases_of_a_pool_end_oldest_first() {
    serq! {
        name: program;
        pool p { cap 10; }
        stage d : delay;
        workload { arrive batch(1); }
        session {
            hold p (1) { run d (1); } lease p (inf);
            hold p (2) { run d (1); } lease p (inf);
            hold p (4) { run d (1); } lease p (inf);
            release p; observe left = used(p);
            release p; observe left = used(p);
            release p; observe left = used(p);
            release p; observe left = used(p);
        }
        run { horizon 5; }
    }
    // With nothing left to release it does nothing.
    assert_eq!(report!(program).observe.left.values(), [6.0, 4.0, 0.0, 0.0]);
}

#[test]
fn a_lease_ends_with_its_session() {
    serq! {
        name: program;
        pool p { cap 10; }
        stage d : delay;
        workload { arrive batch(1); }
        session { hold p (6) { run d (1); } cache (5) lease p (inf); run d (1); end; }
        gauge used = used(p);
        run { horizon 4; }
    }
    let report = report!(program);
    assert_eq!(report.gauge.used.points(), [(0.0, 6.0), (2.0, 0.0)]);
    assert_eq!(report.pool.p.mean_cached, 5.0 * 2.0 / 4.0);
}

#[test]
fn a_lease_is_released_once_however_often_its_hold_runs() {
    // Session 1 is preempted after it released its lease and executes its hold anew, `release` and all, while session 2
    // holds 4 of the same pool.
    serq! {
        name: program;
        pool p { cap 10; }
        pool kv { cap 8; block 1; preempt lifo; }
        stage d : delay;
        stage E : step { cost 1; memory kv; }
        workload { arrive batch(3); }
        session {
          branch (serial < 2) {
            hold p (3) { run d (1); } lease p (inf);
            hold kv (2) {
              release p;
              observe left = used(p);
              set c = cached;
              run E prefill (max(0, 2 - c)) growing kv;
              run E decode (6 - max(2, c)) growing kv;
            } cache (6)
            observe done = now;
          } else {
            run d (0.5);
            hold p (4) { run d (50); }
          }
        }
        gauge used = used(p);
        run { horizon 40; }
    }
    let report = report!(program);
    assert_eq!(seen(&report.observe.left), [(1.0, 7.0), (1.0, 4.0), (5.0, 4.0), (6.0, 4.0)]);
    assert_eq!((report.pool.kv.preemptions, report.gauge.used.min()), (2, 4.0));
    assert_eq!(report.observe.done.values(), [6.0, 9.0]);
}

#[test]
fn a_hold_is_released_once_however_often_an_inner_one_runs() {
    // The same with an enclosing hold in place of the lease: its scope's end must not give it back a second time either.
    serq! {
        name: program;
        pool p { cap 10; }
        pool kv { cap 8; block 1; preempt lifo; }
        stage d : delay;
        stage E : step { cost 1; memory kv; }
        workload { arrive batch(3); }
        session {
          branch (serial < 2) {
            hold p (3) {
              hold kv (2) {
                release p;
                observe left = used(p);
                set c = cached;
                run E prefill (max(0, 2 - c)) growing kv;
                run E decode (6 - max(2, c)) growing kv;
              } cache (6)
            }
            observe done = now;
          } else {
            hold p (4) { run d (50); }
          }
        }
        gauge used = used(p);
        gauge held = holders(p);
        run { horizon 40; }
    }
    let report = report!(program);
    assert_eq!(report.observe.left.values(), [7.0, 4.0, 4.0, 4.0]);
    assert_eq!(report.observe.done.values(), [5.0, 8.0]);
    assert_eq!((report.gauge.used.min(), report.gauge.used.max()), (4.0, 4.0));
    assert_eq!((report.gauge.held.min(), report.gauge.held.max()), (1.0, 1.0));
}
