//! Files that cannot be read, libraries, and overrides.

use super::nearest;
use crate::diag::Diagnostic;
use crate::resolve::load::LoadError;
use crate::span::Span;

/// Why a file cannot be read, in words.
pub(super) fn reason(why: &LoadError) -> String {
    match why {
        LoadError::NotFound => "there is no such file".to_owned(),
        LoadError::NotAFile => "it is no regular file".to_owned(),
        LoadError::NotUtf8(at) => format!("it is not UTF-8 text (at byte {at})"),
        LoadError::Other(what) => what.clone(),
    }
}

/// The program or a library cannot be read.
pub fn unreadable(span: Span, path: &str, why: &LoadError) -> Diagnostic {
    Diagnostic::error("S020", span, format!("`{path}` cannot be read: {}", reason(why)))
        .help("a `use` names a file relative to the file that says it")
}

/// A library holds more than definitions.
pub fn library_item(span: Span) -> Diagnostic {
    Diagnostic::error("S021", span, "a library holds only definitions and `use`s")
        .label("not allowed in a file that is used")
        .help("move this to the program, or make it a `def`")
}

/// An override of no `let`.
pub fn override_unknown(span: Span, name: &str, known: &[&str]) -> Diagnostic {
    let found = Diagnostic::error("S022", span, format!("there is no `let` called `{name}`"));
    match nearest(name, known.iter().copied()) {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None => found.help("an override names a `let` of the program"),
    }
}

/// Two overrides of one name.
pub fn override_twice(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("S023", span, format!("`{name}` is overridden twice")).help("give one value")
}

/// Overrides that read each other.
pub fn override_cycle(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("S024", span, format!("the value of `{name}` reads itself"))
        .help("an override may read other `let`s that do not read it")
}
