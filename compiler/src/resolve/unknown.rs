//! Names that mean nothing, with the nearest that would.

use super::context::Resolver;
use super::errors;
use super::functions;
use super::moments;
use super::names::{DefBody, Symbol};
use super::refs::{Part, Want};
use crate::diag::Diagnostic;
use crate::span::Span;
use crate::syntax::ast::Name;

impl<'a> Resolver<'a> {
    /// A name in an expression.
    pub fn unknown_name(&self, name: &str, span: Span) -> Diagnostic {
        if functions::function_names().any(|function| function == name) {
            return errors::names::not_a_value(span, name, "a function");
        }
        let lets = self.names.iter().filter(|(_, named)| matches!(named.symbol, Symbol::Param(_)));
        let attrs = self.attrs.keys().filter(|(queue, _)| queue.is_none());
        let known = lets
            .map(|(name, _)| *name)
            .chain(attrs.map(|(_, name)| name.as_str()))
            .chain(moments::context_names())
            .chain(["serial", "turn_no", "cached", "computed"]);
        errors::names::unknown(span, name, known)
    }

    /// A function or definition in an expression.
    pub fn unknown_function(&self, name: &Name) -> Diagnostic {
        let defs = self.defs.iter().map(|def| def.name.kind.as_str());
        errors::names::unknown_function(name, functions::function_names().chain(defs))
    }

    /// A distribution.
    pub fn unknown_distribution(&self, name: &Name) -> Diagnostic {
        errors::names::unknown_distribution(name, functions::distribution_names())
    }

    /// A definition used as a statement.
    pub fn unknown_statements(&self, name: &Name) -> Diagnostic {
        let defs = self.defs.iter().filter(|def| matches!(def.body, DefBody::Block(_)));
        let near = errors::nearest(&name.kind, defs.map(|def| def.name.kind.as_str()));
        errors::defs::unknown_statements(name, near)
    }

    /// A pool or a stage.
    pub fn unknown_family(&self, part: Part<'a>, want: Want) -> Diagnostic {
        let known = self.names.iter().filter(|(_, named)| match named.symbol {
            Symbol::Pool(_) => want == Want::Pool,
            Symbol::Stage(_) => want == Want::Stage,
            Symbol::Queue(_) => true,
            Symbol::Param(_) | Symbol::Def(_) => false,
        });
        errors::refs::unknown(part.span, part.name, want, known.map(|(name, _)| *name))
    }
}
