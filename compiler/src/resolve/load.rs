//! The files of a program: the one named, and the libraries that it uses.
//!
//! A library holds definitions and further `use`s and is read once, wherever it is named again.
//! The items of all files come out in one order, a library's where its `use` stands.

use std::collections::HashMap;

use super::errors;
use crate::diag::Diagnostic;
use crate::span::{FileId, SourceMap, Span};
use crate::syntax::ast::{File, ItemKind};

/// The next bytes of a file at each call, none at its end.
pub type Pieces = Box<dyn FnMut() -> Result<Vec<u8>, LoadError>>;

/// Reads files for the compiler, which does no IO itself.
pub trait Loader {
    /// The text of the file at `path`.
    ///
    /// # Errors
    /// Why there is none.
    fn load(&self, path: &str) -> Result<String, LoadError>;

    /// The file at `path` piece by piece, for what need not be in memory whole (a trace).
    ///
    /// # Errors
    /// Why it cannot be read.
    fn open(&self, path: &str) -> Result<Pieces, LoadError> {
        let mut whole = Some(self.load(path)?);
        Ok(Box::new(move || Ok(whole.take().unwrap_or_default().into_bytes())))
    }

    /// Where a binary finds the file at `path` when it runs; `None` when there is no such file, and
    /// the binary has to bring its text.
    fn lasting(&self, path: &str) -> Option<String> {
        let _ = path;
        None
    }

    /// The path of `relative` as said by the file at `base`, normalised so that one file has one path.
    fn join(&self, base: &str, relative: &str) -> String;
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// Nothing there.
    NotFound,
    /// A folder, a device or a pipe.
    NotAFile,
    /// The text is not UTF-8; the byte where it stops being.
    NotUtf8(usize),
    /// Anything else, as the system says it.
    Other(String),
}

/// All files of a program.
pub(super) struct Loaded {
    /// Their texts.
    pub sources: SourceMap,
    /// Their trees, by [`FileId`].
    pub files: Vec<File>,
    /// Every item but the `use`s: file and index, in the order in which they are said.
    pub order: Vec<(usize, usize)>,
    /// Where each of them is, by [`FileId`].
    pub paths: Vec<String>,
    /// What each `use` that could be followed names: the quoted name, and the file.
    pub links: Vec<(Span, FileId)>,
    /// What is wrong so far.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads `path` and what it uses.
pub(super) fn load(loader: &dyn Loader, path: &str) -> Loaded {
    let mut reader = Reader {
        loader,
        out: Loaded {
            sources: SourceMap::default(),
            files: Vec::new(),
            order: Vec::new(),
            paths: Vec::new(),
            links: Vec::new(),
            diagnostics: Vec::new(),
        },
        seen: HashMap::new(),
    };
    match loader.load(path) {
        Ok(text) => reader.read(path, path, text, true),
        Err(why) => {
            let file = reader.out.sources.add(path, "");
            reader.out.paths.push(path.to_owned());
            let span = Span { file, start: 0, end: 0 };
            reader.out.diagnostics.push(errors::load::unreadable(span, path, &why));
        }
    }
    reader.out
}

struct Reader<'l> {
    loader: &'l dyn Loader,
    out: Loaded,
    seen: HashMap<String, FileId>,
}

impl Reader<'_> {
    /// Parses one file and follows its `use`s. `name` is how the user said it.
    fn read(&mut self, path: &str, name: &str, text: String, is_program: bool) {
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        let file = self.out.sources.add(name, text.clone());
        self.seen.insert(path.to_owned(), file);
        self.out.paths.push(path.to_owned());
        let (tree, found) = crate::syntax::parse_partly(file, &text);
        self.out.diagnostics.extend(found);
        self.out.files.push(tree);
        let at = file.0 as usize;
        for index in 0..self.out.files[at].items.len() {
            let item = &self.out.files[at].items[index];
            match &item.kind {
                ItemKind::Use { file: said } => {
                    let (relative, span) = (said.kind.clone(), said.span);
                    self.follow(path, &relative, span);
                }
                ItemKind::DefExpr { .. } | ItemKind::DefBlock { .. } => {
                    self.out.order.push((at, index));
                }
                _ if is_program => self.out.order.push((at, index)),
                _ => {
                    let found = errors::load::library_item(item.span);
                    self.out.diagnostics.push(found);
                }
            }
        }
    }

    fn follow(&mut self, base: &str, relative: &str, span: Span) {
        let path = self.loader.join(base, relative);
        if let Some(file) = self.seen.get(&path) {
            self.out.links.push((span, *file));
            return;
        }
        match self.loader.load(&path) {
            Ok(text) => {
                self.out.links.push((span, FileId(self.out.sources.files.len() as u32)));
                self.read(&path, relative, text, false);
            }
            Err(why) => {
                self.out.diagnostics.push(errors::load::unreadable(span, relative, &why));
            }
        }
    }
}
