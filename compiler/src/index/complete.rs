//! What may be written at a place.
//!
//! In: a program as it stands, mostly one that does not parse, and a byte of one of its files. Out:
//! the names and words that may go on there. A mark is put in the place of the name there, with
//! what could follow it, until the resolver meets the mark and says what it would accept
//! ([`crate::resolve`]); words come from what the grammar tries at the place.

use std::collections::{BTreeMap, BTreeSet};

use super::words::{WORDS, Word};
use super::{Index, Kind};
use crate::resolve::{LoadError, Loader, Pieces, candidates};
use crate::syntax;

/// Longest text that names are tried in; words are known in any.
const LONGEST: usize = 1 << 18;

/// What could follow the mark, so that the text parses: nothing; the end of a statement, of an
/// argument; the rest of a call, of a claim, of an assignment.
const TAILS: [&str; 12] =
    ["", ";", "(0);", ".x;", ".x(0);", " (0);", " (0) { }", " = 0;", " { }", ");", ") { }", " (0)"];

/// Something that may be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// What it is.
    pub kind: Kind,
    /// The name or word.
    pub name: String,
    /// What there is to say about it if the language brings it.
    pub word: Option<&'static Word>,
}

/// What may go on at byte `byte` of the file at `file`, a file of the program at `path`. `index` is
/// of the program as it last was.
pub fn complete(
    loader: &dyn Loader,
    path: &str,
    file: &str,
    byte: usize,
    index: &Index,
) -> Vec<Candidate> {
    let Ok(text) = loader.load(file) else { return Vec::new() };
    let Some(name) = syntax::name_around(&text, byte) else { return Vec::new() };
    let place =
        Place { loader, path, file, text: &text, name: name.start as usize..name.end as usize };
    let mut found: BTreeSet<(Kind, String)> = BTreeSet::new();
    // Behind a `.` stands a part of something, never a word.
    if !text[..place.name.start].trim_end().ends_with('.') {
        let words = syntax::words_at(&text, place.name.start);
        found.extend(words.into_iter().map(|word| (Kind::Keyword, word.to_owned())));
    }
    if text.len() <= LONGEST {
        found.extend(place.names(&known(&text, index)));
    }
    let made = found.into_iter().map(|(kind, name)| Candidate {
        word: super::words::word_of(kind, &name),
        kind,
        name,
    });
    made.collect()
}

/// Every name that may be a value somewhere in the program: what is known of it may be less than
/// what stands there by now.
fn known(text: &str, index: &Index) -> Vec<(String, Kind)> {
    let mut names: BTreeMap<String, Kind> = WORDS
        .iter()
        .filter(|Word { kind, .. }| matches!(kind, Kind::BuiltIn | Kind::OfMoment))
        .map(|word| (word.name.to_owned(), word.kind))
        .collect();
    for (start, end) in syntax::words(text) {
        let name = &text[start as usize..end as usize];
        names.entry(name.to_owned()).or_insert(Kind::Attribute);
    }
    for entity in &index.entities {
        // An entry's own attribute is `Q.name` in reports and `name` in the entry.
        let name = entity.name.rsplit('.').next().unwrap_or(&entity.name);
        names.insert(name.to_owned(), entity.kind);
    }
    names.into_iter().collect()
}

struct Place<'a> {
    loader: &'a dyn Loader,
    path: &'a str,
    file: &'a str,
    text: &'a str,
    /// The name that is there so far.
    name: std::ops::Range<usize>,
}

impl Place<'_> {
    /// The names that the resolver accepts there.
    fn names(&self, known: &[(String, Kind)]) -> BTreeSet<(Kind, String)> {
        let mut mark = "completes_here".to_owned();
        while self.text.contains(&mark) {
            mark.push('_');
        }
        let mut found = BTreeSet::new();
        let (before, after) = (&self.text[..self.name.start], &self.text[self.name.end..]);
        let next_line = &after[after.find('\n').unwrap_or(after.len())..];
        let closed = closing(before);
        let mut rests: Vec<&str> = vec![after, next_line];
        if next_line == after {
            rests.pop();
        }
        rests.push(&closed);
        for rest in rests {
            for tail in TAILS {
                let text = format!("{before}{mark}{tail}{rest}");
                let patched = Patched { inner: self.loader, path: self.file, text: &text };
                found.extend(candidates(&patched, self.path, &mark, known));
            }
            if !found.is_empty() {
                break;
            }
        }
        found
    }
}

/// What closes all that is open at the end of a text.
fn closing(text: &str) -> String {
    let mut open: Vec<char> = Vec::new();
    for c in syntax::brackets(text) {
        match c {
            '(' | '[' | '{' => open.push(c),
            _ => {
                open.pop();
            }
        }
    }
    let mut out = String::new();
    while let Some(c) = open.pop() {
        out.push_str(match c {
            '{' => " }",
            // A statement ends behind the outermost of its brackets.
            '(' if open.last().is_none_or(|around| *around == '{') => ");",
            '(' => ")",
            _ => "]",
        });
    }
    out
}

/// A loader with one file of another text.
struct Patched<'a> {
    inner: &'a dyn Loader,
    path: &'a str,
    text: &'a str,
}

impl Loader for Patched<'_> {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        if path == self.path { Ok(self.text.to_owned()) } else { self.inner.load(path) }
    }
    fn open(&self, path: &str) -> Result<Pieces, LoadError> {
        self.inner.open(path)
    }
    fn join(&self, base: &str, relative: &str) -> String {
        self.inner.join(base, relative)
    }
}
