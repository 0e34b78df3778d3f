//! Queues: roles, what each owns, and the relations between them.

use std::collections::HashMap;

use super::context::Resolver;
use super::errors;
use super::names::Symbol;
use crate::index::Kind;
use crate::ir::{self, PoolId, QueueId, StageId};
use crate::span::Span;
use crate::syntax::ast::{self, Block, Expr, Mover, Name, QueueItemKind};

/// What a queue is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// Routes what is requested of it.
    Gateway,
    /// Prefills.
    Prefill,
    /// Decodes.
    Decode,
    /// Carries.
    Link,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 4] = [Role::Gateway, Role::Prefill, Role::Decode, Role::Link];

    /// As written.
    pub fn name(self) -> &'static str {
        match self {
            Role::Gateway => "gateway",
            Role::Prefill => "prefill",
            Role::Decode => "decode",
            Role::Link => "link",
        }
    }

    fn named(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }

    /// The verb of its entries.
    pub fn verb(self) -> &'static str {
        match self {
            Role::Gateway => "route",
            Role::Prefill => "prefill",
            Role::Decode => "decode",
            Role::Link => "transfer",
        }
    }
}

/// An entry as written.
pub(super) struct EntryDecl<'a> {
    pub verb: &'a Name,
    pub params: &'a [Name],
    pub from: Option<&'a Name>,
    pub body: &'a Block,
}

