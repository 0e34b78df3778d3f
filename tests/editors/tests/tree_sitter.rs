//! The tree-sitter grammar: it reads every program that the compiler reads, item by item as the
//! compiler does, and its colours know every word of the language.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serq_compiler::index::Kind;
use serq_compiler::index::words::WORDS;
use serq_compiler::syntax;
use serq_editors::{editors, programs, project};
use tree_sitter::{Language, Node, Parser, Query, QueryCursor, StreamingIterator, Tree};
use tree_sitter_loader::{CompileConfig, Loader};

/// The generated parser, compiled.
fn language() -> Language {
    let folder = tempfile::tempdir().unwrap();
    let source = project().join("docs/editors/tree-sitter-serq/src");
    let library = folder.path().join("serq.so");
    let config = CompileConfig::new(&source, None, Some(library));
    let loader = Loader::with_parser_lib_path(folder.path().to_owned());
    loader.load_language_at_path(config).expect("a C compiler, and a parser that it takes")
}

fn parse(language: &Language, text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(language).unwrap();
    parser.parse(text, None).unwrap()
}

/// The first node that is an error, or that is missing.
fn wrong(node: Node<'_>) -> Option<Node<'_>> {
    if node.is_error() || node.is_missing() {
        return Some(node);
    }
    let mut cursor = node.walk();
    node.children(&mut cursor).find_map(wrong)
}

#[test]
fn every_program_is_read_as_the_compiler_reads_it() {
    let language = language();
    let programs = programs();
    assert!(programs.len() > 700, "{}", programs.len());
    for (path, text) in programs {
        let tree = parse(&language, &text);
        let root = tree.root_node();
        if let Some(node) = wrong(root) {
            panic!("{}:{}: {:?}", path.display(), node.start_position().row + 1, node.kind());
        }
        let mut cursor = root.walk();
        let items: Vec<(usize, usize)> = root
            .named_children(&mut cursor)
            .filter(|node| node.kind() != "comment")
            .map(|node| (node.start_byte(), node.end_byte()))
            .collect();
        let file = syntax::parse(Default::default(), &text).unwrap();
        let own: Vec<(usize, usize)> = file
            .items
            .iter()
            .map(|item| (item.span.start as usize, item.span.end as usize))
            .collect();
        assert_eq!(items, own, "{}", path.display());
    }
}

/// Words that are names where they can be nothing else.
#[test]
fn words_are_reserved_by_position_only() {
    let language = language();
    let text = "\
        queue turn[2] : prefill { prefill (p) { } }\n\
        session { turn[0].prefill (1); run decode (2); prefill[1] (3); decode on; tool on s (2); }\n\
        run pull P share maxmin;\n\
        let push = 0; pool pull { cap push; } gauge push = 1; let push P share maxmin;\n\
        let max = sum + 2 ^ -3; let set = max (1, 2) + max k in 3 (k);\n";
    assert!(syntax::parse(Default::default(), text).is_ok());
    let tree = parse(&language, text);
    assert!(!tree.root_node().has_error(), "{}", tree.root_node().to_sexp());
    let broken = parse(&language, "session { set = 1; }");
    assert!(broken.root_node().has_error());
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphabetic())
}

#[test]
fn the_words_are_those_of_the_compiler() {
    let language = language();
    let mut own: BTreeSet<&str> = BTreeSet::new();
    for id in 0..language.node_kind_count() as u16 {
        let kind = language.node_kind_for_id(id).unwrap();
        if !language.node_kind_is_named(id) && is_word(kind) && kind != "end_of_file" {
            own.insert(kind);
        }
    }
    own.remove("ERROR");
    own.extend(["inf", "self"]);
    own.remove("end");
    let mut known = syntax::keywords();
    // `end` is also what the library calls the end of a text.
    known.remove("end");
    assert_eq!(own, known);
}

