//! Errors that only a run can find: what is wrong, what to do about it, and where.
//!
//! The first one wins; the run stops after the current event and returns what it has.

use crate::{
    kernel::Kernel,
    parts::Tables,
    report::{FaultRow, exact, label},
    trace::TraceError,
    world::{PoolKey, Sid, StageKey},
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
    /// A shared segment of a prompt has no key, or a number of tokens that is negative, NaN or too large.
    Segment(f64),
    /// Heartbeats that do not come at positive intervals, seconds.
    Heartbeat(f64),
    /// The trace cannot be replayed any further.
    Trace(TraceError),
    /// One flow takes one member twice.
    Twice,
    /// A session executes statements without ever waiting.
    Spinning,
    /// A session becomes ready again and again at one instant.
    Awake,
    /// Legs and sessions wait for each other: who waits where, and for what.
    Deadlock(String),
    /// Time stands still.
    Standstill,
    /// Sessions of a closed workload end as they begin, and others take their place for ever.
    Replaced,
    /// `arrivals N` and not all of them ended by the horizon.
    Drain {
        /// Sessions still live.
        live: u64,
        /// Sessions that did not arrive.
        missing: u64,
    },
}

/// Where something happened that no session did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Station {
    Pool(PoolKey),
    Stage(StageKey),
}

impl FaultKind {
    /// The code, which `serqc explain` has a page for.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Amount(_) => "S300",
            Self::Work(_) => "S301",
            Self::Index { .. } => "S302",
            Self::Guard(_) => "S303",
            Self::Count(_) => "S304",
            Self::Load { .. } => "S305",
            Self::Cost(_) => "S306",
            Self::Gap(_) => "S307",
            Self::Twice => "S308",
            Self::Spinning | Self::Awake => "S309",
            Self::Standstill | Self::Replaced => "S310",
            Self::Drain { .. } => "S311",
            Self::Trace(_) => "S312",
            Self::Segment(_) => "S313",
            Self::Deadlock(_) => "S314",
            Self::Heartbeat(_) => "S315",
        }
    }

    /// What is wrong, in one line.
    pub fn message(&self) -> String {
        match self {
            Self::Amount(x) => format!("this amount is {}", exact(*x)),
            Self::Work(x) => format!("this work is {}", exact(*x)),
            Self::Index { value, size: 1 } => {
                format!("the index is {}, and the only member is 0", exact(*value))
            }
            Self::Index { value, size } => {
                format!("the index is {}, and the members are 0 to {}", exact(*value), size - 1)
            }
            Self::Guard(x) => format!("the guard of this branch is {}, neither 0 nor 1", exact(*x)),
            Self::Count(x) => format!("{} candidates to choose from", exact(*x)),
            Self::Load { reached, allocated } => {
                format!(
                    "this load would bring the position to {} of {} allocated units",
                    exact(*reached),
                    exact(*allocated)
                )
            }
            Self::Cost(x) => format!("an iteration with tokens lasts {} seconds", exact(*x)),
            Self::Gap(x) => format!("a gap between arrivals is {} seconds", exact(*x)),
            Self::Trace(why) => why.to_string(),
            Self::Heartbeat(x) => format!("heartbeats every {} seconds", exact(*x)),
            Self::Segment(x) if x.is_nan() => "a segment's key or its tokens are NaN".into(),
            Self::Segment(x) => format!("a shared segment of {} tokens", exact(*x)),
            Self::Twice => "this run names one member twice".into(),
            Self::Spinning => "the session executed a million statements without waiting".into(),
            Self::Awake => "the session became ready a thousand times at one instant".into(),
            Self::Deadlock(who) => format!("legs wait for each other for ever: {who}"),
            Self::Standstill => "ten million events at one instant".into(),
            Self::Replaced => "ten million sessions ended and were replaced at one instant".into(),
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
            Self::Trace(_) => "correct the trace's file",
            Self::Heartbeat(_) => "give a positive number of seconds",
            Self::Segment(_) => "give a key that is a number, and from 0 to a billion tokens",
            Self::Twice => "name each member once",
            Self::Spinning => "let every path through the loop wait, hold or end",
            Self::Awake => "let time pass between the statements that wait",
            Self::Deadlock(_) => {
                "let none of them keep what another waits for while it waits itself: join before it holds, or release before it joins"
            }
            Self::Standstill => {
                "let the gaps between arrivals, the work and the cost be large enough for time to pass"
            }
            Self::Replaced => "let time pass in every session of a closed workload",
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
    /// Serial number, turn and state.
    session: Option<(u64, u32, u32)>,
    station: Option<Station>,
    time: f64,
}

impl Kernel {
    /// Raises an error; the first one of a run is the one that is reported.
    #[cold]
    pub fn fault(&mut self, fault: Fault) {
        if self.raised.is_none() {
            let session = fault.session.map(|s| {
                let c = self.control(s);
                (c.serial, c.b.turn_no as u32, c.at)
            });
            self.end_run();
            self.end_statements();
            let raised = Raised { fault, session, station: None, time: self.now };
            self.raised = Some(Box::new(raised));
        }
    }

    /// The error that was raised last happened at this time.
    pub(crate) fn date_fault(&mut self, time: f64) {
        if let Some(raised) = &mut self.raised {
            raised.time = time;
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

    /// What was computed last was computed for this pool or stage: an error in it, if no session ran,
    /// is told as its.
    #[inline]
    pub(crate) fn blame(&mut self, station: Station) {
        if let Some(raised) = &mut self.raised
            && raised.session.is_none()
        {
            raised.station.get_or_insert(station);
        }
    }
}

/// The report's row of the error, if there was one. Without a place of its own it is where the session
/// waited, or was about to go on.
pub(crate) fn row(k: &Kernel, tables: &Tables) -> Option<FaultRow> {
    let raised = k.raised.as_ref()?;
    let kind = &raised.fault.kind;
    let mut row = FaultRow {
        code: kind.code().into(),
        message: kind.message(),
        help: kind.help().into(),
        station: raised.station.map(|station| name_of(station, tables)),
        session: raised.session.map(|(serial, ..)| serial),
        turn: raised.session.map_or(0, |(_, turn, _)| turn),
        time: raised.time,
        seed: Some(k.settings.seed),
        ..FaultRow::default()
    };
    let waits =
        raised.session.and_then(|(.., at)| tables.waits.iter().find(|(state, _)| *state == at));
    let site = raised.fault.site.or(waits.map(|(_, site)| *site));
    if let Some(site) = site.and_then(|i| tables.sites.get(i as usize)) {
        row.file = site.file.into();
        row.line = site.line;
        row.col = site.col;
        row.source = site.text.into();
    }
    Some(row)
}

fn name_of(station: Station, tables: &Tables) -> String {
    match station {
        Station::Pool(key) => {
            let spec = &tables.pools[key.family as usize];
            label(spec.name, (!spec.single).then_some(key.member as usize))
        }
        Station::Stage(key) => tables.stage_name(key),
    }
}
