//! From a name to its definition, and to everything else that means the same.

use std::collections::BTreeSet;

use lsp_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, GotoDefinitionParams,
    GotoDefinitionResponse, Location, Position, Range, ReferenceParams,
};
use serq_compiler::span::{FileId, Span};

use super::programs::Program;
use super::server::{Answer, Server};

/// A place that means what was asked for: its file, its bytes, and whether it defines it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mention {
    /// The file's path.
    pub path: String,
    /// First byte and one past the last.
    pub bytes: (u32, u32),
    /// Where the editor shows it.
    pub range: (u32, u32, u32, u32),
    /// It defines what it means, or gives it a value.
    pub defines: bool,
    /// The name is not written there.
    pub implied: bool,
}

impl Mention {
    fn of(program: &Program, span: Span, defines: bool, implied: bool) -> Self {
        let Range { start, end } = program.range(span);
        Mention {
            path: program.path(span.file).to_owned(),
            bytes: (span.start, span.end),
            range: (start.line, start.character, end.line, end.character),
            defines,
            implied,
        }
    }

    /// The range that the editor shows.
    pub fn shown(&self) -> Range {
        let (a, b, c, d) = self.range;
        Range::new(Position::new(a, b), Position::new(c, d))
    }
}

impl Server {
    /// Where what a name means is defined; behind `use`, the file.
    pub fn definition(
        &mut self,
        params: GotoDefinitionParams,
    ) -> Answer<Option<GotoDefinitionResponse>> {
        let at = params.text_document_position_params;
        let path = self.path(&at.text_document.uri);
        if self.documents.get(&path).is_none() {
            return Ok(None);
        }
        for program in self.programs.open_with(&self.documents, &path) {
            let spans: Vec<Span> = match linked(&program, &path, at.position) {
                Some(file) => vec![Span { file, start: 0, end: 0 }],
                None => {
                    let uses = program.at(&path, at.position).iter();
                    uses.flat_map(|one| program.entity(one).definitions.iter().copied()).collect()
                }
            };
            if !spans.is_empty() {
                let documents = &self.documents;
                let places: Vec<Location> =
                    spans.iter().filter_map(|span| program.location(documents, *span)).collect();
                return Ok(Some(GotoDefinitionResponse::Array(places)));
            }
        }
        Ok(None)
    }

    /// Everything that means what a name means, in every program of the folders.
    pub fn references(&mut self, params: ReferenceParams) -> Answer<Option<Vec<Location>>> {
        let at = params.text_document_position;
        let path = self.path(&at.text_document.uri);
        let mentions = self.mentions(&path, at.position);
        let wanted =
            mentions.iter().filter(|one| params.context.include_declaration || !one.defines);
        let places = wanted.filter_map(|one| {
            let uri = self.documents.uri(&one.path)?;
            Some(Location { uri, range: one.shown() })
        });
        Ok(Some(places.collect()))
    }

    /// The same within the document.
    pub fn highlight(
        &mut self,
        params: DocumentHighlightParams,
    ) -> Answer<Option<Vec<DocumentHighlight>>> {
        let at = params.text_document_position_params;
        let path = self.path(&at.text_document.uri);
        if self.documents.get(&path).is_none() {
            return Ok(None);
        }
        let mut found = BTreeSet::new();
        for program in self.programs.open_with(&self.documents, &path) {
            collect(&program, &meant(&program, &path, at.position), &mut found);
        }
        let own = found.iter().filter(|one| one.path == path);
        let shown = own.map(|one| DocumentHighlight {
            range: one.shown(),
            kind: Some(match one.defines {
                true => DocumentHighlightKind::WRITE,
                false => DocumentHighlightKind::READ,
            }),
        });
        Ok(Some(shown.collect()))
    }

    /// Every place that means what a name means: in the programs that have the file and, if what it
    /// means is defined in other files, in those that have one of them.
    pub fn mentions(&mut self, path: &str, position: Position) -> BTreeSet<Mention> {
        let mut found = BTreeSet::new();
        if self.documents.get(path).is_none() {
            return found;
        }
        let mut defined: BTreeSet<(String, u32, u32)> = BTreeSet::new();
        for program in self.programs.open_with(&self.documents, path) {
            let entities = meant(&program, path, position);
            for entity in &entities {
                let spans = &program.analysis.index.entities[*entity].definitions;
                let place = |s: &Span| (program.path(s.file).to_owned(), s.start, s.end);
                defined.extend(spans.iter().map(place));
            }
            collect(&program, &entities, &mut found);
        }
        let files: BTreeSet<String> = defined.iter().map(|(path, ..)| path.clone()).collect();
        let programs = self.programs.all_with(&self.documents, &self.folders, &files);
        for program in programs.values() {
            collect(program, &defined_at(program, &defined), &mut found);
        }
        found
    }
}

/// What the name at a position means in a program.
fn meant(program: &Program, path: &str, position: Position) -> BTreeSet<usize> {
    program.at(path, position).iter().map(|one| one.entity).collect()
}

/// What is defined at one of some places.
fn defined_at(program: &Program, places: &BTreeSet<(String, u32, u32)>) -> BTreeSet<usize> {
    let is_there =
        |span: &Span| places.contains(&(program.path(span.file).to_owned(), span.start, span.end));
    let entities = program.analysis.index.entities.iter().enumerate();
    entities.filter(|(_, e)| e.definitions.iter().any(is_there)).map(|(at, _)| at).collect()
}

fn collect(program: &Program, entities: &BTreeSet<usize>, found: &mut BTreeSet<Mention>) {
    let uses = program.analysis.index.uses.iter().filter(|one| entities.contains(&one.entity));
    found.extend(uses.map(|one| Mention::of(program, one.span, one.defines, one.implied)));
}

/// The file that the quoted name at a position names.
fn linked(program: &Program, path: &str, position: Position) -> Option<FileId> {
    let file = program.file(path)?;
    let byte = program.byte(file, position);
    let links = program.analysis.index.links.iter();
    let around = |span: &Span| span.file == file && span.start <= byte && byte <= span.end;
    links.filter(|(span, _)| around(span)).map(|(_, to)| *to).next()
}
