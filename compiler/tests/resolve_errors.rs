//! Wrong programs, one reason each: the code of the first error and the place that it points at,
//! which is written between `⟦` and `⟧`. The plainest case of each code is the example on its page
//! (`src/explain/pages`), which `explain.rs` tests; here are the others.

mod common;

use common::{compile_with, shown};

/// Checks that the first error of a program has this code and this place.
fn check(code: &str, marked: &str) {
    check_with(code, marked, &[], &[]);
}

fn check_with(code: &str, marked: &str, files: &[(&str, &str)], sets: &[(&str, &str)]) {
    let start = marked.find('⟦').map(|at| at as u32);
    let text = marked.replace('⟦', "");
    let end = text.find('⟧').map(|at| at as u32);
    let text = text.replace('⟧', "");
    match compile_with(&text, files, sets) {
        Ok(_) => panic!("{code}: this resolves:\n{text}"),
        Err(failure) => {
            let first = &failure.diagnostics[0];
            let found = shown(&failure).join("\n");
            assert_eq!(first.code, code, "\n{text}\n{found}");
            if let (Some(start), Some(end)) = (start, end) {
                let (from, to) = (first.primary.span.start, first.primary.span.end);
                assert_eq!((from, to), (start, end), "{code}\n{text}\n{found}");
            }
            assert!(first.help.is_some(), "{code} has no help");
        }
    }
}

/// A program around the statements of a session at top level.
fn session(before: &str, body: &str) -> String {
    format!(
        "stage d : delay; stage s : fifo; pool p {{ cap 10; block 2; }} pool q {{ cap 4; }}\n\
         {before}\n\
         workload {{ arrive batch(2); hidden o; init {{ set w = serial; }} \
         turn {{ set n = 2; set o = 3; }} }}\n\
         session {{ turn; {body} }}\nrun {{ horizon 10; }}"
    )
}

/// A program of declarations only.
fn declared(text: &str) -> String {
    session(text, "run d (1);")
}

/// A deployment of a prefill and a decode queue, with parts replaced.
fn queues(parts: &[(&str, &str)]) -> String {
    let mut text = String::from(
        "stage top : delay; pool tp { cap 3; }\n\
         queue P : prefill { pool kv { cap 20; } serve delay; nic ps(2); prefill (x) { PBODY } }\n\
         queue D : decode { pool kv { cap 20; } serve delay; nic ps(2);\n\
           decode (x) { LOCAL } decode (x) from src { READ } }\n\
         PULL\n\
         queue gw : gateway { route { set m = 3; CALLS } }\n\
         workload { arrive batch(1); hidden o; turn { set o = 2; set n = 3; } CLIENT }\n\
         MORE run { horizon 30; }",
    );
    let defaults = [
        ("PBODY", "hold kv (x) { run (1); } lease kv (inf);"),
        ("LOCAL", "run (1);"),
        ("READ", "hold kv (x) { transfer (x) from src to kv (x); run (1); }"),
        ("PULL", "D pull P share maxmin;"),
        ("CALLS", "P.prefill (m); D.decode (m) from P;"),
        ("CLIENT", "session { turn; request gw; }"),
        ("MORE", ""),
    ];
    for (part, value) in parts.iter().chain(&defaults) {
        text = text.replace(part, value);
    }
    text
}

#[test]
fn files() {
    check_with("S026", "workload { trace \"t.csv\"; } session { }", &[("t.csv", "0,0,1\n")], &[]);
    check_with("S026", "workload { trace \"t.csv\"; } session { }", &[("t.csv", "# no\n")], &[]);
    check_with(
        "S026",
        "workload { trace \"t.csv\"; } session { }",
        &[("t.csv", "0,0,nan,1,1")],
        &[],
    );
    check_with(
        "S030",
        "use \"l.sq\"; def ⟦f⟧(y) = y; session { }",
        &[("l.sq", "def f(x) = x;")],
        &[],
    );
}

