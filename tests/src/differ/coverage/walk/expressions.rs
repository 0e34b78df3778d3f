//! Expressions, at the moment that their place has.

use super::Walk;
use serq_compiler::syntax::ast::*;

impl Walk<'_> {
    pub(super) fn reference(&mut self, reference: &Ref) {
        let (names, index) = (reference.path.len(), reference.index.as_ref());
        let form = match (names, index.map(|(after, _)| *after)) {
            (1, None) => "p",
            (1, Some(_)) => "p[i]",
            (_, None) => "Q.p",
            (_, Some(1)) => "Q[i].p",
            (_, Some(_)) => "Q.p[i]",
        };
        self.has("reference", form);
        if let Some((_, index)) = index {
            self.expr("index", index);
        }
    }

    /// Arguments of a definition or an entry.
    pub(super) fn arguments(&mut self, args: &[Expr]) {
        for arg in args {
            match &arg.kind {
                ExprKind::Ref(_) => self.has("file", "definition given a pool or stage"),
                ExprKind::Name(name) if self.declared.things.contains(name) => {
                    self.has("file", "definition given a pool or stage");
                }
                _ => {}
            }
            self.expr("argument", arg);
        }
    }

    pub(super) fn expr(&mut self, place: &str, e: &Expr) {
        match &e.kind {
            ExprKind::Num { text, .. } => self.number(text),
            ExprKind::Name(name) => {
                if place == "index" && self.source.as_ref() == Some(name) {
                    self.has("reference", "source in an index");
                }
                self.has(&format!("read in {place}"), name);
            }
            ExprKind::SelfIndex => self.has("reference", "self"),
            ExprKind::Call { name, args } => {
                self.has(&format!("read in {place}"), &name.kind);
                if self.declared.definitions.contains(&name.kind) {
                    if place == "definition" {
                        self.has("file", "definition that uses another");
                    }
                    self.arguments(args);
                }
                args.iter().for_each(|arg| self.expr(place, arg));
            }
            ExprKind::Draw { dist, args } => {
                self.has("draw", &dist.kind);
                self.has(&format!("read in {place}"), "a draw");
                args.iter().for_each(|arg| self.expr(place, arg));
            }
            ExprKind::Aggregate { op, count, body, .. } => {
                let name = match op.kind {
                    AggregateOp::Max => "max in",
                    AggregateOp::Min => "min in",
                    AggregateOp::Sum => "sum in",
                };
                self.has("expression", name);
                self.has(&format!("read in {place}"), name);
                self.expr(place, count);
                self.expr(place, body);
            }
            ExprKind::Field { .. } => self.has("reference", "Q.x"),
            ExprKind::Ref(reference) => self.reference(reference),
            ExprKind::Unary { op, expr } => {
                self.has("expression", &format!("{} x", op.text()));
                self.expr(place, expr);
            }
            ExprKind::Chain { first, rest } => {
                self.expr(place, first);
                for (op, term) in rest {
                    self.has("expression", op.text());
                    self.expr(place, term);
                }
            }
            ExprKind::Cond { test, yes, no } => {
                self.has("expression", "? :");
                [test, yes, no].into_iter().for_each(|e| self.expr(place, e));
            }
            ExprKind::Paren(inner) => {
                self.has("expression", "( )");
                self.expr(place, inner);
            }
        }
    }

    fn number(&mut self, text: &str) {
        let forms = [
            ("inf", text == "inf"),
            ("1.", text.ends_with('.')),
            (".5", text.starts_with('.')),
            ("1e0", text != "inf" && text.contains(['e', 'E'])),
            ("1_0", text.contains('_')),
        ];
        for (name, _) in forms.into_iter().filter(|(_, is)| *is) {
            self.has("expression", name);
        }
    }
}
