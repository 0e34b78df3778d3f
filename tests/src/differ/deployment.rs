//! Programs of queues with roles: prefill and decode queues, single or families, or queues that are both, behind one
//! gateway or two; the KV is pulled over NICs by one reader or two, pushed over link queues, or carried by a link's entry.

use super::{Program, words::Words};

/// How the KV goes from P to D.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Move {
    /// Read over the NICs of both.
    Pulled,
    /// Over two links at once.
    Pushed,
    /// By the entry of a link.
    Carried,
}

/// What the deployment looks like.
struct Shape {
    /// Members, 0: a single queue.
    prefill: u64,
    decode: u64,
    moved: Move,
    /// A second decode queue like the first.
    second: bool,
    prompt: u64,
    output: u64,
    turns: u64,
    block: u64,
}

impl Shape {
    fn p(&self) -> &'static str {
        if self.prefill > 0 { "P[i]" } else { "P" }
    }

    fn d(&self) -> &'static str {
        if self.decode > 0 { "D[j]" } else { "D" }
    }
}

fn brackets(n: u64) -> String {
    if n > 0 { format!("[{n}]") } else { String::new() }
}

/// A program of a number.
pub fn program(mut words: Words) -> Program {
    let w = &mut words;
    if w.dice.chance(12) {
        return both(w);
    }
    let moved = match w.dice.between(0, 9) {
        0 | 1 => Move::Pushed,
        2 | 3 => Move::Carried,
        _ => Move::Pulled,
    };
    let links = moved != Move::Pulled;
    let size = |w: &mut Words| if links || w.dice.chance(60) { w.dice.between(1, 3) } else { 0 };
    let shape = Shape {
        prefill: size(w),
        decode: size(w),
        moved,
        second: !links && w.dice.chance(25),
        prompt: w.dice.between(4, 10),
        output: w.dice.between(2, 5),
        turns: w.dice.between(1, 3),
        block: w.dice.between(1, 5),
    };
    let mut text = format!(
        "let odd = 0;\nlet bs = {};\nlet wP = {} + 0.5371 + odd;\nlet wD = {} + 0.5593 + odd;\n\
         def whole(x) = floor((x - 1) / bs) * bs;\n",
        shape.block,
        w.eighths(1, 5),
        w.eighths(1, 5)
    );
    match shape.moved {
        Move::Pulled => {}
        Move::Pushed => {
            text += &format!(
                "queue out{} : link {{ serve ps(wP) latency {}; }}\nqueue in{} : link {{ serve ps(wD); }}\n",
                brackets(shape.prefill),
                w.eighths(0, 1),
                brackets(shape.decode)
            );
            text += &format!("share {};\n", w.one_of(&["maxmin", "bottleneck"]));
        }
        Move::Carried => {
            let (kind, seen) = (w.one_of(&["ps(wP)", "fifo", "delay"]), w.observe("n"));
            let before = w.maybe(40, &["run note (0.25); "]);
            text += &format!(
                "stage note : delay;\nqueue out{} : link {{ serve {kind}; transfer (n) {{ {before}run (n * (0.5137 + odd)); {seen} }} }}\n",
                brackets(shape.prefill),
            );
        }
    }
    text += &prefill(w, &shape);
    text += &decode(w, &shape, "D");
    if shape.second {
        text += &decode(w, &shape, "F");
    }
    if shape.moved == Move::Pulled {
        let share = w.one_of(&["maxmin", "bottleneck"]);
        for reader in ["D", "F"].into_iter().take(1 + usize::from(shape.second)) {
            let latency = match w.dice.chance(50) {
                true => format!(" latency {}", w.eighths(0, 1)),
                false => String::new(),
            };
            text += &format!("{reader} pull P{latency} share {share};\n");
        }
    }
    let desk = w.dice.chance(20);
    if desk {
        text += &format!("queue desk {{ serve {}; }}\n", w.one_of(&["fifo", "fifo(2)", "delay"]));
    }
    let gateways = w.dice.between(1, 2);
    for gateway in ["gw", "gx"].into_iter().take(gateways as usize) {
        text += &route(w, &shape, gateway, desk);
    }
    text += "stage tool : delay;\n";
    let arrivals = w.arrivals();
    let request = match gateways {
        1 => "request gw;".to_owned(),
        _ => format!(
            "branch ({} == 0) {{ request gw; }} else {{ request gx; }}",
            Words::modulo("serial", 2)
        ),
    };
    text += &format!(
        "workload {{\n  arrive {arrivals};\n  hidden o;\n  init {{ set ctx = 0; }}\n\
         \x20 turn {{ set n = {} + {}; set o = {} + {}; set go = turn_no < {}; }}\n\
         \x20 session {{ turn; loop {{ {request} set ctx = prompt + o; branch (go) {{ tool ({} + 0.125 + serial * 0.0173); turn; }} else {{ end; }} }} }}\n}}\n",
        shape.prompt,
        Words::modulo("serial", w.dice.between(2, 4)),
        shape.output,
        Words::modulo("serial + turn_no", 2),
        shape.turns,
        w.eighths(0, 2)
    );
    let used = |n: u64, q: &str, over: &str| match n {
        0 => format!("used({q}.kv)"),
        n => format!("{over} k in {n} (used({q}[k].kv))"),
    };
    text += &format!(
        "gauge g0 = {};\ngauge g1 = {};\n",
        used(shape.prefill, "P", "sum"),
        used(shape.decode, "D", "max")
    );
    text += &w.run(&arrivals, 40, 120);
    Program::of(text)
}

