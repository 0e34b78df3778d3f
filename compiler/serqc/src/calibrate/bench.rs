//! Iterations rebuilt from the detailed result of `vllm bench serve`.
//!
//! In: when requests were sent, the time to their first token and the gaps between the others. Out: the iterations of
//! which it is known what they computed. A gap between two tokens of a request is one iteration of its engine; in it were
//! the requests that decode at that time, one token each, and the prompts whose first token came at its end, as far as
//! they cannot have been begun before. What is in doubt is left out: prompts that may have been computed in several
//! iterations, and gaps in which the other requests got tokens (the request was preempted).
//!
//! Assumes one engine, as vLLM schedules: first come, first served, each iteration up to its budget of tokens, and prompts
//! of which nothing is cached.

use std::collections::BTreeSet;
use std::io::Read;

use serde::Deserialize;

use super::Step;

/// What the result does not say about the engine.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    /// Tokens that it may schedule in an iteration.
    pub budget: f64,
    /// Tokens in a block of KV memory.
    pub block: f64,
}

/// The arrays that are read, a place a request.
#[derive(Debug, Deserialize)]
struct Detailed {
    input_lens: Vec<f64>,
    output_lens: Vec<f64>,
    /// s.
    ttfts: Vec<f64>,
    /// s.
    itls: Vec<Vec<f64>>,
    /// s; not every version writes them.
    start_times: Option<Vec<f64>>,
}

/// What was rebuilt.
#[derive(Debug)]
pub struct Rebuilt {
    /// In the order of their times.
    pub steps: Vec<Step>,
    /// Gaps between tokens in the result.
    pub gaps: usize,
    /// Of those, how many are in a step.
    pub used: usize,
}

/// A request that was answered.
#[derive(Debug)]
struct Request {
    sent: f64,
    prompt: f64,
    /// When its tokens came; at least one.
    tokens: Vec<f64>,
}

/// Reads a result and rebuilds steps.
///
/// # Errors
/// It is no detailed result, or does not say what is needed.
pub fn read(input: impl Read, engine: Engine) -> Result<Rebuilt, String> {
    let said: Detailed = serde_json::from_reader(std::io::BufReader::new(input))
        .map_err(|error| format!("it is no detailed result of `vllm bench serve`: {error}"))?;
    rebuilt(&requests(said)?, engine)
}

fn requests(said: Detailed) -> Result<Vec<Request>, String> {
    let starts = said.start_times.ok_or(
        "it has no `start_times`, without which nothing tells which requests ran at one time",
    )?;
    let counts = [said.output_lens.len(), said.ttfts.len(), said.itls.len(), starts.len()];
    if counts.iter().any(|count| *count != said.input_lens.len()) {
        return Err("its arrays are not of one length".to_owned());
    }
    let (mut written, mut gaps) = (0.0, 0.0);
    let mut requests = Vec::new();
    for (place, itls) in said.itls.iter().enumerate() {
        let (sent, ttft, prompt) = (starts[place], said.ttfts[place], said.input_lens[place]);
        // A failed request has no first token.
        if ttft.is_nan() || ttft <= 0.0 || prompt.is_nan() || prompt <= 0.0 {
            continue;
        }
        let mut tokens = vec![sent + ttft];
        tokens.extend(itls.iter().scan(sent + ttft, |at, gap| {
            *at += gap;
            Some(*at)
        }));
        if !tokens.iter().all(|at| at.is_finite()) || !tokens.is_sorted() {
            return Err(format!("a time of request {} is no number of its kind", place + 1));
        }
        if !itls.is_empty() {
            written += (said.output_lens[place] - 1.0).max(0.0);
            gaps += itls.len() as f64;
        }
        requests.push(Request { sent, prompt, tokens });
    }
    if written > 1.1 * gaps {
        let each = written / gaps;
        return Err(format!(
            "answers came {each:.1} tokens at a time, so that a gap is no single iteration"
        ));
    }
    requests.sort_by(|a, b| a.tokens[0].total_cmp(&b.tokens[0]));
    Ok(requests)
}

/// What happens to a request, as the gaps are gone through by time.
#[derive(Clone, Copy, Debug)]
enum Event {
    Sent,
    /// It has so many.
    Token(usize),
}

/// A gap between two tokens, from the second of a request on, that is not its last one.
struct Gap {
    request: usize,
    /// The token at its end, from 0.
    token: usize,
    middle: f64,
}

/// A gap as a step, and when.
struct Known {
    middle: f64,
    step: Step,
}

fn rebuilt(requests: &[Request], engine: Engine) -> Result<Rebuilt, String> {
    let mut events: Vec<(f64, usize, Event)> = Vec::new();
    let mut gaps = Vec::new();
    for (number, request) in requests.iter().enumerate() {
        events.push((request.sent, number, Event::Sent));
        let tokens = request.tokens.iter().enumerate();
        events.extend(tokens.map(|(place, at)| (*at, number, Event::Token(place))));
        gaps.extend((2..request.tokens.len().saturating_sub(1)).map(|token| Gap {
            request: number,
            token,
            middle: f64::midpoint(request.tokens[token - 1], request.tokens[token]),
        }));
    }
    // Stable: of a request that gets its first token as it is sent, the sending comes first.
    events.sort_by(|a, b| a.0.total_cmp(&b.0));
    gaps.sort_by(|a, b| a.middle.total_cmp(&b.middle));
    let mut now = Now::new(requests, engine);
    let mut events_left = events.iter().peekable();
    let mut known = Vec::new();
    for gap in &gaps {
        while let Some((_, number, event)) = events_left.next_if(|event| event.0 <= gap.middle) {
            now.take(*number, *event);
        }
        known.extend(now.step(gap).map(|step| Known { middle: gap.middle, step }));
    }
    let all = requests.iter().map(|request| request.tokens.len() - 1).sum();
    Ok(Rebuilt { steps: merged(&known), gaps: all, used: known.len() })
}

