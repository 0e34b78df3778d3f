//! Warnings: the places they point at, written between `⟦` and `⟧`; what is no reason for one; and
//! how a program silences them.

mod common;

use common::compile;

/// The codes of all warnings, in order; the marked places must be those of the warnings.
#[track_caller]
fn check(marked: &str, codes: &[&str]) {
    let (mut text, mut places) = (String::new(), Vec::new());
    for c in marked.chars() {
        match c {
            '⟦' => places.push((text.len() as u32, 0)),
            '⟧' => places.last_mut().unwrap().1 = text.len() as u32,
            _ => text.push(c),
        }
    }
    let (_, warnings) = compile(&text).unwrap_or_else(|f| panic!("{:#?}\n{text}", f.diagnostics));
    let found: Vec<_> = warnings.iter().map(|w| w.code).collect();
    assert_eq!(found, codes, "{text}\n{warnings:#?}");
    let at: Vec<_> = warnings.iter().map(|w| (w.primary.span.start, w.primary.span.end)).collect();
    assert_eq!(at, places, "{text}\n{warnings:#?}");
    assert!(warnings.iter().all(|w| w.help.is_some()));
}

/// A session of these statements on a delay and two pools that it also holds.
fn session(body: &str) -> String {
    format!(
        "stage d : delay; pool p {{ cap 9; }} pool q {{ cap 9; block 3; }}\n\
         session {{ hold p (1), q (1) {{ run d (1); }}\n{body}\n}}"
    )
}

#[test]
fn an_attribute_that_nothing_reads() {
    check(&session("set ⟦a⟧ = 1; set a = 2;"), &["S200"]);
    check(&session("set ⟦a⟧ = a + 1;"), &["S200"]);
    check(&session("choose ⟦j⟧ in 2 by (j);"), &["S200"]);
    check("workload { hidden o; turn { set ⟦o⟧ = 1; } } session { turn; }", &["S200"]);
    check(
        "queue P : prefill { serve delay; prefill (x) { set ⟦c⟧ = x; run (x); mark ⟦end⟧; } }\n\
         queue g : gateway { route { P.prefill (1); } } workload { session { request g; } }",
        &["S200", "S200"],
    );
    // Read somewhere, by whomever.
    check(&session("set a = 1; observe x = a;"), &[]);
    check(&session("set a = 1; set b = a; run d (b);"), &[]);
    check(&session("set a = 1; branch (a) { run d (1); }"), &[]);
    check(&session("set a = 1; hold p (1) { run d (1); } cache (a)"), &[]);
    check(&session("set a = 1; hold q (1) at admission (k = a) { run d (k); }"), &[]);
    let keyed = |option: &str| format!("pool z {{ cap 3; {option} }} ");
    let body = session("set a = 1; hold z (1) { run d (1); } cache (1)");
    check(&(keyed("queue by (a);") + &body), &[]);
    check(&(keyed("evict by (a);") + &body), &[]);
}

#[test]
fn a_pool_that_nothing_holds() {
    check("pool ⟦p⟧ { cap 3; } session { }", &["S201"]);
    check("pool ⟦p⟧ { cap 3; } session { observe u = used(p); }", &["S201"]);
    check(
        "queue P : prefill { pool ⟦kv⟧ { cap 3; } serve delay; prefill (x) { } } session { }",
        &["S201"],
    );
    // A tier is filled by its spill.
    check(
        "stage l : delay; pool t { cap 9; } pool p { cap 3; spill t via l (1) when (1); }\n\
         session { hold p (1) { run l (1); } cache (1) }",
        &[],
    );
}

