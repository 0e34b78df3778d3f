//! What an entry may read: its parameters, its queue, what it set itself, and little else.

use super::context::{At, Resolver};
use super::errors;
use super::functions;
use super::moments::{self, Moment};
use super::names::Symbol;
use super::notes::Meaning;
use super::scope::{ScopeId, ScopeKind};
use crate::ir::{Builtin, Ctx, Expr};
use crate::span::Span;

impl<'a> Resolver<'a> {
    /// A name read in an entry's own text.
    pub fn entry_name(
        &mut self,
        frame: ScopeId,
        name: &'a str,
        span: Span,
        at: At,
    ) -> Option<Expr> {
        let ScopeKind::Entry(entry) = &self.frame(frame).kind else { return None };
        if let Some(index) = entry.params.iter().position(|p| p.name.kind == name) {
            return self.argument(frame, index, span, at);
        }
        let (queue, label) = (entry.queue, entry.label.clone());
        if let Some(source) = entry.source.filter(|source| source.name.kind == name) {
            self.note(span, || Meaning::Declared(source.name.span));
            if !at.in_index {
                self.report(errors::refs::source_is_a_pool(span, name), at.scope);
                return None;
            }
            return match source.member {
                Some(given) => self.indexing(given, at),
                None => {
                    let site = self.site(span, at.scope);
                    Some(super::terms::number(0.0, site))
                }
            };
        }
        let in_header = matches!(at.moment, Moment::Header(_));
        if let Some(attr) = self.known_attribute(Some(queue), name) {
            self.note(span, || Meaning::Attribute(Some(queue), name.to_owned()));
            if in_header {
                let queue = self.program.queues[queue.index()].name.clone();
                let found = errors::entries::header_reads_own(span, &label, &queue, name);
                self.report(found, at.scope);
                return None;
            }
            return self.attribute_read(attr, name, span, at);
        }
        if let Some(Symbol::Param(_)) = self.symbol(name) {
            return self.program_name(name, span, at);
        }
        if let Some(attr) = self.known_attribute(None, name) {
            self.note(span, || Meaning::Attribute(None, name.to_owned()));
            if self.program.attrs[attr.index()].hidden {
                return self.attribute_read(attr, name, span, at);
            }
            self.report(errors::entries::reads_session(span, &label, name), at.scope);
            return None;
        }
        match functions::builtin(name, self.has_trace) {
            Some(Builtin::Cached | Builtin::Computed) | None => {}
            Some(_) => {
                self.report(errors::entries::reads_session(span, &label, name), at.scope);
                return None;
            }
        }
        if in_header && moments::context(name) == Some(Ctx::Now) {
            self.report(errors::entries::header_reads_now(span, &label), at.scope);
            return None;
        }
        self.program_name(name, span, at)
    }
}
