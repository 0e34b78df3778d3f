//! Wrong programs, one reason each: the code of the first error and the place that it points at,
//! which is written between `⟦` and `⟧`. The first row of each code is its plainest case.

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
    check_with("S020", "use ⟦\"no.sq\"⟧; session { }", &[], &[]);
    check_with("S021", "use \"l.sq\"; session { }", &[("l.sq", "stage z : delay;")], &[]);
    check_with("S022", "let thr = 1; session { }", &[], &[("th", "2")]);
    check_with("S023", "let a = 1; session { }", &[], &[("a", "2"), ("a", "3")]);
    check_with("S024", "let a = 1; let b = 2; session { }", &[], &[("a", "b"), ("b", "a")]);
    check("S025", "workload { trace ⟦\"no.csv\"⟧; } session { turn; }");
    let trace = [("t.csv", "session,turn,new,out,think\n0,0,one,1,1\n")];
    check_with("S026", "workload { trace ⟦\"t.csv\"⟧; } session { turn; }", &trace, &[]);
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
    check("S030", &declared("pool ⟦p⟧ { cap 3; }"));
    check("S030", &declared("let k = 1; let ⟦k⟧ = 2;"));
    check("S030", &declared("let ⟦p⟧ = 2;"));
    check("S030", &declared("stage ⟦q⟧ : delay;"));
    check("S030", &declared("gauge g = used(p); gauge ⟦g⟧ = used(q);"));
    check("S030", &queues(&[("MORE", "queue ⟦P⟧ : prefill { serve delay; prefill (x) { } }")]));
    check("S031", &declared("let ⟦min⟧ = 1;"));
    check("S031", &declared("stage ⟦tokens⟧ : delay;"));
    check("S031", &declared("let ⟦serial⟧ = 1;"));
    check("S032", &declared("def f(a, ⟦a⟧) = a;"));
    check("S033", &declared("pool z { cap 3; ⟦cap 4;⟧ }"));
    check("S033", &declared("stage E : step { cost 1; budget 2; ⟦budget 3;⟧ }"));
    check("S033", "session { } run { horizon 1; ⟦horizon 2;⟧ }");
    check("S033", "workload { arrive batch(1); ⟦arrive batch(2);⟧ } session { }");
    check("S033", "session { } ⟦session { }⟧");
    check("S033", "workload { hidden a, ⟦a⟧; turn { set a = 1; } } session { }");
    check("S034", &session("", "set ⟦cached⟧ = 1;"));
    check("S034", &session("", "choose ⟦serial⟧ in 2 by (1);"));
    let trace = [("t.csv", "0,0,1,1,1\n")];
    let text = "workload { trace \"t.csv\"; } session { turn; set ⟦more⟧ = 1; }";
    check_with("S034", text, &trace, &[]);
    check("S035", &session("let k = 1;", "set ⟦k⟧ = 2;"));
    check("S035", &session("", "set ⟦now⟧ = 2;"));
    check("S035", &session("", "set ⟦min⟧ = 2;"));
    check("S035", &session("", "set ⟦p⟧ = 2;"));
    check("S036", &session("", "observe x = sum ⟦w⟧ in 3 (w);"));
    check("S037", &session("gauge ⟦g⟧ = used(p);", "observe g = 1;"));
}

