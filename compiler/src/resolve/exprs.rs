//! Expressions: names, functions, draws and aggregates, typed and checked against their moment.

use super::context::{At, Resolver};
use super::errors;
use super::functions;
use super::moments::{self, Moment};
use super::names::Symbol;
use super::notes::Meaning;
use super::refs::Written;
use super::scope::{ScopeId, ScopeKind};
use super::terms::{and, chain_type, compare, draws, is_constant, whole};
use crate::index::Kind;
use crate::ir::{self, BinaryOp, Builtin, Ctx, Expr, ExprKind, Ty};
use crate::span::Span;
use crate::syntax::ast::{self, Name};

/// An aggregate over more than this is a mistake, and takes as long each time it is read.
const LONGEST_RANGE: f64 = 1e6;

impl<'a> Resolver<'a> {
    /// An expression read at a place; `None` when it is wrong, which is then reported.
    pub fn expr(&mut self, expr: &'a ast::Expr, at: At) -> Option<Expr> {
        if !self.affords(expr.span, at.scope) {
            return None;
        }
        self.depth += 1;
        self.enter_reading(expr.span, at.moment);
        let read = self.expr_inside(expr, at);
        self.leave_reading();
        self.depth -= 1;
        read
    }

    fn expr_inside(&mut self, expr: &'a ast::Expr, at: At) -> Option<Expr> {
        match &expr.kind {
            ast::ExprKind::Num { value, .. } => Some(self.literal(*value, expr.span, at)),
            ast::ExprKind::Name(name) => self.read_name(name, expr.span, at),
            ast::ExprKind::SelfIndex => self.self_index(expr.span, at),
            ast::ExprKind::Call { name, args } => self.call(name, args, expr.span, at),
            ast::ExprKind::Draw { dist, args } => self.draw(dist, args, expr.span, at),
            ast::ExprKind::Aggregate { op, var, count, body } => {
                self.aggregate(op.kind, var, count, body, expr.span, at)
            }
            ast::ExprKind::Field { queue, name } => self.field(queue, name, expr.span, at),
            ast::ExprKind::Ref(reference) => self.bare_reference(reference, expr.span, at),
            ast::ExprKind::Unary { op, expr: inner } => self.unary(*op, inner, expr.span, at),
            ast::ExprKind::Chain { first, rest } => self.chain(first, rest, expr.span, at),
            ast::ExprKind::Cond { test, yes, no } => {
                self.conditional([test, yes, no], expr.span, at)
            }
            ast::ExprKind::Paren(inner) => self.expr(inner, at),
        }
    }

    fn literal(&mut self, value: f64, span: Span, at: At) -> Expr {
        let site = self.site(span, at.scope);
        super::terms::number(value, site)
    }

    /// A reference where a value is needed.
    fn bare_reference(&mut self, reference: &'a ast::Ref, span: Span, at: At) -> Option<Expr> {
        let said = Written::of_ref(reference, at.scope).said();
        self.report(errors::names::not_a_value(span, &said, "a pool or a stage"), at.scope);
        None
    }

    fn unary(
        &mut self,
        op: ast::UnaryOp,
        inner: &'a ast::Expr,
        span: Span,
        at: At,
    ) -> Option<Expr> {
        let inner = Box::new(self.expr(inner, at)?);
        let site = self.site(span, at.scope);
        Some(match op {
            ast::UnaryOp::Neg => Expr { kind: ExprKind::Neg(inner), ty: Ty::Num, site },
            ast::UnaryOp::Not => Expr { kind: ExprKind::Not(inner), ty: Ty::Bool, site },
        })
    }

    fn chain(
        &mut self,
        first: &'a ast::Expr,
        rest: &'a [(BinaryOp, ast::Expr)],
        span: Span,
        at: At,
    ) -> Option<Expr> {
        let first = self.expr(first, at).map(Box::new);
        // All are read, so that all errors are found.
        let terms: Vec<_> =
            rest.iter().map(|(op, term)| Some((*op, self.expr(term, at)?))).collect();
        let kind = ExprKind::Chain(first?, terms.into_iter().collect::<Option<_>>()?);
        let ty = chain_type(&kind);
        let site = self.site(span, at.scope);
        Some(Expr { kind, ty, site })
    }

