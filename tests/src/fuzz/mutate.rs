//! Programs made of programs. In: a text, other texts to take from, and dice. Out: a text that differs in a few
//! statements, expressions, numbers or names, and so gets further into the compiler than changed bytes do.

use crate::generate::Dice;
use std::ops::Range;

/// Numbers that make the most of a place.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "7",
    "16",
    "0.5",
    "1e-9",
    "inf",
    "1e308",
    "1e9",
    "4294967296",
    "9007199254740993",
    "1e400",
    "(-1)",
    "(0 - inf)",
    "(inf - inf)",
    "(0 / 0)",
    "2e-5",
    "1_000",
    ".5",
    "5.",
];
/// Names that a Rust program, the runtime or the language has a use for.
const NAMES: &[&str] = &[
    "self", "Self", "crate", "fn", "type", "async", "gen", "union", "r", "s", "k", "kernel",
    "Model", "model", "Params", "params", "Session", "World", "Kernel", "Vec", "Some", "f64",
    "u32", "usize", "std", "stages", "pools", "at", "now", "serial", "cached", "main", "total",
    "best", "work", "amount", "x_a", "xA", "XA", "_", "__", "_1", "é", "ſ", "K", "used", "max",
    "inf", "prefill", "decode", "transfer", "tool", "link", "gateway", "turn", "end", "src", "new",
];
/// What an expression may be wrapped in: before it and behind it.
const WRAPS: &[(&str, &str)] = &[
    ("(", ")"),
    ("-", ""),
    ("!", ""),
    ("(", " + 1)"),
    ("(2 * ", ")"),
    ("(", " / 0)"),
    ("(", " ^ 2)"),
    ("(", " < 1)"),
    ("(", " == 0 || 1 > 2)"),
    ("(1 ? ", " : 2)"),
    ("(", " ? 1 : 0)"),
    ("max(", ", 1)"),
    ("floor(", ")"),
    ("sqrt(", ")"),
    ("(sum q in 3 (", " + q))"),
    ("~exp(", ")"),
    ("~det(", ")"),
    ("~uniform(0, ", ")"),
    ("~bernoulli(", ")"),
];
/// Words before a name that they declare.
const DECLARES: &[&str] =
    &["let", "def", "pool", "stage", "queue", "set", "observe", "mark", "gauge", "choose"];
/// How many of a hundred changes take from the text itself, and how many clauses stand by one that begins with the same
/// word: others seldom fit.
const OWN: u64 = 80;
const ALIKE: u64 = 70;
/// The most changes made at once, and the longest text that is worth changing.
const CHANGES: u64 = 3;
const LONGEST: usize = 1 << 16;

/// Changes a text at a few places, taking from itself and from `donors`.
pub fn mutate(text: &str, donors: &[String], dice: &mut Dice) -> String {
    let mut text = text.to_owned();
    for _ in 0..dice.between(1, CHANGES) {
        if text.len() > LONGEST {
            break;
        }
        text = change(text, donors, dice);
    }
    text
}

fn change(text: String, donors: &[String], dice: &mut Dice) -> String {
    let tokens = tokens(&text);
    let own = dice.chance(OWN) || donors.is_empty();
    let donor =
        if own { &text } else { &donors[dice.between(0, donors.len() as u64 - 1) as usize] };
    let donor_tokens = self::tokens(donor);
    let new: Option<(Range<usize>, String)> = match dice.between(0, 19) {
        0..=1 => any(clauses(&text, &tokens), dice).map(|clause| (clause, String::new())),
        2..=6 => any(clauses(&text, &tokens), dice).and_then(|clause| {
            let alike = dice.chance(ALIKE).then(|| first_word(&text[clause.clone()]));
            let mut others = clauses(donor, &donor_tokens);
            others
                .retain(|other| alike.is_none_or(|word| first_word(&donor[other.clone()]) == word));
            let other = any(others, dice)?;
            let place = if dice.chance(70) { clause.start..clause.start } else { clause };
            Some((place, format!("{}\n", &donor[other])))
        }),
        7..=8 => any(groups(&text, &tokens), dice).and_then(|group| {
            let other = any(groups(donor, &donor_tokens), dice)?;
            Some((group, donor[other].to_owned()))
        }),
        9..=10 => any(of_kind(&text, &tokens, |c| c.is_ascii_digit()), dice)
            .map(|number| (number, dice.one_of(NUMBERS).to_owned())),
        11..=12 => any(operands(&text, &tokens), dice).and_then(|operand| {
            let other = any(operands(donor, &donor_tokens), dice)?;
            Some((operand, donor[other].to_owned()))
        }),
        13..=15 => any(operands(&text, &tokens), dice).map(|operand| {
            let (before, behind) = WRAPS[dice.between(0, WRAPS.len() as u64 - 1) as usize];
            let wrapped = format!("{before}{}{behind}", &text[operand.clone()]);
            (operand, wrapped)
        }),
        16..=17 => return renamed(&text, &tokens, dice),
        18 => any(clauses(&text, &tokens), dice).and_then(|one| {
            // Two neighbours change places.
            let next =
                clauses(&text, &tokens).into_iter().find(|clause| clause.start >= one.end)?;
            let turned = format!("{}\n{}", &text[next.clone()], &text[one.clone()]);
            Some((one.start..next.end, turned))
        }),
        _ => any(of_kind(&text, &tokens, |c| !c.is_whitespace()), dice).map(|token| {
            // Any word or mark for any other, or for none.
            let other = any(donor_tokens, dice).filter(|_| dice.chance(80));
            (token, other.map_or(String::new(), |other| donor[other].to_owned()))
        }),
    };
    match new {
        Some((place, with)) => format!("{}{with}{}", &text[..place.start], &text[place.end..]),
        None => text,
    }
}

