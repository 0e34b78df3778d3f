//! Looks at a run before each event of a window, and notes what has changed since the look before.
//!
//! A look goes over all jobs and queues. It happens when time is about to go on, so that what it sees holds
//! from `now` until then.

use super::{Level, MOST_EVENTS, Phase, Span, Step, Timeline, Window};
use crate::{
    kernel::NONE,
    parts::{Parts, StagePart},
    report::text::label,
    settings::Settings,
    world::Sid,
};
use std::collections::BTreeMap;

/// Jobs that are looked at in all, before it is given up as too much.
const MOST_LOOKS: u64 = 1 << 31;

/// A session's phase that goes on.
#[derive(Clone, Copy, Debug)]
struct Open {
    span: Span,
    /// The look that saw it last.
    seen: u64,
}

/// Writes down a window of a run.
#[derive(Debug)]
pub(crate) struct Recorder {
    line: Timeline,
    /// Look by look.
    looks: u64,
    looked_at: u64,
    /// By session slot, and the slots that have one.
    open: Vec<Option<Open>>,
    slots: Vec<Sid>,
    /// By engine, the begin of the iteration noted last; by pool what was noted last.
    began: Vec<f64>,
    levels: Vec<Option<Level>>,
    routes: BTreeMap<Vec<u32>, u32>,
    over: bool,
}

impl Recorder {
    /// For a run whose pools and stages are numbered.
    pub fn new(parts: &mut dyn Parts, settings: &Settings, window: Window) -> Self {
        let tables = parts.tables();
        let (pools, stages) = (parts.kernel().pools.clone(), parts.kernel().stages.clone());
        let named = |name: &str, single: bool, member: u32| {
            label(name, (!single).then_some(member as usize))
        };
        let pool_names = pools.iter().map(|key| {
            let spec = &tables.pools[key.family as usize];
            named(spec.name, spec.single, key.member)
        });
        let stage_names = stages.iter().map(|key| tables.stage_name(*key));
        let line = Timeline {
            program: tables.name.to_owned(),
            seed: settings.seed,
            window,
            full_at: None,
            pools: pool_names.collect(),
            stages: stage_names.collect(),
            routes: Vec::new(),
            spans: Vec::new(),
            steps: Vec::new(),
            levels: Vec::new(),
        };
        Self {
            looks: 0,
            looked_at: 0,
            open: Vec::new(),
            slots: Vec::new(),
            began: vec![f64::NAN; stages.len()],
            levels: vec![None; pools.len()],
            routes: BTreeMap::new(),
            over: false,
            line,
        }
    }

    /// From when on each event is to be looked at, never again when the window is over.
    pub fn due(&self) -> f64 {
        if self.over { f64::INFINITY } else { self.line.window.from }
    }

    /// The state as it is holds until `next`, the time of the next event.
    pub fn look(&mut self, parts: &mut dyn Parts, next: f64) {
        let now = parts.kernel().now;
        let Window { from, to } = self.line.window;
        if self.over || next <= now.max(from) {
            return;
        }
        if now >= to {
            self.close(to);
            return;
        }
        let since = now.max(from);
        self.looks += 1;
        self.sessions(parts, since);
        self.end_unseen(since);
        self.pools(parts, since);
        if next > to {
            self.close(to);
        } else if self.line.events() + self.slots.len() >= MOST_EVENTS
            || self.looked_at > MOST_LOOKS
        {
            self.line.full_at = Some(next);
            self.close(next);
        }
    }

    /// What was written down, for a run that ended at `end`.
    pub fn finish(mut self, end: f64) -> Timeline {
        if !self.over {
            self.close(end.min(self.line.window.to));
        }
        self.line
    }

