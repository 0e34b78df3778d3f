//! The emitted Rust: one crate (or one module) per program.
//!
//! In: the IR, its [`Machine`] and its [`Plan`]. Out: text that reads like code written by hand for
//! this one deployment: `Params` (the `let`s), one struct per queue member, `Session` with the
//! attributes, the session's states, cost and key functions, gauges, and the wiring
//! (`impl World for Model`). Every part stands under the source line it came from. Cannot fail.

mod aggregates;
mod choose;
mod comments;
mod draws;
mod engines;
mod expr;
mod failures;
mod holds;
mod inline;
mod kept;
mod keys;
mod legs;
mod members;
mod names;
mod numbers;
mod params;
mod readings;
mod record;
mod repeats;
mod scope;
mod session;
mod sources;
mod tables;
mod workload;
mod world;

use crate::{
    ir::{Program, SiteId},
    machine::{self, Machine},
    plan::{self, Plan},
    span::{FileId, Span},
};
use names::{Namespace, local, pascal, screaming, snake};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;
use std::{
    cell::{Cell, RefCell},
    collections::{BTreeSet, HashMap},
};

/// A crate's text.
#[derive(Clone, Debug)]
pub struct EmittedCrate {
    /// The crate's name in snake case: `llmd_nixl_pull`.
    pub name: String,
    /// The text of `src/main.rs`.
    pub main_rs: String,
}

/// The program as a binary crate that depends on `serq-runtime` with its feature `cli`.
pub fn emit_crate(program: &Program) -> EmittedCrate {
    let items = items(program, Remarks::Kept);
    let name = snake(&program.name);
    let about = format!(
        " {}: a serQ program as native code.\n\n Emitted by serqc from {}; edit that file, not this one.",
        comments::visible(&program.name),
        comments::visible(file_name(&program.sources.files[0].name)),
    );
    let lines = about.split('\n');
    let file = quote! {
        #(#![doc = #lines])*
        #![forbid(unsafe_code)]
        use serq_runtime::prelude::*;

        #items

        fn main() -> std::process::ExitCode {
            serq_runtime::cli::main::<Model>(SOURCES)
        }
    };
    EmittedCrate { name, main_rs: print(file) + &sources::table(&program.sources) }
}

/// The program as the items of a module: `Model`, `Params` and what they need.
pub fn emit_module(program: &Program) -> String {
    let items = items(program, Remarks::Kept);
    print(quote! {
        use serq_runtime::prelude::*;

        #items
    })
}

pub use inline::emit_inline;

/// Whether source lines stand as comments above what they became.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Remarks {
    /// Somebody may read it.
    Kept,
    /// Only rustc does.
    Left,
}

fn print(tokens: TokenStream) -> String {
    let mut file: syn::File = syn::parse2(tokens).expect("emitted tokens are a Rust file");
    record::name_records(&mut file);
    comments::restore(&prettyplease::unparse(&file))
}

