//! Prefixes that sessions share, block by block.

use crate::seen;
use serq_runtime::serq;

#[test]
fn a_session_finds_the_whole_blocks_that_another_left() {
    serq! {
        name: program;
        pool kv { cap 40; block 4; prefix shared; }
        stage nap : delay;
        workload { arrive batch(2); }
        session {
            prefix (7, 10);
            run nap (5 * serial);
            observe there = cachedin(kv);
            hold kv (12) { observe found = cached; run nap (1); } cache (12)
            observe after = cachedin(kv);
        }
        gauge used = used(kv);
        run { horizon 10; }
    }
    let report = report!(program);
    // Of the ten tokens two blocks; the third has tokens of the session's own.
    assert_eq!(report.observe.there.values(), [0.0, 8.0]);
    assert_eq!(report.observe.found.values(), [0.0, 8.0]);
    assert_eq!(report.observe.after.values(), [12.0, 12.0]);
    assert_eq!(report.gauge.used.at(5.5), 12.0);
    // 12 from 1 to 5, then the first one's last block, and from 6 on four blocks.
    let cached = (12.0 * 4.0 + 4.0 * 1.0 + 16.0 * 4.0) / 10.0;
    assert_eq!(report.pool.kv.mean_cached, cached);
}

#[test]
fn hits_that_others_hold_need_no_room() {
    serq! {
        name: program;
        pool kv { cap 16; block 4; prefix shared; }
        stage E : step { budget 100; cost 1; memory kv; }
        stage nap : delay;
        workload { arrive batch(3); }
        session {
            prefix (1, 8);
            run nap (1.5 * serial);
            hold kv (12) {
                observe found = cached;
                observe used = used(kv);
                run E prefill (12 - cached) growing kv;
                run nap (3);
            } cache (12)
        }
        run { horizon 20; }
    }
    let report = report!(program);
    // The second finds 8 held at 1.5 and takes the last block. The third lacks one until the first leaves at 4.
    assert_eq!(seen(&report.observe.found), [(0.0, 0.0), (1.5, 8.0), (4.0, 8.0)]);
    assert_eq!(report.observe.used.values(), [12.0, 16.0, 16.0]);
    assert_eq!(report.pool.kv.evicted_units, 4.0);
}

#[test]
fn a_block_can_be_hit_when_the_iteration_that_fills_it_is_planned() {
    serq! {
        name: program;
        pool kv { cap 40; block 4; prefix shared; }
        stage E : step { budget 4; cost 1; memory kv; }
        stage nap : delay;
        workload { arrive batch(2); }
        session {
            prefix (1, 8);
            branch (serial == 1) {
                run nap (0.5);
                loop { observe there = cachedin(kv); run nap (1); }
            }
            hold kv (12) { run E prefill (12) growing kv; } cache (12)
        }
        run { horizon 4; }
    }
    // The last block is the other's own.
    assert_eq!(report!(program).observe.there.values(), [4.0, 8.0, 8.0, 8.0]);
}

#[test]
fn an_idle_hit_is_taken_and_not_evicted_for_its_own_admission() {
    serq! {
        name: program;
        pool kv { cap 12; block 4; prefix shared; }
        stage nap : delay;
        workload { arrive batch(2); }
        session {
            prefix (1, 8);
            run nap (2 * serial);
            hold kv (12) { observe found = cached; run nap (1); } cache (12)
            run nap (1.5 - serial);
            observe left = cachedin(kv);
        }
        run { horizon 10; }
    }
    let report = report!(program);
    assert_eq!(report.observe.found.values(), [0.0, 8.0]);
    // At 2.5 the first session's own block has gone, at 3.5 the second's are all there.
    assert_eq!(seen(&report.observe.left), [(2.5, 8.0), (3.5, 12.0)]);
    assert_eq!(report.pool.kv.evicted_units, 4.0);
}

#[test]
fn released_blocks_are_evicted_in_order_each_release_from_its_last_block() {
    serq! {
        name: program;
        pool kv { cap 24; block 4; prefix shared; }
        stage nap : delay;
        workload { arrive batch(3); }
        session {
            branch (serial == 2) {
                run nap (2);
                hold kv (8) { run nap (0.5); }
                end;
            }
            prefix (serial, 8);
            hold kv (12) { run nap (1); } cache (12)
            run nap (2);
            observe left = cachedin(kv);
        }
        run { horizon 10; }
    }
    let report = report!(program);
    assert_eq!(report.observe.left.values(), [4.0, 12.0]);
    assert_eq!((report.pool.kv.evicted_units, report.pool.kv.evicted_entries), (8.0, 2));
}

