//! Holds: of one pool or several, with every clause.

use super::{Family, Kernel, indented};

impl Kernel {
    pub(super) fn hold(&mut self, depth: u64, held: &[(Family, String)]) -> String {
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
                6 => "~det(1.5)".into(),
                _ => {
                    let bound = self.words.eighths(0, 3);
                    self.words.still(bound)
                }
            };
            text += &format!(" lease {} ({bound})", claims[at].1);
            self.leased.push(claims[at].0.clone());
        }
        text
    }

    /// A hold of every pool that is not held, with work in the middle that lets one of them go.
    pub(super) fn all_at_once(&mut self, depth: u64, held: &[(Family, String)]) -> String {
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
}
