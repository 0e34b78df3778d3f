//! Diagnostics as rustc's: an error is a `compile_error!` and a warning the use of something deprecated, both at the
//! user's own tokens.
//!
//! In: a diagnostic and the tokens that it is about. Out: items. Their text has the words of the command.

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use serq_compiler::{
    diag::{Diagnostic, Label},
    span::SourceMap,
};

/// Fails the compilation with this text at the tokens from `first` to `last`, which rustc underlines as one.
pub fn error(text: &str, (first, last): (Span, Span)) -> TokenStream {
    // The place of a macro's call is that of its path and brackets together.
    let path = quote_spanned!(first=> ::core::compile_error);
    let mut bang = Punct::new('!', Spacing::Alone);
    bang.set_span(first);
    let mut inside = Group::new(Delimiter::Brace, quote_spanned!(last=> #text));
    inside.set_span(last);
    path.into_iter().chain([TokenTree::Punct(bang), TokenTree::Group(inside)]).collect()
}

/// Warns with this text at a token. Stable Rust lets no macro warn, but it warns of what is deprecated.
pub fn warning(code: &str, text: &str, at: Span) -> TokenStream {
    let declared = Ident::new(code, Span::call_site());
    let used = Ident::new(code, at);
    quote! {
        const _: () = {
            #[deprecated(note = #text)]
            const #declared: () = ();
            #used
        };
    }
}

/// The words of a diagnostic. What it is about is not said again, if that is a token of the macro's (`here`).
pub fn words(found: &Diagnostic, sources: &SourceMap, here: bool) -> String {
    let mut text = format!("{}: {}", found.code, found.message);
    if !here {
        text += &excerpt(&found.primary, sources);
    } else if !found.primary.text.is_empty() {
        text += &format!("\n= {}", found.primary.text);
    }
    for label in &found.secondary {
        let (line, col) = sources.line_col(label.span);
        let file = &sources.file(label.span.file).name;
        text += &format!("\n= note: {} ({file}:{line}:{col})", label.text);
    }
    if let Some(help) = &found.help {
        text += &format!("\n= help: {help}");
    }
    visible(&text)
}

/// The most characters of a line that are shown.
const SHOWN: usize = 240;

/// A line of a file and what is said of it.
fn excerpt(label: &Label, sources: &SourceMap) -> String {
    let (line, col) = sources.line_col(label.span);
    let file = sources.file(label.span.file);
    if file.text.is_empty() {
        // It could not be read.
        return String::new();
    }
    let place = format!("\n --> {}:{line}:{col}", file.name);
    let whole = sources.line_text(label.span);
    let (before, length) = (col as usize - 1, whole.chars().count());
    if whole.is_empty() || length > SHOWN {
        return match label.text.is_empty() {
            true => place,
            false => format!("{place}\n= {}", label.text),
        };
    }
    let said =
        file.text.get(label.span.start as usize..label.span.end as usize).unwrap_or_default();
    let marks = said.chars().count().clamp(1, (length - before.min(length)).max(1));
    let blanks: String =
        whole.chars().take(before).map(|c| if c == '\t' { c } else { ' ' }).collect();
    let margin = " ".repeat(line.to_string().len());
    let marks = format!("{blanks}{} {}", "^".repeat(marks), label.text);
    format!("{place}\n{margin} |\n{line} | {whole}\n{margin} | {}", marks.trim_end())
}

/// Text that cannot move a terminal's cursor.
fn visible(text: &str) -> String {
    let unseen = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    text.chars().map(|c| if unseen(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
