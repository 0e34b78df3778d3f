//! What holds of every input. In: bytes. Out: how far they got, or which rule the compiler broke; it may never panic,
//! which nothing here catches.

use super::{
    Reach,
    bundle::{Bundle, PROGRAM},
};
use serq_compiler::{
    diag::{Diagnostic, Severity},
    emit::emit_crate,
    ir,
    resolve::resolve,
    span::{FileId, SourceMap},
    syntax::{ast, format, parse, parse_expr, print},
};
use serqc::render::Screen;

/// The first code that is not of the syntax phase.
const AFTER_SYNTAX: &str = "S020";
/// Diagnostics of one input that are rendered.
const RENDERED: usize = 8;

/// Reading, printing and laying out: a tree printed and read again is the same tree, laying out keeps tree and comments
/// and changes nothing the second time, and every error has a place and can be shown.
///
/// # Errors
/// What does not hold.
pub fn syntax(bytes: &[u8]) -> Result<Reach, String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(Reach::NoText) };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // An expression alone, as `--set` takes it.
    if let Err(errors) = parse_expr(FileId(0), text) {
        show(&source(text), &errors)?;
    }
    let first = match parse(FileId(0), text) {
        Ok(tree) => tree,
        Err(errors) => {
            show(&source(text), &errors)?;
            return if errors.is_empty() {
                Err("refused without an error".into())
            } else {
                Ok(Reach::Refused)
            };
        }
    };
    let printed = print(&first);
    let second = again(&printed, "what is printed")?;
    same(&first, &second, &printed, "printing")?;
    if print(&second) != printed {
        return Err(format!("printing twice differs from\n{printed}"));
    }
    let laid_out = format(text).map_err(|errors| format!("not laid out: {errors:?}"))?;
    let third = again(&laid_out, "what is laid out")?;
    same(&first, &third, &laid_out, "laying out")?;
    let comments = |file: &ast::File| -> Vec<String> {
        file.comments.iter().map(|c| c.text.clone()).collect()
    };
    if comments(&first) != comments(&third) {
        return Err(format!("laying out loses comments:\n{laid_out}"));
    }
    match format(&laid_out) {
        Ok(twice) if twice == laid_out => Ok(Reach::Parsed),
        twice => Err(format!("laying out twice differs:\n{laid_out}\n{twice:?}")),
    }
}

/// The whole compiler: whatever it accepts becomes a Rust file that parses, and whatever it says can be shown.
///
/// # Errors
/// What does not hold.
pub fn compile(bytes: &[u8]) -> Result<Reach, String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(Reach::NoText) };
    match resolve(&Bundle::of(text), PROGRAM, &[]) {
        Err(failure) => {
            show(&failure.sources, &failure.diagnostics)?;
            if !failure.diagnostics.iter().any(|d| d.severity == Severity::Error) {
                return Err("refused without an error".into());
            }
            let syntax = failure.diagnostics.iter().any(|d| d.code < AFTER_SYNTAX);
            Ok(if syntax { Reach::Refused } else { Reach::Parsed })
        }
        Ok((program, warnings)) => {
            show(&program.sources, &warnings)?;
            ir::print::text(&program);
            let emitted = emit_crate(&program).main_rs;
            match syn::parse_file(&emitted) {
                Ok(_) => Ok(Reach::Emitted),
                Err(error) => Err(format!("emitted no Rust: {error}\n{emitted}")),
            }
        }
    }
}

fn source(text: &str) -> SourceMap {
    let mut sources = SourceMap::default();
    sources.add(PROGRAM, text);
    sources
}

fn again(text: &str, what: &str) -> Result<ast::File, String> {
    parse(FileId(0), text).map_err(|errors| format!("{what} does not parse: {errors:?}\n{text}"))
}

fn same(one: &ast::File, other: &ast::File, text: &str, what: &str) -> Result<(), String> {
    if one == other { Ok(()) } else { Err(format!("{what} changes the program:\n{text}")) }
}

/// Renders the first of them, and sees that all lie in their files.
fn show(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Result<(), String> {
    let screen = Screen::new();
    for diagnostic in diagnostics.iter().take(RENDERED) {
        screen.diagnostic(sources, diagnostic);
    }
    for diagnostic in diagnostics {
        for label in std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary) {
            let span = label.span;
            let text = sources.files.get(span.file.0 as usize).map(|file| file.text.as_str());
            if text.and_then(|text| text.get(span.start as usize..span.end as usize)).is_none() {
                return Err(format!("a place outside of its file: {diagnostic:?}"));
            }
        }
    }
    Ok(())
}
