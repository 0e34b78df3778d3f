//! A page for every diagnostic: what it means, a wrong program and a right one.
//!
//! The pages are text files in `pages/`, by topic. A page begins with `== CODE title`, goes on with
//! its text and then with sections: `--- wrong [FRAME]` and `--- right [FRAME]` hold examples,
//! `--- file NAME` a file that the example above reads, `--- set NAME=EXPR` a setting that it is
//! compiled with. An example without a frame is a whole program; others stand in one ([`Frame`]).
//! `⟦…⟧` marks what the diagnostic points at and `⟨x×n⟩` is x, n times. A test compiles them all.

mod frame;
mod parse;

use std::sync::OnceLock;

pub use frame::Frame;

/// The files in the order of their codes' topics.
const FILES: &[&str] = &[
    include_str!("pages/syntax.txt"),
    include_str!("pages/files.txt"),
    include_str!("pages/names.txt"),
    include_str!("pages/defs.txt"),
    include_str!("pages/refs.txt"),
    include_str!("pages/moments.txt"),
    include_str!("pages/holds.txt"),
    include_str!("pages/legs.txt"),
    include_str!("pages/runs.txt"),
    include_str!("pages/queues.txt"),
    include_str!("pages/entries.txt"),
    include_str!("pages/sides.txt"),
    include_str!("pages/constants.txt"),
    include_str!("pages/warnings.txt"),
    include_str!("pages/faults.txt"),
    include_str!("pages/command.txt"),
];

/// What there is to say about one code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// `S` and three digits.
    pub code: &'static str,
    /// What it is about, in one line.
    pub title: &'static str,
    /// What it means and what to do; may be empty where the title says it all.
    pub text: String,
    /// A program that gives the code; `None` where no program can.
    pub wrong: Option<Example>,
    /// The same put right.
    pub right: Option<Example>,
}

/// A program, or a piece of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// Where it stands.
    pub frame: Frame,
    /// As in the file: with marks, and with repetitions not spelled out.
    pub source: String,
    /// Name and text of the files that it reads.
    pub files: Vec<(&'static str, String)>,
    /// Settings, as `--set` takes them.
    pub sets: Vec<(&'static str, &'static str)>,
}

/// Every page, by code.
pub fn pages() -> &'static [Page] {
    static PAGES: OnceLock<Vec<Page>> = OnceLock::new();
    PAGES.get_or_init(|| {
        let mut pages: Vec<Page> = FILES.iter().flat_map(|file| parse::pages(file)).collect();
        pages.sort_by_key(|page| page.code);
        pages
    })
}

/// The page of a code.
pub fn page(code: &str) -> Option<&'static Page> {
    pages().iter().find(|page| page.code.eq_ignore_ascii_case(code))
}

/// The pages whose codes are most like something that is none: of one digit's difference, or else
/// the two around its number; nothing for what looks like no code at all.
pub fn nearest(code: &str) -> Vec<&'static Page> {
    let digits = code.strip_prefix(['S', 's']).unwrap_or(code);
    let Ok(number) = digits.parse::<u16>() else { return Vec::new() };
    if let Some(page) = page(&format!("S{number:03}")) {
        return vec![page];
    }
    let wanted = format!("S{number:03}");
    let above = pages().partition_point(|page| page.code < wanted.as_str());
    let (before, after) = pages().split_at(above);
    before.last().into_iter().chain(after.first()).collect()
}

impl Example {
    /// The whole program, and the bytes of it that the diagnostic points at, if they are marked.
    pub fn program(&self) -> (String, Option<(usize, usize)>) {
        let whole = parse::spelled_out(&self.frame.around(&self.source));
        let place = whole.find('⟦').zip(whole.find('⟧'));
        let place = place.map(|(open, close)| (open, close - '⟦'.len_utf8()));
        (unmarked(&whole), place)
    }

    /// Where it stands, as it goes on behind "wrong" and "right"; empty for a whole program.
    pub fn place(&self) -> &'static str {
        self.frame.place()
    }

    /// What a reader should know of the rest of the program, if it is a piece of one.
    pub fn told(&self) -> Option<&'static str> {
        self.frame.told()
    }

    /// As a reader sees it.
    pub fn shown(&self) -> String {
        let mut out = unmarked(&self.source);
        for (name, text) in &self.files {
            out += &format!("\n// the file {name}:\n{text}");
        }
        for (name, value) in &self.sets {
            out += &format!("\n// with --set {name}={value}");
        }
        out
    }
}

fn unmarked(text: &str) -> String {
    text.replace(['⟦', '⟧'], "")
}

impl Page {
    /// The page as text, for a terminal.
    pub fn render(&self) -> String {
        let mut out = format!("{}: {}\n", self.code, self.title);
        if !self.text.is_empty() {
            out += &format!("\n{}\n", self.text);
        }
        for (word, example) in [("Wrong", &self.wrong), ("Right", &self.right)] {
            let Some(example) = example else { continue };
            out += &format!("\n{word}{}:\n\n", example.place());
            for line in example.shown().lines() {
                out += format!("    {line}").trim_end();
                out.push('\n');
            }
        }
        let frames = [&self.wrong, &self.right].map(|e| e.as_ref().and_then(Example::told));
        if let Some(told) = frames.into_iter().flatten().next() {
            out += &format!("\n{told}\n");
        }
        if self.wrong.as_ref().is_some_and(|e| e.source.contains('⟨')) {
            out += "\n⟨x×n⟩ is x, n times.\n";
        }
        out
    }
}
