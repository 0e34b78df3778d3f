//! The TextMate grammar: on every program its comments are the compiler's, words of the language
//! are coloured as such and names are not; it knows every word.
//!
//! syntect reads Sublime Text's form of such grammars, so the test writes it in that form: a
//! `begin` and `end` become a context of their own, all else has the same name there.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use serq_compiler::index::Kind;
use serq_compiler::index::words::WORDS;
use serq_compiler::syntax;
use serq_editors::{editors, programs};
use syntect::parsing::syntax_definition::SyntaxDefinition;
use syntect::parsing::{ParseState, ScopeStack, SyntaxSet, SyntaxSetBuilder};

fn grammar() -> Value {
    serde_json::from_str(&editors("vscode/syntaxes/serq.tmLanguage.json")).unwrap()
}

/// The grammar in Sublime Text's form; JSON is YAML.
fn converted(grammar: &Value) -> Value {
    let mut contexts = Map::new();
    contexts.insert("main".to_owned(), patterns(&grammar["patterns"]));
    for (name, part) in grammar["repository"].as_object().unwrap() {
        contexts.insert(name.clone(), patterns(&part["patterns"]));
    }
    json!({
        "name": grammar["name"],
        "scope": grammar["scopeName"],
        "file_extensions": grammar["fileTypes"],
        "contexts": contexts,
    })
}

fn patterns(list: &Value) -> Value {
    list.as_array().unwrap().iter().map(pattern).collect()
}

fn pattern(one: &Value) -> Value {
    if let Some(include) = one["include"].as_str() {
        return json!({"include": include.strip_prefix('#').unwrap()});
    }
    if let (Some(begin), Some(end)) = (one["begin"].as_str(), one["end"].as_str()) {
        let inside = json!([{"meta_scope": one["name"]}, {"match": end, "pop": true}]);
        return json!({"match": begin, "push": inside});
    }
    let mut out = json!({"match": one["match"].as_str().unwrap()});
    if let Some(name) = one.get("name") {
        out["scope"] = name.clone();
    }
    if let Some(captures) = one["captures"].as_object() {
        // Numbers, not texts, are the keys there.
        let scopes: Vec<Value> = captures.values().map(|capture| capture["name"].clone()).collect();
        assert!(captures.keys().enumerate().all(|(at, key)| *key == (at + 1).to_string()));
        out["captures"] = scopes.into();
    }
    out
}

