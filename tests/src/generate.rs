//! Random programs, for properties that hold of every program: one engine or several under memory pressure, with the
//! clauses that decide how an engine plans its iterations drawn at random.
//!
//! The programs are valid and end: lengths are bounded, so that every request fits its pool.

/// A small generator of its own (SplitMix64), so that a number always gives the same program.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice of a seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number of `low..=high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    /// One of them.
    pub fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[(self.next() % choices.len() as u64) as usize]
    }
}

/// The program of a number.
pub fn program(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    if dice.chance(70) { engines(&mut dice) } else { prefill_then_decode(&mut dice) }
}

/// Pool options that decide who is evicted and what a shortage does.
fn memory(dice: &mut Dice, cap: u64, block: u64) -> String {
    let mut text = format!("cap {cap};");
    if dice.chance(85) {
        text += &format!(" block {block};");
    }
    text += dice.one_of(&[
        "",
        " evict lru;",
        " evict by (size);",
        " evict by (waiting, age);",
        " evict by (0 - last);",
    ]);
    text += dice.one_of(&[" preempt lifo;", " preempt lifo;", " preempt none;"]);
    text
}

/// An engine's options but its memory.
fn step(dice: &mut Dice) -> String {
    let mut text = String::new();
    if dice.chance(80) {
        text += &format!("budget {}; ", dice.between(12, 96));
    }
    if dice.chance(40) {
        text += &format!("chunk {}; ", dice.between(4, 40));
    }
    text += "cost ";
    text += dice.one_of(&[
        "0.004 + max(0.003 + 1e-5 * (kv_decode + kv_prefill), tokens * 4e-4); ",
        "0.006 + 2e-4 * tokens; ",
        "0.01; ",
        "0.003 + 1e-4 * prefilled + 5e-4 * decoders + 1e-6 * attention; ",
        "0.004 + 1e-3 * residents + 1e-5 * kv_decode; ",
    ]);
    text += dice.one_of(&[
        "",
        "",
        "serve admission; ",
        "serve decode first; ",
        "serve exclusive prefill; ",
        "serve by (remaining); ",
        "serve by (decoding ? 0 : 1, 0 - admission); ",
        "serve only (decoding == 1 || decoders < 4); ",
    ]);
    text
}

/// Sessions of some turns on one engine, or spread over a few.
fn engines(dice: &mut Dice) -> String {
    let (block, members) = (dice.between(2, 9), dice.between(1, 3));
    // The longest request: 4 turns of at most 30 + 25 tokens, and a block.
    let cap = dice.between(240, 480);
    let memory = memory(dice, cap, block);
    let via = if dice.chance(60) { " admit via E;" } else { "" };
    let rate = dice.between(15, 80) * members;
    let header = if via.is_empty() || dice.chance(40) {
        "hold kv[j] (K + n), slots[j] (1)".to_owned()
    } else {
        "hold kv[j] (min(K + n, budget_left(E[j]))) reserve (K + n), slots[j] (1)".to_owned()
    };
    let (known, caches) =
        if dice.chance(75) { ("min(cached, K + n - 1)", " cache (K + n + o)") } else { ("0", "") };
    let choose = dice.one_of(&[
        "choose j in M by (holders(kv[j]) + queued(kv[j]));",
        "choose j in M by (cachedin(kv[j]) > 0 ? 0 : 1, work(E[j]));",
        "choose j in M by (0 - free(kv[j]), queue(E[j]));",
        "set j = serial - M * floor(serial / M);",
    ]);
    let gauge = dice.one_of(&[
        "gauge g = sum k in M (used(kv[k]));",
        "gauge g = max k in M (queue(E[k])) - min k in M (queue(E[k]));",
        "gauge g = sum k in M (busy(E[k])) + queued(kv[0]);",
        "",
    ]);
    let amounts = dice.one_of(&["floor(~uniform(1, 25))", "~uniform(0.5, 25)"]);
    format!(
        "let M = {members};\n\
         pool slots[M] {{ cap {slots}; }}\n\
         pool kv[M] {{ {memory}{via} }}\n\
         stage E[M] : step {{ {step}memory kv; }}\n\
         stage tool : delay;\n\
         workload {{\n  arrive poisson({rate});\n  init {{ set K = 0; }}\n\
         \x20 turn {{ set n = floor(~uniform(2, 30)); set o = {amounts}; set more = ~bernoulli(0.6); }}\n}}\n\
         session {{\n  turn;\n  loop {{\n    set t0 = now;\n    {choose}\n\
         \x20   {header} {{\n      set c = {known};\n      run E[j] prefill (K + n - c) growing kv[j];\n\
         \x20     observe first = now - t0;\n      run E[j] decode (o) growing kv[j];\n    }}{caches}\n\
         \x20   observe response = now - t0;\n    observe again = computed;\n    set K = K + n + o;\n\
         \x20   branch (more && turn_no < 4) {{ run tool (~exp(0.2)); turn; }} else {{ end; }}\n  }}\n}}\n\
         {gauge}\nrun {{ horizon 20; warmup 2; }}\n",
        slots = dice.between(3, 24),
        step = step(dice),
    )
}

