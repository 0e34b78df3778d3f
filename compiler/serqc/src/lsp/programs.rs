//! Programs of the documents: what the compiler's library knows of each, until a text changes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use lsp_types::{Location, Position, Range};
use serq_compiler::diag::Severity;
use serq_compiler::index::{Entity, Use};
use serq_compiler::resolve::{Analysis, analyse};
use serq_compiler::span::{FileId, Span};

use super::documents::{Documents, Reader, key};
use super::place::Lines;

/// The most programs of the folders that are looked into for uses of a name.
const MOST_FILES: usize = 5000;
/// The deepest folder below one of the editor's in which programs are looked for.
const DEEPEST: usize = 16;

/// A program as it stands.
#[derive(Debug)]
pub struct Program {
    /// What is known of it.
    pub analysis: Analysis,
    /// Its files' lines, by [`FileId`].
    lines: Vec<Lines>,
}

impl Program {
    /// The program at a path, read by a reader.
    pub fn read(reader: &Reader<'_>, root: &str) -> Self {
        let analysis = analyse(reader, root);
        let lines = analysis.sources.files.iter().map(|file| Lines::new(&file.text)).collect();
        Program { analysis, lines }
    }

    /// The file at a path, if the program has it.
    pub fn file(&self, path: &str) -> Option<FileId> {
        let at = self.analysis.paths.iter().position(|own| own == path)?;
        Some(FileId(at as u32))
    }

    /// Where a file is.
    pub fn path(&self, file: FileId) -> &str {
        &self.analysis.paths[file.0 as usize]
    }

    /// A file's text.
    pub fn text(&self, file: FileId) -> &str {
        &self.analysis.sources.file(file).text
    }

    /// The text of a span.
    pub fn text_of(&self, span: Span) -> &str {
        self.text(span.file).get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The range of a span in its file.
    pub fn range(&self, span: Span) -> Range {
        self.lines[span.file.0 as usize].range(self.text(span.file), span)
    }

    /// The position of a byte of a file.
    pub fn position(&self, file: FileId, byte: u32) -> Position {
        self.lines[file.0 as usize].position(self.text(file), byte as usize)
    }

    /// The byte at a position of a file.
    pub fn byte(&self, file: FileId, position: Position) -> u32 {
        self.lines[file.0 as usize].byte(self.text(file), position) as u32
    }

    /// A span as the editor has it.
    pub fn location(&self, documents: &Documents, span: Span) -> Option<Location> {
        let uri = documents.uri(self.path(span.file))?;
        Some(Location { uri, range: self.range(span) })
    }

    /// What the name at a position means, and where that name stands.
    pub fn at(&self, path: &str, position: Position) -> &[Use] {
        let Some(file) = self.file(path) else { return &[] };
        self.analysis.index.at(file, self.byte(file, position))
    }

    /// What a use means.
    pub fn entity(&self, one: &Use) -> &Entity {
        &self.analysis.index.entities[one.entity]
    }

    /// Whether all of it could be read.
    fn parses(&self) -> bool {
        // Codes of the syntax are below those of everything else.
        !self.analysis.diagnostics.iter().any(|found| found.code < "S020")
    }

    /// How many errors there are.
    pub fn errors(&self) -> usize {
        let found = self.analysis.diagnostics.iter();
        found.filter(|found| found.severity == Severity::Error).count()
    }
}

/// Programs made so far, by the path of the file that they begin with.
#[derive(Debug, Default)]
pub struct Programs {
    made: HashMap<String, Rc<Program>>,
    /// As each last was when all of it could be read.
    good: HashMap<String, Rc<Program>>,
}

impl Programs {
    /// The program that begins with a file.
    pub fn get(&mut self, documents: &Documents, root: &str, whole: bool) -> Rc<Program> {
        if let Some(program) = self.made.get(root) {
            return program.clone();
        }
        let reader = Reader { documents, changed: None, whole };
        let program = Rc::new(Program::read(&reader, root));
        self.made.insert(root.to_owned(), program.clone());
        if program.parses() {
            self.good.insert(root.to_owned(), program.clone());
        }
        program
    }

    /// The program that begins with a file as it was when all of it could last be read.
    pub fn good(&self, root: &str) -> Option<Rc<Program>> {
        self.good.get(root).cloned()
    }

    /// The text at a path has changed.
    pub fn touch(&mut self, path: &str) {
        self.made.retain(|_, program| program.file(path).is_none());
    }

    /// Anything may have changed. Programs of documents that are not open are forgotten.
    pub fn touch_all(&mut self, documents: &Documents) {
        self.made.clear();
        self.good.retain(|root, _| documents.get(root).is_some());
    }

    /// The programs of open documents that have a file: first the one that begins with it.
    pub fn open_with(&mut self, documents: &Documents, path: &str) -> Vec<Rc<Program>> {
        let mut found = vec![self.get(documents, path, false)];
        for root in documents.paths().iter().filter(|root| *root != path) {
            let program = self.get(documents, root, false);
            if program.file(path).is_some() {
                found.push(program);
            }
        }
        found
    }

    /// Every program, open or in one of the folders, that has one of some files. Their roots too.
    pub fn all_with(
        &mut self,
        documents: &Documents,
        folders: &[PathBuf],
        paths: &BTreeSet<String>,
    ) -> BTreeMap<String, Rc<Program>> {
        let mut roots: BTreeSet<String> = documents.paths().into_iter().collect();
        roots.extend(paths.iter().cloned());
        for folder in folders {
            find(folder, 0, &mut roots);
        }
        let mut found = BTreeMap::new();
        for root in roots {
            // Parsing is quick, but there may be thousands.
            let uses = documents.text(&root).is_ok_and(|text| text.contains("use"));
            if !uses && !paths.contains(&root) {
                continue;
            }
            let known = documents.get(&root).is_some() || paths.contains(&root);
            let program = match self.made.get(&root) {
                Some(program) => program.clone(),
                None if known => self.get(documents, &root, false),
                None => {
                    let reader = Reader { documents, changed: None, whole: false };
                    Rc::new(Program::read(&reader, &root))
                }
            };
            if paths.iter().any(|path| program.file(path).is_some()) {
                found.insert(root, program);
            }
        }
        found
    }
}

/// The `.sq` files below a folder.
fn find(folder: &Path, depth: usize, found: &mut BTreeSet<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if found.len() >= MOST_FILES {
            return;
        }
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth < DEEPEST && !name.starts_with('.') && name != "target" {
            find(&path, depth + 1, found);
        } else if kind.is_file() && name.ends_with(".sq") {
            found.insert(key(&path));
        }
    }
}
