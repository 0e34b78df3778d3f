//! What a document declares, for the editor's outline.

use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, SymbolInformation,
    SymbolKind, Uri,
};
use serq_compiler::index::{Kind, Outline, outline};
use serq_compiler::span::FileId;
use serq_compiler::syntax;

use super::place::Lines;
use super::server::{Answer, Server};

impl Server {
    /// The outline of a document, as far as it can be read.
    pub fn symbols(
        &mut self,
        params: DocumentSymbolParams,
    ) -> Answer<Option<DocumentSymbolResponse>> {
        let uri = params.text_document.uri;
        let Some(document) = self.documents.get(&self.path(&uri)) else { return Ok(None) };
        let (tree, _) = syntax::parse_partly(FileId::default(), &document.text);
        let text = Text { text: &document.text, lines: Lines::new(&document.text) };
        let outline = outline(&tree);
        Ok(Some(if self.nests_symbols {
            let symbols = outline.iter().map(|one| text.symbol(one)).collect();
            DocumentSymbolResponse::Nested(symbols)
        } else {
            let mut flat = Vec::new();
            text.flat(&outline, None, &uri, &mut flat);
            DocumentSymbolResponse::Flat(flat)
        }))
    }
}

/// How the editor marks a kind.
pub fn kind(kind: Kind) -> SymbolKind {
    match kind {
        Kind::Constant => SymbolKind::CONSTANT,
        Kind::Definition | Kind::Function | Kind::Distribution => SymbolKind::FUNCTION,
        Kind::Queue => SymbolKind::CLASS,
        Kind::Pool => SymbolKind::STRUCT,
        Kind::Stage => SymbolKind::OBJECT,
        Kind::Entry => SymbolKind::METHOD,
        Kind::Gauge | Kind::Observation => SymbolKind::EVENT,
        Kind::Part => SymbolKind::NAMESPACE,
        Kind::Attribute | Kind::BuiltIn | Kind::OfMoment => SymbolKind::FIELD,
        Kind::Parameter | Kind::Source | Kind::Binding | Kind::Variable => SymbolKind::VARIABLE,
        Kind::Role | Kind::Keyword => SymbolKind::KEY,
    }
}

struct Text<'a> {
    text: &'a str,
    lines: Lines,
}

impl Text<'_> {
    fn symbol(&self, one: &Outline) -> DocumentSymbol {
        let children = one.children.iter().map(|inner| self.symbol(inner)).collect();
        #[allow(deprecated, reason = "the field has no other way to be left out")]
        DocumentSymbol {
            name: one.name.clone(),
            detail: (one.kind != Kind::Part).then(|| one.kind.describe().to_owned()),
            kind: kind(one.kind),
            tags: None,
            deprecated: None,
            range: self.lines.range(self.text, one.span),
            selection_range: self.lines.range(self.text, one.name_span),
            children: (!one.children.is_empty()).then_some(children),
        }
    }

    fn flat(
        &self,
        outline: &[Outline],
        inside: Option<&str>,
        uri: &Uri,
        out: &mut Vec<SymbolInformation>,
    ) {
        for one in outline {
            let range = self.lines.range(self.text, one.span);
            #[allow(deprecated, reason = "the field has no other way to be left out")]
            out.push(SymbolInformation {
                name: one.name.clone(),
                kind: kind(one.kind),
                tags: None,
                deprecated: None,
                location: Location { uri: uri.clone(), range },
                container_name: inside.map(str::to_owned),
            });
            self.flat(&one.children, Some(&one.name), uri, out);
        }
    }
}