    fn conditional(
        &mut self,
        [test, yes, no]: [&'a ast::Expr; 3],
        span: Span,
        at: At,
    ) -> Option<Expr> {
        let test = self.expr(test, at).map(Box::new);
        let yes = self.expr(yes, at).map(Box::new);
        let no = self.expr(no, at).map(Box::new);
        let (test, yes, no) = (test?, yes?, no?);
        let ty = if (yes.ty, no.ty) == (Ty::Bool, Ty::Bool) { Ty::Bool } else { Ty::Num };
        let site = self.site(span, at.scope);
        Some(Expr { kind: ExprKind::Cond(test, yes, no), ty, site })
    }

    /// Several expressions at one moment; all are read so that all errors are found.
    pub fn exprs(&mut self, exprs: &'a [ast::Expr], at: At) -> Option<Vec<Expr>> {
        let read: Vec<Option<Expr>> = exprs.iter().map(|expr| self.expr(expr, at)).collect();
        read.into_iter().collect()
    }

    /// A bare name, looked up from the innermost frame outwards.
    pub fn read_name(&mut self, name: &'a str, span: Span, at: At) -> Option<Expr> {
        if self.is_hole(name) {
            self.offer_values(span, at);
            return None;
        }
        let mut next = Some(at.scope);
        let mut lexical = true;
        while let Some(id) = next {
            match &self.frame(id).kind {
                ScopeKind::Aggregate { name: own, var } if own.kind == name => {
                    let (kind, declared) = (ExprKind::Var(*var), own.span);
                    self.note(span, || Meaning::Declared(declared));
                    let site = self.site(span, at.scope);
                    return Some(Expr { kind, ty: Ty::Num, site });
                }
                ScopeKind::Binding { binding } if self.bindings[*binding].name.kind == name => {
                    return self.binding(*binding, span, at);
                }
                ScopeKind::Def { params, .. } => {
                    if lexical && let Some(index) = params.iter().position(|p| p.name.kind == name)
                    {
                        return self.argument(id, index, span, at);
                    }
                    lexical = false;
                }
                ScopeKind::Entry(_) => return self.entry_name(id, name, span, at),
                ScopeKind::Item { .. }
                | ScopeKind::Request { .. }
                | ScopeKind::Queue { .. }
                | ScopeKind::Family { .. } => break,
                ScopeKind::Aggregate { .. } | ScopeKind::Binding { .. } => {}
            }
            next = self.frame(id).parent;
        }
        self.program_name(name, span, at)
    }

    /// A parameter: the argument's text, read where it was written.
    pub fn argument(&mut self, frame: ScopeId, index: usize, span: Span, at: At) -> Option<Expr> {
        let params = match &mut self.frame_mut(frame).kind {
            ScopeKind::Def { params, .. } => params,
            ScopeKind::Entry(entry) => &mut entry.params,
            _ => return None,
        };
        let param = &mut params[index];
        param.reads += 1;
        let (name, value, again) = (param.name, param.value, param.reads > 1 && param.draws);
        self.note(span, || Meaning::Declared(name.span));
        let Some(given) = value else { return Some(self.anything(span, at)) };
        if again {
            self.report(errors::defs::drawn_twice(given.expr.span, &name.kind), given.scope);
            return None;
        }
        self.note_reading(given.expr.span, at.moment);
        let value = self.expr(given.expr, At { scope: given.scope, ..at })?;
        if draws(&value) {
            match &mut self.frame_mut(frame).kind {
                ScopeKind::Def { params, .. } => params[index].draws = true,
                ScopeKind::Entry(entry) => entry.params[index].draws = true,
                _ => {}
            }
        }
        Some(value)
    }

    /// Some value of a session, for what only a caller could say.
    fn anything(&mut self, span: Span, at: At) -> Expr {
        let site = self.site(span, at.scope);
        Expr { kind: ExprKind::Builtin(Builtin::Computed), ty: Ty::Num, site }
    }

    /// A name of the program or of the language.
    pub fn program_name(&mut self, name: &'a str, span: Span, at: At) -> Option<Expr> {
        if let Some(named) = self.names.get(name).copied() {
            self.note(span, || Meaning::Declared(named.span));
            return match named.symbol {
                Symbol::Param(id) if id.index() < self.known_params => {
                    let site = self.site(span, at.scope);
                    let ty = self.program.params.get(id.index()).map_or(Ty::Num, |p| p.value.ty);
                    Some(Expr { kind: ExprKind::Param(id), ty, site })
                }
                Symbol::Param(_) => {
                    self.report(errors::names::let_below(span, name, named.span), at.scope);
                    None
                }
                other => {
                    self.report(errors::names::not_a_value(span, name, other.describe()), at.scope);
                    None
                }
            };
        }
        if let Some(attr) = self.known_attribute(None, name) {
            self.note(span, || Meaning::Attribute(None, name.to_owned()));
            return self.attribute_read(attr, name, span, at);
        }
        if let Some(builtin) = functions::builtin(name, self.has_trace) {
            return self.builtin_read(builtin, name, span, at);
        }
        if let Some(ctx) = moments::context(name) {
            return self.context_read(ctx, name, span, at);
        }
        let found = self.unknown_name(name, span);
        self.report(found, at.scope);
        None
    }

    /// A session's attribute, where there is a session and it is not hidden.
    pub fn attribute_read(
        &mut self,
        attr: ir::AttrId,
        name: &str,
        span: Span,
        at: At,
    ) -> Option<Expr> {
        if !at.moment.has_session() {
            self.report(errors::moments::no_session(span, name, at.moment.describe()), at.scope);
            return None;
        }
        let ir::Attr { ty, hidden, .. } = self.program.attrs[attr.index()];
        if hidden && !at.moment.sees_hidden() {
            self.report(errors::moments::hidden(span, name, at.moment.describe()), at.scope);
            return None;
        }
        let site = self.site(span, at.scope);
        Some(Expr { kind: ExprKind::Attr(attr), ty, site })
    }

    /// A built-in attribute.
    pub fn builtin_read(
        &mut self,
        builtin: Builtin,
        name: &str,
        span: Span,
        at: At,
    ) -> Option<Expr> {
        self.note_word(Kind::BuiltIn, name, span);
        if !at.moment.has_session() {
            self.report(errors::moments::no_session(span, name, at.moment.describe()), at.scope);
            return None;
        }
        let site = self.site(span, at.scope);
        let ty = if builtin == Builtin::More { Ty::Bool } else { Ty::Num };
        Some(Expr { kind: ExprKind::Builtin(builtin), ty, site })
    }

    /// A name that exists at some moments.
    pub fn context_read(&mut self, ctx: Ctx, name: &str, span: Span, at: At) -> Option<Expr> {
        self.note_word(Kind::OfMoment, name, span);
        if !at.moment.has(ctx) {
            let found = match at.moment {
                Moment::Constant(what) => errors::constants::not_constant(span, name, what),
                moment => {
                    errors::moments::elsewhere(span, name, moment.describe(), moments::lives(ctx))
                }
            };
            self.report(found, at.scope);
            return None;
        }
        let site = self.site(span, at.scope);
        let ty = match ctx {
            Ctx::Decoding | Ctx::Waiting => Ty::Bool,
            _ => Ty::Num,
        };
        Some(Expr { kind: ExprKind::Ctx(ctx), ty, site })
    }

    /// `self`: the member's own index in a queue, the called member's in an entry.
    fn self_index(&mut self, span: Span, at: At) -> Option<Expr> {
        let mut next = Some(at.scope);
        while let Some(id) = next {
            match &self.frame(id).kind {
                ScopeKind::Entry(entry) => {
                    let (member, uncalled) = (entry.member, entry.uncalled);
                    let is_family = self.program.queues[entry.queue.index()].size.is_some();
                    match member {
                        Some(given) => return self.indexing(given, at),
                        None if uncalled && is_family => return Some(self.anything(span, at)),
                        None => break,
                    }
                }
                ScopeKind::Queue { queue, .. } if !matches!(at.moment, Moment::Constant(_)) => {
                    if self.program.queues[queue.index()].size.is_none() {
                        break;
                    }
                    let site = self.site(span, at.scope);
                    return Some(Expr { kind: ExprKind::Member, ty: Ty::Num, site });
                }
                ScopeKind::Queue { .. }
                | ScopeKind::Item { .. }
                | ScopeKind::Request { .. }
                | ScopeKind::Family { .. } => break,
                ScopeKind::Def { .. } | ScopeKind::Aggregate { .. } | ScopeKind::Binding { .. } => {
                }
            }
            next = self.frame(id).parent;
        }
        let found = match at.moment {
            Moment::Constant(what) => errors::constants::not_constant(span, "self", what),
            _ => errors::refs::self_outside(span),
        };
        self.report(found, at.scope);
        None
    }

    fn aggregate(
        &mut self,
        op: ast::AggregateOp,
        var: &'a Name,
        count: &'a ast::Expr,
        body: &'a ast::Expr,
        span: Span,
        at: At,
    ) -> Option<Expr> {
        if let Some(what) = self.name_in_use(&var.kind, at.scope) {
            self.report(errors::names::aggregate_taken(var, what), at.scope);
            return None;
        }
        let counted = self.expr(count, at);
        if let Some(counted) = &counted {
            if !is_constant(counted) {
                self.report(errors::constants::count_not_constant(count.span), at.scope);
                return None;
            }
            let cond = and(whole(counted), compare(BinaryOp::Ge, counted, 1.0));
            self.require(cond, errors::constants::count(count.span));
            let bounded = compare(BinaryOp::Le, counted, LONGEST_RANGE);
            self.require(bounded, errors::constants::range_too_long(count.span, LONGEST_RANGE));
        }
        self.note_declared(Kind::Variable, || var.kind.clone(), var.span);
        let id = ir::VarId(self.program.vars.len() as u32);
        self.program.vars.push(ir::Var { name: var.kind.clone() });
        if let Some(counted) = &counted {
            self.ranges.insert(id, counted.clone());
        }
        let scope = self.scope(Some(at.scope), ScopeKind::Aggregate { name: var, var: id });
        let body = self.expr(body, At { scope, ..at });
        let (count, body) = (counted?, body?);
        let site = self.site(span, at.scope);
        let kind = ExprKind::Aggregate(op, id, Box::new(count), Box::new(body));
        Some(Expr { kind, ty: Ty::Num, site })
    }

    /// What a name already means here, if anything: an aggregate's variable takes a free one.
    fn name_in_use(&self, name: &str, scope: ScopeId) -> Option<&'static str> {
        if let Some(what) = self.taken_by_language(name) {
            return Some(what);
        }
        if let Some(symbol) = self.symbol(name) {
            return Some(symbol.describe());
        }
        let queue = self.entry_of(scope).and_then(|id| match &self.frame(id).kind {
            ScopeKind::Entry(entry) => Some(entry.queue),
            _ => None,
        });
        let known = self.known_attribute(None, name).is_some()
            || queue.is_some_and(|queue| self.known_attribute(Some(queue), name).is_some());
        known.then_some("an attribute")
    }

