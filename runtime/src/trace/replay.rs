//! One run's use of a trace: which recorded session each session replays, and its turns.

use super::{
    Kind, Place, Recorded, Trace, TraceError, TraceOrder,
    reader::{Reader, Source},
    row::{Segment, Turn},
};
use crate::{
    kernel::NONE,
    rng::{Stream, StreamKind},
};
use std::sync::Arc;

/// A trace as one run replays it.
#[derive(Debug, Default)]
pub(crate) struct Replay {
    from: From,
    /// Draws the recorded session of each session; `None`: in order.
    draw: Option<Stream>,
    /// At arrival: the session that arrives now, and the one after it.
    present: u32,
    coming: Option<u32>,
    /// Sessions that were looked at, and when the last of them arrives.
    seen: usize,
    latest: f64,
}

#[derive(Debug, Default)]
enum From {
    #[default]
    Nothing,
    Kept(Arc<Recorded>),
    Read(Box<Streamed>),
}

/// A trace that is read along with the run.
#[derive(Debug)]
struct Streamed {
    reader: Reader,
    /// Empty when replayed in order.
    begins: Arc<[Place]>,
    /// Turns of live sessions.
    held: Vec<Vec<Turn>>,
    /// And what their prompts begin with and others share.
    prefixes: Vec<Vec<Segment>>,
    free: Vec<u32>,
}

impl Replay {
    /// The start of a run under `seed`.
    pub fn new(trace: &Trace, seed: u64) -> Result<Self, TraceError> {
        let drawn = || Some(Stream::new(seed, StreamKind::Trace, 0, 0));
        let streamed = |source: Source, order, begins| -> Result<From, TraceError> {
            let reader = Reader::open(&source, order)?;
            let (held, prefixes, free) = (Vec::new(), Vec::new(), Vec::new());
            Ok(From::Read(Box::new(Streamed { reader, begins, held, prefixes, free })))
        };
        Ok(match &trace.0 {
            Kind::None => Self::default(),
            Kind::Kept { recorded, order } => Self {
                from: From::Kept(recorded.clone()),
                draw: if *order == TraceOrder::Drawn { drawn() } else { None },
                ..Self::default()
            },
            Kind::Along { path, order } => {
                let source = Source::File(path.to_path_buf());
                Self { from: streamed(source, *order, [].into())?, ..Self::default() }
            }
            Kind::Drawn { path, begins } => {
                let source = Source::Parts(path.to_path_buf());
                let from = streamed(source, TraceOrder::Drawn, begins.clone())?;
                Self { from, draw: drawn(), ..Self::default() }
            }
        })
    }

    /// Nothing is replayed.
    #[inline]
    pub fn is_nothing(&self) -> bool {
        matches!(self.from, From::Nothing)
    }

    /// When the recorded session after the last one arrives, seconds; `None` after all of them. The
    /// one before it is what [`Replay::assign`] hands out next.
    ///
    /// # Errors
    ///
    /// As [`Replay::assign`], and if it arrives before the one in front of it.
    pub fn next_arrival(&mut self) -> Result<Option<f64>, TraceError> {
        self.present = self.coming.take().unwrap_or(NONE);
        let next = match &mut self.from {
            From::Nothing => None,
            From::Kept(recorded) => {
                (self.seen + 1 < recorded.begins.len()).then_some(self.seen as u32)
            }
            From::Read(streamed) => streamed.read_on()?,
        };
        self.coming = next;
        let Some(i) = next else { return Ok(None) };
        self.seen += 1;
        let at = self.turns(i)[0].forced;
        if at < self.latest {
            return Err(TraceError::Backwards(at, self.latest));
        }
        self.latest = at;
        Ok(Some(at))
    }

    /// The turns that session `serial` (sessions are assigned in this order) replays, by a number
    /// for [`Replay::turns`]; [`NONE`] without a trace.
    ///
    /// # Errors
    ///
    /// The file cannot be read any more, or a line of it is no turn.
    pub fn assign(&mut self, serial: u64) -> Result<u32, TraceError> {
        if self.seen > 0 {
            return Ok(self.present);
        }
        let mut number = |n: usize| match &mut self.draw {
            Some(stream) => stream.below(n as u64),
            None => serial % n as u64,
        };
        match &mut self.from {
            From::Nothing => Ok(NONE),
            From::Kept(recorded) => Ok(number(recorded.begins.len() - 1) as u32),
            From::Read(streamed) => {
                let begins = streamed.begins.len();
                let place = (begins > 0).then(|| streamed.begins[number(begins) as usize]);
                streamed.fetch(place)
            }
        }
    }

    /// Recorded sessions that were looked at so far.
    pub fn seen(&self) -> u64 {
        self.seen as u64
    }

    /// The turns of a session, by what [`Replay::assign`] gave.
    pub fn turns(&self, i: u32) -> &[Turn] {
        match &self.from {
            From::Nothing => &[],
            From::Kept(recorded) => {
                &recorded.turns[recorded.begins[i as usize]..recorded.begins[i as usize + 1]]
            }
            From::Read(streamed) => &streamed.held[i as usize],
        }
    }

    /// What the prompt of a session begins with and others share, by what [`Replay::assign`] gave.
    pub fn prefix(&self, i: u32) -> &[Segment] {
        match &self.from {
            From::Nothing => &[],
            From::Kept(recorded) => recorded.prefixes.get(i as usize).map_or(&[], Vec::as_slice),
            From::Read(streamed) => &streamed.prefixes[i as usize],
        }
    }

    /// The session has ended.
    pub fn give_back(&mut self, i: u32) {
        if let From::Read(streamed) = &mut self.from
            && i != NONE
        {
            streamed.held[i as usize].clear();
            streamed.prefixes[i as usize] = Vec::new();
            streamed.free.push(i);
        }
    }
}

impl Streamed {
    /// Reads the recorded session at `place`, or else the next one, the first after the last.
    fn fetch(&mut self, place: Option<Place>) -> Result<u32, TraceError> {
        if let Some(place) = place {
            self.reader.seek(place)?;
        }
        if let Some(i) = self.read_on()? {
            return Ok(i);
        }
        self.reader.seek(0)?;
        self.read_on()?.ok_or(TraceError::Empty)
    }

    /// Reads the next recorded session; `None` at the end.
    fn read_on(&mut self) -> Result<Option<u32>, TraceError> {
        let Some(first) = self.reader.next_row()? else { return Ok(None) };
        let i = self.free.pop().unwrap_or_else(|| {
            self.held.push(Vec::new());
            self.prefixes.push(Vec::new());
            (self.held.len() - 1) as u32
        });
        let turns = &mut self.held[i as usize];
        turns.push(first.turn);
        self.prefixes[i as usize] = first.prefix;
        while let Some(row) = self.reader.next_row()? {
            if row.session != first.session {
                self.reader.give_back(row);
                break;
            }
            turns.push(row.turn);
        }
        Ok(Some(i))
    }
}