#[test]
fn names_read() {
    check("S040", &session("", "set x = ⟦zz⟧;"));
    check("S040", &session("", "hold p (⟦a⟧) at admission (b = 2) { run d (1); }"));
    check("S040", &session("", "hold p (k) at admission (k = n) { run d (k); } observe y = ⟦k⟧;"));
    check("S040", &session("", "observe x = sum k in 3 (k) + ⟦k⟧;"));
    check("S040", &declared("let k = ⟦zz⟧;"));
    check("S041", &session("", "set x = ⟦cosh⟧(1);"));
    check("S042", &session("", "run d (~⟦gamma⟧(1));"));
    check("S043", &session("", "set x = ⟦sqrt(1, 2)⟧;"));
    check("S043", &session("", "run d (⟦~uniform(1)⟧);"));
    check("S043", &session("def f(a, b) = a;", "run d (⟦f(1)⟧);"));
    check("S044", &session("", "set x = ⟦p⟧ + 1;"));
    check("S044", &session("def f() = 1;", "set x = ⟦f⟧;"));
    check("S045", &session("", "set x = ⟦p⟧(1);"));
    check("S046", &session("", "set x = ⟦p⟧.y;"));
    check("S047", &queues(&[("CALLS", "P.prefill (m); observe x = P.⟦zz⟧;")]));
    check("S048", &declared("let a = ⟦b⟧; let b = 1;"));
}

#[test]
fn definitions() {
    check("S050", "stage d : delay; session { run d (⟦f⟧(2)); } def f(a) = a;");
    check("S051", &session("def f(a) = a > 0 ? ⟦f⟧(a - 1) : 0;", "run d (f(2));"));
    check("S052", &session("def f(a) { run d (a); }", "set x = ⟦f⟧(2);"));
    check("S053", &session("def f(a) = a;", "⟦f⟧ (2);"));
    check("S054", &session("", "⟦d⟧ (2);"));
    check("S055", &session("", "⟦f⟧ (2);"));
    check("S056", &session("def f(a) = a + a;", "run d (f(⟦~exp(1)⟧));"));
    check("S056", &session("def f(a) = a + a; def g(a) = f(⟦a⟧);", "run d (g(~exp(1)));"));
    check("S057", &session("def f(a) { set ⟦a⟧ = 2; }", "f (1);"));
    let mut doubling = String::from("def f0(x) = x + x;\n");
    for k in 1..40 {
        doubling += &format!("def f{k}(x) = f{}(x) + f{}(x);\n", k - 1, k - 1);
    }
    check("S058", &session(&doubling, "run d (f39(1));"));
    check("S040", &session("def f(x) = x + ⟦missing⟧;", "run d (f(1));"));
}

#[test]
fn references() {
    check("S060", &session("", "hold ⟦r⟧ (1) { run d (1); }"));
    check("S060", &session("", "observe u = used(⟦zz⟧);"));
    check("S061", &session("", "hold ⟦d⟧ (1) { run d (1); }"));
    check("S061", &session("", "run ⟦p⟧ (1);"));
    check("S062", &queues(&[("LOCAL", "hold ⟦D.nic⟧ (1) { }")]));
    check("S063", &session("", "observe u = used(⟦3⟧);"));
    check("S064", &session("def f(a) = used(⟦a⟧);", "run d (f(3));"));
    check("S065", &session("pool z[2] { cap 3; } def f(a) = used(⟦a[1]⟧);", "run d (f(z[0]));"));
    check("S066", &session("pool z[2] { cap 3; }", "hold ⟦z⟧ (1) { run d (1); }"));
    let family = queues(&[("CALLS", "⟦P⟧.prefill (m);")]).replace("queue P :", "queue P[2] :");
    check("S066", &family);
    check("S068", &session("", "hold p[⟦1⟧] (1) { run d (1); }"));
    check("S068", &session("", "run d[⟦w⟧] (1);"));
    check("S069", &queues(&[("CALLS", "P[⟦0⟧].prefill (m);")]));
    check("S070", &session("stage z[2] : fifo;", "run z[⟦0.5⟧] (1);"));
    check("S070", &session("let k = 2; stage z[2] : fifo;", "run z[⟦k⟧] (1);"));
    check("S070", &declared("pool z[2] { cap 3; } gauge g = sum k in 3 (used(z[⟦k⟧]));"));
    check("S071", &declared("pool z[2] { cap 3; } gauge g = used(z[⟦used(p)⟧]);"));
    check("S072", &queues(&[("CALLS", "set k = ⟦self⟧; P.prefill (m);")]));
    check("S072", &queues(&[("LOCAL", "run (⟦self⟧);")]));
    check("S073", &queues(&[("READ", "hold kv (x) { run (⟦src⟧); }")]));
    check("S074", &declared("stage E[3] : step { cost 1; memory ⟦z⟧; } pool z[2] { cap 2; }"));
    check("S074", &declared("stage E[2] : step { cost 1; } pool z { cap 2; admit via ⟦E⟧; }"));
}