    /// `D.x`: what an entry of D set or marked.
    fn field(&mut self, queue: &'a Name, name: &'a Name, span: Span, at: At) -> Option<Expr> {
        if let Some(entry) = self.entry_of(at.scope) {
            let ScopeKind::Entry(scope) = &self.frame(entry).kind else { return None };
            let label = scope.label.clone();
            let own = self.program.queues[scope.queue.index()].name == queue.kind;
            if !own {
                let said = format!("{}.{}", queue.kind, name.kind);
                self.report(errors::entries::reads_other(span, &label, &said), at.scope);
                return None;
            }
        }
        self.note_symbol(&queue.kind, queue.span);
        let id = match self.symbol(&queue.kind) {
            Some(Symbol::Queue(id)) => id,
            Some(other) => {
                let found = errors::names::no_parts(queue, other.describe());
                self.report(found, at.scope);
                return None;
            }
            None => {
                let found = self.unknown_name(&queue.kind, queue.span);
                self.report(found, at.scope);
                return None;
            }
        };
        if self.is_hole(&name.kind) {
            self.offer_fields(id);
        }
        if let Some(attr) = self.known_attribute(Some(id), &name.kind) {
            self.note(name.span, || Meaning::Attribute(Some(id), name.kind.clone()));
            let said = format!("{}.{}", queue.kind, name.kind);
            return self.attribute_read(attr, &said, span, at);
        }
        let found = if self.queue(id).pool(&name.kind).is_some() {
            errors::names::not_a_value(span, &format!("{}.{}", queue.kind, name.kind), "a pool")
        } else if self.queue(id).stage(&name.kind).is_some() {
            errors::names::not_a_value(span, &format!("{}.{}", queue.kind, name.kind), "a stage")
        } else {
            errors::names::unknown_mark(name, &queue.kind)
        };
        self.report(found, at.scope);
        None
    }

    /// An expression of a position.
    pub fn at(scope: ScopeId, moment: Moment) -> At {
        At { scope, moment, in_index: false }
    }
}
