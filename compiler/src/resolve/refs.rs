//! References to pools and stages: which family, and which member of it.

use super::context::{At, Resolver};
use super::errors;
use super::names::Symbol;
use super::notes::Meaning;
use super::ranks::NIC;
use super::scope::{Given, ScopeId, ScopeKind};
use crate::ir::{Expr, ExprKind, PoolId, PoolRef, QueueId, SiteId, StageId, StageRef, Ty};
use crate::span::Span;
use crate::syntax::ast::{self, Name};

/// What a reference is used for; an entry may read, hold and run different things.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    /// An expression reads it.
    Read,
    /// A statement acts on it: the verb, for messages.
    Act(&'static str),
}

/// A family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    /// Of pools.
    Pool(PoolId),
    /// Of stages.
    Stage(StageId),
}

/// Which kind of family is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Want {
    /// A pool.
    Pool,
    /// A stage.
    Stage,
}

/// One name of a path.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    /// The name.
    pub name: &'a str,
    /// Where it stands.
    pub span: Span,
}

impl<'a> From<&'a Name> for Part<'a> {
    fn from(name: &'a Name) -> Self {
        Part { name: &name.kind, span: name.span }
    }
}

/// A reference as written, parameters not yet replaced.
#[derive(Clone)]
pub(super) struct Written<'a> {
    /// The dotted names.
    pub path: Vec<Part<'a>>,
    /// The index, and where its text stands.
    pub index: Option<Given<'a>>,
    /// How many names stand before the index.
    pub after: usize,
    /// A second index, behind all names.
    pub rank: Option<Given<'a>>,
    /// The whole.
    pub span: Span,
    /// Where it stands.
    pub scope: ScopeId,
}

/// A member of a family.
pub(super) struct Member {
    /// The family.
    pub family: Family,
    /// Which; `None`: the only one.
    pub index: Option<Box<Expr>>,
    /// For an error of the index.
    pub site: SiteId,
}

impl<'a> Written<'a> {
    /// A reference of the grammar.
    pub fn of_ref(reference: &'a ast::Ref, scope: ScopeId) -> Self {
        Written {
            path: reference.path.iter().map(Part::from).collect(),
            index: reference.index.as_ref().map(|(_, expr)| Given { expr, scope }),
            after: reference.index.as_ref().map_or(0, |(after, _)| *after),
            rank: reference.rank.as_ref().map(|expr| Given { expr, scope }),
            span: reference.span,
            scope,
        }
    }

    /// An argument as a reference, if it can be one.
    pub fn of_expr(expr: &'a ast::Expr, scope: ScopeId) -> Option<Self> {
        let (index, rank, span) = (None, None, expr.span);
        let plain = |path| Written { path, index, after: 0, rank, span, scope };
        match &expr.kind {
            ast::ExprKind::Ref(reference) => Some(Written::of_ref(reference, scope)),
            ast::ExprKind::Name(name) => Some(plain(vec![Part { name, span: expr.span }])),
            ast::ExprKind::Field { queue, name } => Some(plain(vec![queue.into(), name.into()])),
            ast::ExprKind::Paren(inner) => Written::of_expr(inner, scope),
            _ => None,
        }
    }

    /// The dotted path, without the index.
    pub fn said(&self) -> String {
        self.path.iter().map(|part| part.name).collect::<Vec<_>>().join(".")
    }
}

impl<'a> Resolver<'a> {
    /// A pool.
    pub fn pool(&mut self, written: Written<'a>, usage: Use, at: At) -> Option<PoolRef> {
        let member = self.member(written, Want::Pool, usage, at)?;
        match member.family {
            Family::Pool(pool) => Some(PoolRef { pool, index: member.index, site: member.site }),
            Family::Stage(_) => None,
        }
    }

    /// A stage.
    pub fn stage(&mut self, written: Written<'a>, usage: Use, at: At) -> Option<StageRef> {
        let member = self.member(written, Want::Stage, usage, at)?;
        match member.family {
            Family::Stage(stage) => {
                Some(StageRef { stage, index: member.index, site: member.site })
            }
            Family::Pool(_) => None,
        }
    }

