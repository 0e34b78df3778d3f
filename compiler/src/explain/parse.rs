//! Reads the files of pages. They are part of the compiler, so what is not well formed is left out,
//! and the tests find it missing.

use super::{Example, Frame, Page};

/// The pages of a file.
pub(super) fn pages(file: &'static str) -> Vec<Page> {
    let mut found: Vec<Page> = Vec::new();
    let mut section = Section::Text;
    for line in file.lines() {
        if let Some(heading) = line.strip_prefix("== ") {
            let (code, title) = heading.split_once(' ').unwrap_or((heading, ""));
            found.push(Page { code, title, text: String::new(), wrong: None, right: None });
            section = Section::Text;
            continue;
        }
        let Some(page) = found.last_mut() else { continue };
        match line.strip_prefix("--- ") {
            Some(words) => section = begin(page, section, words),
            None => {
                if let Some(text) = target(page, section) {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    found.iter_mut().for_each(tidy);
    found
}

/// What lines belong to.
#[derive(Clone, Copy)]
enum Section {
    Text,
    Wrong,
    Right,
    /// The last file of the wrong example, or of the right one.
    File {
        right: bool,
    },
}

fn begin(page: &mut Page, before: Section, words: &'static str) -> Section {
    let (word, rest) = words.split_once(' ').unwrap_or((words, ""));
    let right = matches!(before, Section::Right | Section::File { right: true });
    let present = if right { &mut page.right } else { &mut page.wrong };
    match (word, present) {
        ("wrong", _) => {
            page.wrong = Some(Example::empty(Frame::named(rest).unwrap_or_default()));
            Section::Wrong
        }
        ("right", _) => {
            let frame = page.wrong.as_ref().map(|example| example.frame);
            let frame = Frame::named(rest).or(frame).unwrap_or_default();
            page.right = Some(Example::empty(frame));
            Section::Right
        }
        ("file", Some(example)) => {
            example.files.push((rest, String::new()));
            Section::File { right }
        }
        ("set", Some(example)) => {
            example.sets.extend(rest.split_once('='));
            before
        }
        _ => before,
    }
}

fn target(page: &mut Page, section: Section) -> Option<&mut String> {
    match section {
        Section::Text => Some(&mut page.text),
        Section::Wrong => page.wrong.as_mut().map(|example| &mut example.source),
        Section::Right => page.right.as_mut().map(|example| &mut example.source),
        Section::File { right } => {
            let example = if right { page.right.as_mut() } else { page.wrong.as_mut() };
            example.and_then(|example| example.files.last_mut()).map(|(_, text)| text)
        }
    }
}

/// Takes out the blank lines between pages.
fn tidy(page: &mut Page) {
    let trim = |text: &mut String| text.truncate(text.trim_end().len());
    trim(&mut page.text);
    for example in [&mut page.wrong, &mut page.right].into_iter().flatten() {
        trim(&mut example.source);
        example.files.iter_mut().for_each(|(_, text)| trim(text));
    }
}

impl Example {
    fn empty(frame: Frame) -> Self {
        Example { frame, source: String::new(), files: Vec::new(), sets: Vec::new() }
    }
}

/// Writes each `⟨x×n⟩` out.
pub(super) fn spelled_out(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('⟨') {
        out.push_str(before);
        let Some((inside, behind)) = after.split_once('⟩') else { break };
        let (what, times) = inside.split_once('×').unwrap_or((inside, "1"));
        out.push_str(&what.repeat(times.parse().unwrap_or(1)));
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_its_parts() {
        let text = "== S001 a title\nSome text.\n--- wrong statements\nset x = 1;\n--- right\n\
                    use \"l.sq\";\n--- file l.sq\ndef f() = 1;\n--- set a=2\n\n== S002 another\n";
        let pages = pages(text);
        assert_eq!((pages[0].code, pages[0].title), ("S001", "a title"));
        assert_eq!(pages[0].text, "Some text.");
        let (wrong, right) = (pages[0].wrong.as_ref().unwrap(), pages[0].right.as_ref().unwrap());
        assert_eq!((wrong.frame, wrong.source.as_str()), (Frame::Statements, "set x = 1;"));
        assert_eq!(right.frame, Frame::Statements);
        assert_eq!(right.files, [("l.sq", "def f() = 1;".to_owned())]);
        assert_eq!(right.sets, [("a", "2")]);
        assert_eq!((pages[1].code, pages[1].wrong.is_none()), ("S002", true));
    }

    #[test]
    fn repetitions_are_written_out() {
        assert_eq!(spelled_out("a⟨(×3⟩b⟨)×2⟩c"), "a(((b))c");
    }
}