#[test]
fn moments() {
    check("S080", &session("", "set x = ⟦tokens⟧;"));
    check("S080", &session("", "hold p (⟦size⟧) { run d (1); }"));
    check("S080", &declared("stage E : step { cost 1 + ⟦remaining⟧; }"));
    check("S080", &declared("stage E : step { cost 1; serve only (⟦now⟧ > 1); }"));
    check("S080", &declared("gauge g = ⟦now⟧;"));
    check("S080", &declared("pool z { cap 3; evict by (⟦tokens⟧); }"));
    check("S081", &declared("gauge g = ⟦w⟧;"));
    check("S081", &declared("stage z : ps(1 + ⟦w⟧);"));
    check("S082", &session("", "hold p (⟦o⟧) { run d (1); }"));
    check("S082", &declared("pool z { cap 3; queue by (⟦o⟧); }"));
    check("S082", &declared("pool z { cap 3; evict by (⟦o⟧); }"));
    check("S082", &queues(&[("CALLS", "P.prefill (⟦o⟧);")]));
    check("S083", &session("", "hold p (1) reserve (⟦~exp(1)⟧) { run d (1); }"));
    check("S083", &session("", "hold p (1) at admission (k = ⟦~exp(1)⟧) { run d (1); }"));
    check("S083", &declared("stage E : step { cost 1; serve by (⟦~exp(1)⟧); }"));
    check("S083", &declared("gauge g = ⟦~exp(1)⟧;"));
    check("S084", &declared("gauge g = ⟦cachedin⟧(p);"));
    check("S085", &declared("stage E : step { cost 1; chunk ⟦budget_left⟧(E); }"));
    check("S086", &declared("stage E : step { cost 1; serve only (⟦work⟧(E) > 1); }"));
    check("S087", &session("", "observe x = budget_left(⟦s⟧);"));
}

#[test]
fn holds() {
    check("S090", &session("", "hold p (n) at admission (⟦n⟧ = 2) { run d (1); }"));
    check("S090", &session("", "hold p (1) at admission (k = 1, ⟦k⟧ = 2) { run d (1); }"));
    check("S091", &session("", "hold p (k) at admission (k = used(p)) { run d (⟦k⟧); }"));
    check("S091", &session("", "hold p (k) at admission (k = cached) { run d (⟦k⟧); }"));
    check(
        "S092",
        &session("def f() { set ⟦k⟧ = 2; }", "hold p (1) at admission (k = 1) { f (); }"),
    );
    check("S093", &session("", "hold p (1), ⟦p⟧ (1) { run d (1); }"));
    check("S094", &session("", "hold p (1) { run d (1); } lease ⟦q⟧ (3);"));
    check("S095", &session("", "grow ⟦p⟧ (1);"));
    check("S095", &session("", "hold q (1) { load ⟦p⟧ (1); run d (1); }"));
    check("S095", &session("stage E : step { cost 1; }", "run E prefill (3) growing ⟦p⟧;"));
    check("S198", &session("pool z[2] { cap 3; }", "hold ⟦z[w]⟧ (1) { set w = 1; run d (1); }"));
    check("S199", &session("", "release ⟦p⟧; run d (1);"));
}