/// Queues that are both prefill and decode, so that nothing is moved.
fn both(w: &mut Words) -> Program {
    let members = if w.dice.chance(50) { 0 } else { w.dice.between(1, 3) };
    let shape = Shape {
        prefill: 0,
        decode: 0,
        moved: Move::Pushed,
        second: false,
        prompt: w.dice.between(3, 8),
        output: w.dice.between(2, 5),
        turns: w.dice.between(1, 3),
        block: w.dice.between(1, 5),
    };
    let (m, choose) = match members {
        0 => ("M", String::new()),
        n => ("M[i]", format!("choose i in {n} by (work(M[i]) + self_used(i), -i);")),
    };
    let choose = choose.replace("self_used(i)", "used(M[i].kv)");
    let own = if members > 0 { "self / 8" } else { "0" };
    let engine = engine(w, &shape, "M", "");
    let (first, seen, total) = (
        w.observe("M.first - t0"),
        w.observe(&format!("M.c + cachedin({m}.kv)")),
        w.observe("now - t0"),
    );
    let arrivals = w.arrivals();
    let text = format!(
        "let bs = {};\nqueue M{} : prefill, decode {{\n{engine}\
         \x20 prefill (prompt) {{ hold reqs (1), kv (prompt) {{ set c = cached + {own}; prefill (max(prompt - cached, 1)) growing kv; }} cache (prompt) }}\n\
         \x20 decode (prompt) {{ hold kv (prompt + 1), reqs (1) {{ prefill (max(prompt - cached, 1)) growing kv; mark first; decode (o) growing kv; }} cache (prompt + o) }}\n}}\n\
         queue gw : gateway {{ route {{ set t0 = now; {choose} {m}.prefill (n); {m}.decode (n); {first} {seen} {total} }} }}\n\
         stage tool : delay;\n\
         workload {{ arrive {arrivals}; hidden o;\n  turn {{ set n = {} + {}; set o = {}; set go = turn_no < {}; }}\n\
         \x20 session {{ turn; loop {{ request gw; branch (go) {{ tool (0.125 + serial * 0.0173); turn; }} else {{ end; }} }} }}\n}}\n{}\n",
        shape.block,
        brackets(members),
        shape.prompt,
        Words::modulo("serial", 3),
        shape.output,
        shape.turns,
        w.run(&arrivals, 30, 90)
    );
    Program::of(text)
}

/// An engine and its pools, in a queue named `name`.
fn engine(w: &mut Words, shape: &Shape, name: &str, via: &str) -> String {
    let longest = (shape.prompt + 4 + shape.output + 2) * shape.turns;
    let cap = shape.block * (longest / shape.block + w.dice.between(1, 6));
    let chunk =
        if w.dice.chance(40) { format!("chunk {}; ", w.dice.between(2, 5)) } else { String::new() };
    let serve = w.one_of(&[
        "",
        "",
        "serve decode first; ",
        "serve by (remaining); ",
        "serve by (-admission); ",
        "serve exclusive prefill; ",
        "serve only (decoding || decoders < 2); ",
    ]);
    let preempt = w.one_of(&["lifo", "lifo", "lifo", "none"]);
    let cost = w.one_of(&[
        "0.5 + tokens * 0.0625",
        "1",
        "0.25 + prefilled * 0.125 + residents * 0.0625",
        "0.25 + max(kv_decode * 0.0078125, decoders * 0.125)",
    ]);
    let evict = w.one_of(&["", " evict lru;", " evict by (size);", " evict by (waiting, age);"]);
    let queue = w.maybe(30, &[" queue by (-waited);", " queue by (n, serial);"]);
    format!(
        "  pool reqs {{ cap {}; admit via {name};{queue} }}\n  pool kv {{ cap {cap}; block bs;{evict} preempt {preempt};{via} }}\n\
         \x20 serve step {{ budget {}; {chunk}cost {cost}; memory kv; {serve}}}\n",
        w.dice.between(1, 4),
        w.dice.between(4, 12)
    )
}

fn prefill(w: &mut Words, shape: &Shape) -> String {
    let engine = engine(w, shape, "P", "");
    let nic = if shape.moved == Move::Pulled { "  nic ps(wP);\n" } else { "" };
    let lease = w.one_of(&["inf", "inf", "inf", "1.5"]);
    format!(
        "queue P{} : prefill {{\n{engine}{nic}  prefill (prompt) {{\n\
         \x20   hold reqs (1), kv (min(prompt, hit + budget_left(P))) reserve (prompt) at admission (hit = min(cachedin(kv), whole(prompt))) {{\n\
         \x20     set c = cached;\n      prefill (prompt - c) growing kv;\n    }} cache (prompt) lease kv ({lease});\n  }}\n}}\n",
        brackets(shape.prefill)
    )
}

