//! Prefill pods that hand over to decode pods.

use crate::seen;
use serq_runtime::serq;

#[test]
fn store_and_forward_prefills_everything_with_a_full_decoder() {
    // Six requests; the decode pod has room for one, which it keeps for 400 s, the prefill pod for two. The copy out of
    // the prefill pod needs no room on the other side.
    serq! {
        name: program;
        queue P[1] : prefill {
          pool kv { cap 20; block 1; }
          serve step { cost 1; memory kv; }
          prefill (prompt) { hold kv (prompt) { prefill (prompt) growing kv; run wire[0] (prompt); } }
        }
        queue wire[1] : link { serve fifo; }
        queue D[1] : decode {
          pool kv { cap 500; block 1; }
          serve step { cost 1; memory kv; }
          decode (prompt) { hold kv (500) { load kv (prompt); decode (400) growing kv; } }
        }
        queue gw : gateway {
          route { P[0].prefill (10); observe prefilled = serial; D[0].decode (10); }
        }
        workload { arrive batch(6); session { request gw; } }
        gauge held = used(P[0].kv);
        gauge waiting = queued(P[0].kv);
        run { horizon 200; }
    }
    let report = report!(program);
    // An iteration of 1 s prefills two; the copies of 10 s follow one another and each lets the next request in.
    assert_eq!(report.observe.prefilled.times(), [11.0, 21.0, 31.0, 41.0, 51.0, 61.0]);
    assert_eq!(report.gauge.held.at(61.0), 0.0);
    assert_eq!((report.pool.d_kv[0].admissions, report.pool.d_kv[0].waiting), (1, 5));
}

#[test]
fn a_pull_stops_the_prefill_pod_when_the_decoder_is_full() {
    // The same deployment with the decode pod reading: the prefill pod's units are leased until it does.
    serq! {
        name: program;
        queue P[1] : prefill {
          pool kv { cap 20; block 1; }
          serve step { cost 1; memory kv; }
          nic ps(1);
          prefill (prompt) { hold kv (prompt) { prefill (prompt) growing kv; } lease kv (inf); }
        }
        queue D[1] : decode {
          pool kv { cap 500; block 1; }
          serve step { cost 1; memory kv; }
          nic ps(1);
          decode (prompt) { hold kv (500) { prefill (prompt) growing kv; decode (400) growing kv; } }
          decode (prompt) from src {
            hold kv (500) { transfer (prompt) from src to kv (prompt); decode (400) growing kv; }
          }
        }
        D pull P share maxmin;
        queue gw : gateway {
          route { P[0].prefill (10); observe prefilled = serial; D[0].decode (10) from P[0]; }
        }
        workload { arrive batch(6); session { request gw; } }
        gauge held = used(P[0].kv);
        gauge waiting = queued(P[0].kv);
        run { horizon 200; }
    }
    let report = report!(program);
    // Two are prefilled at 1. One is read by 11, which lets a third in; after that two leases fill the prefill pod,
    // and three requests wait for it as long as the decode pod is busy.
    assert_eq!(report.observe.prefilled.times(), [1.0, 1.0, 12.0]);
    let (held, waiting) = (&report.gauge.held, &report.gauge.waiting);
    assert_eq!((held.at(10.99), waiting.at(10.99)), (20.0, 4.0));
    assert_eq!((held.at(200.0), waiting.at(200.0)), (20.0, 3.0));
    assert_eq!(report.pool.d_kv[0].admissions, 1);
}

