//! The emitted Rust: that it parses wherever an expression may stand, and that no name hides another.

mod common;

use serq_compiler::emit::{emit_crate, emit_module};
use serq_compiler::resolve::resolve;

/// The emitted module of a program that compiles.
#[track_caller]
fn emitted(text: &str) -> String {
    match common::compile(text) {
        Ok((program, _)) => emit_module(&program),
        Err(failure) => panic!("{:?}", common::shown(&failure)),
    }
}

/// An aggregate at the front, with more behind it: in Rust a block, which at the front of a function
/// or a `match` arm would be a statement of its own.
const BLOCK_FIRST: &str = r"
let N = 2; let n = sum q in 2 (q) + 1;
pool p[N] { cap 9; queue by (sum q in N (used(p[q])) + 1); evict by (sum q in N (used(p[q])) * 2); }
pool m { cap sum q in N (q) + 20; block max q in N (q); admit via E; }
stage E : step {
  budget sum q in N (free(p[q])) + 1; chunk max q in N (used(p[q]) + 3) - 1;
  cost sum q in N (used(p[q])) / 8 + n;
  serve only (sum q in N (used(p[q])) + 1 > 0) by (sum q in N (q) - remaining); memory m;
}
stage A : ps(max q in N (used(p[q])) + 1);
workload { arrive renewal(max q in N (q) / 2 + 0.25); }
session {
  hold p[0] (sum q in N (q) + 1) reserve (max q in N (q) + 1) reuse (sum q in N (q) - 1) {
    run A (sum q in N (q) + 0.5);
  } cache (sum q in N (q) + 1) lease p[0] (sum q in N (q) + 1)
  hold m (1) { run E decode (serial > 1 ? sum q in N (q) + 1 : max q in N (q) * 2) growing m; }
  branch (sum q in N (q) + 1 == 2) { observe yes = 1; } else { observe no = 1; }
}
gauge g = sum q in N (used(p[q])) + 1;
run { horizon sum q in N (q) * 20 + 10; }
";

#[test]
fn an_aggregate_may_come_first_anywhere() {
    let emitted = emitted(BLOCK_FIRST);
    syn::parse_file(&emitted).unwrap();
}

#[test]
fn an_attribute_that_changes_by_something_is_an_assignment_of_that_kind() {
    let emitted = emitted(
        r"
        stage d : delay;
        workload { arrive batch(3); }
        session {
          set x = serial; set y = 2;
          run d (1);
          set x = x + 1; set x = 3 * x; set x = 3 - x; set y = y / 2; set y = y - x - 1;
          run d (1);
          observe a = x + y;
        }
        run { horizon 10; }
        ",
    );
    for line in ["x += 1.0;", "x *= 3.0;", "x = 3.0 - ", "y /= 2.0;", "y = attrs.y - "] {
        assert!(emitted.contains(line), "{line} in\n{emitted}");
    }
}

#[test]
fn no_variable_hides_another() {
    let emitted = emitted(
        r"
        stage d : delay;
        workload { arrive batch(3); }
        session {
          set amount = serial; set its_amount = 100; observe a = amount; observe b = its_amount;
          set hit_d = 5; observe c = sum hitD in 2 (hitD + hit_d * 10);
          observe e = sum xA in 2 (sum x_a in 3 (xA * 10 + x_a));
          run d (1);
        }
        run { horizon 10; }
        ",
    );
    for part in [
        "let its_amount = ",
        "let its_amount_2 = 100.0;",
        "total += (hit_d_2 as f64) + hit_d * 10.0;",
        "total += (x_a as f64) * 10.0 + (x_a_2 as f64);",
    ] {
        assert!(emitted.contains(part), "no `{part}` in\n{emitted}");
    }
}

#[test]
fn rust_knows_the_type_of_every_number() {
    let emitted = emitted(
        r"
        workload { arrive batch(3); }
        session { observe a = max(sum z in 2 (1), 3) + min(~det(7), 2); }
        run { horizon 10; }
        ",
    );
    assert!(emitted.contains("7.0_f64.min(2.0)"), "{emitted}");
    assert!(!emitted.contains("}\n                .max("), "{emitted}");
}

