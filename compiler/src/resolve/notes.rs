//! What an index wants to know while names are looked up: which text means what, and when each
//! expression is read.
//!
//! In: the lookups of the other files, which note what they find before they judge whether it may
//! stand there. Out: [`Notes`], of which `crate::index` makes its tables. A compilation notes
//! nothing.

use std::collections::{HashMap, HashSet};

use super::context::{At, Place, Resolver};
use super::moments::Moment;
use super::names::{DefBody, Symbol};
use super::refs::{Family, Written};
use super::scope::{Argument, ScopeKind};
use crate::index::Kind;
use crate::ir::{self, Expr, QueueId};
use crate::span::Span;
use crate::syntax::ast::{self, Block, Name};

/// What a piece of text means.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Meaning {
    /// What is declared by the text at this place.
    Declared(Span),
    /// An attribute: the session's, or an entry's own.
    Attribute(Option<QueueId>, String),
    /// An observation.
    Observation(String),
    /// A name of the language.
    Word(Kind, String),
}

/// Something declared at one place.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    /// What it is.
    pub kind: Kind,
    /// Its name as others write it.
    pub name: String,
    /// The place.
    pub span: Span,
}

/// Everything noted.
#[derive(Default)]
pub(crate) struct Notes {
    pub declared: Vec<Declared>,
    /// Which text means what. Text of a definition may mean several things, one at each use.
    pub uses: HashSet<(Span, Meaning)>,
    /// Places that give an attribute or an observation its value.
    pub given: HashSet<Span>,
    /// Places that mean something without naming it: `prefill (x);` means a stage.
    pub implied: HashSet<Span>,
    /// When the expression at a place is read.
    pub readings: HashMap<Span, Vec<Moment>>,
    /// What each definition's body came to at its first use.
    pub bodies: HashMap<usize, Expr>,
    /// What each admission binding came to.
    pub bound: HashMap<Span, Expr>,
    /// Definitions that something uses.
    used: HashSet<usize>,
    /// Expressions around the present one.
    nested: u32,
}

impl<'a> Resolver<'a> {
    /// Notes what a piece of text means.
    pub fn note(&mut self, span: Span, meaning: impl FnOnce() -> Meaning) {
        if let Some(notes) = &mut self.notes {
            notes.uses.insert((span, meaning()));
        }
    }

    /// Notes a declaration.
    pub fn note_declared(&mut self, kind: Kind, name: impl FnOnce() -> String, span: Span) {
        if let Some(notes) = &mut self.notes {
            notes.declared.push(Declared { kind, name: name(), span });
        }
    }

    /// Notes that the text at a place gives a value to what it means.
    pub fn note_given(&mut self, span: Span, meaning: impl FnOnce() -> Meaning) {
        if let Some(notes) = &mut self.notes {
            notes.given.insert(span);
            notes.uses.insert((span, meaning()));
        }
    }

    /// Notes that whatever the text at a place means it does not name.
    pub fn note_implied(&mut self, span: Span) {
        if let Some(notes) = &mut self.notes {
            notes.implied.insert(span);
        }
    }

    /// Notes what a name of the program means; nothing for a name that is unknown.
    pub fn note_symbol(&mut self, name: &str, span: Span) {
        if self.notes.is_some()
            && let Some(named) = self.names.get(name)
        {
            let declared = named.span;
            self.note(span, || Meaning::Declared(declared));
        }
    }

    /// Notes the names of a reference that was found to mean a family.
    pub fn note_family(&mut self, written: &Written<'a>, family: Family) {
        if self.notes.is_none() {
            return;
        }
        let (declared, queue) = match family {
            Family::Pool(id) => {
                let pool = &self.program.pools[id.index()];
                (pool.span, pool.queue)
            }
            Family::Stage(id) => {
                let stage = &self.program.stages[id.index()];
                (stage.span, stage.queue)
            }
        };
        let queue = queue.map(|id| self.program.queues[id.index()].span);
        for (index, part) in written.path.iter().enumerate() {
            let means = match queue {
                Some(queue) if index == 0 && self.symbol_span(part.name) == Some(queue) => queue,
                _ => declared,
            };
            self.note(part.span, || Meaning::Declared(means));
        }
    }

    fn symbol_span(&self, name: &str) -> Option<Span> {
        self.names.get(name).map(|named| named.span)
    }

    /// Notes a name that the language brings.
    pub fn note_word(&mut self, kind: Kind, name: &str, span: Span) {
        self.note(span, || Meaning::Word(kind, name.to_owned()));
    }

    /// Notes that an expression is read; only the outermost one of a position is kept.
    pub fn enter_reading(&mut self, span: Span, moment: Moment) {
        if let Some(notes) = &mut self.notes {
            if notes.nested == 0 {
                notes.read(span, moment);
            }
            notes.nested += 1;
        }
    }