#[test]
fn a_reading_kept_for_a_header() {
    check(&session("⟦set a = free(p);⟧ hold p (a) { run d (1); }"), &["S202"]);
    check(&session("⟦set a = free(p);⟧ set b = a / 2; hold p (1) reserve (b) { }"), &["S202"]);
    check(&session("⟦set a = cachedin(q);⟧ hold q (3) reuse (a) { } cache (3)"), &["S202"]);
    check(&session("⟦set a = queue(d);⟧ hold p (k) at admission (k = a + 1) { }"), &["S202"]);
    check(&session("branch (~bernoulli(0.5)) { ⟦set a = used(q);⟧ } hold p (a) { }"), &["S202"]);
    let next = "loop { hold p (a) { run d (1); } ⟦set a = used(q);⟧ }";
    check(&session(next), &["S202"]);
    let def = "def room(x) { ⟦set a = free(x);⟧ } ";
    check(&(def.to_owned() + &session("room (p); hold p (a) { }")), &["S202"]);
    check(
        "stage d : delay; pool p { cap 9; }\n\
         workload { turn { set b = a; } } \
         session { ⟦set a = used(p);⟧ turn; hold p (b) { run d (1); } }",
        &["S202"],
    );
    // Read in time, or for something else.
    check(&session("hold p (free(p)) { run d (1); }"), &[]);
    check(&session("set a = free(p); set a = 1; hold p (a) { }"), &[]);
    check(&session("set a = free(p); branch (a > 3) { hold p (2) { } }"), &[]);
    check(&session("set a = blocksize(q); hold q (a) { }"), &[]);
    check(&session("set a = now; hold p (a) { }"), &[]);
    check(&session("choose j in 2 by (used(p) * j); hold p (j) { }"), &[]);
    check(&session("set a = used(p); run d (a);"), &[]);
}

#[test]
fn loops_in_loops_end() {
    let mut body = "set a = b; set b = c; set c = used(p); run d (1);".to_owned();
    for _ in 0..20 {
        body = format!("loop {{ set b = a; {body} set c = b; }}");
    }
    check(&session(&format!("{body} run d (a + b + c);")), &[]);
}

#[test]
fn a_comment_silences() {
    check(&session("set a = 1; // serqc: allow S200"), &[]);
    check(&session("// serqc: allow S200\n set a = 1;"), &[]);
    check(&session("// serqc: allow S200: read by a variant\n// of this\n\n set a = 1;"), &[]);
    check(&session("/* serqc: allow S201, S200 */ set a = 1;"), &[]);
    check(&format!("// serqc: allow S200\n{}", session("set a = 1; set b = 1;")), &[]);
    check("// serqc: allow S201\npool p { } session { }", &[]);
    // Another code, another line, a line of code above, no comment of ours.
    check(&session("set ⟦a⟧ = 1; // serqc: allow S201"), &["S200"]);
    check(&session("// serqc: allow S200\nrun d (1);\nset ⟦a⟧ = 1;"), &["S200"]);
    check(&session("set a = 1; // serqc: allow S200\nset ⟦b⟧ = 1;"), &["S200"]);
    check(&session("set ⟦a⟧ = 1; // allow S200"), &["S200"]);
    assert!(compile("// serqc: allow S040\nsession { set x = zz; }").is_err());
}

#[test]
fn a_comment_silences_notes_of_the_report() {
    let quiet = |text: &str| compile(text).unwrap().0.quiet;
    let own = |code: &str, about: &str| (code.to_owned(), about.to_owned());
    let text = "stage d : delay; session { run d (~exp(1) - 1); // serqc: allow S211\n\
                run d (~exp(1) - 1); observe x = 1; // serqc: allow S210\n\
                observe y = 1; } // serqc: allow S212\n\
                pool q { cap 1; } // serqc: allow S212, S201";
    assert_eq!(quiet(text), [own("S210", "x"), own("S211", "p.sq:1"), own("S212", "q")]);
    let text = format!("// serqc: allow S210, S212\n{}", text.replace("// serqc", "// not"));
    let found = quiet(&text);
    assert_eq!(found, [own("S210", "x"), own("S210", "y"), own("S212", "d"), own("S212", "q")]);
    assert_eq!(quiet("session { observe x = 1; }"), []);
}