    /// What a reference names, with every parameter replaced.
    fn member(&mut self, written: Written<'a>, want: Want, usage: Use, at: At) -> Option<Member> {
        if self.hole.is_some() && written.path.iter().any(|part| self.is_hole(part.name)) {
            self.offer_families(&written, want, usage, at);
            return None;
        }
        let written = self.replaced(written, want)?;
        let at = At { scope: written.scope, ..at };
        if let Some(found) = self.own(&written, want, usage, at)? {
            return Some(found);
        }
        let (family, queue) = self.family(&written, want)?;
        self.reachable(&written, family, queue, usage)?;
        let index = self.index(&written, family, queue, at)?;
        let site = self.site(written.index.map_or(written.span, |i| i.expr.span), written.scope);
        Some(Member { family, index, site })
    }

    /// Replaces a leading parameter by the reference given for it.
    fn replaced(&mut self, written: Written<'a>, want: Want) -> Option<Written<'a>> {
        let mut written = written;
        loop {
            if !self.affords(written.span, written.scope) {
                return None;
            }
            let first = written.path[0];
            let Some((param, given)) = self.parameter(first.name, written.scope) else {
                return Some(written);
            };
            self.note(first.span, || Meaning::Declared(param.span));
            let given = given?;
            let Some(inner) = Written::of_expr(given.expr, given.scope) else {
                let part = written.path[0];
                let found = errors::refs::not_a_reference(part.span, part.name, want);
                self.report(found.also(given.expr.span, "given here"), written.scope);
                return None;
            };
            let mut path = inner.path;
            path.extend_from_slice(&written.path[1..]);
            let behind = written.after > 1 && path.last().is_some_and(|part| part.name == NIC);
            let (index, after, rank) = match (inner.index, written.index) {
                (Some(index), None) => (Some(index), inner.after, written.rank.or(inner.rank)),
                (Some(index), rank @ Some(_))
                    if behind && written.rank.or(inner.rank).is_none() =>
                {
                    (Some(index), inner.after, rank)
                }
                (Some(_), Some(_)) => {
                    self.report(errors::refs::indexed_twice(written.span), written.scope);
                    return None;
                }
                (None, index) => {
                    (index, written.after + path.len() - written.path.len(), written.rank)
                }
            };
            let outer_span = if written.path.len() == 1 { inner.span } else { written.span };
            written = Written { path, index, after, rank, span: outer_span, scope: inner.scope };
        }
    }

    /// The parameter of that name and what is given for it; nothing in an entry that nobody calls.
    fn parameter(&mut self, name: &str, scope: ScopeId) -> Option<(&'a Name, Option<Given<'a>>)> {
        let mut next = Some(scope);
        let mut lexical = true;
        while let Some(id) = next {
            let frame = self.frame_mut(id);
            match &mut frame.kind {
                ScopeKind::Def { params, .. } => {
                    if lexical && let Some(param) = params.iter_mut().find(|p| p.name.kind == name)
                    {
                        param.reads += 1;
                        return Some((param.name, param.value));
                    }
                    lexical = false;
                }
                ScopeKind::Entry(entry) => {
                    let param = entry.params.iter_mut().find(|p| p.name.kind == name)?;
                    param.reads += 1;
                    return Some((param.name, param.value));
                }
                ScopeKind::Item { .. }
                | ScopeKind::Request { .. }
                | ScopeKind::Queue { .. }
                | ScopeKind::Family { .. } => return None,
                ScopeKind::Aggregate { .. } | ScopeKind::Binding { .. } => {}
            }
            next = frame.parent;
        }
        None
    }

    /// Inside a queue or an entry, the member's own pools and stages, and the source's pool.
    /// `Some(None)`: nothing of the kind.
    fn own(
        &mut self,
        written: &Written<'a>,
        want: Want,
        usage: Use,
        at: At,
    ) -> Option<Option<Member>> {
        let first = written.path[0].name;
        let mut next = Some(written.scope);
        let (queue, in_entry) = loop {
            let Some(id) = next else { return Some(None) };
            match &self.frame(id).kind {
                ScopeKind::Queue { queue, .. } => break (*queue, None),
                ScopeKind::Entry(entry) => {
                    if let Some(source) = entry.source.filter(|s| s.name.kind == first) {
                        let known = source.from.map(|(_, pool)| pool);
                        self.note(written.path[0].span, || Meaning::Declared(source.name.span));
                        return self.source_member(written, want, known, source.member, at);
                    }
                    break (entry.queue, Some(id));
                }
                ScopeKind::Family { name, .. } => {
                    let own = *name == first && written.path.len() == 1 && written.index.is_none();
                    if own && usage == Use::Read {
                        return self.own_family(written, want);
                    }
                    return Some(None);
                }
                ScopeKind::Request { gateway: Some(gateway), .. } => break (*gateway, None),
                ScopeKind::Item { .. } | ScopeKind::Request { .. } => return Some(None),
                ScopeKind::Def { .. } | ScopeKind::Aggregate { .. } | ScopeKind::Binding { .. } => {
                }
            }
            next = self.frame(id).parent;
        };
        if let Some(nic) = self.own_nic(written, queue) {
            return self.own_nic_member(written, nic, in_entry, want, at);
        }
        if written.index.is_some() {
            return Some(None);
        }
        let decl = self.queue(queue);
        let rest: Vec<&str> = written.path.iter().map(|n| n.name).collect();
        let family = match rest.as_slice() {
            [name] if decl.pool(name).is_some() => decl.pool(name).map(Family::Pool),
            [name] if *name == decl.ast.name.kind => match want {
                Want::Stage => decl.stage("").map(Family::Stage),
                Want::Pool => None,
            },
            [name, inner @ ..] if *name == decl.ast.name.kind => match inner {
                [pool] if decl.pool(pool).is_some() => decl.pool(pool).map(Family::Pool),
                _ => decl.stage(&inner.join(".")).map(Family::Stage),
            },
            _ => None,
        };
        let Some(family) = family else { return Some(None) };
        self.note_family(written, family);
        let matches = matches!(
            (family, want),
            (Family::Pool(_), Want::Pool) | (Family::Stage(_), Want::Stage)
        );
        if !matches {
            self.report(
                errors::refs::wrong_kind(written.span, &rest.join("."), want),
                written.scope,
            );
            return None;
        }
        let site = self.site(written.span, written.scope);
        let index = match in_entry {
            None => self.own_index(self.size(family).is_some(), site),
            Some(entry) => self.called_member(entry, family, at)?,
        };
        Some(Some(Member { family, index, site }))
    }

    fn own_index(&self, is_family: bool, site: SiteId) -> Option<Box<Expr>> {
        is_family.then(|| Box::new(Expr { kind: ExprKind::Member, ty: Ty::Num, site }))
    }

    /// A family named without an index in its own declaration: the member itself.
    fn own_family(&mut self, written: &Written<'a>, want: Want) -> Option<Option<Member>> {
        let family = match (self.symbol(written.path[0].name), want) {
            (Some(Symbol::Pool(pool)), Want::Pool) => Family::Pool(pool),
            (Some(Symbol::Stage(stage)), Want::Stage) => Family::Stage(stage),
            _ => return Some(None),
        };
        self.note_family(written, family);
        let site = self.site(written.span, written.scope);
        let index = self.own_index(self.size(family).is_some(), site);
        Some(Some(Member { family, index, site }))
    }

    /// The member that an entry was called for.
    pub fn called_member(
        &mut self,
        entry: ScopeId,
        family: Family,
        at: At,
    ) -> Option<Option<Box<Expr>>> {
        let ScopeKind::Entry(scope) = &self.frame(entry).kind else { return Some(None) };
        let (member, uncalled) = (scope.member, scope.uncalled);
        match member {
            Some(given) => Some(Some(Box::new(self.indexing(given, at)?))),
            None if uncalled && self.size(family).is_some() => {
                let site = self.site(self.family_span(family), entry);
                Some(Some(Box::new(Expr { kind: ExprKind::Member, ty: Ty::Num, site })))
            }
            None => Some(None),
        }
    }

    /// `src`: the pool of the member that the caller names.
    fn source_member(
        &mut self,
        written: &Written<'a>,
        want: Want,
        known: Option<PoolId>,
        member: Option<Given<'a>>,
        at: At,
    ) -> Option<Option<Member>> {
        if want != Want::Pool || written.path.len() > 1 || written.index.is_some() {
            let name = written.path[0].name;
            self.report(errors::refs::source_is_a_pool(written.span, name), written.scope);
            return None;
        }
        let index = match member {
            Some(given) => Some(Box::new(self.indexing(given, at)?)),
            None => None,
        };
        // Nobody calls this entry: any pool stands for the source while the rest is checked.
        let pool = known?;
        let site = self.site(written.span, written.scope);
        Some(Some(Member { family: Family::Pool(pool), index, site }))
    }

    /// An index read in its own scope.
    pub fn indexing(&mut self, given: Given<'a>, at: At) -> Option<Expr> {
        self.expr(given.expr, At { scope: given.scope, in_index: true, ..at })
    }

    /// The family that a path names at top level, and the queue it is part of.
    fn family(&mut self, written: &Written<'a>, want: Want) -> Option<(Family, Option<QueueId>)> {
        let first = written.path[0];
        let Some(symbol) = self.symbol(first.name) else {
            let found = self.unknown_family(first, want);
            self.report(found, written.scope);
            return None;
        };
        self.note_symbol(first.name, first.span);
        let rest: Vec<&str> = written.path[1..].iter().map(|n| n.name).collect();
        let found = match symbol {
            Symbol::Pool(pool) if rest.is_empty() => Some((Family::Pool(pool), None)),
            Symbol::Stage(stage) if rest.is_empty() => Some((Family::Stage(stage), None)),
            Symbol::Queue(queue) => {
                let decl = self.queue(queue);
                match rest.as_slice() {
                    [name] if decl.pool(name).is_some() => decl.pool(name).map(Family::Pool),
                    _ => decl.stage(&rest.join(".")).map(Family::Stage),
                }
                .map(|family| (family, Some(queue)))
            }
            Symbol::Param(_) | Symbol::Def(_) | Symbol::Pool(_) | Symbol::Stage(_) => None,
        };
        let is_wanted = |family| match family {
            Family::Pool(_) => want == Want::Pool,
            Family::Stage(_) => want == Want::Stage,
        };
        match found {
            Some((family, queue)) if is_wanted(family) => {
                self.note_family(written, family);
                Some((family, queue))
            }
            _ => {
                let said = written.said();
                let what = if rest.is_empty() { Some(symbol.describe()) } else { None };
                let span = match rest.is_empty() {
                    true => first.span,
                    false => written.span,
                };
                self.report(errors::refs::not_of_kind(span, &said, what, want), written.scope);
                None
            }
        }
    }

    /// A family named in a declaration.
    pub fn family_named(&mut self, written: &Written<'a>, want: Want) -> Option<Family> {
        self.family(written, want).map(|(family, _)| family)
    }

    /// What may be named from here: an entry sees its own queue only, and a queue's pools are
    /// held by its own entries only.
    fn reachable(
        &mut self,
        written: &Written<'a>,
        family: Family,
        queue: Option<QueueId>,
        usage: Use,
    ) -> Option<()> {
        let entry = self.entry_of(written.scope);
        let own = entry.and_then(|id| match &self.frame(id).kind {
            ScopeKind::Entry(scope) => Some((scope.queue, scope.label.clone())),
            _ => None,
        });
        let said = written.said();
        let wrong = match (own, usage, family) {
            (Some((own, label)), Use::Read, _) if queue != Some(own) => {
                Some(errors::entries::reads_other(written.span, &label, &said))
            }
            (Some((own, label)), Use::Act(verb), Family::Pool(_)) if queue != Some(own) => {
                Some(errors::entries::acts_on_other(written.span, &label, verb, &said))
            }
            (None, Use::Act(verb), Family::Pool(_)) if queue != self.route_of(written.scope) => {
                queue.map(|queue| {
                    let name = &self.program.queues[queue.index()].name;
                    errors::entries::held_outside(written.span, verb, &said, name)
                })
            }
            _ => None,
        };
        match wrong {
            Some(found) => {
                self.report(found, written.scope);
                None
            }
            None => Some(()),
        }
    }

    /// The gateway in whose route a text stands.
    pub fn route_of(&self, scope: ScopeId) -> Option<QueueId> {
        let mut next = Some(scope);
        while let Some(id) = next {
            match &self.frame(id).kind {
                ScopeKind::Request { gateway, .. } => return *gateway,
                ScopeKind::Item { .. }
                | ScopeKind::Entry(_)
                | ScopeKind::Queue { .. }
                | ScopeKind::Family { .. } => return None,
                ScopeKind::Def { .. } | ScopeKind::Aggregate { .. } | ScopeKind::Binding { .. } => {
                }
            }
            next = self.frame(id).parent;
        }
        None
    }

    /// How many members a family has; `None` for a single one.
    pub fn size(&self, family: Family) -> Option<&Expr> {
        match family {
            Family::Pool(id) => self.program.pools[id.index()].size.as_ref(),
            Family::Stage(id) => self.program.stages[id.index()].size.as_ref(),
        }
    }

    /// The name of a family in reports.
    pub fn family_name(&self, family: Family) -> &str {
        match family {
            Family::Pool(id) => &self.program.pools[id.index()].name,
            Family::Stage(id) => &self.program.stages[id.index()].name,
        }
    }

    fn family_span(&self, family: Family) -> Span {
        match family {
            Family::Pool(id) => self.program.pools[id.index()].span,
            Family::Stage(id) => self.program.stages[id.index()].span,
        }
    }
}
