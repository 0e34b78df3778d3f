//! What must hold of constants, and of the program as a whole.
//!
//! A condition over constants is kept with the program when it reads a `let`, so that an override
//! at the start of a run is checked by the same rule; here it is checked with the values written.

use std::collections::HashSet;

use super::context::Resolver;
use super::errors;
use super::terms::{and, binary, compare, every_part, is_constant, is_fixed, whole};
use crate::diag::{Diagnostic, Label, Severity};
use crate::ir::{
    AggregateOp, BinaryOp, Dist, Expr, ExprKind, Math, PoolId, Ty, VarId, eval, print,
};
use crate::span::Span;

impl<'a> Resolver<'a> {
    /// A constant amount is at least 0 (and so no NaN).
    pub fn check_amount(&mut self, amount: &Expr, span: Span, what: &'static str) {
        if is_constant(amount) {
            let cond = compare(BinaryOp::Ge, amount, 0.0);
            self.require(cond, errors::constants::negative(span, what));
        }
    }

    /// A constant request fits an empty pool.
    pub fn check_fits(&mut self, pool: PoolId, units: &Expr, span: Span) {
        if is_constant(units) {
            let pool = &self.program.pools[pool.index()];
            let (name, cap) = (pool.name.clone(), pool.cap.clone());
            let mut need = units.clone();
            if let Some(block) = pool.block.clone() {
                need = round_up(&need, &block);
            }
            let cond = binary(BinaryOp::Le, need, cap);
            self.require(cond, errors::constants::above_cap(span, &name));
        }
    }

    /// A constant guard is 0 or 1.
    pub fn check_guard(&mut self, guard: &Expr, span: Span) {
        if is_constant(guard) {
            let zero = compare(BinaryOp::Eq, guard, 0.0);
            let one = compare(BinaryOp::Eq, guard, 1.0);
            let cond = binary(BinaryOp::Or, zero, one);
            self.require(cond, errors::constants::guard(span));
        }
    }

    /// A constant count of `choose` is whole and at least 0.
    pub fn check_count(&mut self, count: &Expr) {
        if is_constant(count) {
            let span = self.span_of(count);
            let cond = and(whole(count), compare(BinaryOp::Ge, count, 0.0));
            self.require(cond, errors::constants::choose_count(span));
        }
    }

    /// A constant index is a member's, for every value of the aggregates it stands in.
    pub fn check_index(&mut self, index: &Expr, size: Expr, span: Span, family: &str) {
        if !is_fixed(index) || self.runs_over(index, &size) {
            return;
        }
        let inside =
            and(compare(BinaryOp::Ge, index, 0.0), binary(BinaryOp::Lt, index.clone(), size));
        let mut cond = and(whole(index), inside);
        let mut vars = Vec::new();
        free_vars(index, &mut vars);
        for var in vars {
            let Some(count) = self.ranges.get(&var).cloned() else { return };
            let site = cond.site;
            let kind = ExprKind::Aggregate(AggregateOp::Min, var, Box::new(count), Box::new(cond));
            cond = Expr { kind, ty: Ty::Num, site };
        }
        self.require(cond, errors::refs::index_out_of_family(span, family));
    }

    /// An aggregate's variable that takes the numbers of all members of a family of this size: it has been checked that
    /// there are so many, and that is all there is to it.
    fn runs_over(&self, index: &Expr, size: &Expr) -> bool {
        let ExprKind::Var(var) = &index.kind else { return false };
        let said = |e: &Expr| print::expression(&self.program, e);
        self.ranges.get(var).is_some_and(|count| said(count) == said(size))
    }

    /// Constant arguments of a draw are inside the distribution's range.
    pub fn check_draw(&mut self, dist: Dist, args: &[Expr], span: Span) {
        let bound = |at: usize, op: BinaryOp, value: f64| {
            args.get(at).filter(|arg| is_constant(arg)).map(|arg| compare(op, arg, value))
        };
        let conds: Vec<Option<Expr>> = match dist {
            Dist::Exp => vec![bound(0, BinaryOp::Ge, 0.0)],
            Dist::Det | Dist::Uniform => Vec::new(),
            Dist::Erlang => vec![
                args.first()
                    .filter(|k| is_constant(k))
                    .map(|k| and(whole(k), compare(BinaryOp::Ge, k, 1.0))),
                bound(1, BinaryOp::Ge, 0.0),
            ],
            Dist::H2 => vec![bound(0, BinaryOp::Ge, 0.0), bound(1, BinaryOp::Ge, 1.0)],
            Dist::Bernoulli => vec![bound(0, BinaryOp::Ge, 0.0), bound(0, BinaryOp::Le, 1.0)],
        };
        for cond in conds.into_iter().flatten() {
            self.require(cond, errors::constants::draw_range(span, dist));
        }
    }

    /// What can be judged only when everything is resolved.
    pub fn check_whole_program(&mut self) {
        self.check_flows();
        self.check_releases();
        self.check_block_reads();
        self.check_shared_prefixes();
        self.check_failing();
        self.check_gauge_names();
        self.infer_types();
        self.check_constants();
        if !self.failed() {
            self.check_loops();
            self.check_joins();
        }
    }

    /// Judges every condition with the values as written, and keeps those that a `let` can change.
    fn check_constants(&mut self) {
        let values = self.param_values();
        let mut seen = HashSet::new();
        let checks = std::mem::take(&mut self.program.checks);
        for check in checks {
            let said = print::expression(&self.program, &check.cond);
            if !seen.insert((check.code, check.span, said)) {
                continue;
            }
            let holds = eval::eval(&check.cond, &values).is_none_or(eval::truth);
            if !holds {
                let used_at = self.program.sites[check.cond.site.index()].used_at.clone();
                let mut secondary = Vec::new();
                for span in used_at.into_iter().rev() {
                    secondary.push(Label { span, text: "used here".to_owned() });
                }
                self.diagnostics.push(Diagnostic {
                    code: check.code,
                    severity: Severity::Error,
                    message: check.message.clone(),
                    primary: Label { span: check.span, text: String::new() },
                    secondary,
                    help: check.help.clone(),
                });
            }
            if Self::reads_params(&check.cond) {
                self.program.checks.push(check);
            }
        }
    }
}

/// The aggregate variables that an expression reads from outside.
fn free_vars(expr: &Expr, out: &mut Vec<VarId>) {
    match &expr.kind {
        ExprKind::Var(var) if !out.contains(var) => out.push(*var),
        ExprKind::Aggregate(_, own, count, body) => {
            free_vars(count, out);
            let mut inner = Vec::new();
            free_vars(body, &mut inner);
            out.extend(inner.into_iter().filter(|var| var != own));
        }
        _ => {
            every_part(expr, &mut |part| {
                free_vars(part, out);
                true
            });
        }
    }
}

/// `ceil(x / block) * block`, as allocations round.
fn round_up(units: &Expr, block: &Expr) -> Expr {
    let blocks = binary(BinaryOp::Div, units.clone(), block.clone());
    // A request that is whole blocks but for rounding takes no block more.
    let blocks = binary(BinaryOp::Sub, blocks, super::terms::number(1e-12, units.site));
    let ceil =
        Expr { kind: ExprKind::Math(Math::Ceil, vec![blocks]), ty: Ty::Num, site: units.site };
    binary(BinaryOp::Mul, ceil, block.clone())
}