#[test]
fn every_word_has_a_colour() {
    let language = language();
    let query = Query::new(&language, &editors("tree-sitter-serq/queries/highlights.scm")).unwrap();
    let names = query.capture_names();
    let mut coloured: BTreeSet<String> = BTreeSet::new();
    let recorded = "workload { trace \"t.csv\" at arrival; }".to_owned();
    for (path, text) in programs().into_iter().chain([("recorded".into(), recorded)]) {
        let tree = parse(&language, &text);
        let mut captured: BTreeSet<usize> = BTreeSet::new();
        let mut cursor = QueryCursor::new();
        let mut captures = cursor.captures(&query, tree.root_node(), text.as_bytes());
        while let Some((found, index)) = captures.next() {
            let capture = found.captures[*index];
            let is_plain = names[capture.index as usize].starts_with("variable")
                && capture.node.kind() != "self";
            if !is_plain {
                captured.insert(capture.node.id());
            }
        }
        uncoloured(tree.root_node(), &text, &captured, &mut coloured, &path.to_string_lossy());
    }
    let missing: Vec<&str> =
        syntax::keywords().into_iter().filter(|word| !coloured.contains(*word)).collect();
    assert!(missing.is_empty(), "no program has these, or they have no colour: {missing:?}");
}

/// Every leaf that is a word of the language is captured; which words there are is noted.
fn uncoloured(
    node: Node<'_>,
    text: &str,
    captured: &BTreeSet<usize>,
    words: &mut BTreeSet<String>,
    path: &str,
) {
    let said = &text[node.byte_range()];
    let is_leaf = node.child_count() == 0;
    let is_language = !node.is_named() || matches!(node.kind(), "infinity" | "self");
    if is_leaf && is_language && is_word(said) {
        let row = node.start_position().row + 1;
        assert!(captured.contains(&node.id()), "{path}:{row}: `{said}` has no colour");
        words.insert(said.to_owned());
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        uncoloured(child, text, captured, words, path);
    }
}

#[test]
fn the_names_of_the_language_are_coloured_as_such() {
    let query = editors("tree-sitter-serq/queries/highlights.scm");
    let listed = |capture: &str| -> BTreeSet<String> {
        let (_, list) = query.split_once(&format!("(#any-of? @{capture}")).unwrap();
        let (list, _) = list.split_once(')').unwrap();
        list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let of = |kinds: &[Kind]| -> BTreeSet<String> {
        let words = WORDS.iter().filter(|word| kinds.contains(&word.kind));
        words.map(|word| word.name.to_owned()).collect()
    };
    assert_eq!(listed("function.builtin"), of(&[Kind::Function]));
    assert_eq!(listed("variable.builtin"), of(&[Kind::BuiltIn, Kind::OfMoment]));
}

/// With `TREE_SITTER` set to the command of that name, version 0.26: the generated files are those
/// of the grammar.
#[test]
fn the_parser_is_that_of_the_grammar() {
    let Some(command) = std::env::var_os("TREE_SITTER") else { return };
    let source = project().join("docs/editors/tree-sitter-serq");
    let folder = tempfile::tempdir().unwrap();
    for name in ["grammar.js", "tree-sitter.json"] {
        std::fs::copy(source.join(name), folder.path().join(name)).unwrap();
    }
    let mut generate = Command::new(command);
    assert!(
        generate
            .args(["generate", "--abi", "14"])
            .current_dir(folder.path())
            .status()
            .unwrap()
            .success()
    );
    for name in ["parser.c", "grammar.json", "node-types.json"] {
        let read = |folder: &Path| std::fs::read(folder.join("src").join(name)).unwrap();
        assert!(read(folder.path()) == read(&source), "{name} is of another grammar");
    }
}

#[test]
fn the_other_queries_fit_the_grammar() {
    let language = language();
    for name in ["folds", "indents"] {
        let query = editors(&format!("tree-sitter-serq/queries/{name}.scm"));
        Query::new(&language, &query).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}