/// Whether the name `ident` occurs in a piece of code.
fn mentions(code: &TokenStream, ident: &str) -> bool {
    code.clone().into_iter().any(|tree| match tree {
        TokenTree::Ident(found) => found == ident,
        TokenTree::Group(group) => mentions(&group.stream(), ident),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// States of a program that go straight on in each other at most: without optimization each takes room on the stack.
const MOST_STRAIGHT: usize = 1000;

fn items(program: &Program, remarks: Remarks) -> TokenStream {
    let machine = machine::build(program);
    let plan = plan::plan(program, &machine);
    let emitter = Emitter {
        ir: program,
        machine: &machine,
        plan: &plan,
        names: Names::of(program, &machine, &plan),
        sites: RefCell::default(),
        odd: RefCell::new(BTreeSet::new()),
        reads_params: Cell::new(false),
        reads_estimates: Cell::new(false),
        straight: !program.holds.is_empty()
            && machine.states.len() <= MOST_STRAIGHT
            && !machine.loops(),
        remarks,
    };
    emitter.items()
}

/// Type names that the emitted module uses, so that no queue may take them.
const RUNTIME_TYPES: &[&str] = &[
    "Model",
    "Params",
    "Session",
    "Pool",
    "Fifo",
    "Ps",
    "Delay",
    "Engine",
    "Link",
    "Kernel",
    "World",
    "Settings",
    "Header",
    "ClaimNow",
    "PoolKey",
    "StageKey",
    "Sid",
    "Next",
    "Keys",
    "Iteration",
    "Totals",
    "Resident",
    "EvictView",
    "PoolSpec",
    "StageSpec",
    "HoldSpec",
    "KeptOf",
    "KeptSpec",
    "StageType",
    "SourceSite",
    "ParamSpec",
    "Refusal",
    "RunDefaults",
    "Arrivals",
    "Share",
    "Mode",
    "Vec",
    "Option",
    "Some",
    "None",
    "Ok",
    "Err",
    "Result",
    "String",
    "Clone",
    "Debug",
    "Default",
    "Drop",
    "FnMut",
    "From",
    "Into",
    "Iterator",
    "IntoIterator",
];

/// Methods of the model besides the session's states.
const METHODS: &[&str] = &[
    "resume",
    "header",
    "cost",
    "budget",
    "chunk",
    "init_block",
    "turn_block",
    "queue_keys",
    "evict_keys",
    "serve_keys",
    "only",
    "spill",
    "arrivals",
    "read_gauges",
    "new",
    "param",
    "cache_clause",
    "lease_clause",
    "ps_capacity",
    "renewal_gap",
    "wait_at",
];

/// What all parts of the emission read.
struct Emitter<'a> {
    ir: &'a Program,
    machine: &'a Machine,
    plan: &'a Plan,
    names: Names,
    /// Places that run-time errors point at, in the order they were first asked for.
    sites: RefCell<Sites>,
    /// Lints of clippy about what the program says, not about how it is put: allowed where it says so.
    odd: RefCell<BTreeSet<&'static str>>,
    /// Emitted code reads a `let` through the model.
    reads_params: Cell<bool>,
    /// Emitted code reads an estimate of a stage.
    reads_estimates: Cell<bool>,
    /// Each state goes on in the next by itself: there are at most [`MOST_STRAIGHT`], sessions hold something, and no way of states without a wait comes
    /// back to where it began.
    straight: bool,
    /// What becomes of source lines.
    remarks: Remarks,
}

/// Places, each once.
#[derive(Default)]
struct Sites {
    list: Vec<Span>,
    /// Their places in the list.
    numbers: HashMap<Span, u32>,
}

/// Identifiers of everything, by id.
struct Names {
    /// Fields of `Params`.
    params: Vec<Ident>,
    /// Fields of `Session`.
    attrs: Vec<Ident>,
    /// The same as variables of a function body.
    locals: Vec<Ident>,
    /// Constants in `mod pools`.
    pools: Vec<Ident>,
    /// Constants in `mod stages`.
    stages: Vec<Ident>,
    /// Constants in `mod holds`.
    holds: Vec<Ident>,
    /// Constants in `mod at`, by state.
    at: Vec<Ident>,
    /// Methods, by state.
    states: Vec<Ident>,
    /// Structs of queues.
    queue_types: Vec<Ident>,
    /// Fields of `Model`, by queue.
    queue_fields: Vec<Ident>,
    /// The pool's field: in its queue's struct, or of `Model`.
    pool_fields: Vec<Ident>,
    /// The stage's field likewise.
    stage_fields: Vec<Ident>,
}

impl Names {
    fn of(program: &Program, machine: &Machine, plan: &Plan) -> Self {
        let all = |taken: &[&str], names: &mut dyn Iterator<Item = String>| -> Vec<Ident> {
            let mut space = Namespace::with(taken);
            names.map(|n| space.ident(n)).collect()
        };
        let mut model = Namespace::with(&["k", "params", "attrs"]);
        let queue_fields = program.queues.iter().map(|q| model.ident(snake(&q.name))).collect();
        let mut inner: Vec<Namespace> =
            program.queues.iter().map(|_| Namespace::with(&[])).collect();
        let mut field = |name: &str, queue: Option<crate::ir::QueueId>| match queue {
            None => model.ident(snake(name)),
            Some(q) => inner[q.index()].ident(own_name(name, &program.queues[q.index()].name)),
        };
        let mut types = Namespace::with(RUNTIME_TYPES);
        let queue_types =
            program.queues.iter().map(|q| types.type_ident(pascal(&q.name))).collect();
        let kept: Vec<String> = (0..plan.kept.tables.len()).flat_map(kept::methods).collect();
        let methods: Vec<&str> =
            METHODS.iter().copied().chain(kept.iter().map(String::as_str)).collect();
        let pool_fields = program.pools.iter().map(|p| field(&p.name, p.queue)).collect();
        let stage_fields = program.stages.iter().map(|s| field(&s.name, s.queue)).collect();
        Names {
            params: params::fields(program),
            attrs: all(&[], &mut program.attrs.iter().map(|a| snake(&a.name))),
            locals: all(&[], &mut program.attrs.iter().map(|a| local(&a.name))),
            pools: all(&[], &mut program.pools.iter().map(|p| screaming(&p.name))),
            stages: all(&[], &mut program.stages.iter().map(|s| screaming(&s.name))),
            holds: all(
                &[],
                &mut program.holds.iter().map(|h| {
                    let of =
                        |c: &crate::ir::Claim| screaming(&program.pools[c.pool.pool.index()].name);
                    h.claims.iter().map(of).collect::<Vec<_>>().join("_")
                }),
            ),
            at: all(&[], &mut machine.states.iter().map(|s| screaming(&s.name))),
            states: all(&methods, &mut machine.states.iter().map(|s| snake(&s.name))),
            queue_types,
            queue_fields,
            pool_fields,
            stage_fields,
        }
    }
}

/// A queue's stage is named as the queue: `P` is the field `serve`; `P.nic` is `nic`.
fn own_name(name: &str, queue: &str) -> String {
    match name.strip_prefix(queue).and_then(|rest| rest.strip_prefix('.')) {
        Some(rest) => snake(rest),
        None => "serve".into(),
    }
}

impl Emitter<'_> {
    fn items(&self) -> TokenStream {
        let params = self.params();
        let session = self.session_struct();
        let states = self.states();
        let holds = self.hold_functions();
        let engines = self.engine_functions();
        let keys = self.key_functions();
        let kept = self.kept_functions();
        let workload = self.workload_functions();
        let world = self.world();
        let odd = self.odd();
        // last: the sites asked for by all of the above
        let tables = self.tables();
        // behind all that reads `let`s
        let members = self.members();
        quote! {
            #params
            #members
            #session

            #[allow(unused_variables #odd)]
            impl Model {
                #workload
                #states
                #holds
                #engines
                #keys
                #kept
            }

            #world
            #tables
        }
    }

    /// Notes a lint that is about what the program says.
    fn is_odd(&self, lint: &'static str) {
        self.odd.borrow_mut().insert(lint);
    }

    /// The lints noted so far, to go on with a list of allowed ones.
    fn odd(&self) -> TokenStream {
        let odd = self.odd.borrow();
        let lints = odd.iter().map(|lint| quote::format_ident!("{lint}"));
        quote!(#(, clippy::#lints)*)
    }

    /// Number of a place in the emitted table of sites.
    fn site(&self, span: Span) -> u32 {
        let Sites { list, numbers } = &mut *self.sites.borrow_mut();
        *numbers.entry(span).or_insert_with(|| {
            list.push(span);
            list.len() as u32 - 1
        })
    }

    /// Number of an IR site in the emitted table.
    fn site_of(&self, id: SiteId) -> u32 {
        self.site(self.ir.sites[id.index()].span)
    }

    /// A file's name without its folder; with it if that is a library named as the program or another library is.
    fn shown_file(&self, id: FileId) -> String {
        let files = &self.ir.sources.files;
        let path = &self.ir.sources.file(id).name;
        let name = file_name(path);
        let named_so = files.iter().filter(|other| file_name(&other.name) == name).count();
        let folder = path[..path.len() - name.len()].trim_end_matches(['/', '\\']);
        comments::visible(&match file_name(folder) {
            "" | "." | ".." => name.to_owned(),
            folder if id.0 > 0 && named_so > 1 => format!("{folder}/{name}"),
            _ => name.to_owned(),
        })
    }

    /// A comment that shows the source line a part came from.
    fn source_line(&self, span: Span) -> TokenStream {
        if self.remarks == Remarks::Left {
            return TokenStream::new();
        }
        let (line, _) = self.ir.sources.line_col(span);
        let text = comments::code_of(self.ir.sources.line_text(span));
        let file = self.shown_file(span.file);
        let text = format!("{text:<70} {file}:{line}");
        quote!(serq_comment!(#text);)
    }

    /// The same for a statement or expression.
    fn source_of(&self, id: SiteId) -> TokenStream {
        self.source_line(self.ir.sites[id.index()].span)
    }

    /// The source line as a doc string.
    fn doc_line(&self, span: Span) -> String {
        format!(" `{}`", comments::code_of(self.ir.sources.line_text(span)))
    }
}
