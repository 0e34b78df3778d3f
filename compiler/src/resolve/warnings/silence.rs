//! How a program says that it means what looks wrong: a comment `// serqc: allow S200`.
//!
//! It names one code or several. Behind code it is about that line, on a line of its own about the
//! next line with code, and before the first item of a file about the whole file. It silences
//! warnings here and, by the program's `quiet`, notes of the report; errors it never silences.

use std::collections::BTreeSet;

use crate::diag::{Diagnostic, Severity};
use crate::ir::{SiteId, StmtKind, visit};
use crate::resolve::context::Resolver;
use crate::span::{FileId, SourceMap, Span};
use crate::syntax::ast::Comment;

/// Notes that a report makes, by what they are about.
const OF_OBSERVATIONS: &str = "S210";
const OF_WORK: &str = "S211";
const OF_QUEUES: [&str; 2] = ["S212", "S215"];

/// What one comment allows.
struct Allowed<'a> {
    file: FileId,
    /// The line it is about; `None` for the whole file.
    line: Option<usize>,
    codes: Vec<&'a str>,
}

/// Where the lines of every file end, by [`FileId`].
struct Lines(Vec<Vec<usize>>);

impl Lines {
    fn of(sources: &SourceMap) -> Self {
        Lines(sources.files.iter().map(|file| line_ends(&file.text)).collect())
    }

    /// The line on which a span begins, from 1.
    fn line(&self, span: Span) -> usize {
        1 + self.0[span.file.0 as usize].partition_point(|end| *end < span.start as usize)
    }
}

fn line_ends(text: &str) -> Vec<usize> {
    text.match_indices('\n').map(|(at, _)| at).collect()
}

impl Resolver<'_> {
    /// Takes out the warnings that the source allows, and notes which notes it allows.
    pub(super) fn silence(&mut self) {
        let lines = Lines::of(&self.sources);
        let allowed = self.allowances(&lines);
        if allowed.is_empty() {
            return;
        }
        let says = |code: &str, span: Span| {
            let mut about =
                allowed.iter().filter(|a| a.file == span.file && a.codes.contains(&code));
            about.any(|a| a.line.is_none_or(|line| line == lines.line(span)))
        };
        let silenced =
            |d: &Diagnostic| d.severity == Severity::Warning && says(d.code, d.primary.span);
        let kept = self.diagnostics.iter().filter(|d| !silenced(d)).cloned().collect();
        let quiet = self.quiet(&says, &lines);
        self.diagnostics = kept;
        self.program.quiet = quiet;
    }

    fn allowances(&self, lines: &Lines) -> Vec<Allowed<'_>> {
        let mut found = Vec::new();
        for (index, file) in self.files.iter().enumerate() {
            let text = &self.sources.files[index].text;
            let first = file.items.first().map_or(0, |item| item.span.start);
            for (at, comment) in file.comments.iter().enumerate() {
                let codes = codes(&comment.text);
                if !codes.is_empty() {
                    let inside = comment.span.start >= first;
                    let line = inside.then(|| lines.line(about(text, &file.comments[at..])));
                    found.push(Allowed { file: FileId(index as u32), line, codes });
                }
            }
        }
        found
    }

    /// The notes that reports leave out.
    fn quiet(&self, says: &dyn Fn(&str, Span) -> bool, lines: &Lines) -> Vec<(String, String)> {
        let mut quiet = BTreeSet::new();
        let span = |site: SiteId| self.program.sites[site.index()].span;
        let workload = &self.program.workload;
        for block in [&workload.init, &workload.turn, &self.program.session] {
            visit::stmts(block, &mut |stmt| match &stmt.kind {
                StmtKind::Observe { observe, .. } if says(OF_OBSERVATIONS, span(stmt.site)) => {
                    let name = &self.program.observes[observe.index()].name;
                    quiet.insert((OF_OBSERVATIONS.to_owned(), name.clone()));
                }
                StmtKind::Run { work, .. } | StmtKind::Fan { work, .. }
                    if says(OF_WORK, span(work.site)) =>
                {
                    let work = span(work.site);
                    let file = &self.sources.file(work.file).name;
                    let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
                    quiet.insert((OF_WORK.to_owned(), format!("{file}:{}", lines.line(work))));
                }
                _ => {}
            });
        }
        let pools = self.program.pools.iter().map(|pool| (&pool.name, pool.span));
        let stages = self.program.stages.iter().map(|stage| (&stage.name, stage.span));
        for (name, span) in pools.chain(stages) {
            let codes = OF_QUEUES.iter().filter(|code| says(code, span));
            quiet.extend(codes.map(|code| ((*code).to_owned(), name.clone())));
        }
        quiet.into_iter().collect()
    }
}

/// The codes of `serqc: allow S200, S201`, whatever is said behind them.
fn codes(comment: &str) -> Vec<&str> {
    let words = comment.trim_start().strip_prefix("serqc:").map(str::trim_start);
    let Some(words) = words.and_then(|words| words.strip_prefix("allow ")) else {
        return Vec::new();
    };
    let is_code = |word: &&str| {
        word.len() == 4 && word.starts_with('S') && word[1..].bytes().all(|b| b.is_ascii_digit())
    };
    let split = |c: char| c.is_whitespace() || matches!(c, ',' | ':' | ';' | '.');
    words.split(split).filter(|word| !word.is_empty()).take_while(is_code).collect()
}

/// The code that the first comment is about: what stands before it on its line, or what comes next.
fn about(text: &str, comments: &[Comment]) -> Span {
    let own = comments[0].span;
    let line = text[..own.start as usize].rfind('\n').map_or(0, |newline| newline + 1);
    if !text[line..own.start as usize].trim().is_empty() {
        return own;
    }
    let mut at = own.end as usize;
    for comment in &comments[1..] {
        if !text[at..comment.span.start as usize].trim().is_empty() {
            break;
        }
        at = comment.span.end as usize;
    }
    at += text[at..].len() - text[at..].trim_start().len();
    Span { file: own.file, start: at as u32, end: at as u32 }
}

#[cfg(test)]
mod tests {
    use super::codes;

    #[test]
    fn a_comment_names_codes_and_may_say_why() {
        assert_eq!(codes(" serqc: allow S200"), ["S200"]);
        assert_eq!(codes("serqc: allow S200, S201: the tier of a later variant"), ["S200", "S201"]);
        assert_eq!(codes("serqc: allow everything"), [""; 0]);
        assert_eq!(codes("we allow S200"), [""; 0]);
    }
}
