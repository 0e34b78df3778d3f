//! The index of names: definitions across files, uses, types, values, moments, completion; on
//! programs that are right, wrong, and half written.

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use common::{Files, Texts, programs};
use serq_compiler::index::complete::complete;
use serq_compiler::index::{Entity, Kind};
use serq_compiler::ir::Ty;
use serq_compiler::resolve::{Analysis, Loader, analyse, resolve};
use serq_compiler::span::{FileId, Span};
use serq_compiler::syntax;

/// A program; `‸` marks places.
struct Program {
    texts: Texts,
    marks: Vec<u32>,
    analysis: Analysis,
}

impl Program {
    fn new(text: &str) -> Self {
        Self::with(text, &[])
    }

    fn with(text: &str, files: &[(&str, &str)]) -> Self {
        let mut marks = Vec::new();
        let mut plain = String::new();
        for part in text.split('‸') {
            plain.push_str(part);
            marks.push(plain.len() as u32);
        }
        marks.pop();
        let mut texts = Texts::default();
        texts.0.insert("p.sq".to_owned(), plain);
        texts.0.extend(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
        let analysis = analyse(&texts, "p.sq");
        Program { texts, marks, analysis }
    }

    /// What the name at a mark means.
    fn at(&self, mark: usize) -> Vec<&Entity> {
        let uses = self.analysis.index.at(FileId(0), self.marks[mark]);
        uses.iter().map(|u| &self.analysis.index.entities[u.entity]).collect()
    }

    #[track_caller]
    fn one(&self, mark: usize) -> &Entity {
        match self.at(mark).as_slice() {
            [one] => one,
            other => panic!("{other:?}"),
        }
    }

    fn text(&self, span: Span) -> &str {
        &self.analysis.sources.file(span.file).text[span.start as usize..span.end as usize]
    }

    /// Line and column of every use of what a mark means, those that define it with a `!`.
    fn uses(&self, mark: usize) -> Vec<String> {
        let index = &self.analysis.index;
        let entity = index.at(FileId(0), self.marks[mark])[0].entity;
        let place = |span: Span| {
            let (line, column) = self.analysis.sources.line_col(span);
            format!("{}:{line}:{column}", self.analysis.sources.file(span.file).name)
        };
        let uses = index.uses_of(entity);
        uses.map(|u| format!("{}{}", place(u.span), if u.defines { "!" } else { "" })).collect()
    }

    fn complete(&self, mark: usize) -> BTreeSet<String> {
        let found =
            complete(&self.texts, "p.sq", "p.sq", self.marks[mark] as usize, &self.analysis.index);
        found.into_iter().map(|candidate| candidate.name).collect()
    }

    #[track_caller]
    fn offers(&self, mark: usize, these: &[&str], not_these: &[&str]) {
        let found = self.complete(mark);
        for name in these {
            assert!(found.contains(*name), "`{name}` is not among {found:?}");
        }
        for name in not_these {
            assert!(!found.contains(*name), "`{name}` is among {found:?}");
        }
    }
}

#[test]
fn a_library_s_definition_and_its_uses() {
    let program = Program::with(
        "use \"lib.sq\";\nlet a = ‸twice(3);\nlet b = twice(‸a) + a;\n",
        &[("lib.sq", "// Two of them.\ndef twice(x) = x + x;\ndef unused(y) = twice(y);\n")],
    );
    let twice = program.one(0);
    assert_eq!((twice.kind, twice.doc.as_str()), (Kind::Definition, "Two of them."));
    assert_eq!(
        program.uses(0),
        ["p.sq:2:9", "p.sq:3:9", "lib.sq:2:5!", "lib.sq:3:17"],
        "a definition that nothing uses is read too"
    );
    assert_eq!(program.uses(1), ["p.sq:2:5!", "p.sq:3:15", "p.sq:3:20"]);
    assert_eq!(program.one(1).value, Some(6.0));
    let (link, file) = program.analysis.index.links[0];
    assert_eq!((program.text(link), file), ("\"lib.sq\"", FileId(1)));
    assert_eq!(program.analysis.paths, ["p.sq", "lib.sq"]);
}

const QUEUES: &str = "\
let N = 2;
queue P[N] : prefill {
  pool kv { cap 8; }
  serve step { budget 4; cost tokens; memory ‸kv; }
  nic ps(1);
  ‸prefill (prompt) { hold kv (‸prompt) { prefill (prompt); set c = cached; } lease kv (inf); }
}
queue D : decode {
  pool kv { cap 8; }
  nic ps(1);
  decode (prompt) from src {
    hold kv (1) { transfer (1) from ‸src to kv (1); mark done; }
  }
  decode (prompt) { }
}
D pull ‸P share maxmin;
session {
  set prompt = 3;
  P[‸0].‸prefill (prompt);
  D.decode (‸prompt) from P[0];
  observe done = D.‸done + P.‸c + budget_left(‸P[1]);
}
";

#[test]
fn queues_and_what_they_own() {
    let program = Program::new(QUEUES);
    assert_eq!(program.analysis.diagnostics.len(), 0, "{:?}", program.analysis.diagnostics);
    let kinds: Vec<(&str, Kind)> = [0, 1, 2, 3, 4, 6, 7, 8, 9, 10]
        .map(|mark| program.one(mark))
        .map(|entity| (entity.name.as_str(), entity.kind))
        .to_vec();
    assert_eq!(
        kinds,
        [
            ("P.kv", Kind::Pool),
            ("P.prefill", Kind::Entry),
            ("prompt", Kind::Parameter),
            ("src", Kind::Source),
            ("P", Kind::Queue),
            ("P.prefill", Kind::Entry),
            ("prompt", Kind::Attribute),
            ("D.done", Kind::Attribute),
            ("P.c", Kind::Attribute),
            ("P", Kind::Queue),
        ]
    );
    assert_eq!(program.uses(0), ["p.sq:3:8!", "p.sq:4:46", "p.sq:6:27", "p.sq:6:83"]);
    assert_eq!(program.uses(2), ["p.sq:6:12!", "p.sq:6:31", "p.sq:6:50"]);
    assert_eq!(program.uses(9), ["p.sq:6:63!", "p.sq:21:29"]);
    assert_eq!(program.uses(7), ["p.sq:18:7!", "p.sq:19:17", "p.sq:20:13"]);
}

#[test]
fn types_values_and_what_is_hidden() {
    let program = Program::new(
        "let ‸big = 2 > 1; // which\nlet n = 1_0 * 3;\nlet m = ‸n / 4;\n\
         stage s : delay;\nworkload { arrive batch(1); hidden ‸o; init { set o = 2; set yes = 1 < 2; } }\n\
         session { run s (o); observe a = ‸yes; observe b = ‸turn_no + big + m; }\nrun { horizon 1; }",
    );
    let big = program.one(0);
    assert_eq!((big.ty, big.value, big.doc.as_str()), (Some(Ty::Bool), Some(1.0), "which"));
    assert_eq!(program.one(1).value, Some(30.0));
    assert!(program.one(2).hidden);
    assert_eq!(program.one(3).ty, Some(Ty::Bool));
    let builtin = program.one(4);
    assert_eq!(builtin.kind, Kind::BuiltIn);
    assert!(builtin.doc.contains("turn") && builtin.definitions.is_empty());
}

#[test]
fn one_text_of_a_definition_means_what_each_use_gives_it() {
    let program = Program::new(
        "def take() { hold ‸kv (1) { } }\n\
         queue A : prefill { pool kv { cap 1; } prefill (p) { take(); } }\n\
         queue B : decode { pool kv { cap 1; } decode (p) { take(); } }\n\
         session { A.prefill (1); B.decode (1); }",
    );
    let names: Vec<&str> = program.at(0).iter().map(|entity| entity.name.as_str()).collect();
    assert_eq!(names, ["A.kv", "B.kv"]);
}

#[test]
fn expressions_are_read_at_their_moments() {
    let program = Program::new(
        "def load() = ‸1 + now;\n\
         stage e : step { budget ‸8; cost ‸load() * tokens; serve by (load()); }\n\
         pool kv { cap ‸4; queue by (waited‸); }\nsession { hold kv (1) { run e (‸2); } }",
    );
    let moments = |mark: usize| {
        let reading = program.analysis.index.reading_at(FileId(0), program.marks[mark]);
        reading.map(|r| r.positions.iter().map(|(_, moment)| *moment).collect::<Vec<_>>())
    };
    assert_eq!(moments(0), Some(vec!["serve", "step"]));
    assert_eq!(moments(1), Some(vec!["plan"]));
    assert_eq!(moments(2), Some(vec!["step"]));
    assert_eq!(moments(3), Some(vec!["constant"]));
    assert_eq!(moments(4), Some(vec!["admission"]));
    assert_eq!(moments(5), Some(vec!["session"]));
}

#[test]
fn half_a_program_is_known_as_far_as_it_goes() {
    let program = Program::new(
        "let a = 1;\npool kv { cap ‸a; evict ; }\nsession { set x = ; hold ‸kv (a) { set y = ‸y + 1; } }",
    );
    assert!(program.analysis.diagnostics.iter().all(|d| d.code.starts_with("S00")));
    assert_eq!(program.analysis.diagnostics.len(), 2);
    assert_eq!(program.one(0).value, Some(1.0));
    assert_eq!(program.one(1).kind, Kind::Pool);
    assert_eq!(program.one(2).kind, Kind::Attribute);
}

#[test]
fn completion_offers_what_the_moment_has() {
    let program = Program::new(
        "let size_1 = 1;\ndef f(x) = x; def act() { }\n\
         stage e : step { cost ‸tokens; budget ‸8; }\nstage d : delay;\n\
         pool kv { cap ‸1; evict by (‸age); admit via ‸e; }\n\
         workload { arrive poisson(1); turn { set n = 1; } }\n\
         session { set own = 1; ‸\n hold ‸kv (1) { run ‸d (n); } observe w = ‸n;\n set q = used(‸kv); set r = ~‸exp(1); }\n",
    );
    program.offers(
        0,
        &["tokens", "attention", "size_1", "residents"],
        &["decoding", "own", "exp_"],
    );
    program.offers(1, &["residents", "now", "min", "f", "size_1"], &["tokens", "own", "serial"]);
    program.offers(2, &["size_1", "floor"], &["now", "own", "used", "budget_left"]);
    program.offers(3, &["age", "waiting", "own", "n"], &["tokens", "waited"]);
    program.offers(4, &["e"], &["kv", "size_1"]);
    program.offers(5, &["hold", "act", "observe", "branch"], &["f", "cap", "tokens"]);
    program.offers(6, &["kv"], &["e", "d", "n", "hold"]);
    program.offers(7, &["d", "e"], &["kv", "n"]);
    program.offers(8, &["own", "n", "now", "serial", "cached"], &["tokens", "size"]);
    program.offers(9, &["kv"], &["e", "d", "own"]);
    program.offers(10, &["exp", "bernoulli"], &["used", "own"]);
}

#[test]
fn completion_in_queues_and_unfinished_blocks() {
    let program = Program::new(
        &QUEUES.replace('‸', "").replace("  set prompt = 3;\n", "  set prompt = 3; P[0].‸\n"),
    );
    program.offers(0, &["prefill"], &["kv", "hold", "prompt"]);
    let program = Program::new(&QUEUES.replace('‸', "").replace("D.done", "D.‸"));
    program.offers(0, &["done"], &["prompt", "N"]);
    let program =
        Program::new("let lam = 2;\nstage s : delay;\nsession { set t = now; loop { run ‸");
    program.offers(0, &["s"], &["t", "lam"]);
    let program = Program::new("let lam = 2;\nsession { set tick = now; branch (‸");
    program.offers(0, &["tick", "lam", "now"], &["tokens"]);
    let program = Program::new("let lam = 2;\nsession { set x = max(1, min(‸");
    program.offers(0, &["lam", "floor", "now"], &["tokens"]);
    let program = Program::new("def f(x, y) = x; let lam = 2; let mu = f(‸");
    program.offers(0, &["lam"], &["mu", "now"]);
    let program = Program::new("// no ‸names here\nlet a = 1‸; ‸");
    assert_eq!(program.complete(0), BTreeSet::new());
    assert_eq!(program.complete(1), BTreeSet::new());
    program.offers(2, &["queue", "session"], &["a", "hold"]);
}

/// On every program: an index exists, says the same twice, lies in the text, and diagnostics are
/// those of a compilation.
#[test]
fn every_program_of_the_project_has_an_index() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = Vec::new();
    for folder in ["examples", "lib", "tests/conformance", "tests/data"] {
        all.extend(programs(&root.join(folder)));
    }
    assert!(all.len() > 700, "{}", all.len());
    for path in all {
        let path = path.to_string_lossy();
        let analysis = analyse(&Files, &path);
        let said = match resolve(&Files, &path, &[]) {
            Ok((_, warnings)) => {
                every_name_is_known(&path, &analysis);
                warnings
            }
            Err(failure) => failure.diagnostics,
        };
        assert_eq!(analysis.diagnostics, said, "{path}");
        let again = analyse(&Files, &path);
        assert_eq!(format!("{:?}", again.index), format!("{:?}", analysis.index), "{path}");
        for one in &analysis.index.uses {
            let text = &analysis.sources.file(one.span.file).text;
            assert!(text.get(one.span.start as usize..one.span.end as usize).is_some(), "{path}");
        }
    }
}

