//! Moments: when an expression is read, and which names exist then.
//!
//! One row per position of section 5 of the language reference.

use crate::ir::Ctx;

/// The position of an expression, which says the moment it is read at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Moment {
    /// A constant: what it is, for messages.
    Constant(&'static str),
    /// The session's own statements: what it is.
    Session(&'static str),
    /// A hold's header: which part.
    Header(&'static str),
    /// `queue by`.
    QueueKey,
    /// An eviction key or a spill clause.
    Eviction(&'static str),
    /// A `ps` capacity.
    Rate,
    /// A step's `budget` or `chunk`.
    Plan(&'static str),
    /// `serve by`.
    Serve,
    /// `serve only`.
    Only,
    /// A step's `cost`.
    Step,
    /// A gauge.
    Gauge,
    /// A renewal gap.
    Arrival,
}

impl Moment {
    /// The position, with its article.
    pub fn describe(self) -> &'static str {
        match self {
            Moment::Constant(what)
            | Moment::Session(what)
            | Moment::Header(what)
            | Moment::Eviction(what)
            | Moment::Plan(what) => what,
            Moment::QueueKey => "a `queue by` key",
            Moment::Rate => "a `ps` capacity",
            Moment::Serve => "a `serve by` key",
            Moment::Only => "a `serve only` rule",
            Moment::Step => "a step's `cost`",
            Moment::Gauge => "a gauge",
            Moment::Arrival => "a renewal gap",
        }
    }

    /// The moment that an expression there is read at, in a word.
    pub fn name(self) -> &'static str {
        match self {
            Moment::Constant(_) => "constant",
            Moment::Session(_) => "session",
            Moment::Header(_) | Moment::QueueKey => "admission",
            Moment::Eviction(_) => "eviction",
            Moment::Rate => "rate",
            Moment::Plan(_) => "plan",
            Moment::Serve => "serve",
            Moment::Only => "only",
            Moment::Step => "step",
            Moment::Gauge => "gauge",
            Moment::Arrival => "arrival",
        }
    }

    /// Whether a draw may stand here.
    pub fn draws(self) -> bool {
        match self {
            Moment::Session(_) | Moment::Eviction(_) | Moment::Arrival => true,
            Moment::Constant(_)
            | Moment::Header(_)
            | Moment::QueueKey
            | Moment::Rate
            | Moment::Plan(_)
            | Moment::Serve
            | Moment::Only
            | Moment::Step
            | Moment::Gauge => false,
        }
    }

    /// Whether hidden attributes are seen: in the session's own statements only.
    pub fn sees_hidden(self) -> bool {
        matches!(self, Moment::Session(_))
    }

    /// Whether there is a session whose attributes and own prefix could be read.
    pub fn has_session(self) -> bool {
        match self {
            Moment::Session(_)
            | Moment::Header(_)
            | Moment::QueueKey
            | Moment::Eviction(_)
            | Moment::Serve
            | Moment::Only => true,
            Moment::Constant(_)
            | Moment::Rate
            | Moment::Plan(_)
            | Moment::Step
            | Moment::Gauge
            | Moment::Arrival => false,
        }
    }

    /// Whether pools and stages may be read at all.
    pub fn reads_state(self) -> bool {
        !matches!(self, Moment::Constant(_) | Moment::Arrival)
    }

    /// Whether an engine's `budget_left`, `kv_decode` and `kv_prefill` may be read of outside: a plan
    /// exists or could be made.
    pub fn reads_plans(self) -> bool {
        matches!(self, Moment::Session(_) | Moment::Header(_) | Moment::QueueKey)
    }

    /// Whether `work(…)` may be read.
    pub fn reads_work(self) -> bool {
        self.reads_state() && !matches!(self, Moment::Only | Moment::Gauge)
    }

    /// Whether a name of one moment exists here.
    pub fn has(self, name: Ctx) -> bool {
        match name {
            Ctx::Now => !matches!(
                self,
                Moment::Constant(_) | Moment::Only | Moment::Gauge | Moment::Arrival
            ),
            Ctx::Waited => self == Moment::QueueKey,
            Ctx::Size | Ctx::Age | Ctx::Last | Ctx::Waiting => {
                matches!(self, Moment::Eviction(_))
            }
            Ctx::Present => self == Moment::Rate,
            Ctx::Residents | Ctx::Decoders | Ctx::KvDecode | Ctx::KvPrefill => {
                matches!(self, Moment::Plan(_) | Moment::Serve | Moment::Only | Moment::Step)
            }
            Ctx::Decoding | Ctx::Admission | Ctx::Remaining => {
                matches!(self, Moment::Serve | Moment::Only)
            }
            Ctx::Tokens | Ctx::Prefilled | Ctx::Attention => self == Moment::Step,
        }
    }
}

/// Every name that exists at some moment only.
const CONTEXT: [(&str, Ctx); 17] = [
    ("now", Ctx::Now),
    ("waited", Ctx::Waited),
    ("size", Ctx::Size),
    ("age", Ctx::Age),
    ("last", Ctx::Last),
    ("waiting", Ctx::Waiting),
    ("present", Ctx::Present),
    ("residents", Ctx::Residents),
    ("decoders", Ctx::Decoders),
    ("kv_decode", Ctx::KvDecode),
    ("kv_prefill", Ctx::KvPrefill),
    ("decoding", Ctx::Decoding),
    ("admission", Ctx::Admission),
    ("remaining", Ctx::Remaining),
    ("tokens", Ctx::Tokens),
    ("prefilled", Ctx::Prefilled),
    ("attention", Ctx::Attention),
];

/// The name of a moment called `name`.
pub(super) fn context(name: &str) -> Option<Ctx> {
    CONTEXT.iter().find(|(known, _)| *known == name).map(|(_, ctx)| *ctx)
}

/// All such names, for suggestions.
pub(super) fn context_names<'n>() -> impl Iterator<Item = &'n str> {
    CONTEXT.iter().map(|(name, _)| *name)
}

/// Where a name of one moment does exist, for help.
pub(super) fn lives(name: Ctx) -> &'static str {
    match name {
        Ctx::Now => {
            "in a session's statements and headers, in queue and eviction keys, and in a stage's \
             capacity, budget, keys and cost"
        }
        Ctx::Waited => "in a pool's `queue by` keys",
        Ctx::Size | Ctx::Age | Ctx::Last | Ctx::Waiting => {
            "in a pool's `evict by` keys and its spill's work and `when`"
        }
        Ctx::Present => "in a `ps` capacity",
        Ctx::Residents | Ctx::Decoders | Ctx::KvDecode | Ctx::KvPrefill => {
            "in a step's `budget`, `chunk`, `serve` and `cost`"
        }
        Ctx::Decoding | Ctx::Admission | Ctx::Remaining => {
            "in a step's `serve by` and `serve only`"
        }
        Ctx::Tokens | Ctx::Prefilled | Ctx::Attention => "in a step's `cost`",
    }
}
