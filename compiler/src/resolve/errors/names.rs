//! Names: declared twice, unknown, or not what is needed.

use super::{count_of, nearest};
use crate::diag::Diagnostic;
use crate::span::Span;
use crate::syntax::ast::Name;

/// A name means two things.
pub fn declared_twice(name: &Name, first: &str, at: Span) -> Diagnostic {
    Diagnostic::error("S030", name.span, format!("`{}` is already {first}", name.kind))
        .also(at, "declared here first")
        .help("give one of them another name")
}

/// A name that the language has taken.
pub fn reserved(name: &Name, what: &str) -> Diagnostic {
    Diagnostic::error(
        "S031",
        name.span,
        format!("`{}` is {what} and cannot be declared", name.kind),
    )
    .help("choose another name")
}

/// Two parameters of one name.
pub fn param_twice(name: &Name, first: Span) -> Diagnostic {
    Diagnostic::error("S032", name.span, format!("the parameter `{}` is there twice", name.kind))
        .also(first, "first here")
        .help("give each parameter a name of its own")
}

/// A clause said twice.
pub fn said_twice(span: Span, what: &str, first: Span) -> Diagnostic {
    Diagnostic::error("S033", span, format!("`{what}` is said twice"))
        .also(first, "said here first")
        .help("keep one of them")
}

/// A statement gives a value to a built-in attribute.
pub fn builtin_given(name: &Name) -> Diagnostic {
    Diagnostic::error(
        "S034",
        name.span,
        format!("`{}` is a built-in attribute: it is read, never set", name.kind),
    )
    .help("set an attribute of another name")
}

/// A statement gives a value to something that is no attribute.
pub fn given_taken(name: &Name, what: &str, declared: Option<Span>) -> Diagnostic {
    let message = format!("`{}` is {what}, so no attribute can have that name", name.kind);
    let found =
        Diagnostic::error("S035", name.span, message).help("set an attribute of another name");
    match declared {
        Some(span) => found.also(span, "declared here"),
        None => found,
    }
}

/// An aggregate's variable has a name that means something.
pub fn aggregate_taken(name: &Name, what: &str) -> Diagnostic {
    Diagnostic::error(
        "S036",
        name.span,
        format!("`{}` is {what}; an aggregate's variable needs a name of its own", name.kind),
    )
    .help("choose a name that the program does not use")
}

/// A gauge and an observation of one name.
pub fn gauge_and_observation(name: &Name) -> Diagnostic {
    Diagnostic::error(
        "S037",
        name.span,
        format!("`{}` is the name of an observation as well as of this gauge", name.kind),
    )
    .help("give the gauge another name")
}

/// A name that means nothing.
pub fn unknown<'n>(
    span: Span,
    name: &str,
    candidates: impl Iterator<Item = &'n str>,
) -> Diagnostic {
    let found = Diagnostic::error("S040", span, format!("nothing is called `{name}`"));
    match nearest(name, candidates) {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None => found.help(
            "a name is a `let`, an attribute that some statement sets, or a name of the language",
        ),
    }
}

/// A function that does not exist.
pub fn unknown_function<'n>(name: &Name, candidates: impl Iterator<Item = &'n str>) -> Diagnostic {
    let found =
        Diagnostic::error("S041", name.span, format!("there is no function `{}`", name.kind));
    match nearest(&name.kind, candidates) {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None => found.help("a function is one of the language's, or a `def` above"),
    }
}

/// A distribution that does not exist.
pub fn unknown_distribution<'n>(
    name: &Name,
    candidates: impl Iterator<Item = &'n str>,
) -> Diagnostic {
    let found =
        Diagnostic::error("S042", name.span, format!("there is no distribution `{}`", name.kind));
    match nearest(&name.kind, candidates) {
        Some(near) => found.help(format!("did you mean `~{near}`?")),
        None => found.help(
            "the distributions are `~exp(mean)`, `~det(x)`, `~uniform(lo, hi)`, `~erlang(k, mean)`, \
             `~h2(mean, cv2)` and `~bernoulli(p)`",
        ),
    }
}

/// The wrong number of arguments.
pub fn arity(span: Span, name: &str, takes: usize, given: usize) -> Diagnostic {
    let message = format!("`{name}` takes {}, not {given}", count_of(takes, "argument"));
    let help = match (name, takes) {
        ("~exp", _) => "write `~exp(mean)`: it is given by its mean, not by its rate".to_owned(),
        ("~det", _) => "write `~det(x)`".to_owned(),
        ("~uniform", _) => "write `~uniform(lo, hi)`".to_owned(),
        ("~erlang", _) => "write `~erlang(k, mean)`".to_owned(),
        ("~h2", _) => "write `~h2(mean, cv2)`".to_owned(),
        ("~bernoulli", _) => "write `~bernoulli(p)`".to_owned(),
        ("min" | "max", _) if given > takes => {
            format!("put one into the other: `{name}(a, {name}(b, c))`")
        }
        (_, 0) => format!("write `{name}()`"),
        _ => format!("give it {}", count_of(takes, "argument")),
    };
    Diagnostic::error("S043", span, message).help(help)
}

/// Something that has no value where a value is needed.
pub fn not_a_value(span: Span, name: &str, what: &str) -> Diagnostic {
    let help = match what {
        "a pool" => format!("read it by a function: `used({name})`, `free({name})`"),
        "a stage" | "a queue" => format!("read it by a function: `queue({name})`, `work({name})`"),
        "a definition" | "a function" => format!("use it with its arguments: `{name}(…)`"),
        _ => "read it by a function: `used(…)`, `queue(…)`".to_owned(),
    };
    Diagnostic::error("S044", span, format!("`{name}` is {what} and has no value")).help(help)
}

/// `x(…)` where x is no function.
pub fn not_a_function(name: &Name, what: &str) -> Diagnostic {
    Diagnostic::error("S045", name.span, format!("`{}` is {what}, not a function", name.kind))
        .help("only functions and definitions take arguments in an expression")
}

/// `x.y` where x has no parts.
pub fn no_parts(name: &Name, what: &str) -> Diagnostic {
    Diagnostic::error("S046", name.span, format!("`{}` is {what} and has no parts", name.kind))
        .help("`Q.name` reads what an entry of queue Q set or marked")
}

/// `D.x` where no entry of D sets x.
pub fn unknown_mark(name: &Name, queue: &str) -> Diagnostic {
    Diagnostic::error(
        "S047",
        name.span,
        format!("no entry of `{queue}` sets or marks `{}`", name.kind),
    )
    .help(format!("write `mark {};` in an entry of `{queue}`", name.kind))
}

/// A `let` that reads a later one.
pub fn let_below(span: Span, name: &str, declared: Span) -> Diagnostic {
    Diagnostic::error("S048", span, format!("`{name}` is declared further down"))
        .also(declared, "declared here")
        .help("a `let` reads earlier ones only: move one of them")
}
