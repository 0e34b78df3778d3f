//! The resolver: what it knows while it works, and the small things everything else uses.

use std::collections::{HashMap, HashSet};

use super::bindings::Binding;
use super::candidates::Hole;
use super::legs::Around;
use super::load::Loader;
use super::moments::Moment;
use super::names::{Def, Named};
use super::notes::Notes;
use super::queues::QueueDecl;
use super::scope::{Scope, ScopeId, ScopeKind};
use super::sides::Sides;
use crate::diag::{Diagnostic, Severity};
use crate::ir::{self, AttrId, Check, Expr, HoldId, ObserveId, SiteId, StageId, VarId};
use crate::span::{SourceMap, Span};
use crate::syntax::ast;

/// An expression's place: what it may name and when it is read.
#[derive(Clone, Copy)]
pub(super) struct At {
    /// Where the text stands.
    pub scope: ScopeId,
    /// When it is read.
    pub moment: Moment,
    /// Inside an index, where `src` is the source member's number.
    pub in_index: bool,
}

/// What a workload's `turn` block is called, among [`Place::Init`].
pub(super) const TURN_BLOCK: &str = "a `turn` block";

/// Which block statements stand in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// `init` or `turn`.
    Init(&'static str),
    /// A top-level session.
    Session,
    /// The workload's session.
    Client,
    /// A server or a gateway's route.
    Server(&'static str),
    /// An entry of a queue.
    Entry,
}

/// A stage that some run takes together with others.
pub(super) struct FlowUse {
    /// The stage.
    pub stage: StageId,
    /// Where it is named.
    pub span: Span,
    /// In which scope.
    pub scope: ScopeId,
}

/// Everything known while resolving.
pub(super) struct Resolver<'a> {
    pub loader: &'a dyn Loader,
    /// The program's path.
    pub path: &'a str,
    pub sources: SourceMap,
    pub files: &'a [ast::File],
    /// Every item in order.
    pub items: Vec<&'a ast::Item>,
    /// The space of names.
    pub names: HashMap<&'a str, Named>,
    pub defs: Vec<Def<'a>>,
    /// By [`ir::QueueId`].
    pub queues: Vec<QueueDecl<'a>>,
    pub sides: Sides<'a>,
    pub scopes: Vec<Scope<'a>>,
    pub bindings: Vec<Binding<'a>>,
    /// What comes out.
    pub program: ir::Program,
    /// Session attributes under `None`, entries' own under their queue.
    pub attrs: HashMap<(Option<ir::QueueId>, String), AttrId>,
    /// Attributes that keep admission bindings, as [`Resolver::attrs`].
    pub kept: HashMap<(Option<ir::QueueId>, String), AttrId>,
    /// Where the text first gives an attribute, among statements that some session executes.
    pub given_at: HashMap<AttrId, Span>,
    pub observes: HashMap<String, ObserveId>,
    /// Holds of which some claim names nothing.
    pub unclear_holds: HashSet<HoldId>,
    /// Enclosing holds, outermost first.
    pub holding: Vec<HoldId>,
    pub place: Place,
    /// Legs, loops and bookings around the text.
    pub around: Around,
    pub has_trace: bool,
    /// It says when its sessions arrive.
    pub recorded: bool,
    /// How many `let`s are known so far.
    pub known_params: usize,
    /// The range of every aggregate's variable.
    pub ranges: HashMap<VarId, Expr>,
    pub flow_uses: Vec<FlowUse>,
    /// Releases outside any hold of the pool: what they name, and where.
    pub loose_releases: Vec<(ir::PoolId, Span, ScopeId)>,
    /// Block sizes that are read: of which pool, and where.
    pub block_reads: Vec<(ir::PoolId, Span, ScopeId)>,
    /// Where pools say `prefix shared`.
    pub sharers: Vec<(ir::PoolId, Span, ScopeId)>,
    /// Where the first `prefix (…)` stands.
    pub prefixes: Option<Span>,
    /// Entries called: queue and index of the entry.
    pub called: HashSet<(ir::QueueId, usize)>,
    /// Gateways requested.
    pub requested: HashSet<ir::QueueId>,
    pub server_requested: bool,
    /// Some request names nothing: what is requested is then not known.
    pub request_failed: bool,
    /// Set when an expansion grew past all measure, to say it once.
    pub overgrown: bool,
    /// Nodes resolved so far.
    pub nodes: u64,
    /// Statements and expressions around the present one.
    pub depth: u32,
    sites: HashMap<(Span, Vec<Span>), SiteId>,
    /// What an index wants to know, if one is made.
    pub notes: Option<Notes>,
    /// Where something is to be completed, if it is.
    pub hole: Option<Hole<'a>>,
    pub diagnostics: Vec<Diagnostic>,
}