#[test]
fn names_declared() {
    check("S030", &declared("let k = 1; let ⟦k⟧ = 2;"));
    check("S030", &declared("let ⟦p⟧ = 2;"));
    check("S030", &declared("stage ⟦q⟧ : delay;"));
    check("S030", &declared("gauge g = used(p); gauge ⟦g⟧ = used(q);"));
    check("S030", &queues(&[("MORE", "queue ⟦P⟧ : prefill { serve delay; prefill (x) { } }")]));
    check("S031", &declared("stage ⟦tokens⟧ : delay;"));
    check("S031", &declared("let ⟦serial⟧ = 1;"));
    check("S033", &declared("stage E : step { cost 1; budget 2; ⟦budget 3;⟧ }"));
    check("S033", "session { } run { horizon 1; ⟦horizon 2;⟧ }");
    check("S033", "workload { arrive batch(1); ⟦arrive batch(2);⟧ } session { }");
    check("S033", "session { } ⟦session { }⟧");
    check("S033", "workload { hidden a, ⟦a⟧; turn { set a = 1; } } session { }");
    check("S034", &session("", "choose ⟦serial⟧ in 2 by (1);"));
    let trace = [("t.csv", "0,0,1,1,1\n")];
    let text = "workload { trace \"t.csv\"; } session { turn; set ⟦more⟧ = 1; }";
    check_with("S034", text, &trace, &[]);
    check("S035", &session("", "set ⟦now⟧ = 2;"));
    check("S035", &session("", "set ⟦min⟧ = 2;"));
    check("S035", &session("", "set ⟦p⟧ = 2;"));
}

#[test]
fn names_read() {
    check("S040", &session("", "hold p (⟦a⟧) at admission (b = 2) { run d (1); }"));
    check("S040", &session("", "hold p (k) at admission (k = n) { run d (k); } observe y = ⟦k⟧;"));
    check("S040", &session("", "observe x = sum k in 3 (k) + ⟦k⟧;"));
    check("S040", &declared("let k = ⟦zz⟧;"));
    check("S043", &session("", "run d (⟦~uniform(1)⟧);"));
    check("S043", &session("def f(a, b) = a;", "run d (⟦f(1)⟧);"));
    check("S044", &session("def f() = 1;", "set x = ⟦f⟧;"));
}

#[test]
fn definitions() {
    check("S056", &session("def f(a) = a + a; def g(a) = f(⟦a⟧);", "run d (g(~exp(1)));"));
    let mut doubling = String::from("def f0(x) = x + x;\n");
    for k in 1..40 {
        doubling += &format!("def f{k}(x) = f{}(x) + f{}(x);\n", k - 1, k - 1);
    }
    check("S058", &session(&doubling, "run d (f39(1));"));
    check("S040", &session("def f(x) = x + ⟦missing⟧;", "run d (f(1));"));
}

#[test]
fn references() {
    check("S060", &session("", "observe u = used(⟦zz⟧);"));
    check("S061", &session("", "run ⟦p⟧ (1);"));
    let family = queues(&[("CALLS", "⟦P⟧.prefill (m);")]).replace("queue P :", "queue P[2] :");
    check("S066", &family);
    check("S068", &session("", "run d[⟦w⟧] (1);"));
    check("S070", &session("stage z[2] : fifo;", "run z[⟦0.5⟧] (1);"));
    check("S070", &session("let k = 2; stage z[2] : fifo;", "run z[⟦k⟧] (1);"));
    check("S070", &declared("pool z[2] { cap 3; } gauge g = sum k in 3 (used(z[⟦k⟧]));"));
    check("S072", &queues(&[("LOCAL", "run (⟦self⟧);")]));
    check("S074", &declared("stage E[2] : step { cost 1; } pool z { cap 2; admit via ⟦E⟧; }"));
}

