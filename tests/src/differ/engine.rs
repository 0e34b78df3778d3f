//! Programs of step engines: one, a family, or one that prefills and one that decodes; every plan option, admission by
//! the engine or not, growth, preemption, a cached prefix, requests that are away from the engine for a while.

use super::{
    Program,
    words::{Words, indented},
};

/// Sizes that fit each other: no request is larger than its pool.
struct Sizes {
    block: u64,
    prompt: u64,
    output: u64,
    turns: u64,
    cap: u64,
}

/// A program of a number.
pub fn program(mut words: Words) -> Program {
    let w = &mut words;
    let traced = w.dice.chance(30);
    let mut sizes = Sizes {
        block: w.dice.between(1, 4),
        prompt: w.dice.between(3, 9),
        output: w.dice.between(1, 6),
        turns: w.dice.between(1, 3),
        cap: 0,
    };
    let longest = (sizes.prompt + 4 + sizes.output + 4) * if traced { 3 } else { sizes.turns };
    sizes.cap = sizes.block * (longest / sizes.block + 1 + w.dice.between(0, 8));
    let members = if w.dice.chance(35) { w.dice.between(1, 3) } else { 0 };
    let brackets = if members > 0 { format!("[{members}]") } else { String::new() };
    let two = w.dice.chance(20);
    let mut text = format!("let bs = {};\ndef whole(x) = floor((x - 1) / bs) * bs;\n", sizes.block);
    let tier = members == 0 && w.dice.chance(25);
    text += &pools(w, &sizes, &brackets, tier);
    text += &format!("stage E{brackets} : step {{ {}{}}}\n", step(w, sizes.prompt), memory(w));
    if two {
        text += &format!("stage F{brackets} : step {{ {}}}\n", step(w, sizes.prompt));
    }
    text += "stage tool : delay;\n";
    let arrivals = w.arrivals();
    let at = if members > 0 { "[j]" } else { "" };
    let asks = w.dice.chance(50);
    text += &workload(w, &arrivals, &sizes, traced, asks);
    text += &request(w, at, two, members, asks);
    text += &gauges(w, members);
    text += &w.run(&arrivals, 20, 80);
    let trace = traced.then(|| w.trace(sizes.prompt));
    Program { text, trace }
}

fn pools(w: &mut Words, sizes: &Sizes, brackets: &str, tier: bool) -> String {
    let slots = w.dice.between(1, 4);
    let queue = w.one_of(&[
        "",
        "",
        " queue fifo;",
        " queue by (n);",
        " queue by (-n, serial);",
        " queue by (n - waited);",
        " queue by (computed > 0 ? 0 : 1, cached);",
    ]);
    let via = w.maybe(85, &[" admit via E;"]);
    let cap = sizes.cap;
    let block = w.maybe(85, &[" block bs;"]);
    let evict = w.one_of(&[
        "",
        " evict lru;",
        " evict by (-size);",
        " evict by (age);",
        " evict by (waiting, -last);",
    ]);
    let preempt =
        w.one_of(&["", " preempt lifo;", " preempt lifo;", " preempt lifo;", " preempt none;"]);
    let kv_via = if via.is_empty() { "" } else { w.maybe(25, &[" admit via E;"]) };
    let (spill, host) = match tier {
        false => (String::new(), String::new()),
        true => {
            let when = w.one_of(&["1", "size > 1", "waiting == 0", "age < 4"]);
            let link = w.one_of(&["fifo", "fifo(2)", "delay"]);
            let spill = format!(" spill host via pcie (size / 4) when ({when});");
            let block = w.maybe(60, &[" block bs;", " block 2;"]);
            let host = format!(
                "pool host {{ cap {};{block} }}\nstage pcie : {link};\n",
                cap / 2 + w.dice.between(0, 12)
            );
            (spill, host)
        }
    };
    format!(
        "{host}pool reqs{brackets} {{ cap {slots};{via}{queue} }}\n\
         pool kv{brackets} {{ cap {cap};{block}{evict}{preempt}{kv_via}{spill} }}\n"
    )
}

fn memory(w: &mut Words) -> &'static str {
    w.maybe(90, &["memory kv; "])
}

