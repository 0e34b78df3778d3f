//! What gauges read.

use serq_runtime::serq;

#[test]
fn aggregates_over_the_same_may_stand_inside_others() {
    serq! {
        name: program;
        let n = 2;
        pool kv[n] { cap 10; }
        stage nap : delay;
        workload { arrive batch(2); }
        // Session 0 takes 3 of the first pool, session 1 takes 1 of the second.
        session { hold kv[serial] (3 - 2 * serial) { run nap (10); } }
        gauge total = sum i in n (used(kv[i]));
        gauge variance = sum j in n ((used(kv[j]) - (sum i in n (used(kv[i]))) / n) ^ 2) / n;
        gauge greatest = max i in n (used(kv[i]));
        gauge far = max j in n (used(kv[j]) + max i in n (used(kv[i])));
        gauge spread = max i in n (used(kv[i])) - min i in n (used(kv[i]));
        run { horizon 5; }
    }
    let gauge = report!(program).gauge;
    assert_eq!((gauge.total.mean(), gauge.greatest.mean()), (4.0, 3.0));
    assert_eq!((gauge.variance.mean(), gauge.far.mean(), gauge.spread.mean()), (1.0, 6.0, 2.0));
}
