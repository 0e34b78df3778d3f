//! Programs of step engines: one, a family, or one that prefills and one that decodes; every plan option, admission by
//! the engine or not, growth, preemption, a cached prefix, requests that are away from the engine for a while.

use super::{
    Program,
    words::{Words, indented, renamed},
};

/// What the deployment looks like. Sizes fit each other: no request is larger than its pool.
struct Shape {
    block: u64,
    prompt: u64,
    output: u64,
    turns: u64,
    cap: u64,
    /// Members of each family, 0: single.
    members: u64,
    /// One engine prefills and another decodes.
    two: bool,
    /// The request says how long its output is.
    asks: bool,
    /// Engines are named for the forms that find them.
    named: bool,
    /// Tools are a family.
    tools: bool,
}

impl Shape {
    fn new(w: &mut Words, traced: bool) -> Shape {
        let mut shape = Shape {
            block: w.dice.between(1, 4),
            prompt: w.dice.between(3, 9),
            output: w.dice.between(1, 6),
            turns: w.dice.between(1, 3),
            cap: 0,
            members: if w.dice.chance(35) { w.dice.between(1, 3) } else { 0 },
            two: w.dice.chance(20),
            asks: w.dice.chance(50),
            named: w.dice.chance(30),
            tools: w.dice.chance(20),
        };
        let longest = (shape.prompt + 4 + shape.output + 4) * if traced { 3 } else { shape.turns };
        shape.cap = shape.block * (longest / shape.block + 1 + w.dice.between(0, 8));
        shape
    }

    /// The chosen member's index, in brackets.
    fn at(&self) -> &'static str {
        if self.members > 0 { "[j]" } else { "" }
    }

    /// The first member's, in expressions that no session reads.
    fn first(&self) -> &'static str {
        if self.members > 0 { "[0]" } else { "" }
    }

    fn brackets(&self) -> String {
        if self.members > 0 { format!("[{}]", self.members) } else { String::new() }
    }

    /// A run on the engine in one of the ways to say it.
    fn run(&self, w: &mut Words, mode: &str, work: &str, growing: bool) -> String {
        let (at, stage) = (self.at(), if self.two && mode == "decode" { "F" } else { "E" });
        let growing = if growing { format!(" growing kv{at}") } else { String::new() };
        // A stage of the form's name, or the only engine, which then is no family.
        let found = self.named && (mode == "prefill" || self.two) || !self.two && self.members == 0;
        let place = if at.is_empty() { String::new() } else { format!("{at} ") };
        match w.dice.between(0, 3) {
            0 if found => format!("{mode} {place}({work}){growing};"),
            1 => format!("{mode} on {stage}{at} ({work}){growing};"),
            _ => format!("run {stage}{at} {mode} ({work}){growing};"),
        }
    }

    /// A wait away from the engine.
    fn tool(&self, w: &mut Words, time: &str) -> String {
        let member =
            if self.tools { format!("[{}]", Words::modulo("serial", 2)) } else { String::new() };
        match w.dice.between(0, 2) {
            0 => format!("tool on tool{member} ({time});"),
            _ if self.tools => format!("tool{member} ({time});"),
            _ => format!("tool ({time});"),
        }
    }
}

/// A program of a number.
pub fn program(mut words: Words) -> Program {
    let w = &mut words;
    let traced = w.dice.chance(30);
    let shape = Shape::new(w, traced);
    let trace = traced.then(|| w.trace(shape.prompt));
    let brackets = shape.brackets();
    let mut text = format!("let bs = {};\ndef whole(x) = floor((x - 1) / bs) * bs;\n", shape.block);
    let tier = shape.members == 0 && w.dice.chance(25);
    text += &pools(w, &shape, tier);
    text += &format!("stage E{brackets} : step {{ {}{}}}\n", step(w, &shape), memory(w));
    if shape.two {
        let memory = w.maybe(40, &["memory kv; "]);
        text += &format!("stage F{brackets} : step {{ {}{memory}}}\n", step(w, &shape));
    }
    text += if shape.tools { "stage tool[2] : fifo;\n" } else { "stage tool : delay;\n" };
    let arrivals = w.arrivals();
    text += &workload(w, &arrivals, &shape, trace.as_ref().map(|(clause, _)| *clause));
    text += &request(w, &shape);
    text += &gauges(w, shape.members);
    text += &w.run(&arrivals, 20, 80);
    if shape.named {
        text = renamed(&text, &[("E", "prefill"), ("F", "decode")]);
    }
    Program::of(text).with("trace.csv", trace.map(|(_, rows)| rows))
}