#[test]
fn a_hit_block_is_as_young_as_its_last_release() {
    serq! {
        name: program;
        pool kv { cap 28; block 4; prefix shared; }
        stage nap : delay;
        workload { arrive batch(4); }
        session {
            branch (serial == 3) {
                run nap (5);
                hold kv (16) { run nap (0.5); }
                end;
            }
            branch (serial != 1) { prefix (1, 8); }
            run nap (serial);
            hold kv (serial == 1 ? 8 : 12) { run nap (0.5); } cache (12)
            run nap (5.5 - serial);
            observe left = cachedin(kv);
        }
        run { horizon 10; }
    }
    // Released: the first at 0.5, the second at 1.5, the third with the first's two blocks at 2.5. Six blocks stay;
    // four give way to 16 of 28 units less one that is free: the first's own, then both of the second.
    let report = report!(program);
    assert_eq!(report.observe.left.values(), [8.0, 0.0, 12.0]);
    assert_eq!(report.pool.kv.evicted_units, 12.0);
}

#[test]
fn segments_are_shared_as_far_as_they_agree_from_the_first_on() {
    serq! {
        name: program;
        pool kv { cap 100; block 4; prefix shared; }
        stage nap : delay;
        workload {
            arrive batch(4);
            init {
                prefix (serial == 3 ? 5 : 1, 8);
                prefix (serial == 1 ? 3 : 2, serial == 2 ? 8 : 4);
            }
            session { turn; run nap (serial); request; }
        }
        server { hold kv (16) { observe found = cached; run nap (0.5); } cache (16) }
        run { horizon 10; }
    }
    assert_eq!(report!(program).observe.found.values(), [0.0, 8.0, 12.0, 0.0]);
}

#[test]
fn reuse_bounds_the_hits_and_drop_discards_what_is_ones_own() {
    serq! {
        name: program;
        pool kv { cap 100; block 4; prefix shared; }
        workload { arrive batch(1); }
        session {
            prefix (1, 8);
            hold kv (16) { observe found = cached; } cache (16)
            hold kv (16) reuse (7) { observe found = cached; } cache (16)
            drop kv;
            observe left = cachedin(kv);
            hold kv (4) { observe found = cached; } cache (4)
        }
        run { horizon 1; }
    }
    let report = report!(program);
    // A hold never takes more hits than its units.
    assert_eq!(report.observe.found.values(), [0.0, 4.0, 4.0]);
    assert_eq!(report.observe.left.values(), [8.0]);
}

#[test]
fn what_is_leased_or_left_by_an_ended_session_can_be_hit() {
    serq! {
        name: program;
        pool kv { cap 100; block 4; prefix shared; }
        stage nap : delay;
        workload { arrive batch(3); }
        session {
            prefix (1, 8);
            run nap (serial);
            hold kv (8) { observe found = cached; } cache (8) lease kv (1.5)
            observe used = used(kv);
            run nap (1.5);
        }
        run { horizon 5; }
    }
    let report = report!(program);
    assert_eq!(report.observe.found.values(), [0.0, 8.0, 8.0]);
    // Two leases of the same blocks count once.
    assert_eq!(report.observe.used.values(), [8.0, 8.0, 8.0]);
}

#[test]
fn a_hold_without_cache_clause_neither_hits_nor_leaves_anything() {
    serq! {
        name: program;
        pool kv { cap 100; block 4; prefix shared; }
        workload { arrive batch(1); }
        session {
            prefix (1, 8);
            hold kv (8) { observe found = cached; }
            observe left = cachedin(kv);
            hold kv (8) { observe found = cached; } cache (8)
            hold kv (8) { observe found = cached; observe both = used(kv); }
            observe left = cachedin(kv);
        }
        run { horizon 1; }
    }
    let report = report!(program);
    assert_eq!(report.observe.found.values(), [0.0, 0.0, 0.0]);
    assert_eq!(report.observe.left.values(), [0.0, 8.0]);
    assert_eq!(report.observe.both.values(), [8.0]);
}

#[test]
fn pools_with_blocks_of_different_sizes_share_what_fills_theirs() {
    serq! {
        name: program;
        pool small { cap 100; block 4; prefix shared; }
        pool large { cap 100; block 16; prefix shared; }
        stage nap : delay;
        workload { arrive batch(2); }
        session {
            prefix (3, 24);
            run nap (serial);
            hold small (32), large (32) { run nap (0.5); } cache (32)
            run nap (3);
            observe of_small = cachedin(small);
            observe of_large = cachedin(large);
        }
        run { horizon 10; }
    }
    let report = report!(program);
    let (small, large) = (&report.pool.small, &report.pool.large);
    // The second hits 24 of 32, and 16 of 32.
    assert_eq!(report.observe.of_small.values(), [32.0, 32.0]);
    assert_eq!(report.observe.of_large.values(), [32.0, 32.0]);
    // From 1.5 to 10: 24 shared and twice 8; 16 shared and twice 16. The first alone from 0.5 to 1, and from 1 to
    // 1.5 what the second did not hit.
    assert_eq!(small.mean_cached, (32.0 * 0.5 + 8.0 * 0.5 + 40.0 * 8.5) / 10.0);
    assert_eq!(large.mean_cached, (32.0 * 0.5 + 16.0 * 0.5 + 48.0 * 8.5) / 10.0);
}