/// The gaps of all requests in one iteration are one step, as long as they are on average.
fn merged(known: &[Known]) -> Vec<Step> {
    let same = |a: &Known, b: &Known| {
        b.middle - a.middle < a.step.seconds / 2.0 && a.step.tokens == b.step.tokens
    };
    let mean = |group: &[Known]| {
        let over = |of: fn(&Step) -> f64| {
            group.iter().map(|known| of(&known.step)).sum::<f64>() / group.len() as f64
        };
        Step {
            seconds: over(|step| step.seconds),
            tokens: group[0].step.tokens,
            kv: over(|step| step.kv),
            attention: over(|step| step.attention),
        }
    };
    let (mut steps, mut from) = (Vec::new(), 0);
    for to in 1..=known.len() {
        if to == known.len() || !same(&known[from], &known[to]) {
            steps.push(mean(&known[from..to]));
            from = to;
        }
    }
    steps
}

/// What is on the engine.
struct Now<'r> {
    /// In the order of their first tokens.
    requests: &'r [Request],
    engine: Engine,
    decodes: f64,
    /// Tokens that they hold, in whole blocks.
    kv: f64,
    /// Sent and without a token.
    waiting: BTreeSet<usize>,
    /// All tokens and first tokens, by time.
    tokens: Vec<f64>,
    firsts: Vec<f64>,
    /// The longest prompt.
    longest: f64,
}

impl<'r> Now<'r> {
    fn new(requests: &'r [Request], engine: Engine) -> Self {
        let mut tokens: Vec<f64> = requests.iter().flat_map(|r| r.tokens.iter().copied()).collect();
        tokens.sort_by(f64::total_cmp);
        Self {
            requests,
            engine,
            decodes: 0.0,
            kv: 0.0,
            waiting: BTreeSet::new(),
            tokens,
            firsts: requests.iter().map(|r| r.tokens[0]).collect(),
            longest: requests.iter().map(|r| r.prompt).fold(0.0, f64::max),
        }
    }

    fn in_blocks(&self, tokens: f64) -> f64 {
        (tokens / self.engine.block).ceil() * self.engine.block
    }

    /// What a request holds in the iteration that follows its token.
    fn held(&self, request: &Request, token: usize) -> f64 {
        self.in_blocks(request.prompt + token as f64 + 1.0)
    }

    fn take(&mut self, number: usize, event: Event) {
        let request = &self.requests[number];
        match event {
            Event::Sent => {
                self.waiting.insert(number);
            }
            Event::Token(0) => {
                self.waiting.remove(&number);
                self.decodes += 1.0;
                self.kv += self.held(request, 0);
            }
            Event::Token(token) => {
                self.kv += self.held(request, token) - self.held(request, token - 1);
            }
        }
        if let Event::Token(token) = event
            && token + 1 == request.tokens.len()
        {
            self.decodes -= 1.0;
            self.kv -= self.held(request, token);
        }
    }

    /// How many of the sorted `times` are between two.
    fn between(times: &[f64], from: f64, to: f64) -> usize {
        times.partition_point(|at| *at <= to) - times.partition_point(|at| *at <= from)
    }

    /// The iteration in a gap, if it is known what it computed. Called as of the middle of the gap.
    fn step(&self, gap: &Gap) -> Option<Step> {
        let own = &self.requests[gap.request].tokens;
        let [before, from, to, after] =
            [gap.token - 2, gap.token - 1, gap.token, gap.token + 1].map(|place| own[place]);
        let seconds = to - from;
        let others = Self::between(&self.tokens, from + seconds / 4.0, to - seconds / 4.0) as f64;
        if seconds <= 0.0 || (others > 0.0 && others >= 0.75 * (self.decodes - 1.0)) {
            return None;
        }
        let (until_from, until_to) = (f64::midpoint(before, from), f64::midpoint(to, after));
        let no_first_before = Self::between(&self.firsts, until_from, gap.middle) == 0;
        // A prompt that gets its first token later than this was not yet begun.
        let latest = |prompt: f64| {
            let last = gap.token + (prompt / self.engine.budget).ceil() as usize;
            own.get(last + 1).map_or(f64::INFINITY, |next| f64::midpoint(own[last], *next))
        };
        let mut step = Step { seconds, tokens: self.decodes, kv: self.kv, attention: 0.0 };
        let longest = latest(self.longest);
        for number in self.waiting.iter().take_while(|number| self.firsts[**number] <= longest) {
            let other = &self.requests[*number];
            let first = other.tokens[0];
            if first <= until_to {
                // All of its prompt must be of this iteration.
                if other.sent > from || !(other.sent > before || no_first_before) {
                    return None;
                }
                step.tokens += other.prompt;
                step.kv += self.in_blocks(other.prompt);
                step.attention += other.prompt * other.prompt / 2.0;
            } else if other.sent <= from && first <= latest(other.prompt) {
                return None;
            }
        }
        (step.tokens <= self.engine.budget).then_some(step)
    }
}
