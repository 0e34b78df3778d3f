//! Programs over the kernel's statements: pools with every clause, stations of every kind but engines and flows,
//! holds within holds, leases, growth, tiers, choices, definitions.

mod declarations;
mod holds;
mod statements;
mod values;

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
    /// Sessions have turns.
    turns: bool,
    /// Families of which some hold so far leases its units.
    leased: Vec<Family>,
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
    let mut kernel = Kernel {
        words,
        pools,
        stages,
        lets: String::new(),
        traced: false,
        turns: false,
        leased: Vec::new(),
        caches: true,
    };
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
    kernel.turns = turns;
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
}
