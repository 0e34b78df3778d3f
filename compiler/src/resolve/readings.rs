//! Functions and draws in expressions: which one, whether it may stand there, and what it is given.

use super::context::{At, Resolver};
use super::errors;
use super::functions::{self, Function};
use super::moments::Moment;
use super::names::Symbol;
use super::refs::{Use, Want, Written};
use crate::diag::Diagnostic;
use crate::index::Kind;
use crate::ir::{self, Expr, ExprKind, PoolFn, StageFn, StageKind, Ty};
use crate::span::Span;
use crate::syntax::ast::{self, Name};

impl<'a> Resolver<'a> {
    /// `f(…)`: a definition or a function.
    pub fn call(
        &mut self,
        name: &'a Name,
        args: &'a [ast::Expr],
        span: Span,
        at: At,
    ) -> Option<Expr> {
        if self.is_hole(&name.kind) {
            self.offer_functions(name, at);
            return None;
        }
        if let Some(named) = self.names.get(name.kind.as_str()).copied() {
            return match named.symbol {
                Symbol::Def(def) => self.use_expr(def, name, args, span, at),
                other => {
                    self.note_symbol(&name.kind, name.span);
                    let found = errors::names::not_a_function(name, other.describe());
                    self.report(found, at.scope);
                    None
                }
            };
        }
        let Some(function) = functions::function(&name.kind) else {
            let found = self.unknown_function(name);
            self.report(found, at.scope);
            return None;
        };
        self.note_word(Kind::Function, &name.kind, name.span);
        let takes = match function {
            Function::Math(_, takes) => takes,
            Function::Pool(_) | Function::Stage(_) => 1,
            Function::Price => 3,
        };
        if args.len() != takes {
            let found = errors::names::arity(span, &name.kind, takes, args.len());
            self.report(found, at.scope);
            self.note_arguments(args, at);
            return None;
        }
        if let Some(found) = self.misplaced(function, name, at) {
            self.report(found, at.scope);
            return None;
        }
        let site = self.site(span, at.scope);
        let kind = match function {
            Function::Math(math, _) => {
                let args = self.exprs(args, at)?;
                return Some(Expr { kind: ExprKind::Math(math, args), ty: Ty::Num, site });
            }
            Function::Pool(reading) => self.pool_reading(reading, name, &args[0], at)?,
            Function::Stage(reading) => self.stage_reading(reading, name, &args[0], at)?,
            Function::Price => {
                let written = self.argument_ref(&args[0], name, Want::Stage, at)?;
                let stage = self.stage(written, Use::Read, at);
                let (hit, ds) = (self.expr(&args[1], at), self.expr(&args[2], at));
                ExprKind::Price(stage?, Box::new(hit?), Box::new(ds?))
            }
        };
        Some(Expr { kind, ty: Ty::Num, site })
    }

    /// An argument that must be a pool or a stage.
    fn argument_ref(
        &mut self,
        arg: &'a ast::Expr,
        function: &Name,
        want: Want,
        at: At,
    ) -> Option<Written<'a>> {
        match Written::of_expr(arg, at.scope) {
            Some(written) => Some(written),
            None => {
                let found = errors::refs::takes_a_reference(arg.span, &function.kind, want);
                self.report(found, at.scope);
                None
            }
        }
    }

    /// What is wrong with a function at a moment, whatever it is given.
    pub fn misplaced(&self, function: Function, name: &Name, at: At) -> Option<Diagnostic> {
        let (moment, position) = (at.moment, at.moment.describe());
        match function {
            Function::Math(..) => None,
            _ if !moment.reads_state() => {
                let said = format!("{}(…)", name.kind);
                Some(errors::constants::not_constant(name.span, &said, position))
            }
            Function::Pool(PoolFn::CachedIn | PoolFn::Leased) if !moment.has_session() => {
                Some(errors::moments::no_prefix(name.span, position))
            }
            Function::Stage(StageFn::BudgetLeft | StageFn::KvDecode | StageFn::KvPrefill)
                if !moment.reads_plans() =>
            {
                Some(errors::moments::no_plan(name, position))
            }
            Function::Stage(StageFn::Work) if !moment.reads_work() => {
                Some(errors::moments::no_work(name.span, position))
            }
            Function::Pool(_) | Function::Stage(_) | Function::Price => None,
        }
    }

    fn pool_reading(
        &mut self,
        reading: PoolFn,
        name: &'a Name,
        arg: &'a ast::Expr,
        at: At,
    ) -> Option<ExprKind> {
        let written = self.argument_ref(arg, name, Want::Pool, at)?;
        let pool = self.pool(written, Use::Read, at)?;
        if reading == PoolFn::BlockSize {
            self.block_reads.push((pool.pool, arg.span, at.scope));
        }
        Some(ExprKind::Pool(reading, pool))
    }

    fn stage_reading(
        &mut self,
        reading: StageFn,
        name: &'a Name,
        arg: &'a ast::Expr,
        at: At,
    ) -> Option<ExprKind> {
        let written = self.argument_ref(arg, name, Want::Stage, at)?;
        let stage = self.stage(written, Use::Read, at)?;
        let of_engine =
            matches!(reading, StageFn::BudgetLeft | StageFn::KvDecode | StageFn::KvPrefill);
        if of_engine && !self.is_engine(stage.stage) {
            let of = self.program.stages[stage.stage.index()].name.clone();
            self.report(errors::moments::reading_of_no_engine(arg.span, &of, &name.kind), at.scope);
            return None;
        }
        if reading == StageFn::Up
            && !self.queues.iter().any(|queue| queue.stage("") == Some(stage.stage))
        {
            let of = self.program.stages[stage.stage.index()].name.clone();
            self.report(errors::moments::up_of_no_member(arg.span, &of), at.scope);
            return None;
        }
        Some(ExprKind::Stage(reading, stage))
    }

    /// Whether a stage is a step engine.
    pub fn is_engine(&self, stage: ir::StageId) -> bool {
        matches!(self.program.stages[stage.index()].kind, StageKind::Step(_))
    }

    pub fn draw(
        &mut self,
        dist: &'a Name,
        args: &'a [ast::Expr],
        span: Span,
        at: At,
    ) -> Option<Expr> {
        if self.is_hole(&dist.kind) {
            self.offer_distributions(at);
        }
        let Some((known, takes)) = functions::distribution(&dist.kind) else {
            let found = self.unknown_distribution(dist);
            self.report(found, at.scope);
            return None;
        };
        self.note_word(Kind::Distribution, &dist.kind, dist.span);
        if args.len() != takes {
            let said = format!("~{}", dist.kind);
            self.report(errors::names::arity(span, &said, takes, args.len()), at.scope);
            self.note_arguments(args, at);
            return None;
        }
        if !at.moment.draws() {
            let found = match at.moment {
                Moment::Constant(what) => errors::constants::draws(span, what),
                moment => errors::moments::no_draw(span, moment.describe()),
            };
            self.report(found, at.scope);
            return None;
        }
        let args = self.exprs(args, at)?;
        self.check_draw(known, &args, span);
        let ty = if known == ir::Dist::Bernoulli { Ty::Bool } else { Ty::Num };
        let site = self.site(span, at.scope);
        Some(Expr { kind: ExprKind::Draw(known, args), ty, site })
    }
}
