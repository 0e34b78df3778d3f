//! Requests put together to sessions, in the order in which these begin.
//!
//! Nothing grows with the recording but temporary files. Names are sorted, so that each request meets the one that it
//! follows; requests go by in the order of the recording, each handing the number of its conversation to the one that
//! follows (the only ones in memory are the conversations that go on at that point); then they are sorted by conversation
//! and time, cut to turns, and sorted by the begin of their session.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use sha2::{Digest, Sha256};

use super::hashes::{Hashes, Lists};
use super::sorter::{Sorted, Sorter, real, word};
use super::{Of, Request};

/// In a list of names: this request follows the one of that name, or bears it.
const FOLLOWS: u64 = 0;
const BEARS: u64 = 1;

/// The requests of a recording.
#[derive(Debug, Default)]
pub struct Conversations {
    count: u64,
    /// Place in the recording, time, input, output, how long the answer took.
    requests: Sorter<5>,
    /// Name (two words), place, [`FOLLOWS`] or [`BEARS`].
    names: Sorter<4>,
    /// By place.
    hashes: Lists,
}

/// A turn as a trace has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Of its session's first request, in the recording.
    pub place: u64,
    /// From 1.
    pub turn: u64,
    /// When its session began, s.
    pub start: f64,
    /// Tokens that it adds.
    pub new: f64,
    /// Tokens of the answer.
    pub out: f64,
    /// To the next one, s.
    pub think: f64,
}

/// All turns, those of a session together.
#[derive(Debug)]
pub struct Sessions {
    /// The time of the last request, s.
    pub last: f64,
    /// Conversations that were cut in two, because a prompt of cumulative length was shorter than what came before it.
    pub cut: u64,
    turns: Sorted<6>,
    /// What the blocks of prompts hash to, by the place of the request; `None` if no request has any.
    pub hashes: Option<Hashes>,
}

impl Conversations {
    /// Adds a request.
    ///
    /// # Errors
    /// A temporary file cannot be written.
    pub fn add(&mut self, request: &Request) -> io::Result<()> {
        let place = self.count;
        self.count += 1;
        let (own, before) = match &request.of {
            Of::Alone => (None, None),
            // Each follows the last one of the name.
            Of::Session(name) => (Some(of_text(name)), Some(of_text(name))),
            Of::After(own, before) => (Some(of_number(*own)), before.map(of_number)),
        };
        if let Some([high, low]) = before {
            self.names.push([high, low, place, FOLLOWS])?;
        }
        if let Some([high, low]) = own {
            self.names.push([high, low, place, BEARS])?;
        }
        self.hashes.push(&request.hashes)?;
        let took = request.took.unwrap_or(0.0);
        let [time, input, output, took] =
            [request.time, request.input, request.output, took].map(word);
        self.requests.push([place, time, input, output, took])
    }

    /// The sessions.
    ///
    /// # Errors
    /// A temporary file cannot be written or read.
    pub fn sessions(self, cumulative: bool) -> io::Result<Sessions> {
        let followers = followers(self.names)?;
        let hashes = self.hashes.finish()?;
        let turns = turns(by_conversation(self.requests, followers)?, cumulative)?;
        Ok(Sessions { hashes, ..turns })
    }
}

/// 128 bits of a name, which no two names of a recording share.
fn of_text(name: &str) -> [u64; 2] {
    let hash = Sha256::digest(name.as_bytes());
    let word = |from: usize| (from..from + 8).fold(0, |word, at| word << 8 | u64::from(hash[at]));
    [word(0), word(8)]
}

fn of_number(number: i64) -> [u64; 2] {
    [0, number.cast_unsigned()]
}

/// Pairs of a request and the one that follows it. Of two that follow one request, the second begins a conversation.
fn followers(names: Sorter<4>) -> io::Result<Sorted<2>> {
    let mut names = names.sorted()?;
    let mut pairs = Sorter::default();
    let mut bearer = None;
    while let Some([high, low, place, role]) = names.next()? {
        let name = [high, low];
        if role == BEARS {
            bearer = Some((name, place));
        } else if let Some((_, before)) = bearer.take_if(|(of, _)| *of == name) {
            pairs.push([before, place])?;
        }
    }
    pairs.sorted()
}

/// Conversation, time, place, input, output, how long the answer took.
fn by_conversation(requests: Sorter<5>, mut followers: Sorted<2>) -> io::Result<Sorted<6>> {
    let mut requests = requests.sorted()?;
    let mut sorter = Sorter::default();
    let mut pair = followers.next()?;
    // By its place: the conversation of a request that is still to come.
    let mut expected: BinaryHeap<Reverse<(u64, u64)>> = BinaryHeap::new();
    while let Some([place, time, input, output, took]) = requests.next()? {
        let conversation = match expected.peek() {
            Some(&Reverse((at, conversation))) if at == place => {
                expected.pop();
                conversation
            }
            _ => place,
        };
        if let Some([_, after]) = pair.filter(|[before, _]| *before == place) {
            expected.push(Reverse((after, conversation)));
            pair = followers.next()?;
        }
        sorter.push([conversation, time, place, input, output, took])?;
    }
    sorter.sorted()
}

/// The last request that went by.
struct Before {
    conversation: u64,
    /// When it was answered, s.
    answered: f64,
    /// Tokens of the session until then.
    history: f64,
    /// Its session: when it began, and the place of its first request.
    session: (f64, u64),
    turn: u64,
    new: f64,
    out: f64,
}

impl Before {
    fn record(&self, think: f64) -> [u64; 6] {
        let (start, first) = self.session;
        [word(start), first, self.turn, word(self.new), word(self.out), word(think)]
    }
}

fn turns(mut requests: Sorted<6>, cumulative: bool) -> io::Result<Sessions> {
    let (mut last, mut cut) = (f64::NEG_INFINITY, 0);
    let mut sorter = Sorter::default();
    let mut before: Option<Before> = None;
    while let Some([conversation, time, place, input, output, took]) = requests.next()? {
        let [time, input, output, took] = [time, input, output, took].map(real);
        last = last.max(time);
        let known = before.take_if(|known| known.conversation == conversation);
        let goes_on = known.as_ref().filter(|known| !cumulative || input > known.history);
        cut += u64::from(known.is_some() && goes_on.is_none());
        let (session, turn, history) = match goes_on {
            Some(known) => (known.session, known.turn + 1, known.history),
            None => ((time, place), 1, 0.0),
        };
        let think = goes_on.map_or(0.0, |known| (time - known.answered).max(0.0));
        if let Some(done) = known.or(before.take()) {
            sorter.push(done.record(think))?;
        }
        let new = if cumulative { input - history } else { input };
        let (answered, history) = (time + took, history + new + output);
        before = Some(Before { conversation, answered, history, session, turn, new, out: output });
    }
    if let Some(done) = before {
        sorter.push(done.record(0.0))?;
    }
    Ok(Sessions { last, cut, turns: sorter.sorted()?, hashes: None })
}

impl Sessions {
    /// The next turn.
    ///
    /// # Errors
    /// A temporary file cannot be read.
    pub fn next(&mut self) -> io::Result<Option<Turn>> {
        Ok(self.turns.next()?.map(|[start, place, turn, new, out, think]| Turn {
            place,
            turn,
            start: real(start),
            new: real(new),
            out: real(out),
            think: real(think),
        }))
    }
}
