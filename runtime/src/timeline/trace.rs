//! A time line as Chrome trace events, which Perfetto and `chrome://tracing` open: a JSON object whose list
//! has one event per line. Times are microseconds of simulated time.

use super::{Level, Phase, Span, Step, Timeline};
use serde_json::{Value, json};
use std::io::{self, Write};

/// The three processes under which tracks are shown, in this order.
const ENGINES: u32 = 1;
const SESSIONS: u32 = 2;
const POOLS: u32 = 3;

impl Timeline {
    /// Writes it.
    ///
    /// # Errors
    /// When `out` cannot be written to.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let about = json!({
            "program": self.program,
            "seed": self.seed,
            "from": self.window.from,
            "to": self.window.to,
            "stopped_at": self.full_at,
        });
        write!(out, "{{\"displayTimeUnit\":\"ms\",\"otherData\":{about},\"traceEvents\":[")?;
        let mut first = true;
        let mut event = |event: Value| {
            let comma = if std::mem::take(&mut first) { "\n" } else { ",\n" };
            write!(out, "{comma}{event}")
        };
        self.names(&mut event)?;
        self.steps.iter().try_for_each(|step| event(self.step(step)))?;
        self.spans.iter().try_for_each(|span| event(self.span(span)))?;
        for level in &self.levels {
            self.level(level).into_iter().try_for_each(&mut event)?;
        }
        out.write_all(b"\n]}\n")
    }

    /// Processes and tracks.
    fn names(&self, event: &mut dyn FnMut(Value) -> io::Result<()>) -> io::Result<()> {
        for (pid, name) in [(ENGINES, "engines"), (SESSIONS, "sessions"), (POOLS, "pools")] {
            event(meta("process_name", pid, 0, "name", json!(name)))?;
            event(meta("process_sort_index", pid, 0, "sort_index", json!(pid)))?;
        }
        let mut engines: Vec<u32> = self.steps.iter().map(|step| step.engine).collect();
        engines.sort_unstable();
        engines.dedup();
        for engine in engines {
            let name = json!(self.stages[engine as usize]);
            event(meta("thread_name", ENGINES, u64::from(engine) + 1, "name", name))?;
        }
        let named = |span: &Span| match span.leg {
            None => (track(span), format!("session {}", span.session)),
            Some(slot) => (track(span), format!("legs {slot}")),
        };
        let mut tracks: Vec<(u64, String)> = self.spans.iter().map(named).collect();
        tracks.sort_unstable();
        tracks.dedup();
        for (number, name) in tracks {
            event(meta("thread_name", SESSIONS, number, "name", json!(name)))?;
        }
        Ok(())
    }

    fn step(&self, step: &Step) -> Value {
        let name = match (step.prefills, step.decodes) {
            (0, d) => format!("decode {d}"),
            (p, 0) => format!("prefill {p}"),
            (p, d) => format!("prefill {p} + decode {d}"),
        };
        let args = json!({
            "prefills": step.prefills,
            "decodes": step.decodes,
            "prompt_tokens": step.tokens,
        });
        slice(&name, "iteration", ENGINES, u64::from(step.engine) + 1, (step.from, step.to), args)
    }

    fn span(&self, span: &Span) -> Value {
        let stage = |i: u32| self.stages[i as usize].as_str();
        let (name, at) = match span.phase {
            Phase::Queue(i) => ("queue".to_owned(), self.pools[i as usize].as_str()),
            Phase::Prefill(i) => ("prefill".to_owned(), stage(i)),
            Phase::Decode(i) => ("decode".to_owned(), stage(i)),
            Phase::Grow(i) => ("wait to grow".to_owned(), stage(i)),
            Phase::Line(i) => (format!("wait for {}", stage(i)), stage(i)),
            Phase::Serve(i) => (stage(i).to_owned(), stage(i)),
            Phase::Transfer(i) => ("transfer".to_owned(), self.routes[i as usize].as_str()),
        };
        let args = json!({ "at": at, "session": span.session, "turn": span.turn });
        slice(&name, "session", SESSIONS, track(span), (span.from, span.to), args)
    }

    fn level(&self, level: &Level) -> [Value; 2] {
        let name = &self.pools[level.pool as usize];
        let counter = |name: String, args: Value| json!({ "ph": "C", "name": name, "pid": POOLS, "ts": micro(level.at), "args": args });
        [
            counter(name.clone(), json!({ "used": level.used, "cached": level.cached })),
            counter(format!("{name} queue"), json!({ "waiting": level.queue })),
        ]
    }
}

/// A session's track, and for legs tracks behind those of all sessions: a leg runs beside its session.
fn track(span: &Span) -> u64 {
    const LEGS: u64 = 1 << 31;
    span.leg.map_or(span.session + 1, |slot| LEGS + u64::from(slot))
}

fn micro(seconds: f64) -> f64 {
    seconds * 1e6
}

fn slice(name: &str, cat: &str, pid: u32, tid: u64, (from, to): (f64, f64), args: Value) -> Value {
    let (ts, end) = (micro(from), micro(to));
    json!({
        "ph": "X", "name": name, "cat": cat, "pid": pid, "tid": tid, "ts": ts, "dur": end - ts, "args": args,
    })
}

fn meta(kind: &str, pid: u32, tid: u64, key: &str, value: Value) -> Value {
    json!({ "ph": "M", "name": kind, "pid": pid, "tid": tid, "args": { key: value } })
}
