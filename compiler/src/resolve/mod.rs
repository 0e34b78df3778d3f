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
mod checks;
mod constants;
mod context;
mod defs;
mod entry_rules;
pub mod errors;
mod exprs;
mod families;
mod flows;
mod functions;
mod holds;
mod load;
mod loops;
mod moments;
mod names;
mod overrides;
mod pools;
mod queues;
mod refs;
mod runs;
mod scope;
mod serving;
mod sides;
mod stages;
mod trace;
mod types;
mod unknown;
mod unused;
mod walk;
mod warnings;
mod workload;

pub use load::{LoadError, Loader, Pieces};

use crate::diag::{Diagnostic, Severity};
use crate::ir;
use crate::span::SourceMap;
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
    let overrides = overrides::parse(sets, loaded.files.len());
    let mut sources = loaded.sources;
    sources.files.extend(overrides.sources);

    let mut resolver = Resolver::new(loader, path, sources, &loaded.files, &loaded.order);
    resolver.diagnostics.extend(loaded.diagnostics);
    resolver.diagnostics.extend(overrides.diagnostics);
    if resolver.diagnostics.is_empty() {
        resolver.declare();
        resolver.resolve_constants(&overrides.values);
        resolver.resolve_declarations();
        resolver.resolve_workload();
        resolver.resolve_uncalled();
        resolver.check_whole_program();
        resolver.warn();
    }
    let (program, diagnostics) = resolver.finish();
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err(Failure { sources: program.sources, diagnostics });
    }
    Ok((program, diagnostics))
}
