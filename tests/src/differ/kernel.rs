//! Programs over the kernel's statements: pools with every clause, stations of every kind but engines and flows,
//! holds within holds, leases, growth, tiers, choices, definitions.

use super::{
    Program,
    words::{Words, indented},
};

/// A declared family.
#[derive(Clone, Debug)]
struct Family {
    name: &'static str,
    /// 0: single.
    size: u64,
    cap: u64,
    blocks: bool,
}

struct Kernel {
    words: Words,
    pools: Vec<Family>,
    stages: Vec<Family>,
}

/// A program of a number.
pub fn program(words: Words) -> Program {
    let mut kernel = Kernel { words, pools: Vec::new(), stages: Vec::new() };
    kernel.words.odd = kernel.words.dice.chance(45);
    let mut text = String::new();
    if kernel.words.odd {
        text += "let odd = 0;\n";
    }
    text +=
        "def half(x) = x / 2;\ndef mix(x, y) = max(half(x), min(y, 2 ^ 2)) + (x > y ? 0.25 : 0);\n";
    text += &kernel.stages();
    text += &kernel.pools();
    let pause = kernel.stage();
    text += &format!("def pause(time) {{ run {pause} (time); }}\n");
    let traced = kernel.words.dice.chance(25);
    let turns = traced || kernel.words.dice.chance(50);
    let arrivals = kernel.words.arrivals();
    text += &kernel.workload(&arrivals, traced, turns);
    text += &kernel.session(traced, turns);
    for i in 0..kernel.words.dice.between(0, 3) {
        text += &format!("gauge g{i} = {};\n", kernel.gauge());
    }
    text += &kernel.words.run(&arrivals, 8, 40);
    let trace = traced.then(|| kernel.words.trace(4));
    Program { text, trace }
}

impl Kernel {
    fn pick(&mut self, pool: bool) -> Family {
        let families = if pool { &self.pools } else { &self.stages };
        let at = self.words.dice.between(0, families.len() as u64 - 1) as usize;
        families[at].clone()
    }

    /// A member, by the session's number.
    fn member(&self, family: &Family) -> String {
        match family.size {
            0 => family.name.into(),
            n => format!("{}[{}]", family.name, Words::modulo("serial", n)),
        }
    }

    fn pool(&mut self) -> (Family, String) {
        let family = self.pick(true);
        let member = self.member(&family);
        (family, member)
    }

    fn stage(&mut self) -> String {
        let family = self.pick(false);
        self.member(&family)
    }

    fn size(&mut self) -> (u64, String) {
        if self.words.dice.chance(65) {
            return (0, String::new());
        }
        let n = self.words.dice.between(1, 3);
        (n, format!("[{n}]"))
    }

    fn stages(&mut self) -> String {
        let mut text = String::new();
        for name in ["x", "y", "z", "w"].into_iter().take(self.words.dice.between(2, 4) as usize) {
            let (size, brackets) = self.size();
            let kind = match self.words.dice.between(0, if self.words.odd { 6 } else { 3 }) {
                0 | 1 => "fifo".to_owned(),
                2 => format!("fifo({})", self.words.dice.between(1, 3)),
                3 => "delay".to_owned(),
                4 => format!("ps({} + 0.5)", self.words.eighths(0, 2)),
                5 => "ps(min(present, 2))".to_owned(),
                _ => "ps(1 + present / 4)".to_owned(),
            };
            // The first may be the link to a tier, which is named without an index.
            let (size, brackets) =
                if self.stages.is_empty() { (0, String::new()) } else { (size, brackets) };
            self.stages.push(Family { name, size, cap: 0, blocks: false });
            text += &format!("stage {name}{brackets} : {kind};\n");
        }
        text
    }

