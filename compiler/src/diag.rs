//! Diagnostics as data: a code, what is wrong, where, and what to write instead.
//!
//! Nothing here renders; the command and the macro do. Each kind of error has one constructor
//! function in the phase that finds it, so a code is written once.

use crate::span::Span;

/// How much it matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// The program does not compile.
    Error,
    /// The program compiles; something is probably not meant.
    Warning,
}

/// A place and what is said of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What to say there; may be empty.
    pub text: String,
}

/// One error or warning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Stable code: `S` and three digits (`S001`).
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, lower case, names in backticks.
    pub message: String,
    /// The place it is about.
    pub primary: Label,
    /// Further places: the use of an expansion, an earlier declaration.
    pub secondary: Vec<Label>,
    /// What to write instead.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error with its place.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            help: None,
        }
    }
    /// A warning with its place: the program compiles all the same.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Self::error(code, span, message) }
    }
    /// What is said at the primary place.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }
    /// A further place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }
    /// What to write instead.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}