/// One engine fills blocks and leases them, another reads them over a shared link.
fn prefill_then_decode(dice: &mut Dice) -> String {
    let block = dice.between(2, 9);
    let (at_first, at_second) = (dice.between(120, 400), dice.between(120, 400));
    let (first, second) = (memory(dice, at_first, block), memory(dice, at_second, block));
    let rate = dice.between(8, 70);
    let bound = dice.one_of(&["inf", "0.5", "0.05"]);
    let policy = dice.one_of(&["maxmin", "bottleneck"]);
    format!(
        "queue P[2] : prefill {{\n  pool reqs {{ cap {slots}; admit via P; }}\n  pool kv {{ {first} }}\n\
         \x20 serve step {{ {step_first}memory kv; }}\n  nic ps(4000);\n  prefill (prompt) {{\n\
         \x20   hold reqs (1), kv (prompt) {{ set c = min(cached, prompt - 1); prefill (prompt - c) growing kv; }}\n\
         \x20   cache (prompt) lease kv ({bound});\n  }}\n}}\n\
         queue D[2] : decode {{\n  pool reqs {{ cap {more_slots}; admit via D; }}\n  pool kv {{ {second} admit via D; }}\n\
         \x20 serve step {{ {step_second}memory kv; }}\n  nic ps(6000);\n\
         \x20 decode (prompt) {{\n    hold kv (prompt), reqs (1) {{ set c = min(cached, prompt - 1); prefill (prompt - c) growing kv;\n\
         \x20     mark first; decode (o) growing kv; }} cache (prompt + o);\n  }}\n\
         \x20 decode (prompt) from src {{\n\
         \x20   set moved = 0;\n    hold kv (prompt) reserve (prompt), reqs (0) reserve (1) {{\n\
         \x20     set c = min(cached, prompt - 1);\n\
         \x20     branch (!moved) {{ transfer (prompt - c) from src to kv (prompt - 1 - c); set moved = 1; set c = prompt - 1; }}\n\
         \x20     hold reqs (1) {{ prefill (prompt - c) growing kv; mark first; decode (o) growing kv; }}\n\
         \x20   }} cache (prompt + o);\n  }}\n}}\n\
         D pull P latency 0.002 share {policy};\n\
         queue gw : gateway {{ route {{\n  set t0 = now;\n  set prompt = K + n;\n\
         \x20 choose i in 2 by (work(P[i]) + queued(P[i].reqs));\n  choose j in 2 by (holders(D[j].kv) + queued(D[j].kv));\n\
         \x20 branch (prompt - cachedin(D[j].kv) > 12) {{ P[i].prefill (prompt); D[j].decode (prompt) from P[i]; }}\n\
         \x20 else {{ D[j].decode (prompt); }}\n\
         \x20  observe ttft = D.first - t0;\n  observe response = now - t0;\n}} }}\n\
         stage tool : delay;\n\
         workload {{\n  arrive poisson({rate});\n  hidden o;\n  init {{ set K = 0; }}\n\
         \x20 turn {{ set n = floor(~uniform(2, 30)); set o = floor(~uniform(1, 20)); set more = ~bernoulli(0.5); }}\n\
         \x20 session {{ turn; loop {{ request gw; set K = prompt + o; branch (more && turn_no < 3) {{ tool (~exp(0.2)); turn; }} else {{ end; }} }} }}\n}}\n\
         gauge g = max k in 2 (used(D[k].kv)) - min k in 2 (used(D[k].kv));\n\
         run {{ horizon 20; warmup 2; }}\n",
        slots = dice.between(2, 10),
        more_slots = dice.between(2, 16),
        step_first = step(dice).replace("serve only (decoding == 1 || decoders < 4); ", ""),
        step_second = step(dice),
    )
}
