//! Programs to modules, in process and several at a time.
//!
//! In: cases. Out, for each: the text of a module, or the first error and its place, or that the
//! compiler itself broke down, which costs the others nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serq_compiler::diag::Severity;
use serq_compiler::emit::emit_module;
use serq_compiler::resolve;

use super::cases::Case;
use crate::STACK;
use crate::sources::Disk;

/// What became of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Compiled {
    /// Items of a module, a `Model` among them.
    Module(String),
    /// The first error.
    Refused(Place),
    /// The compiler broke down, and said this.
    Defect(String),
}

/// The first error of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// Its code.
    pub code: String,
    /// From 1; 0 if it is not about a place.
    pub line: u32,
    /// From 1, in characters; 0 if it is not about a place.
    pub col: u32,
    /// What is wrong.
    pub message: String,
    /// The file that it stands in, when it is not the program's own.
    pub file: Option<String>,
}

/// Compiles the cases, `jobs` at a time; `tell` is told now and then how many are done.
pub fn all(cases: &[&Case], jobs: usize, tell: impl Fn(usize) + Sync) -> Vec<Compiled> {
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let results = Mutex::new(vec![Compiled::Defect("it was not compiled".to_owned()); cases.len()]);
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(at) else { return };
            let result = one(case);
            if let Ok(mut results) = results.lock() {
                results[at] = result;
            }
            tell(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    thread::scope(|scope| {
        let started = (0..jobs.clamp(1, cases.len().max(1)))
            .filter(|_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).is_ok());
        if started.count() == 0 {
            work();
        }
    });
    results.into_inner().unwrap_or_default()
}

/// Compiles one case with the values that its answer gives to `let`s.
pub fn one(case: &Case) -> Compiled {
    let Some(path) = case.source.to_str() else {
        return Compiled::Defect("its path is not UTF-8".to_owned());
    };
    match catch_unwind(AssertUnwindSafe(|| module(path, &case.sets()))) {
        Ok(Ok(module)) => Compiled::Module(module),
        Ok(Err(place)) => Compiled::Refused(place),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
            Compiled::Defect(text.unwrap_or("no message").to_owned())
        }
    }
}

/// Compiles the program at `path` to the items of a module.
///
/// # Errors
/// The first error.
pub fn module(path: &str, sets: &[(String, String)]) -> Result<String, Place> {
    let disk = Disk::open(path).map_err(|outside| Place {
        code: outside.code.to_owned(),
        message: outside.message,
        ..Place::default()
    })?;
    match resolve::resolve(&disk, path, sets) {
        Ok((program, _warnings)) => Ok(emit_module(&program)),
        Err(found) => Err(first(&found)),
    }
}

/// The first error of those that were found.
fn first(found: &resolve::Failure) -> Place {
    let mut errors = found.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let Some(error) = errors.next() else { return Place::default() };
    let span = error.primary.span;
    let (line, col) = found.sources.line_col(span);
    let own = span.file.0 == 0;
    Place {
        code: error.code.to_owned(),
        line,
        col,
        message: error.message.clone(),
        file: (!own).then(|| found.sources.file(span.file).name.clone()),
    }
}
