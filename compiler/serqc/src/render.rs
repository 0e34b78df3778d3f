//! Everything that is said to the user on standard error.
//!
//! In: diagnostics as data and errors of the world outside. Out: rustc's own layout, through
//! annotate-snippets, in colour only on a terminal that wants it. Nothing of a source file or of
//! another program reaches the terminal as a control sequence.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use serq_compiler::diag::{Diagnostic, Label, Severity};
use serq_compiler::span::{FileId, SourceMap};

use crate::excerpt::excerpts;
use crate::failure::{Failure, Outside};

/// The most diagnostics that are printed in full.
const MOST: usize = 100;

/// Standard error as this run of the command uses it.
#[derive(Debug)]
pub struct Screen {
    renderer: Renderer,
    terminal: bool,
    /// The pages of `serqc explain` were pointed to.
    pointed: AtomicBool,
}

impl Default for Screen {
    fn default() -> Self {
        Self::new()
    }
}

impl Screen {
    /// Looks at standard error and at the environment.
    pub fn new() -> Self {
        let terminal = std::io::stderr().is_terminal();
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let colour = terminal && !set("NO_COLOR") && !dumb;
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        Screen { renderer, terminal, pointed: AtomicBool::new(false) }
    }

    /// Shows for the moment what goes on, if a person watches.
    pub fn status(&self, line: &str) {
        if self.terminal && !line.is_empty() {
            let line: String = printable(line).chars().take(78).collect();
            let _ = write!(std::io::stderr(), "\r\x1b[2K{line}");
        }
    }

    /// Takes back what [`status`](Self::status) shows.
    pub fn clear_status(&self) {
        if self.terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }

    /// Says a line.
    pub fn say(&self, line: &str) {
        // A closed standard error is no reason to stop.
        let _ = writeln!(std::io::stderr(), "{line}");
    }

    /// Says why a command stopped.
    pub fn failure(&self, failure: &Failure) {
        match failure {
            Failure::Program { file, sources, diagnostics } => {
                self.diagnostics(sources, diagnostics);
                self.say(&self.renderer.render(&[Group::with_title(
                    Level::ERROR.primary_title(format!(
                        "`{}` has {}",
                        printable(file),
                        count(diagnostics)
                    )),
                )]));
                self.point_to_pages(diagnostics);
            }
            Failure::Outside(outside) => self.outside(outside),
        }
    }

    /// Says all diagnostics, in order, errors and warnings.
    pub fn diagnostics(&self, sources: &SourceMap, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics.iter().take(MOST) {
            self.say(&self.diagnostic(sources, diagnostic));
            self.say("");
        }
        if diagnostics.len() > MOST {
            self.say(&format!("… and {} more\n", diagnostics.len() - MOST));
        }
    }

    /// Says, once in a run of the command, where more is written about these.
    pub fn point_to_pages(&self, diagnostics: &[Diagnostic]) {
        let mut codes: Vec<&str> = Vec::new();
        for diagnostic in diagnostics.iter().take(MOST) {
            if !codes.contains(&diagnostic.code) {
                codes.push(diagnostic.code);
            }
        }
        let Some(first) = codes.first() else { return };
        if self.pointed.swap(true, Ordering::Relaxed) {
            return;
        }
        match codes.len() {
            1 => self.say(&format!("`serqc explain {first}` says more.")),
            _ => self.say(&format!("`serqc explain {first}` says more, and so on for each code.")),
        }
    }

    /// One diagnostic as text, without a final newline.
    ///
    /// The renderer counts columns in the excerpts that it is given; for a line that lacks its
    /// beginning the column is put right in what it made.
    pub fn diagnostic(&self, sources: &SourceMap, diagnostic: &Diagnostic) -> String {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let labels: Vec<&Label> =
            std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary).collect();
        let places = Places::of(sources, &labels);
        let mut group = level
            .primary_title(printable(&diagnostic.message))
            .id(diagnostic.code)
            .elements(places.snippets);
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(printable(help)));
        }
        let mut text = self.renderer.render(&[group]);
        for (wrong, right) in places.columns {
            for end in ['\n', '\x1b'] {
                text = text.replacen(&format!("{wrong}{end}"), &format!("{right}{end}"), 1);
            }
        }
        text
    }

    /// Says what is in the way outside of any source file.
    fn outside(&self, outside: &Outside) {
        let mut group = Group::with_title(
            Level::ERROR.primary_title(printable(&outside.message)).id(outside.code),
        );
        if let Some(help) = &outside.help {
            group = group.element(Level::HELP.message(printable(help)));
        }
        if let Some(output) = &outside.output {
            self.say(&printable_lines(output));
        }
        self.say(&self.renderer.render(&[group]));
    }
}

/// What a diagnostic shows of the sources.
struct Places<'a> {
    /// File by file, the primary label's first.
    snippets: Vec<Snippet<'a, Annotation<'a>>>,
    /// `file:line:column` as the renderer will say it, and as it should be.
    columns: Vec<(String, String)>,
}

