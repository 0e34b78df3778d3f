//! What there is to say about a name: what it is, its type and value, its comment, and when the
//! expression around it is read.

use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind, Position};
use serq_compiler::index::words::{exists, word_of};
use serq_compiler::index::{Entity, Kind};
use serq_compiler::ir::Ty;
use serq_compiler::span::Span;
use serq_compiler::syntax;

use super::place::Lines;
use super::programs::Program;
use super::server::{Answer, Server};

/// The longest declaration that is shown, in bytes.
const LONGEST_HEAD: usize = 400;

impl Server {
    /// Says what the name at a position is.
    pub fn hover(&mut self, params: HoverParams) -> Answer<Option<Hover>> {
        let at = params.text_document_position_params;
        let path = self.path(&at.text_document.uri);
        if self.documents.get(&path).is_none() {
            return Ok(None);
        }
        for program in self.programs.open_with(&self.documents, &path) {
            let uses = program.at(&path, at.position);
            let Some(first) = uses.first() else { continue };
            let mut said: Vec<String> =
                uses.iter().map(|one| about(&program, program.entity(one))).collect();
            said.extend(when(&program, &path, at.position));
            return Ok(Some(hover(said.join("\n\n---\n\n"), Some(program.range(first.span)))));
        }
        Ok(self.remembered(&path, at.position))
    }

    /// What the name at a position was when the program could last be read: there it is known by
    /// its name alone.
    fn remembered(&self, path: &str, position: Position) -> Option<Hover> {
        let text = &self.documents.get(path)?.text;
        let lines = Lines::new(text);
        let name = syntax::name_around(text, lines.byte(text, position))?;
        let written = text.get(name.start as usize..name.end as usize)?;
        let program = self.programs.good(path)?;
        let known = program.analysis.index.entities.iter();
        let (_, entity) = program.analysis.index.named(written).next().or_else(|| {
            let part = |entity: &Entity| entity.name.rsplit('.').next() == Some(written);
            known.enumerate().find(|(_, entity)| part(entity))
        })?;
        Some(hover(about(&program, entity), Some(lines.range(text, name))))
    }
}

fn hover(value: String, range: Option<lsp_types::Range>) -> Hover {
    let contents = MarkupContent { kind: MarkupKind::Markdown, value };
    Hover { contents: HoverContents::Markup(contents), range }
}

/// A type in a word.
pub fn type_name(ty: Ty) -> &'static str {
    match ty {
        Ty::Num => "number",
        Ty::Bool => "0 or 1",
    }
}

/// A value as it may be written in a program.
pub fn value_text(value: f64) -> String {
    let plain = format!("{value}");
    if plain.len() <= 12 { plain } else { format!("{value:e}") }
}

/// All about one entity, in Markdown.
pub fn about(program: &Program, entity: &Entity) -> String {
    let mut parts = Vec::new();
    if let Some(word) = word_of(entity.kind, &entity.name) {
        parts.push(code(word.form));
    } else if let Some(declaration) = entity.declaration {
        parts.push(code(&head(program, declaration)));
    } else {
        parts.push(code(&entity.name));
    }
    parts.push(facts(entity));
    if !entity.doc.is_empty() {
        parts.push(entity.doc.clone());
    }
    if let (Kind::OfMoment, Some(place)) = (entity.kind, exists(&entity.name)) {
        parts.push(format!("Exists {place}."));
    }
    parts.join("\n\n")
}

fn code(text: &str) -> String {
    format!("```serq\n{text}\n```")
}

/// What an entity is, in a line: "constant: number, 30".
pub fn facts(entity: &Entity) -> String {
    let mut facts = Vec::new();
    facts.extend(entity.ty.map(|ty| type_name(ty).to_owned()));
    facts.extend(entity.value.map(|value| format!("= {}", value_text(value))));
    if entity.hidden {
        facts.push("hidden from the deployment".to_owned());
    }
    match (facts.is_empty(), entity.kind) {
        (true, kind) => kind.describe().to_owned(),
        (false, kind) => format!("{}: {}", kind.describe(), facts.join(", ")),
    }
}

/// The beginning of a declaration: up to its block, or all of it.
fn head(program: &Program, declaration: Span) -> String {
    let text = program.text_of(declaration);
    let end = text.find('{').filter(|at| *at > 0).unwrap_or(text.len()).min(LONGEST_HEAD);
    let mut end = end;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].trim_end().to_owned()
}

/// When the expression at a position is read.
fn when(program: &Program, path: &str, position: Position) -> Option<String> {
    let file = program.file(path)?;
    let reading = program.analysis.index.reading_at(file, program.byte(file, position))?;
    let positions: Vec<String> = reading
        .positions
        .iter()
        .map(|(position, moment)| format!("*{moment}*, {position}"))
        .collect();
    Some(format!("Read at: {}", positions.join("; ")))
}
