//! From a macro's tokens to the items that they become.
//!
//! In: the tokens, where the call stands, the root of its crate. Out: the emitted module and the program's warnings; or
//! every error of the program at its tokens, and nothing else.

use crate::{
    files::Files,
    request::{self, Asked},
    said,
    source::{Call, Source},
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use serq_compiler::{
    diag::{Diagnostic, Severity},
    emit::emit_inline,
    resolve::resolve,
    span::SourceMap,
};
use std::path::Path;

/// The items that a call becomes.
pub fn expand(tokens: TokenStream, call: Option<&Call>, root: &Path) -> TokenStream {
    let request = match request::read(tokens) {
        Ok(request) => request,
        Err((what, at)) => return said::error(&what, (at, at)),
    };
    match request.program {
        Asked::Inline { tokens, before } => {
            let source = Source::of(tokens, before, call);
            let path = call.map_or("inline", |call| &call.file);
            let files = Files::of_inline(root, path, &source.text);
            Program { path, place: Place::Tokens(&source), name: request.name }.compile(&files)
        }
        Asked::File { path, span } => {
            let files = Files::below(root);
            Program { path: &path, place: Place::File(span), name: request.name }.compile(&files)
        }
    }
}

/// Codes of files that cannot be read: only the macro knows from where it names files.
const UNREADABLE: [&str; 2] = ["S020", "S025"];

/// Where in the macro a place of the program is.
enum Place<'a> {
    /// At its tokens.
    Tokens(&'a Source),
    /// Nowhere but at the name of its file.
    File(Span),
}

/// A program to compile.
struct Program<'a> {
    path: &'a str,
    place: Place<'a>,
    /// The module's name.
    name: Ident,
}

impl Program<'_> {
    fn compile(&self, files: &Files) -> TokenStream {
        match resolve(files, self.path, &[]) {
            Ok((program, _)) if program.sources.files[0].text.trim().is_empty() => self.empty(),
            Ok((mut program, warnings)) => {
                if let Place::Tokens(_) = self.place {
                    program.name = self.name.to_string().trim_start_matches("r#").to_owned();
                }
                let said = warnings.iter().map(|found| self.said(found, &program.sources));
                let mut items: TokenStream = said.collect();
                items.extend(emit_inline(&program, &self.name, &files.read()));
                items
            }
            Err(failure) => {
                let found = failure.diagnostics.iter();
                let said = found.map(|found| self.said(found, &failure.sources));
                let name = &self.name;
                // What names a module with a failed macro in it is not said to be wrong as well.
                quote!(pub mod #name { #(#said)* })
            }
        }
    }

    /// A program that says nothing is none, to the command too.
    fn empty(&self) -> TokenStream {
        let (what, at) = match &self.place {
            Place::Tokens(_) => ("the program".to_owned(), self.name.span()),
            Place::File(span) => (format!("`{}`", self.path), *span),
        };
        let help = "a program needs at least a workload, a session and a `run` block";
        let text = format!("S904: {what} is empty\n= help: {help}");
        let (name, said) = (&self.name, said::error(&text, (at, at)));
        quote!(pub mod #name { #said })
    }

    fn said(&self, found: &Diagnostic, sources: &SourceMap) -> TokenStream {
        let (place, here) = self.tokens(found, sources);
        let mut found = found.clone();
        let named_here = match self.place {
            Place::Tokens(_) => found.primary.span.file.0 == 0,
            // Else it is a file that names another, as ever.
            Place::File(_) => sources.file(found.primary.span.file).text.is_empty(),
        };
        if named_here && UNREADABLE.contains(&found.code) {
            found.help = Some("here a file is named from the root of the crate".to_owned());
        }
        let found = &found;
        let text = said::words(found, sources, here);
        match found.severity {
            Severity::Error => said::error(&text, place),
            Severity::Warning => said::warning(found.code, &text, place.0),
        }
    }

    /// The first and the last token that a diagnostic is about, and whether it stands there itself: what is wrong in a
    /// file is about the string that names it, or what else of the program has to do with it.
    fn tokens(&self, found: &Diagnostic, sources: &SourceMap) -> ((Span, Span), bool) {
        let source = match &self.place {
            Place::File(span) => return ((*span, *span), false),
            Place::Tokens(source) => source,
        };
        let labels = std::iter::once(&found.primary).chain(&found.secondary);
        let mut own = labels.filter(|label| label.span.file.0 == 0);
        if let Some(label) = own.next() {
            let bytes = label.span.start as usize..label.span.end as usize;
            return (source.tokens(bytes), found.primary.span.file.0 == 0);
        }
        let library = &sources.file(found.primary.span.file).name;
        let span = source.literal(library).unwrap_or(self.name.span());
        ((span, span), false)
    }
}
