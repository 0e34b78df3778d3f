//! One run's use of a trace: which recorded session each session replays, and its turns.

use super::{
    Kind, Place, Recorded, Trace, TraceError,
    reader::{Reader, Source},
    row::Turn,
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
    free: Vec<u32>,
}

impl Replay {
    /// The start of a run under `seed`.
    pub fn new(trace: &Trace, seed: u64) -> Result<Self, TraceError> {
        let drawn = || Some(Stream::new(seed, StreamKind::Trace, 0, 0));
        let streamed = |source: Source, begins| -> Result<From, TraceError> {
            let reader = Reader::open(&source)?;
            let (held, free) = (Vec::new(), Vec::new());
            Ok(From::Read(Box::new(Streamed { reader, begins, held, free })))
        };
        Ok(match &trace.0 {
            Kind::None => Self::default(),
            Kind::Kept { recorded, ordered } => Self {
                from: From::Kept(recorded.clone()),
                draw: if *ordered { None } else { drawn() },
            },
            Kind::Ordered(path) => {
                let source = Source::File(path.to_path_buf());
                Self { from: streamed(source, [].into())?, draw: None }
            }
            Kind::Drawn { path, begins } => {
                let source = Source::Parts(path.to_path_buf());
                Self { from: streamed(source, begins.clone())?, draw: drawn() }
            }
        })
    }

    /// The turns that session `serial` (sessions are assigned in this order) replays, by a number
    /// for [`Replay::turns`]; [`NONE`] without a trace.
    ///
    /// # Errors
    ///
    /// The file cannot be read any more, or a line of it is no turn.
    pub fn assign(&mut self, serial: u64) -> Result<u32, TraceError> {
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

    /// The session has ended.
    pub fn give_back(&mut self, i: u32) {
        if let From::Read(streamed) = &mut self.from
            && i != NONE
        {
            streamed.held[i as usize].clear();
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
        let first = match self.reader.next_row()? {
            Some(row) => row,
            None => {
                self.reader.seek(0)?;
                self.reader.next_row()?.ok_or(TraceError::Empty)?
            }
        };
        let i = self.free.pop().unwrap_or_else(|| {
            self.held.push(Vec::new());
            (self.held.len() - 1) as u32
        });
        let turns = &mut self.held[i as usize];
        turns.push(first.turn);
        while let Some(row) = self.reader.next_row()? {
            if row.session != first.session {
                self.reader.give_back(row);
                break;
            }
            turns.push(row.turn);
        }
        Ok(i)
    }
}
