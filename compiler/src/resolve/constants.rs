//! Constants: `let`s with their overrides, and the options of a run.

use std::collections::HashMap;

use super::context::{At, Resolver};
use super::errors;
use super::moments::Moment;
use super::scope::{ScopeId, ScopeKind};
use super::terms::{and, compare, is_constant, whole};
use crate::ir::{self, BinaryOp, Expr, ExprKind, ParamId, eval};
use crate::span::Span;
use crate::syntax::ast::{self, ItemKind, RunField};

impl<'a> Resolver<'a> {
    /// Every `let`, with the overrides given, then the sizes of families.
    pub fn resolve_constants(&mut self, overrides: &'a [(String, Span, ast::Expr)]) {
        let mut lets = Vec::new();
        for (index, item) in self.items.clone().into_iter().enumerate() {
            if let ItemKind::Let { name, value } = &item.kind {
                lets.push((index, name, value, item.span));
            }
        }
        for (name, span, _) in overrides {
            if !lets.iter().any(|(_, known, ..)| known.kind == *name) {
                let known: Vec<&str> = lets.iter().map(|(_, n, ..)| n.kind.as_str()).collect();
                self.diagnostics.push(errors::load::override_unknown(*span, name, &known));
            }
        }
        for (item, name, value, span) in &lets {
            let given = overrides.iter().find(|(said, ..)| *said == name.kind);
            let text = given.map_or(*value, |(_, _, text)| text);
            let scope = self.scope(None, ScopeKind::Item { item: *item });
            // An override may read any `let`; what it reads further down is settled below.
            let what = if given.is_some() { "an override" } else { "a `let`" };
            if given.is_some() {
                self.known_params = usize::MAX;
            }
            let at = Self::at(scope, Moment::Constant(what));
            let resolved = match self.fixed(text, at) {
                Some(resolved) => resolved,
                None => {
                    let site = self.site(value.span, scope);
                    super::terms::number(0.0, site)
                }
            };
            let comment = self.comment_after(*span);
            self.program.params.push(ir::Param {
                name: name.kind.clone(),
                value: resolved,
                comment,
                span: *span,
            });
            self.known_params = self.program.params.len();
            let id = ParamId(self.known_params as u32 - 1);
            let site = self.site(text.span, scope);
            let read = Expr { kind: ExprKind::Param(id), ty: ir::Ty::Num, site };
            let is_number = super::terms::binary(BinaryOp::Eq, read.clone(), read);
            self.require(is_number, errors::constants::not_a_number(text.span, what));
        }
        self.settle_overrides();
        self.resolve_sizes();
    }

    /// Replaces what overrides read further down by its value, so that each `let` goes on
    /// reading earlier ones only.
    fn settle_overrides(&mut self) {
        let count = self.program.params.len();
        let mut values = vec![f64::NAN; count];
        let mut known = vec![false; count];
        let mut settled = false;
        while !settled {
            settled = true;
            for (index, param) in self.program.params.iter().enumerate() {
                let reads = |id: ParamId| known[id.index()];
                if !known[index] && reads_only(&param.value, &reads) {
                    values[index] = eval::eval(&param.value, &values).unwrap_or(f64::NAN);
                    known[index] = true;
                    settled = false;
                }
            }
        }
        for index in 0..count {
            let param = &self.program.params[index];
            if reads_only(&param.value, &|id: ParamId| id.index() < index) {
                continue;
            }
            if !known[index] {
                let span = self.program.sites[param.value.site.index()].span;
                self.diagnostics.push(errors::load::override_cycle(span, &param.name));
            }
            let site = param.value.site;
            self.program.params[index].value = super::terms::number(values[index], site);
        }
    }

    /// An expression that must be a constant.
    fn fixed(&mut self, expr: &'a ast::Expr, at: At) -> Option<Expr> {
        let value = self.expr(expr, at)?;
        if !is_constant(&value) {
            let what = at.moment.describe();
            self.report(errors::constants::not_constant(expr.span, "this", what), at.scope);
            return None;
        }
        Some(value)
    }

    /// An expression that must be a constant and a number.
    pub fn constant(&mut self, expr: &'a ast::Expr, at: At) -> Option<Expr> {
        let value = self.fixed(expr, at)?;
        // NaN is the one value that does not equal itself.
        let is_number = super::terms::binary(BinaryOp::Eq, value.clone(), value.clone());
        self.require(is_number, errors::constants::not_a_number(expr.span, at.moment.describe()));
        Some(value)
    }

    /// A link's or a reader's wait.
    pub fn latency(&mut self, latency: &'a ast::Expr, scope: ScopeId) -> Option<Expr> {
        let at = Self::at(scope, Moment::Constant("a latency"));
        let value = self.constant(latency, at)?;
        self.check_amount(&value, latency.span, "latency");
        Some(value)
    }