/// In a program that is right every name in an expression means something.
fn every_name_is_known(path: &str, analysis: &Analysis) {
    let known: BTreeSet<Span> = analysis.index.uses.iter().map(|u| u.span).collect();
    let keywords = syntax::keywords();
    for file in 0..analysis.sources.files.len() as u32 {
        let source = analysis.sources.file(FileId(file));
        for (start, end) in syntax::words(&source.text) {
            let span = Span { file: FileId(file), start, end };
            let text = &source.text[start as usize..end as usize];
            if !known.contains(&span) && !keywords.contains(text) {
                panic!(
                    "{path}: `{text}` in {} at {:?} means nothing",
                    source.name,
                    analysis.sources.line_col(span)
                );
            }
        }
    }
    assert!(Files.load(path).is_ok());
}

/// A program that ends anywhere, as while it is typed: nothing breaks, and what is offered at its
/// end is never the same name twice.
#[test]
fn programs_that_end_anywhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let all: Vec<_> =
        ["examples", "tests/conformance"].iter().flat_map(|f| programs(&root.join(f))).collect();
    let mut offered = 0;
    for (number, path) in all.iter().step_by(29).enumerate() {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        for part in 1..4 {
            let mut end = (text.len() * part / 4 + number) % (text.len() + 1);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            let mut texts = Texts::default();
            texts.0.insert("p.sq".to_owned(), text[..end].to_owned());
            let analysis = analyse(&texts, "p.sq");
            let found = complete(&texts, "p.sq", "p.sq", end, &analysis.index);
            offered += found.len();
            let all: Vec<_> = found.iter().map(|one| (one.kind, &one.name)).collect();
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{path:?} {end}");
        }
    }
    assert!(offered > 500, "{offered}");
}