fn pools(w: &mut Words, shape: &Shape, tier: bool) -> String {
    let brackets = shape.brackets();
    let slots = w.dice.between(1, 4);
    let queue = w.one_of(&[
        "",
        "",
        " queue fifo;",
        " queue by (n);",
        " queue by (-n, serial);",
        " queue by (n - waited);",
        " queue by (computed > 0 ? 0 : 1, cached);",
        " queue by (n <= budget_left(E@) ? 0 : 1, n);",
        " queue by (cachedin(kv@) + (now > 9 ? 1 : -1) * n);",
        " queue by (-n * (1 + work(E@)));",
    ]);
    let queue = queue.replace('@', shape.first());
    let via = w.maybe(85, &[" admit via E;"]);
    let cap = shape.cap;
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
            let when = w.one_of(&["1", "size > 1", "waiting == 0", "age < 4", "now > last + 1"]);
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
fn step(w: &mut Words, shape: &Shape) -> String {
    let mut text = String::new();
    let budget = w.dice.between(3, 14);
    text += &match w.dice.between(0, 10) {
        0 | 1 => String::new(),
        2 => format!("budget {budget} + decoders; "),
        3 => format!("budget max({budget} - residents, 1); "),
        4 => format!("budget max({budget} - kv_decode / 4 - kv_prefill / 8, 2); "),
        5 => format!("budget {budget} + min(now, 9) - min(used(kv@), 2); "),
        6 => format!("budget max({budget} - queued(reqs@), 0.5); "),
        _ => format!("budget {budget}; "),
    };
    let chunk = w.dice.between(1, shape.prompt);
    text += &match w.dice.between(0, 8) {
        0 | 1 => format!("chunk {chunk}; "),
        2 => format!("chunk decoders > 0 ? {chunk} : 0; "),
        3 => format!("chunk residents > 1 ? {chunk} : now > 9 ? 2 : 0; "),
        4 => "chunk 1 + max(kv_prefill - kv_decode, 0) / 4 + (free(kv@) < 4 ? 0 : 2); ".into(),
        _ => String::new(),
    };
    let (base, per) = (w.eighths(0, 1), w.eighths(0, 1));
    text += &match w.dice.between(0, 7) {
        6 => format!("cost 0.25 + {base} + min(now, 8) / 8 + queued(reqs@) / 16; "),
        7 => format!("cost 0.5 + {base} + used(kv@) / 64; "),
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
        "serve by (kv_decode > kv_prefill ? admission : -admission); ",
        "serve by ((now > 8 ? 1 : -1) * remaining + residents, decoders); ",
        "serve by (used(kv@) > 9 ? admission : remaining); ",
        "serve only (kv_decode <= kv_prefill + 9 || decoding) admission; ",
        "serve only (residents < 3 || admission > 1 || queued(reqs@) > 0) admission; ",
    ]);
    text.replace('@', shape.first())
}

fn workload(w: &mut Words, arrivals: &str, shape: &Shape, trace: Option<&str>) -> String {
    let modulo = Words::modulo("serial", w.dice.between(2, 4));
    let of_turn = Words::modulo("turn_no + serial", 3);
    let think = w.eighths(0, 3);
    let mut items = vec![format!("arrive {arrivals};")];
    items.extend(trace.map(str::to_owned));
    let turn = if trace.is_some() {
        w.one_of(&[
            "set n = new; set o = out; set go = more && turn_no < 3;",
            "set n = new - forced / 2; set o = out / 2 + 1; set go = more && turn_no < 3;",
        ])
        .to_owned()
    } else {
        format!(
            "set n = {} + {modulo}; set o = {} + {of_turn}; set go = turn_no < {};",
            shape.prompt, shape.output, shape.turns
        )
    };
    let away = if trace.is_some() { "think".to_owned() } else { format!("{think} + 0.125") };
    let away = shape.tool(w, &away);
    if !shape.asks {
        items.push("hidden o;".into());
    }
    items.push("init { set ctx = 0; }".into());
    items.push(format!("turn {{ {turn} }}"));
    let next = w.one_of(&["prompt + o", "prompt + o", "prompt", "0"]);
    items.push(format!(
        "session {{ turn; loop {{ request; set ctx = {next}; branch (go) {{ {away} turn; }} else {{ end; }} }} }}"
    ));
    format!("workload {{\n{}}}\n", indented(&items))
}