    /// The end of what [`Resolver::enter_reading`] began.
    pub fn leave_reading(&mut self) {
        if let Some(notes) = &mut self.notes {
            notes.nested -= 1;
        }
    }

    /// Notes that a text is read by way of a name for it.
    pub fn note_reading(&mut self, span: Span, moment: Moment) {
        if let Some(notes) = &mut self.notes {
            notes.read(span, moment);
        }
    }

    /// Notes a use of a definition.
    pub fn note_use(&mut self, def: usize, span: Span) {
        let declared = self.defs[def].name.span;
        if let Some(notes) = &mut self.notes {
            notes.used.insert(def);
        }
        self.note(span, || Meaning::Declared(declared));
    }

    /// Notes what a definition's body came to.
    pub fn note_body(&mut self, def: usize, body: Option<&Expr>) {
        if let (Some(notes), Some(body)) = (&mut self.notes, body) {
            notes.bodies.entry(def).or_insert_with(|| body.clone());
        }
    }

    /// Notes what an admission binding came to.
    pub fn note_binding(&mut self, name: &Name, value: Option<&Expr>) {
        self.note_declared(Kind::Binding, || name.kind.clone(), name.span);
        if let (Some(notes), Some(value)) = (&mut self.notes, value) {
            notes.bound.entry(name.span).or_insert_with(|| value.clone());
        }
    }

    /// Looks up the names in arguments of a use that is wrong already. What is wrong with them is
    /// not said.
    pub fn note_arguments(&mut self, args: &'a [ast::Expr], at: At) {
        if self.notes.is_some() {
            let said = self.diagnostics.len();
            for arg in args {
                self.expr(arg, at);
            }
            self.diagnostics.truncate(said);
        }
    }

    /// Looks up the names of what nothing leads to: definitions without a use, a server and routes
    /// without a request. What is wrong with them is not said.
    pub fn note_unreached(&mut self) {
        self.overgrown = true;
        if let (Some((body, _, item)), false) = (self.sides.server, self.server_requested) {
            self.note_request(body, item, None);
        }
        for index in 0..self.queues.len() {
            let id = QueueId(index as u32);
            if !self.queue(id).is_gateway() || self.requested.contains(&id) {
                continue;
            }
            let (body, item) = match self.queue(id).entries.first() {
                Some(entry) => (entry.body, self.queue(id).item),
                None => continue,
            };
            self.note_request(body, item, Some(id));
        }
        // A definition uses those before it, so the last one comes first.
        for def in (0..self.defs.len()).rev() {
            if self.notes.as_ref().is_some_and(|notes| !notes.used.contains(&def)) {
                self.note_unused(def);
            }
        }
    }

    fn note_request(&mut self, body: &'a Block, item: usize, gateway: Option<QueueId>) {
        self.nodes = 0;
        let frame = ScopeKind::Request { item, gateway, used_at: body.span };
        let scope = self.scope(None, frame);
        self.place = Place::Server("a server");
        self.block(body, scope, &mut ir::Block::new());
    }

    fn note_unused(&mut self, def: usize) {
        self.nodes = 0;
        let (params, body, item) =
            (self.defs[def].params, self.defs[def].body, self.defs[def].item);
        let used_at = self.defs[def].name.span;
        let params = params
            .iter()
            .map(|name| Argument { name, value: None, reads: 0, draws: false })
            .collect();
        let around = self.scope(None, ScopeKind::Item { item });
        let scope = self.scope(Some(around), ScopeKind::Def { params, used_at });
        self.nest(1);
        match body {
            DefBody::Expr(body) => {
                let at: At = Self::session_at(scope, "a definition");
                let read = self.expr(body, at);
                self.note_body(def, read.as_ref());
            }
            DefBody::Block(body) => {
                self.place = Place::Session;
                let mut given = Vec::new();
                self.given(body, def, &mut given);
                for name in given {
                    self.attribute_named(None, &name.kind);
                }
                self.block(body, scope, &mut ir::Block::new());
            }
        }
        self.nest(-1);
    }

    /// Pretends expressions around the next one, so that it is not noted when that is read.
    fn nest(&mut self, by: i32) {
        if let Some(notes) = &mut self.notes {
            notes.nested = notes.nested.saturating_add_signed(by);
        }
    }
}

impl Notes {
    fn read(&mut self, span: Span, moment: Moment) {
        let moments = self.readings.entry(span).or_default();
        if !moments.contains(&moment) {
            moments.push(moment);
        }
    }
}

impl Symbol {
    /// The kind of what it names.
    pub fn kind(self) -> Kind {
        match self {
            Symbol::Param(_) => Kind::Constant,
            Symbol::Def(_) => Kind::Definition,
            Symbol::Pool(_) => Kind::Pool,
            Symbol::Stage(_) => Kind::Stage,
            Symbol::Queue(_) => Kind::Queue,
        }
    }
}
