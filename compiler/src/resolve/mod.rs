//! From syntax trees to the typed IR: every name looked up, every construct spelled out.
//!
//! In: a loader, the program's path and baked overrides of `let`s. Out: an [`ir::Program`] that
//! lowering and emission cannot fail on, or every diagnostic that the files deserve, in the order
//! of the text. Definitions, queues, entries, serving forms and relations end here; what stays is
//! kernel statements over pool and stage families. Constants stay symbolic: whatever depends on a
//! `let` is checked now and kept in [`ir::Program::checks`] to be checked again under `--set`.

mod bindings;
mod blocks;
mod calls;
mod candidates;
mod checks;
mod constants;
mod context;
mod defs;
mod entry_rules;
pub mod errors;
mod exprs;
mod facts;
mod failures;
mod families;
mod flows;
mod functions;
mod holds;
mod indices;
mod legs;
mod load;
mod loops;
mod moments;
mod names;
mod notes;
mod overrides;
mod pools;
mod prefixes;
mod queues;
mod ranks;
mod readings;
#[cfg(test)]
mod reference;
mod refs;
mod runs;
mod scope;
mod serving;
mod sides;
mod stages;
mod terms;
mod trace;
mod types;
mod unknown;
mod unused;
mod walk;
mod warnings;
mod workload;

pub(crate) use facts::Facts;
pub use load::{LoadError, Loader, Pieces};
pub(crate) use moments::Moment;
pub(crate) use notes::{Meaning, Notes};

use std::collections::BTreeSet;

use crate::diag::{Diagnostic, Severity};
use crate::index::{self, Index, Kind};
use crate::ir;
use crate::span::{SourceMap, Span};
use crate::syntax::ast;
use candidates::Hole;
use context::Resolver;

/// What a failed compilation says.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Every file read so far, so that the diagnostics can be shown.
    pub sources: SourceMap,
    /// Errors, and warnings if there are any, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Resolves the program at `path`.
///
/// `sets` bakes overrides: for each name of a `let` the text of an expression over numbers and
/// other `let`s. Returns the program and its warnings.
///
/// # Errors
/// Every error of the program and of the files that it uses, at once.
pub fn resolve(
    loader: &dyn Loader,
    path: &str,
    sets: &[(String, String)],
) -> Result<(ir::Program, Vec<Diagnostic>), Failure> {
    let loaded = load::load(loader, path);
    let overrides = overrides::parse(sets, loaded.sources.files.len());
    let mut sources = loaded.sources;
    sources.files.extend(overrides.sources);

    let mut resolver = Resolver::new(loader, path, sources, &loaded.files, &loaded.order);
    resolver.diagnostics.extend(loaded.diagnostics);
    resolver.diagnostics.extend(overrides.diagnostics);
    if resolver.diagnostics.is_empty() {
        resolver.whole(&overrides.values);
    }
    let (program, diagnostics) = resolver.finish();
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err(Failure { sources: program.sources, diagnostics });
    }
    Ok((program, diagnostics))
}

impl<'a> Resolver<'a> {
    /// Every step, in order.
    fn whole(&mut self, overrides: &'a [(String, Span, ast::Expr)]) {
        self.declare();
        self.resolve_constants(overrides);
        self.resolve_declarations();
        self.resolve_failures();
        self.resolve_workload();
        self.resolve_uncalled();
        self.check_whole_program();
        self.warn();
    }
}

/// What is known of a program while it is written: what is wrong with it, and what its names mean.
#[derive(Debug)]
pub struct Analysis {
    /// Every file read.
    pub sources: SourceMap,
    /// Where each of them is, as the loader was asked for it, by [`FileId`](crate::span::FileId).
    pub paths: Vec<String>,
    /// Their trees, without what holds a syntax error.
    pub trees: Vec<ast::File>,
    /// What [`resolve`] says: errors, and warnings if there are any, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// What its names mean, as far as can be told.
    pub index: Index,
}

/// Resolves the program at `path` as [`resolve`] does, and keeps what its names mean. Where there
/// are syntax errors the index is of the rest of the program.
pub fn analyse(loader: &dyn Loader, path: &str) -> Analysis {
    let loaded = load::load(loader, path);
    let broken = !loaded.diagnostics.is_empty();
    let mut resolver = Resolver::new(loader, path, loaded.sources, &loaded.files, &loaded.order);
    resolver.notes = Some(notes::Notes::default());
    resolver.whole(&[]);
    let found = std::mem::take(&mut resolver.diagnostics);
    resolver.note_unreached();
    let facts = resolver.facts();
    let notes = resolver.notes.take().unwrap_or_default();
    let index = index::build(facts, notes, &loaded.files, &resolver.sources, &loaded.links);

    resolver.diagnostics = if broken { loaded.diagnostics } else { found };
    let (program, diagnostics) = resolver.finish();
    Analysis {
        sources: program.sources,
        paths: loaded.paths,
        trees: loaded.files,
        diagnostics,
        index,
    }
}

/// Where a name of some moments exists.
pub(crate) fn exists(name: &str) -> Option<&'static str> {
    moments::context(name).map(moments::lives)
}

/// What could stand where the program at `path` has the name `mark`, which means nothing: of
/// `names`, those that may be read there, and of everything else whatever is looked up there.
pub(crate) fn candidates(
    loader: &dyn Loader,
    path: &str,
    mark: &str,
    names: &[(String, Kind)],
) -> BTreeSet<(Kind, String)> {
    let loaded = load::load(loader, path);
    let mut resolver = Resolver::new(loader, path, loaded.sources, &loaded.files, &loaded.order);
    resolver.hole = Some(Hole { mark, names, found: BTreeSet::new(), visits: 0 });
    resolver.notes = Some(Notes::default());
    resolver.whole(&[]);
    resolver.note_unreached();
    resolver.hole.map(|hole| hole.found).unwrap_or_default()
}
