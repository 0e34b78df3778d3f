//! The diagnostics of this phase, one constructor for each code, and the words of a syntax error:
//! from what the grammar tried at the first token that cannot go on, to what a reader should write.
//!
//! | code | is about |
//! |---|---|
//! | S001 | a token that cannot stand where it does |
//! | S002 | a string that is not closed on its line |
//! | S003 | a comment that is not closed |
//! | S004 | nesting that is too deep |
//! | S005 | a file, or a name in it, that is too long |
//! | S006 | comparisons that chain |
//! | S007 | a number that is not one |
//! | S008 | a character that the language does not use |
//! | S009 | a `;` where nothing ends |
//! | S010 | a `;` that is missing |
//! | S011 | an end of the file inside an item |
//! | S019 | a tree that does not follow the grammar: a bug in the compiler |

use pest::error::{ErrorVariant, InputLocation};

use super::grammar::Rule;
use super::scan::{ItemTokens, Scan, Token, TokenKind};
use super::tried::{list, simplify, words_of};
use crate::diag::Diagnostic;
use crate::span::{FileId, Span};

pub(super) fn open_string(span: Span) -> Diagnostic {
    Diagnostic::error("S002", span, "a string is not closed on its line")
        .label("begins here")
        .help("a file name stands between two `\"` on one line")
}

pub(super) fn open_comment(span: Span) -> Diagnostic {
    Diagnostic::error("S003", span, "a comment is not closed")
        .label("begins here")
        .help("`/*` needs `*/`; comments do not nest")
}

pub(super) fn too_deep(span: Span, braces: u32, brackets: u32, operators: u32) -> Diagnostic {
    Diagnostic::error("S004", span, "nested too deeply here")
        .label(format!(
            "at most {braces} blocks, {brackets} brackets or {operators} operators go into each other"
        ))
        .help("name parts of it with `let`, `def` or `set`")
}

pub(super) fn too_large(span: Span) -> Diagnostic {
    let message = format!(
        "the file is too long: at most {} MiB and {} tokens are read",
        super::scan::MAX_BYTES >> 20,
        super::scan::MAX_TOKENS
    );
    Diagnostic::error("S005", span, message).help("put its definitions into files of their own")
}

pub(super) fn long_token(span: Span, limit: usize) -> Diagnostic {
    Diagnostic::error("S005", span, format!("a name, number or string of more than {limit} bytes"))
}

pub(super) fn chained_comparison(operator: Span, first: Span, text: &str) -> Diagnostic {
    Diagnostic::error("S006", operator, format!("comparisons do not chain: a second one, `{text}`"))
        .also(first, "the first comparison")
        .help("join two comparisons by `&&`, or put one in parentheses")
}

pub(super) fn unbuilt(span: Span) -> Diagnostic {
    Diagnostic::error("S019", span, "this text parses but its tree cannot be built")
        .help("this is a fault of the compiler, please report it")
}

fn bad_number(span: Span, text: &str) -> Diagnostic {
    let help = if text.starts_with("0x") || text.starts_with("0X") {
        "numbers are decimal"
    } else if text.ends_with('_') {
        "`_` stands between digits only"
    } else if has_unit(text) {
        "a number has no unit: times are in seconds, and a factor is an exponent, as in `2e-3`"
    } else {
        "numbers look like `16`, `0.6`, `2e-5`, `1_000`; a name does not begin with a digit"
    };
    Diagnostic::error("S007", span, format!("`{text}` is not a number")).help(help)
}

/// Is it a number with the name of a unit behind it?
fn has_unit(text: &str) -> bool {
    const UNITS: &[&str] = &[
        "ns", "us", "ms", "s", "sec", "min", "m", "h", "hz", "k", "g", "b", "kb", "mb", "gb", "tb",
        "kib", "mib", "gib", "x", "f",
    ];
    let letters = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '_');
    UNITS.iter().any(|unit| letters.eq_ignore_ascii_case(unit))
}

