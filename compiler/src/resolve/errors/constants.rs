//! Constants.

use crate::diag::Diagnostic;
use crate::ir::Dist;
use crate::span::Span;

/// Something that is no constant where one is needed.
pub fn not_constant(span: Span, said: &str, what: &str) -> Diagnostic {
    let said = if said == "this" { said.to_owned() } else { format!("`{said}`") };
    Diagnostic::error("S160", span, format!("{what} is a constant, and {said} is none"))
        .help("use numbers and `let`s")
}

/// A draw where a constant is needed.
pub fn draws(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("S161", span, format!("{what} is a constant and cannot draw"))
        .help("use numbers and `let`s")
}

/// A constant that is NaN.
pub fn not_a_number(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("S162", span, format!("{what} is not a number"))
        .help("the value is NaN: look for `0 / 0` or a root of a negative number")
}

/// A constant amount that is negative or NaN.
pub fn negative(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("S163", span, format!("this {what} is negative or not a number"))
        .help("amounts are at least 0")
}

/// A constant request that no empty pool holds.
pub fn above_cap(span: Span, pool: &str) -> Diagnostic {
    Diagnostic::error("S164", span, format!("this is more than `{pool}` ever holds"))
        .help("raise the pool's `cap`, or ask for less")
}

/// A negative capacity.
pub fn negative_cap(span: Span) -> Diagnostic {
    Diagnostic::error("S165", span, "the capacity is negative or not a number")
        .help("a `cap` is at least 0, or `inf`")
}

/// A block that is none.
pub fn block(span: Span) -> Diagnostic {
    Diagnostic::error("S166", span, "a block has a finite size above 0")
        .help("leave `block` out for a pool without blocks")
}

/// A fraction of a server, or none.
pub fn servers(span: Span) -> Diagnostic {
    Diagnostic::error("S167", span, "the number of servers is not a whole number of at least 1")
        .help("write `fifo(c)` with a whole c; a stage without waiting is a `delay`")
}

/// A capacity that is NaN.
pub fn rate(span: Span) -> Diagnostic {
    Diagnostic::error("S168", span, "the capacity is not a number")
        .help("the value is NaN: look for `0 / 0` or a root of a negative number")
}

/// A family without a whole number of members.
pub fn family_size(span: Span) -> Diagnostic {
    Diagnostic::error("S170", span, "the size of a family is not a whole number of at least 1")
        .help("write how many members there are")
}

/// A family past all measure.
pub fn family_too_large(span: Span, most: f64) -> Diagnostic {
    Diagnostic::error("S171", span, format!("the family has more than {most} members"))
        .help("no deployment is that large; a pool of units may be what is meant")
}

/// An aggregate over a range that is none.
pub fn count(span: Span) -> Diagnostic {
    Diagnostic::error("S172", span, "an aggregate runs over a whole number of at least 1")
        .help("write how many there are: `max k in N (…)`")
}

/// An aggregate past all measure.
pub fn range_too_long(span: Span, most: f64) -> Diagnostic {
    Diagnostic::error("S169", span, format!("the aggregate runs over more than {most} values"))
        .help("it is worked out each time it is read: keep the range short")
}

/// An aggregate over a range that moves.
pub fn count_not_constant(span: Span) -> Diagnostic {
    Diagnostic::error("S173", span, "the range of an aggregate is a constant")
        .help("use a number or a `let`")
}

/// A constant guard that is neither 0 nor 1.
pub fn guard(span: Span) -> Diagnostic {
    Diagnostic::error("S174", span, "this guard is neither 0 nor 1")
        .help("a guard is a test; a draw with a probability is written `branch with (p)`")
}

/// A constant count of a choice that is no count.
pub fn choose_count(span: Span) -> Diagnostic {
    Diagnostic::error("S175", span, "a choice is among a whole number of at least 0")
        .help("write how many there are: `choose i in N by (…)`")
}

/// Arguments outside a distribution's range.
pub fn draw_range(span: Span, dist: Dist) -> Diagnostic {
    let help = match dist {
        Dist::Exp => "`~exp(mean)` takes a mean of at least 0",
        Dist::Det => "`~det(x)` takes any number",
        Dist::Uniform => "`~uniform(lo, hi)` takes any two numbers",
        Dist::Erlang => "`~erlang(k, mean)` takes a whole k of at least 1 and a mean of at least 0",
        Dist::H2 => "`~h2(mean, cv2)` takes a mean of at least 0 and a cv2 of at least 1",
        Dist::Bernoulli => "a probability is between 0 and 1",
    };
    Diagnostic::error("S176", span, "nothing can be drawn with these numbers").help(help)
}
