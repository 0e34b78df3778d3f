//! What is found of a program, and which findings are of one kind.

use std::fmt::{self, Display, Formatter};

/// What was found of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Both give the same answer.
    Same,
    /// Both refuse it, or both stop.
    Neither(String),
    /// Where it matters which of two instants comes first, and they differ by rounding.
    Tie,
    /// The model has no answer: it took too long, or has no such construct.
    NoModel(String),
    /// One accepts it and the other does not.
    Accepted(String),
    /// The answers differ, here first.
    Differs(String),
}

impl Outcome {
    /// What it is called where outcomes are counted.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Same => "the same",
            Outcome::Neither(_) => "refused by both",
            Outcome::Tie => "tied by rounding",
            Outcome::NoModel(_) => "without an answer of the model",
            Outcome::Accepted(_) => "accepted by one",
            Outcome::Differs(_) => "different",
        }
    }

    /// What exactly was found, if there is more to say.
    pub fn what(&self) -> &str {
        match self {
            Outcome::Same | Outcome::Tie => "",
            Outcome::Neither(what)
            | Outcome::NoModel(what)
            | Outcome::Accepted(what)
            | Outcome::Differs(what) => what,
        }
    }

    /// Something to look at.
    pub fn is_difference(&self) -> bool {
        matches!(self, Outcome::Accepted(_) | Outcome::Differs(_))
    }

    /// Both are differences of one kind: in the same part of the answers, or with the same words of refusal.
    pub(super) fn is_like(&self, other: &Outcome) -> bool {
        match (self, other) {
            (Outcome::Accepted(one), Outcome::Accepted(other)) => words_of(one) == words_of(other),
            (Outcome::Differs(one), Outcome::Differs(other)) => {
                one.split(['/', ':']).next() == other.split(['/', ':']).next()
            }
            _ => false,
        }
    }
}

/// A message's first line without names, which are quoted, and numbers.
fn words_of(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let unquoted: String = line.split('`').step_by(2).collect();
    unquoted.chars().filter(|c| !c.is_ascii_digit()).collect()
}

impl Display for Outcome {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.what() {
            "" => f.write_str(self.name()),
            what => write!(f, "{}: {what}", self.name()),
        }
    }
}