#[test]
fn concurrent_reads_share_both_nics_after_the_readers_latency() {
    serq! {
        name: program;
        queue P[1] : prefill {
            pool kv { cap 100; block 1; }
            serve step { cost 1; memory kv; }
            nic ps(4);
            prefill (prompt) { hold kv (prompt) { prefill (prompt) growing kv; } lease kv (inf); }
        }
        queue D[2] : decode {
            pool kv { cap 100; block 1; }
            serve step { cost 1; memory kv; }
            nic ps(3);
            decode (prompt) from src {
                hold kv (prompt) { transfer (prompt) from src to kv (prompt); mark read; }
            }
        }
        D pull P latency 0.5 share maxmin;
        queue gw : gateway {
            route { P[0].prefill (12); D[serial].decode (12) from P[0]; observe read = D.read; }
        }
        workload { arrive batch(2); session { request gw; } }
        gauge leased = used(P[0].kv);
        run { horizon 10; }
    }
    let report = report!(program);
    // Prefilled together at 1; from 1.5 on each reads 2 per second.
    assert_eq!(seen(&report.observe.read), [(7.5, 7.5), (7.5, 7.5)]);
    assert_eq!((report.gauge.leased.at(7.49), report.gauge.leased.at(7.5)), (24.0, 0.0));
    assert_eq!(report.stage.p_nic[0].utilization, 24.0 / (4.0 * 10.0));
    assert_eq!(report.stage.d_nic[1].utilization, 12.0 / (3.0 * 10.0));
    assert_eq!(report.stage.d_nic_latency[0].mean_service, 0.5);
}

#[test]
fn a_prefiller_reads_back_what_the_decoder_leased_between_the_turns() {
    serq! {
        name: program;
        queue P : prefill {
            pool kv { cap 100; }
            serve step { cost tokens; memory kv; }
            nic ps(10);
            prefill (x) {
                hold kv (x) { set c = cached; prefill (x - c) growing kv; } cache (x) lease kv (inf);
            }
            prefill (x) from src {
                hold kv (x) {
                    set c = cached;
                    transfer (said - c) from src to kv (said - c);
                    mark read;
                    prefill (x - said) growing kv;
                } cache (x) lease kv (inf);
            }
        }
        queue D : decode {
            pool kv { cap 100; }
            serve step { cost tokens; memory kv; }
            nic ps(10);
            decode (x) from src {
                hold kv (x) {
                    set c = cached;
                    transfer (x - c) from src to kv (x - 1 - c);
                    mark read;
                    prefill (1) growing kv;
                    decode (4) growing kv;
                } cache (x + 4) lease kv (inf);
            }
        }
        D pull P share maxmin;
        P pull D share maxmin;
        queue gw : gateway {
            route {
                branch (turn_no == 1) {
                    P.prefill (10);
                    D.decode (10) from P;
                } else {
                    P.prefill (20) from D;
                    observe back = P.read;
                    observe here = P.c;
                    observe prefilled = now;
                    D.decode (20) from P;
                    observe there = D.c;
                    observe read = D.read;
                }
            }
        }
        stage tool : delay;
        workload {
            arrive batch(1);
            hidden said;
            session {
                turn;
                request gw;
                set said = 14;
                tool (4);
                turn;
                request gw;
                observe done = now;
            }
        }
        gauge of_p = used(P.kv);
        gauge of_d = used(D.kv);
        run { horizon 40; }
    }
    let report = report!(program);
    let seen = |observed: &serq_runtime::inline::Observation| observed.values()[0];
    // Prefilled at 10, read at 11, the first token at 12, the last at 16: 14 tokens have KV then, and stay leased.
    assert_eq!((report.gauge.of_p.at(10.5), report.gauge.of_p.at(11.5)), (10.0, 0.0));
    assert_eq!(report.gauge.of_d.at(18.0), 14.0);
    // At 20 the prefiller has the first prompt's 10, reads 4 in 0.4 s, which ends the lease, and computes 6.
    assert_eq!((seen(&report.observe.here), seen(&report.observe.back)), (10.0, 20.4));
    assert_eq!(report.gauge.of_d.at(20.5), 0.0);
    assert!((seen(&report.observe.prefilled) - 26.4).abs() < 1e-9);
    // The decoder has its 14 cached and reads the 6.
    assert_eq!(seen(&report.observe.there), 14.0);
    assert!((seen(&report.observe.read) - 27.0).abs() < 1e-9);
    assert!((seen(&report.observe.done) - 32.0).abs() < 1e-9);
}