/// A queue as written, with its ids.
pub(super) struct QueueDecl<'a> {
    pub ast: &'a ast::Queue,
    pub item: usize,
    pub roles: Vec<Role>,
    pub pools: Vec<(&'a Name, PoolId, &'a ast::Pool)>,
    /// The stage that `serve` names, its kind and the latency.
    pub stage: Option<(StageId, &'a ast::StageKind)>,
    pub nic: Option<(StageId, &'a ast::StageKind)>,
    /// NICs of each member, if that was said.
    pub ranks: Option<&'a Expr>,
    /// A link's wait before each transfer over it.
    pub latency: Option<(StageId, &'a Expr)>,
    /// The stage of the waits before the copies that it posts, `Q.nic.latency`.
    pub copy_latency: Option<StageId>,
    /// The wait before each copy to it: of the queue that posts it, on that one's stage.
    pub read_latency: Option<(QueueId, StageId, &'a Expr)>,
    pub entries: Vec<EntryDecl<'a>>,
    /// The queue that its KV comes from.
    pub source: Option<QueueId>,
}

impl QueueDecl<'_> {
    pub fn is_gateway(&self) -> bool {
        self.roles.contains(&Role::Gateway)
    }

    pub fn is_link(&self) -> bool {
        self.roles.contains(&Role::Link)
    }

    pub fn pool(&self, name: &str) -> Option<PoolId> {
        self.pools.iter().find(|(own, ..)| own.kind == name).map(|(_, id, _)| *id)
    }

    /// The stage called `Q.name`, or the queue's own for no name.
    pub fn stage(&self, name: &str) -> Option<StageId> {
        match name {
            "" => self.stage.map(|(id, _)| id),
            "nic" => self.nic.map(|(id, _)| id),
            "latency" => self.latency.map(|(id, _)| id),
            "nic.latency" => self.copy_latency,
            _ => None,
        }
    }
}

/// A relation as written.
#[derive(Clone, Copy)]
pub(super) struct PullDecl<'a> {
    pub reader: &'a Name,
    pub source: &'a Name,
    /// Which of the two posts the copies.
    pub by: Mover,
    pub latency: Option<&'a Expr>,
    pub item: usize,
}

impl<'a> Resolver<'a> {
    /// Notes that KV goes from a queue to another, which declares a stage of the one that posts the copies here: where
    /// the wait stands among the stages is where the relation stands. A queue that pushes to several has one stage.
    pub fn declare_relation(&mut self, pull: PullDecl<'a>) {
        let poster = match pull.by {
            Mover::Reader => pull.reader,
            Mover::Source => pull.source,
        };
        let id_of = |name: &Name| match self.names.get(name.kind.as_str())?.symbol {
            Symbol::Queue(id) => Some(id),
            _ => None,
        };
        let ends = id_of(pull.reader).zip(id_of(poster));
        if let (Some((reader, id)), Some(latency)) = (ends, pull.latency)
            && self.queue(reader).read_latency.is_none()
        {
            let stage = match self.queue(id).copy_latency {
                Some(stage) => stage,
                None => {
                    let name = format!("{}.nic.latency", poster.kind);
                    let stage = self.add_stage(name, Some(id), latency.span);
                    self.program.queues[id.index()].stages.push(stage);
                    stage
                }
            };
            self.queues[id.index()].copy_latency = Some(stage);
            self.queues[reader.index()].read_latency = Some((id, stage, latency));
        }
        self.sides.pulls.push(pull);
    }

    /// Declares a queue with all that it owns.
    pub fn declare_queue(&mut self, queue: &'a ast::Queue, item: usize) {
        let id = QueueId(self.queues.len() as u32);
        if matches!(queue.name.kind.as_str(), "prefill" | "decode" | "tool" | "transfer" | "link") {
            self.diagnostics.push(errors::queues::serving_word(&queue.name));
        }
        self.name(&queue.name, Symbol::Queue(id), item);
        let mut decl = QueueDecl {
            ast: queue,
            item,
            roles: self.roles(queue),
            pools: Vec::new(),
            stage: None,
            nic: None,
            ranks: None,
            latency: None,
            copy_latency: None,
            read_latency: None,
            entries: Vec::new(),
            source: None,
        };
        let said = &queue.name.kind;
        let mut clauses: HashMap<&'static str, Span> = HashMap::new();
        let (mut serve, mut nic) = (None, None);
        for part in &queue.items {
            match &part.kind {
                QueueItemKind::Pool(pool) => {
                    if let Some((first, ..)) =
                        decl.pools.iter().find(|(own, ..)| own.kind == pool.name.kind)
                    {
                        let found = errors::names::declared_twice(&pool.name, "a pool", first.span);
                        self.diagnostics.push(found);
                        continue;
                    }
                    let name = format!("{said}.{}", pool.name.kind);
                    self.note_declared(Kind::Pool, || name.clone(), pool.name.span);
                    let pool_id = self.add_pool(name, Some(id), pool.name.span);
                    decl.pools.push((&pool.name, pool_id, pool));
                }
                QueueItemKind::Serve { kind, latency } => {
                    if self.once(&mut clauses, "serve", part.span) {
                        serve = Some((kind, latency.as_ref(), part.span));
                    }
                }
                QueueItemKind::Nic { ranks, kind } => {
                    if self.once(&mut clauses, "nic", part.span) {
                        nic = Some((kind, part.span));
                        decl.ranks = ranks.as_ref();
                    }
                }
                QueueItemKind::Entry { verb, params, from, body } => {
                    self.unique_params(params);
                    let from = from.as_ref();
                    self.note_declared(Kind::Entry, || format!("{said}.{}", verb.kind), verb.span);
                    if let Some(from) = from {
                        self.note_declared(Kind::Source, || from.kind.clone(), from.span);
                    }
                    decl.entries.push(EntryDecl { verb, params, from, body });
                }
            }
        }
        for span in serve.iter().map(|s| s.2) {
            self.note_declared(Kind::Stage, || said.clone(), span);
        }
        for span in nic.iter().map(|n| n.1) {
            self.note_declared(Kind::Stage, || format!("{said}.nic"), span);
        }
        if let Some((kind, latency, span)) = serve {
            decl.stage = Some((self.add_stage(said.clone(), Some(id), span), kind));
            if let Some(latency) = latency {
                if decl.is_link() {
                    let stage = self.add_stage(format!("{said}.latency"), Some(id), latency.span);
                    decl.latency = Some((stage, latency));
                } else {
                    self.diagnostics.push(errors::queues::latency_of_no_link(latency.span, said));
                }
            }
        }
        if let Some((kind, span)) = nic {
            // Several NICs per member are a family of their own.
            let owner = decl.ranks.is_none().then_some(id);
            decl.nic = Some((self.add_stage(format!("{said}.nic"), owner, span), kind));
        }
        self.check_owned(&decl);
        self.check_entries(&decl);
        let mut stages: Vec<StageId> = Vec::new();
        stages.extend(decl.stage.map(|(stage, _)| stage));
        stages.extend(decl.nic.filter(|_| decl.ranks.is_none()).map(|(stage, _)| stage));
        stages.extend(decl.latency.map(|(stage, _)| stage));
        stages.sort_unstable();
        self.program.queues.push(ir::Queue {
            name: said.clone(),
            size: None,
            pools: decl.pools.iter().map(|(_, id, _)| *id).collect(),
            stages,
            span: queue.name.span,
        });
        self.queues.push(decl);
    }

    fn roles(&mut self, queue: &'a ast::Queue) -> Vec<Role> {
        let mut roles = Vec::new();
        for name in &queue.roles {
            if self.is_hole(&name.kind) {
                self.offer_roles();
            }
            if Role::named(&name.kind).is_some() {
                self.note_word(Kind::Role, &name.kind, name.span);
            }
            match Role::named(&name.kind) {
                Some(role) if roles.contains(&role) => {
                    self.diagnostics.push(errors::queues::role_twice(name));
                }
                Some(role) => roles.push(role),
                None => self.diagnostics.push(errors::queues::unknown_role(name)),
            }
        }
        roles
    }

    /// True the first time a clause is said; reports it the second time.
    pub fn once(
        &mut self,
        said: &mut HashMap<&'static str, Span>,
        what: &'static str,
        span: Span,
    ) -> bool {
        if let Some(first) = said.get(what) {
            self.diagnostics.push(errors::names::said_twice(span, what, *first));
            return false;
        }
        said.insert(what, span);
        true
    }

    /// A gateway is one queue.
    fn check_owned(&mut self, decl: &QueueDecl<'a>) {
        if !decl.is_gateway() {
            return;
        }
        if let Some(size) = &decl.ast.size {
            self.diagnostics.push(errors::queues::gateway_family(size.span));
        }
    }

    /// Every role has its entries, and every entry a role.
    fn check_entries(&mut self, decl: &QueueDecl<'a>) {
        let name = &decl.ast.name;
        for role in &decl.roles {
            let written = decl.entries.iter().any(|entry| entry.verb.kind == role.verb());
            if !written && *role != Role::Link {
                self.diagnostics.push(errors::queues::entry_missing(name, role.verb()));
            }
            if *role == Role::Link && !written && decl.stage.is_none() {
                self.diagnostics.push(errors::queues::link_without_cost(name));
            }
        }
        if let (Some((_, latency)), Some(_)) =
            (decl.latency, decl.entries.iter().find(|entry| entry.verb.kind == Role::Link.verb()))
        {
            self.diagnostics.push(errors::queues::latency_and_entry(latency.span, &name.kind));
        }
        for (index, entry) in decl.entries.iter().enumerate() {
            let verb = entry.verb;
            if !decl.roles.iter().any(|role| role.verb() == verb.kind) {
                self.diagnostics.push(errors::queues::entry_of_no_role(verb, &name.kind));
            }
            if let Some(from) = entry.from
                && ![Role::Prefill.verb(), Role::Decode.verb()].contains(&verb.kind.as_str())
            {
                self.diagnostics.push(errors::queues::reads_from_nothing(from, &verb.kind));
            }
            let takes = match verb.kind.as_str() {
                "route" => 0,
                _ => 1,
            };
            if entry.params.len() != takes {
                self.diagnostics.push(errors::queues::entry_params(verb, takes));
            }
            let twin = decl.entries[..index]
                .iter()
                .find(|e| e.verb.kind == verb.kind && e.from.is_some() == entry.from.is_some());
            if let Some(first) = twin {
                self.diagnostics.push(errors::queues::entry_twice(verb, first.verb.span));
            }
        }
    }

    /// The relations, once every queue is known.
    pub fn resolve_relations(&mut self) {
        for pull in self.sides.pulls.clone() {
            let reader = self.related(pull.reader, pull.item);
            let source = self.related(pull.source, pull.item);
            let (Some(reader), Some(source)) = (reader, source) else { continue };
            if self.queue(reader).source.is_some() {
                let found = errors::queues::reads_twice(pull.reader);
                self.diagnostics.push(found);
                continue;
            }
            self.queues[reader.index()].source = Some(source);
            if reader == source {
                self.diagnostics.push(errors::queues::reads_itself(pull.source));
            }
            for (queue, name) in [(reader, pull.reader), (source, pull.source)] {
                if self.queue(queue).nic.is_none() {
                    self.diagnostics.push(errors::queues::no_nic(name));
                }
            }
            self.check_ranks(reader, source, pull.source.span);
        }
    }

    fn related(&mut self, name: &'a Name, item: usize) -> Option<QueueId> {
        self.note_symbol(&name.kind, name.span);
        if self.is_hole(&name.kind) {
            self.offer_queues(false);
        }
        match self.names.get(name.kind.as_str()).copied() {
            Some(named) => match named.symbol {
                Symbol::Queue(id) if named.item < item => Some(id),
                Symbol::Queue(_) => {
                    self.diagnostics.push(errors::queues::related_below(name, named.span));
                    None
                }
                other => {
                    self.diagnostics.push(errors::queues::no_queue(name, other.describe()));
                    None
                }
            },
            None => {
                self.diagnostics.push(errors::queues::unknown_queue(name));
                None
            }
        }
    }

    /// How flows share: said once, or by each relation alike.
    pub fn note_share(&mut self, policy: &'a ast::Node<ast::Policy>, by_relation: bool) {
        match self.sides.share {
            Some((first, true)) if by_relation && first.kind == policy.kind => {}
            Some((first, true)) if by_relation => {
                self.diagnostics.push(errors::flows::two_policies(policy.span, first.span));
            }
            Some((first, _)) => {
                self.diagnostics.push(errors::flows::share_twice(policy.span, first.span));
            }
            None => {
                self.sides.share = Some((policy, by_relation));
                self.program.share = Some(policy.kind);
            }
        }
    }
}
