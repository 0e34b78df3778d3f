//! Statements of a session, within each other to some depth.

use super::{Family, Kernel, Words, indented};

impl Kernel {
    pub(super) fn statements(
        &mut self,
        depth: u64,
        held: &[(Family, String)],
        count: u64,
    ) -> Vec<String> {
        (0..count).map(|_| self.statement(depth, held)).collect()
    }

    fn statement(&mut self, depth: u64, held: &[(Family, String)]) -> String {
        match self.words.dice.between(0, 22) {
            19 => {
                // Time passes first, so that a closed workload does not replace sessions for ever at one instant.
                let (time, seen) = (self.words.work(), self.words.observe("now - t0"));
                let last =
                    self.words.one_of(&["serial == 3", "a > 2.5", "now > 9", "cachedin(@) > 3"]);
                let last = last.replace('@', &self.pool().1);
                format!("pause({time} + 0.125);\nbranch ({last}) {{ {seen} end; }}")
            }
            // The front end thinks that a turn changes all that an index may read.
            20 if self.turns && held.iter().all(|(family, _)| family.size == 0) => "turn;".into(),
            21 | 22 if !self.leased.is_empty() => {
                let at = self.words.dice.between(0, self.leased.len() as u64 - 1) as usize;
                format!("release {};", self.member(&self.leased[at]))
            }
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
                if value.contains("cachedin") {
                    // Not to be read in the header of a hold.
                    let seen = self.words.observe("e");
                    return format!("set e = {value};\n{seen}");
                }
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
        let key = match self.words.dice.chance(10) {
            true => format!("{name} == 1 ? ln(-1) : {name}"),
            false => key.replace('@', &member),
        };
        let then =
            if on_pools { String::new() } else { format!("\nrun {member} ({});", self.work()) };
        let tie = self.words.maybe(50, &[", -serial"]).replace("serial", &name);
        format!("choose {name} in {} by ({key}{tie});\n{observed}{then}", family.size)
    }
}
