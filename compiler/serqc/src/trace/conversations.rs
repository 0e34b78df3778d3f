//! Requests put together to conversations.

use std::collections::HashMap;

use super::{Of, Request};

/// The requests of conversations, as far as they were seen.
#[derive(Debug, Default)]
pub struct Conversations {
    requests: Vec<Kept>,
    named: HashMap<String, u32>,
    /// By the name of a request: its conversation, and whether another follows it already.
    chats: HashMap<i64, (u32, bool)>,
    count: u32,
}

/// A request without its names.
#[derive(Clone, Copy, Debug)]
struct Kept {
    conversation: u32,
    time: f64,
    input: f64,
    output: f64,
    took: f64,
}

/// A turn as a trace has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// When it was asked, s.
    pub time: f64,
    /// Tokens that it adds.
    pub new: f64,
    /// Tokens of the answer.
    pub out: f64,
    /// To the next one, s.
    pub think: f64,
}

impl Conversations {
    /// Adds a request.
    pub fn add(&mut self, request: Request) {
        let conversation = match request.of {
            Of::Alone => self.next(),
            Of::Session(name) => match self.named.get(&name) {
                Some(&known) => known,
                None => {
                    let new = self.next();
                    self.named.insert(name, new);
                    new
                }
            },
            Of::After(own, before) => {
                // Of two that follow one request, the second begins a conversation with all of its prompt.
                let known = before.and_then(|before| self.chats.get_mut(&before));
                let conversation = match known {
                    Some((conversation, followed @ false)) => {
                        *followed = true;
                        *conversation
                    }
                    _ => self.next(),
                };
                self.chats.insert(own, (conversation, false));
                conversation
            }
        };
        self.requests.push(Kept {
            conversation,
            time: request.time,
            input: request.input,
            output: request.output,
            took: request.took.unwrap_or(0.0),
        });
    }

    fn next(&mut self) -> u32 {
        self.count += 1;
        self.count - 1
    }

    /// The conversations in the order in which they began; `cut` counts those that were cut in two because a prompt of
    /// cumulative length was shorter than what came before it.
    pub fn sessions(mut self, cumulative: bool, cut: &mut u64) -> Vec<Vec<Turn>> {
        self.requests
            .sort_by(|a, b| a.conversation.cmp(&b.conversation).then(a.time.total_cmp(&b.time)));
        let mut sessions: Vec<Vec<Turn>> = Vec::new();
        let mut last: Option<Kept> = None;
        let mut history = 0.0;
        for request in self.requests {
            let before = last.filter(|last| last.conversation == request.conversation);
            let longer = !cumulative || request.input > history;
            if before.is_some() && !longer {
                *cut += 1;
            }
            let goes_on = before.filter(|_| longer);
            match (goes_on, sessions.last_mut()) {
                (Some(before), Some(session)) => {
                    if let Some(turn) = session.last_mut() {
                        turn.think = (request.time - before.time - before.took).max(0.0);
                    }
                }
                _ => {
                    history = 0.0;
                    sessions.push(Vec::new());
                }
            }
            let new = if cumulative { request.input - history } else { request.input };
            history += new + request.output;
            let turn = Turn { time: request.time, new, out: request.output, think: 0.0 };
            if let Some(session) = sessions.last_mut() {
                session.push(turn);
            }
            last = Some(request);
        }
        sessions.sort_by(|a, b| a[0].time.total_cmp(&b[0].time));
        sessions
    }
}
