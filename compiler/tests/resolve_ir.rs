//! What constructs stand for, as the text of the IR: the smallest program of each.

mod common;

use common::{compile, compile_with, shown};
use serq_compiler::ir::print;

/// The IR of a program without its checks.
fn ir(text: &str) -> String {
    ir_with(text, &[], &[])
}

fn ir_with(text: &str, files: &[(&str, &str)], sets: &[(&str, &str)]) -> String {
    let (program, _) = match compile_with(text, files, sets) {
        Ok(resolved) => resolved,
        Err(failure) => panic!("{}", shown(&failure).join("\n")),
    };
    let text = print::text(&program);
    let lines = text.lines().filter(|line| !line.starts_with("check "));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The part of the IR from a line on, less the indentation of the expectation.
fn check(text: &str, from: &str, expected: &str) {
    same(&ir(text), from, expected);
}

fn same(found: &str, from: &str, expected: &str) {
    let start = found.find(from).unwrap_or_else(|| panic!("no `{from}` in\n{found}"));
    let expected: Vec<&str> = expected.trim_end().lines().skip(1).collect();
    let indent = expected[0].len() - expected[0].trim_start().len();
    let expected: Vec<&str> =
        expected.iter().map(|line| line.get(indent..).unwrap_or("")).collect();
    assert_eq!(found[start..].trim_end(), expected.join("\n"));
}

#[test]
fn a_binding_is_its_text_in_the_header_and_kept_for_the_body() {
    check(
        "stage d : delay; pool p { cap 9; }
         workload { init { set w = 1; } }
         session { hold p (k) reserve (m) at admission (k = w, m = k + 1)
                   { set w = 5; run d (k); } cache (m); }",
        "session:",
        "
        session:
          hold #0 p (w) reserve (w + 1) cache (w + 1)
            set k = w
            set w = 5
            run d (k)",
    );
}

#[test]
fn bindings_of_one_name_keep_apart_while_both_are_in_use() {
    check(
        "stage d : delay; pool p { cap 9; } pool q { cap 9; }
         session { hold p (k) at admission (k = 1) {
                     hold q (k) at admission (k = 2) { run d (k); } run d (k); }
                   hold p (k) at admission (k = 3) { run d (k); } }",
        "session:",
        "
        session:
          hold #0 p (1)
            set k = 1
            hold #1 q (2)
              set k_2 = 2
              run d (k_2)
            run d (k)
          hold #2 p (3)
            set k = 3
            run d (k)",
    );
}

#[test]
fn a_definition_is_text_and_its_parameters_are_its_own() {
    check(
        "let bs = 4;
         def part(x, bs) = floor((x - 1) / bs) * bs;
         def twice(x) { run d (x); run d (part(x, bs + 1)); }
         stage d : delay;
         workload { init { set x = 7; } }
         session { twice (x * 2); }",
        "session:",
        "
        session:
          run d (x * 2)
          run d (floor((x * 2 - 1) / (bs + 1)) * (bs + 1))",
    );
}

#[test]
fn a_library_is_read_once_and_relative_to_who_says_it() {
    let found = ir_with(
        "use \"lib/a.sq\"; use \"lib/b.sq\"; stage d : delay; session { run d (f(1)); }",
        &[
            ("lib/a.sq", "use \"b.sq\"; def f(x) = g(x) + 1;"),
            ("lib/b.sq", "use \"a.sq\"; def g(x) = x * 2;"),
        ],
        &[],
    );
    same(&found, "session:", "\n        session:\n          run d (1 * 2 + 1)");
}

#[test]
fn references_go_through_parameters() {
    check(
        "pool kv[3] { cap 9; } stage e[2] : delay;
         def read(x, j) = used(x[j]) + used(x[0]);
         def busy_once(x) { run x (1); }
         session { observe a = read(kv, serial); busy_once (e[1]); }",
        "session:",
        "
        session:
          observe a = used(kv[serial]) + used(kv[0])
          run e[1] (1)",
    );
}

#[test]
fn an_entry_runs_in_place_for_its_member() {
    check(
        "let N = 2;
         queue P[N] : prefill { pool kv { cap 9; admit via P; } serve step { cost 1; memory kv; }
           prefill (x) { set c = self; hold kv (min(x, budget_left(P))) { prefill (x - c) growing kv;
                         mark done; } cache (x); } }
         queue gw : gateway { route { choose i in N by (used(P[i].kv));
           P[i].prefill (n + 1); observe t = P.done; } }
         workload { turn { set n = 3; } session { turn; request gw; } }",
        "session:",
        "
        session:
          turn
          choose i in N by (used(P.kv[i]))
          set P.c = i
          hold #0 P.kv[i] (min(n + 1, budget_left(P[i]))) cache (n + 1)
            run P[i] prefill (n + 1 - P.c) growing P.kv[i]
            set P.done = now
          observe t = P.done",
    );
}

const PULL: &str = "
    queue P[2] : prefill { pool kv { cap 9; } serve delay; nic ps(2);
      prefill (x) { hold kv (x) { run (1); } lease kv (inf); } }
    queue D[3] : decode { pool kv { cap 9; } serve delay; nic ps(3);
      decode (x) { run (x); }
      decode (x) from src { hold kv (x) { transfer (x) from src to kv (x - 1); run (x); } } }";

#[test]
fn a_relation_is_a_wait_and_a_flow_over_both_nics() {
    let text = format!(
        "{PULL} D pull P latency 0.5 share maxmin;
         queue gw : gateway {{ route {{ P[1].prefill (4); D[j].decode (4) from P[1];
                                        D[j].decode (2); set j = 2; }} }}
         workload {{ session {{ request gw; }} }}"
    );
    check(
        &text,
        "pool P.kv",
        "
        pool P.kv[2] : cap 9
        pool D.kv[3] : cap 9
        stage P[2] : delay
        stage P.nic[2] : ps(2) shared by flows
        stage D[3] : delay
        stage D.nic[3] : ps(3) shared by flows
        stage D.nic.latency[3] : delay
        share maxmin
        arrive none
        session:
          hold #0 P.kv[1] (4) lease P.kv[1] (inf)
            run P[1] (1)
          hold #1 D.kv[j] (4)
            run D.nic.latency[j] (0.5)
            run P.nic[1], D.nic[j] (4)
            load D.kv[j] (4 - 1)
            release P.kv[1]
            run D[j] (4)
          run D[j] (2)
          set j = 2",
    );
}

#[test]
fn a_link_makes_its_transfers_wait_or_runs_its_entry() {
    check(
        "queue L[2] : link { serve ps(4) latency 1.5; }
         queue M : link { pool g { cap 1; } serve fifo; transfer (n) { hold g (1) { run (n); } } }
         queue P : prefill { pool kv { cap 9; } serve delay;
           prefill (x) { hold kv (x) { run (1); } lease kv (inf); } }
         queue D : decode { pool kv { cap 9; } serve delay; decode (x) { run (x); }
           decode (x) from src { hold kv (x) { transfer on L[1] (x) from src to kv (x);
                                               M.transfer (x) from src to kv (0); } } }
         queue gw : gateway { route { P.prefill (4); D.decode (4) from P; } }
         workload { session { request gw; } }",
        "session:",
        "
        session:
          hold #0 P.kv (4) lease P.kv (inf)
            run P (1)
          hold #1 D.kv (4)
            run L.latency[1] (1.5)
            run L[1] (4)
            load D.kv (4)
            release P.kv
            hold #2 M.g (1)
              run M (4)
            load D.kv (0)
            release P.kv",
    );
}

#[test]
fn serving_forms_run_on_who_plays_the_role() {
    check(
        "stage tool : delay; stage link[2] : ps(1); stage E : step { cost 1; }
         pool p { cap 9; } pool q { cap 9; }
         session { hold p (1) { prefill 3 * 2 growing p; decode (4);
                   hold q (1) { transfer[1] (2) from p to q (1); } } tool ~exp(1); }",
        "session:",
        "
        session:
          hold #0 p (1)
            run E prefill (3 * 2) growing p
            run E decode (4)
            hold #1 q (1)
              run link[1] (2)
              load q (1)
              release p
          run tool (~exp(1))",
    );
}

#[test]
fn a_server_stands_where_it_is_requested() {
    check(
        "stage d : delay;
         workload { session { request; run d (2); request; } }
         server { run d (1); }",
        "session:",
        "
        session:
          run d (1)
          run d (2)
          run d (1)",
    );
}

#[test]
fn a_guard_is_checked_unless_it_is_a_bool() {
    check(
        "stage d : delay;
         workload { turn { set more = ~bernoulli(0.5); set x = more; set y = 1; } }
         session { turn; branch (x && y) { end; } branch (x) { end; } branch (y) { end; }
                   branch with (0.25) { end; } branch (x ? more : y > 2) { end; } }",
        "attribute",
        "
        attribute more : bool
        attribute x : bool
        attribute y : num
        stage d : delay
        arrive none
        turn:
          set more = ~bernoulli(0.5)
          set x = more
          set y = 1
        session:
          turn
          branch (x && y)
            end
          branch (x)
            end
          branch checked (y)
            end
          branch (~bernoulli(0.25))
            end
          branch (x ? more : y > 2)
            end",
    );
}

#[test]
fn declarations_join_member_to_member() {
    check(
        "let N = 2;
         stage E[N] : step { budget 8 - residents; chunk used(kv[0]); cost 1 + tokens; memory kv;
                             serve only (decoding) decode first; }
         stage L : ps(present);
         pool kv[N] { cap 8; block 2; evict by (age, size); queue by (-waited); preempt lifo;
                      admit via E; spill host via L (size) when (size > 1); }
         pool host { cap 9; }
         session { }",
        "pool kv",
        "
        pool kv[N] : cap 8, block 2, evict by (age, size), preempt lifo, queue by (-waited), admit via E, spill host via L (size) when (size > 1)
        pool host : cap 9
        stage E[N] : step
          budget 8 - residents
          chunk used(kv[0])
          cost 1 + tokens
          serve only (decoding) decode first
          memory kv
        stage L : ps(present)
        arrive none",
    );
}

#[test]
fn overrides_take_the_place_of_values() {
    let text = "let a = 1; let b = a + 1; let c = 3; session { observe x = b; }";
    let found = ir_with(text, &[], &[("a", "10"), ("b", "a * 2")]);
    assert!(found.contains("let a = 10\nlet b = a * 2\nlet c = 3\n"), "{found}");
    // What is read further down comes in by value.
    let found = ir_with(text, &[], &[("a", "c * 2"), ("c", "7")]);
    assert!(found.contains("let a = 14\nlet b = a + 1\nlet c = 7\n"), "{found}");
}

#[test]
fn a_let_keeps_its_comment() {
    let text =
        "let a = 1; // one\nlet b = 2; let c = 3; /* three */ session { }\n// no\nlet d = 1;";
    let (program, _) = compile(text).expect("resolves");
    let comments: Vec<&str> = program.params.iter().map(|p| p.comment.as_str()).collect();
    assert_eq!(comments, ["one", "", "three", ""]);
}

#[test]
fn an_error_in_an_expansion_shows_every_use() {
    let text = "def f(x) = x + zz; def g(x) = f(x); stage d : delay; session { run d (g(1)); }";
    let failure = compile(text).expect_err("is wrong");
    let first = &failure.diagnostics[0];
    let place = |span: serq_compiler::span::Span| &text[span.start as usize..span.end as usize];
    assert_eq!(place(first.primary.span), "zz");
    let uses: Vec<&str> = first.secondary.iter().map(|label| place(label.span)).collect();
    assert_eq!(uses, ["f(x)", "g(1)"]);
}

#[test]
fn all_errors_come_at_once_and_each_once() {
    let text = "stage d : delay; def f(x) = x + zz;
                session { run d (f(1) + f(2)); run e (1); observe o = used(p); }";
    let failure = compile(text).expect_err("is wrong");
    let codes: Vec<&str> = failure.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["S040", "S060", "S060"]);
}

#[test]
fn deep_expansions_are_refused() {
    let deep = |name: &str, inner: &str| {
        format!("def {name}(x) = {}{inner}{};\n", "-(".repeat(30), ")".repeat(30))
    };
    let mut text = deep("f0", "x");
    for k in 1..60 {
        text += &deep(&format!("f{k}"), &format!("f{}(x)", k - 1));
    }
    text += "session { observe x = f59(1); }";
    let failure = compile(&text).expect_err("is too deep");
    assert_eq!(failure.diagnostics[0].code, "S058");

    let mut text = String::from("pool p { cap 9; } def g0() { }\n");
    for k in 1..60 {
        let (open, close) = ("hold p (1) { ".repeat(12), "} ".repeat(12));
        text += &format!("def g{k}() {{ {open} g{} (); {close} }}\n", k - 1);
    }
    text += "session { g59 (); }";
    let failure = compile(&text).expect_err("is too deep");
    assert_eq!(failure.diagnostics[0].code, "S058");
}
