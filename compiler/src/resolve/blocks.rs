//! Blocks: statements in order, each in the place where it may stand.

use super::context::{At, Place, Resolver};
use super::errors;
use super::names::Symbol;
use super::notes::Meaning;
use super::prefixes::PREFIX;
use super::refs::{Use, Written};
use super::scope::{ScopeId, ScopeKind};
use crate::ir::{self, StmtKind};
use crate::span::Span;
use crate::syntax::ast::{self, Block, Stmt};

impl<'a> Resolver<'a> {
    /// Resolves the statements of a block.
    pub fn block(&mut self, block: &'a Block, scope: ScopeId, out: &mut ir::Block) {
        self.depth += 1;
        let bookings = self.bookings();
        for stmt in &block.kind {
            if !self.affords(stmt.span, scope) {
                break;
            }
            self.stmt(stmt, scope, out);
        }
        self.close_bookings(bookings);
        self.depth -= 1;
    }

    /// A block of its own.
    pub fn inner_block(&mut self, block: &'a Block, scope: ScopeId) -> ir::Block {
        let mut out = Vec::new();
        self.block(block, scope, &mut out);
        out
    }

    /// Adds a statement that stands for `span`.
    pub fn push(&mut self, kind: StmtKind, span: Span, scope: ScopeId, out: &mut ir::Block) {
        self.note_change(&kind);
        let site = self.site(span, scope);
        out.push(ir::Stmt { kind, site });
    }

    /// Whether a statement may stand where it stands; reports it if not.
    fn allowed(&mut self, stmt: &Stmt, scope: ScopeId) -> bool {
        let found = match (self.place, &stmt.kind) {
            (
                Place::Init(_),
                ast::StmtKind::Set { .. }
                | ast::StmtKind::Observe { .. }
                | ast::StmtKind::Use { .. },
            ) => return true,
            (Place::Init(what), _) => errors::sides::only_sets(stmt.span, what),
            (Place::Server(what), ast::StmtKind::Turn) => {
                errors::sides::not_in_server(stmt.span, "turn", what)
            }
            (Place::Server(what), ast::StmtKind::End) => {
                errors::sides::not_in_server(stmt.span, "end", what)
            }
            (Place::Entry, ast::StmtKind::Turn) => {
                errors::sides::not_in_server(stmt.span, "turn", "an entry")
            }
            (Place::Entry, ast::StmtKind::End) => {
                errors::sides::not_in_server(stmt.span, "end", "an entry")
            }
            (_, ast::StmtKind::Turn) if self.in_leg() => {
                errors::legs::not_in_leg(stmt.span, "turn")
            }
            (_, ast::StmtKind::End) if self.in_leg() => errors::legs::not_in_leg(stmt.span, "end"),
            _ => return true,
        };
        self.report(found, scope);
        false
    }

