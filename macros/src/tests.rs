//! The macro over token streams as `proc_macro2` reads them, without rustc.

use crate::{expand::expand, source::Call};
use proc_macro2::{Delimiter, LineColumn, TokenStream, TokenTree};
use serq_compiler::{
    diag::Severity,
    resolve::{LoadError, Loader, resolve},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// An error: its text and the places of its first and its last token.
#[derive(Debug, PartialEq)]
struct Told {
    text: String,
    first: LineColumn,
    end: LineColumn,
}

/// The errors among some items.
fn errors(items: TokenStream) -> Vec<Told> {
    let items: Vec<TokenTree> = items.into_iter().collect();
    // In the module that there is none of.
    if let [.., TokenTree::Ident(word), TokenTree::Ident(_), TokenTree::Group(module)] = &items[..]
        && word == "mod"
    {
        return errors(module.stream());
    }
    let error = |trees: &[TokenTree]| match trees {
        [TokenTree::Ident(word), _, TokenTree::Group(group)] if word == "compile_error" => {
            let inside = group.stream().into_iter().next().map(|tree| tree.to_string());
            let text = inside.unwrap_or_default();
            let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or("");
            let text = text.replace("\\n", "\n").replace("\\\"", "\"");
            Some(Told { text, first: word.span().start(), end: group.span_close().end() })
        }
        _ => None,
    };
    items.windows(3).filter_map(error).collect()
}

/// The root of the project.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// A program as it stands in a Rust file: the tokens in the macro's brackets, and the call.
fn written(program: &str) -> Option<(TokenStream, Call)> {
    // It begins on the first line, in column 0: places in the program's file stay what they are.
    let text = format!("serq! {{ name: a; {program}\n}}");
    let tokens: TokenStream = text.parse().ok()?;
    let group = tokens.into_iter().find_map(|tree| match tree {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    })?;
    let start = LineColumn { line: 1, column: 0 };
    Some((group, Call { file: "src/lib.rs".into(), text, start }))
}

/// What stands before a program on its first line in [`written`].
const BEFORE: usize = "serq! { name: a; ".len();

/// One file, and others from the disk.
struct One<'a> {
    path: &'a str,
    text: &'a str,
}

impl Loader for One<'_> {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        match path == self.path {
            true => Ok(self.text.to_owned()),
            false => fs::read_to_string(root().join(path)).map_err(|_| LoadError::NotFound),
        }
    }
    fn join(&self, _: &str, relative: &str) -> String {
        relative.to_owned()
    }
}

/// What the command says of a program: `code: message`, line and column of every error.
fn command(text: &str) -> Vec<(String, usize, usize)> {
    let Err(failure) = resolve(&One { path: "a.sq", text }, "a.sq", &[]) else { return Vec::new() };
    let errors = failure.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    let error = errors.map(|found| {
        let (line, col) = failure.sources.line_col(found.primary.span);
        (format!("{}: {}", found.code, found.message), line as usize, col as usize - 1)
    });
    error.collect()
}

/// Every program of `tests/conformance/err`, by name.
fn wrong_programs() -> Vec<(String, String)> {
    let folder = root().join("tests/conformance/err");
    let paths = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<(String, String)> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "sq"))
        .map(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).unwrap())
        })
        .collect();
    found.sort();
    found
}

#[test]
fn errors_are_at_the_tokens_that_the_command_points_at() {
    let mut seen = 0;
    let mut unread = Vec::new();
    for (name, text) in wrong_programs() {
        let wanted = command(&text);
        let Some((tokens, call)) = written(&text) else {
            unread.push(name);
            continue;
        };
        // As it is written, and laid out again.
        for call in [Some(&call), None] {
            let told = errors(expand(tokens.clone(), call, &root()));
            assert_eq!(told.len(), wanted.len(), "{name}: {told:?}\n{wanted:?}");
            for (told, (said, line, column)) in told.iter().zip(&wanted) {
                assert!(told.text.starts_with(said.as_str()), "{name}: {told:?}, not {said}");
                let column = column + if *line == 1 { BEFORE } else { 0 };
                let at = (*line, column);
                let place = |at: LineColumn| (at.line, at.column);
                // The token's last place is the one behind it, where something is missing.
                let inside = place(told.first) <= at && at <= place(told.end);
                assert!(inside, "{name}: {told:?} is not at {line}:{column}");
            }
        }
        seen += usize::from(!wanted.is_empty());
    }
    assert!(seen > 150, "{seen}");
    // A lone quote and brackets without their partner: no tokens to Rust, which says so itself.
    let unreadable =
        ["syn2_ident_prime", "syn_missing_brace", "syn_missing_paren", "syn_string_unclosed"];
    assert_eq!(unread, unreadable);
}

/// A program without fault, with everything that Rust's tokens do not show or show differently.
const ODD: &str = r"/// what it is
let é = 1_000.5e-3; /* a comment */ let half = .5; // per second
/** and more */
let whole = 5.; let type = 2; // serqc: allow S200
stage server : fifo;
//! not a comment of Rust's here
workload { arrive poisson(type*.1); }
session { set t = now; run server (~exp(é+half/whole)); observe sojourn = now - t; }
run { horizon 10; }";

