//! The files as the editor has them: open ones from its buffers, others from the disk.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::{TextDocumentContentChangeEvent, Uri};
use serq_compiler::resolve::{LoadError, Loader, Pieces};

use super::place::Lines;
use crate::sources;

/// Of a recording so much is read while its program is typed; all of it when that is opened or
/// saved.
const RECORDING_WHILE_TYPING: u64 = 1 << 20;

/// A text that the editor has.
#[derive(Debug)]
pub struct Document {
    /// How the editor names it.
    pub uri: Uri,
    /// Its text now.
    pub text: String,
    /// How often it has changed, as the editor counts.
    pub version: i32,
}

/// The open documents, by their path.
#[derive(Debug, Default)]
pub struct Documents {
    open: BTreeMap<String, Document>,
}

impl Documents {
    /// Opens a document, or opens it anew.
    pub fn open(&mut self, uri: Uri, text: String, version: i32) -> String {
        let path = path_of(&uri);
        self.open.insert(path.clone(), Document { uri, text, version });
        path
    }

    /// Forgets a document: its text is that of the disk again.
    pub fn close(&mut self, uri: &Uri) {
        self.open.remove(&path_of(uri));
    }

    /// Applies changes in order. The path of the document if it is open.
    pub fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) -> Option<String> {
        let path = path_of(uri);
        let document = self.open.get_mut(&path)?;
        for change in changes {
            apply(&mut document.text, change);
        }
        document.version = version;
        Some(path)
    }

    /// The document at a path.
    pub fn get(&self, path: &str) -> Option<&Document> {
        self.open.get(path)
    }

    /// The paths of all open documents.
    pub fn paths(&self) -> Vec<String> {
        self.open.keys().cloned().collect()
    }

    /// How the editor names a file.
    pub fn uri(&self, path: &str) -> Option<Uri> {
        match self.open.get(path) {
            Some(document) => Some(document.uri.clone()),
            None => uri_of(path),
        }
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> Result<String, LoadError> {
        if let Some(document) = self.open.get(path) {
            return Ok(document.text.clone());
        }
        sources::regular(Path::new(path))?;
        sources::read(Path::new(path)).map_err(LoadError::from)
    }
}

fn apply(text: &mut String, change: TextDocumentContentChangeEvent) {
    let Some(range) = change.range else {
        *text = change.text;
        return;
    };
    let lines = Lines::new(text);
    let (start, end) = (lines.byte(text, range.start), lines.byte(text, range.end));
    text.replace_range(start.min(end)..start.max(end), &change.text);
}

/// Reads what a program uses as the editor has it, with some texts changed.
pub struct Reader<'a> {
    /// The open documents.
    pub documents: &'a Documents,
    /// Texts that stand for what is at these paths.
    pub changed: Option<&'a BTreeMap<String, String>>,
    /// All of every recording.
    pub whole: bool,
}

impl Loader for Reader<'_> {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        if let Some(text) = self.changed.and_then(|changed| changed.get(path)) {
            return Ok(text.clone());
        }
        self.documents.text(path)
    }

    fn open(&self, path: &str) -> Result<Pieces, LoadError> {
        let path = Path::new(path);
        sources::regular(path)?;
        let file = sources::open(path)?;
        if self.whole || file.metadata().is_ok_and(|found| found.len() <= RECORDING_WHILE_TYPING) {
            return Ok(sources::pieces(file));
        }
        let mut bytes = Vec::new();
        let read = file.take(RECORDING_WHILE_TYPING).read_to_end(&mut bytes);
        read.map_err(|why| LoadError::Other(why.to_string()))?;
        bytes.truncate(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1));
        Ok(Box::new(move || Ok(std::mem::take(&mut bytes))))
    }

    fn join(&self, base: &str, relative: &str) -> String {
        let folder = Path::new(base).parent().unwrap_or(Path::new(""));
        key(&folder.join(relative))
    }
}

/// The one name of a file: its path without links, `.` and `..`, as far as it is there.
pub fn key(path: &Path) -> String {
    let found = fs::canonicalize(path).ok().or_else(|| {
        // A file that only the editor has lies in a folder that is there.
        let folder = fs::canonicalize(path.parent()?).ok()?;
        Some(folder.join(path.file_name()?))
    });
    found.unwrap_or_else(|| path.to_owned()).to_string_lossy().into_owned()
}

/// The path of a document: of a file its own, of anything else the whole URI.
pub fn path_of(uri: &Uri) -> String {
    match file_of(uri) {
        Some(path) => key(&path),
        None => uri.as_str().to_owned(),
    }
}

/// The file that a URI names, if it names one.
pub fn file_of(uri: &Uri) -> Option<PathBuf> {
    if !uri.scheme().is_some_and(|scheme| scheme.as_str().eq_ignore_ascii_case("file")) {
        return None;
    }
    let path = uri.path().as_estr().decode().into_string().ok()?.into_owned();
    // `/C:/…`
    let is_drive = path.as_bytes().get(2) == Some(&b':') && cfg!(windows);
    Some(PathBuf::from(if is_drive { &path[1..] } else { &path }))
}

/// The URI of a path.
pub fn uri_of(path: &str) -> Option<Uri> {
    if !Path::new(path).is_absolute() {
        // What the editor has under another scheme.
        return Uri::from_str(path).ok();
    }
    let mut text = "file://".to_owned();
    let path =
        if cfg!(windows) { format!("/{}", path.replace('\\', "/")) } else { path.to_owned() };
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(byte));
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    Uri::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lsp_types::{Position, Range};

    fn changed(text: &str, changes: &[(Option<[u32; 4]>, &str)]) -> String {
        let mut text = text.to_owned();
        for (range, new) in changes {
            let range =
                range.map(|[a, b, c, d]| Range::new(Position::new(a, b), Position::new(c, d)));
            let change = TextDocumentContentChangeEvent {
                range,
                range_length: None,
                text: (*new).to_owned(),
            };
            apply(&mut text, change);
        }
        text
    }

    #[test]
    fn changes_are_applied_in_order() {
        let text = "// 𝄞 é\nlet a = 1;\n";
        assert_eq!(
            changed(text, &[(Some([0, 5, 0, 6]), "y"), (Some([1, 4, 1, 5]), "bc")]),
            "// 𝄞yé\nlet bc = 1;\n"
        );
        assert_eq!(changed(text, &[(None, "x"), (Some([0, 1, 0, 1]), "y")]), "xy");
        assert_eq!(changed("ab", &[(Some([0, 2, 0, 0]), "")]), "", "a range back to front");
        assert_eq!(changed("ab", &[(Some([7, 0, 9, 9]), "c")]), "abc", "a range past the end");
    }

    #[test]
    fn a_path_and_its_uri() {
        for path in ["/a/b c.sq", "/é/%41#?.sq", "/x~y_z-1.sq"] {
            let uri = uri_of(path).unwrap();
            assert_eq!(file_of(&uri).unwrap(), PathBuf::from(path), "{}", uri.as_str());
        }
        let other = Uri::from_str("untitled:Untitled-1").unwrap();
        assert_eq!(file_of(&other), None);
        assert_eq!(uri_of(&path_of(&other)), Some(other));
    }
}