    fn stmt(&mut self, stmt: &'a Stmt, scope: ScopeId, out: &mut ir::Block) {
        if !self.allowed(stmt, scope) {
            return;
        }
        let span = stmt.span;
        match &stmt.kind {
            ast::StmtKind::Turn => self.push(StmtKind::Turn, span, scope, out),
            ast::StmtKind::End => self.push(StmtKind::End, span, scope, out),
            ast::StmtKind::Request(gateway) => self.request(gateway.as_ref(), span, scope, out),
            ast::StmtKind::Set { name, value } => {
                let at = Self::session_at(scope, "a `set`");
                let value = self.expr(value, at);
                let attr = self.assigned(name, scope);
                if let (Some(attr), Some(value)) = (attr, value) {
                    self.push(StmtKind::Set { attr, value }, span, scope, out);
                }
            }
            ast::StmtKind::Mark { name } => {
                if self.entry_of(scope).is_none() {
                    self.report(errors::entries::mark_outside(name), scope);
                }
                if let Some(attr) = self.assigned(name, scope) {
                    let value = self.clock(span, scope);
                    self.push(StmtKind::Set { attr, value }, span, scope, out);
                }
            }
            ast::StmtKind::Choose { name, count, keys } => {
                let at = Self::session_at(scope, "a `choose`");
                let (count, keys) = (self.expr(count, at), self.exprs(keys, at));
                let attr = self.assigned(name, scope);
                if let (Some(attr), Some(count), Some(keys)) = (attr, count, keys) {
                    self.check_count(&count);
                    self.push(StmtKind::Choose { attr, count, keys }, span, scope, out);
                }
            }
            ast::StmtKind::Observe { name, value } => {
                let value = self.expr(value, Self::session_at(scope, "an `observe`"));
                if self.is_hole(&name.kind) {
                    self.offer_observations();
                }
                let observe = self.observation(&name.kind);
                self.note_given(name.span, || Meaning::Observation(name.kind.clone()));
                if let Some(value) = value {
                    self.push(StmtKind::Observe { observe, value }, span, scope, out);
                }
            }
            ast::StmtKind::Hold(hold) => self.hold(hold, span, scope, out),
            ast::StmtKind::Book(booking) => self.book(booking, span, scope, out),
            ast::StmtKind::Open(opening) => self.open(opening, span, scope, out),
            ast::StmtKind::Grow { pool, amount } => {
                let at = Self::session_at(scope, "a growth");
                let amount = self.amount(amount, at, "growth");
                let pool = self.held(pool, "grow", at);
                if let (Some(pool), Some(amount)) = (pool, amount) {
                    self.push(StmtKind::Grow { pool, amount }, span, scope, out);
                }
            }
            ast::StmtKind::Load { pool, amount } => {
                let at = Self::session_at(scope, "a load");
                let amount = self.amount(amount, at, "load");
                let pool = self.held(pool, "load", at);
                if let (Some(pool), Some(amount)) = (pool, amount) {
                    self.push(StmtKind::Load { pool, amount }, span, scope, out);
                }
            }
            ast::StmtKind::Drop { pool } => {
                let at = Self::session_at(scope, "a `drop`");
                let written = Written::of_ref(pool, scope);
                if let Some(pool) = self.pool(written, Use::Act("drop"), at) {
                    self.push(StmtKind::Drop { pool }, span, scope, out);
                }
            }
            ast::StmtKind::Release { pool } => {
                let at = Self::session_at(scope, "a `release`");
                if let Some(pool) = self.released(pool, at) {
                    self.push(StmtKind::Release { pool }, span, scope, out);
                }
            }
            ast::StmtKind::Run { stages, mode, work, growing } => {
                self.run(stages, mode.as_ref(), work, growing.as_ref(), span, scope, out);
            }
            ast::StmtKind::Branch { with, guard, then, otherwise } => {
                self.branch(*with, guard, (then, otherwise.as_ref()), span, scope, out);
            }
            ast::StmtKind::Loop(body) => self.looped(body, span, scope, out),
            ast::StmtKind::Fork(body) => self.fork(body, span, scope, out),
            ast::StmtKind::Join => self.push(StmtKind::Join, span, scope, out),
            ast::StmtKind::Use { name, .. } if self.is_hole(&name.kind) => {
                self.offer_statements(name, scope);
            }
            ast::StmtKind::Use { name, args }
                if name.kind == PREFIX && self.symbol(PREFIX).is_none() =>
            {
                self.prefix(name, args, span, scope, out);
            }
            ast::StmtKind::Use { name, args } => match self.symbol(&name.kind) {
                Some(Symbol::Def(def)) => self.use_block(def, name, args, span, scope, out),
                Some(other) => {
                    self.note_symbol(&name.kind, name.span);
                    let found = errors::defs::no_statements(name, other.describe());
                    self.report(found, scope);
                }
                None => {
                    let found = self.unknown_statements(name);
                    self.report(found, scope);
                }
            },
            ast::StmtKind::Call { queue, verb, args, from, to, otherwise } => {
                let from_to = (from.as_ref(), to.as_ref());
                let parts = (queue, verb, otherwise.as_ref());
                self.call_entry(parts, args, from_to, span, scope, out);
            }
            ast::StmtKind::Serving { form, place, amount, growing } => {
                self.serving(form, place.as_ref(), amount, growing.as_ref(), span, scope, out);
            }
            ast::StmtKind::Transfer { place, amount, from, to, loaded, otherwise } => {
                let work = (place.as_ref(), amount, otherwise.as_ref());
                self.transfer(work, (from, to, loaded), span, scope, out);
            }
        }
    }

