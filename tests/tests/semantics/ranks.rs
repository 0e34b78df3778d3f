//! Reads over several NICs of a pod, one per rank.

use crate::seen;
use serq_runtime::serq;

/// A read of 40 tokens by a decode pod with `$d` NICs of a prefill pod with `$p`, of 10 tokens a second each.
macro_rules! read {
    ($program:ident, $p:literal, $d:literal) => {
        serq! {
            name: $program;
            queue P[2] : prefill {
                pool kv { cap 100; }
                serve delay;
                nic[$p] ps(10);
                prefill (x) { hold kv (x) { run (1); } lease kv (inf); }
            }
            queue D[2] : decode {
                pool kv { cap 100; }
                serve delay;
                nic[$d] ps(10);
                decode (x) { run (1); }
                decode (x) from src { hold kv (x) { transfer (x) from src to kv (x); mark read; } }
            }
            D pull P share maxmin;
            queue gw : gateway {
                route { P[1].prefill (40); D[1].decode (40) from P[1]; observe read = D.read - 1; }
            }
            workload { arrive batch(1); session { turn; request gw; } }
            gauge first = queue(P[1].nic[0]);
            gauge last = queue(D[1].nic[$d - 1]);
            gauge others = queue(P[0].nic[$p - 1]) + queue(D[0].nic[$d - 1]);
            run { horizon 20; }
        }
    };
}

read!(alike, 4, 4);
read!(wide_source, 4, 2);
read!(wide_reader, 1, 4);

#[test]
fn each_rank_reads_its_share_over_its_own_pair_of_nics() {
    let report = report!(alike);
    assert_eq!(report.observe.read.values(), [1.0]);
    assert_eq!((report.gauge.first.at(1.5), report.gauge.last.at(1.5)), (1.0, 1.0));
    assert_eq!(report.gauge.others.max(), 0.0);
}

#[test]
fn a_nic_of_the_side_with_fewer_carries_several_shares() {
    // Four shares of 10 over two NICs at the reader: two on each, at 5 a second.
    let report = report!(wide_source);
    assert_eq!(report.observe.read.values(), [2.0]);
    assert_eq!((report.gauge.first.at(1.5), report.gauge.last.at(1.5)), (1.0, 2.0));
    // Four over one at the source.
    let report = report!(wide_reader);
    assert_eq!(report.observe.read.values(), [4.0]);
    assert_eq!((report.gauge.first.at(1.5), report.gauge.last.at(1.5)), (4.0, 1.0));
}

#[test]
fn a_transfer_ends_with_the_last_rank() {
    serq! {
        name: program;
        queue P : prefill {
            pool kv { cap 100; }
            serve delay;
            nic[2] ps(10);
            prefill (x) { hold kv (x) { run (1); } lease kv (inf); }
        }
        queue D : decode {
            pool kv { cap 100; }
            serve delay;
            nic[2] ps(10);
            decode (x) { run (1); }
            decode (x) from src { hold kv (x) { transfer (x) from src to kv (x); mark read; } }
        }
        D pull P share maxmin;
        queue gw : gateway {
            route {
                branch (serial == 1) {
                    run P.nic[1] (50);
                    observe beside = now;
                } else {
                    P.prefill (40);
                    D.decode (40) from P;
                    observe read = D.read;
                }
            }
        }
        workload { arrive batch(2); session { turn; request gw; } }
        gauge quick = queue(D.nic[0]);
        gauge slow = queue(D.nic[1]);
        run { horizon 20; }
    }
    let report = report!(program);
    // Rank 1 shares its NIC at the source with 50 of another from 1 s on: 10 of them are gone then; it has 20 at 5 a
    // second. Rank 0 is there at 3.
    assert_eq!(seen(&report.observe.read), [(5.0, 5.0)]);
    assert_eq!(report.observe.beside.values(), [7.0]);
    assert_eq!((report.gauge.quick.at(3.5), report.gauge.slow.at(3.5)), (0.0, 1.0));
}

#[test]
fn an_entry_names_the_nics_of_its_own_member() {
    serq! {
        name: program;
        queue P[2] : prefill {
            pool kv { cap 100; }
            serve delay;
            nic[3] ps(10);
            prefill (x) { hold kv (x) { run P.nic[2] (x); } observe busy = queue(P.nic[1]); }
        }
        share bottleneck;
        workload { arrive batch(2); }
        session {
            turn;
            branch (serial == 1) { run P[1].nic[1] (60); observe done = now; end; }
            P[1].prefill (20);
            observe done = now;
        }
        run { horizon 20; }
    }
    let report = report!(program);
    assert_eq!(report.observe.done.values(), [2.0, 6.0]);
    assert_eq!(report.observe.busy.values(), [1.0]);
}

#[test]
fn an_index_is_checked_against_the_members_and_against_the_ranks() {
    for (member, rank, wrong) in [(1.0, 1.0, ""), (2.0, 0.0, "0 to 1"), (0.0, 2.0, "0 to 1")] {
        serq! {
            name: program;
            let member = 0;
            let rank = 0;
            queue P[2] : prefill {
                pool kv { cap 100; }
                serve delay;
                nic[2] ps(10);
                prefill (x) { hold kv (x) { run (1); } }
            }
            share maxmin;
            workload { arrive batch(1); }
            session {
                turn;
                set i = member;
                set r = rank;
                run P[i].nic[r] (20);
                observe done = now;
                P[0].prefill (1);
            }
            run { horizon 20; }
        }
        let params = program::Params { member, rank };
        let run = program::run(&params, crate::kept());
        match run {
            Ok(report) => assert_eq!((report.observe.done.values(), wrong), (vec![2.0], "")),
            Err(error) => {
                let said = error.to_string();
                assert!(!wrong.is_empty() && said.contains(wrong), "{member} {rank}: {said}");
            }
        }
    }
}
