//! Watches the queues of a run, and says which of them grew through the whole measured time.
//!
//! In: the time averages of pools and stages, read at ten times. Out: notes. Only an open workload
//! can outgrow a deployment; a run that stops after a number of arrivals has no steady state to miss.

use crate::{
    pool,
    report::text::label,
    settings::Settings,
    station,
    stats::{WINDOWS, grows},
    world::{Arrivals, PoolKey, StageKey, StageType, World},
};

/// The note's code.
const UNSTABLE: &str = "S212";
/// The most queues that are named.
const MANY: usize = 4;

/// What waits and may grow.
#[derive(Clone, Copy, Debug)]
enum Queue {
    Pool(PoolKey),
    Stage(StageKey),
}

/// The integrals of all queues' lengths at the windows' ends.
#[derive(Debug)]
pub(crate) struct Trends {
    queues: Vec<Queue>,
    /// Seconds of a window, and where the next one ends.
    window: f64,
    next: f64,
    /// When each window ended, and by queue the integral from the warm-up until then.
    ends: Vec<f64>,
    areas: Vec<Vec<f64>>,
}

impl Trends {
    /// Nothing watched yet.
    pub fn new<W: World>(w: &W, settings: &Settings) -> Self {
        let measured = settings.horizon - settings.warmup;
        let open =
            matches!(w.arrivals(), Arrivals::Poisson(_) | Arrivals::Renewal | Arrivals::Recorded);
        let mut queues = Vec::new();
        if open && settings.arrivals.is_none() && measured > 0.0 && measured.is_finite() {
            let k = w.kernel();
            queues.extend(k.pools.iter().map(|key| Queue::Pool(*key)));
            // What is at a delay waits for nothing.
            let waits = |key: &&StageKey| station::spec::<W>(**key).kind != StageType::Delay;
            queues.extend(k.stages.iter().filter(waits).map(|key| Queue::Stage(*key)));
        }
        let window = measured / WINDOWS as f64;
        let next = settings.warmup + window;
        Self { queues, window, next, ends: Vec::new(), areas: Vec::new() }
    }

    /// When the next window ends; never, when nothing is watched or all have ended.
    pub fn due(&self) -> f64 {
        if self.queues.is_empty() || self.ends.len() == WINDOWS { f64::INFINITY } else { self.next }
    }

    /// Everything is accounted for until `now`, where a window ends.
    pub fn look<W: World>(&mut self, w: &W, now: f64) {
        if self.due() > now {
            return;
        }
        let warmup = w.kernel().settings.warmup;
        let area = |queue: &Queue| {
            let mean = match *queue {
                Queue::Pool(key) => w.pool(key).averages.queued.mean(now),
                Queue::Stage(key) => station::measures(w, key).present.mean(now),
            };
            mean * (now - warmup)
        };
        self.areas.push(self.queues.iter().map(area).collect());
        self.ends.push(now);
        self.next += self.window;
    }

    /// Notes about the queues that grew, for a run that came to its horizon `end`.
    pub fn notes<W: World>(mut self, w: &W, end: f64) -> Vec<String> {
        // The last window ends with the run, whatever rounding made of it.
        if self.ends.len() == WINDOWS {
            self.ends.pop();
            self.areas.pop();
        }
        self.next = end;
        self.look(w, end);
        if self.ends.len() < WINDOWS {
            return Vec::new();
        }
        let mut notes = Vec::new();
        let mut more = 0;
        for (i, queue) in self.queues.iter().enumerate() {
            let means = self.means(i, w.kernel().settings.warmup);
            let (name, index, served, what) = described(w, *queue);
            if quiet::<W>(UNSTABLE, name) || !grows(&means, served) {
                continue;
            }
            if notes.len() == MANY {
                more += 1;
                continue;
            }
            let shown = label(name, index);
            let (first, last) = (means[0], means[WINDOWS - 1]);
            notes.push(format!(
                "{shown} is unstable: {what} grew through the whole measured time, from {first:.1} to {last:.1} on average, \
                 so the averages depend on how long the run is [{UNSTABLE}]"
            ));
        }
        if more > 0 {
            notes.push(format!("{more} more pools or stages are unstable [{UNSTABLE}]"));
        }
        notes
    }

    /// A queue's means over the windows.
    fn means(&self, queue: usize, warmup: f64) -> [f64; WINDOWS] {
        let at = |k: usize| match k.checked_sub(1) {
            None => (warmup, 0.0),
            Some(k) => (self.ends[k], self.areas[k][queue]),
        };
        std::array::from_fn(|k| {
            let ((t0, a0), (t1, a1)) = (at(k), at(k + 1));
            (a1 - a0) / (t1 - t0)
        })
    }
}

/// Name, member, requests that left it in the measured time, and what it is that grows.
fn described<W: World>(w: &W, queue: Queue) -> (&'static str, Option<usize>, u64, &'static str) {
    match queue {
        Queue::Pool(key) => {
            let (spec, p) = (pool::spec::<W>(key), w.pool(key));
            let served = p.counts.admissions - p.before.admissions;
            (spec.name, (!spec.single).then_some(key.member as usize), served, "its queue")
        }
        Queue::Stage(key) => {
            let (spec, m) = (station::spec::<W>(key), station::measures(w, key));
            let index = (!spec.single).then_some(key.member as usize);
            (spec.name, index, m.completed, "the number of jobs there")
        }
    }
}

/// Whether the program silences a note about something.
pub(crate) fn quiet<W: World>(code: &str, about: &str) -> bool {
    W::QUIET.contains(&(code, about))
}