impl<'a> Places<'a> {
    fn of(sources: &'a SourceMap, labels: &[&'a Label]) -> Self {
        let mut places = Places { snippets: Vec::new(), columns: Vec::new() };
        let mut seen: Vec<FileId> = Vec::new();
        for label in labels {
            let file = label.span.file;
            if !seen.contains(&file) && (file.0 as usize) < sources.files.len() {
                seen.push(file);
                places.add_file(sources, file, labels);
            }
        }
        places
    }

    /// Adds the labels of one file; the first of all labels is the primary one.
    fn add_file(&mut self, sources: &'a SourceMap, file: FileId, labels: &[&'a Label]) {
        let source = sources.file(file);
        let name = printable(&source.name);
        let here: Vec<(bool, &Label)> = labels
            .iter()
            .enumerate()
            .filter(|(_, label)| label.span.file == file)
            .map(|(index, label)| (index == 0, *label))
            .collect();
        let ranges: Vec<_> = here
            .iter()
            .map(|(_, label)| label.span.start as usize..label.span.end as usize)
            .collect();
        for excerpt in excerpts(&source.text, &ranges) {
            if excerpt.shifted {
                for (index, range) in &excerpt.labels {
                    let (line, column) = sources.line_col(here[*index].1.span);
                    let shown = excerpt.text[..range.start].chars().rev();
                    let shown = 1 + shown.take_while(|c| *c != '\n').count();
                    let at = |column| format!("{name}:{line}:{column}");
                    self.columns.push((at(shown), at(column as usize)));
                }
            }
            let annotations = excerpt.labels.into_iter().map(|(index, range)| {
                let (primary, label) = here[index];
                let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
                let text = Some(printable(&label.text)).filter(|text| !text.is_empty());
                kind.span(range).label(text)
            });
            self.snippets.push(
                Snippet::source(excerpt.text)
                    .line_start(excerpt.first_line)
                    .path(name.clone())
                    .annotations(annotations),
            );
        }
    }
}

/// `2 errors and 1 warning`
fn count(diagnostics: &[Diagnostic]) -> String {
    let of = |severity, name: &str| match diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == severity)
        .count()
    {
        0 => None,
        1 => Some(format!("1 {name}")),
        n => Some(format!("{n} {name}s")),
    };
    let parts: Vec<_> = [of(Severity::Error, "error"), of(Severity::Warning, "warning")]
        .into_iter()
        .flatten()
        .collect();
    parts.join(" and ")
}

/// Text that cannot move a terminal's cursor: control characters are written as escapes.
fn printable(text: &str) -> Cow<'_, str> {
    let unsafe_there = |c: char| c.is_control() && c != '\n';
    if !text.contains(unsafe_there) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().fold(String::new(), |mut out, c| {
        if unsafe_there(c) {
            out.extend(c.escape_default())
        } else {
            out.push(c)
        }
        out
    }))
}

/// [`printable`] for another program's output, tabs kept.
fn printable_lines(text: &str) -> String {
    let lines: Vec<_> = text
        .trim_end()
        .lines()
        .map(|line| line.split('\t').map(printable).collect::<Vec<_>>().join("\t"))
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serq_compiler::span::Span;

    fn render(text: &str, start: u32, end: u32) -> String {
        let mut sources = SourceMap::default();
        let file = sources.add("a.sq", text);
        let diagnostic = Diagnostic::error("S042", Span { file, start, end }, "no such name `x`")
            .label("here")
            .help("declare it");
        let renderer = Renderer::plain();
        Screen { renderer, terminal: false, pointed: AtomicBool::new(false) }
            .diagnostic(&sources, &diagnostic)
    }

    #[test]
    fn the_layout_is_rustcs() {
        let expected = "\
error[S042]: no such name `x`
 --> a.sq:2:9
  |
2 | let b = x;
  |         ^ here
  |
  = help: declare it";
        assert_eq!(render("let a = 1;\nlet b = x;\n", 19, 20), expected);
    }

    #[test]
    fn a_place_at_the_end_of_the_file_is_shown() {
        let out = render("let a = 1;\n", 11, 11);
        assert!(out.contains("a.sq:2:1"), "{out}");
        let out = render("let a", 5, 5);
        assert!(out.contains("a.sq:1:6"), "{out}");
    }

    #[test]
    fn no_control_sequence_of_the_source_is_printed() {
        let out = render("let \u{1b}[31m\rx = \u{7f}\u{200b}1;\n", 4, 10);
        assert!(!out.contains('\u{1b}') && !out.contains('\r'), "{out:?}");
    }

    #[test]
    fn odd_places_do_not_panic() {
        for (start, end) in [(0, 0), (0, 9999), (9999, 9999), (5, 2), (1, 3), (8, 9)] {
            for text in ["", "é", "a\n", "\r\n\r\n", "\ta\t\u{301}\u{1f600}\n\n\nb", "\n\n\n"] {
                render(text, start, end);
            }
        }
    }

    #[test]
    fn a_huge_line_prints_little() {
        let out = render(&"x".repeat(10_000_000), 5_000_000, 5_000_001);
        assert!(out.len() < 2000, "{}", out.len());
        assert!(out.contains("a.sq:1:5000001"), "{out}");
    }
}