fn decode(w: &mut Words, shape: &Shape, name: &str) -> String {
    let via = w.maybe(80, &[" admit via D;"]).replace('D', name);
    let engine = engine(w, shape, name, &via);
    let nic = if shape.moved == Move::Pulled { "  nic ps(wD);\n" } else { "" };
    let pulled = w.observe("prompt - c");
    let (transfer, note) = match shape.moved {
        Move::Pulled => ("transfer (prompt - c)".to_owned(), ""),
        Move::Pushed => {
            let wait = w.eighths(0, 1);
            let text = format!("run note ({wait}); transfer on out[src], in[self] (prompt - c)");
            (text, "stage note : delay;\n")
        }
        Move::Carried => ("out[src].transfer (prompt - c)".to_owned(), ""),
    };
    format!(
        "{note}queue {name}{} : decode {{\n{engine}{nic}  decode (prompt) {{\n\
         \x20   hold kv (min(known, hit + budget_left({name}))) reserve (known), reqs (1) at admission (known = computed < prompt ? prompt : computed + 1, hit = min(cachedin(kv), whole(known))) {{\n\
         \x20     set c = min(cached, whole(known));\n      prefill (known - c) growing kv;\n\
         \x20     branch (known == prompt) {{ mark first; }}\n      decode (o - 1 - (known - prompt)) growing kv;\n    }} cache (prompt + o);\n  }}\n\
         \x20 decode (prompt) from src {{\n    set moved = 0;\n\
         \x20   hold kv (known) reserve (known), reqs (0) reserve (1) reuse (whole(known)) at admission (known = computed < prompt ? prompt : computed + 1) {{\n\
         \x20     set c = cached;\n      branch (!moved) {{\n        {pulled}\n        {transfer} from src to kv (prompt - 1 - c);\n\
         \x20       mark got;\n        set moved = 1;\n        set c = prompt - 1;\n      }}\n\
         \x20     hold reqs (1) {{\n        prefill (known - c) growing kv;\n        branch (known == prompt) {{ mark first; }}\n\
         \x20       decode (o - 1 - (known - prompt)) growing kv;\n      }}\n    }} cache (prompt + o);\n  }}\n}}\n",
        brackets(shape.decode)
    )
}

fn route(w: &mut Words, shape: &Shape, gateway: &str, desk: bool) -> String {
    let (p, d) = (shape.p(), shape.d());
    let choose_d = match shape.decode {
        0 => String::new(),
        n => {
            let keys = w.one_of(&[
                "holders(D[j].kv) + queued(D[j].kv)",
                "queued(D[j].reqs), used(D[j].kv)",
                "j - free(D[j].kv)",
                "-cachedin(D[j].kv), work(D[j])",
                "price(D[j], 0, prompt), est_wait(D[j])",
                "j",
            ]);
            format!("    choose j in {n} by ({keys});\n")
        }
    };
    let choose_p = match shape.prefill {
        0 => String::new(),
        n => {
            let keys = w.one_of(&[
                "work(P[i]) + queued(P[i].reqs)",
                "cachedin(P[i].kv) > 0 ? 0 : 1, queued(P[i].reqs)",
                "holders(P[i].kv)",
            ]);
            format!("      choose i in {n} by ({keys});\n")
        }
    };
    let from = w.one_of(&["1", "4", "8", "99"]);
    let (lag, ttft, total) =
        (w.observe("D.got - t1"), w.observe("D.first - t0"), w.observe("now - t0"));
    let kept = w.observe(&format!("cachedin({d}.kv) + 100 * D.c"));
    let desk = if desk { "run desk (0.25 + serial * 0.0131);\n    " } else { "" };
    let mut decoded = format!(
        "{p}.prefill (prompt);\n      set t1 = now;\n      {d}.decode (prompt) from {p};\n      {lag}\n    }} else {{\n      {d}.decode (prompt);"
    );
    if shape.second {
        let f = if shape.decode > 0 { "F[j]" } else { "F" };
        let after = w.observe("F.first - t1");
        decoded = format!(
            "{p}.prefill (prompt);\n      set t1 = now;\n      branch ({} == 0) {{ {d}.decode (prompt) from {p}; {lag} }} else {{ {f}.decode (prompt) from {p}; {after} }}\n    }} else {{\n      {d}.decode (prompt);",
            Words::modulo("serial + turn_no", 2)
        );
    }
    format!(
        "queue {gateway} : gateway {{\n  route {{\n    {desk}set t0 = now;\n    set prompt = ctx + n;\n{choose_d}\
         \x20   branch (prompt - min(cachedin({d}.kv), whole(prompt)) >= {from}) {{\n{choose_p}      {decoded}\n    }}\n    {ttft}\n    {total}\n    {kept}\n  }}\n}}\n"
    )
}