#[test]
fn moments() {
    check("S080", &session("", "hold p (⟦size⟧) { run d (1); }"));
    check("S080", &declared("stage E : step { cost 1 + ⟦remaining⟧; }"));
    check("S080", &declared("stage E : step { cost 1; serve only (⟦now⟧ > 1); }"));
    check("S080", &declared("gauge g = ⟦now⟧;"));
    check("S080", &declared("pool z { cap 3; evict by (⟦tokens⟧); }"));
    check("S081", &declared("stage z : ps(1 + ⟦w⟧);"));
    check("S081", &declared("stage E : step { cost 1 + ⟦w⟧; }"));
    check("S082", &declared("pool z { cap 3; queue by (⟦o⟧); }"));
    check("S082", &declared("pool z { cap 3; evict by (⟦o⟧); }"));
    check("S082", &declared("stage E : step { cost 1; serve by (w, ⟦o⟧); }"));
    check("S082", &declared("stage E : step { cost 1; serve only (⟦o⟧ > w); }"));
    check("S082", &queues(&[("CALLS", "P.prefill (⟦o⟧);")]));
    check("S083", &session("", "hold p (1) at admission (k = ⟦~exp(1)⟧) { run d (1); }"));
    check("S083", &declared("stage E : step { cost 1; serve by (⟦~exp(1)⟧); }"));
    check("S083", &declared("gauge g = ⟦~exp(1)⟧;"));
}

#[test]
fn holds() {
    check("S090", &session("", "hold p (1) at admission (k = 1, ⟦k⟧ = 2) { run d (1); }"));
    check("S091", &session("", "hold p (k) at admission (k = cached) { run d (⟦k⟧); }"));
    check(
        "S092",
        &session("def f() { set ⟦k⟧ = 2; }", "hold p (1) at admission (k = 1) { f (); }"),
    );
    check("S095", &session("", "hold q (1) { load ⟦p⟧ (1); run d (1); }"));
    check("S095", &session("stage E : step { cost 1; }", "run E prefill (3) growing ⟦p⟧;"));
}

#[test]
fn runs_and_forms() {
    let engine = "stage E : step { cost 1; }";
    check(
        "S098",
        "queue gw : gateway { route { ⟦run (1);⟧ } } workload { session { request gw; } }",
    );
    let no_stage = "queue Z : prefill { prefill (x) { ⟦run (1);⟧ } }";
    check("S099", &queues(&[("MORE", no_stage)]));
    check("S100", &session("", "hold p (1) { hold q (1) { ⟦transfer (1) from p to q (1);⟧ } }"));
    check(
        "S101",
        &session("stage A : step { cost 1; } stage B : step { cost 1; }", "⟦prefill⟧ 3;"),
    );
    let over = "hold p (1) { hold q (1) { transfer on ⟦E⟧ (1) from p to q (1); } }";
    check("S104", &session(engine, over));
    let bare = [("PULL", ""), ("READ", "hold kv (x) { ⟦transfer (x) from src to kv (x);⟧ }")];
    check("S105", &queues(&bare));
}

#[test]
fn flows() {
    check("S106", &queues(&[("PULL", "D pull P share maxmin; share ⟦maxmin⟧;")]));
}

#[test]
fn queues_and_roles() {
    let gateways = "queue g2[⟦2⟧] : gateway { route { } }";
    let client = "session { turn; request gw; request g2; }";
    check("S118", &queues(&[("MORE", gateways), ("CLIENT", client)]));
    check("S127", &format!("⟦D⟧ pull P share maxmin;{}", queues(&[("PULL", "")])));
    let itself = [("PULL", "D pull ⟦D⟧ share maxmin;"), ("CALLS", "D.decode (m);")];
    check("S129", &queues(&itself));
    let source = queues(&[("PULL", "D pull ⟦P⟧ share maxmin;")]);
    check("S130", &source.replacen("nic ps(2); ", "", 1));
}

