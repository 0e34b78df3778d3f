//! The table on the terminal.

use crate::{cases::Goal, ratio::Row};

/// Above the rows.
pub(crate) const HEADER: &str = "case             rival           pairs   ours s  rival s  ours/rival [quartiles]     \
                                 rival/ours  goal";

/// One row.
pub(crate) fn line(row: &Row) -> String {
    let goal = match row.goal {
        Some(Goal::AtMost(most)) => format!("ours/rival <= {most}"),
        Some(Goal::AtLeast(least)) => format!("rival/ours >= {least}"),
        None => String::new(),
    };
    let holds = match row.holds() {
        Some(true) => " holds",
        Some(false) => " fails",
        None => "",
    };
    let ratio = |x: f64| if x < 0.1 { format!("{x:.5}") } else { format!("{x:.3}") };
    let spread = format!(
        "{} [{}, {}]",
        ratio(row.ratio.median),
        ratio(row.ratio.lower),
        ratio(row.ratio.upper)
    );
    let text = format!(
        "{:<16} {:<15} {:>5} {:>8.3} {:>8.3}  {spread:<26} {:>10.2}  {goal}{holds}",
        row.case,
        row.rival,
        row.pairs,
        row.ours,
        row.theirs,
        1.0 / row.ratio.median
    );
    text.trim_end().to_owned()
}