fn bad_character(span: Span, text: &str) -> Diagnostic {
    let found = Diagnostic::error("S008", span, format!("`{text}` is not part of the language"));
    match text {
        "%" => found.help("a share is a fraction, as `0.1`; a remainder is `a - floor(a / b) * b`"),
        "&" => found.help("write `&&`"),
        "|" => found.help("write `||`"),
        "'" => found.help("names have letters, digits and `_`; file names stand in `\"`"),
        "#" => found.help("comments begin with `//`"),
        _ => found,
    }
}

fn bad_name(span: Span, text: &str) -> Diagnostic {
    let odd: String = text.chars().filter(|c| !c.is_alphanumeric() && *c != '_').take(1).collect();
    let message = format!("`{text}` is not a name");
    Diagnostic::error("S008", span, message).help(if odd.is_empty() {
        "names have letters, digits and `_`".to_string()
    } else {
        format!("names have letters, digits and `_`, not `{odd}`")
    })
}

/// Text, tokens and place of what is being parsed.
pub(super) struct Source<'a> {
    pub(super) file: FileId,
    pub(super) text: &'a str,
    pub(super) scan: &'a Scan,
}

impl Source<'_> {
    fn span(&self, token: Token) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }
    fn word(&self, token: Token) -> &str {
        &self.text[token.start as usize..token.end as usize]
    }
}

/// What pest found wrong with an item, and the token it is about; `None` for the end of the file.
///
/// `base` is where in the file the text that pest saw begins.
pub(super) fn unexpected(
    source: &Source<'_>,
    item: &ItemTokens,
    base: usize,
    error: &pest::error::Error<Rule>,
) -> (Option<usize>, Option<Diagnostic>) {
    let at = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => (at + base) as u32,
    };
    let tokens = &source.scan.tokens;
    let index = tokens.partition_point(|t| t.end <= at);
    let before = index.checked_sub(1).filter(|i| *i >= item.tokens.start).map(|i| tokens[i]);
    let mut tried: Vec<Rule> = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives.clone(),
        ErrorVariant::CustomError { .. } => Vec::new(),
    };
    simplify(&mut tried);
    let expected = list(&tried);
    let Some(&token) = tokens.get(index) else {
        if source.scan.cut_short {
            return (None, None); // what cut it short is said already
        }
        return (None, Some(at_end(source, item, before, &tried, &expected)));
    };
    if token.kind == TokenKind::OpenStr {
        return (Some(index), None); // said already
    }
    let span = source.span(token);
    let word = source.word(token);
    let inside = at > token.start; // the grammar took a part of it
    let mut found = match token.kind {
        TokenKind::Bad if !word.starts_with(|c: char| c.is_ascii()) => bad_name(span, word),
        TokenKind::Bad => bad_character(span, word),
        TokenKind::Number if inside || tried.contains(&Rule::expr) => bad_number(span, word),
        TokenKind::Word if inside => bad_name(span, word),
        TokenKind::Semi if !tried.contains(&Rule::semi) && before.is_none_or(ends_something) => {
            Diagnostic::error("S009", span, "nothing for this `;` to end").help(
                "a `;` ends a statement, and may stand behind a hold's clauses and the block of \
                 a `step`; no other block has one",
            )
        }
        _ if tried.contains(&Rule::semi) && ends_here(source, before, token) => {
            missing_semi(source, token, before, &expected)
        }
        _ => {
            let message = format!("expected {expected}, found {}", describe_found(token, word));
            Diagnostic::error("S001", span, message)
        }
    };
    let may_be_unclosed = item.unclosed.is_some() && tried.contains(&Rule::stmt);
    if may_be_unclosed && words_of(Rule::item).contains(&word) {
        found.help = Some("close the block before it with `}`".to_string());
    }
    if found.help.is_none() {
        let word_of = |i: Option<usize>| i.and_then(|i| tokens.get(i)).map(|t| source.word(*t));
        let around = Around {
            before: before.map(|t| source.word(t)),
            after: word_of(index.checked_add(1)),
            joined: before.is_some_and(|b| b.end == token.start)
                && tokens.get(index + 1).is_some_and(|next| next.start == token.end),
            called: called(source, index).map(|t| source.word(t)),
            ranges: word_of(index.checked_sub(2)) == Some("in"),
        };
        found.help = help(word, &tried, &around);
    }
    if let Some(open) = item.unclosed {
        found = found.also(source.span(tokens[open]), "this `{` is never closed");
    }
    (Some(index), Some(found))
}

