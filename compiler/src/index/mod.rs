//! What the names of a program mean, for those who read and write it with an editor.
//!
//! In: what the resolver noted ([`crate::resolve::analyse`]) and the trees. Out: an [`Index`]:
//! every name with its definitions, uses, kind, type and value, and when each expression is read;
//! the [`outline`] of a file; the [`words`] of the language; what may stand at a place
//! ([`complete`]). Nothing here judges what a program may say: that is the resolver's.

mod build;
pub mod complete;

mod outline;
pub mod words;

pub(crate) use build::build;
pub use outline::{Outline, outline};

use crate::ir::Ty;
use crate::span::{FileId, Span};

/// What a name is the name of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A `let`.
    Constant,
    /// A `def`.
    Definition,
    /// A parameter of a definition or of an entry.
    Parameter,
    /// A pool.
    Pool,
    /// A stage, a queue's own ones too.
    Stage,
    /// A queue.
    Queue,
    /// An entry of a queue.
    Entry,
    /// What an entry calls the pool that it reads `from`.
    Source,
    /// An attribute of a session, or of a queue's entries.
    Attribute,
    /// An admission binding.
    Binding,
    /// The variable of an aggregate.
    Variable,
    /// An observation.
    Observation,
    /// A gauge.
    Gauge,
    /// A function of the language.
    Function,
    /// A distribution.
    Distribution,
    /// A built-in attribute.
    BuiltIn,
    /// A name that exists at some moments only.
    OfMoment,
    /// A role of queues.
    Role,
    /// A word that the grammar knows.
    Keyword,
    /// A part of a program without a name: `session { … }`.
    Part,
}

impl Kind {
    /// In words, without an article.
    pub fn describe(self) -> &'static str {
        match self {
            Kind::Constant => "constant",
            Kind::Definition => "definition",
            Kind::Parameter => "parameter",
            Kind::Pool => "pool",
            Kind::Stage => "stage",
            Kind::Queue => "queue",
            Kind::Entry => "entry",
            Kind::Source => "source of a read",
            Kind::Attribute => "attribute",
            Kind::Binding => "admission binding",
            Kind::Variable => "variable of an aggregate",
            Kind::Observation => "observation",
            Kind::Gauge => "gauge",
            Kind::Function => "function",
            Kind::Distribution => "distribution",
            Kind::BuiltIn => "built-in attribute",
            Kind::OfMoment => "name of some moments",
            Kind::Role => "role",
            Kind::Keyword => "keyword",
            Kind::Part => "part",
        }
    }
}

/// Something that has a name.
#[derive(Clone, PartialEq, Debug)]
pub struct Entity {
    /// The name as reports write it: `thr`, `P.kv`, `D.start`.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Where it is declared, or each place that gives it a value; none for the language's own. The
    /// stages of a queue have no name of their own there: the place is then the whole clause.
    pub definitions: Vec<Span>,
    /// The item or clause that declares it, and for what is in an item's head that item.
    pub declaration: Option<Span>,
    /// Static type of its value, if it has one.
    pub ty: Option<Ty>,
    /// Value of a `let` as the program stands.
    pub value: Option<f64>,
    /// The deployment does not see it.
    pub hidden: bool,
    /// The comment above it, or else the one behind it on its line.
    pub doc: String,
}

/// A piece of text that means an entity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The text.
    pub span: Span,
    /// Index into [`Index::entities`].
    pub entity: usize,
    /// It declares the entity or gives it a value.
    pub defines: bool,
    /// It means the entity without writing its name: `prefill (n);` means a stage.
    pub implied: bool,
}

/// When an expression is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The expression.
    pub span: Span,
    /// The positions that it is read in, several where it stands in a definition: what each is, in
    /// words (``a step's `cost` ``), and the moment of that position (`step`).
    pub positions: Vec<(&'static str, &'static str)>,
}

/// The meaning of every name in the files of a program.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Index {
    /// Everything that has a name.
    pub entities: Vec<Entity>,
    /// Every text that means an entity, in the order of the text. One text means several entities
    /// where it stands in a definition whose uses give it different meanings.
    pub uses: Vec<Use>,
    /// Expressions of a position, bodies of definitions and what is given for parameters, in the
    /// order of the text, an outer one before those in it.
    pub readings: Vec<Reading>,
    /// The quoted names in `use "…";` and the files that they name.
    pub links: Vec<(Span, FileId)>,
}

impl Index {
    /// The uses at a place: of those whose text touches the byte, the shortest, and whatever else
    /// the same text means.
    pub fn at(&self, file: FileId, byte: u32) -> &[Use] {
        let past = self.uses.partition_point(|u| (u.span.file, u.span.start) <= (file, byte));
        let touches = |u: &&Use| u.span.file == file && byte <= u.span.end;
        let found = self.uses[..past].iter().filter(touches);
        let Some(best) = found.min_by_key(|u| (u.span.end - u.span.start, u.span.end == byte))
        else {
            return &[];
        };
        let first = self.uses.partition_point(|u| u.span < best.span);
        let last = self.uses.partition_point(|u| u.span <= best.span);
        &self.uses[first..last]
    }

    /// Every text that means an entity.
    pub fn uses_of(&self, entity: usize) -> impl Iterator<Item = &Use> {
        self.uses.iter().filter(move |u| u.entity == entity)
    }

    /// The innermost expression around a byte of which it is known when it is read.
    pub fn reading_at(&self, file: FileId, byte: u32) -> Option<&Reading> {
        let around =
            |r: &&Reading| r.span.file == file && r.span.start <= byte && byte <= r.span.end;
        self.readings.iter().filter(around).min_by_key(|r| r.span.end - r.span.start)
    }

    /// Entities called so, in any file.
    pub fn named<'n>(&'n self, name: &'n str) -> impl Iterator<Item = (usize, &'n Entity)> {
        self.entities.iter().enumerate().filter(move |(_, entity)| entity.name == name)
    }
}
