//! What expressions are worth.

use serq_runtime::serq;

#[test]
fn a_long_chain_is_applied_from_the_left() {
    // Chains that are emitted over several lines.
    serq! {
        name: program;
        workload { arrive batch(2); }
        session {
          set a = serial + 0.1;
          set b = 0.3;
          set n = serial;
          observe sum = a + a - b + a + a - b + a + a + a - b
            + a + a - b + a + a - b + a + a + a - b
            + a + a - b + a + a - b + a + a + a - b
            + a + a - b + a + a - b + a + a + a - b
            + a + a - b + a + a - b + a + a + a - b
            + a + a - b + a + a - b + a + a + a - b
            + a + a - b + a + a - b + a + a + a - b;
          observe product = a * a / b * a * b / a * b / a / b * a
            * a * a / b * a * b / a * b / a / b * a
            * a * a / b * a * b / a * b / a / b * a
            * a * a / b * a * b / a * b / a / b * a
            * a * a / b * a * b / a * b / a / b * a
            * a * a / b * a * b / a * b / a / b * a;
          observe any = n || n || n || n || n || n || n || n || n || n
            || n || n || n || n || n || n || n || n || n || n
            || n || n || n || n || n || n || n || n || n || n
            || n || n || n || n || n || n || n || n || n || n
            || n || n || n || n || n || n || n || n || n || n
            || n || n || n || n || n || n || n || n || n || n
            || ~bernoulli(1);
        }
        run { horizon 1; }
    }
    let report = report!(program);
    let b = 0.3;
    let sum = |a: f64| {
        let row = [a, a, -b, a, a, -b, a, a, a, -b];
        (0..7).flat_map(|_| row).fold(0.0, |so_far, term| so_far + term)
    };
    let product = |a: f64| {
        let row = [(a, false), (a, false), (b, true), (a, false), (b, false)];
        let tail = [(a, true), (b, false), (a, true), (b, true), (a, false)];
        let all = (0..6).flat_map(|_| row.into_iter().chain(tail));
        all.fold(1.0, |so_far, (x, divides)| if divides { so_far / x } else { so_far * x })
    };
    // To the last bit.
    assert_eq!(report.observe.sum.values(), [sum(0.1), sum(1.1)]);
    assert_eq!(report.observe.product.values(), [product(0.1), product(1.1)]);
    assert_eq!(report.observe.any.values(), [1.0, 1.0]);
}

#[test]
fn operators_bind_as_the_language_says() {
    serq! {
        name: program;
        workload { arrive batch(1); }
        session {
            set one = serial + 1;
            set two = one + 1;
            observe power = -two ^ 2;
            observe tower = two ^ 3 ^ two;
            observe negated = !one == 0;
            observe chosen = one > two ? 10 : one < two ? 20 : 30;
            observe either = one && 0 || two;
            observe aggregates = 100 * max k in 3 (k * k) + 10 * (min k in 3 (k + 1)) + sum k in 4 (k);
            observe infinite = one / (two - 2) > 1e300;
        }
        run { horizon 1; }
    }
    let report = report!(program);
    let observe = &report.observe;
    assert_eq!((observe.power.mean(), observe.tower.mean()), (-4.0, 512.0));
    assert_eq!((observe.negated.mean(), observe.chosen.mean()), (1.0, 20.0));
    assert_eq!((observe.either.mean(), observe.infinite.mean()), (1.0, 1.0));
    // An aggregate's body is what stands in its brackets.
    assert_eq!(observe.aggregates.mean(), 400.0 + 10.0 + 6.0);
}

#[test]
fn a_choice_takes_the_first_of_the_smallest() {
    serq! {
        name: program;
        pool shelf[3] { cap 10; }
        stage nap : delay;
        workload { arrive batch(5); }
        session {
            run nap (serial);
            choose j in 3 by (used(shelf[j]), -j);
            observe chosen = j;
            hold shelf[j] (1 + serial) { run nap (10); }
        }
        run { horizon 5; }
    }
    // The last of the empty ones first; then the ones with 1, with 2.
    assert_eq!(report!(program).observe.chosen.values(), [2.0, 1.0, 0.0, 2.0, 1.0]);
}

#[test]
fn a_let_follows_the_one_that_it_reads() {
    serq! {
        name: program;
        let units = 2;
        let twice = 2 * units;
        pool room { cap twice; }
        workload { arrive batch(1); }
        session { hold room (units) { observe free = free(room); } }
        run { horizon twice; }
    }
    let run = |params: program::Params| {
        let report = program::run(&params, crate::kept()).unwrap_or_else(|error| panic!("{error}"));
        (report.observe.free.mean(), report.run.horizon)
    };
    assert_eq!(run(program::Params::default()), (2.0, 4.0));
    // Given alone, the other follows it; given as it is, it does not.
    let set = program::Set { units: Some(3.0), ..program::Set::default() };
    assert_eq!(run(set.into()), (3.0, 6.0));
    assert_eq!(run(program::Params { units: 3.0, ..program::Params::default() }), (1.0, 4.0));
    // What the program refuses is refused at its place.
    let wrong = program::Params { units: 5.0, ..program::Params::default() };
    let Err(error) = program::run(&wrong, crate::kept()) else { panic!("it is not refused") };
    assert!(error.to_string().contains("hold room (units)"), "{error}");
}
