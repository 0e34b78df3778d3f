//! Errors that only a run can find: what is wrong, what to do about it, and where.
//!
//! The first one wins; the run stops after the current event and returns what it has.

use crate::{
    kernel::Kernel,
    report::FaultRow,
    world::{Sid, SourceSite},
};

/// What can be wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum FaultKind {
    /// An amount (units, reserve, growth, load, a count) is negative or NaN.
    Amount(f64),
    /// Work is NaN, or negative in a strict run.
    Work(f64),
    /// An index is not a whole number inside its family.
    Index {
        /// The value.
        value: f64,
        /// Members.
        size: usize,
    },
    /// A branch's guard is neither 0 nor 1.
    Guard(f64),
    /// The number of candidates of a `choose` is not a whole number of at least 0.
    Count(f64),
    /// A load goes past the allocation.
    Load {
        /// The position it would reach.
        reached: f64,
        /// Units allocated.
        allocated: f64,
    },
    /// An iteration with tokens takes no time, or NaN.
    Cost(f64),
    /// A renewal gap is negative or NaN.
    Gap(f64),
    /// One flow takes one member twice.
    Twice,
    /// A session executes statements without ever waiting.
    Spinning,
    /// A session becomes ready again and again at one instant.
    Awake,
    /// Time stands still.
    Standstill,
    /// `arrivals N` and not all of them ended by the horizon.
    Drain {
        /// Sessions still live.
        live: u64,
        /// Sessions that did not arrive.
        missing: u64,
    },
}

impl FaultKind {
    /// What is wrong, in one line.
    pub fn message(&self) -> String {
        match self {
            Self::Amount(x) => format!("this amount is {x}"),
            Self::Work(x) => format!("this work is {x}"),
            Self::Index { value, size } => {
                format!("the index {value} names none of {size} members")
            }
            Self::Guard(x) => format!("the guard of this branch is {x}, neither 0 nor 1"),
            Self::Count(x) => format!("{x} candidates to choose from"),
            Self::Load { reached, allocated } => {
                format!(
                    "this load would bring the position to {reached} of {allocated} allocated units"
                )
            }
            Self::Cost(x) => format!("an iteration with tokens lasts {x} seconds"),
            Self::Gap(x) => format!("a gap between arrivals is {x} seconds"),
            Self::Twice => "this run names one member twice".into(),
            Self::Spinning => "the session executed a million statements without waiting".into(),
            Self::Awake => "the session became ready a thousand times at one instant".into(),
            Self::Standstill => "ten million events at one instant".into(),
            Self::Drain { live, missing } => {
                format!(
                    "at the horizon {live} sessions are still live and {missing} have not arrived"
                )
            }
        }
    }

    /// What to write instead.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Amount(x) | Self::Gap(x) if x.is_nan() => {
                "find what makes it NaN (0 / 0, inf - inf)"
            }
            Self::Amount(_) | Self::Gap(_) => "keep it at least 0, as with max(0, …)",
            Self::Work(x) if x.is_nan() => "find what makes it NaN (0 / 0, inf - inf)",
            Self::Work(_) => "keep it at least 0, as with max(0, …), or do not ask for --strict",
            Self::Index { .. } => "members are numbered from 0; an index must be a whole number",
            Self::Guard(_) => "write a comparison, or `branch with` for a draw",
            Self::Count(_) => "the count must be a whole number of at least 0",
            Self::Load { .. } => "hold as many units as are loaded",
            Self::Cost(_) => "add a fixed cost per iteration that is above 0",
            Self::Twice => "name each member once",
            Self::Spinning => "let every path through the loop wait, hold or end",
            Self::Awake => "let time pass between the statements that wait",
            Self::Standstill => "let the gaps between arrivals, or the work, be above 0",
            Self::Drain { .. } => "give a longer horizon, or fewer arrivals",
        }
    }
}

/// An error of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// Index into [`World::SITES`](crate::world::World::SITES), where there is one.
    pub site: Option<u32>,
    /// The session that ran.
    pub session: Option<Sid>,
}

/// A fault with what was known when it happened.
#[derive(Clone, Debug)]
pub(crate) struct Raised {
    fault: Fault,
    session: Option<(u64, u32)>,
    time: f64,
}

impl Kernel {
    /// Raises an error; the first one of a run is the one that is reported.
    #[cold]
    pub fn fault(&mut self, fault: Fault) {
        if self.raised.is_none() {
            let session = fault.session.map(|s| {
                let c = self.control(s);
                (c.serial, c.b.turn_no as u32)
            });
            self.raised = Some(Raised { fault, session, time: self.now });
        }
    }

    /// True after an error.
    #[inline]
    pub fn has_fault(&self) -> bool {
        self.raised.is_some()
    }

    #[cold]
    pub(crate) fn raise(&mut self, kind: FaultKind, site: Option<u32>, session: Option<Sid>) {
        self.fault(Fault { kind, site, session });
    }
}

/// The report's row of the error, if there was one.
pub(crate) fn row(k: &Kernel, sites: &[SourceSite]) -> Option<FaultRow> {
    let raised = k.raised.as_ref()?;
    let mut row = FaultRow {
        message: format!("{}; {}", raised.fault.kind.message(), raised.fault.kind.help()),
        session: raised.session.map(|(serial, _)| serial),
        turn: raised.session.map_or(0, |(_, turn)| turn),
        time: raised.time,
        ..FaultRow::default()
    };
    if let Some(site) = raised.fault.site.and_then(|i| sites.get(i as usize)) {
        row.file = site.file.into();
        row.line = site.line;
        row.col = site.col;
        row.source = site.text.into();
    }
    Some(row)
}
