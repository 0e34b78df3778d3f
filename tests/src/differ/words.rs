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

    /// Between `low` and `high`, in eighths, in one of the ways to write a number.
    pub fn eighths(&mut self, low: u64, high: u64) -> String {
        let eighths = self.dice.between(low * 8, high * 8);
        let text = format!("{}", eighths as f64 / 8.0);
        match self.dice.between(0, 15) {
            0 if text.starts_with("0.") => text[1..].to_owned(),
            0 if !text.contains('.') => format!("{text}."),
            1 => format!("{text}e0"),
            _ => text,
        }
    }

    /// `x`, or a draw that is always `x`.
    pub fn still(&mut self, x: String) -> String {
        match self.dice.between(0, 60) {
            0 => format!("~det({x})"),
            1 => format!("~uniform({x}, {x})"),
            2 => format!("({x} + ~exp(0))"),
            3 => format!("({x} + ~erlang(2, 0))"),
            4 => format!("({x}) * ~bernoulli(1)"),
            _ => x,
        }
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
        self.spread(work)
    }

    /// Work, with the odd part if there is one.
    pub fn spread(&mut self, work: String) -> String {
        let work = self.still(work);
        if self.odd { format!("{work} + (serial + 1) * (0.013 + odd)") } else { work }
    }

    /// An observation under a name of its own.
    pub fn observe(&mut self, value: &str) -> String {
        self.observed += 1;
        let value = self.still(value.to_owned());
        format!("observe o{} = {value};", self.observed)
    }

    /// A name of its own for something else, such as a choice.
    pub fn fresh(&mut self, start: &str) -> String {
        self.observed += 1;
        format!("{start}{}", self.observed)
    }

    /// The arrival law.
    pub fn arrivals(&mut self) -> String {
        match self.dice.between(0, 99) {
            0..=39 => format!("batch({})", self.dice.between(2, 9)),
            40..=69 => format!("renewal({} + 0.125)", self.eighths(0, 2)),
            70..=77 => format!("renewal(~det({} + 0.125))", self.eighths(0, 2)),
            78..=97 => format!("closed({})", self.dice.between(1, 5)),
            _ => "none".into(),
        }
    }

    /// The `run` block; open workloads may stop after some sessions.
    pub fn run(&mut self, arrivals: &str, shortest: u64, longest: u64) -> String {
        let horizon = self.dice.between(shortest, longest);
        let stops = arrivals.starts_with("renewal") && self.dice.chance(35);
        // The model cannot report a run whose last session ends before the warm-up.
        let warms = !stops && self.dice.chance(30);
        let warmup = if warms { self.dice.between(1, shortest / 2) } else { 0 };
        let (horizon, stops) = match stops {
            true => (3000, format!(" arrivals {};", self.dice.between(3, 14))),
            false => (horizon, String::new()),
        };
        let horizon = match self.dice.chance(10) {
            true => format!("{}_{}", horizon / 10, horizon % 10),
            false => horizon.to_string(),
        };
        format!(
            "run {{ horizon {horizon}; warmup {warmup};{stops} seed {}; }}",
            self.dice.between(1, 99)
        )
    }

    /// The clause of a trace and its rows, whole numbers: `session,turn,new,out,think[,forced]`. Where each session
    /// draws one of the trace's, these are all alike.
    pub fn trace(&mut self, longest: u64) -> (&'static str, String) {
        let mut rows = String::from(self.maybe(40, &["# made up\n"]));
        let forced = self.dice.chance(40);
        if self.dice.chance(60) {
            rows.push_str(if forced {
                "session,turn,new,out,think,forced\n"
            } else {
                "session,turn,new,out,think\n"
            });
        }
        let drawn = self.dice.chance(30);
        let mut turns = self.turns(longest, forced);
        for session in 0..self.dice.between(1, 5) {
            for (turn, row) in turns.iter().enumerate() {
                rows.push_str(&format!("{session},{},{row}\n", turn + 1));
            }
            if !drawn {
                turns = self.turns(longest, forced);
            }
        }
        (if drawn { "trace \"trace.csv\";" } else { "trace \"trace.csv\" ordered;" }, rows)
    }

    /// The turns of a trace's session.
    fn turns(&mut self, longest: u64, forced: bool) -> Vec<String> {
        let count = self.dice.between(1, 3);
        let mut turn = || {
            let (new, out) = (self.dice.between(1, longest), self.dice.between(1, longest));
            let think = self.dice.between(0, 16) as f64 / 8.0;
            let forced =
                if forced { format!(",{}", self.dice.between(0, 1)) } else { String::new() };
            format!("{new},{out},{think}{forced}")
        };
        (0..count).map(|_| turn()).collect()
    }
}

/// The text with whole words replaced.
pub fn renamed(text: &str, names: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_alphanumeric() || c == '_') {
        let end = rest[start..]
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .map_or(rest.len(), |length| start + length);
        let word = &rest[start..end];
        out.push_str(&rest[..start]);
        out.push_str(names.iter().find(|(name, _)| *name == word).map_or(word, |(_, new)| new));
        rest = &rest[end..];
    }
    out + rest
}

/// Indents each line of a block's body.
pub fn indented(lines: &[String]) -> String {
    lines.iter().flat_map(|line| line.lines()).map(|line| format!("  {line}\n")).collect()
}