/// More expression nodes than any program needs; definitions that double can pass it.
const MOST_NODES: u64 = 500_000;
/// Deepest nesting of statements and expressions once definitions are spelled out: it bounds the
/// stack that this phase and the later ones need.
const DEEPEST: u32 = 300;
/// Deepest nesting of uses and bindings.
const DEEPEST_SCOPE: u32 = 200;

impl<'a> Resolver<'a> {
    pub fn new(
        loader: &'a dyn Loader,
        path: &'a str,
        sources: SourceMap,
        files: &'a [ast::File],
        order: &[(usize, usize)],
    ) -> Self {
        let items = order.iter().map(|(file, item)| &files[*file].items[*item]).collect();
        Resolver {
            loader,
            path,
            sources,
            files,
            items,
            names: HashMap::new(),
            defs: Vec::new(),
            queues: Vec::new(),
            sides: Sides::default(),
            scopes: Vec::new(),
            bindings: Vec::new(),
            program: empty_program(path),
            attrs: HashMap::new(),
            kept: HashMap::new(),
            given_at: HashMap::new(),
            observes: HashMap::new(),
            unclear_holds: HashSet::new(),
            holding: Vec::new(),
            place: Place::Session,
            around: Around::default(),
            has_trace: false,
            recorded: false,
            known_params: 0,
            ranges: HashMap::new(),
            flow_uses: Vec::new(),
            loose_releases: Vec::new(),
            block_reads: Vec::new(),
            sharers: Vec::new(),
            prefixes: None,
            called: HashSet::new(),
            requested: HashSet::new(),
            server_requested: false,
            request_failed: false,
            overgrown: false,
            nodes: 0,
            depth: 0,
            sites: HashMap::new(),
            notes: None,
            hole: None,
            diagnostics: Vec::new(),
        }
    }

    /// The program and every diagnostic once, in the order of the text.
    pub fn finish(mut self) -> (ir::Program, Vec<Diagnostic>) {
        self.program.sources = self.sources;
        let mut seen = HashSet::new();
        let mut diagnostics = self.diagnostics;
        diagnostics.retain(|d| seen.insert((d.code, d.primary.span, d.message.clone())));
        diagnostics.sort_by_key(|d| (d.severity, d.primary.span));
        // Warnings after errors, both in the order of the text.
        (self.program, diagnostics)
    }

    /// Adds a frame.
    pub fn scope(&mut self, parent: Option<ScopeId>, kind: ScopeKind<'a>) -> ScopeId {
        let depth = parent.map_or(0, |p| self.frame(p).depth + 1);
        self.scopes.push(Scope { parent, kind, depth });
        ScopeId(self.scopes.len() as u32 - 1)
    }