#[test]
fn entries() {
    check("S131", &queues(&[("READ", "hold kv (x) { set k = used(⟦P.kv⟧); }")]));
    check("S131", &queues(&[("LOCAL", "run (used(⟦tp⟧));")]));
    check("S134", &queues(&[("PBODY", "hold kv (⟦n⟧) { run (1); } lease kv (inf);")]));
    check("S134", &queues(&[("LOCAL", "run (⟦serial⟧);")]));
    let uncalled = "queue Z : prefill { serve delay; prefill (x) { run (⟦n⟧); } }";
    check("S134", &queues(&[("MORE", uncalled)]));
    check("S135", &queues(&[("PBODY", "set k = 2; hold kv (⟦k⟧) { run (1); } lease kv (inf);")]));
    let link = "queue L : link { serve ps(2); }";
    check("S140", &queues(&[("CALLS", "⟦L⟧.transfer (1);"), ("MORE", link)]));
    let reader = queues(&[("CALLS", "⟦D⟧.decode (m);")]);
    check("S143", &reader.replace("decode (x) { run (1); } ", ""));
    let other = "queue X : prefill { pool kv { cap 9; } serve delay; \
                 prefill (x) { hold kv (x) { run (1); } lease kv (inf); } }";
    check("S144", &queues(&[("CALLS", "D.decode (m) from ⟦X⟧;"), ("MORE", other)]));
    let read = [("CALLS", "P.prefill (m); D.decode (m) from ⟦P⟧;")];
    let nothing = [("PBODY", "hold kv (x) { run (1); }"), read[0]];
    check("S145", &queues(&nothing));
    let arms = "branch (x == 3) { hold kv (x) { run (1); } lease kv (1); } else { run (1); }";
    check("S145", &queues(&[("PBODY", arms), read[0]]));
    let both = "hold kv (x) { } lease kv (1); hold k2 (x) { } lease k2 (1); run (1);";
    let two = queues(&[("PBODY", both), read[0]]);
    check("S146", &two.replacen("pool kv", "pool k2 { cap 3; } pool kv", 1));
    let entry = "queue L : link { serve ps(2); transfer (n) { run (n); } }";
    check("S147", &queues(&[("CALLS", "⟦L⟧.transfer (1);"), ("MORE", entry)]));
    let drawn = queues(&[("CALLS", "P[⟦~det(0)⟧].prefill (1);")]);
    check("S150", &drawn.replace("queue P :", "queue P[2] :"));
}

#[test]
fn sides() {
    let client = |body: &str| format!("stage d : delay; workload {{ session {{ {body} }} }} ");
    check("S156", &queues(&[("PBODY", "⟦end;⟧")]));
    check("S156", &format!("{}server {{ ⟦request;⟧ }}", client("request;")));
    check("S157", "workload { turn { ⟦turn;⟧ } } session { }");
    check("S157", "workload { init { ⟦loop { set w = 1; }⟧ } } session { }");
}

#[test]
fn constants() {
    check("S160", &queues(&[("PULL", "D pull P latency ⟦used⟧(P.kv) share maxmin;")]));
    check("S163", &session("", "run d (⟦0 / 0⟧);"));
    check("S163", &session("let k = 0 - 2;", "hold p (1) { grow p (⟦k⟧); run d (1); }"));
    check("S164", &session("", "hold q (1) reserve (⟦5⟧) { run d (1); }"));
    check("S170", &declared("pool z[⟦0⟧] { cap 1; }"));
    let over_engine = "pool z { cap 3; spill p via ⟦E⟧ (1) when (1); }";
    check("S189", &declared(&format!("stage E : step {{ cost 1; }} {over_engine}")));
    check("S192", &session("", "⟦loop { set w = w + 1; }⟧"));
    check("S192", &session("", "⟦loop { branch (w > 1) { run d (1); } set w = w + 1; }⟧"));
    check("S192", &session("let k = 0;", "⟦loop { run d (k); }⟧"));
}
