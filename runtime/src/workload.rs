//! Where sessions come from: the arrival law, and recorded sessions (a trace).

use crate::{
    fault::FaultKind,
    kernel::{ARRIVAL_SLOT, NONE, session},
    rng::{Stream, StreamKind},
    world::{Arrivals, World},
};

/// One recorded turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Turn {
    pub new: f64,
    pub out: f64,
    pub think: f64,
    pub forced: f64,
}

/// Recorded sessions, and how they are assigned.
#[derive(Debug, Default)]
pub(crate) struct Workload {
    turns: Vec<Turn>,
    /// Where each recorded session begins in `turns`; one more at the end.
    begins: Vec<usize>,
    /// Draws the recorded session of each session; `None`: in order.
    draw: Option<Stream>,
}

impl Workload {
    /// Reads a trace: `session,turn,new,out,think[,forced]` rows, an optional header, `#` comments.
    /// Consecutive rows of one session number are one session; the turn column is not read.
    pub fn read(text: &str, ordered: bool, seed: u64) -> Result<Self, String> {
        let mut trace = Self { turns: Vec::new(), begins: Vec::new(), draw: None };
        let mut last = None;
        for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') || line.starts_with("session") {
                continue;
            }
            let fields: Vec<&str> = line.split(',').map(str::trim).collect();
            let number = |j: usize| -> Result<f64, String> {
                let field = fields
                    .get(j)
                    .ok_or_else(|| format!("line {}: {} columns", i + 1, fields.len()))?;
                field.parse().map_err(|_| format!("line {}: `{field}` is not a number", i + 1))
            };
            if last != Some(fields[0]) {
                trace.begins.push(trace.turns.len());
                last = Some(fields[0]);
            }
            let forced = if fields.len() > 5 { number(5)? } else { 0.0 };
            trace.turns.push(Turn { new: number(2)?, out: number(3)?, think: number(4)?, forced });
        }
        if !trace.begins.is_empty() {
            trace.begins.push(trace.turns.len());
            trace.draw = (!ordered).then(|| Stream::new(seed, StreamKind::Trace, 0, 0));
        }
        Ok(trace)
    }

    /// The recorded session that session `serial` replays, [`NONE`] without a trace.
    pub fn assign(&mut self, serial: u64) -> u32 {
        let Some(n) = self.begins.len().checked_sub(1) else { return NONE };
        match &mut self.draw {
            Some(stream) => stream.below(n as u64) as u32,
            None => (serial % n as u64) as u32,
        }
    }

    /// The turns of a recorded session.
    pub fn turns(&self, i: u32) -> &[Turn] {
        &self.turns[self.begins[i as usize]..self.begins[i as usize + 1]]
    }
}

/// What happens at time 0.
pub(crate) fn open<W: World>(w: &mut W) {
    match w.arrivals() {
        Arrivals::None => {}
        Arrivals::Batch(n) | Arrivals::Closed(n) => session::spawn(w, n as u64),
        Arrivals::Poisson(_) => w.kernel_mut().clock.set(ARRIVAL_SLOT, 0.0),
        Arrivals::Renewal => schedule(w),
    }
}

/// An arrival: the next one is scheduled before the new session runs.
pub(crate) fn arrive<W: World>(w: &mut W) {
    let k = w.kernel();
    if k.settings.arrivals.is_none_or(|n| k.arrived + 1 < n) {
        schedule(w);
    }
    session::spawn(w, 1);
}

fn schedule<W: World>(w: &mut W) {
    let gap = match w.arrivals() {
        Arrivals::Poisson(rate) if rate > 0.0 => w.kernel_mut().arrival_rng().exp(1.0 / rate),
        Arrivals::Renewal => w.renewal_gap(),
        Arrivals::Poisson(_) | Arrivals::Batch(_) | Arrivals::Closed(_) | Arrivals::None => return,
    };
    let k = w.kernel_mut();
    let fine = gap >= 0.0;
    if !fine {
        k.raise(FaultKind::Gap(gap), Some(W::ARRIVE_SITE), None);
        return;
    }
    let time = k.now + gap;
    k.clock.set(ARRIVAL_SLOT, time);
}

#[cfg(test)]
mod tests {
    use super::Workload;

    #[test]
    fn consecutive_rows_of_one_number_are_one_session() {
        let text = "session,turn,new,out,think\n# a comment\n0,1, 10, 2,0.5\n0,2,20,3,1\n\n1,1,5,1,0,7\n0,1,8,8,8\n";
        let mut t = Workload::read(text, true, 1).unwrap();
        let lens: Vec<usize> = (0..3).map(|i| t.turns(i).len()).collect();
        assert_eq!(lens, [2, 1, 1]);
        assert_eq!(t.turns(1)[0].forced, 7.0);
        assert_eq!((t.assign(2), t.assign(3)), (2, 0));
        assert!(Workload::read("0,1,x,2,3", true, 1).is_err());
    }
}
