//! Members of queues that fail and come back, and leases that heartbeats renew.

use crate::seen;
use serq_runtime::serq;

#[test]
fn a_request_that_loses_its_member_goes_on_in_the_else_of_its_call() {
    serq! {
        name: program;
        queue gw : gateway {
            route {
                set n = 4;
                set lost = 0;
                D[0].decode (n) else {
                    set lost = 1;
                    D[1].decode (n) else { set lost = 2; }
                }
                observe lost = lost;
                observe done = now;
            }
        }
        queue D[2] : decode {
            pool kv { cap 100; }
            serve step { cost 1; memory kv; }
            decode (n) { hold kv (n) { decode (n); } }
        }
        stage nap : delay;
        workload { arrive batch(3); session { turn; run nap (serial * (serial == 2 ? 6.5 : 5)); request gw; } }
        fail D[0] at 2.5 for 10;
        gauge used = used(D[0].kv);
        gauge up = up(D[0]);
        run { horizon 30; }
    }
    let report = report!(program);
    // The first has three of four tokens at 2.5 and begins again on the other pod; the second comes while the pod is
    // down, and shares the other's iterations from 5.5 on; the third comes when it is back.
    assert_eq!(seen(&report.observe.lost), [(6.5, 1.0), (9.5, 1.0), (17.0, 0.0)]);
    let (used, up) = (&report.gauge.used, &report.gauge.up);
    assert_eq!([2.0, 2.5, 12.9, 13.0].map(|t| used.at(t)), [4.0, 0.0, 0.0, 4.0]);
    assert_eq!([2.4, 2.5, 12.4, 12.5].map(|t| up.at(t)), [1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn whoever_waits_at_a_member_that_fails_loses_it_too_in_the_order_of_arrival() {
    serq! {
        name: program;
        queue gw : gateway {
            route { Q.prefill (1) else { observe lost = serial; } observe done = serial; }
        }
        queue Q : prefill {
            pool slots { cap 2; }
            serve fifo;
            prefill (x) { hold slots (x) { run (4); } }
        }
        workload { arrive batch(4); session { turn; request gw; } }
        fail Q at 5 for inf;
        run { horizon 30; }
    }
    let report = report!(program);
    // The first is served until 4; one of three is served then, one has a slot, one waits for it.
    assert_eq!(seen(&report.observe.lost), [(5.0, 1.0), (5.0, 2.0), (5.0, 3.0)]);
    assert_eq!(report.observe.done.values(), [0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn what_a_member_has_cached_is_gone_when_it_is_back() {
    serq! {
        name: program;
        queue gw : gateway {
            route {
                set n = 8;
                D[serial].decode (n) else { set n = 0; }
                observe after = cachedin(D[serial].kv);
                run nap (4);
                observe later = cachedin(D[serial].kv);
            }
        }
        queue D[2] : decode {
            pool kv { cap 100; block 4; }
            serve step { cost 1; memory kv; }
            decode (n) { hold kv (n) { decode (1); } cache (n) }
        }
        stage nap : delay;
        workload { arrive batch(2); session { turn; request gw; } }
        fail D[1] at 2 for 1;
        run { horizon 30; }
    }
    let report = report!(program);
    assert_eq!(report.observe.after.values(), [8.0, 8.0]);
    assert_eq!(report.observe.later.values(), [8.0, 0.0]);
}

#[test]
fn a_read_from_a_member_that_failed_fails_when_it_would_end() {
    serq! {
        name: program;
        let dies = 3;
        queue gw : gateway {
            route {
                P.prefill (8) else { observe prefill_lost = now; }
                D.decode (8) from P;
            }
        }
        queue P : prefill {
            pool kv { cap 100; }
            serve step { cost 1; memory kv; }
            nic ps(4);
            prefill (n) { hold kv (n) { prefill (n); } lease kv (inf) }
        }
        queue D : decode {
            pool kv { cap 100; }
            serve step { cost 1; memory kv; }
            nic ps(8);
            decode (n) from src {
                hold kv (n) {
                    set read = 1;
                    transfer (n) from src to kv (n) else { set read = 0; }
                    observe read = read;
                }
            }
        }
        D pull P share maxmin;
        workload { arrive batch(1); session { turn; request gw; } }
        gauge leased = used(P.kv);
        fail P at dies for 1;
        run { horizon 30; }
    }
    // Prefilled at 1, read from then to 3.
    let read = |dies: f64| {
        let params = program::Params { dies };
        let report = program::run(&params, crate::kept()).unwrap_or_else(|error| panic!("{error}"));
        (
            seen(&report.observe.read),
            report.gauge.leased.at(2.5),
            report.observe.prefill_lost.values().to_vec(),
        )
    };
    assert_eq!(read(3.5), (vec![(3.0, 1.0)], 8.0, vec![]));
    assert_eq!(read(2.0), (vec![(3.0, 0.0)], 0.0, vec![]));
    // It dies while it prefills: nothing is leased, so nothing is read.
    assert_eq!(read(0.5), (vec![(0.5, 0.0)], 0.0, vec![0.5]));
}

#[test]
fn heartbeats_renew_a_lease_while_its_reader_waits() {
    serq! {
        name: program;
        pool p { cap 10; }
        pool q { cap 5; }
        stage d : delay;
        workload { arrive batch(2); }
        session {
            branch (serial == 0) { hold q (5) { run d (7.2); } end; }
            hold p (6) { } lease p (2) renew (1.5, 2);
            hold q (5) { observe left = leased(p); run d (3); observe left = leased(p); }
            run d (5);
            observe left = leased(p);
        }
        gauge used = used(p);
        run { horizon 30; }
    }
    let report = report!(program);
    // Heartbeats at 1.5, 3, … find it in q's queue, from 7.2 to 10.2 in its hold; that of 9 is the last to count, so
    // that the lease ends at 11, before the next but one.
    assert_eq!(seen(&report.observe.left), [(7.2, 6.0), (10.2, 6.0), (15.2, 0.0)]);
    assert_eq!([10.9, 11.0].map(|t| report.gauge.used.at(t)), [6.0, 0.0]);
}

#[test]
fn a_lease_that_nobody_renews_ends_and_a_heartbeat_at_its_end_comes_in_time() {
    serq! {
        name: program;
        pool p { cap 20; }
        pool slots { cap 2; }
        stage d : delay;
        workload { arrive batch(2); }
        session {
            hold p (6) { } lease p (3) renew (1.5, 4);
            branch (serial == 0) { run d (2.9); }
            hold slots (1) { run d (3.1 - (serial == 0 ? 2.9 : 0)); observe left = leased(p); run d (5); }
        }
        gauge used = used(p);
        run { horizon 30; }
    }
    let report = report!(program);
    // The first reads from 2.9 on: the heartbeat of 3, when its lease would end, extends it to 7.
    assert_eq!(report.observe.left.values(), [6.0, 6.0]);
    // Renewed up to 11.5, both end with their sessions.
    assert_eq!([8.0, 8.1].map(|t| report.gauge.used.at(t)), [12.0, 0.0]);
}

#[test]
fn a_transfer_fails_when_the_lease_ends_before_it_does() {
    serq! {
        name: program;
        pool p { cap 20; }
        pool q { cap 20; }
        stage link : fifo;
        stage d : delay;
        workload { arrive batch(3); }
        session {
            run d (10 * serial);
            hold p (6) { } lease p (2);
            run d (serial == 2 ? 2.5 : 0);
            hold q (6) {
                set ok = 1;
                transfer on link (serial == 0 ? 1 : 3) from p to q (6) else { set ok = 0; }
                observe ok = ok;
            } cache (6)
            observe kept = cachedin(q);
        }
        run { horizon 50; }
    }
    let report = report!(program);
    // In time; over at 13, a second late; not begun at all.
    assert_eq!(seen(&report.observe.ok), [(1.0, 1.0), (13.0, 0.0), (22.5, 0.0)]);
    assert_eq!(report.stage.link.completed, 2);
}

#[test]
fn leases_of_a_request_that_lost_its_reader_are_renewed_no_more() {
    serq! {
        name: program;
        queue gw : gateway {
            route {
                P.prefill (8);
                D[0].decode (8) from P else {
                    set lost = now;
                    D[1].decode (8) from P else { set lost = 0; }
                    observe lost = lost;
                }
            }
        }
        queue P : prefill {
            pool kv { cap 100; }
            serve step { cost 1; memory kv; }
            nic ps(1);
            prefill (n) { hold kv (n) { prefill (n); } lease kv (3) renew (1, 3) }
        }
        queue D[2] : decode {
            pool kv { cap 100; }
            serve step { cost 1; memory kv; }
            nic ps(1);
            decode (n) from src {
                hold kv (n) {
                    set read = 1;
                    transfer (n) from src to kv (n) else { set read = 0; }
                    observe read = read;
                }
            }
        }
        D pull P share maxmin;
        workload { arrive batch(1); session { turn; request gw; } }
        gauge leased = used(P.kv);
        fail D[0] at 5.5 for inf;
        run { horizon 30; }
    }
    let report = report!(program);
    // Leased from 1, renewed at 2, 3, 4 and 5; D[0] dies with its read at 5.5, and the lease ends at 8, while D[1]
    // reads from 5.5 to 13.5.
    let leased = &report.gauge.leased;
    assert_eq!([1.0, 7.9, 8.0].map(|t| leased.at(t)), [8.0, 8.0, 0.0]);
    assert_eq!(seen(&report.observe.read), [(13.5, 0.0)]);
}

#[test]
fn a_preemption_out_of_a_call_leaves_the_call() {
    serq! {
        name: program;
        pool M { cap 10; preempt lifo; }
        stage nap : delay;
        queue gw : gateway {
            route {
                set lost = 0;
                branch (serial == 1) { run nap (0.5); }
                hold M (4) {
                    branch (serial == 0) { run nap (1); grow M (3); run nap (3); }
                    else {
                        D[0].decode (2) else { set lost = 1; }
                        run nap (1);
                    }
                }
                run nap (20);
                observe done = now;
                observe lost = lost;
            }
        }
        queue D[2] : decode {
            pool kv { cap 100; }
            serve fifo;
            decode (n) { hold kv (n) { run (n); } }
        }
        workload { arrive batch(2); session { turn; request gw; } }
        fail D[0] at 15 for 10;
        run { horizon 60; }
    }
    let report = report!(program);
    // The second is preempted at 1 in its call, comes back at 4 and is through with both at 7: the pod's death finds it
    // napping.
    assert_eq!(seen(&report.observe.done), [(24.0, 24.0), (27.0, 27.0)]);
    assert_eq!(report.observe.lost.values(), [0.0, 0.0]);
}

#[test]
fn a_queue_without_pools_fails_too() {
    serq! {
        name: program;
        queue gw : gateway {
            route { Q.prefill (4) else { observe lost = now; run nap (10); } observe done = now; }
        }
        stage nap : delay;
        queue Q : prefill { serve fifo; prefill (x) { run (x); } }
        workload { arrive batch(2); session { turn; request gw; } }
        fail Q at 2 for 1;
        run { horizon 60; }
    }
    let report = report!(program);
    assert_eq!(report.observe.lost.values(), [2.0, 2.0]);
    assert_eq!(report.observe.done.values(), [12.0, 12.0]);
}

#[test]
fn a_session_that_has_ended_is_not_brought_back() {
    serq! {
        name: program;
        queue gw : gateway {
            route {
                set big = 250 * 2;
                fork { run nap (10); observe leg = now; }
                D[0].decode (big) else { observe lost = now; }
                observe done = now;
                join;
            }
        }
        stage nap : delay;
        queue D[2] : decode {
            pool kv { cap 100; }
            serve fifo;
            decode (n) { hold kv (n) { run (n); } }
        }
        workload { arrive batch(1); session { turn; request gw; } }
        fail D[0] at 5 for 1;
        run { horizon 60; }
    }
    // Rejected at once; only its leg goes on.
    let report = report!(program);
    assert_eq!(report.observe.leg.values(), [10.0]);
    assert_eq!((report.observe.lost.values().len(), report.observe.done.values().len()), (0, 0));
}

#[test]
fn a_leg_reads_under_the_lease_of_whoever_forked_it() {
    serq! {
        name: program;
        queue gw : gateway {
            route { P.prefill (8); fork { D.decode (8) from P; } join; observe left = used(P.kv); }
        }
        queue P : prefill {
            pool kv { cap 100; }
            serve step { cost 1; memory kv; }
            nic ps(4);
            prefill (n) { hold kv (n) { prefill (n); } lease kv (30) }
        }
        queue D : decode {
            pool kv { cap 100; }
            serve step { cost 1; memory kv; }
            nic ps(8);
            decode (n) from src {
                hold kv (n) {
                    set read = 1;
                    transfer (n) from src to kv (n) else { set read = 0; }
                    observe read = read;
                }
            }
        }
        D pull P share maxmin;
        workload { arrive batch(1); session { turn; request gw; } }
        run { horizon 30; }
    }
    let report = report!(program);
    assert_eq!(seen(&report.observe.read), [(3.0, 1.0)]);
    assert_eq!(report.observe.left.values(), [0.0]);
}
