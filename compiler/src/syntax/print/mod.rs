//! The printer. In: a tree, and for the formatter the text it was read from; out: text in the house
//! layout: two spaces of indent, a statement a line, short blocks on one line.
//!
//! Reading the result gives the same tree, and printing that the same text. With the source at hand
//! comments and single blank lines are kept, and a block stays on one line if its author wrote it
//! so. A comment inside a statement moves in front of it.

mod expr;
mod item;
mod queue;
mod stmt;

use super::ast::{Comment, File, Node};
use crate::diag::Diagnostic;
use crate::span::{FileId, Span};

/// Columns that a line may have where there is a choice.
const WIDTH: usize = 100;
/// Columns that a block may have to be put on one line when its author has not chosen.
const SHORT_WIDTH: usize = 80;
/// A line so much longer than the shortest beside it does not move their trailing comments.
const OUTLIER: usize = 12;

/// Writes a tree as text.
pub fn print(file: &File) -> String {
    let mut printer = Printer::new(None, &[]);
    for item in &file.items {
        printer.item(item);
    }
    printer.finish()
}

/// Lays a program out anew and keeps its comments.
///
/// # Errors
/// Its syntax errors; a program that does not parse is not laid out.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let file = super::parse(FileId(0), text)?;
    let mut printer = Printer::new(Some(text), &file.comments);
    for item in &file.items {
        printer.item(item);
    }
    printer.own_line_comments(u32::MAX);
    Ok(printer.finish())
}

/// A kind of node that stands on lines of its own.
trait Print {
    /// All of it on one line.
    fn one_line(&self) -> String;
    /// How many statements or options it holds if it holds blocks of nothing but those; `None` if
    /// it has no block of its own.
    fn parts(&self) -> Option<usize>;
    /// Without a block: its lines at this indent, more than one only if one would be too long.
    fn lines(&self, indent: usize) -> Vec<String> {
        let _ = indent;
        vec![self.one_line()]
    }
    /// With a block: over several lines.
    fn spread(&self, span: Span, printer: &mut Printer<'_>);
}

/// A line of output.
struct Line {
    blank_before: bool,
    indent: usize,
    code: String,
    /// Comments behind the code.
    comment: String,
}

/// Writes lines.
struct Printer<'a> {
    source: Option<&'a str>,
    /// Comments not written yet.
    comments: &'a [Comment],
    lines: Vec<Line>,
    indent: usize,
    /// Where in the source the last thing written ends.
    written: u32,
    /// Nothing is written yet in this block: no blank line here.
    fresh: bool,
    /// A blank line goes before the next line.
    blank: bool,
}

impl<'a> Printer<'a> {
    fn new(source: Option<&'a str>, comments: &'a [Comment]) -> Self {
        Printer {
            source,
            comments,
            lines: Vec::new(),
            indent: 0,
            written: 0,
            fresh: true,
            blank: false,
        }
    }

    /// A top-level item. Without a source, blank lines set off those of several lines.
    fn item(&mut self, item: &super::ast::Item) {
        let first = self.lines.len();
        self.node(item);
        if self.source.is_none() {
            let long = self.lines.len() - first > 1;
            if long && first > 0 {
                self.lines[first].blank_before = true;
            }
            self.blank = long;
        }
    }

    /// A node on lines of its own.
    fn node<K: Print>(&mut self, node: &Node<K>) {
        match node.kind.parts() {
            None => {
                let lines = node.kind.lines(self.columns());
                self.begin(node.span.start, node.span.end);
                self.write(lines, node.span.end);
            }
            Some(parts) => {
                let line = node.kind.one_line();
                if self.stays_on_one_line(node.span, parts, &line) {
                    self.begin(node.span.start, node.span.end);
                    self.write(vec![line], node.span.end);
                } else {
                    node.kind.spread(node.span, self);
                }
            }
        }
    }

    fn columns(&self) -> usize {
        2 * self.indent
    }

    fn stays_on_one_line(&self, span: Span, parts: usize, line: &str) -> bool {
        let width = self.columns() + line.chars().count();
        match self.source {
            Some(source) => {
                let next = self.comments.partition_point(|c| c.span.start < span.start);
                let commented = self.comments.get(next).is_some_and(|c| c.span.start < span.end);
                let text = source.get(span.start as usize..span.end as usize);
                width <= WIDTH && !commented && text.is_some_and(|text| !text.contains('\n'))
            }
            None => width <= SHORT_WIDTH && parts <= 3,
        }
    }

    /// Gets ready for something that stands at `start`: comments before `end` go first.
    fn begin(&mut self, start: u32, end: u32) {
        self.own_line_comments(end);
        self.gap(start);
    }

