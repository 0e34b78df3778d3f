//! Small pieces of random programs: numbers that binary fractions hold exactly, and expressions over what differs
//! from one session to the next. Nothing here draws when the program runs.

use crate::generate::Dice;

/// Dice with a writer's vocabulary.
#[derive(Clone, Debug)]
pub struct Words {
    /// What decides.
    pub dice: Dice,
    /// Observations named so far.
    observed: usize,
    /// Work carries a small odd part, other for each session, so that no two ends of work fall together by rounding.
    pub odd: bool,
}

impl Words {
    /// The words of a program's number.
    pub fn new(seed: u64) -> Words {
        Words { dice: Dice::new(seed), observed: 0, odd: false }
    }

    /// Between `low` and `high`, in eighths.
    pub fn eighths(&mut self, low: u64, high: u64) -> String {
        let eighths = self.dice.between(low * 8, high * 8);
        format!("{}", eighths as f64 / 8.0)
    }

    /// One of them.
    pub fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        self.dice.one_of(choices)
    }

    /// One of them, or nothing more often than not.
    pub fn maybe<'a>(&mut self, percent: u64, choices: &[&'a str]) -> &'a str {
        if self.dice.chance(percent) { self.dice.one_of(choices) } else { "" }
    }

    /// `x` modulo `n`, as the language has no operator for it.
    pub fn modulo(x: &str, n: u64) -> String {
        format!("({x} - {n} * floor(({x}) / {n}))")
    }

    /// A value of at least 0 that differs between sessions.
    pub fn of_session(&mut self) -> String {
        let (n, number, scale) = (self.dice.between(2, 4), self.eighths(0, 3), self.eighths(1, 2));
        let turn = Words::modulo("serial", n);
        match self.dice.between(0, 5) {
            0 => "serial".into(),
            1 => turn,
            2 => format!("{turn} * {scale}"),
            3 => format!("{n} - {turn}"),
            4 => format!("{turn} + {number}"),
            _ => number,
        }
    }

    /// Work of at least 0 over the attributes `a` and `b`.
    pub fn work(&mut self) -> String {
        let (number, scale) = (self.eighths(0, 3), self.eighths(0, 1));
        let work = match self.dice.between(0, 7) {
            0 | 1 => number,
            2 => format!("{number} + a * {scale}"),
            3 => "a".into(),
            4 => format!("b / {}", self.dice.between(1, 4)),
            5 => "max(a - b, 0.25)".into(),
            6 => format!("min(a + {number}, 3)"),
            _ => format!("{} * 0.5", Words::modulo("serial", 3)),
        };
        if self.odd { format!("{work} + (serial + 1) * (0.013 + odd)") } else { work }
    }

    /// An observation under a name of its own.
    pub fn observe(&mut self, value: &str) -> String {
        self.observed += 1;
        format!("observe o{} = {value};", self.observed)
    }

    /// A name of its own for something else, such as a choice.
    pub fn fresh(&mut self, start: &str) -> String {
        self.observed += 1;
        format!("{start}{}", self.observed)
    }

    /// The arrival law.
    pub fn arrivals(&mut self) -> String {
        match self.dice.between(0, 4) {
            0 | 1 => format!("batch({})", self.dice.between(2, 9)),
            2 | 3 => format!("renewal({} + 0.125)", self.eighths(0, 2)),
            _ => format!("closed({})", self.dice.between(1, 5)),
        }
    }

    /// The `run` block; open workloads may stop after some sessions.
    pub fn run(&mut self, arrivals: &str, shortest: u64, longest: u64) -> String {
        let horizon = self.dice.between(shortest, longest);
        let warmup = if self.dice.chance(30) { self.dice.between(1, shortest / 2) } else { 0 };
        let stops = arrivals.starts_with("renewal") && self.dice.chance(35);
        let (horizon, stops) = match stops {
            true => (3000, format!(" arrivals {};", self.dice.between(3, 14))),
            false => (horizon, String::new()),
        };
        format!(
            "run {{ horizon {horizon}; warmup {warmup};{stops} seed {}; }}",
            self.dice.between(1, 99)
        )
    }

    /// Rows of a trace with whole numbers: `session,turn,new,out,think[,forced]`.
    pub fn trace(&mut self, longest: u64) -> String {
        let mut rows = String::from(self.maybe(40, &["# made up\n"]));
        let forced = self.dice.chance(40);
        if self.dice.chance(60) {
            rows.push_str(if forced {
                "session,turn,new,out,think,forced\n"
            } else {
                "session,turn,new,out,think\n"
            });
        }
        for session in 0..self.dice.between(2, 5) {
            for turn in 1..=self.dice.between(1, 3) {
                let (new, out) = (self.dice.between(1, longest), self.dice.between(1, longest));
                let think = self.eighths(0, 2);
                let forced =
                    if forced { format!(",{}", self.dice.between(0, 1)) } else { String::new() };
                rows.push_str(&format!("{session},{turn},{new},{out},{think}{forced}\n"));
            }
        }
        rows
    }
}

/// Indents each line of a block's body.
pub fn indented(lines: &[String]) -> String {
    lines.iter().flat_map(|line| line.lines()).map(|line| format!("  {line}\n")).collect()
}
