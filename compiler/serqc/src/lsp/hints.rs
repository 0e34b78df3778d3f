//! Hints in the text: at which moments an expression is read where that is not the session's own,
//! and the value of a `let` that is worked out.

use std::collections::{BTreeMap, BTreeSet};

use lsp_types::{
    InlayHint, InlayHintKind, InlayHintLabel, InlayHintParams, InlayHintTooltip, Position, Range,
};
use serq_compiler::index::Kind;
use serq_compiler::span::{FileId, Span};
use serq_compiler::syntax::ast::{ExprKind, ItemKind};

use super::hover::value_text;
use super::programs::Program;
use super::server::{Answer, Server};

/// What each expression is read at: positions in words, and their moments.
type Readings = BTreeMap<(u32, std::cmp::Reverse<u32>), BTreeSet<(&'static str, &'static str)>>;

impl Server {
    /// The hints in a range of a document.
    pub fn hints(&mut self, params: InlayHintParams) -> Answer<Option<Vec<InlayHint>>> {
        let path = self.path(&params.text_document.uri);
        if self.documents.get(&path).is_none() {
            return Ok(None);
        }
        let programs = self.programs.open_with(&self.documents, &path);
        // The document's own program comes first. What stands in a library is read in others too.
        let mut readings = Readings::new();
        for program in &programs {
            let Some(file) = program.file(&path) else { continue };
            for reading in program.analysis.index.readings.iter().filter(|r| r.span.file == file) {
                let at = (reading.span.start, std::cmp::Reverse(reading.span.end));
                readings.entry(at).or_default().extend(reading.positions.iter().copied());
            }
        }
        let own = &programs[0];
        let mut hints = moments(own, readings);
        hints.extend(values(own));
        hints.retain(|hint| inside(params.range, hint.position));
        hints.sort_by_key(|hint| hint.position);
        Ok(Some(hints))
    }
}

fn inside(range: Range, position: Position) -> bool {
    range.start <= position && position <= range.end
}

/// The moments of outermost expressions, in front of them.
fn moments(program: &Program, readings: Readings) -> Vec<InlayHint> {
    let bodies = bodies(program);
    let mut hints = Vec::new();
    let mut past = 0;
    for ((start, std::cmp::Reverse(end)), positions) in readings {
        if end <= past {
            continue;
        }
        past = end;
        let moments: BTreeSet<&str> = positions.iter().map(|(_, moment)| *moment).collect();
        let plain = |moment: &&str| matches!(*moment, "session" | "constant");
        let is_body = bodies.contains(&(start, end));
        if moments.is_empty() || moments.iter().all(plain) && !is_body {
            continue;
        }
        let label: Vec<&str> = moments.into_iter().collect();
        let told: Vec<String> =
            positions.iter().map(|(position, moment)| format!("{position} ({moment})")).collect();
        hints.push(InlayHint {
            position: program.position(FileId(0), start),
            label: InlayHintLabel::String(format!("{}:", label.join(", "))),
            kind: None,
            text_edits: None,
            tooltip: Some(InlayHintTooltip::String(format!("read in {}", told.join("; ")))),
            padding_left: None,
            padding_right: Some(true),
            data: None,
        });
    }
    hints
}

/// The bodies of definitions that are expressions.
fn bodies(program: &Program) -> BTreeSet<(u32, u32)> {
    let items = program.analysis.trees.first().map_or(&[][..], |tree| &tree.items);
    let body = |item: &serq_compiler::syntax::ast::Item| match &item.kind {
        ItemKind::DefExpr { body, .. } => Some((body.span.start, body.span.end)),
        _ => None,
    };
    items.iter().filter_map(body).collect()
}

/// The values of `let`s that are not written as numbers, behind them.
fn values(program: &Program) -> Vec<InlayHint> {
    let mut values: BTreeMap<Span, f64> = BTreeMap::new();
    for entity in &program.analysis.index.entities {
        if let (Kind::Constant, Some(value), [span]) =
            (entity.kind, entity.value, entity.definitions.as_slice())
        {
            values.insert(*span, value);
        }
    }
    let items = program.analysis.trees.first().map_or(&[][..], |tree| &tree.items);
    let mut hints = Vec::new();
    for item in items {
        let ItemKind::Let { name, value } = &item.kind else { continue };
        let written = match &value.kind {
            ExprKind::Unary { expr, .. } => matches!(expr.kind, ExprKind::Num { .. }),
            kind => matches!(kind, ExprKind::Num { .. }),
        };
        let Some(known) = values.get(&name.span).filter(|value| !written && !value.is_nan()) else {
            continue;
        };
        hints.push(InlayHint {
            position: program.position(FileId(0), value.span.end),
            label: InlayHintLabel::String(format!("= {}", value_text(*known))),
            kind: Some(InlayHintKind::TYPE),
            text_edits: None,
            tooltip: None,
            padding_left: Some(true),
            padding_right: None,
            data: None,
        });
    }
    hints
}