    fn sessions(&mut self, parts: &mut dyn Parts, since: f64) {
        let mut seen: Vec<(Sid, Phase)> = Vec::new();
        for i in 0..self.line.stages.len() {
            let at = i as u32;
            let key = parts.kernel().stages[i];
            match parts.stage(key) {
                StagePart::Fifo(x) => {
                    seen.extend(x.in_line().map(|s| (s, Phase::Line(at))));
                    seen.extend(x.in_service().map(|s| (s, Phase::Serve(at))));
                }
                StagePart::Ps(x) => seen.extend(x.present().map(|s| (s, Phase::Serve(at)))),
                StagePart::Delay(x) => seen.extend(x.present().map(|s| (s, Phase::Serve(at)))),
                StagePart::Step(x) => {
                    seen.extend(x.seats.iter().map(|seat| (seat.session, resident(seat, at))));
                    self.step(at, x.iteration());
                }
                StagePart::Link(_) => {}
            }
        }
        let k = parts.kernel();
        let flat = |key| k.stages.iter().position(|k| *k == key).unwrap_or(0) as u32;
        for (session, links) in k.flows.present(flat) {
            seen.push((session, Phase::Transfer(self.route(&links))));
        }
        for i in 0..self.line.pools.len() {
            let key = parts.kernel().pools[i];
            seen.extend(parts.peek(key).queue.iter().map(|x| (x.session, Phase::Queue(i as u32))));
        }
        self.looked_at += seen.len() as u64;
        for (s, phase) in seen {
            if s != NONE {
                let k = parts.kernel();
                let c = k.control(s);
                let (session, turn) = (c.serial, c.b.turn_no as u32);
                let leg = k.legs.get(s).filter(|record| record.parent != NONE).map(|_| s);
                self.session(s, Span { session, turn, leg, phase, from: since, to: since });
            }
        }
    }

    /// The session in this slot is in this phase, perhaps since before.
    fn session(&mut self, s: Sid, span: Span) {
        let slot = s as usize;
        if slot >= self.open.len() {
            self.open.resize(slot + 1, None);
        }
        let same = |o: &Open| {
            (o.span.session, o.span.turn, o.span.phase) == (span.session, span.turn, span.phase)
        };
        match &mut self.open[slot] {
            Some(open) if same(open) => open.seen = self.looks,
            old => {
                match old.take() {
                    Some(before) => push(&mut self.line.spans, before.span, span.from),
                    None => self.slots.push(s),
                }
                *old = Some(Open { span, seen: self.looks });
            }
        }
    }

    /// Phases that were not seen any more have ended.
    fn end_unseen(&mut self, since: f64) {
        let Self { open, slots, line, looks, .. } = self;
        slots.retain(|s| {
            let place = &mut open[*s as usize];
            let stays = place.is_some_and(|o| o.seen == *looks);
            if let Some(ended) = place.take_if(|_| !stays) {
                push(&mut line.spans, ended.span, since);
            }
            stays
        });
    }

    fn step(&mut self, engine: u32, iteration: Option<Step>) {
        let Some(step) = iteration else { return };
        let began = &mut self.began[engine as usize];
        if step.from != *began && step.to > step.from {
            *began = step.from;
            self.line.steps.push(Step { engine, ..step });
        }
    }

    fn pools(&mut self, parts: &mut dyn Parts, since: f64) {
        for i in 0..self.line.pools.len() {
            let key = parts.kernel().pools[i];
            let p = parts.peek(key);
            let level = Level {
                pool: i as u32,
                at: since,
                used: p.averages.used.value(),
                cached: p.averages.cached.value(),
                queue: p.queue.len() as u32,
            };
            let same =
                |l: &Level| (l.used, l.cached, l.queue) == (level.used, level.cached, level.queue);
            if !self.levels[i].as_ref().is_some_and(same) {
                self.levels[i] = Some(level);
                self.line.levels.push(level);
            }
        }
    }

    /// The number of a set of links.
    fn route(&mut self, links: &[u32]) -> u32 {
        if let Some(route) = self.routes.get(links) {
            return *route;
        }
        let route = self.line.routes.len() as u32;
        let names = links.iter().map(|i| self.line.stages[*i as usize].as_str());
        self.line.routes.push(names.collect::<Vec<_>>().join(", "));
        self.routes.insert(links.to_vec(), route);
        route
    }

    fn close(&mut self, at: f64) {
        for s in std::mem::take(&mut self.slots) {
            if let Some(open) = self.open[s as usize].take() {
                push(&mut self.line.spans, open.span, at);
            }
        }
        self.over = true;
    }
}

/// What a resident of an engine does.
fn resident(seat: &crate::engine::Seat, at: u32) -> Phase {
    match (seat.stalled, seat.decode) {
        (true, _) => Phase::Grow(at),
        (false, false) => Phase::Prefill(at),
        (false, true) => Phase::Decode(at),
    }
}

fn push(spans: &mut Vec<Span>, span: Span, to: f64) {
    if to > span.from {
        spans.push(Span { to, ..span });
    }
}
