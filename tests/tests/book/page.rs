//! A page of the book: its fenced blocks, its headings' anchors and its links, each with the line where it stands.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use serq_tests::compile::project;
use std::{collections::HashSet, fs, ops::Range};

/// A markdown file.
pub struct Page {
    /// Its path below the project, with `/`.
    pub path: String,
    pub text: String,
    pub blocks: Vec<Block>,
    /// What links may name behind `#`.
    pub anchors: HashSet<String>,
    /// Line and target.
    pub links: Vec<(usize, String)>,
}

/// A fenced block of code.
pub struct Block {
    /// What stands behind the fence.
    pub info: String,
    /// The line of the fence, from 1; the first line of the content is the next.
    pub line: usize,
    /// The content's bytes in the page.
    pub content: Range<usize>,
}

impl Page {
    /// Reads the page at a path below the project.
    pub fn read(path: &str) -> Page {
        let text = fs::read_to_string(project().join(path));
        Page::of(path, text.unwrap_or_else(|error| panic!("{path}: {error}")))
    }

    /// Takes a text apart.
    pub fn of(path: &str, text: String) -> Page {
        let (mut blocks, mut links) = (Vec::new(), Vec::new());
        let mut anchors = HashSet::new();
        let mut heading: Option<String> = None;
        let line = |at: usize| text[..at].matches('\n').count() + 1;
        for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => blocks.push(Block {
                    info: info.into_string(),
                    line: line(range.start),
                    content: content(&text, range),
                }),
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    links.push((line(range.start), dest_url.into_string()));
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    add_anchor(&mut anchors, &heading.take().unwrap_or_default());
                }
                Event::Text(words) | Event::Code(words) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&words);
                    }
                }
                _ => {}
            }
        }
        Page { path: path.to_owned(), blocks, anchors, links, text }
    }

    /// The content of a block.
    pub fn content(&self, block: &Block) -> &str {
        &self.text[block.content.clone()]
    }
}

/// The bytes between the fences of the block at `range`.
fn content(text: &str, range: Range<usize>) -> Range<usize> {
    let block = text[range.clone()].trim_end();
    let start = block.find('\n').map_or(block.len(), |at| at + 1);
    let end = block.rfind('\n').map_or(start, |at| (at + 1).max(start));
    range.start + start..range.start + end
}

/// As mdBook and GitHub do: lower case, spaces to `-`, punctuation away; a second of one name gets a number.
fn add_anchor(anchors: &mut HashSet<String>, heading: &str) {
    let kept = |c: char| match c {
        c if c.is_whitespace() => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
        _ => None,
    };
    let base: String = heading.trim().to_lowercase().chars().filter_map(kept).collect();
    let more = (1..).map(|n| format!("{base}-{n}"));
    let free = std::iter::once(base.clone()).chain(more).find(|name| !anchors.contains(name));
    anchors.extend(free);
}

/// Every page: those below `docs/`, and the README.
pub fn all() -> Vec<String> {
    fn walk(folder: &str, found: &mut Vec<String>) {
        let Ok(entries) = fs::read_dir(project().join(folder)) else { return };
        for entry in entries.flatten() {
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            match entry.path().is_dir() {
                true if path.ends_with("/node_modules") => {}
                true => walk(&path, found),
                false if path.ends_with(".md") => found.push(path),
                false => {}
            }
        }
    }
    let mut found = vec!["README.md".to_owned()];
    walk("docs", &mut found);
    found.sort();
    found
}
