//! Two servers that share themselves equally: constant amounts at the one, very variable ones at the other.
//!
//! Each has a clock that runs at 1 / n; a job ends when the clock reaches its mark. Few jobs are present at a time, so
//! the least mark is found by looking at all.

use crate::{Mean, Observed, Run, Values, observed};

/// One server.
#[derive(Default)]
struct Shared {
    /// Marks, and when the jobs arrived.
    jobs: Vec<(f64, f64)>,
    clock: f64,
    /// When the clock was last brought up to date.
    since: f64,
    /// The job that ends next, and when; infinite when there is none.
    next: usize,
    end: f64,
    response: Mean,
}

impl Shared {
    fn new() -> Self {
        Self { end: f64::INFINITY, ..Self::default() }
    }

    fn advance(&mut self, now: f64) {
        if !self.jobs.is_empty() {
            self.clock += (now - self.since) / self.jobs.len() as f64;
        }
        self.since = now;
    }

    fn schedule(&mut self, now: f64) {
        let least =
            |best: usize, i: usize| if self.jobs[i].0 < self.jobs[best].0 { i } else { best };
        self.next = (1..self.jobs.len()).fold(0, least);
        self.end = match self.jobs.get(self.next) {
            Some((mark, _)) => now + (mark - self.clock).max(0.0) * self.jobs.len() as f64,
            None => f64::INFINITY,
        };
    }

    fn begin(&mut self, now: f64, work: f64) {
        self.advance(now);
        self.jobs.push((self.clock + work, now));
        self.schedule(now);
    }

    fn end(&mut self, run: &Run) {
        let now = self.end;
        self.advance(now);
        let (mark, arrived) = self.jobs.swap_remove(self.next);
        self.clock = self.clock.max(mark);
        self.response.add(run, now, now - arrived);
        self.schedule(now);
    }
}

pub(crate) fn simulate(values: &Values, run: &Run) -> Result<Vec<Observed>, String> {
    let gap = 1.0 / (2.0 * values.get("lambda")?);
    let (service, cv2) = (values.get("s")?, values.get("cv2")?);
    let mut arrivals = run.arrivals();
    let (mut even, mut uneven) = (Shared::new(), Shared::new());
    let (mut arrival, mut serial) = (0.0, 0);
    loop {
        let now = f64::min(arrival, f64::min(even.end, uneven.end));
        if now > run.horizon {
            return Ok(observed(&[("constant", even.response), ("variable", uneven.response)]));
        }
        if now == arrival {
            arrival = now + arrivals.exp(gap);
            let mut stream = run.session(serial);
            serial += 1;
            if stream.bernoulli(0.5) == 1.0 {
                even.begin(now, service);
            } else {
                uneven.begin(now, stream.h2(service, cv2));
            }
        } else if now == even.end {
            even.end(run);
        } else {
            uneven.end(run);
        }
    }
}
