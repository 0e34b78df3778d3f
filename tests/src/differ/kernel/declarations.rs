//! Stages, pools with every clause, and gauges.

use super::{Family, Kernel};

impl Kernel {
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

    pub(super) fn stages(&mut self) -> String {
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

    pub(super) fn pools(&mut self) -> String {
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
    pub(super) fn at_first(&self, text: &str) -> String {
        let index = |families: &[Family]| match families.first() {
            Some(family) if family.size > 0 => "[0]",
            _ => "",
        };
        text.replace("p@", &format!("p{}", index(&self.pools)))
            .replace("x@", &format!("x{}", index(&self.stages)))
    }

    pub(super) fn gauge(&mut self) -> String {
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