/// What the server does with one request.
fn request(w: &mut Words, shape: &Shape) -> String {
    let (at, members, asks) = (shape.at(), shape.members, shape.asks);
    let mut body = vec!["set t0 = now;".to_owned(), "set prompt = ctx + n;".into()];
    if members > 0 {
        let keys = w.one_of(&[
            "queued(reqs[j]) + holders(kv[j])",
            "cachedin(kv[j]) > 0 ? 0 : 1, work(E[j])",
            "-free(kv[j]), queue(E[j])",
            "work(E[j]) + price(E[j], n, prompt - cachedin(kv[j]))",
            "-budget_left(E[j]), -j",
            "busy(E[j]) + now * queue(E[j])",
        ]);
        body.push(format!("choose j in {members} by ({keys});"));
    }
    let first = w.observe("now - t0");
    if w.dice.chance(20) {
        body.push(w.observe(&format!("budget_left(E{at}) + work(E{at})")));
    }
    if w.dice.chance(10) {
        body.push(format!("branch (budget_left(E{at}) > 2) {{ set t1 = budget_left(E{at}); }}"));
    }
    match w.dice.between(0, 6) {
        0 | 1 => {
            let reserve = w.maybe(
                70,
                &[
                    " reserve (known)",
                    " reserve (known)",
                    " reserve (min(known, budget_left(E@) + 2))",
                ],
            );
            let reserve = reserve.replace('@', at);
            let (hit, known) = (w.observe("c"), w.observe("known"));
            let prefill = shape.run(w, "prefill", "known - c", true);
            let decode = shape.run(w, "decode", "o - 1 - (known - prompt)", true);
            let after = w.one_of(&[
                "prompt + o",
                "prompt",
                "whole(prompt)",
                "prompt + min(budget_left(E@), o)",
                "cached + o",
            ]);
            let after = after.replace('@', at);
            body.push(format!(
                "hold reqs{at} (1), kv{at} (min(known, hit + budget_left(E{at}))){reserve}\n     \
                 at admission (known = computed < prompt ? prompt : computed + 1, hit = min(cachedin(kv{at}), whole(known))) {{\n  \
                 set c = min(cached, whole(known));\n  {hit}\n  {known}\n  {prefill}\n  branch (known == prompt) {{ {first} }}\n  {decode}\n}} cache ({after})"
            ));
        }
        2 => {
            let (cached, computed) = (w.observe("cached"), w.observe("computed"));
            let prefill = shape.run(w, "prefill", "max(prompt - cached, 1)", true);
            let decode = shape.run(w, "decode", "o", true);
            let (units, bound) = match w.dice.between(0, 2) {
                0 => ("prompt", ""),
                1 => ("min(prompt, max(budget_left(E@), 1))", ""),
                _ => ("min(left, prompt)", " at admission (left = max(budget_left(E@), 1))"),
            };
            let (units, bound) = (units.replace('@', at), bound.replace('@', at));
            body.push(format!(
                "hold reqs{at} (1), kv{at} ({units}) reserve (prompt){bound} {{\n  {cached}\n  {computed}\n  {prefill}\n  {first}\n  {decode}\n}} cache (prompt + o)"
            ));
        }
        3 if asks => {
            let reuse = w
                .maybe(80, &[" reuse (whole(prompt))", " reuse (budget_left(E@))"])
                .replace('@', at);
            let cached = w.observe("cached");
            let prefill = shape.run(w, "prefill", "prompt - min(cached, prompt - 1)", false);
            let decode = shape.run(w, "decode", "o", false);
            body.push(format!(
                "hold reqs{at} (1), kv{at} (prompt + o){reuse} {{\n  {cached}\n  {prefill}\n  {first}\n  {decode}\n}} cache (prompt)"
            ));
        }
        4 => {
            // Grown by hand before each half of the output; what is cached stays leased for a while.
            let leases =
                [" lease kv@ (1.5)", " lease kv@ (inf)", " lease kv@ (budget_left(E@) / 4)"];
            let lease = w.maybe(60, &leases).replace('@', at);
            let cached = w.observe("cached + 100 * computed");
            let work = w.one_of(&[
                "max(prompt - cached, 0.5)",
                "max(prompt - cached, min(budget_left(E@), 1) / 2 + 0.5)",
            ]);
            let prefill = shape.run(w, "prefill", &work.replace('@', at), false);
            let half = shape.run(w, "decode", "o / 2", false);
            let grown = w.one_of(&["o / 2", "max(o / 2, budget_left(E@) * 0)"]).replace('@', at);
            body.push(format!(
                "hold reqs{at} (1), kv{at} (prompt) {{\n  {cached}\n  {prefill}\n  {first}\n  \
                 grow kv{at} ({grown});\n  {half}\n  grow kv{at} (o - o / 2);\n  {half}\n}} cache (prompt + o){lease}"
            ));
            if lease.is_empty() {
                body.push(w.maybe(30, &["drop kv@;"]).replace('@', at));
            } else {
                let away = w.eighths(0, 2);
                let (away, used) = (shape.tool(w, &away), w.observe(&format!("used(kv{at})")));
                body.push(format!("{away}\n{used}\nrelease kv{at};"));
            }
        }
        5 if asks => {
            // In two visits, the slot given back between them.
            let prefill = shape.run(w, "prefill", "max(prompt - c, 1)", true);
            let decode = shape.run(w, "decode", "o", true);
            let away = w.eighths(0, 1);
            let away = shape.tool(w, &away);
            body.push(format!(
                "hold kv{at} (1) reserve (prompt + o) {{\n  set c = cached;\n  hold reqs{at} (1) {{\n    {prefill}\n    release reqs{at};\n    {first}\n    {away}\n  }}\n  \
                 hold reqs{at} (1) {{ {decode} }}\n}} cache (prompt + o)"
            ));
        }
        _ => {
            // Memory first, then away for a while, then a slot.
            let away = w.eighths(0, 1);
            let away = shape.tool(w, &away);
            let part = w.one_of(&[
                "@\n  branch (c < prompt) { load kv# (1); set c = c + 1; }",
                "@\n  branch (c < prompt) { load kv# (min(1, cached + 1)); set c = c + 1; }",
                "@",
            ]);
            let part = part.replace('@', &away).replace('#', at);
            let prefill = shape.run(w, "prefill", "max(prompt - c, 1)", true);
            let decode = shape.run(w, "decode", "o - 1", true);
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
