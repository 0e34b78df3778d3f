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
    /// It has a capacity, `cap` or another.
    capped: bool,
}

struct Kernel {
    words: Words,
    pools: Vec<Family>,
    stages: Vec<Family>,
    /// Sizes that have names.
    lets: String,
    /// There is a trace.
    traced: bool,
    /// `cached` may be read: not in a hold that has no `cache` clause.
    caches: bool,
}

/// Definitions, the later of which use the earlier ones and are given pools and stages.
const DEFINITIONS: [&str; 2] = [
    "def half(x) = x / 2;\ndef mix(x, y) = max(half(x), min(y, 2 ^ 2)) + (x > y ? 0.25 : 0);\n",
    "def crowd(station) = queue(station) + half(busy(station));\n\
     def room(place, most) = min(free(place), most);\n\
     def visit(station, time) { run station (time); }\n\
     def stay(place, n, station, time) { hold place (n) { visit(station, time); } cache (n) }\n",
];

/// A program of a number.
pub fn program(words: Words) -> Program {
    let (pools, stages) = (Vec::new(), Vec::new());
    let mut kernel =
        Kernel { words, pools, stages, lets: String::new(), traced: false, caches: true };
    kernel.words.odd = kernel.words.dice.chance(45);
    // Definitions here, in a library, or in a library of a library.
    let places = kernel.words.dice.between(0, 5);
    let (mut text, library, below) = match places {
        0 => {
            let library = format!("use \"below.sq\"; // half and mix\n{}", DEFINITIONS[1]);
            ("use \"library.sq\";\n".to_owned(), Some(library), Some(DEFINITIONS[0].to_owned()))
        }
        1 => ("use \"library.sq\";\n".to_owned(), Some(DEFINITIONS.concat()), None),
        2 => (format!("/* definitions */ {}", DEFINITIONS.concat()), None, None),
        _ => (DEFINITIONS.concat(), None, None),
    };
    if kernel.words.odd {
        text += "let odd = 0;\n";
    }
    let (stages, pools) = (kernel.stages(), kernel.pools());
    let stages = kernel.at_first(&stages);
    text += &kernel.lets;
    text += &stages;
    text += &pools;
    let pause = kernel.stage();
    text += &format!("def pause(time) {{ run {pause} (time); }}\n");
    let traced = kernel.words.dice.chance(25);
    kernel.traced = traced;
    let trace = traced.then(|| kernel.words.trace(4));
    let turns = traced || kernel.words.dice.chance(50);
    let arrivals = kernel.words.arrivals();
    text += &kernel.workload(&arrivals, trace.as_ref().map(|(clause, _)| *clause), turns);
    text += &kernel.session(traced, turns);
    for i in 0..kernel.words.dice.between(0, 3) {
        text += &format!("gauge g{i} = {};\n", kernel.gauge());
    }
    text += &kernel.words.run(&arrivals, 8, 40);
    Program::of(text)
        .with("trace.csv", trace.map(|(_, rows)| rows))
        .with("library.sq", library)
        .with("below.sq", below)
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
        if self.words.dice.chance(70) {
            return (n, format!("[{n}]"));
        }
        let name = self.words.fresh("many");
        self.lets +=
            &format!("let {name} = {};\n", if n == 1 { "2 / 2".into() } else { n.to_string() });
        (n, format!("[{name}]"))
    }

    /// Work that depends on what is going on.
    fn work(&mut self) -> String {
        if !self.words.dice.chance(20) {
            return self.words.work();
        }
        let (pool, stage) = (self.pool().1, self.stage());
        let work = match self.words.dice.between(0, 4) {
            0 => format!("min(used({pool}), 3)"),
            1 => format!("min(est_wait({stage}), 2)"),
            2 if self.caches => "cached / 4".to_owned(),
            3 => "min(now / 8, 2)".to_owned(),
            _ => format!("min(crowd({stage}), 2)"),
        };
        self.words.spread(work)
    }

    fn stages(&mut self) -> String {
        let mut text = String::new();
        for name in ["x", "y", "z", "w"].into_iter().take(self.words.dice.between(2, 4) as usize) {
            let (size, brackets) = self.size();
            let kind = match self.words.dice.between(0, if self.words.odd { 8 } else { 3 }) {
                0 | 1 => "fifo".to_owned(),
                2 => format!("fifo({})", self.words.dice.between(1, 3)),
                3 => "delay".to_owned(),
                4 => format!("ps({} + 0.5)", self.words.eighths(0, 2)),
                5 => "ps(min(present, 2))".to_owned(),
                6 => "ps(1 + present / 4)".to_owned(),
                7 => "ps(0.75 + min(now, 9) / 8)".to_owned(),
                _ => "ps(1.25 + holders(p@) / 4 - used(p@) / 64)".to_owned(),
            };
            // The first may be the link to a tier, which is named without an index.
            let (size, brackets) =
                if self.stages.is_empty() { (0, String::new()) } else { (size, brackets) };
            self.stages.push(Family { name, size, cap: 0, blocks: false, capped: false });
            text += &format!("stage {name}{brackets} : {kind};\n");
        }
        text
    }

    fn pools(&mut self) -> String {
        let names: Vec<&str> =
            ["p", "q", "m"].into_iter().take(self.words.dice.between(1, 3) as usize).collect();
        // A tier is a later pool, so that no chain of tiers comes back.
        let spills: Vec<bool> =
            (1..=names.len()).map(|i| i < names.len() && self.words.dice.chance(30)).collect();
        let mut text = String::new();
        for (i, name) in names.iter().enumerate() {
            let (size, brackets) = self.size();
            // Tiers are named without an index, so they are single, and so is what spills to them.
            let tier = spills[i] || i > 0 && spills[i - 1];
            let (size, brackets) = if tier { (0, String::new()) } else { (size, brackets) };
            let cap = self.words.dice.between(4, 14);
            let block = match self.words.dice.between(0, 9) {
                0..=5 => self.words.dice.between(1, 4) as f64,
                6 => 1.5,
                _ => 0.0,
            };
            let mut options = match self.words.dice.between(0, 19) {
                0 => String::new(),
                1 => "cap inf;".to_owned(),
                _ => format!("cap {cap};"),
            };
            if block > 0.0 {
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
                "(now - last) / (1 + used(p@))",
                "-serial",
                "size + ~exp(0)",
                "~det(1), age",
            ]);
            options += &match self.words.dice.between(0, 2) {
                0 => String::new(),
                1 => " evict lru;".to_owned(),
                _ => format!(" evict by ({key});"),
            };
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
                "cachedin(p@) > 0 ? 0 : 1",
                "(now > 4 ? 1 : -1) * a, computed",
                "a * work(x@)",
            ]);
            options += &match self.words.dice.between(0, 9) {
                0..=3 => format!(" queue by ({key});"),
                4 => " queue fifo;".to_owned(),
                _ => String::new(),
            };
            if spills[i] {
                options += &format!(" spill {} via {} (", names[i + 1], self.stages[0].name);
                options += self.words.one_of(&[
                    "size",
                    "half(size)",
                    "size + age / 8",
                    "waiting + min(now - last, 1)",
                    "size + ~exp(0)",
                ]);
                options += ") when (";
                options += self.words.one_of(&[
                    "1",
                    "size > 1",
                    "waiting == 0",
                    "age < 2",
                    "now - last < 3",
                    "~bernoulli(1)",
                ]);
                options += ");";
            }
            let capped = options.starts_with("cap") && !options.starts_with("cap inf");
            // In whole blocks, what a request may ask for at most.
            let cap = if block > 0.0 { ((cap as f64 / block).floor() * block) as u64 } else { cap };
            self.pools.push(Family { name, size, cap, blocks: block > 0.0, capped });
            text += &format!("pool {name}{brackets} {{ {options} }}\n");
        }
        self.at_first(&text)
    }

    /// `p@` and `x@` become the first members of the first families.
    fn at_first(&self, text: &str) -> String {
        let index = |families: &[Family]| match families.first() {
            Some(family) if family.size > 0 => "[0]",
            _ => "",
        };
        text.replace("p@", &format!("p{}", index(&self.pools)))
            .replace("x@", &format!("x{}", index(&self.stages)))
    }

    fn workload(&mut self, arrivals: &str, trace: Option<&str>, turns: bool) -> String {
        let (a, b) = (self.words.of_session(), self.words.of_session());
        let mut items = vec![format!("arrive {arrivals};")];
        items.extend(trace.map(str::to_owned));
        let seen = match self.words.dice.chance(25) {
            true => self.words.observe("a * 10 + b"),
            false => String::new(),
        };
        let a = self.words.still(a);
        items.push(format!("init {{ set a = {a}; set b = {b}; set i = 0; {seen} }}"));
        if turns {
            let again = if trace.is_some() {
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
            let again = self.words.still(again.to_owned());
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
            let (stage, work) = (self.stage(), self.work());
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
            let (stage, work) = (self.stage(), self.work());
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
        match self.words.dice.between(0, 18) {
            16 if depth > 0 => {
                let ((family, member), stage, work) =
                    (self.pool(), self.stage(), self.words.work());
                let few = self.words.dice.between(1, family.cap / 2);
                format!("stay({member}, {few}, {stage}, {work});")
            }
            17 => {
                let (stage, work) = (self.stage(), self.words.work());
                format!("visit({stage}, {work});")
            }
            18 => {
                let (pool, stage) = (self.pool().1, self.stage());
                self.words.observe(&format!("room({pool}, 9) + 10 * crowd({stage})"))
            }
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
                    if self.caches { "cached / 2" } else { "b" },
                    "min(computed, 2)",
                    "min(cachedin(p#), 3)",
                    "min(used(p#), 3)",
                ]);
                let value = value.replace("p#", &self.pool().1);
                let value = self.words.still(value);
                format!("set {} = {value};", self.words.one_of(&["a", "b"]))
            }
            13 => format!("pause({});", self.words.work()),
            14 | 15 => {
                let value = self.reading();
                self.words.observe(&value)
            }
            _ => {
                let (stage, work) = (self.stage(), self.work());
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
                let most = self.words.dice.between(1, family.cap);
                let reserve = match self.words.dice.between(0, 4) {
                    0 => format!("min(cachedin({member}) + 1, {most})"),
                    1 => format!("min(now, {most})"),
                    2 => format!("min(max(computed, 1), {most})"),
                    _ => most.to_string(),
                };
                head += &format!(" reserve ({reserve})");
            }
            heads.push(head);
        }
        let caches = self.words.dice.chance(60);
        let mut text = format!("hold {}", heads.join(", "));
        if caches && self.words.dice.chance(30) {
            let few = self.words.dice.between(0, 6);
            text += &match self.words.dice.between(0, 3) {
                0 => format!(" reuse (cachedin({}) / 2)", claims[0].1),
                1 => " reuse (now / 2)".to_owned(),
                _ => format!(" reuse ({few})"),
            };
        }
        if bound {
            let units = self.units(&claims[0].0, &claims[0].1);
            let name = self.words.fresh("want");
            text = text.replace("(want)", &format!("({name})"));
            text += &match self.words.dice.chance(30) {
                true => {
                    let first = self.words.fresh("want");
                    format!(" at admission ({first} = {units}, {name} = {first} / 2)")
                }
                false => format!(" at admission ({name} = {units})"),
            };
        }
        let mut inside = held.to_vec();
        inside.extend(claims.iter().cloned());
        let mut body = Vec::new();
        if caches && self.words.dice.chance(50) {
            body.push(self.words.observe("cached"));
        }
        let outside = std::mem::replace(&mut self.caches, caches);
        let count = self.words.dice.between(1, 3);
        body.extend(self.statements(depth - 1, &inside, count));
        let (stage, work) = (self.stage(), self.work());
        body.push(format!("run {stage} ({work});"));
        self.caches = outside;
        text += &format!(" {{\n{}}}", indented(&body));
        if caches {
            text += &format!(" cache ({})", self.kept(&claims[0].1));
        }
        if self.words.dice.chance(15) {
            let at = self.words.dice.between(0, claims.len() as u64 - 1) as usize;
            let bound = match self.words.dice.between(0, 9) {
                0..=3 => "inf".into(),
                4 => "min(now, 3)".into(),
                5 => "serial / 2".into(),
                _ => {
                    let bound = self.words.eighths(0, 3);
                    self.words.still(bound)
                }
            };
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
        let outside = std::mem::replace(&mut self.caches, true);
        let (stage, work, seen) = (self.stage(), self.work(), self.reading());
        let seen = self.words.observe(&seen);
        let mut inside = held.to_vec();
        inside.extend(claims.iter().cloned());
        let inner = indented(&self.statements(depth - 1, &inside, 2));
        self.caches = outside;
        format!(
            "hold {} {{\n  run {stage} ({work});\n  release {};\n  {seen}\n{inner}}} cache (2)",
            heads.join(", "),
            claims[0].1
        )
    }

    /// How much of a hold stays cached.
    fn kept(&mut self, pool: &str) -> String {
        let kept =
            self.words.one_of(&["1", "3", "5", "99", "a + 1", "b", "#", "now / 2", "used(@) - 1"]);
        let kept = kept.replace('#', if self.caches { "cached + 1" } else { "4" });
        self.words.still(kept.replace('@', pool))
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
            3 if family.capped => format!("max(min(free({member}), {few}), 1)"),
            6 if self.words.dice.chance(20) => format!("min(1 + computed, {cap})"),
            6 if self.words.dice.chance(20) => {
                format!("max(1, min(work({}), {few}))", self.stage())
            }
            _ => few.to_string(),
        }
    }

    fn on_held(&mut self, held: &[(Family, String)]) -> String {
        let at = self.words.dice.between(0, held.len() as u64 - 1) as usize;
        let (family, member) = &held[at];
        match self.words.dice.between(0, 9) {
            0 | 6 => format!("release {member};"),
            1 if self.caches => format!("load {member} (min(cached, 0));"),
            1 => format!("load {member} (0);"),
            2 | 7 if !family.blocks => format!("grow {member} (0.5);"),
            3 | 8 => format!("grow {member} (computed > 0 ? 0 : 1);"),
            _ => format!("grow {member} ({});", self.words.dice.between(1, 2)),
        }
    }

    fn branch(&mut self, depth: u64, held: &[(Family, String)]) -> String {
        let pool = self.pool().1;
        let guard = match self.words.dice.between(0, 7) {
            6 => format!("queue({}) >= 1", self.stage()),
            7 => "computed <= 0".into(),
            0 => "serial == 0".to_owned(),
            1 => format!("{} == 1", Words::modulo("serial", 2)),
            2 => "a > b".into(),
            3 => "now < 4 || turn_no > 1".into(),
            4 => format!("used({pool}) > 2"),
            _ => format!("cachedin({pool}) > 0 && !(a < b)"),
        };
        let count = self.words.dice.between(1, 2);
        let then = indented(&self.statements(depth - 1, held, count));
        let with = self.words.maybe(12, &["with "]);
        let mut text = format!("branch {with}({guard}) {{\n{then}}}");
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
            let count = self.words.dice.between(2, 4).to_string();
            let count = self.words.one_of(&[&count, &count, "floor(min(a, 3)) + 1", "turn_no"]);
            return format!("choose {name} in {count} by (abs({name} - a));\n{observed}");
        }
        let member = format!("{}[{name}]", family.name);
        let key = match on_pools {
            true => self.words.one_of(&[
                "used(@) + queued(@)",
                "free(@), holders(@)",
                "-cachedin(@), used(@)",
            ]),
            false => self.words.one_of(&[
                "queue(@), est_wait(@)",
                "busy(@) + work(@)",
                "est_lambda(@) + est_rho(@), price(@, a, b)",
                "now * queue(@)",
            ]),
        };
        let key = key.replace('@', &member);
        let then =
            if on_pools { String::new() } else { format!("\nrun {member} ({});", self.work()) };
        let tie = self.words.maybe(50, &[", -serial"]).replace("serial", &name);
        format!("choose {name} in {} by ({key}{tie});\n{observed}{then}", family.size)
    }

    fn reading(&mut self) -> String {
        let (pool, stage) = (self.pool().1, self.stage());
        let family = self.pick(true);
        let pools = family.size;
        match self.words.dice.between(0, 16) {
            15 => "max(a, b) - min(b, 1)".into(),
            16 if self.traced => {
                "new + 10 * out + 100 * think + 1000 * forced + 9000 * more".into()
            }
            14 if pools > 0 => {
                let over = self.words.one_of(&["1 + 1", "2"]);
                let over = if pools > 1 { over.to_owned() } else { pools.to_string() };
                let over = if over.contains('+') { format!("({over})") } else { over };
                let what = self.words.one_of(&["min", "sum"]);
                format!("{what} k in {over} (used({}[k]) + k)", family.name)
            }
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
            _ if self.caches => "computed + cached * 100".into(),
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
        match self.words.dice.between(0, 6) {
            5 => format!("est_lambda({0}) + est_rho({0}) + est_wait({0})", single(&stage)),
            6 => format!("price({}, 2, 1)", single(&stage)),
            0 => format!("used({})", single(&pool)),
            1 => format!("queued({0}) + holders({0})", single(&pool)),
            2 => format!("queue({})", single(&stage)),
            3 => format!("busy({}) * 2 + 1", single(&stage)),
            _ => format!("free({}) < 3", single(&pool)),
        }
    }
}