/// One declared name is another everywhere.
fn renamed(text: &str, tokens: &[Range<usize>], dice: &mut Dice) -> String {
    let declared = tokens.windows(2).filter(|pair| DECLARES.contains(&&text[pair[0].clone()]));
    let declared: Vec<Range<usize>> = declared.map(|pair| pair[1].clone()).collect();
    let Some(old) = any(declared.clone(), dice).map(|word| &text[word]) else {
        return text.to_owned();
    };
    let new = match any(declared, dice) {
        Some(word) if dice.chance(30) => &text[word],
        _ => dice.one_of(NAMES),
    };
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for token in tokens.iter().filter(|token| &text[(*token).clone()] == old) {
        out.push_str(&text[at..token.start]);
        out.push_str(new);
        at = token.end;
    }
    out + &text[at..]
}

fn first_word(clause: &str) -> &str {
    clause.split(|c: char| !c.is_alphanumeric()).next().unwrap_or(clause)
}

/// Names and numbers that stand among operators and brackets.
fn operands(text: &str, tokens: &[Range<usize>]) -> Vec<Range<usize>> {
    let marks =
        |token: &Range<usize>, of: &str| text[token.clone()].chars().all(|c| of.contains(c));
    let inside = tokens.windows(3).filter(|three| {
        marks(&three[0], "(,+-*/<>=?:!&|^") && marks(&three[2], "),;+-*/<>=?:!&|^")
    });
    let inside = inside.map(|three| three[1].clone());
    inside.filter(|token| text[token.start..].starts_with(char::is_alphanumeric)).collect()
}

fn any(places: Vec<Range<usize>>, dice: &mut Dice) -> Option<Range<usize>> {
    let last = places.len().checked_sub(1)?;
    places.into_iter().nth(dice.between(0, last as u64) as usize)
}

/// Words, numbers and single marks; white space and line comments are between them.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let in_word = |c: char| c.is_alphanumeric() || c == '_';
        let len = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if in_word(c) {
            let number = c.is_ascii_digit();
            rest.find(|c: char| !(in_word(c) || number && c == '.')).unwrap_or(rest.len())
        } else {
            c.len_utf8()
        };
        if !c.is_whitespace() && !rest.starts_with("//") {
            found.push(at..at + len);
        }
        at += len;
    }
    found
}

/// The tokens that begin with such a character.
fn of_kind(text: &str, tokens: &[Range<usize>], kind: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    tokens.iter().filter(|token| text[token.start..].starts_with(&kind)).cloned().collect()
}

/// Statements, options and items: from behind a `;` or brace to the next `;`, or to the end of the block that opens
/// first.
fn clauses(text: &str, tokens: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut starts: Vec<Option<usize>> = vec![None];
    for token in tokens {
        let start = starts.last().copied().flatten().unwrap_or(token.start);
        let Some(innermost) = starts.last_mut() else { break };
        match &text[token.clone()] {
            ";" => {
                found.push(start..token.end);
                *innermost = None;
            }
            "{" => {
                *innermost = Some(start);
                starts.push(None);
            }
            "}" => {
                if starts.len() > 1 {
                    starts.pop();
                }
                if let Some(start) = starts.last_mut().and_then(Option::take) {
                    found.push(start..token.end);
                }
            }
            _ => *innermost = Some(start),
        }
    }
    found.sort_by_key(|clause| clause.start);
    found
}

/// What stands between round brackets.
fn groups(text: &str, tokens: &[Range<usize>]) -> Vec<Range<usize>> {
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for token in tokens {
        match &text[token.clone()] {
            "(" => open.push(token.end),
            ")" => found.extend(open.pop().map(|start| start..token.start)),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "let a = f(1.5, (b)); // c;\nsession { run d (a); loop { end; } }";

    #[test]
    fn clauses_and_groups_are_found() {
        let tokens = tokens(TEXT);
        let texts = |places: Vec<Range<usize>>| -> Vec<&str> {
            places.into_iter().map(|p| &TEXT[p]).collect()
        };
        assert_eq!(
            texts(clauses(TEXT, &tokens)),
            [
                "let a = f(1.5, (b));",
                "session { run d (a); loop { end; } }",
                "run d (a);",
                "loop { end; }",
                "end;"
            ]
        );
        assert_eq!(texts(groups(TEXT, &tokens)), ["b", "1.5, (b)", "a"]);
        assert_eq!(texts(of_kind(TEXT, &tokens, |c| c.is_ascii_digit())), ["1.5"]);
    }

    #[test]
    fn changes_keep_most_of_a_text_and_are_those_of_their_seed() {
        let donors = ["stage x : fifo;".to_owned()];
        let made = |seed| mutate(TEXT, &donors, &mut Dice::new(seed));
        let texts: Vec<String> = (0..200).map(made).collect();
        assert!(texts.iter().filter(|text| *text != TEXT).count() > 150);
        assert!(texts.iter().any(|text| text.contains("stage x")));
        assert_eq!(texts, (0..200).map(made).collect::<Vec<_>>());
    }
}