/// An engine's options but its memory.
fn step(w: &mut Words, prompt: u64) -> String {
    let mut text = String::new();
    let budget = w.dice.between(3, 14);
    text += &match w.dice.between(0, 4) {
        0 => String::new(),
        1 => format!("budget {budget} + decoders; "),
        2 => format!("budget max({budget} - residents, 1); "),
        _ => format!("budget {budget}; "),
    };
    let chunk = w.dice.between(1, prompt);
    text += &match w.dice.between(0, 3) {
        0 => format!("chunk {chunk}; "),
        1 => format!("chunk decoders > 0 ? {chunk} : 0; "),
        _ => String::new(),
    };
    let (base, per) = (w.eighths(0, 1), w.eighths(0, 1));
    text += &match w.dice.between(0, 5) {
        0 => "cost 1; ".to_owned(),
        1 => format!("cost 0.125 + {base} + tokens * {per}; "),
        2 => format!("cost 0.25 + {base} + max(kv_decode * 0.015625, tokens * 0.125); "),
        3 => "cost 0.5 + prefilled * 0.125 + decoders * 0.25 + residents * 0.0625; ".into(),
        4 => "cost 0.5 + attention * 0.0078125 + (kv_decode + kv_prefill) * 0.00390625; ".into(),
        _ => format!("cost 0.5 + {base} + (decoders > 2 ? 0.125 : prefilled > 4 ? 0.25 : 0); "),
    };
    text += w.one_of(&[
        "",
        "",
        "serve admission; ",
        "serve decode first; ",
        "serve by (remaining); ",
        "serve by (-remaining); ",
        "serve by (decoding ? remaining : 5, -admission); ",
        "serve by (-decoding, now - remaining, admission); ",
        "serve exclusive prefill; ",
        "serve only (decoders > 0 ? decoding : !decoding); ",
        "serve only (decoders < residents ? !decoding : decoding) by (remaining); ",
        "serve only (remaining > 1 || decoders > 1) decode first; ",
    ]);
    text
}

/// `asks`: the request says how long its output is.
fn workload(w: &mut Words, arrivals: &str, sizes: &Sizes, traced: bool, asks: bool) -> String {
    let modulo = Words::modulo("serial", w.dice.between(2, 4));
    let of_turn = Words::modulo("turn_no + serial", 3);
    let think = w.eighths(0, 3);
    let mut items = vec![format!("arrive {arrivals};")];
    let turn = if traced {
        items.push("trace \"trace.csv\" ordered;".into());
        w.one_of(&[
            "set n = new; set o = out; set go = more && turn_no < 3;",
            "set n = new - forced / 2; set o = out / 2 + 1; set go = more && turn_no < 3;",
        ])
        .to_owned()
    } else {
        format!(
            "set n = {} + {modulo}; set o = {} + {of_turn}; set go = turn_no < {};",
            sizes.prompt, sizes.output, sizes.turns
        )
    };
    let away = if traced { "think".to_owned() } else { format!("{think} + 0.125") };
    if !asks {
        items.push("hidden o;".into());
    }
    items.push("init { set ctx = 0; }".into());
    items.push(format!("turn {{ {turn} }}"));
    let next = w.one_of(&["prompt + o", "prompt + o", "prompt", "0"]);
    items.push(format!(
        "session {{ turn; loop {{ request; set ctx = {next}; branch (go) {{ tool ({away}); turn; }} else {{ end; }} }} }}"
    ));
    format!("workload {{\n{}}}\n", indented(&items))
}

