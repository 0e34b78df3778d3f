//! Uses of definitions: the body in place of the use, each parameter its argument's text.

use super::context::{At, Resolver};
use super::errors;
use super::names::DefBody;
use super::scope::{Argument, Given, ScopeId, ScopeKind};
use crate::ir::{self, Expr};
use crate::span::Span;
use crate::syntax::ast::{self, Block, Name};

impl<'a> Resolver<'a> {
    /// `f(…)` in an expression.
    pub fn use_expr(
        &mut self,
        def: usize,
        name: &'a Name,
        args: &'a [ast::Expr],
        span: Span,
        at: At,
    ) -> Option<Expr> {
        self.note_use(def, name.span);
        let DefBody::Expr(body) = self.defs[def].body else {
            self.report(errors::defs::statements_as_value(name), at.scope);
            return None;
        };
        let Some(scope) = self.enter_def(def, name, args, span, at.scope) else {
            self.note_arguments(args, at);
            return None;
        };
        self.note_reading(body.span, at.moment);
        let read = self.expr(body, At { scope, ..at });
        self.note_body(def, read.as_ref());
        read
    }

    /// `f(…);` as a statement.
    pub fn use_block(
        &mut self,
        def: usize,
        name: &'a Name,
        args: &'a [ast::Expr],
        span: Span,
        scope: ScopeId,
        out: &mut ir::Block,
    ) {
        self.note_use(def, name.span);
        let DefBody::Block(body) = self.defs[def].body else {
            return self.report(errors::defs::value_as_statements(name), scope);
        };
        let Some(scope) = self.enter_def(def, name, args, span, scope) else {
            return self.note_arguments(args, Self::session_at(scope, "an argument"));
        };
        self.def_sets_own(def, body, scope);
        self.block(body, scope, out);
    }

    /// The frame of a definition's body; reports a use that is not allowed.
    fn enter_def(
        &mut self,
        def: usize,
        name: &'a Name,
        args: &'a [ast::Expr],
        span: Span,
        scope: ScopeId,
    ) -> Option<ScopeId> {
        if !self.affords(span, scope) {
            return None;
        }
        let declared = &self.defs[def];
        let params = declared.params;
        if self.enclosing_def(name.span) == Some(def) {
            let found = errors::defs::uses_itself(name);
            self.report(found, scope);
            return None;
        }
        if !self.is_above(def, name.span, scope) {
            let found = errors::defs::used_above(name, declared.name.span);
            self.report(found, scope);
            return None;
        }
        if args.len() != params.len() {
            let found = errors::names::arity(span, &name.kind, params.len(), args.len());
            self.report(found, scope);
            return None;
        }
        let params = params
            .iter()
            .zip(args)
            .map(|(name, arg)| Argument {
                name,
                value: Some(Given { expr: arg, scope }),
                reads: 0,
                draws: false,
            })
            .collect();
        Some(self.scope(Some(scope), ScopeKind::Def { params, used_at: span }))
    }

    /// Whether a definition stands above a text that would use it: the text stands either in a
    /// later definition or in some other item.
    pub fn is_above(&self, def: usize, text: Span, scope: ScopeId) -> bool {
        match self.enclosing_def(text) {
            Some(outer) => def < outer,
            None => self.defs[def].item < self.item_of(scope),
        }
    }

    /// The definition whose text a span lies in.
    fn enclosing_def(&self, span: Span) -> Option<usize> {
        self.defs.iter().position(|def| {
            let body = match def.body {
                DefBody::Expr(body) => body.span,
                DefBody::Block(body) => body.span,
            };
            body.file == span.file && body.start <= span.start && span.end <= body.end
        })
    }

    /// A definition that gives a value to its own parameter is wrong wherever it is used.
    fn def_sets_own(&mut self, def: usize, body: &'a Block, scope: ScopeId) {
        let params = self.defs[def].params;
        for stmt in &body.kind {
            let name = match &stmt.kind {
                ast::StmtKind::Set { name, .. }
                | ast::StmtKind::Mark { name }
                | ast::StmtKind::Choose { name, .. } => name,
                _ => continue,
            };
            if params.iter().any(|param| param.kind == name.kind) {
                self.report(errors::defs::sets_parameter(name), scope);
            }
        }
    }
}
