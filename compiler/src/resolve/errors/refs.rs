//! References to pools, stages and their members.

use super::nearest;
use crate::diag::Diagnostic;
use crate::resolve::refs::Want;
use crate::span::Span;

fn wanted(want: Want) -> &'static str {
    match want {
        Want::Pool => "a pool",
        Want::Stage => "a stage",
    }
}

/// A pool or stage that is not there.
pub(in crate::resolve) fn unknown<'n>(
    span: Span,
    name: &str,
    want: Want,
    candidates: impl Iterator<Item = &'n str>,
) -> Diagnostic {
    let what = wanted(want).trim_start_matches("a ");
    let found = Diagnostic::error("S060", span, format!("there is no {what} `{name}`"));
    match nearest(name, candidates) {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None => match want {
            Want::Pool => found.help(format!("declare it: `pool {name} {{ cap …; }}`")),
            Want::Stage => found.help(format!("declare it: `stage {name} : fifo;`")),
        },
    }
}

/// Something else where a pool or a stage is needed.
pub(in crate::resolve) fn not_of_kind(
    span: Span,
    said: &str,
    what: Option<&str>,
    want: Want,
) -> Diagnostic {
    let message = match what {
        Some(what) => format!("`{said}` is {what}, and {} is needed here", wanted(want)),
        None => format!("there is no {} `{said}`", wanted(want).trim_start_matches("a ")),
    };
    let help = match (what, want) {
        (Some("a queue"), Want::Pool) => format!("name one of its pools: `{said}.kv`"),
        (Some("a queue"), Want::Stage) => format!("give `{said}` a stage: `serve KIND;`"),
        (_, want) => format!("write the name of {}", wanted(want)),
    };
    Diagnostic::error("S061", span, message).help(help)
}

/// A pool of the queue where its stage is needed, or the other way round.
pub(in crate::resolve) fn wrong_kind(span: Span, said: &str, want: Want) -> Diagnostic {
    let other = match want {
        Want::Pool => "a stage",
        Want::Stage => "a pool",
    };
    Diagnostic::error(
        "S062",
        span,
        format!("`{said}` is {other}, and {} is needed here", wanted(want)),
    )
    .help(format!("write the name of {}", wanted(want)))
}

/// An argument that can be no pool or stage.
pub(in crate::resolve) fn takes_a_reference(span: Span, function: &str, want: Want) -> Diagnostic {
    let what = wanted(want);
    Diagnostic::error("S063", span, format!("`{function}` takes {what}, not a value"))
        .help(format!("write the name of {what}: `{function}(…)`"))
}

/// A parameter used as a pool or stage, for which a value was given.
pub(in crate::resolve) fn not_a_reference(span: Span, param: &str, want: Want) -> Diagnostic {
    let what = wanted(want);
    let message = format!("{what} is needed here, and a value was given for `{param}`");
    Diagnostic::error("S064", span, message).help(format!("pass the name of {what}"))
}

/// A parameter that is given with an index, indexed again.
pub fn indexed_twice(span: Span) -> Diagnostic {
    Diagnostic::error("S065", span, "the argument given for this parameter has an index already")
        .help("write the index at one of the two places")
}

/// A member of a family without an index.
pub fn family_without_index(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("S066", span, format!("`{name}` is a family: say which member"))
        .help(format!("write `{name}[i]`"))
}

/// An index on a single pool or stage.
pub fn single_indexed(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("S068", span, format!("`{name}` is no family: it has no member but 0"))
        .help(format!("write `{name}`, or declare a family: `{name}[N]`"))
}

/// An index on a single queue.
pub fn single_queue_indexed(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("S069", span, format!("`{name}` is a single queue and takes no index"))
        .help(format!("write `{name}`, or declare a family: `queue {name}[N]`"))
}

/// A constant index outside its family.
pub fn index_out_of_family(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("S070", span, format!("this is the number of no member of `{name}`"))
        .help("members are numbered from 0: whole numbers below the family's size")
}

/// A gauge's index that moves.
pub fn gauge_index(span: Span) -> Diagnostic {
    Diagnostic::error("S071", span, "a gauge names a member by a constant")
        .help("use a number, a `let`, or an aggregate's variable: `max k in N (used(p[k]))`")
}

/// `self` where there is no member.
pub fn self_outside(span: Span) -> Diagnostic {
    Diagnostic::error("S072", span, "`self` is a member's own index, and here is no member")
        .help("`self` stands in a family of queues, `queue Q[N]`, and its entries")
}

/// The source read as something other than a pool.
pub fn source_is_a_pool(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("S073", span, format!("`{name}` is the source's pool")).help(format!(
        "name it as a pool (`release {name};`), or use it in an index (`L[{name}]`), where it \
             is the source member's number"
    ))
}