/// What the server does with one request; `at` is the member's index in brackets or nothing.
fn request(w: &mut Words, at: &str, two: bool, members: u64, asks: bool) -> String {
    let mut body = vec!["set t0 = now;".to_owned(), "set prompt = ctx + n;".into()];
    if members > 0 {
        let keys = w.one_of(&[
            "queued(reqs[j]) + holders(kv[j])",
            "cachedin(kv[j]) > 0 ? 0 : 1, work(E[j])",
            "-free(kv[j]), queue(E[j])",
            "work(E[j]) + price(E[j], n, prompt - cachedin(kv[j]))",
            "-budget_left(E[j]), -j",
        ]);
        body.push(format!("choose j in {members} by ({keys});"));
    }
    let decode = if two { "F" } else { "E" };
    let first = w.observe("now - t0");
    let run = |mode: &str, stage: &str, work: &str| {
        format!("run {stage}{at} {mode} ({work}) growing kv{at};")
    };
    match w.dice.between(0, 6) {
        0 | 1 => {
            let reserve = w.maybe(70, &[" reserve (known)"]);
            let (hit, known) = (w.observe("c"), w.observe("known"));
            let prefill = run("prefill", "E", "known - c");
            let decode = run("decode", decode, "o - 1 - (known - prompt)");
            let after = w.one_of(&["prompt + o", "prompt", "whole(prompt)"]);
            body.push(format!(
                "hold reqs{at} (1), kv{at} (min(known, hit + budget_left(E{at}))){reserve}\n     \
                 at admission (known = computed < prompt ? prompt : computed + 1, hit = min(cachedin(kv{at}), whole(known))) {{\n  \
                 set c = min(cached, whole(known));\n  {hit}\n  {known}\n  {prefill}\n  branch (known == prompt) {{ {first} }}\n  {decode}\n}} cache ({after})"
            ));
        }
        2 => {
            let (cached, computed) = (w.observe("cached"), w.observe("computed"));
            let prefill = run("prefill", "E", "max(prompt - cached, 1)");
            let decode = run("decode", decode, "o");
            let units =
                w.one_of(&["prompt", "min(prompt, max(budget_left(E@), 1))"]).replace('@', at);
            body.push(format!(
                "hold reqs{at} (1), kv{at} ({units}) reserve (prompt) {{\n  {cached}\n  {computed}\n  {prefill}\n  {first}\n  {decode}\n}} cache (prompt + o)"
            ));
        }
        3 if asks => {
            let reuse = w.maybe(70, &[" reuse (whole(prompt))"]);
            let cached = w.observe("cached");
            body.push(format!(
                "hold reqs{at} (1), kv{at} (prompt + o){reuse} {{\n  {cached}\n  run E{at} prefill (prompt - min(cached, prompt - 1));\n  {first}\n  run {decode}{at} decode (o);\n}} cache (prompt)"
            ));
        }
        4 => {
            // Grown by hand before each half of the output; what is cached stays leased for a while.
            let lease = w.maybe(50, &[" lease kv@ (1.5)", " lease kv@ (inf)"]).replace('@', at);
            let cached = w.observe("cached + 100 * computed");
            body.push(format!(
                "hold reqs{at} (1), kv{at} (prompt) {{\n  {cached}\n  run E{at} prefill (max(prompt - cached, 0.5));\n  {first}\n  \
                 grow kv{at} (o / 2);\n  run {decode}{at} decode (o / 2);\n  grow kv{at} (o - o / 2);\n  run {decode}{at} decode (o - o / 2);\n}} cache (prompt + o){lease}"
            ));
            if lease.is_empty() {
                body.push(w.maybe(30, &["drop kv@;"]).replace('@', at));
            } else {
                let (away, used) = (w.eighths(0, 2), w.observe(&format!("used(kv{at})")));
                body.push(format!("tool ({away});\n{used}\nrelease kv{at};"));
            }
        }
        5 if asks => {
            // In two visits, the slot given back between them.
            let prefill = run("prefill", "E", "max(prompt - c, 1)");
            let decode = run("decode", decode, "o");
            let away = w.eighths(0, 1);
            body.push(format!(
                "hold kv{at} (1) reserve (prompt + o) {{\n  set c = cached;\n  hold reqs{at} (1) {{\n    {prefill}\n    release reqs{at};\n    {first}\n    tool ({away});\n  }}\n  \
                 hold reqs{at} (1) {{ {decode} }}\n}} cache (prompt + o)"
            ));
        }
        _ => {
            // Memory first, then away for a while, then a slot.
            let away = w.eighths(0, 1);
            let part = w.one_of(&[
                "tool (@);\n  branch (c < prompt) { load kv# (1); set c = c + 1; }",
                "tool (@);",
            ]);
            let part = part.replace('@', &away).replace('#', at);
            let prefill = run("prefill", "E", "max(prompt - c, 1)");
            let decode = run("decode", decode, "o - 1");
            body.push(format!(
                "hold kv{at} (prompt) reuse (whole(prompt)) {{\n  set c = cached;\n  {part}\n  hold reqs{at} (1) {{\n    {prefill}\n    {first}\n    {decode}\n  }}\n}} cache (prompt + o)"
            ));
        }
    }
    body.push(w.observe("now - t0"));
    body.push(w.observe(&format!("cachedin(kv{at})")));
    format!("server {{\n{}}}\n", indented(&body))
}

fn gauges(w: &mut Words, members: u64) -> String {
    let mut text = String::new();
    for name in ["g0", "g1", "g2"].into_iter().take(w.dice.between(1, 3) as usize) {
        let what = w.one_of(&[
            "used(kv@)",
            "queued(reqs@)",
            "queue(E@) * 10 + busy(E@)",
            "holders(kv@)",
            "free(reqs@)",
        ]);
        let value = match members {
            0 => what.replace('@', ""),
            n => format!(
                "{} k in {n} ({})",
                w.one_of(&["sum", "max", "min"]),
                what.replace('@', "[k]")
            ),
        };
        text += &format!("gauge {name} = {value};\n");
    }
    text
}
