//! Where a piece of text stands: what it may name, and the uses that led there.
//!
//! Definitions and entries are substitution: a parameter is the argument's text, read in the scope
//! of the use. Scopes are a tree of frames; a name is looked up from the innermost frame outwards.

use crate::ir::{PoolId, QueueId, VarId};
use crate::span::Span;
use crate::syntax::ast::{Expr, Name};

/// A frame: index into the resolver's scopes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct ScopeId(pub u32);

/// A frame and what it stands in.
pub(super) struct Scope<'a> {
    /// The frame around it; a barrier's parent is the use that led there.
    pub parent: Option<ScopeId>,
    /// What it binds.
    pub kind: ScopeKind<'a>,
    /// How many frames there are up to here.
    pub depth: u32,
}

/// Kinds of frame.
pub(super) enum ScopeKind<'a> {
    /// An item's own text.
    Item {
        /// Its place in the order of items.
        item: usize,
    },
    /// The body of a `server` or a gateway's route, run where it is requested. A barrier.
    Request {
        /// The place of the body's item.
        item: usize,
        /// The gateway whose route it is.
        gateway: Option<QueueId>,
        /// The request.
        used_at: Span,
    },
    /// A definition's body.
    Def {
        /// Parameters with the texts given.
        params: Vec<Argument<'a>>,
        /// The use.
        used_at: Span,
    },
    /// An entry's body. A barrier.
    Entry(EntryScope<'a>),
    /// The declaration of a queue: its pools and stage mean the member's own. A barrier.
    Queue {
        /// The queue.
        queue: QueueId,
        /// The place of its item.
        item: usize,
    },
    /// The declaration of a pool or stage family at top level. A barrier.
    Family {
        /// Its name, which without an index means the member itself.
        name: &'a str,
        /// The place of its item.
        item: usize,
    },
    /// The body of an aggregate.
    Aggregate {
        /// The variable's name.
        name: &'a Name,
        /// The variable.
        var: VarId,
    },
    /// The header and the body of a hold: one admission binding.
    Binding {
        /// Index into the resolver's bindings.
        binding: usize,
    },
}

/// A parameter and what was given for it.
pub(super) struct Argument<'a> {
    /// The parameter.
    pub name: &'a Name,
    /// What stands for it; `None` in an entry that nobody calls.
    pub value: Option<Given<'a>>,
    /// How often it was read so far.
    pub reads: u32,
    /// Whether a reading of it drew.
    pub draws: bool,
}

/// A text and the scope in which it is read.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    /// The text.
    pub expr: &'a Expr,
    /// Where it stands.
    pub scope: ScopeId,
}

/// An entry's frame.
pub(super) struct EntryScope<'a> {
    /// The queue.
    pub queue: QueueId,
    /// The place of its item.
    pub item: usize,
    /// `P.prefill`, for messages.
    pub label: String,
    /// Parameters and arguments.
    pub params: Vec<Argument<'a>>,
    /// The member called; `None` for a single queue or member 0 of a family of one.
    pub member: Option<Given<'a>>,
    /// Entered without a caller, to be checked only: the member and the source are unknown.
    pub uncalled: bool,
    /// `from src`.
    pub source: Option<Source<'a>>,
    /// The call.
    pub used_at: Option<Span>,
}

/// What `from P[i]` gives an entry.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    /// The name the entry calls it by.
    pub name: &'a Name,
    /// The queue that it comes from; `None` in an entry that nobody calls.
    pub from: Option<(QueueId, PoolId)>,
    /// The member.
    pub member: Option<Given<'a>>,
}
