//! Values of a program's `let`s: `--set NAME=EXPR` where given, else their defaults, which may read
//! other `let`s and so follow what is set.

use super::{Failure, Program, USAGE};
use crate::expr::{self, Expr, Wrong};

/// Values of all `let`s, and those set from outside in the program's order.
#[derive(Debug)]
pub(super) struct Lets {
    pub values: Vec<f64>,
    pub set: Vec<(String, f64)>,
}

/// Parses an option's expression over the program's `let`s. `option` is how the option was written.
pub(super) fn parse(program: &Program, option: &str, text: &str) -> Result<Expr, Failure> {
    let find = |name: &str| program.lets.iter().position(|l| l.name == name);
    expr::parse(text, &find).map_err(|wrong| match wrong {
        Wrong::Syntax(what) => {
            let help = "write a number, `inf`, or an expression over the program's `let`s";
            Failure::usage(&format!("`{option}` is not understood: {what}"), Some(help.into()))
        }
        Wrong::Unknown(name) => unknown(program, &name, option),
    })
}

/// Whether the program has a `let` of that name. `option` is how the option was written.
pub(super) fn known(program: &Program, name: &str, option: &str) -> Result<(), Failure> {
    match program.lets.iter().any(|l| l.name == name) {
        true => Ok(()),
        false => Err(unknown(program, name, option)),
    }
}

/// Values under these settings, each `NAME=EXPR`.
pub(super) fn resolve(program: &Program, settings: &[&str]) -> Result<Lets, Failure> {
    let mut given: Vec<Option<Expr>> = vec![None; program.lets.len()];
    for setting in settings {
        let option = format!("--set {setting}");
        let Some((name, text)) = setting.split_once('=') else {
            return Err(Failure::usage(
                &format!("`{option}` has no value"),
                Some("write --set NAME=EXPR".into()),
            ));
        };
        let name = name.trim();
        if name.is_empty() {
            return Err(Failure::usage(
                &format!("`{option}` has no name"),
                Some("write --set NAME=EXPR".into()),
            ));
        }
        let Some(i) = program.lets.iter().position(|l| l.name == name) else {
            return Err(unknown(program, name, &option));
        };
        if given[i].is_some() {
            return Err(Failure::usage(&format!("`{name}` is set twice"), None));
        }
        given[i] = Some(parse(program, &option, text)?);
    }
    let mut resolver = Resolver {
        program,
        given: &given,
        state: vec![State::Unknown; given.len()],
        path: Vec::new(),
        cycle: None,
    };
    let values: Vec<f64> = (0..given.len()).map(|i| resolver.value(i)).collect();
    if let Some(cycle) = resolver.cycle {
        let names: Vec<&str> = cycle.iter().map(|&i| program.lets[i].name).collect();
        return Err(Failure::usage(
            &format!("the settings go round in a circle: {}", names.join(" needs ")),
            None,
        ));
    }
    if let Some(i) = values.iter().position(|v| v.is_nan()) {
        return Err(not_a_number(program, i, given[i].is_some(), settings.is_empty()));
    }
    let set = (0..given.len())
        .filter(|&i| given[i].is_some())
        .map(|i| (program.lets[i].name.to_owned(), values[i]))
        .collect();
    Ok(Lets { values, set })
}

#[derive(Clone, Copy)]
enum State {
    Unknown,
    Asked,
    Known(f64),
}

struct Resolver<'a> {
    program: &'a Program<'a>,
    given: &'a [Option<Expr>],
    state: Vec<State>,
    /// `let`s being computed, each asked for by the one before.
    path: Vec<usize>,
    cycle: Option<Vec<usize>>,
}

impl Resolver<'_> {
    fn value(&mut self, i: usize) -> f64 {
        match self.state[i] {
            State::Known(x) => return x,
            State::Asked => {
                let from = self.path.iter().position(|&p| p == i).unwrap_or(0);
                let circle = self.path[from..].iter().copied().chain([i]).collect();
                self.cycle.get_or_insert(circle);
                return f64::NAN;
            }
            State::Unknown => {}
        }
        self.state[i] = State::Asked;
        self.path.push(i);
        let given = self.given;
        let program = self.program;
        let x = match &given[i] {
            Some(expr) => expr.value(&mut |j| self.value(j)),
            None => (program.param)(i, &mut |j| self.value(j)),
        };
        self.path.pop();
        self.state[i] = State::Known(x);
        x
    }
}

fn not_a_number(program: &Program, i: usize, given: bool, by_default: bool) -> Failure {
    let spec = &program.lets[i];
    let message = if given {
        format!("`{}` is set to NaN", spec.name)
    } else {
        format!("`let {} = {}` is NaN", spec.name, spec.default)
    };
    let help = Some("a setting must be a number or inf".into());
    Failure::refused(USAGE, &message, help, if by_default { 1 } else { 2 })
}

fn unknown(program: &Program, name: &str, option: &str) -> Failure {
    let names = program.lets.iter().map(|l| l.name);
    let help = match nearest(name, names.clone()) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None if program.lets.is_empty() => Some("the program has no settings".into()),
        None => Some("--help lists the program's settings".into()),
    };
    Failure::usage(&format!("the program has no `let {name}` (in `{option}`)"), help)
}

/// The name that differs least, if it differs little.
fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    names
        .map(|n| (distance(&name.to_lowercase(), &n.to_lowercase()), n))
        .filter(|(d, n)| *d <= 1.max(length.max(n.chars().count()) / 3))
        .min_by_key(|(d, _)| *d)
        .map(|(_, n)| n)
}

/// Single characters to insert, delete or replace (Levenshtein's distance).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn a_near_name_is_found_and_a_far_one_is_not() {
        let names = ["thr", "blocksD", "Lambda"];
        assert_eq!(nearest("tr", names.into_iter()), Some("thr"));
        assert_eq!(nearest("blockD", names.into_iter()), Some("blocksD"));
        assert_eq!(nearest("lambda", names.into_iter()), Some("Lambda"));
        assert_eq!(nearest("warmup", names.into_iter()), None);
        assert_eq!(
            (distance("kitten", "sitting"), distance("", "ab"), distance("x", "x")),
            (3, 2, 0)
        );
    }
}