    pub fn frame(&self, id: ScopeId) -> &Scope<'a> {
        &self.scopes[id.0 as usize]
    }

    pub fn frame_mut(&mut self, id: ScopeId) -> &mut Scope<'a> {
        &mut self.scopes[id.0 as usize]
    }

    /// The uses that led to a scope, outermost first.
    pub fn used_at(&self, scope: ScopeId) -> Vec<Span> {
        let mut chain = Vec::new();
        let mut next = Some(scope);
        while let Some(id) = next {
            match &self.frame(id).kind {
                ScopeKind::Def { used_at, .. } | ScopeKind::Request { used_at, .. } => {
                    chain.push(*used_at);
                }
                ScopeKind::Entry(entry) => chain.extend(entry.used_at),
                ScopeKind::Item { .. }
                | ScopeKind::Queue { .. }
                | ScopeKind::Family { .. }
                | ScopeKind::Aggregate { .. }
                | ScopeKind::Binding { .. } => {}
            }
            next = self.frame(id).parent;
        }
        chain.reverse();
        chain
    }

    /// The place in the order of items at which a text stands: a definition's is that of its use.
    pub fn item_of(&self, scope: ScopeId) -> usize {
        let mut next = Some(scope);
        while let Some(id) = next {
            match &self.frame(id).kind {
                ScopeKind::Item { item }
                | ScopeKind::Request { item, .. }
                | ScopeKind::Queue { item, .. }
                | ScopeKind::Family { item, .. } => return *item,
                ScopeKind::Entry(entry) => return entry.item,
                ScopeKind::Def { .. } | ScopeKind::Aggregate { .. } | ScopeKind::Binding { .. } => {
                }
            }
            next = self.frame(id).parent;
        }
        0
    }

    /// The entry that a text stands in, if it does.
    pub fn entry_of(&self, scope: ScopeId) -> Option<ScopeId> {
        let mut next = Some(scope);
        while let Some(id) = next {
            match &self.frame(id).kind {
                ScopeKind::Entry(_) => return Some(id),
                ScopeKind::Item { .. }
                | ScopeKind::Request { .. }
                | ScopeKind::Queue { .. }
                | ScopeKind::Family { .. } => return None,
                ScopeKind::Def { .. } | ScopeKind::Aggregate { .. } | ScopeKind::Binding { .. } => {
                }
            }
            next = self.frame(id).parent;
        }
        None
    }

    /// The place of a span, with the uses that led there.
    pub fn site(&mut self, span: Span, scope: ScopeId) -> SiteId {
        let used_at = self.used_at(scope);
        let next = SiteId(self.program.sites.len() as u32);
        let sites = &mut self.program.sites;
        *self.sites.entry((span, used_at)).or_insert_with_key(|(span, used_at)| {
            sites.push(ir::Site { span: *span, used_at: used_at.clone() });
            next
        })
    }

    /// Reports, showing the uses that led to the scope.
    pub fn report(&mut self, mut found: Diagnostic, scope: ScopeId) {
        for used_at in self.used_at(scope).into_iter().rev() {
            found = found.also(used_at, "used here");
        }
        self.diagnostics.push(found);
    }

    /// Whether there are errors so far.
    pub fn failed(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }

    /// Something that must hold of constants; the diagnostic says what is wrong when it does not.
    pub fn require(&mut self, cond: Expr, otherwise: Diagnostic) {
        self.program.checks.push(Check {
            cond,
            code: otherwise.code,
            message: otherwise.message,
            help: otherwise.help,
            span: otherwise.primary.span,
        });
    }

    /// Counts a node; false when the expansion is past all measure.
    pub fn affords(&mut self, span: Span, scope: ScopeId) -> bool {
        self.nodes += 1;
        let shallow = self.depth <= DEEPEST && self.frame(scope).depth <= DEEPEST_SCOPE;
        if self.nodes <= MOST_NODES && shallow {
            return true;
        }
        if !self.overgrown {
            self.overgrown = true;
            self.report(super::errors::defs::overgrown(span), scope);
        }
        false
    }
}

fn empty_program(path: &str) -> ir::Program {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let name = file.strip_suffix(".sq").unwrap_or(file);
    ir::Program {
        name: name.to_owned(),
        sources: SourceMap::default(),
        sites: Vec::new(),
        params: Vec::new(),
        pools: Vec::new(),
        stages: Vec::new(),
        queues: Vec::new(),
        attrs: Vec::new(),
        observes: Vec::new(),
        gauges: Vec::new(),
        vars: Vec::new(),
        holds: Vec::new(),
        workload: ir::Workload {
            arrival: ir::Arrival::None,
            trace: None,
            init: Vec::new(),
            turn: Vec::new(),
        },
        session: Vec::new(),
        share: None,
        failures: Vec::new(),
        run: ir::RunOptions::default(),
        checks: Vec::new(),
        quiet: Vec::new(),
    }
}
