//! The one space of names: what each item declares, and what is said twice.

use super::context::Resolver;
use super::errors;
use super::functions;
use super::moments;
use super::queues::{PullDecl, QueueDecl};
use super::scope::ScopeKind;
use crate::index::Kind;
use crate::ir::{self, Expr, ExprKind, ParamId, PoolId, QueueId, SiteId, StageId, Ty};
use crate::span::Span;
use crate::syntax::ast::{self, ItemKind, Name};

/// What a name of the program means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    /// A `let`.
    Param(ParamId),
    /// A definition: index into the resolver's.
    Def(usize),
    /// A pool at top level.
    Pool(PoolId),
    /// A stage at top level.
    Stage(StageId),
    /// A queue, and its own stage.
    Queue(QueueId),
}

/// A name and where it is declared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named {
    /// What it is.
    pub symbol: Symbol,
    /// The name in its declaration.
    pub span: Span,
    /// The place of the item in the order of items.
    pub item: usize,
}

/// A definition.
pub(super) struct Def<'a> {
    /// Its name.
    pub name: &'a Name,
    /// Its parameters.
    pub params: &'a [Name],
    /// What it stands for.
    pub body: DefBody<'a>,
    /// The place of the item in the order of items.
    pub item: usize,
}

/// What a definition stands for.
#[derive(Clone, Copy)]
pub(super) enum DefBody<'a> {
    /// An expression.
    Expr(&'a ast::Expr),
    /// Statements.
    Block(&'a ast::Block),
}

impl Symbol {
    /// What it is, with its article.
    pub fn describe(self) -> &'static str {
        match self {
            Symbol::Param(_) => "a constant",
            Symbol::Def(_) => "a definition",
            Symbol::Pool(_) => "a pool",
            Symbol::Stage(_) => "a stage",
            Symbol::Queue(_) => "a queue",
        }
    }
}

/// Functions whose names a program may give to something else: they are told apart by what follows.
const ALSO_ATTRIBUTES: [&str; 2] = ["leased", "up"];

/// What a name of the language is, when it is one that no program may take.
pub(super) fn reserved(name: &str) -> Option<&'static str> {
    if moments::context(name).is_some() {
        Some("a name of the language's own")
    } else if functions::function(name).is_some() && !ALSO_ATTRIBUTES.contains(&name) {
        Some("a function")
    } else {
        None
    }
}

impl<'a> Resolver<'a> {
    /// Gives every item its id and every name its meaning.
    pub fn declare(&mut self) {
        let mut params = 0;
        for (index, item) in self.items.clone().into_iter().enumerate() {
            match &item.kind {
                ItemKind::Let { name, .. } => {
                    self.name(name, Symbol::Param(ParamId(params)), index);
                    params += 1;
                }
                ItemKind::DefExpr { name, params, body } => {
                    self.define(name, params, DefBody::Expr(body), index);
                }
                ItemKind::DefBlock { name, params, body } => {
                    self.define(name, params, DefBody::Block(body), index);
                }
                ItemKind::Pool(pool) => {
                    let id = self.add_pool(pool.name.kind.clone(), None, pool.name.span);
                    self.name(&pool.name, Symbol::Pool(id), index);
                }
                ItemKind::Stage { name, .. } => {
                    let id = self.add_stage(name.kind.clone(), None, name.span);
                    self.name(name, Symbol::Stage(id), index);
                }
                ItemKind::Queue(queue) => self.declare_queue(queue, index),
                ItemKind::Workload { .. } | ItemKind::Session { .. } | ItemKind::Server { .. } => {
                    self.note_side(item, index);
                }
                ItemKind::Pull { reader, source, by, latency, .. } => {
                    let (by, latency) = (*by, latency.as_ref());
                    self.declare_relation(PullDecl { reader, source, by, latency, item: index });
                }
                ItemKind::Use { .. }
                | ItemKind::Share { .. }
                | ItemKind::Fail { .. }
                | ItemKind::Gauge { .. }
                | ItemKind::Run { .. } => {}
            }
        }
        self.collect_attributes();
    }

    fn define(&mut self, name: &'a Name, params: &'a [Name], body: DefBody<'a>, item: usize) {
        let id = self.defs.len();
        self.defs.push(Def { name, params, body, item });
        self.name(name, Symbol::Def(id), item);
        self.unique_params(params);
    }

    /// Reports parameters of one name.
    pub fn unique_params(&mut self, params: &'a [Name]) {
        for (index, param) in params.iter().enumerate() {
            self.note_declared(Kind::Parameter, || param.kind.clone(), param.span);
            if functions::function(&param.kind).is_some() {
                self.diagnostics.push(errors::names::reserved(param, "a function"));
            }
            if let Some(first) = params[..index].iter().find(|p| p.kind == param.kind) {
                self.diagnostics.push(errors::names::param_twice(param, first.span));
            }
        }
    }

    /// Enters a name into the one space.
    pub fn name(&mut self, name: &'a Name, symbol: Symbol, item: usize) {
        self.note_declared(symbol.kind(), || name.kind.clone(), name.span);
        if let Some(taken) = self.names.get(name.kind.as_str()) {
            let found = errors::names::declared_twice(name, taken.symbol.describe(), taken.span);
            self.diagnostics.push(found);
            return;
        }
        if let Some(what) = self.taken_by_language(&name.kind) {
            // Kept all the same, so that its uses are not reported as well.
            self.diagnostics.push(errors::names::reserved(name, what));
        }
        self.names.insert(&name.kind, Named { symbol, span: name.span, item });
    }

    /// Why no program may declare `name`, if it may not.
    pub fn taken_by_language(&self, name: &str) -> Option<&'static str> {
        reserved(name)
            .or_else(|| functions::builtin(name, self.has_trace).map(|_| "a built-in attribute"))
    }

    /// Adds a pool, its options to follow.
    pub fn add_pool(&mut self, name: String, queue: Option<QueueId>, span: Span) -> PoolId {
        let cap = self.unset(span);
        self.program.pools.push(ir::Pool {
            name,
            size: None,
            queue,
            cap,
            block: None,
            evict: ir::Evict::Lru,
            lifo: false,
            prefix_shared: false,
            queue_keys: Vec::new(),
            admit_via: None,
            spill: None,
            span,
        });
        PoolId(self.program.pools.len() as u32 - 1)
    }

    /// Adds a stage, its kind to follow.
    pub fn add_stage(&mut self, name: String, queue: Option<QueueId>, span: Span) -> StageId {
        self.program.stages.push(ir::Stage {
            name,
            size: None,
            ranks: None,
            queue,
            kind: ir::StageKind::Delay,
            shared: false,
            span,
        });
        StageId(self.program.stages.len() as u32 - 1)
    }

    /// What stands for an option that is not said: `inf`.
    fn unset(&mut self, span: Span) -> Expr {
        let scope = self.scope(None, ScopeKind::Item { item: 0 });
        let site = self.site(span, scope);
        unlimited(site)
    }

    /// The declaration of a queue.
    pub fn queue(&self, id: QueueId) -> &QueueDecl<'a> {
        &self.queues[id.index()]
    }

    /// What a name of the program means.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.names.get(name).map(|named| named.symbol)
    }
}

/// `inf`
pub(super) fn unlimited(site: SiteId) -> Expr {
    Expr { kind: ExprKind::Num(f64::INFINITY), ty: Ty::Num, site }
}
