//! What may be written at a position.

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionItemLabelDetails, CompletionParams,
    CompletionResponse, Documentation, MarkupContent, MarkupKind,
};
use serq_compiler::index::complete::{Candidate, complete};
use serq_compiler::index::{Entity, Index, Kind};

use super::documents::Reader;
use super::hover;
use super::place::Lines;
use super::programs::Program;
use super::server::{Answer, Server};

impl Server {
    /// The names and words that may go on at a position. What is begun there already is for the
    /// editor to match.
    pub fn completion(&mut self, params: CompletionParams) -> Answer<Option<CompletionResponse>> {
        let at = params.text_document_position;
        let path = self.path(&at.text_document.uri);
        let Some(document) = self.documents.get(&path) else { return Ok(None) };
        let byte = Lines::new(&document.text).byte(&document.text, at.position);
        let program = self.programs.get(&self.documents, &path, false);
        let good = self.programs.good(&path);
        let reader = Reader { documents: &self.documents, changed: None, whole: false };
        let known = good.as_deref().unwrap_or(&program);
        let found = complete(&reader, &path, &path, byte, &known.analysis.index);
        let items = found.into_iter().map(|one| item(one, &program, known)).collect();
        Ok(Some(CompletionResponse::Array(items)))
    }
}

fn item(candidate: Candidate, program: &Program, known: &Program) -> CompletionItem {
    let entity = find(&program.analysis.index, &candidate).map(|entity| (program, entity));
    let entity =
        entity.or_else(|| find(&known.analysis.index, &candidate).map(|entity| (known, entity)));
    let detail = match (entity, candidate.word) {
        (Some((_, entity)), _) => hover::facts(entity),
        (None, _) => candidate.kind.describe().to_owned(),
    };
    let doc = match (entity, candidate.word) {
        (_, Some(word)) => Some(format!("```serq\n{}\n```\n\n{}", word.form, word.doc)),
        (Some((program, entity)), None) => Some(hover::about(program, entity)),
        (None, None) => None,
    };
    let details = candidate.word.filter(|word| word.form != word.name).map(|word| {
        let after = word.form.trim_start_matches('~').strip_prefix(word.name);
        CompletionItemLabelDetails { detail: after.map(str::to_owned), description: None }
    });
    CompletionItem {
        label_details: details,
        label: candidate.name,
        kind: Some(kind(candidate.kind)),
        detail: Some(detail),
        documentation: doc.map(|value| {
            Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value })
        }),
        // Names before words.
        sort_text: Some(if candidate.kind == Kind::Keyword { "1" } else { "0" }.to_owned()),
        ..CompletionItem::default()
    }
}

/// What a candidate names.
fn find<'i>(index: &'i Index, candidate: &'i Candidate) -> Option<&'i Entity> {
    let fits = |entity: &&Entity| {
        entity.kind == candidate.kind
            && entity.name.rsplit('.').next() == Some(candidate.name.as_str())
    };
    let mut whole = index.named(&candidate.name).map(|(_, entity)| entity);
    whole.find(|entity| fits(entity)).or_else(|| index.entities.iter().find(fits))
}

fn kind(kind: Kind) -> CompletionItemKind {
    match kind {
        Kind::Constant => CompletionItemKind::CONSTANT,
        Kind::Definition | Kind::Function | Kind::Distribution => CompletionItemKind::FUNCTION,
        Kind::Queue => CompletionItemKind::CLASS,
        Kind::Pool => CompletionItemKind::STRUCT,
        Kind::Stage => CompletionItemKind::INTERFACE,
        Kind::Entry => CompletionItemKind::METHOD,
        Kind::Gauge | Kind::Observation => CompletionItemKind::EVENT,
        Kind::Attribute | Kind::BuiltIn | Kind::OfMoment => CompletionItemKind::FIELD,
        Kind::Parameter | Kind::Source | Kind::Binding | Kind::Variable => {
            CompletionItemKind::VARIABLE
        }
        Kind::Role | Kind::Keyword | Kind::Part => CompletionItemKind::KEYWORD,
    }
}