/// The words about the one that cannot stand where it does.
struct Around<'a> {
    before: Option<&'a str>,
    after: Option<&'a str>,
    /// No space is between it and them.
    joined: bool,
    /// The name in front of the parentheses that end before it.
    called: Option<&'a str>,
    /// It follows the first word of a range, as in `max k in N`.
    ranges: bool,
}

/// The token in front of the parentheses that end before token `index`.
fn called(source: &Source<'_>, index: usize) -> Option<Token> {
    let tokens = source.scan.tokens.get(..index)?;
    let mut open = 0_usize;
    for (i, token) in tokens.iter().enumerate().rev() {
        match token.kind {
            TokenKind::Close(b')') => open += 1,
            _ if open == 0 => return None,
            TokenKind::Open(b'(') if open == 1 => return tokens.get(i.checked_sub(1)?).copied(),
            TokenKind::Open(b'(') => open -= 1,
            _ => {}
        }
    }
    None
}

/// Is the token before a `;` one that already ended a statement or a block?
fn ends_something(token: Token) -> bool {
    matches!(token.kind, TokenKind::Semi | TokenKind::Close(b'}') | TokenKind::Open(b'{'))
}

/// Does the line or the block end before the token?
fn ends_here(source: &Source<'_>, before: Option<Token>, token: Token) -> bool {
    let gap = |b: Token| &source.text[b.end as usize..token.start as usize];
    token.kind == TokenKind::Close(b'}') || before.is_some_and(|b| gap(b).contains('\n'))
}

fn missing_semi(
    source: &Source<'_>,
    token: Token,
    before: Option<Token>,
    expected: &str,
) -> Diagnostic {
    let found = describe_found(token, source.word(token));
    let message = format!("expected {expected}, found {found}");
    let out = Diagnostic::error("S010", source.span(token), message).help("end it with `;`");
    match before {
        Some(before) => {
            let end = Span { file: source.file, start: before.end, end: before.end };
            out.also(end, "what stands here is not ended")
        }
        None => out,
    }
}

fn at_end(
    source: &Source<'_>,
    item: &ItemTokens,
    before: Option<Token>,
    tried: &[Rule],
    expected: &str,
) -> Diagnostic {
    let end = before.map_or(source.text.len() as u32, |t| t.end);
    let span = Span { file: source.file, start: end, end };
    let out =
        Diagnostic::error("S011", span, format!("expected {expected}, found the end of the file"));
    match item.unclosed {
        Some(open) => out
            .also(source.span(source.scan.tokens[open]), "this `{` is never closed")
            .help("close it with `}`"),
        None if tried.contains(&Rule::semi) => out.help("end it with `;`"),
        None => out,
    }
}

fn describe_found(token: Token, word: &str) -> String {
    match token.kind {
        TokenKind::Str | TokenKind::OpenStr => format!("the string {}", shorten(word)),
        TokenKind::Number => format!("the number `{}`", shorten(word)),
        TokenKind::Word
        | TokenKind::Open(_)
        | TokenKind::Close(_)
        | TokenKind::Semi
        | TokenKind::Comma
        | TokenKind::Operator(_)
        | TokenKind::Other
        | TokenKind::Bad => format!("`{}`", shorten(word)),
    }
}

/// A word as it may stand in a message: not megabytes of it.
fn shorten(word: &str) -> String {
    match word.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &word[..at]),
        None => word.to_string(),
    }
}

