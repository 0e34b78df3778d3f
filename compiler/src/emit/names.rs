//! Names in the emitted crate: the program's own, in Rust's cases, made once and never twice.

use proc_macro2::{Ident, Span};
use std::collections::HashSet;

/// Words that cannot be identifiers.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Words of a program's name: `max_seqsP` is `max`, `seqs`, `p`; letters outside ASCII by code point.
fn words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut lower_before = false;
    for c in name.chars() {
        if c == '_' || c == '.' {
            out.push(std::mem::take(&mut word));
            lower_before = false;
            continue;
        }
        if c.is_ascii_uppercase() && lower_before {
            out.push(std::mem::take(&mut word));
        }
        lower_before = c.is_ascii_lowercase() || c.is_ascii_digit();
        if c.is_ascii() {
            word.push(c.to_ascii_lowercase());
        } else {
            word.push_str(&format!("u{:x}", c as u32));
        }
    }
    out.push(word);
    out.retain(|w| !w.is_empty());
    out
}

/// An identifier; `letter` leads where a name has none to begin with.
fn legal(mut name: String, letter: char) -> String {
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, letter);
    }
    if KEYWORDS.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// `d_kv`
pub fn snake(name: &str) -> String {
    legal(words(name).join("_"), 'x')
}

/// `DKv`
pub fn pascal(name: &str) -> String {
    let cap = |w: &String| {
        let mut c = w.chars();
        c.next().map_or(String::new(), |f| f.to_ascii_uppercase().to_string() + c.as_str())
    };
    let name: String = words(name).iter().map(cap).collect();
    legal(if name == "Self" { "SelfQueue".into() } else { name }, 'X')
}

/// `D_KV`
pub fn screaming(name: &str) -> String {
    legal(words(name).join("_").to_uppercase(), 'X')
}

/// Names that emitted function bodies use, so that no variable of the program may shadow them.
const LOCALS: &[&str] = &[
    "s",
    "k",
    "p",
    "at",
    "it",
    "amount",
    "attrs",
    "best",
    "budget_left",
    "cached_in",
    "count",
    "cv2",
    "dirty",
    "add_segment",
    "drop_prefix",
    "leased_in",
    "stage_up",
    "unguard",
    "ds",
    "end_session",
    "book_leg",
    "end_booking",
    "end_leg",
    "fork_leg",
    "open_booking",
    "est_lambda",
    "est_rho",
    "est_wait",
    "go_on",
    "greatest",
    "grow",
    "growing",
    "guard",
    "header",
    "hi",
    "hit",
    "holds",
    "index",
    "kv_decode",
    "kv_prefill",
    "join",
    "legs_joined",
    "keys",
    "kept",
    "kept_choice",
    "kept_choice_for",
    "least",
    "leave",
    "less",
    "lo",
    "load",
    "mean",
    "member",
    "next_turn",
    "pool",
    "pools",
    "present",
    "price",
    "release",
    "reserve",
    "resident",
    "run_flow",
    "run_growing",
    "run_on",
    "so_far",
    "stage",
    "stage_busy",
    "stage_queue",
    "stage_work",
    "stages",
    "total",
    "totals",
    "units",
    "value",
    "view",
    "waited",
    "work",
    "check",
];

/// A variable of a function body: `hit_d`; `work` becomes `its_work`.
pub fn local(name: &str) -> String {
    let name = snake(name);
    if LOCALS.contains(&name.as_str()) { format!("its_{name}") } else { name }
}

/// One namespace of the emitted crate.
pub struct Namespace(HashSet<String>);

impl Namespace {
    /// With names that are taken from the start.
    pub fn with(taken: &[&str]) -> Self {
        Namespace(taken.iter().map(|s| s.to_string()).collect())
    }
    /// An identifier of that name, with `_2` and so on behind it when it is taken.
    pub fn ident(&mut self, name: String) -> Ident {
        let before = if name.ends_with('_') { "" } else { "_" };
        self.numbered(name, before)
    }
    /// The same for a type: `P`, `P2`.
    pub fn type_ident(&mut self, name: String) -> Ident {
        self.numbered(name, "")
    }
    fn numbered(&mut self, name: String, before: &str) -> Ident {
        let mut unique = name.clone();
        let mut n = 2;
        while !self.0.insert(unique.clone()) {
            unique = format!("{name}{before}{n}");
            n += 1;
        }
        Ident::new(&unique, Span::call_site())
    }
}
