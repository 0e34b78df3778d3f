//! Step engines: what an iteration takes, and what it lasts.

use crate::seen;
use serq_runtime::serq;

#[test]
fn serve_orders_read_the_residents_attributes() {
    // Two of four decodes of two tokens are served at a time: the later classes, then who came last. Serve orders
    // alone read `class`, so nothing else keeps it for them.
    serq! {
        name: program;
        stage E : step { budget 2; cost 1; serve only (class < 9) by (-class, -serial); }
        workload { arrive batch(5); }
        session {
          set class = serial == 4 ? 9 : serial > 1 ? 1 : 0;
          run E decode (2);
          observe served = now * 10 + serial;
        }
        run { horizon 20; }
    }
    assert_eq!(report!(program).observe.served.values(), [23.0, 22.0, 41.0, 40.0]);
}

#[test]
fn the_memory_of_an_engines_residents_is_read_from_outside() {
    // One decodes from step 1, one comes to prefill 12 tokens by 4 from step 2 on; the third looks in mid-step.
    serq! {
        name: program;
        pool kv { cap 40; block 4; preempt lifo; }
        stage E : step { budget 8; chunk 4; cost 1; memory kv; }
        stage d : delay;
        workload { arrive batch(3); }
        session {
          branch (serial == 2) {
            run d (0.5);
            loop {
              observe decoding = kv_decode(E);
              observe prefilling = kv_prefill(E);
              run d (1);
            }
          }
          branch (serial == 1) { run d (2); }
          hold kv (4) {
            run E prefill (serial == 0 ? 4 : 12) growing kv;
            run E decode (serial == 0 ? 6 : 2) growing kv;
          }
        }
        run { horizon 8; }
    }
    let report = report!(program);
    assert_eq!(report.observe.decoding.values(), [0.0, 8.0, 8.0, 8.0, 8.0, 28.0, 28.0, 0.0]);
    assert_eq!(report.observe.prefilling.values(), [4.0, 0.0, 4.0, 8.0, 12.0, 0.0, 0.0, 0.0]);
}

#[test]
fn a_prefill_takes_its_chunk_and_what_is_left_of_the_budget() {
    serq! {
        name: program;
        stage E : step { budget 6; chunk 4; cost 1; }
        workload { arrive batch(2); }
        session { run E prefill (8); observe done = serial; }
        run { horizon 4; }
    }
    let report = report!(program);
    // 4 + 2, then 4 + 2, then the 4 that the second has left.
    assert_eq!(seen(&report.observe.done), [(2.0, 0.0), (3.0, 1.0)]);
    let engine = &report.stage.e;
    assert_eq!((engine.iterations, engine.prefill_tokens), (3, 16.0));
    assert_eq!((engine.prefill_only, engine.utilization), (0.75, 0.75));
}

#[test]
fn a_decode_takes_a_token_or_the_fraction_that_is_left() {
    serq! {
        name: program;
        stage E : step { cost 1 + tokens; }
        workload { arrive batch(2); }
        session { run E decode (serial == 0 ? 2.5 : 1); observe done = serial; }
        run { horizon 10; }
    }
    let report = report!(program);
    // Iterations of 2, 1 and 0.5 tokens last 3, 2 and 1.5.
    assert_eq!(seen(&report.observe.done), [(3.0, 1.0), (6.5, 0.0)]);
    let engine = &report.stage.e;
    assert_eq!((engine.iterations, engine.decode_tokens), (3, 3.5));
    assert_eq!((engine.mean_decode_batch, engine.mean_decode_step), (4.0 / 3.0, 6.5 / 3.0));
    // From the first token's end to the second's, and on to the fraction's.
    assert_eq!(engine.mean_itl, (2.0 + 1.5) / 2.0);
}

#[test]
fn the_order_of_service_decides_who_has_the_budget() {
    serq! {
        name: by_admission;
        stage E : step { budget 3; cost 1; }
        workload { arrive batch(2); }
        session {
            branch (serial == 0) { run E prefill (6); } else { run E decode (3); }
            observe done = serial;
        }
        run { horizon 6; }
    }
    // The prefill takes all of it twice.
    assert_eq!(seen(&report!(by_admission).observe.done), [(2.0, 0.0), (5.0, 1.0)]);
    serq! {
        name: decodes_first;
        stage E : step { budget 3; cost 1; serve decode first; }
        workload { arrive batch(2); }
        session {
            branch (serial == 0) { run E prefill (6); } else { run E decode (3); }
            observe done = serial;
        }
        run { horizon 6; }
    }
    // A token of the decode leaves 2 to the prefill.
    let report = report!(decodes_first);
    assert_eq!(report.observe.done.times(), [3.0, 3.0]);
    assert_eq!(report.stage.e.mixed, 0.5);
}