/// What to write instead, when it can be guessed.
fn help(word: &str, tried: &[Rule], around: &Around<'_>) -> Option<String> {
    let before = around.before;
    let is_number = |text: Option<&str>| {
        text.is_some_and(|text| text.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
    };
    let is_clause = |text: Option<&str>| {
        let clauses = [Rule::pool_option, Rule::step_option, Rule::run_option];
        text.is_some_and(|text| clauses.iter().any(|rule| words_of(*rule).contains(&text)))
    };
    let is_name = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if tried.contains(&Rule::stmt) && is_name {
        match around.after {
            Some("=") => {
                return Some(format!("a value is given with `set`: `set {} = …;`", shorten(word)));
            }
            Some(";")
                if is_name
                    && !is_foreign(word)
                    && nearest(word, words_of(Rule::stmt)).is_none() =>
            {
                let word = shorten(word);
                return Some(format!("a definition is used with its arguments: `{word}(…);`"));
            }
            _ => {}
        }
    }
    let fixed = match word {
        "{" if around.called == Some("if") => "write `branch (…) { … } else { … }`",
        "{" if matches!(around.called, Some("while" | "until" | "repeat" | "for")) => {
            "write `loop { … }`, with a `branch` in it to leave by `end`"
        }
        ":" | "=" if tried.contains(&Rule::expr) && is_clause(before) => {
            "a clause and its value stand side by side, as in `cap 10;`"
        }
        "," if around.joined && is_number(before) && is_number(around.after) => {
            "a fraction is written with a point, as in `0.5`"
        }
        _ if around.ranges && tried == [Rule::open_paren] => {
            "a range of more than one name or number stands in parentheses, as in `max k in (N + 1) (…)`"
        }
        "=" if tried.contains(&Rule::infix) => "equality is written `==`",
        "==" if tried.contains(&Rule::assign) => "a value is given with one `=`",
        "and" if tried.contains(&Rule::infix) => "`and` is written `&&`",
        "or" if tried.contains(&Rule::infix) => "`or` is written `||`",
        "mod" if tried.contains(&Rule::infix) => {
            "there is no remainder operator: `a - floor(a / b) * b`"
        }
        "+" if tried.contains(&Rule::expr) => "a number has no leading `+`",
        _ if before == Some("not") => "`not` is written `!`",
        "return" | "break" | "exit" | "stop" | "quit" if tried.contains(&Rule::stmt) => {
            "`end;` ends the session; a `loop` ends in no other way"
        }
        "for" | "while" if tried.contains(&Rule::stmt) => {
            "`loop { … }` repeats; `choose i in n by (…);` takes the best of n"
        }
        "else" if tried.contains(&Rule::stmt) => "an `else` stands right behind a `branch`'s block",
        "}" if tried.contains(&Rule::item) => "no block is open here",
        "branch" if before == Some("else") => "write `else { branch (…) { … } }`",
        ")" if tried.contains(&Rule::expr) => "an expression is missing here",
        "reserve" => "`reserve` follows the units of its pool, before `reuse`",
        "=" if tried.contains(&Rule::stmt) => "an attribute is given a value with `set`",
        _ if tried.contains(&Rule::open_paren)
            && word.starts_with(|c: char| c.is_alphanumeric() || c == '_')
            && tried.iter().all(|r| !matches!(r, Rule::close_paren | Rule::semi)) =>
        {
            "put it in parentheses"
        }
        _ => {
            let known: Vec<&str> = tried.iter().flat_map(|r| words_of(*r)).copied().collect();
            if known.is_empty() || !word.starts_with(|c: char| c.is_alphabetic()) {
                return None;
            }
            return Some(match nearest(word, &known) {
                Some(near) if near == word && tried.contains(&Rule::queue_part) => {
                    "an entry is `VERB (parameters) from source { … }`".to_string()
                }
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known here: {}", known.join(", ")),
            });
        }
    };
    Some(fixed.to_string())
}

/// Words of other languages for which this one has something else.
fn is_foreign(word: &str) -> bool {
    matches!(word, "return" | "break" | "exit" | "stop" | "quit" | "continue" | "else")
}

/// The known word that a misspelt one most looks like.
fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    if word.len() > 40 {
        return None;
    }
    known
        .iter()
        .map(|k| (distance(word, k), *k))
        .filter(|(d, k)| d * 3 <= k.len())
        .min_by_key(|(d, _)| *d)
        .map(|(_, k)| k)
}

/// How many characters to insert, delete, change or swap with their neighbour to get from one
/// word to the other (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut least = changed.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(rows[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    rows[a.len()][b.len()]
}