    /// `branch (guard) { } else { }`; `branch with (p)` draws.
    fn branch(
        &mut self,
        with: bool,
        guard: &'a ast::Expr,
        arms: (&'a Block, Option<&'a Block>),
        span: Span,
        scope: ScopeId,
        out: &mut ir::Block,
    ) {
        let resolved = self.expr(guard, Self::session_at(scope, "a guard"));
        let (then, otherwise) = self.both_sides(arms, scope);
        let Some(mut resolved) = resolved else { return };
        if with {
            self.check_draw(ir::Dist::Bernoulli, std::slice::from_ref(&resolved), guard.span);
            let site = self.site(guard.span, scope);
            let kind = ir::ExprKind::Draw(ir::Dist::Bernoulli, vec![resolved]);
            resolved = ir::Expr { kind, ty: ir::Ty::Bool, site };
        } else {
            self.check_guard(&resolved, guard.span);
        }
        let kind = StmtKind::Branch { guard: resolved, check: !with, then, otherwise };
        self.push(kind, span, scope, out);
    }

    /// The attribute that a statement gives: an entry's own, or the session's.
    fn assigned(&mut self, name: &'a ast::Name, scope: ScopeId) -> Option<ir::AttrId> {
        let entry = self.entry_of(scope);
        let queue = entry.and_then(|id| match &self.frame(id).kind {
            ScopeKind::Entry(entry) => Some((
                entry.queue,
                entry.params.iter().any(|param| param.name.kind == name.kind),
                entry.label.clone(),
            )),
            _ => None,
        });
        if let Some((_, true, label)) = &queue {
            self.report(errors::entries::sets_parameter(name, label), scope);
            return None;
        }
        if self.binding_in_scope(&name.kind, scope) {
            self.report(errors::holds::binding_given(name), scope);
            return None;
        }
        // Missing when its name is taken, which is reported where the names are collected.
        let queue = queue.map(|(queue, ..)| queue);
        if self.is_hole(&name.kind) {
            self.offer_attributes(queue);
        }
        let attr = self.known_attribute(queue, &name.kind)?;
        self.note_given(name.span, || Meaning::Attribute(queue, name.kind.clone()));
        let first = self.given_at.entry(attr).or_insert(name.span);
        *first = name.span.min(*first);
        Some(attr)
    }

    /// `now`
    fn clock(&mut self, span: Span, scope: ScopeId) -> ir::Expr {
        let site = self.site(span, scope);
        ir::Expr { kind: ir::ExprKind::Ctx(ir::Ctx::Now), ty: ir::Ty::Num, site }
    }

    /// The observation of that name.
    pub fn observation(&mut self, name: &str) -> ir::ObserveId {
        let next = ir::ObserveId(self.program.observes.len() as u32);
        let id = *self.observes.entry(name.to_owned()).or_insert(next);
        if id == next {
            self.program.observes.push(ir::Observe { name: name.to_owned() });
        }
        id
    }

    /// An amount of something: at least 0.
    pub fn amount(&mut self, expr: &'a ast::Expr, at: At, what: &'static str) -> Option<ir::Expr> {
        let amount = self.expr(expr, at)?;
        self.check_amount(&amount, expr.span, what);
        Some(amount)
    }
}