#[test]
fn an_exclusive_prefill_is_served_alone() {
    serq! {
        name: program;
        stage nap : delay;
        stage E : step { cost 1; serve exclusive prefill; }
        workload { arrive batch(2); }
        session {
            branch (serial == 0) { run E decode (3); } else { run nap (0.5); run E prefill (6); }
            observe done = serial;
        }
        run { horizon 4; }
    }
    let report = report!(program);
    // The decode has its first token at 1, stands aside till 2, and has the others at 3 and 4.
    assert_eq!(seen(&report.observe.done), [(2.0, 1.0), (4.0, 0.0)]);
    let engine = &report.stage.e;
    assert_eq!((engine.prefill_only, engine.decode_only, engine.mixed), (0.25, 0.75, 0.0));
}

#[test]
fn an_engine_admits_when_it_plans() {
    serq! {
        name: program;
        pool slot { cap 4; admit via E; }
        stage nap : delay;
        stage E : step { cost 1; }
        workload { arrive batch(2); }
        session {
            run nap (serial / 2);
            hold slot (1) { observe admitted = serial; run E prefill (1); }
            observe done = serial;
        }
        run { horizon 4; }
    }
    let report = report!(program);
    // The second comes at 0.5, when the engine is under way, and waits for it.
    assert_eq!(seen(&report.observe.admitted), [(0.0, 0.0), (1.0, 1.0)]);
    assert_eq!(seen(&report.observe.done), [(1.0, 0.0), (2.0, 1.0)]);
    assert_eq!(report.pool.slot.mean_wait, 0.25);
}

#[test]
fn a_header_reads_the_budget_that_is_left_when_it_is_tried() {
    serq! {
        name: program;
        pool kv { cap 100; admit via E; }
        stage E : step { budget 10; cost 1; }
        workload { arrive batch(3); }
        session { hold kv (budget_left(E)) { observe used = used(kv); run E prefill (6); } }
        run { horizon 4; }
    }
    // 10; the 4 that the first leaves; and at 1, when the second still needs 2, 8 beside its 4.
    assert_eq!(seen(&report!(program).observe.used), [(0.0, 10.0), (0.0, 14.0), (1.0, 12.0)]);
}

#[test]
fn an_engine_starts_when_nothing_else_is_due_at_that_instant() {
    serq! {
        name: program;
        stage nap : delay;
        stage E : step { cost tokens; }
        workload { arrive batch(2); }
        session { run nap (1); run E prefill (2); observe done = now; }
        run { horizon 10; }
    }
    let report = report!(program);
    // Both naps end at 1, one after the other; one iteration has the tokens of both.
    assert_eq!(report.observe.done.values(), [5.0, 5.0]);
    assert_eq!(report.stage.e.iterations, 1);
}

#[test]
fn a_cost_reads_what_is_scheduled() {
    serq! {
        name: program;
        pool kv { cap 100; block 4; }
        stage E : step { chunk 4; cost tokens + 10 * decoders + 100 * prefilled + 1000 * kv_decode; memory kv; }
        workload { arrive batch(1); }
        session {
            hold kv (1) { run E prefill (6) growing kv; observe first = now; run E decode (2) growing kv; observe done = now; }
        }
        run { horizon 1e5; }
    }
    let report = report!(program);
    // 4 and 2 tokens of prefill.
    assert_eq!(report.observe.first.values(), [404.0 + 202.0]);
    // A token each, at position 7 and 8: two blocks of 4 are held.
    assert_eq!(report.observe.done.values(), [606.0 + 2.0 * (1.0 + 10.0 + 8000.0)]);
}

#[test]
fn a_budget_that_fails_for_a_session_names_its_engine() {
    serq! {
        name: program;
        pool a[2] { cap 3; }
        stage E : step { budget 10 + used(a[residents - 1]); cost 1; }
        workload { arrive batch(1); }
        session { hold a[0] (1) { observe left = budget_left(E); } }
        run { horizon 5; }
    }
    let error = program::run(&program::Params::default(), crate::kept()).expect_err("no member -1");
    let said = error.to_string();
    assert!(said.contains("S302") && said.contains("`E` at t = 0 s"), "{said}");
}