/// YAML of a converted grammar: JSON, but for the numbers of captures.
fn yaml(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("[{}]", list.iter().map(yaml).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let entry = |(key, value): (&String, &Value)| match (key.as_str(), value) {
                ("captures", Value::Array(scopes)) => {
                    let numbered = scopes.iter().enumerate();
                    let numbered = numbered.map(|(at, scope)| format!("{}: {scope}", at + 1));
                    format!("captures: {{{}}}", numbered.collect::<Vec<_>>().join(", "))
                }
                _ => format!("{key}: {}", yaml(value)),
            };
            format!("{{{}}}", map.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

fn syntaxes() -> SyntaxSet {
    let text = format!("%YAML 1.2\n---\n{}\n", yaml(&converted(&grammar())));
    let definition = SyntaxDefinition::load_from_str(&text, true, None).unwrap();
    let mut builder = SyntaxSetBuilder::new();
    builder.add(definition);
    builder.build()
}

/// For every byte of a text the innermost scope of the grammar, without the language's name.
fn scopes(syntaxes: &SyntaxSet, text: &str) -> Vec<String> {
    let mut state = ParseState::new(syntaxes.find_syntax_by_extension("sq").unwrap());
    let mut stack = ScopeStack::new();
    let mut out = vec![String::new(); text.len()];
    let mut base = 0;
    for line in text.split_inclusive('\n') {
        let mut from = 0;
        for (at, change) in state.parse_line(line, syntaxes).unwrap() {
            fill(&mut out[base + from..base + at], &stack);
            from = at;
            stack.apply(&change).unwrap();
        }
        fill(&mut out[base + from..base + line.len()], &stack);
        base += line.len();
    }
    out
}

fn fill(out: &mut [String], stack: &ScopeStack) {
    let innermost = stack.as_slice().last().map(|scope| scope.build_string()).unwrap_or_default();
    let scope = innermost.trim_end_matches(".serq").to_owned();
    out.fill(scope);
}

/// Whether a scope is one that words of the language have.
fn is_of_language(scope: &str) -> bool {
    ["keyword", "storage", "constant.language", "variable.language"]
        .iter()
        .any(|kind| scope.starts_with(kind))
}

#[test]
fn every_program_is_coloured_as_the_compiler_reads_it() {
    let syntaxes = syntaxes();
    let keywords = syntax::keywords();
    for (path, text) in programs() {
        let scopes = scopes(&syntaxes, &text);
        let file = syntax::parse(Default::default(), &text).unwrap();
        let place =
            |at: usize| format!("{}:{}", path.display(), text[..at].matches('\n').count() + 1);
        let mut commented = vec![false; text.len()];
        for comment in &file.comments {
            commented[comment.span.start as usize..comment.span.end as usize].fill(true);
        }
        for at in (0..text.len()).filter(|at| !text.as_bytes()[*at].is_ascii_whitespace()) {
            assert_eq!(scopes[at].starts_with("comment"), commented[at], "{}", place(at));
        }
        for (start, end) in syntax::words(&text) {
            let (start, end) = (start as usize, end as usize);
            let (word, scope) = (&text[start..end], &scopes[start]);
            assert!(scopes[start..end].iter().all(|one| one == scope), "{}: {word}", place(start));
            let known = keywords.contains(word);
            assert!(known || !is_of_language(scope), "{}: {word} is {scope}", place(start));
            // A name may be such a word only where a declaration or a `.` says that it is a name.
            let named = ["variable.other", "entity.name", "support"];
            let is_name = named.iter().any(|kind| scope.starts_with(kind));
            assert!(
                !known || is_of_language(scope) || is_name,
                "{}: {word} is {scope}",
                place(start)
            );
        }
    }
}

#[test]
fn every_word_has_a_colour() {
    let syntaxes = syntaxes();
    for word in syntax::keywords() {
        let scopes = scopes(&syntaxes, &format!("({word})\n"));
        assert!(is_of_language(&scopes[1]), "{word} is {}", scopes[1]);
        assert!(scopes[1..=word.len()].iter().all(|scope| *scope == scopes[1]), "{word}");
    }
    for word in ["letx", "xlet", "_run", "été", "runs"] {
        let scopes = scopes(&syntaxes, &format!("({word})\n"));
        assert!(!scopes[1..=word.len()].iter().any(|scope| is_of_language(scope)), "{word}");
    }
}

#[test]
fn the_names_of_the_language_are_coloured_as_such() {
    let syntaxes = syntaxes();
    let coloured = |text: &str, at: usize| scopes(&syntaxes, text)[at].clone();
    let keywords = syntax::keywords();
    for word in WORDS {
        let (text, at, scope) = match word.kind {
            Kind::Function => (format!("{} (x)\n", word.name), 0, "support.function"),
            Kind::Distribution => {
                (format!("~{}(x)\n", word.name), 1, "support.function.distribution")
            }
            Kind::BuiltIn | Kind::OfMoment if !keywords.contains(word.name) => {
                (format!("{} + 1\n", word.name), 0, "support.variable")
            }
            _ => continue,
        };
        assert_eq!(coloured(&text, at), scope, "{}", word.name);
    }
    let grammar = grammar();
    let listed = |part: &str, at: usize| -> BTreeSet<String> {
        let text = grammar["repository"][part]["patterns"][at]["match"].as_str().unwrap();
        let (_, list) = text.split_once("(?:").unwrap();
        list.split_once(')').unwrap().0.split('|').map(str::to_owned).collect()
    };
    let of = |kinds: &[Kind]| -> BTreeSet<String> {
        let words = WORDS.iter().filter(|word| kinds.contains(&word.kind));
        words.map(|word| word.name.to_owned()).filter(|word| word != "admission").collect()
    };
    assert_eq!(listed("functions", 0), of(&[Kind::Function]));
    assert_eq!(listed("names", 0), of(&[Kind::BuiltIn, Kind::OfMoment]));
}

#[test]
fn numbers_and_strings() {
    let syntaxes = syntaxes();
    for number in ["16", "0.6", "2e-5", "1_000", "5.", ".5", "1e3"] {
        let scopes = scopes(&syntaxes, &format!("({number})\n"));
        assert!(scopes[1..=number.len()].iter().all(|one| one == "constant.numeric"), "{number}");
    }
    let scopes = scopes(&syntaxes, "use \"a // b.sq\"; x1\n");
    assert!(scopes[4..=14].iter().all(|one| one == "string.quoted.double"), "{scopes:?}");
    assert!(!scopes[18].starts_with("constant"), "{scopes:?}");
}
