//! Prefixes that stay cached: who finds what, and what is evicted for whom.

use crate::seen;
use serq_runtime::serq;

#[test]
fn a_session_finds_whole_blocks_of_its_own_prefix() {
    serq! {
        name: program;
        pool kv { cap 100; block 4; }
        workload { arrive batch(2); }
        session {
            hold kv (12) { observe found = cached; } cache (7)
            hold kv (12) { observe found = cached; } cache (12)
            hold kv (12) reuse (11) { observe found = cached; } cache (12)
        }
        run { horizon 1; }
    }
    // Nothing; 7 cut to 4; of 12 what `reuse` allows, cut to 8.
    let found = report!(program).observe.found.samples().to_vec();
    for session in 0..2 {
        let own: Vec<f64> = found.iter().filter(|s| s.1 == session).map(|s| s.3).collect();
        assert_eq!(own, [0.0, 4.0, 8.0]);
    }
}

#[test]
fn a_hold_without_cache_clause_touches_no_prefix() {
    serq! {
        name: program;
        pool kv { cap 100; block 4; }
        workload { arrive batch(1); }
        session {
            hold kv (8) { observe first = now; } cache (8)
            hold kv (8) { observe found = cached; observe there = cachedin(kv); }
            observe after = cachedin(kv);
        }
        run { horizon 1; }
    }
    let report = report!(program);
    let found = [&report.observe.found, &report.observe.there, &report.observe.after];
    assert_eq!(found.map(|o| o.mean()), [0.0, 8.0, 8.0]);
}

#[test]
fn lru_evicts_the_prefix_that_was_released_first() {
    serq! {
        name: program;
        pool kv { cap 10; evict lru; }
        stage nap : delay;
        workload { arrive batch(3); }
        session {
            run nap (serial);
            hold kv (serial == 2 ? 6 : 4) { observe admitted = serial; } cache (serial == 2 ? 0 : 4)
            run nap (1);
            observe left = cachedin(kv);
            run nap (2);
            observe in_the_end = cachedin(kv) + 10 * serial;
        }
        run { horizon 10; }
    }
    let report = report!(program);
    // At 2 there are 4 + 4 cached, and 6 beside them are too many by 4: the older goes, whole.
    assert_eq!(seen(&report.observe.left), [(1.0, 4.0), (2.0, 4.0), (3.0, 0.0)]);
    assert_eq!(seen(&report.observe.in_the_end), [(3.0, 0.0), (4.0, 14.0), (5.0, 20.0)]);
    assert_eq!((report.pool.kv.evicted_entries, report.pool.kv.evicted_units), (1, 4.0));
}

#[test]
fn evict_keys_take_the_smallest_first() {
    serq! {
        name: program;
        pool kv { cap 10; evict by (size); }
        stage nap : delay;
        workload { arrive batch(3); }
        session {
            run nap (serial);
            hold kv (serial == 2 ? 6 : 5 - serial) { observe admitted = serial; } cache (serial == 2 ? 0 : 5)
            run nap (3);
            observe left = cachedin(kv);
        }
        run { horizon 10; }
    }
    let report = report!(program);
    // 5 and 4 cached, 6 wanted: the 4 go first, and then the 5 too.
    assert_eq!(report.observe.left.values(), [0.0, 0.0, 0.0]);
    serq! {
        name: smaller;
        pool kv { cap 10; evict by (size); }
        stage nap : delay;
        workload { arrive batch(3); }
        session {
            run nap (serial);
            hold kv (5 - serial) { observe admitted = serial; } cache (serial == 2 ? 0 : 5)
            run nap (3);
            observe left = cachedin(kv);
        }
        run { horizon 10; }
    }
    // Only 3 wanted: without the 4 there is room.
    assert_eq!(report!(smaller).observe.left.values(), [5.0, 0.0, 0.0]);
}

#[test]
fn blocks_are_evicted_from_the_tail_one_at_a_time() {
    serq! {
        name: program;
        pool kv { cap 12; block 4; evict lru; }
        stage nap : delay;
        workload { arrive batch(2); }
        session {
            run nap (serial);
            hold kv (8) { observe found = cached; run nap (0.5); } cache (serial == 0 ? 8 : 0)
            run nap (1);
            hold kv (8) { observe again = cached; } cache (0)
        }
        run { horizon 10; }
    }
    let report = report!(program);
    assert_eq!(report.observe.found.values(), [0.0, 0.0]);
    // 8 + 8 are 4 too many at 1; the first 4 of the prefix are left for its session at 1.5.
    assert_eq!(seen(&report.observe.again), [(1.5, 4.0), (2.5, 0.0)]);
    assert_eq!((report.pool.kv.evicted_entries, report.pool.kv.evicted_units), (0, 4.0));
}

#[test]
fn what_a_reuse_leaves_is_nobodys_and_goes_by_its_age() {
    serq! {
        name: program;
        pool kv { cap 16; block 4; }
        stage nap : delay;
        workload { arrive batch(1); }
        session {
            hold kv (12) { run nap (1); } cache (12)
            hold kv (4) reuse (4) { observe found = cached; observe own = cachedin(kv); run nap (1); } cache (4)
            observe own = cachedin(kv);
        }
        gauge used = used(kv);
        run { horizon 4; }
    }
    let report = report!(program);
    // 4 of 12 are consumed; the other 8 stay cached, but not as the session's.
    assert_eq!(report.observe.found.values(), [4.0]);
    assert_eq!(seen(&report.observe.own), [(1.0, 0.0), (2.0, 4.0)]);
    assert_eq!(report.pool.kv.mean_cached, (8.0 + 2.0 * 12.0) / 4.0);
}

#[test]
fn drop_discards_the_sessions_own_prefix() {
    serq! {
        name: program;
        pool kv { cap 100; }
        stage nap : delay;
        workload { arrive batch(2); }
        session {
            hold kv (8) { run nap (1); } cache (8)
            branch (serial == 0) { drop kv; }
            observe left = cachedin(kv);
        }
        run { horizon 2; }
    }
    let report = report!(program);
    assert_eq!(report.observe.left.values(), [0.0, 8.0]);
    // The other's stays when its session has ended.
    assert_eq!((report.pool.kv.mean_cached, report.pool.kv.evicted_units), (4.0, 0.0));
}

#[test]
fn a_spilled_prefix_is_in_its_tier_at_once_and_loads_the_link() {
    serq! {
        name: program;
        pool host { cap 100; }
        stage bus : fifo;
        pool kv { cap 10; spill host via bus (size / 2) when (size > 3); }
        stage nap : delay;
        workload { arrive batch(3); }
        session {
            run nap (serial);
            hold kv (serial == 0 ? 3 : serial == 1 ? 4 : 10) { observe admitted = serial; } cache (serial == 2 ? 0 : 4)
            run nap (2);
            observe on_host = cachedin(host);
        }
        run { horizon 10; }
    }
    let report = report!(program);
    // At 2 both go, and the 4 of session 1 are written: 2 s on the bus.
    assert_eq!(seen(&report.observe.on_host), [(2.0, 0.0), (3.0, 4.0), (4.0, 0.0)]);
    assert_eq!((report.pool.kv.spills, report.pool.kv.evicted_units), (1, 7.0));
    assert_eq!((report.stage.bus.completed, report.stage.bus.mean_service), (1, 2.0));
}