    /// Keeps a blank line that the source has before `start`.
    fn gap(&mut self, start: u32) {
        let Some(source) = self.source else { return };
        let between = source.get(self.written as usize..start as usize).unwrap_or("");
        self.blank = !self.fresh && between.matches('\n').count() > 1;
    }

    /// Writes the comments that begin before `end` on lines of their own.
    fn own_line_comments(&mut self, end: u32) {
        while let Some((comment, rest)) = self.comments.split_first() {
            if comment.span.start >= end {
                break;
            }
            self.comments = rest;
            self.gap(comment.span.start);
            let text = self.comment_text(comment);
            self.push(text);
            self.written = self.written.max(comment.span.end);
        }
    }

    fn comment_text(&self, comment: &Comment) -> String {
        let range = comment.span.start as usize..comment.span.end as usize;
        let text = self.source.and_then(|source| source.get(range)).unwrap_or("");
        text.trim_end().to_string()
    }

    fn push(&mut self, code: String) {
        let blank_before = std::mem::take(&mut self.blank) && !self.fresh;
        self.fresh = false;
        self.lines.push(Line {
            blank_before,
            indent: self.columns(),
            code,
            comment: String::new(),
        });
    }

    /// Writes lines of code that end at `end` in the source, with the comments behind them.
    fn write(&mut self, lines: Vec<String>, end: u32) {
        for line in lines {
            self.push(line);
        }
        self.written = end;
        let Some(source) = self.source else { return };
        while let Some((comment, rest)) = self.comments.split_first() {
            let between = source.get(self.written as usize..comment.span.start as usize);
            if between.is_none_or(|text| !text.trim().is_empty() || text.contains('\n')) {
                break;
            }
            self.comments = rest;
            let text = self.comment_text(comment);
            if let Some(line) = self.lines.last_mut() {
                if !line.comment.is_empty() {
                    line.comment.push(' ');
                }
                line.comment.push_str(&text);
            }
            self.written = comment.span.end;
        }
    }

    /// Writes the head of a block; `brace` is where its `{` stands.
    fn open(&mut self, start: u32, head: Vec<String>, brace: u32) {
        self.begin(start, brace);
        self.write(head, brace + 1);
        self.indent += 1;
        self.fresh = true;
        self.blank = false;
    }

    /// Writes the end of a block; comments before `before` still belong inside.
    fn close(&mut self, tail: String, before: u32, end: u32) {
        self.own_line_comments(before);
        self.indent -= 1;
        self.fresh = true; // no blank line before a closing brace
        self.write(vec![tail], end);
    }

    /// A block's end and another's head on one line, as in `} else {`.
    fn reopen(&mut self, tail: String, brace: u32) {
        self.close(tail, brace, brace + 1);
        self.indent += 1;
        self.fresh = true;
    }

    /// Where the next `{` behind `from` stands that is not in a comment.
    fn brace_after(&self, from: u32) -> u32 {
        let Some(source) = self.source else { return from };
        let mut at = from;
        while let Some(next) = source.get(at as usize..).and_then(|text| text.find('{')) {
            at += next as u32;
            match self.comments.iter().find(|c| c.span.start <= at && at < c.span.end) {
                Some(comment) => at = comment.span.end,
                None => return at,
            }
        }
        from
    }

    /// The lines as text.
    fn finish(self) -> String {
        let mut out = String::new();
        let columns = comment_columns(&self.lines);
        for (line, column) in self.lines.iter().zip(columns) {
            if line.blank_before {
                out.push('\n');
            }
            let width = line.indent + line.code.chars().count();
            out.extend(std::iter::repeat_n(' ', line.indent));
            out.push_str(&line.code);
            if !line.comment.is_empty() {
                out.extend(std::iter::repeat_n(' ', column.max(width + 2) - width));
                out.push_str(&line.comment);
            }
            out.push('\n');
        }
        out
    }
}

/// The column of each line's trailing comment: one for a run of lines that have one.
fn comment_columns(lines: &[Line]) -> Vec<usize> {
    let width = |line: &Line| line.indent + line.code.chars().count() + 2;
    let mut columns = Vec::with_capacity(lines.len());
    while let Some(first) = lines.get(columns.len()) {
        let joins = |line: &&Line| {
            let apart = line.blank_before && !std::ptr::eq(*line, first);
            !line.comment.is_empty() && line.indent == first.indent && !apart
        };
        let run = || lines[columns.len()..].iter().take_while(joins);
        let least = run().map(width).min().unwrap_or(0);
        let column = run().map(width).filter(|w| *w <= least + OUTLIER).max().unwrap_or(0);
        let end = columns.len() + run().count().max(1);
        columns.resize(end, column);
    }
    columns
}
