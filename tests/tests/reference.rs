//! The language reference against the compiler: its grammar is the parser's own, written as EBNF, its list of words has
//! every word of it, and its page of statistics every field of a report. `UPDATE_EXPECT=1` writes the first two anew.

use pest_meta::{
    ast::{Expr, Rule},
    parser,
};
use serde_json::Value;
use serq_compiler::syntax::keywords;
use serq_runtime::{Settings, serq};
use serq_tests::{compile::project, corpus};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Rules of tokens that the page of lexical rules describes.
const TERMINALS: [(&str, &str); 5] = [
    ("name", "NAME"),
    ("verb", "NAME"),
    ("dist", "NAME"),
    ("string", "STRING"),
    ("number", "NUMBER"),
];

/// A line of the page is no longer.
const WIDTH: usize = 110;

type Rules = BTreeMap<String, Rule>;

#[test]
fn the_grammar_is_the_parsers_own() {
    let text = fs::read_to_string(project().join("compiler/src/syntax/grammar.pest")).unwrap();
    let pairs = parser::parse(parser::Rule::grammar_rules, &text).unwrap();
    let rules = parser::consume_rules(pairs).unwrap();
    let order: Vec<String> = rules.iter().map(|rule| rule.name.clone()).collect();
    let rules: Rules = rules.into_iter().map(|rule| (rule.name.clone(), rule)).collect();
    let mut reached = BTreeSet::from(["item".to_owned()]);
    let mut open = vec!["item".to_owned()];
    while let Some(name) = open.pop() {
        for next in named(&rules[&name].expr, &rules) {
            if reached.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    let shown = order.iter().filter(|name| reached.contains(*name));
    let mut lines = vec!["program := item*".to_owned()];
    lines.extend(shown.map(|name| definition(name, &rules)));
    holds("docs/reference/grammar.md", "ebnf", &lines.join("\n"));
}

#[test]
fn the_list_of_words_is_the_parsers_own() {
    let mut lines = vec![String::new()];
    for word in keywords() {
        let line = lines.last_mut().unwrap();
        if line.len() + word.len() > 100 {
            lines.push(word.to_owned());
        } else {
            *line = format!("{line} {word}").trim_start().to_owned();
        }
    }
    holds("docs/reference/lexical.md", "words", &lines.join("\n"));
}

/// That the page's block behind a fence of that name is `text`.
fn holds(page: &str, fence: &str, text: &str) {
    let path = project().join(page);
    let old = fs::read_to_string(&path).unwrap();
    let opening = format!("```{fence}\n");
    let (before, rest) = old.split_once(&opening).unwrap_or_else(|| panic!("{page}: no {fence}"));
    let (_, after) = rest.split_once("```").unwrap();
    let new = format!("{before}{opening}{text}\n```{after}");
    if corpus::updating() {
        fs::write(&path, &new).unwrap();
    }
    assert!(new == old || corpus::updating(), "{page}: run with UPDATE_EXPECT=1; want\n{text}");
}

/// `name := …`, its alternatives on lines of their own if they do not fit on one.
fn definition(name: &str, rules: &Rules) -> String {
    let head = format!("{name} := ");
    let body = written(&rules[name].expr, rules, false);
    if head.len() + body.len() <= WIDTH {
        return head + &body;
    }
    let mut lines = vec![head];
    for word in words(&body) {
        let line = lines.last_mut().unwrap();
        if line.len() + word.len() > WIDTH {
            lines.push(format!("    {word} "));
        } else {
            line.push_str(&format!("{word} "));
        }
    }
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(' ')
}

/// The one text that a rule stands for, if it is a token of one text.
fn literal(name: &str, rules: &Rules) -> Option<String> {
    match read(&rules.get(name)?.expr)[..] {
        [Expr::Str(text)] => Some(format!("'{text}'")),
        _ => None,
    }
}

/// The parts of a sequence that read something: what only looks ahead is left out.
fn read(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Seq(first, then) => [read(first), read(then)].concat(),
        Expr::PosPred(_) | Expr::NegPred(_) => Vec::new(),
        other => vec![other],
    }
}

/// The alternatives of a choice.
fn alternatives(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Choice(first, or) => [alternatives(first), alternatives(or)].concat(),
        other => vec![other],
    }
}