#[test]
fn what_is_written_is_what_is_compiled() {
    let (tokens, call) = written(ODD).unwrap();
    let items = expand(tokens, Some(&call), &root()).to_string();
    let place = "line : 8 , col : 28 , text : \"session { set t = now; run server";
    for kept in ["comment : \"per second\"", place, "pub mod a"] {
        assert!(items.contains(kept), "{kept} in {items}");
    }
    assert!(!items.contains("deprecated"), "a silenced warning");
}

#[test]
fn without_the_text_tokens_are_laid_out() {
    let (tokens, _) = written(ODD).unwrap();
    let items = expand(tokens, None, &root()).to_string();
    let place =
        "line : 8 , col : 28 , text : \"session { set t = now; run server (~exp(é+half/whole))";
    assert!(items.contains(place) && items.contains("pub mod a"), "{items}");
}

#[test]
fn tokens_of_one_place_are_told_apart() {
    // As another macro may make them: Rust gives all of them the place of the call.
    let (tokens, call) = written("let a = 1; let b = a + 2; run { horizon b; }").unwrap();
    fn moved(tokens: TokenStream) -> TokenStream {
        let here = proc_macro2::Span::call_site();
        let one = |mut tree: TokenTree| {
            if let TokenTree::Group(group) = &tree {
                tree = TokenTree::Group(proc_macro2::Group::new(
                    group.delimiter(),
                    moved(group.stream()),
                ));
            }
            tree.set_span(here);
            tree
        };
        tokens.into_iter().map(one).collect()
    }
    let told = errors(expand(moved(tokens), Some(&call), &root()));
    let wanted = command("let a = 1; let b = a + 2; run { horizon b; }");
    let said = |text: &str| wanted.iter().any(|(wanted, ..)| text.starts_with(wanted.as_str()));
    assert!(told.iter().all(|told| said(&told.text)) && told.len() == wanted.len(), "{told:?}");
}

#[test]
fn errors_in_a_file_are_at_its_name() {
    let files = root().join("tests/conformance/err");
    let tokens: TokenStream = "name: a; file \"syn2_percent.sq\"".parse().unwrap();
    let told = errors(expand(tokens, None, &files));
    let (said, line, column) =
        command(&fs::read_to_string(files.join("syn2_percent.sq")).unwrap()).remove(0);
    let place = format!("--> syn2_percent.sq:{line}:{}", column + 1);
    assert!(told[0].text.starts_with(&said) && told[0].text.contains(&place), "{told:?}");
    assert_eq!((told[0].first.column, told[0].end.column), (14, 31));
}

#[test]
fn a_missing_file_is_said_at_its_name() {
    let traced = "workload { trace \"none.sq\" at arrival; } session { turn; } run { horizon 1; }";
    for program in ["file \"none.sq\"", "use \"none.sq\"; stage s : fifo;", traced]
        .map(|text| format!("name: a; {text}"))
    {
        let told = errors(expand(program.parse().unwrap(), None, &root()));
        assert!(told[0].text.contains("`none.sq` cannot be read"), "{told:?}");
        assert!(told[0].text.contains("from the root of the crate"), "{told:?}");
        let (first, end) = (told[0].first.column, told[0].end.column);
        assert!(program[first..end].contains("\"none.sq\""), "{told:?}");
    }
    // What a file names is relative to that file.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.sq"), "use \"none.sq\";").unwrap();
    let told = errors(expand("name: a; file \"a.sq\"".parse().unwrap(), None, folder.path()));
    assert!(told[0].text.contains("relative to the file that says it"), "{told:?}");
}

#[test]
fn an_empty_program_is_none() {
    let told = errors(expand("name: abc; // nothing".parse().unwrap(), None, &root()));
    assert!(told[0].text.starts_with("S904: the program is empty\n"), "{told:?}");
    assert_eq!(told[0].first.column, 6);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.sq"), " \n").unwrap();
    let told = errors(expand("name: abc; file \"a.sq\"".parse().unwrap(), None, folder.path()));
    assert!(told[0].text.starts_with("S904: `a.sq` is empty\n"), "{told:?}");
    assert_eq!(told[0].first.column, 16);
}

#[test]
fn the_deepest_program_that_is_read_is_compiled_on_a_small_stack() {
    let deep = |n: usize| format!("{}1{}", "(".repeat(n), ")".repeat(n));
    let blocks =
        |n: usize| format!("{}run d (1);{}", "branch (serial > 1) {".repeat(n), "}".repeat(n));
    for session in [format!("run d ({});", deep(90)), blocks(45)] {
        let text = format!(
            "stage d : delay; workload {{ arrive batch(1); }} session {{ {session} }} run {{ horizon 1; }}"
        );
        let (tokens, call) = written(&text).unwrap();
        let items = expand(tokens, Some(&call), &root());
        assert_eq!(errors(items.clone()), []);
        assert!(items.to_string().contains("pub mod a"));
    }
}