#[test]
fn runs_and_forms() {
    let engine = "stage E : step { cost 1; }";
    check("S096", &session(engine, "run ⟦E⟧ (3);"));
    check("S097", &session(engine, "run d ⟦prefill⟧ (3);"));
    check(
        "S098",
        "queue gw : gateway { route { ⟦run (1);⟧ } } workload { session { request gw; } }",
    );
    let no_stage = "queue Z : prefill { prefill (x) { ⟦run (1);⟧ } }";
    check("S099", &queues(&[("MORE", no_stage)]));
    check("S100", &session("", "⟦tool⟧ (1);"));
    check("S100", &session("", "hold p (1) { hold q (1) { ⟦transfer (1) from p to q (1);⟧ } }"));
    check(
        "S101",
        &session("stage A : step { cost 1; } stage B : step { cost 1; }", "⟦prefill⟧ 3;"),
    );
    check("S102", "session { prefill on ⟦E⟧ (1); } stage E : step { cost 1; }");
    check("S103", &session(engine, "⟦tool⟧ on E (3);"));
    let over = "hold p (1) { hold q (1) { transfer on ⟦E⟧ (1) from p to q (1); } }";
    check("S104", &session(engine, over));
    let bare = [("PULL", ""), ("READ", "hold kv (x) { ⟦transfer (x) from src to kv (x);⟧ }")];
    check("S105", &queues(&bare));
    check("S194", &session("", "hold p (1) { run d (3) growing ⟦p⟧; }"));
    check("S196", &queues(&[("READ", "hold kv (x) { transfer (x) from ⟦kv⟧ to kv (x); }")]));
}

#[test]
fn flows() {
    let two = "stage a : ps(1); stage b : ps(2);";
    let shared = "stage a : ps(1); stage b : ps(2); share maxmin;";
    check("S106", &declared("share maxmin; share ⟦bottleneck⟧;"));
    check("S106", &queues(&[("PULL", "D pull P share maxmin; share ⟦maxmin⟧;")]));
    check("S107", &session(two, "run ⟦a⟧, b (1);"));
    check("S108", &session("share ⟦maxmin⟧;", "run d (1);"));
    check("S109", &session(shared, "run a, ⟦s⟧ (1);"));
    let moving = "stage c : ps(present); stage a : ps(1); share maxmin;";
    check("S110", &session(moving, "run a, ⟦c⟧ (1);"));
    check("S111", &session("stage c : ps(0); stage a : ps(1); share maxmin;", "run a, ⟦c⟧ (1);"));
    check("S195", &session(shared, "run a, ⟦a⟧ (1);"));
}

#[test]
fn queues_and_roles() {
    let more = |queue: &str| queues(&[("MORE", queue)]);
    check("S112", &more("queue ⟦link⟧ : link { serve ps(1); }"));
    check("S113", &more("queue Z : prefill, ⟦prefill⟧ { serve delay; prefill (x) { } }"));
    check("S114", &more("queue Z : ⟦router⟧ { serve delay; }"));
    check("S115", &more("queue Z : prefill { serve ps(2) latency ⟦1⟧; prefill (x) { run (1); } }"));
    check("S116", &more("queue L : link { serve ps(2) latency ⟦1⟧; transfer (n) { run (n); } }"));
    check("S117", &more("queue ⟦L⟧ : link { }"));
    let gateways = "queue g2[⟦2⟧] : gateway { route { } }";
    let client = "session { turn; request gw; request g2; }";
    check("S118", &queues(&[("MORE", gateways), ("CLIENT", client)]));
    check("S120", &more("queue ⟦Z⟧ : prefill { serve delay; }"));
    check("S121", &more("queue Z : prefill { serve delay; prefill (x) { } ⟦decode⟧ (x) { } }"));
    check("S122", &more("queue Z : prefill { serve delay; prefill (x) { } ⟦prefill⟧ (y) { } }"));
    check("S123", &more("queue Z : prefill { serve delay; prefill (x) from ⟦src⟧ { } }"));
    check("S124", &more("queue Z : prefill { serve delay; ⟦prefill⟧ (x, y) { } }"));
    check("S125", &queues(&[("PULL", "D pull ⟦top⟧ share maxmin;")]));
    check("S126", &queues(&[("PULL", "D pull ⟦Z⟧ share maxmin;")]));
    check("S127", &format!("⟦D⟧ pull P share maxmin;{}", queues(&[("PULL", "")])));
    check("S128", &queues(&[("PULL", "D pull P share maxmin; ⟦D⟧ pull P share bottleneck;")]));
    let itself = [("PULL", "D pull ⟦D⟧ share maxmin;"), ("CALLS", "D.decode (m);")];
    check("S129", &queues(&itself));
    let source = queues(&[("PULL", "D pull ⟦P⟧ share maxmin;")]);
    check("S130", &source.replacen("nic ps(2); ", "", 1));
}