/// The rules that an expression names and that have a definition of their own on the page.
fn named(expr: &Expr, rules: &Rules) -> Vec<String> {
    match expr {
        Expr::Ident(name) => {
            let token = TERMINALS.iter().any(|(rule, _)| rule == name);
            let own = !token && rules.contains_key(name) && literal(name, rules).is_none();
            own.then(|| name.clone()).into_iter().collect()
        }
        Expr::Seq(a, b) | Expr::Choice(a, b) => [named(a, rules), named(b, rules)].concat(),
        Expr::Opt(inner) | Expr::Rep(inner) | Expr::RepOnce(inner) => named(inner, rules),
        Expr::Str(_) | Expr::PosPred(_) | Expr::NegPred(_) => Vec::new(),
        other => panic!("no EBNF for {other}"),
    }
}

/// An expression as EBNF; `inner`: where a choice or a sequence needs brackets.
fn written(expr: &Expr, rules: &Rules, inner: bool) -> String {
    match expr {
        Expr::Ident(name) => match TERMINALS.iter().find(|(rule, _)| rule == name) {
            Some((_, terminal)) => (*terminal).to_owned(),
            None => literal(name, rules).unwrap_or_else(|| name.clone()),
        },
        Expr::Str(text) => format!("'{text}'"),
        Expr::PosPred(_) | Expr::NegPred(_) => String::new(),
        Expr::Seq(..) => match read(expr)[..] {
            [only] => written(only, rules, inner),
            ref parts => bracketed(inner, " ", parts.iter().map(|part| written(part, rules, true))),
        },
        Expr::Choice(..) => {
            let parts = alternatives(expr);
            bracketed(inner, " | ", parts.iter().map(|part| written(part, rules, false)))
        }
        Expr::Opt(part) => format!("[{}]", written(part, rules, false)),
        Expr::Rep(part) => format!("{}*", written(part, rules, true)),
        Expr::RepOnce(part) => format!("{}+", written(part, rules, true)),
        other => panic!("no EBNF for {other}"),
    }
}

fn bracketed(inner: bool, between: &str, parts: impl Iterator<Item = String>) -> String {
    let text = parts.collect::<Vec<_>>().join(between);
    if inner { format!("({text})") } else { text }
}

/// Every field of a report's lists has its place on the page.
#[test]
fn the_page_of_statistics_names_every_field() {
    serq! {
        name: program;
        pool kv { cap 8; }
        stage gpu : fifo;
        workload { arrive batch(2); }
        session { hold kv (1) { run gpu (1); } observe response = now; }
        gauge held = used(kv);
        run { horizon 9; }
    }
    let report = program::run(&program::Params::default(), Settings::default()).unwrap();
    let report: Value = serde_json::from_str(&report.json()).unwrap();
    let page = fs::read_to_string(project().join("docs/reference/statistics.md")).unwrap();
    let rows = ["/run", "/observes/response", "/gauges/held", "/pools/0", "/stages/0"];
    let fields = rows.iter().flat_map(|row| {
        let fields =
            report.pointer(row).and_then(Value::as_object).unwrap_or_else(|| panic!("{row}"));
        fields.keys().map(move |field| (row, field))
    });
    let missing: Vec<_> =
        fields.filter(|(_, field)| !page.contains(&format!("`{field}`"))).collect();
    assert!(missing.is_empty(), "docs/reference/statistics.md lacks {missing:?}");
}

/// `docs/how-it-is-checked.md` counts the programs of the corpus.
#[test]
fn the_corpus_is_as_large_as_the_page_says() {
    let page = fs::read_to_string(project().join("docs/how-it-is-checked.md")).unwrap();
    let row = |folder: &str| {
        let ending = format!("`tests/conformance/{folder}` |");
        let row = page.lines().find(|line| line.ends_with(&ending));
        row.unwrap_or_else(|| panic!("no row of {folder}"))
    };
    for (folder, differing) in [("det", true), ("fuzz", true), ("stat", false), ("err", false)] {
        let root = project().join("tests/conformance").join(folder);
        let cases = cases(&root);
        let other = cases.iter().filter(|case| case.with_extension("reference.json").exists());
        let (programs, others) = (cases.len(), other.count());
        let wanted = if differing { vec![programs, others] } else { vec![programs] };
        let digits = row(folder).split(|c: char| !c.is_ascii_digit());
        let said: Vec<usize> = digits.filter_map(|number| number.parse().ok()).collect();
        assert_eq!(said, wanted, "{folder}");
    }
}

/// The programs below a folder that have an answer beside them; the others are libraries.
fn cases(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    let found = entries.flat_map(|path| match path.is_dir() {
        true => cases(&path),
        false => vec![path],
    });
    let program = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "sq");
    found.filter(|path| program(path) && path.with_extension("json").exists()).collect()
}
