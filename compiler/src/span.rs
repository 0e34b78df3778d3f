//! Places in source text.

/// Index of a file in [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct FileId(pub u32);

/// A range of bytes in one file, `start..end`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both (of one file).
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// One source file as read.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name shown to the user: the path as given or as `use` said it.
    pub name: String,
    /// The whole text, without a byte order mark.
    pub text: String,
    /// Where its lines begin.
    starts: Vec<u32>,
}

impl SourceFile {
    /// A file of that name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect();
        SourceFile { name: name.into(), text, starts }
    }

    /// The line that a byte is on, from 0, and the byte that it begins at.
    fn line_at(&self, at: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start as usize <= at) - 1;
        (line, self.starts[line] as usize)
    }
}

/// Every file of a program; [`FileId`] is an index into it.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// The files, the program's own first.
    pub files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file and returns its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(SourceFile::new(name, text));
        FileId(self.files.len() as u32 - 1)
    }
    /// The file of a span.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }
    /// 1-based line and column (in characters) of the start of a span.
    pub fn line_col(&self, span: Span) -> (u32, u32) {
        let file = self.file(span.file);
        let at = boundary(&file.text, span.start);
        let (line, start) = file.line_at(at);
        (line as u32 + 1, file.text[start..at].chars().count() as u32 + 1)
    }
    /// The source line on which a span starts, without its line end.
    pub fn line_text(&self, span: Span) -> &str {
        let file = self.file(span.file);
        let (line, start) = file.line_at(boundary(&file.text, span.start));
        let end = file.starts.get(line + 1).map_or(file.text.len(), |next| *next as usize - 1);
        file.text[start..end].trim_end_matches('\r')
    }
}

/// The last place at or before a byte where a character begins, or the text ends.
fn boundary(text: &str, byte: u32) -> usize {
    let mut at = (byte as usize).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_by_line_and_column() {
        let mut map = SourceMap::default();
        let file = map.add("a.sq", "é = 1;\r\n\nlast é");
        let told = |start: u32| {
            let span = Span { file, start, end: start };
            (map.line_col(span), map.line_text(span))
        };
        assert_eq!(told(0), ((1, 1), "é = 1;"));
        assert_eq!(told(1), ((1, 1), "é = 1;"));
        assert_eq!(told(8), ((1, 8), "é = 1;"));
        assert_eq!(told(9), ((2, 1), ""));
        assert_eq!(told(10), ((3, 1), "last é"));
        assert_eq!(told(99), ((3, 7), "last é"));
    }
}