#[test]
fn types_of_queues_that_differ_in_case() {
    let queue = |name: &str| {
        format!(
            "queue {name} : decode {{ pool kv {{ cap 9; admit via {name}; }} serve step {{ cost 1; }}
             decode (m) {{ hold kv (m) {{ decode (m); }} }} }}\n"
        )
    };
    let program = format!(
        "{}{}{}queue gw : gateway {{ route {{ P.decode (1); p.decode (2); Default.decode (3); }} }}
         workload {{ arrive batch(1); session {{ request gw; }} }} run {{ horizon 9; }}",
        queue("P"),
        queue("p"),
        queue("Default"),
    );
    let emitted = emitted(&program);
    for part in ["struct P {", "struct P2 {", "struct Default2 {"] {
        assert!(emitted.contains(part), "no `{part}` in\n{emitted}");
    }
}

#[test]
fn what_stands_in_comments_and_strings_cannot_become_code() {
    let name = "evil\npub fn evil() {}\nconst _: &str = \u{202e}.sq";
    let text = "let a = 1; // \u{202e}turned\nstage d : delay;\nworkload { arrive batch(1); }\n\
                session { turn; /* \u{2066}turned \u{7} */ run d (1 /* \u{202e} */); }\n\
                run { horizon 10; }\n";
    let files = common::Texts([(name.to_owned(), text.to_owned())].into());
    let (program, _) = resolve(&files, name, &[]).unwrap();
    for text in [emit_module(&program), emit_crate(&program).main_rs] {
        let items = syn::parse_file(&text).unwrap().items;
        let is_evil = |item: &syn::Item| matches!(item, syn::Item::Fn(f) if f.sig.ident == "evil");
        assert!(!items.iter().any(is_evil), "{text}");
        assert!(text.contains("evil\u{fffd}pub fn evil() {}"), "the comment stays\n{text}");
        let odd = |c: &char| c.is_control() && *c != '\n' || ('\u{202a}'..='\u{2069}').contains(c);
        assert_eq!(text.chars().find(odd), None);
    }
}

#[test]
fn what_a_program_says_oddly_is_allowed_where_it_says_so() {
    let odd = emitted(
        r"
        stage d : delay;
        workload { arrive batch(1); turn { set n = serial; } }
        session {
          turn; set n = n; observe a = - -n; observe b = !!n; observe c = abs(-1); observe e = n != n;
          observe f = max(min(n, 3), 1); observe g = !(n < 3);
          run d (n);
        }
        run { horizon 10; }
        ",
    );
    for part in ["(-1.0_f64).abs()", ".is_nan()", "clippy::manual_clamp", "clippy::neg_cmp_op_on"] {
        assert!(odd.contains(part), "no `{part}` in\n{odd}");
    }
    for part in ["--self", "!!(", "f64::from(-", ".n = self.attrs[s as usize].n;"] {
        assert!(!odd.contains(part), "`{part}` in\n{odd}");
    }
    let plain = emitted("stage d : delay; session { turn; run d (1); } run { horizon 10; }");
    assert!(!plain.contains("clippy"), "{plain}");
}

/// A program that observes an expression, in which `a` is an attribute and `m` a `let`.
fn observing(value: &str) -> String {
    format!(
        "let m = 2; workload {{ arrive batch(3); }}
         session {{ set a = serial; set so_far = 3; observe x = {value}; observe y = so_far; }}
         run {{ horizon 10; }}"
    )
}

#[test]
fn a_chain_of_thousands_is_emitted_line_by_line() {
    for sign in [" + ", " - ", " * ", " / ", " && ", " || "] {
        let emitted = emitted(&observing(&format!("{}so_far", format!("a{sign}").repeat(5_000))));
        syn::parse_file(&emitted).unwrap();
        let lines = emitted.matches("let so_far = ").count();
        assert_eq!(lines, 99, "{sign}");
    }
    let constant = observing(&format!("{}1", "m + ".repeat(5_000)));
    syn::parse_file(&emitted(&constant)).unwrap();
}