#[test]
fn entries() {
    check("S131", &queues(&[("READ", "hold kv (x) { set k = used(⟦P.kv⟧); }")]));
    check("S131", &queues(&[("LOCAL", "run (used(⟦tp⟧));")]));
    check("S132", &queues(&[("READ", "hold ⟦P.kv⟧ (x) { run (1); }")]));
    check("S133", &queues(&[("CALLS", "hold ⟦D.kv⟧ (1) { } P.prefill (m);")]));
    check("S134", &queues(&[("PBODY", "hold kv (⟦n⟧) { run (1); } lease kv (inf);")]));
    check("S134", &queues(&[("LOCAL", "run (⟦serial⟧);")]));
    let uncalled = "queue Z : prefill { serve delay; prefill (x) { run (⟦n⟧); } }";
    check("S134", &queues(&[("MORE", uncalled)]));
    check("S135", &queues(&[("PBODY", "set k = 2; hold kv (⟦k⟧) { run (1); } lease kv (inf);")]));
    check("S136", &queues(&[("LOCAL", "hold kv (⟦now⟧) { run (1); }")]));
    check("S137", &queues(&[("LOCAL", "set ⟦x⟧ = 2; run (1);")]));
    check("S138", &queues(&[("LOCAL", "⟦P⟧.prefill (1);")]));
    check("S139", &queues(&[("CALLS", "⟦gw⟧.route ();")]));
    let link = "queue L : link { serve ps(2); }";
    check("S140", &queues(&[("CALLS", "⟦L⟧.transfer (1);"), ("MORE", link)]));
    check("S141", &queues(&[("CALLS", "P.⟦decode⟧ (1);")]));
    check("S142", &queues(&[("CALLS", "⟦P⟧.prefill (m) from D;")]));
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
    check("S148", &queues(&[("CALLS", "P.prefill (m); D.decode (m) from P to ⟦D.kv⟧ (1);")]));
    check("S149", &queues(&[("CALLS", "P.prefill (⟦~exp(1)⟧);")]));
    let drawn = queues(&[("CALLS", "P[⟦~det(0)⟧].prefill (1);")]);
    check("S150", &drawn.replace("queue P :", "queue P[2] :"));
    check("S197", &session("", "mark ⟦x⟧;"));
}

#[test]
fn sides() {
    let client = |body: &str| format!("stage d : delay; workload {{ session {{ {body} }} }} ");
    check("S151", &format!("{}⟦session {{ }}⟧", client("run d (1);")));
    check("S152", &client("⟦request;⟧"));
    check("S153", "server { } session { ⟦request;⟧ }");
    check("S154", &format!("{}⟦server {{ }}⟧", client("")));
    check("S155", "queue ⟦gw⟧ : gateway { route { } } session { }");
    check("S156", &format!("{}server {{ ⟦turn;⟧ }}", client("request;")));
    check("S156", &queues(&[("PBODY", "⟦end;⟧")]));
    check("S156", &format!("{}server {{ ⟦request;⟧ }}", client("request;")));
    check("S157", "workload { turn { ⟦turn;⟧ } } session { }");
    check("S157", "workload { init { ⟦loop { set w = 1; }⟧ } } session { }");
    check("S158", &client("request ⟦d⟧;"));
    check("S159", &client("request ⟦zz⟧;"));
    check("S193", "stage d : delay; workload { ⟦session { run d (1); }⟧ }");
}

