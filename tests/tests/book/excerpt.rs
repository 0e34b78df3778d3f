//! Whether lines stand in a program: in order, all moved by the same number of spaces, with `…` lines for what is left out.

/// The first line of `excerpt` (from 0) that does not stand where it should; `None` when all do.
pub fn stray(excerpt: &str, program: &str) -> Option<usize> {
    let wanted: Vec<&str> = excerpt.lines().map(str::trim_end).collect();
    let there: Vec<&str> = program.lines().map(str::trim_end).collect();
    let first = wanted.iter().position(|line| !is_gap(line) && !line.is_empty())?;
    let tries = (0..there.len()).filter_map(|at| {
        let moved = moved_by(wanted[first], there[at])?;
        Some(follow(&wanted[first..], &there[at..], moved).map(|line| line + first))
    });
    // Of all ways to begin the one that gets farthest.
    tries.max_by_key(|stray| stray.unwrap_or(usize::MAX)).unwrap_or(Some(first))
}

fn is_gap(line: &str) -> bool {
    line.trim() == "…"
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// By how many columns `there` is `wanted` moved, if it is.
fn moved_by(wanted: &str, there: &str) -> Option<isize> {
    let same = wanted.trim_start() == there.trim_start();
    same.then(|| indentation(there) as isize - indentation(wanted) as isize)
}

/// The first line that does not follow; the first lines of both are the same, moved.
fn follow(wanted: &[&str], there: &[&str], moved: isize) -> Option<usize> {
    let same = |w: &str, t: &str| match w.is_empty() {
        true => t.is_empty(),
        false => moved_by(w, t) == Some(moved),
    };
    let (mut at, mut gap) = (0, false);
    for (number, line) in wanted.iter().enumerate() {
        if is_gap(line) {
            gap = true;
            continue;
        }
        let ahead = if gap { there.len().saturating_sub(at) } else { 1 };
        let Some(skipped) = there.iter().skip(at).take(ahead).position(|t| same(line, t)) else {
            return Some(number);
        };
        (at, gap) = (at + skipped + 1, false);
    }
    None
}

#[test]
fn lines_stand_in_order_and_moved_together() {
    let program = "a {\n  b;\n  c {\n    d;\n  }\n  b;\n  e;\n}\n";
    for good in ["b;\nc {\n  d;\n}", "  b;\n  …\n  e;", "b;\ne;", "…\nd;\n…\n"] {
        assert_eq!(stray(good, program), None, "{good}");
    }
    assert_eq!(stray("b;\nd;", program), Some(1));
    assert_eq!(stray("c {\nd;", program), Some(1), "not moved alike");
    assert_eq!(stray("e;\n…\nd;", program), Some(2), "not in order");
    assert_eq!(stray("f;", program), Some(0));
}