    fn pools(&mut self) -> String {
        let names: Vec<&str> =
            ["p", "q", "m"].into_iter().take(self.words.dice.between(1, 3) as usize).collect();
        let mut lines = Vec::new();
        for (i, name) in names.iter().enumerate() {
            let (size, brackets) = self.size();
            let cap = self.words.dice.between(4, 14);
            let block = if self.words.dice.chance(60) { self.words.dice.between(1, 4) } else { 0 };
            let mut options = format!("cap {cap};");
            if block > 0 {
                options += &format!(" block {block};");
            }
            let key = self.words.one_of(&[
                "size",
                "-size",
                "age",
                "-age",
                "-last",
                "waiting, size",
                "a",
                "b - age",
                "size > 2 ? 0 : 1, -last",
                "half(a), -size",
            ]);
            options += match self.words.dice.between(0, 2) {
                0 => "",
                1 => " evict lru;",
                _ => "\0",
            };
            options = options.replace('\0', &format!(" evict by ({key});"));
            options += self.words.maybe(60, &[" preempt lifo;", " preempt none;"]);
            let key = self.words.one_of(&[
                "a",
                "-a",
                "b, a",
                "a - waited",
                "-waited",
                "waited > 1 ? 0 : 1, b",
                "-serial",
                "half(b)",
            ]);
            if self.words.dice.chance(40) {
                options += &format!(" queue by ({key});");
            }
            // A tier is a later pool, so that no chain of tiers comes back.
            if i + 1 < names.len() && self.words.dice.chance(30) {
                options += &format!(" spill {} via {} (", names[i + 1], self.stages[0].name);
                options += self.words.one_of(&["size", "half(size)", "size + age / 8"]);
                options += ") when (";
                options += self.words.one_of(&["1", "size > 1", "waiting == 0", "age < 2"]);
                options += ");";
            }
            self.pools.push(Family { name, size, cap, blocks: block > 0 });
            lines.push(format!("pool {name}{brackets} {{ {options} }}\n"));
        }
        // Tiers are named without an index too, so they are single, and so is what spills to them.
        let spilled: Vec<usize> =
            (0..lines.len()).filter(|i| lines[*i].contains("spill")).collect();
        for i in spilled {
            for family in [i, i + 1] {
                lines[family] =
                    lines[family].replacen(&format!("[{}] {{", self.pools[family].size), " {", 1);
                self.pools[family].size = 0;
            }
        }
        lines.concat()
    }

    fn workload(&mut self, arrivals: &str, traced: bool, turns: bool) -> String {
        let (a, b) = (self.words.of_session(), self.words.of_session());
        let mut items = vec![format!("arrive {arrivals};")];
        if traced {
            items.push("trace \"trace.csv\" ordered;".into());
        }
        let seen = match self.words.dice.chance(25) {
            true => self.words.observe("a * 10 + b"),
            false => String::new(),
        };
        items.push(format!("init {{ set a = {a}; set b = {b}; set i = 0; {seen} }}"));
        if turns {
            let again = if traced {
                self.words.one_of(&[
                    "new",
                    "out / 2",
                    "think + a / 2",
                    "min(new, out)",
                    "forced + more",
                ])
            } else {
                self.words.one_of(&["a + turn_no / 4", "b", "max(a - 0.5, 0.5)", "turn_no * 0.75"])
            };
            let seen = match self.words.dice.chance(25) {
                true => self.words.observe("turn_no * 100 + a"),
                false => String::new(),
            };
            items.push(format!("turn {{ set a = {again}; {seen} }}"));
        }
        format!("workload {{\n{}}}\n", indented(&items))
    }

    fn session(&mut self, traced: bool, turns: bool) -> String {
        let mut body = Vec::new();
        if turns {
            body.push("turn;".to_owned());
        }
        body.push("set t0 = now;".into());
        if self.words.dice.chance(50) {
            let count = self.words.dice.between(2, 4);
            let mut inner = vec!["set i = i + 1;".to_owned()];
            inner.extend(self.statements(2, &[], count));
            let (stage, work) = (self.stage(), self.words.work());
            inner.push(format!("run {stage} ({work} + 0.125);"));
            let over = match traced {
                true => "!more".to_owned(),
                false => format!("i > {}", self.words.dice.between(1, 3)),
            };
            let total = self.words.observe("now - t0");
            inner.push(format!("branch ({over}) {{ {total} end; }}"));
            if turns {
                inner.push("turn;".into());
            }
            body.push(format!("loop {{\n{}}}", indented(&inner)));
        } else {
            let count = self.words.dice.between(3, 6);
            body.extend(self.statements(3, &[], count));
            let (stage, work) = (self.stage(), self.words.work());
            body.push(self.words.observe("now - t0"));
            body.push(format!("run {stage} ({work});"));
            body.push(self.words.observe("now"));
        }
        format!("session {{\n{}}}\n", indented(&body))
    }

    fn statements(&mut self, depth: u64, held: &[(Family, String)], count: u64) -> Vec<String> {
        (0..count).map(|_| self.statement(depth, held)).collect()
    }

