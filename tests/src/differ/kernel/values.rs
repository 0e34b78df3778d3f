//! What is observed, and work that depends on what is going on.

use super::Kernel;

/// What is not a number, infinite or nearly so.
const UNUSUAL: &[&str] = &[
    "a / (b - b)",
    "ln(a - 9) + sqrt(a - b)",
    "min(sqrt(a - 9), 1) + max(2, ln(b - 9))",
    "(sqrt(-1 - a) ? 1 : 2) + (ln(-1) && 1)",
    "(ln(-1) == ln(-1)) + 2 * (ln(-1) != 1) + 4 * (ln(-1) < 1) + 8 * !ln(-1)",
    "floor(a / 0) + ceil(-1 / 0)",
    "pow(0 - a, 0.5) + 0 ^ -b",
    "exp(900 * a) - 2 ^ (600 * b)",
    "min(inf, a) + abs(-inf) * 0",
    "5e-324 * a / 2 + 1e308 * (b + 10)",
];

impl Kernel {
    /// Work that depends on what is going on.
    pub(super) fn work(&mut self) -> String {
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

    pub(super) fn reading(&mut self) -> String {
        let (pool, stage) = (self.pool().1, self.stage());
        let family = self.pick(true);
        let pools = family.size;
        match self.words.dice.between(0, 18) {
            17 => self.words.one_of(UNUSUAL).into(),
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
}