#[test]
fn constants() {
    check("S160", &declared("let k = ⟦now⟧ + 1;"));
    check("S160", &queues(&[("PULL", "D pull P latency ⟦used⟧(P.kv) share maxmin;")]));
    check("S161", &declared("let k = ⟦~exp(1)⟧;"));
    check("S162", &declared("let k = ⟦0 / 0⟧;"));
    check("S163", &session("", "run d (⟦-1⟧);"));
    check("S163", &session("", "run d (⟦0 / 0⟧);"));
    check("S163", &session("let k = 0 - 2;", "hold p (1) { grow p (⟦k⟧); run d (1); }"));
    check("S164", &session("", "hold q (⟦5⟧) { run d (1); }"));
    check("S164", &session("", "hold q (1) reserve (⟦5⟧) { run d (1); }"));
    check("S165", &declared("pool z { cap ⟦-1⟧; }"));
    check("S166", &declared("pool z { cap 4; block ⟦0⟧; }"));
    check("S167", &declared("stage z : fifo(⟦1.5⟧);"));
    check("S168", &declared("stage z : ps(⟦0 / 0⟧);"));
    check("S170", &declared("pool z[⟦2.5⟧] { cap 1; }"));
    check("S170", &declared("pool z[⟦0⟧] { cap 1; }"));
    check("S171", &declared("pool z[⟦1e9⟧] { cap 1; }"));
    check("S172", &session("", "observe x = sum k in ⟦0⟧ (k);"));
    check("S169", &session("", "observe x = sum k in ⟦1e9⟧ (k);"));
    check("S173", &session("", "observe x = sum k in ⟦w⟧ (k);"));
    check("S174", &session("", "branch (⟦0.5⟧) { run d (1); }"));
    check("S175", &session("", "choose j in ⟦1.5⟧ by (j);"));
    check("S176", &session("", "branch with (⟦2⟧) { run d (1); }"));
    let run = |options: &str| {
        format!("workload {{ arrive renewal(1); }} session {{ }} run {{ {options} }}")
    };
    check("S177", &run("horizon ⟦inf⟧;"));
    check("S178", &run("horizon 9; warmup ⟦-1⟧;"));
    check("S179", &run("horizon 9; warmup ⟦9⟧;"));
    check("S180", &run("horizon 9; seed ⟦-1⟧;"));
    check("S181", &run("horizon 9; arrivals ⟦2.5⟧;"));
    check("S182", "workload { arrive batch(3); } session { } run { horizon 9; arrivals ⟦2⟧; }");
    check("S183", "workload { hidden ⟦zz⟧; } session { }");
    check("S184", "workload { hidden ⟦serial⟧; } session { }");
    check("S185", "workload { arrive poisson(⟦0⟧); } session { }");
    check("S186", "workload { arrive renewal(⟦0⟧); } session { }");
    check("S119", "workload { arrive batch(⟦1e9⟧); } session { }");
    check("S187", "workload { arrive batch(⟦1.5⟧); } session { }");
    let over_engine = "pool z { cap 3; spill p via ⟦E⟧ (1) when (1); }";
    check("S189", &declared(&format!("stage E : step {{ cost 1; }} {over_engine}")));
    check("S190", &declared("pool z { cap 3; spill ⟦z⟧ via d (1) when (1); }"));
    check("S191", &declared("stage E : ⟦step { budget 3; }⟧"));
    check("S192", &session("", "⟦loop { set w = w + 1; }⟧"));
    check("S192", &session("", "⟦loop { branch (w > 1) { run d (1); } set w = w + 1; }⟧"));
    check("S192", &session("let k = 0;", "⟦loop { run d (k); }⟧"));
}