    /// The comment that ends a `let`'s line.
    fn comment_after(&self, span: Span) -> String {
        let Some(file) = self.files.get(span.file.0 as usize) else { return String::new() };
        // Both stand in the order of the text.
        let next = file.items.partition_point(|item| item.span.start < span.end);
        let next = file.items.get(next).map(|item| item.span.start);
        let comment = file.comments.partition_point(|comment| comment.span.start < span.end);
        let comment = file.comments.get(comment);
        let comment = comment.filter(|c| next.is_none_or(|next| c.span.start < next));
        match comment {
            Some(comment) if self.same_line(span, comment.span) => comment.text.clone(),
            _ => String::new(),
        }
    }

    /// Whether a comment starts on the line on which a `let` ends.
    fn same_line(&self, item: Span, comment: Span) -> bool {
        let Some(text) = self.sources.files.get(item.file.0 as usize) else { return false };
        let between = text.text.get(item.end as usize..comment.start as usize);
        between.is_some_and(|between| !between.contains('\n'))
    }

    /// `run { … }`
    pub fn resolve_run(&mut self) {
        let mut first: Option<Span> = None;
        for (index, item) in self.items.clone().into_iter().enumerate() {
            let ItemKind::Run { options } = &item.kind else { continue };
            if let Some(first) = first {
                self.diagnostics.push(errors::names::said_twice(item.span, "run", first));
                continue;
            }
            first = Some(item.span);
            self.run_options(options, index);
        }
    }

    fn run_options(&mut self, options: &'a [ast::RunOption], item: usize) {
        let scope = self.scope(None, ScopeKind::Item { item });
        let mut said = HashMap::new();
        for option in options {
            let (field, value) = (&option.kind.0, &option.kind.1);
            let (name, what) = match field {
                RunField::Horizon => ("horizon", "the horizon"),
                RunField::Warmup => ("warmup", "the warm-up"),
                RunField::Seed => ("seed", "the seed"),
                RunField::Arrivals => ("arrivals", "the number of arrivals"),
            };
            if !self.once(&mut said, name, option.span) {
                continue;
            }
            let at = Self::at(scope, Moment::Constant(what));
            let Some(expr) = self.constant(value, at) else { continue };
            let span = value.span;
            match field {
                RunField::Horizon => {
                    let positive = compare(BinaryOp::Gt, &expr, 0.0);
                    let finite = compare(BinaryOp::Lt, &expr, f64::INFINITY);
                    // Recorded arrivals come to an end by themselves.
                    let cond = if self.recorded { positive } else { and(positive, finite) };
                    self.require(cond, errors::run::horizon(span));
                    self.program.run.horizon = Some(expr);
                }
                RunField::Warmup => {
                    let positive = compare(BinaryOp::Ge, &expr, 0.0);
                    self.require(positive, errors::run::warmup(span));
                    self.program.run.warmup = Some(expr);
                }
                RunField::Seed => {
                    let positive = compare(BinaryOp::Ge, &expr, 0.0);
                    let exact = compare(BinaryOp::Lt, &expr, 9_007_199_254_740_992.0);
                    let cond = and(whole(&expr), and(positive, exact));
                    self.require(cond, errors::run::seed(span));
                    self.program.run.seed = Some(expr);
                }
                RunField::Arrivals => {
                    let positive = compare(BinaryOp::Ge, &expr, 1.0);
                    let finite = compare(BinaryOp::Lt, &expr, f64::INFINITY);
                    let cond = and(whole(&expr), and(positive, finite));
                    self.require(cond, errors::run::arrivals(span));
                    self.program.run.arrivals = Some(expr);
                }
            }
        }
        let run = &self.program.run;
        if let (Some(horizon), Some(warmup)) = (run.horizon.clone(), run.warmup.clone()) {
            let span = self.span_of(&warmup);
            let cond = super::terms::binary(BinaryOp::Lt, warmup, horizon);
            self.require(cond, errors::run::warmup_past_horizon(span));
        }
    }

    /// Where an expression stands.
    pub fn span_of(&self, expr: &Expr) -> Span {
        self.program.sites[expr.site.index()].span
    }

    /// The values of the `let`s as the program stands.
    pub fn param_values(&self) -> Vec<f64> {
        let mut values = Vec::new();
        for param in &self.program.params {
            let value = eval::eval(&param.value, &values).unwrap_or(f64::NAN);
            values.push(value);
        }
        values
    }

    /// Whether an expression reads a `let`.
    pub fn reads_params(expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Param(ParamId(_)))
            || !super::terms::every_part(expr, &mut |part| !Self::reads_params(part))
    }
}

/// Whether every `let` that an expression reads is one of those.
fn reads_only(expr: &Expr, those: &dyn Fn(ParamId) -> bool) -> bool {
    match expr.kind {
        ExprKind::Param(id) => those(id),
        _ => super::terms::every_part(expr, &mut |part| reads_only(part, those)),
    }
}