#[test]
fn a_short_chain_is_one_expression() {
    let emitted = emitted(&observing("1 - (2 - m) - a * 2 / (3 * a) + (a + 1)"));
    let line = "1.0 - (2.0 - self.params.m) - a * 2.0 / (3.0 * a) + (a + 1.0)";
    assert!(emitted.contains(line), "{emitted}");
}

#[test]
fn names_without_a_letter_have_the_case_of_their_place() {
    let emitted = emitted(
        r"
        let _ = 1; let _1 = 2;
        pool __ { cap 9; }
        stage _2 : delay;
        queue _3 : decode { pool kv { cap 9; admit via _3; } serve step { cost 1; }
          decode (m) { hold kv (m) { decode (m); } } }
        workload { arrive batch(1); }
        session { set _4 = _ + _1; hold __ (_4) { run _2 (1); } _3.decode (1); }
        run { horizon 9; }
        ",
    );
    for part in
        ["pub x: f64", "pub x1: f64", "const X: ", "const X2: ", "struct X3 {", "pub x4: f64"]
    {
        assert!(emitted.contains(part), "no `{part}` in\n{emitted}");
    }
}

/// Whether the field of this name, in this emission, is said to be unread.
#[track_caller]
fn is_unread(emitted: &str, field: &str) -> bool {
    let lines: Vec<&str> = emitted.lines().map(str::trim).collect();
    let at = lines.iter().position(|line| line.starts_with(&format!("pub {field}: ")));
    lines[at.expect(field) - 1] == "#[allow(dead_code)]"
}

#[test]
fn settings_that_no_code_reads_are_allowed_to_be() {
    let settings = |lets: &str, observed: &str| {
        emitted(&format!(
            "{lets} workload {{ arrive batch(1); }} session {{ observe x = {observed}; }}
             run {{ horizon 9; }}"
        ))
    };
    assert!(is_unread(&settings("", "1"), "params"));
    assert!(is_unread(&settings("let a = 1;", "1"), "params"));
    assert!(!is_unread(&settings("let a = 1;", "a"), "params"));
    let only_run = emitted(
        "let h = 9; workload { arrive batch(1); } session { observe x = 1; } run { horizon h; }",
    );
    assert!(is_unread(&only_run, "params"));
}

#[test]
fn names_of_the_greatest_length_are_emitted() {
    let name = "a".repeat(4_000);
    let emitted = emitted(&format!(
        "let {name}l = 2; pool {name}p[9] {{ cap 9; }} stage {name}s : delay;
         workload {{ arrive batch({name}l); }}
         session {{ set {name}a = serial; hold {name}p[3] (1) {{ run {name}s ({name}a); }} }}
         gauge {name}g = used({name}p[1]); run {{ horizon 9; }}"
    ));
    syn::parse_file(&emitted).unwrap();
}

#[test]
fn a_program_of_thousands_of_statements_takes_seconds() {
    let statements = "set a = a + 1; run d (a / 2);\n".repeat(3_000);
    let begin = std::time::Instant::now();
    let emitted = emitted(&format!(
        "stage d : delay; workload {{ arrive batch(1); }}
         session {{ set a = 0; {statements} }} run {{ horizon 9; }}"
    ));
    assert!(emitted.contains("line: 3001"), "the last statement has its place");
    // In a debug build on a slow machine; the point is that it is not minutes.
    assert!(begin.elapsed() < std::time::Duration::from_secs(60), "{:?}", begin.elapsed());
}

/// So many states follow one another without a wait, each of its own: with a wait on one side of a branch.
fn branches_in_a_row(count: usize) -> String {
    let branch = "branch (x > 1) { run d (1); }\n".repeat(count);
    format!(
        "stage d : delay; pool p {{ cap 1; }} workload {{ arrive batch(1); }}
         session {{ set x = 1; hold p (1) {{ {branch} }} }} run {{ horizon 10; }}"
    )
}

#[test]
fn states_call_one_another_only_where_they_are_few() {
    let few = emitted(&branches_in_a_row(100));
    assert!(few.contains("go_on(self, s, ") && !few.contains("Next::Go"));
    let many = emitted(&branches_in_a_row(1000));
    assert!(!many.contains("go_on(self, s, ") && many.contains("Next::Go"));
}
