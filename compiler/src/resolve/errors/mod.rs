//! The diagnostics of this phase, errors S020 to S199 and warnings S200 to S202: one constructor each, by topic.
//!
//! A constructor says what is wrong, where, and what to write instead. A code is written in one
//! constructor only; two constructors never share one.

pub mod constants;
pub mod defs;
pub mod entries;
pub mod families;
pub mod flows;
pub mod forms;
pub mod holds;
pub mod legs;
pub mod load;
pub mod loops;
pub mod moments;
pub mod names;
pub mod pools;
pub mod queues;
pub mod ranks;
pub mod refs;
pub mod run;
pub mod runs;
pub mod sides;
pub mod stages;
pub mod trace;
pub mod warnings;
pub mod workload;

/// The candidate nearest to a misspelt name, if one is near.
pub(super) fn nearest<'n>(
    name: &str,
    candidates: impl Iterator<Item = &'n str>,
) -> Option<&'n str> {
    let limit = if name.chars().count() <= 3 { 1 } else { 2 };
    // Long names are not measured: the work grows with their product.
    if name.len() > 64 {
        return None;
    }
    candidates
        .filter(|candidate| candidate.len() <= 64)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(far, candidate)| *far <= limit && *far < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

/// Edits of one character that turn `left` into `right` (Levenshtein's distance).
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let change = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[right.len()]
}

/// `a, b and c`, each in backticks.
pub(super) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.as_slice() {
        [] => "none".to_owned(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// `1 argument`, `2 arguments`, `no argument`.
pub(super) fn count_of(count: usize, what: &str) -> String {
    match count {
        0 => format!("no {what}"),
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
