//! What `serqc check` says of the open programs, in the same words, as the editor shows it.

use std::collections::BTreeMap;

use lsp_types::notification::PublishDiagnostics;
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, NumberOrString,
    PublishDiagnosticsParams, Range,
};
use serq_compiler::diag::{self, Severity};

use super::documents::Documents;
use super::programs::Program;
use super::server::Server;
use crate::failure::Outside;

impl Server {
    /// Says what is wrong with the open programs and the files that they use, where that is not
    /// what was said before.
    pub fn publish(&mut self) {
        let mut found: BTreeMap<String, Vec<Diagnostic>> = BTreeMap::new();
        for root in self.documents.paths() {
            found.entry(root.clone()).or_default();
            if self.documents.get(&root).is_some_and(|document| document.text.trim().is_empty()) {
                found.entry(root.clone()).or_default().push(empty(&root));
                continue;
            }
            let program = self.programs.get(&self.documents, &root, self.whole);
            for one in &program.analysis.diagnostics {
                let of = found.entry(program.path(one.primary.span.file).to_owned()).or_default();
                let shown = shown(&self.documents, &program, one);
                // A library is checked by itself and in every program that uses it.
                if !of.contains(&shown) {
                    of.push(shown);
                }
            }
        }
        let gone = self.published.keys().filter(|path| !found.contains_key(*path));
        let gone: Vec<_> = gone.cloned().map(|path| (path, Vec::new())).collect();
        for (path, diagnostics) in found.iter().map(|(p, d)| (p.clone(), d.clone())).chain(gone) {
            if self.published.get(&path) == Some(&diagnostics) {
                continue;
            }
            let Some(uri) = self.documents.uri(&path) else { continue };
            let version = self.documents.get(&path).map(|document| document.version);
            let params = PublishDiagnosticsParams { uri, diagnostics, version };
            self.notify::<PublishDiagnostics>(params);
        }
        self.published = found;
    }
}

fn empty(path: &str) -> Diagnostic {
    let outside = Outside::empty(path);
    Diagnostic {
        range: Range::default(),
        severity: Some(DiagnosticSeverity::ERROR),
        code: Some(NumberOrString::String(outside.code.to_owned())),
        source: Some("serqc".to_owned()),
        message: with_help(outside.message, outside.help.as_deref()),
        ..Diagnostic::default()
    }
}

fn with_help(mut message: String, help: Option<&str>) -> String {
    if let Some(help) = help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    message
}

fn shown(documents: &Documents, program: &Program, found: &diag::Diagnostic) -> Diagnostic {
    let mut message = found.message.clone();
    if !found.primary.text.is_empty() {
        message.push('\n');
        message.push_str(&found.primary.text);
    }
    let related: Vec<DiagnosticRelatedInformation> = found
        .secondary
        .iter()
        .filter_map(|label| {
            let location = program.location(documents, label.span)?;
            Some(DiagnosticRelatedInformation { location, message: label.text.clone() })
        })
        .collect();
    Diagnostic {
        range: program.range(found.primary.span),
        severity: Some(match found.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(found.code.to_owned())),
        source: Some("serqc".to_owned()),
        message: with_help(message, found.help.as_deref()),
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}