    fn statement(&mut self, depth: u64, held: &[(Family, String)]) -> String {
        match self.words.dice.between(0, 15) {
            3..=6 if depth > 0 => self.hold(depth, held),
            2 if depth > 1 && self.words.dice.chance(40) => self.all_at_once(depth, held),
            7 | 8 if !held.is_empty() => self.on_held(held),
            9 if depth > 0 => self.branch(depth, held),
            10 => self.choice(),
            11 => {
                let pool = self.pool().1;
                format!("drop {pool};")
            }
            12 => {
                let value = self.words.one_of(&[
                    "a + 0.5",
                    "half(b) + 1",
                    "min(a, b) + 0.25",
                    "max(a, b)",
                    "now / 8",
                ]);
                format!("set {} = {value};", self.words.one_of(&["a", "b"]))
            }
            13 => format!("pause({});", self.words.work()),
            14 | 15 => {
                let value = self.reading();
                self.words.observe(&value)
            }
            _ => {
                let (stage, work) = (self.stage(), self.words.work());
                format!("run {stage} ({work});")
            }
        }
    }

    fn hold(&mut self, depth: u64, held: &[(Family, String)]) -> String {
        let mut claims: Vec<(Family, String)> = Vec::new();
        for _ in 0..self.words.dice.between(1, 2) {
            let claim = self.pool();
            if claims.iter().all(|(family, _)| family.name != claim.0.name) {
                claims.push(claim);
            }
        }
        let bound = self.words.dice.chance(20);
        let mut heads = Vec::new();
        for (i, (family, member)) in claims.iter().enumerate() {
            let units =
                if bound && i == 0 { "want".to_owned() } else { self.units(family, member) };
            let mut head = format!("{member} ({units})");
            if self.words.dice.chance(20) {
                head += &format!(" reserve ({})", self.words.dice.between(1, family.cap));
            }
            heads.push(head);
        }
        let caches = self.words.dice.chance(60);
        let mut text = format!("hold {}", heads.join(", "));
        if caches && self.words.dice.chance(30) {
            text += &format!(" reuse ({})", self.words.dice.between(0, 6));
        }
        if bound {
            let units = self.units(&claims[0].0, &claims[0].1);
            let name = self.words.fresh("want");
            text = text.replace("(want)", &format!("({name})"));
            text += &format!(" at admission ({name} = {units})");
        }
        let mut inside = held.to_vec();
        inside.extend(claims.iter().cloned());
        let mut body = Vec::new();
        if caches && self.words.dice.chance(50) {
            body.push(self.words.observe("cached"));
        }
        let count = self.words.dice.between(1, 3);
        body.extend(self.statements(depth - 1, &inside, count));
        let (stage, work) = (self.stage(), self.words.work());
        body.push(format!("run {stage} ({work});"));
        text += &format!(" {{\n{}}}", indented(&body));
        if caches {
            text +=
                &format!(" cache ({})", self.words.one_of(&["1", "3", "5", "99", "a + 1", "b"]));
        }
        if self.words.dice.chance(15) {
            let at = self.words.dice.between(0, claims.len() as u64 - 1) as usize;
            let bound =
                if self.words.dice.chance(40) { "inf".into() } else { self.words.eighths(0, 3) };
            text += &format!(" lease {} ({bound})", claims[at].1);
        }
        text
    }

    /// A hold of every pool that is not held, with work in the middle that lets one of them go.
    fn all_at_once(&mut self, depth: u64, held: &[(Family, String)]) -> String {
        let pools = self.pools.clone();
        let free: Vec<Family> =
            pools.into_iter().filter(|p| held.iter().all(|(q, _)| q.name != p.name)).collect();
        let claims: Vec<(Family, String)> =
            free.iter().map(|family| (family.clone(), self.member(family))).collect();
        if claims.is_empty() {
            return self.hold(depth, held);
        }
        let heads: Vec<String> = claims.iter().map(|(_, member)| format!("{member} (1)")).collect();
        let (stage, work, seen) = (self.stage(), self.words.work(), self.reading());
        let seen = self.words.observe(&seen);
        let mut inside = held.to_vec();
        inside.extend(claims.iter().cloned());
        let inner = indented(&self.statements(depth - 1, &inside, 2));
        format!(
            "hold {} {{\n  run {stage} ({work});\n  release {};\n  {seen}\n{inner}}} cache (2)",
            heads.join(", "),
            claims[0].1
        )
    }

    fn units(&mut self, family: &Family, member: &str) -> String {
        let (cap, few) = (family.cap, self.words.dice.between(1, family.cap / 2));
        match self.words.dice.between(0, 6) {
            0 => format!("min(a + 1, {cap})"),
            4 if self.words.dice.chance(50) => format!("min(mix(a, used({member})), {cap})"),
            5 if self.words.dice.chance(50) => format!("max(1, min(now, {few}))"),
            1 => format!("min(cachedin({member}) + {}, {cap})", self.words.dice.between(0, 2)),
            2 => format!("min(b, {})", cap / 2),
            3 if self.words.dice.chance(20) => "0".into(),
            _ => few.to_string(),
        }
    }

    fn on_held(&mut self, held: &[(Family, String)]) -> String {
        let at = self.words.dice.between(0, held.len() as u64 - 1) as usize;
        let (family, member) = &held[at];
        match self.words.dice.between(0, 4) {
            0 => format!("release {member};"),
            1 => format!("load {member} (0);"),
            2 if !family.blocks => format!("grow {member} (0.5);"),
            3 => format!("grow {member} (computed > 0 ? 0 : 1);"),
            _ => format!("grow {member} ({});", self.words.dice.between(1, 2)),
        }
    }

    fn branch(&mut self, depth: u64, held: &[(Family, String)]) -> String {
        let pool = self.pool().1;
        let guard = match self.words.dice.between(0, 5) {
            0 => "serial == 0".to_owned(),
            1 => format!("{} == 1", Words::modulo("serial", 2)),
            2 => "a > b".into(),
            3 => "now < 4 || turn_no > 1".into(),
            4 => format!("used({pool}) > 2"),
            _ => format!("cachedin({pool}) > 0 && !(a < b)"),
        };
        let count = self.words.dice.between(1, 2);
        let then = indented(&self.statements(depth - 1, held, count));
        let mut text = format!("branch ({guard}) {{\n{then}}}");
        if self.words.dice.chance(60) {
            text += &format!(" else {{\n{}}}", indented(&self.statements(depth - 1, held, 1)));
        }
        text
    }

    fn choice(&mut self) -> String {
        let on_pools = self.words.dice.chance(50);
        let family = self.pick(on_pools);
        let name = self.words.fresh("c");
        let observed = self.words.observe(&name);
        if family.size == 0 {
            return format!(
                "choose {name} in {} by (abs({name} - a));\n{observed}",
                self.words.dice.between(2, 4)
            );
        }
        let member = format!("{}[{name}]", family.name);
        let key = match on_pools {
            true => format!("used({member}) + queued({member})"),
            false => format!("queue({member}), est_wait({member})"),
        };
        let then = if on_pools {
            String::new()
        } else {
            format!("\nrun {member} ({});", self.words.work())
        };
        let tie = self.words.maybe(50, &[", -serial"]).replace("serial", &name);
        format!("choose {name} in {} by ({key}{tie});\n{observed}{then}", family.size)
    }

    fn reading(&mut self) -> String {
        let (pool, stage) = (self.pool().1, self.stage());
        let family = self.pick(true);
        let pools = family.size;
        match self.words.dice.between(0, 13) {
            0 if family.blocks => format!("blocksize({})", self.member(&family)),
            0 => format!("used({pool})"),
            1 => format!("free({pool})"),
            2 => format!("cachedin({pool})"),
            3 => format!("holders({pool}) * 100 + queued({pool})"),
            4 => format!("queue({stage}) * 10 + busy({stage})"),
            5 => format!("work({stage})"),
            6 => format!("est_lambda({stage}) + est_rho({stage}) + est_wait({stage})"),
            7 => format!("price({stage}, a, b)"),
            8 if pools > 0 => format!("max k in {pools} (free({name}[k]) - k)", name = family.name),
            8 => "now".into(),
            10 => "mix(a, b) + abs(a - b) + floor(b) + ceil(a / 3)".into(),
            11 => "sqrt(a * a + 1) + exp(-b) + ln(a + 1) + pow(b + 1, 0.5)".into(),
            12 => "(a == b) + 2 * (a != b && b >= 1) + 4 * !(a <= 0.5 || serial > 2)".into(),
            13 => "-a ^ 2 + 2 ^ -b ^ 0.5".into(),
            _ => "computed".into(),
        }
    }

    fn gauge(&mut self) -> String {
        let (pool, stage) = (self.pick(true), self.pick(false));
        let single = |family: &Family| match family.size {
            0 => family.name.to_owned(),
            _ => format!("{}[0]", family.name),
        };
        if pool.size > 0 && self.words.dice.chance(60) {
            let over = self.words.one_of(&["max", "min", "sum"]);
            let what = self.words.one_of(&["used", "queued", "holders"]);
            return format!("{over} k in {} ({what}({}[k]))", pool.size, pool.name);
        }
        match self.words.dice.between(0, 4) {
            0 => format!("used({})", single(&pool)),
            1 => format!("queued({0}) + holders({0})", single(&pool)),
            2 => format!("queue({})", single(&stage)),
            3 => format!("busy({}) * 2 + 1", single(&stage)),
            _ => format!("free({}) < 3", single(&pool)),
        }
    }
}
